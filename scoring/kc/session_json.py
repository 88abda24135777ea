"""Typed values from KC seatings, winners and ready players in the form of the case files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    as_whole_number,
    text,
    whole_number,
)
from hupai.scoring.kc.session import HandEnd, KcSeating, KcWinner

_MULTIPLIER_FIELDS = ("multiplier", "best_multiplier", "times", "factor", "value", "points")


HAND_ENDS: dict[str, HandEnd] = {
    name: end
    for end, names in {
        HandEnd.DEALER_WINS: "dealer_wins dealer_win dealer_won 庄家和牌",
        HandEnd.NON_DEALER_WINS: (
            "non_dealer_wins non_dealer_win non_dealer_won other_wins 闲家和牌"
        ),
        HandEnd.EXHAUSTED: (
            "exhausted exhausted_wall exhaust wall_exhausted exhaustive_draw draw "
            "no_winner wall_empty 流局 流庄"
        ),
        HandEnd.FALSE_WIN: "false_win 诈和",
    }.items()
    for name in names.split()
}


def parse_seating(case: Case, winners: list[KcWinner]) -> tuple[KcSeating, str]:
    """Read the seating of a case that may name only the winners; others fill the seats left."""
    names = (
        list(as_object(case.get("players"), "players"))
        if isinstance(case.get("players"), Mapping)
        else []
    )
    names = names or [str(name) for name in as_sequence(case.get("players"), "players")]
    discarder = str(case.get("from", case.get("discarder", "discarder")))
    for name in (*(w.player for w in winners), discarder):
        if name not in names:
            names.append(name)
    names += [f"seat {i}" for i in range(len(names) + 1, 5)]
    dealer = parse_dealer(case, names)
    return KcSeating(
        tuple(names), dealer, whole_number(case, "dealer_streak", default=0)
    ), discarder


def parse_dealer(case: Case, names: list[str]) -> str:
    """Read who deals.

    That is the player whose role says so, or the field `dealer`, or else the first in turn.

    Raises:
        CaseFormatError: if roles are given and not exactly one is the dealer's.
    """
    players = case.get("players")
    if isinstance(players, Mapping):
        named = [str(name) for name, role in players.items() if role in ("dealer", "庄家", "庄")]
        if len(named) != 1:
            raise CaseFormatError("players", f"exactly one must be the dealer, got {named}")
        return named[0]
    dealer = case.get("dealer")
    if isinstance(dealer, str):
        return dealer
    return names[0]


def named_multipliers(value: object, field: str) -> Iterator[tuple[str, int]]:
    """Yield players with a multiplier each: an object by name, or a list of objects or numbers."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield str(name), _multiplier(one, f"{field}.{name}")
        return
    for i, one in enumerate(as_sequence(value, field)):
        at = f"{field}[{i}]"
        name = (
            str(one.get("player", one.get("name", f"winner_{i + 1}")))
            if isinstance(one, Mapping)
            else f"winner_{i + 1}"
        )
        yield name, _multiplier(one, at)


def _multiplier(value: object, field: str) -> int:
    if isinstance(value, Mapping):
        for name in _MULTIPLIER_FIELDS:
            if value.get(name) is not None:
                return as_whole_number(value[name], f"{field}.{name}")
        numbers = [
            one for one in value.values() if isinstance(one, int) and not isinstance(one, bool)
        ]
        if len(numbers) == 1:
            return numbers[0]
        raise CaseFormatError(
            field, f"say what the hand is worth: {', '.join(_MULTIPLIER_FIELDS[:2])}"
        )
    return as_whole_number(value, field)


def parse_ready(case: Case) -> Iterator[tuple[str, int]]:
    """Yield the ready players with their multipliers.

    Names are in `others_ready`, with the multiplier beside them or in a separate field.
    """
    value = case.get("others_ready", case.get("ready"))
    worth = as_object(
        next(
            (
                case[f]
                for f in ("ready_multipliers", "best_multipliers", "multipliers")
                if f in case
            ),
            None,
        ),
        "multipliers",
    )
    if isinstance(value, Mapping):
        yield from named_multipliers(value, "others_ready")
        return
    for i, one in enumerate(as_sequence(value, "others_ready")):
        if isinstance(one, str):
            yield one, _multiplier(worth.get(one), f"multipliers.{one}")
        else:
            named = as_object(one, f"others_ready[{i}]")
            yield (
                text(named, "player", f"others_ready[{i}]."),
                _multiplier(named, f"others_ready[{i}]"),
            )
