"""The conformance cases of MCR: totals, and fan lists where the case gives them."""

from __future__ import annotations

from collections.abc import Mapping

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    as_whole_number,
    case_hand,
    flags,
    text,
    whole_number,
)
from hupai.scoring.cases.figures import CaseOutcome, CaseRunner
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.mcr.decompositions.search import won_hand
from hupai.scoring.mcr.explanation import fan_lines
from hupai.scoring.mcr.rules import McrRules, flower_count, rules_by_id
from hupai.scoring.result import Score
from hupai.scoring.tiles import Tile, UnknownTileError

_FLAGS = ("self_drawn", "last_tile", "last_of_kind", "kong_replacement", "robbing_kong")

TRADING = frozenset({"一般高", "喜相逢", "连六", "老少副"})
"""Fan of one point that two chows make: where several choices score the same, they trade places."""

FanCounts = dict[str, int]


OTHER_NAMES = {"四风会": "大四喜", "小四风会": "小四喜"}
"""Names of 2006 to those of 1998, under which cases are compared."""


def run_hand(case: Case) -> CaseOutcome:
    """Compare a case's total, fan list and the fan that must be in it, as far as it gives them.

    A fan list passes if the engine has it, or an equal one: the case's alternative, the list of
    another decomposition that scores as much, or one in which fan of two chows trade places.

    Raises:
        CaseFormatError: if the case is not of the form described; it names the field.
    """
    rules = _rules(case)
    hand = case_hand(case)
    circumstances = case_circumstances(case)
    score = rules.score(hand, circumstances)
    counted = {OTHER_NAMES.get(line.zh, line.zh): line.count for line in score.fans}
    differences = []
    total = case.get("expected_total")
    if total is not None and as_whole_number(total, "expected_total") != score.total:
        differences.append(f"total: expected {total}, got {score.total}")
    given = (_fan_counts(case, f) for f in ("expected_fans", "expected_fans_alternative"))
    wanted = [fans for fans in given if fans]
    if wanted:
        equal = [counted]
        if counted:
            equal += _lists_of_equal_total(rules, hand, circumstances)
        if not any(_same(fans, other) for fans in wanted for other in equal):
            differences += _fan_differences(wanted[0], counted)
    for name in as_sequence(case.get("must_contain"), "must_contain"):
        if OTHER_NAMES.get(str(name), name) not in counted:
            differences.append(f"{name}: must be counted, is not")
    fans = wanted[0] if wanted else {}
    expected = (f"total {total}", *(f"{zh} x{times}" for zh, times in fans.items()))
    return CaseOutcome(tuple(differences), expected, _breakdown(score))


CASE_KINDS: dict[str, CaseRunner] = {"hand": run_hand}
"""Runs each kind of case."""


def case_circumstances(case: Case) -> Circumstances:
    """Read the circumstances of a case.

    A flag that is absent is false, a wind that is absent is not known.

    Raises:
        CaseFormatError: for a flag these rules do not have, or a field of the wrong type.
    """
    return Circumstances(
        **flags(case, {name: (name,) for name in _FLAGS}),
        seat_wind=_wind(case, "seat_wind"),
        round_wind=_wind(case, "round_wind"),
        flowers=whole_number(case, "flowers", default=0),
    )


def _rules(case: Case) -> McrRules:
    rules = text(case, "rules") if case.get("rules") is not None else "mcr-1998"
    try:
        return rules_by_id(rules)
    except KeyError:
        raise CaseFormatError("rules", f"{rules!r} is no MCR rule set") from None


def _wind(case: Case, field: str) -> Tile | None:
    if case.get(field) is None:
        return None
    try:
        return Tile.from_code(text(case, field))
    except UnknownTileError as error:
        raise CaseFormatError(field, str(error)) from None


def _fan_counts(case: Case, field: str) -> FanCounts:
    return {
        OTHER_NAMES.get(name, name): as_whole_number(times, f"{field}.{name}")
        for name, times in as_object(case.get(field), field).items()
    }


def _lists_of_equal_total(
    rules: McrRules, hand: Hand, circumstances: Circumstances
) -> list[FanCounts]:
    """List the fan of every decomposition that scores as much as the best."""
    ranked = rules.evaluator.all(won_hand(hand, circumstances))
    flowers = flower_count(hand, circumstances)
    return [
        {
            OTHER_NAMES.get(line.zh, line.zh): line.count
            for line in fan_lines(rules.compiled, evaluation, flowers)
        }
        for evaluation in ranked
        if evaluation.points == ranked[0].points
    ]


def _same(wanted: Mapping[str, int], counted: Mapping[str, int]) -> bool:
    rest = [
        {zh: times for zh, times in fans.items() if zh not in TRADING} for fans in (wanted, counted)
    ]
    traded = [
        sum(times for zh, times in fans.items() if zh in TRADING) for fans in (wanted, counted)
    ]
    return rest[0] == rest[1] and traded[0] == traded[1]


def _fan_differences(wanted: Mapping[str, int], counted: Mapping[str, int]) -> list[str]:
    names = dict.fromkeys([*wanted, *counted])
    return [
        f"{zh}: expected x{wanted.get(zh, 0)}, got x{counted.get(zh, 0)}"
        for zh in names
        if wanted.get(zh, 0) != counted.get(zh, 0)
    ]


def _breakdown(score: Score) -> tuple[str, ...]:
    return (
        f"total {score.total}",
        *(f"{line.zh} x{line.count}" for line in score.fans),
        *(f"problem: {problem.message}" for problem in score.problems),
    )
