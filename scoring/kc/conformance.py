"""The conformance cases of kc-2.5: hands, special events, false wins, and who deals next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_object,
    case_hand,
    flags,
    text,
    whole_number,
)
from hupai.scoring.cases.figures import CaseOutcome, CaseRunner, Figures, compare
from hupai.scoring.hand import Circumstances
from hupai.scoring.kc.payments import HEAVENLY_PAYMENT, Caps, share_out
from hupai.scoring.kc.rules import KC_2_5
from hupai.scoring.kc.session import (
    HandEnd,
    KcSeating,
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
    parse_seating,
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


def case_circumstances(case: Case) -> Circumstances:
    """Read the circumstances of a hand case.

    Raises:
        CaseFormatError: for a flag that is not boolean, or a streak that is not a number.
    """
    streak = whole_number(case, "dealer_streak", default=0)
    return Circumstances(**flags(case, _FLAGS), dealer_streak=streak)


def _run_hand(case: Case) -> CaseOutcome:
    score = KC_2_5.score(case_hand(case), case_circumstances(case))
    figures = {
        "legal": score.legal,
        "factors": {line.zh: line.points**line.count for line in score.fans},
        "multiplier": score.total,
        "payments": _by_role(score),
        "winner_receives": score.winner_receives,
    }

    def compare_factors(wanted: object, _: object) -> Iterator[str]:
        return _factor_differences(as_object(wanted, "expected.factors"), score)

    comparisons = {"factors": compare_factors, "payments": _payment_differences}
    return compare(case, figures, [p.message for p in score.problems], comparisons=comparisons)


def _by_role(score: Score) -> dict[str, int]:
    """Map every role name that the case files use to its payment."""
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
    if event not in _SPECIAL:
        raise CaseFormatError("event", f"{event!r} is no special event: use {', '.join(_SPECIAL)}")
    return _compare_paid(case, _SPECIAL[event](case))


def _heavenly(case: Case) -> dict[str, object]:
    legal = case.get("winner_is_dealer", True) is True
    settled = settle_heavenly_win(KcSeating(("dealer", "other_1", "other_2", "other_3"), "dealer"))
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
    """Settle two or three winners on one discard, given as multipliers by name or in a list."""
    claims = next(
        (case[field] for field in ("amounts", "claims", "due") if case.get(field) is not None), None
    )
    if claims is not None:
        return _claims_cut(dict(named_multipliers(claims, "amounts")))
    listed = case.get("winners", case.get("multipliers"))
    winners = [KcWinner(name, times) for name, times in named_multipliers(listed, "winners")]
    seating, discarder = parse_seating(case, winners)
    settled = settle_win(seating, winners, discarder)
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
    """Cut claims given in chips to the cap of a discard."""
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
    seating = KcSeating(
        tuple(players),
        parse_dealer(case, list(players)),
        whole_number(case, "dealer_streak", default=0),
    )
    offender = text(case, "offender")
    ready = [KcWinner(name, times) for name, times in parse_ready(case)]
    settled = settle_false_win(seating, offender, ready)
    transfers = [f"{t.payer} -> {t.payee}: {t.amount} ({t.formula})" for t in settled.transfers]
    figures = {
        "net": dict(settled.nets()),
        "payments": {t.payee: t.amount for t in settled.transfers},
    }
    return _compare_paid(case, figures, transfers, [p.message for p in settled.problems])


def _run_next_dealer(case: Case) -> CaseOutcome:
    event = text(case, "event")
    if event not in HAND_ENDS:
        ends = ", ".join(end.value for end in HandEnd)
        raise CaseFormatError("event", f"{event!r} is no end of a hand: use {ends}")
    return compare(case, {"next_dealer": "same" if dealer_stays(HAND_ENDS[event]) else "next"})


def _compare_paid(
    case: Case, figures: Figures, remarks: list[str] | None = None, faults: list[str] | None = None
) -> CaseOutcome:
    """Compare figures with payments, of which a case may name some only."""
    comparisons = {"payments": _payment_differences}
    return compare(case, figures, remarks or (), faults or (), comparisons)


_SPECIAL: dict[str, Callable[[Case], dict[str, object]]] = {
    "天和": _heavenly,
    "heavenly_win": _heavenly,
    "一炮双响": _several_winners,
    "一炮三响": _several_winners,
    "two_winners": _several_winners,
    "three_winners": _several_winners,
}

CASE_KINDS: dict[str, CaseRunner] = {
    "hand": _run_hand,
    "special": _run_special,
    "false_win": _run_false_win,
    "next_dealer": _run_next_dealer,
}
"""Runs each kind of case."""


def _factor_differences(wanted: Figures, score: Score) -> Iterator[str]:
    """Compare the patterns, each with its factor.

    One that counts several times may be given once or multiplied out.
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


def _payment_differences(wanted: object, got: object) -> Iterator[str]:
    paid = as_object(got, "payments")
    for name, value in as_object(wanted, "expected.payments").items():
        if paid.get(name) != value:
            yield f"payments.{name}: expected {value}, got {paid.get(name)}"
