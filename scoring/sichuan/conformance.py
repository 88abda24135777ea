"""Running the case files of sichuan-2024: finished hands, deals, standings, and passing a win."""

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
from hupai.scoring.result import Score, Severity
from hupai.scoring.sichuan.deal.json import is_partner_play, parse_deal
from hupai.scoring.sichuan.deal.settle import settle
from hupai.scoring.sichuan.passed_wins import win_allowed
from hupai.scoring.sichuan.rules import SICHUAN_2024
from hupai.scoring.sichuan.standings import standings
from hupai.scoring.sichuan.standings_json import parse_standing

_FLAGS: dict[str, tuple[str, ...]] = {
    "self_drawn": ("self_drawn",),
    "kong_replacement": ("kong_draw", "kong_replacement"),
    "kong_discard": ("kong_discard",),
    "robbing_kong": ("robbing_kong", "robbed_kong"),
    "last_tile": ("last_tile", "last_draw", "last_discard"),
    "partner_play": ("partner_play", "two_vs_two", "2v2", "doubles"),
}
"""Which field of a case sets which circumstance."""

_VOID_FIELDS = ("void_suit", "declared_void", "void", "que")
_OPPONENT_FIELDS = ("opponents_not_yet_won", "opponents")


def run_case(case: Case) -> CaseOutcome:
    """Run one case and compare every figure it expects.

    Raises:
        CaseFormatError: when the case is not of the form described; it names the field.
    """
    kind = str(case.get("kind", "hand"))
    if kind not in _RUNNERS:
        raise CaseFormatError(
            "kind", f"{kind!r} is no kind of Sichuan case: use {', '.join(_RUNNERS)}"
        )
    return _RUNNERS[kind](case)


def case_circumstances(case: Case) -> Circumstances:
    """The circumstances of a hand case.

    Raises:
        CaseFormatError: for a flag that is not boolean, or a number that is none.
    """
    refuse_unknown_flags(case, chain.from_iterable(_FLAGS.values()))
    flags = {name: any(flag(case, field) for field in fields) for name, fields in _FLAGS.items()}
    opponents = next(
        (whole_number(case, f) for f in _OPPONENT_FIELDS if case.get(f) is not None), 3
    )
    void = next((text(case, f) for f in _VOID_FIELDS if case.get(f) is not None), None)
    return Circumstances(
        self_drawn=flags["self_drawn"],
        kong_replacement=flags["kong_replacement"],
        kong_discard=flags["kong_discard"],
        robbing_kong=flags["robbing_kong"],
        last_tile=flags["last_tile"],
        partner_play=flags["partner_play"] or is_partner_play(case),
        opponents=opponents,
        void_suit=void,
    )


def _run_hand(case: Case) -> CaseOutcome:
    score = SICHUAN_2024.score(case_hand(case), case_circumstances(case))
    expected = as_object(case.get("expected"), "expected")
    figures = _hand_figures(score)
    wrong = tuple(_compare(expected, figures))
    return CaseOutcome(
        wrong, _lines(expected), (*_lines(figures), *(p.message for p in score.problems))
    )


def _hand_figures(score: Score) -> dict[str, object]:
    details = dict(score.details)
    paid = {f"{p.payer}_pays": p.amount for p in score.payments}
    each = paid.get("each_pays")
    claimed = paid.get("discarder_pays", paid.get("robbed_pays"))
    return {
        "legal": score.legal,
        "fans": {line.zh: line.count for line in score.fans},
        "fan_sum": details.get("fan_sum", 0),
        "capped_fan": details.get("capped_fan", 0),
        "base_points": score.total,
        "each_payer_pays": each,
        "discarder_pays": claimed,
        "robbed_pays": claimed,
        "payer_pays": claimed if each is None else each,
        "winner_receives": score.winner_receives,
    }


def _run_round(case: Case) -> CaseOutcome:
    settlement = settle(parse_deal(case))
    expected = as_object(case.get("expected"), "expected")
    figures: dict[str, object] = {
        "net": dict(settlement.ledger.nets()),
        "next_dealer": settlement.next_dealer,
        "winners": list(settlement.winners),
        "finished": settlement.finished,
        "fines": {
            p: sum(settlement.ledger.fines(p))
            for p in settlement.ledger.players
            if settlement.ledger.fines(p)
        },
    }
    wrong = [
        *_compare(expected, figures),
        *(f"ledger: {fault}" for fault in settlement.ledger.faults()),
    ]
    wrong += [
        p.message
        for p in settlement.problems
        if p.severity is Severity.ERROR and not expected.get("problems")
    ]
    entries = tuple(
        f"{e.payer} -> {e.payee or 'nobody'}: {e.points} ({e.clause}: {e.why_en})"
        for e in settlement.ledger.entries
    )
    return CaseOutcome(tuple(wrong), _lines(expected), (*_lines(figures), *entries))


def _run_standing(case: Case) -> CaseOutcome:
    placed = standings(*parse_standing(case))
    expected = as_object(case.get("expected"), "expected")
    figures: dict[str, object] = {
        "standard": {s.player: float(s.standard) for s in placed},
        "rank": {s.player: s.rank for s in placed},
        "ranks": {s.player: s.rank for s in placed},
        "order": [s.player for s in placed],
    }
    return CaseOutcome(tuple(_compare(expected, figures)), _lines(expected), _lines(figures))


def _run_pass(case: Case) -> CaseOutcome:
    allowed = win_allowed(
        whole_number(case, "passed_fan"),
        whole_number(case, "offered_fan"),
        own_draw_since_pass=flag(case, "own_draw_since_pass"),
        self_drawn=flag(case, "self_drawn"),
        partner_play=is_partner_play(case),
    )
    expected = as_object(case.get("expected"), "expected")
    figures: dict[str, object] = {"win_allowed": allowed}
    return CaseOutcome(tuple(_compare(expected, figures)), _lines(expected), _lines(figures))


_RUNNERS: dict[str, Callable[[Case], CaseOutcome]] = {
    "hand": _run_hand,
    "round": _run_round,
    "standing": _run_standing,
    "pass_then_win": _run_pass,
}


def _compare(expected: Case, figures: Case) -> Iterator[str]:
    """A sentence for each expected figure that is not so; figures the case does not name are
    free.
    """
    for name, wanted in expected.items():
        if name in REMARKS:
            continue
        if name not in figures:
            yield f"{name}: the engine has no such figure (it has {', '.join(figures)})"
        elif not _same(wanted, figures[name]):
            yield f"{name}: expected {wanted}, got {figures[name]}"


def _same(wanted: object, got: object) -> bool:
    if isinstance(wanted, dict) and isinstance(got, dict):
        return wanted.keys() == got.keys() and all(
            _same(value, got[name]) for name, value in wanted.items()
        )
    if (
        isinstance(wanted, float | int)
        and isinstance(got, float | int)
        and not isinstance(wanted, bool)
    ):
        return abs(wanted - got) < 1e-9
    return wanted == got


def _lines(figures: Case) -> tuple[str, ...]:
    return tuple(f"{name}: {value}" for name, value in figures.items() if value is not None)
