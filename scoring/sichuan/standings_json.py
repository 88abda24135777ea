"""A session's scores as JSON: ``{"scores": {name: points}, "penalties": {...}, "standard_points":
[...]}`` into typed values.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hupai.scoring.cases.fields import (
    DESCRIPTIVE_FIELDS,
    Case,
    CaseFormatError,
    as_number,
    as_object,
    as_sequence,
    as_whole_number,
)
from hupai.scoring.sichuan.standings import Result

_FIELDS = DESCRIPTIVE_FIELDS | {
    *("scores", "penalties", "fines", "standard_points"),
    *("penalty_counts", "penalty_count", "penalty_times", "players", "format"),
}


def refuse_unknown_fields(case: Case) -> None:
    """Refuse a field that a session does not have.

    Raises:
        CaseFormatError: naming it.
    """
    for field in case:
        if field not in _FIELDS:
            own = ", ".join(sorted(_FIELDS - DESCRIPTIVE_FIELDS))
            raise CaseFormatError(field, f"is no field of a session: use {own}")


def parse_standing(case: Case) -> tuple[list[Result], list[Fraction] | None]:
    """Read the results of a session and the organiser's scale, if one is given.

    Scores have fines already taken off. A player's `penalties` are a sum, a list of single fines,
    or an object with points and count; `penalty_counts` may give the number of fines apart.

    Raises:
        CaseFormatError: naming the field that is not as described.
    """
    listed = as_sequence(case.get("standard_points"), "standard_points")
    scale = [as_number(points, f"standard_points[{i}]") for i, points in enumerate(listed)]
    return list(_results(case)), scale or None


def _results(case: Case) -> Iterator[Result]:
    fines = as_object(case.get("penalties", case.get("fines")), "penalties")
    counted = next(
        (
            f
            for f in ("penalty_counts", "penalty_count", "penalty_times")
            if case.get(f) is not None
        ),
        "penalty_counts",
    )
    times = as_object(case.get(counted), counted)
    for player, score in as_object(case.get("scores"), "scores").items():
        fined, count = _fines(fines.get(player), f"penalties.{player}")
        if times.get(player) is not None:
            count = as_whole_number(times[player], f"{counted}.{player}")
        yield Result(player, as_whole_number(score, f"scores.{player}"), fined, count)


def _fines(value: object, field: str) -> tuple[int, int]:
    if value is None:
        return 0, 0
    if isinstance(value, dict):
        points = next((value[f] for f in ("points", "total", "sum", "amount") if f in value), 0)
        times = next(
            (value[f] for f in ("count", "times", "n", "number") if f in value), 1 if points else 0
        )
        return abs(as_whole_number(points, f"{field}.points")), as_whole_number(
            times, f"{field}.count"
        )
    if isinstance(value, list):
        single = [abs(as_whole_number(one, f"{field}[{i}]")) for i, one in enumerate(value)]
        return sum(single), len(single)
    points = abs(as_whole_number(value, field))
    return points, 1 if points else 0
