"""Running the case files of kc-2.5: finished hands, special events, false wins, and who deals
next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from hupai.scoring.conformance.cases import (
    REMARKS,
    Case,
    CaseFormatError,
    CaseOutcome,
    as_object,
    case_hand,
    flag,
    refuse_unknown_flags,
    text,
    whole_number,
)
from hupai.scoring.hand import Circumstances
from hupai.scoring.kc.payments import HEAVENLY_PAYMENT, Caps, share_out
from hupai.scoring.kc.rules import KC_2_5
from hupai.scoring.kc.session import (
    HandEnd,
    KcSettlement,
    KcTable,
    KcWinner,
    dealer_stays,
    settle_false_win,
    settle_heavenly_win,
    settle_win,
)
from hupai.scoring.kc.session_json import (
    HAND_ENDS,
    named_multipliers,
    parse_dealer,
    parse_ready,
    parse_table,
)
from hupai.scoring.result import Score

_FLAGS: dict[str, tuple[str, ...]] = {
    "self_drawn": ("self_drawn",),
    "dealer": ("winner_is_dealer", "dealer"),
    "kong_replacement": ("kong_draw", "kong_replacement"),
    "robbing_kong": ("robbing_kong", "robbed_kong"),
    "last_of_kind": ("last_of_kind",),
    "last_tile": ("last_tile", "last_draw", "last_discard"),
    "heavenly_ready": ("heavenly_ready", "tian_ting", "tianting", "ready_from_deal", "天听"),
    "heavenly_win": ("heavenly_win", "tian_hu", "tianhu", "天和"),
    "ready_declared": ("ready_declared", "declared_ready", "bao_ting", "报听"),
    "discarder_is_dealer": ("discarder_is_dealer", "dealer_discards"),
}
"""Which field of a case sets which circumstance."""

_OTHER_NAMES = {
    "全幺九": "清老头",
    "国士无双": "十三幺",
    "七对": "七小对",
    "大七星": "连七对",
    "明杠": "杠",
    "暗杠": "杠",
    "抢杠和": "抢杠",
}
"""Names of the same pattern in the text, to the one the engine answers with."""


def run_case(case: Case) -> CaseOutcome:
    """Run one case and compare every figure it expects.

    Raises:
        CaseFormatError: when the case is not of the form described; it names the field.
    """
    kind = str(case.get("kind", "hand"))
    if kind not in _RUNNERS:
        raise CaseFormatError("kind", f"{kind!r} is no kind of KC case: use {', '.join(_RUNNERS)}")
    return _RUNNERS[kind](case)


def case_circumstances(case: Case) -> Circumstances:
    """The circumstances of a hand case.

    Raises:
        CaseFormatError: for a flag that is not boolean, or a streak that is no number.
    """
    refuse_unknown_flags(case, chain.from_iterable(_FLAGS.values()))
    flags = {name: any(flag(case, field) for field in fields) for name, fields in _FLAGS.items()}
    return Circumstances(
        self_drawn=flags["self_drawn"],
        dealer=flags["dealer"],
        kong_replacement=flags["kong_replacement"],
        robbing_kong=flags["robbing_kong"],
        last_of_kind=flags["last_of_kind"],
        last_tile=flags["last_tile"],
        heavenly_ready=flags["heavenly_ready"],
        heavenly_win=flags["heavenly_win"],
        ready_declared=flags["ready_declared"],
        discarder_is_dealer=flags["discarder_is_dealer"],
        dealer_streak=whole_number(case, "dealer_streak", default=0),
    )


def _run_hand(case: Case) -> CaseOutcome:
    score = KC_2_5.score(case_hand(case), case_circumstances(case))
    expected = as_object(case.get("expected"), "expected")
    figures: dict[str, object] = {
        "legal": score.legal,
        "factors": {line.zh: line.points**line.count for line in score.fans},
        "multiplier": score.total,
        "payments": _by_role(score),
        "winner_receives": score.winner_receives,
    }
    actual = (*_lines(figures), *(p.message for p in score.problems))
    return CaseOutcome(tuple(_compare(expected, figures, score)), _lines(expected), actual)


def _by_role(score: Score) -> dict[str, int]:
    """Payments under every role name the case files use."""
    seats = list(chain.from_iterable([(p.payer, p.amount)] * p.count for p in score.payments))
    roles = {f"each_of_three_{i}": amount for i, (_, amount) in enumerate(seats, 1)}
    if len({amount for _, amount in seats}) == 1:
        roles["each_of_three"] = seats[0][1]
    others = [amount for payer, amount in seats if payer in ("others", "each")]
    roles |= {f"other_{i}": amount for i, amount in enumerate(others, 1)}
    roles |= dict(seats)
    if "robbed" in roles:
        roles["discarder"] = roles["robbed"]
    return roles


def _run_special(case: Case) -> CaseOutcome:
    event = text(case, "event")
    expected = as_object(case.get("expected"), "expected")
    if event not in _SPECIAL:
        raise CaseFormatError("event", f"{event!r} is no special event: use {', '.join(_SPECIAL)}")
    figures = _SPECIAL[event](case)
    return CaseOutcome(tuple(_compare(expected, figures)), _lines(expected), _lines(figures))


def _heavenly(case: Case) -> dict[str, object]:
    legal = case.get("winner_is_dealer", True) is True
    settled = settle_heavenly_win(KcTable(("dealer", "other_1", "other_2", "other_3"), "dealer"))
    each = HEAVENLY_PAYMENT if legal else 0
    roles = {"each_of_three": each, **{f"each_of_three_{i}": each for i in (1, 2, 3)}}
    receives = dict(settled.nets())["dealer"] if legal else 0
    return {
        "legal": legal,
        "payments": roles,
        "winner_receives": receives,
        "multiplier": HEAVENLY_PAYMENT,
    }


def _several_winners(case: Case) -> dict[str, object]:
    """Two or three winners on one discard, as multipliers by name or in a list."""
    claims = next(
        (case[field] for field in ("amounts", "claims", "due") if case.get(field) is not None), None
    )
    if claims is not None:
        return _claims_cut(dict(named_multipliers(claims, "amounts")))
    listed = case.get("winners", case.get("multipliers"))
    winners = [KcWinner(name, times) for name, times in named_multipliers(listed, "winners")]
    table, discarder = parse_table(case, winners)
    settled = settle_win(table, winners, discarder)
    nets = dict(settled.nets())
    payments = {t.payee: t.amount for t in settled.transfers}
    paid = sum(payments.values())
    return {
        "legal": bool(settled.winners),
        "win_allowed": bool(settled.winners),
        "net": nets,
        "payments": {**payments, "discarder": paid},
        "discarder_pays": paid,
        "winner_receives": paid,
        "winners": list(settled.winners),
    }


def _claims_cut(claims: dict[str, int]) -> dict[str, object]:
    """Claims given in chips, cut to the cap of a discard."""
    paid = share_out(tuple(claims.values()), Caps().discarder)
    total = sum(paid)
    payments = {**dict(zip(claims, paid, strict=True)), "discarder": total}
    return {
        "legal": True,
        "payments": payments,
        "shares": list(paid),
        "discarder_pays": total,
        "winner_receives": total,
    }


def _run_false_win(case: Case) -> CaseOutcome:
    players = as_object(case.get("players"), "players")
    table = KcTable(
        tuple(players),
        parse_dealer(case, list(players)),
        whole_number(case, "dealer_streak", default=0),
    )
    offender = text(case, "offender")
    ready = [KcWinner(name, times) for name, times in parse_ready(case)]
    settled = settle_false_win(table, offender, ready)
    expected = as_object(case.get("expected"), "expected")
    figures = _net_figures(settled)
    return CaseOutcome(
        (*_compare(expected, figures), *(p.message for p in settled.problems)),
        _lines(expected),
        (
            *_lines(figures),
            *(f"{t.payer} -> {t.payee}: {t.amount} ({t.formula})" for t in settled.transfers),
        ),
    )


def _net_figures(settled: KcSettlement) -> dict[str, object]:
    return {"net": dict(settled.nets()), "payments": {t.payee: t.amount for t in settled.transfers}}


def _run_next_dealer(case: Case) -> CaseOutcome:
    event = text(case, "event")
    if event not in HAND_ENDS:
        raise CaseFormatError(
            "event", f"{event!r} is no end of a hand: use {', '.join(end.value for end in HandEnd)}"
        )
    expected = as_object(case.get("expected"), "expected")
    figures: dict[str, object] = {
        "next_dealer": "same" if dealer_stays(HAND_ENDS[event]) else "next"
    }
    return CaseOutcome(tuple(_compare(expected, figures)), _lines(expected), _lines(figures))


_SPECIAL: dict[str, Callable[[Case], dict[str, object]]] = {
    "天和": _heavenly,
    "heavenly_win": _heavenly,
    "一炮双响": _several_winners,
    "一炮三响": _several_winners,
    "two_winners": _several_winners,
    "three_winners": _several_winners,
}

_RUNNERS: dict[str, Callable[[Case], CaseOutcome]] = {
    "hand": _run_hand,
    "special": _run_special,
    "false_win": _run_false_win,
    "next_dealer": _run_next_dealer,
}


def _compare(expected: Case, figures: Case, score: Score | None = None) -> Iterator[str]:
    """A sentence for each expected figure that is not so; figures the case does not name are
    free.
    """
    for name, wanted in expected.items():
        if name in REMARKS:
            continue
        if name not in figures:
            yield f"{name}: the engine has no such figure (it has {', '.join(figures)})"
        elif name == "factors" and score is not None:
            yield from _compare_factors(as_object(wanted, "expected.factors"), score)
        elif name == "payments":
            yield from _compare_named(
                name, as_object(wanted, "expected.payments"), as_object(figures[name], name)
            )
        elif wanted != figures[name]:
            yield f"{name}: expected {wanted}, got {figures[name]}"


def _compare_factors(wanted: Case, score: Score) -> Iterator[str]:
    """The same patterns, each with its factor; one that counts several times may be given once or
    multiplied out.
    """
    got = {line.zh: {line.points, line.points**line.count} for line in score.fans}
    named = {_OTHER_NAMES.get(name, name): times for name, times in wanted.items()}
    for name in sorted(named.keys() | got.keys()):
        if name not in got:
            yield f"factors: {name} is missing"
        elif name not in named:
            yield f"factors: {name} should not count"
        elif named[name] not in got[name]:
            yield f"factors: {name} expected {named[name]}, got {sorted(got[name])}"


def _compare_named(field: str, wanted: Case, got: Case) -> Iterator[str]:
    for name, value in wanted.items():
        if got.get(name) != value:
            yield f"{field}.{name}: expected {value}, got {got.get(name)}"


def _lines(figures: Case) -> tuple[str, ...]:
    return tuple(f"{name}: {value}" for name, value in figures.items() if value is not None)
