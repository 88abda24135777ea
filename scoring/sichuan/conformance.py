"""The conformance cases of sichuan-2024: hands, deals, standings, and passing a win."""

from __future__ import annotations

from collections.abc import Mapping

from hupai.scoring.cases.fields import Case, case_hand, flag, flags, text, whole_number
from hupai.scoring.cases.figures import CaseOutcome, CaseRunner, compare
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


def case_circumstances(case: Case) -> Circumstances:
    """Read the circumstances of a hand case.

    Raises:
        CaseFormatError: for a flag that is not boolean, or a number that is none.
    """
    given = flags(case, _FLAGS)
    given["partner_play"] |= is_partner_play(case)
    opponents = next(
        (whole_number(case, f) for f in _OPPONENT_FIELDS if case.get(f) is not None), 3
    )
    void = next((text(case, f) for f in _VOID_FIELDS if case.get(f) is not None), None)
    return Circumstances(**given, opponents=opponents, void_suit=void)


def _run_hand(case: Case) -> CaseOutcome:
    score = SICHUAN_2024.score(case_hand(case), case_circumstances(case))
    return compare(case, _hand_figures(score), [p.message for p in score.problems])


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
    settlement = settle(parse_deal(case, strict=False))
    ledger = settlement.ledger
    figures = {
        "net": dict(ledger.nets()),
        "next_dealer": settlement.next_dealer,
        "winners": list(settlement.winners),
        "finished": settlement.finished,
        "fines": {p: sum(ledger.fines(p)) for p in ledger.players if ledger.fines(p)},
    }
    entries = [
        f"{e.payer} -> {e.payee or 'nobody'}: {e.points} ({e.clause}: {e.why_en})"
        for e in ledger.entries
    ]
    faults = [f"ledger: {fault}" for fault in ledger.faults()]
    expected = case.get("expected")
    if not (isinstance(expected, Mapping) and expected.get("problems")):
        faults += [p.message for p in settlement.problems if p.severity is Severity.ERROR]
    return compare(case, figures, entries, faults)


def _run_standing(case: Case) -> CaseOutcome:
    placed = standings(*parse_standing(case))
    figures = {
        "standard": {s.player: float(s.standard) for s in placed},
        "rank": {s.player: s.rank for s in placed},
        "ranks": {s.player: s.rank for s in placed},
        "order": [s.player for s in placed],
    }
    return compare(case, figures)


def _run_pass(case: Case) -> CaseOutcome:
    allowed = win_allowed(
        whole_number(case, "passed_fan"),
        whole_number(case, "offered_fan"),
        own_draw_since_pass=flag(case, "own_draw_since_pass"),
        self_drawn=flag(case, "self_drawn"),
        partner_play=is_partner_play(case),
    )
    return compare(case, {"win_allowed": allowed})


CASE_KINDS: dict[str, CaseRunner] = {
    "hand": _run_hand,
    "round": _run_round,
    "standing": _run_standing,
    "pass_then_win": _run_pass,
}
"""Runs each kind of case."""
