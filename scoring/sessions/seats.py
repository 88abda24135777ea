"""What sessions have in common: the table, the deals, winners, and hands that are scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_number,
    as_object,
    as_sequence,
    flag,
    hand_in,
    is_name,
    text,
    whole_number,
)
from hupai.scoring.hand import Circumstances
from hupai.scoring.result import RuleSet, sentences

_FLAGS = {
    "last_tile": ("last_tile",),
    "last_of_kind": ("last_of_kind",),
    "kong_replacement": ("kong_draw", "kong_replacement"),
    "robbing_kong": ("robbing_kong", "robbed_kong"),
    "ready_declared": ("ready_declared",),
    "heavenly_ready": ("heavenly_ready",),
}
"""Fields of a win that set a circumstance."""

WIN_FIELDS = frozenset(
    {"type", "player", "from", "discarder", "self_drawn", "hand", "winners", "note"}
    | {name for names in _FLAGS.values() for name in names}
)
"""Fields that a win may have in every session."""


def four_players(session: Case) -> tuple[str, ...]:
    """Read the four players, east first.

    Raises:
        CaseFormatError: if they are not four different names.
    """
    listed = as_sequence(session.get("players"), "players")
    names = tuple(name for name in listed if is_name(name))
    if len(names) != 4 or len(listed) != 4 or len(set(names)) != 4:
        raise CaseFormatError(
            "players", f"must be four different names, east first, got {listed!r}"
        )
    return names


def refuse_unknown(given: Case, known: frozenset[str], at: str) -> None:
    """Refuse a misspelt field.

    Raises:
        CaseFormatError: naming it.
    """
    for field in given:
        if field not in known:
            where = f"{at}.{field}" if at else field
            raise CaseFormatError(where, f"is not known here: use {', '.join(sorted(known))}")


def at_table(name: str, players: tuple[str, ...], at: str) -> str:
    """Return the name of a player at the table.

    Raises:
        CaseFormatError: for any other name.
    """
    if name not in players:
        raise CaseFormatError(at, f"{name!r} is not at the table")
    return name


def claims_of(given: Case, at: str) -> list[tuple[Case, str]]:
    """List the winners of a deal with their places: ``winners``, or the deal's own ``player``."""
    listed = as_sequence(given.get("winners"), f"{at}.winners")
    if not listed:
        return [(given, at)]
    return [
        (as_object(one, f"{at}.winners[{i}]"), f"{at}.winners[{i}]") for i, one in enumerate(listed)
    ]


def discarder_of(given: Case, players: tuple[str, ...], at: str) -> str | None:
    """Return whose tile won; None if it was drawn.

    Raises:
        CaseFormatError: if the deal says neither, or both.
    """
    name = given.get("from", given.get("discarder"))
    drawn = flag(given, "self_drawn", f"{at}.")
    if name is None and not drawn:
        raise CaseFormatError(f"{at}.from", "say from whom the tile came, or set self_drawn")
    if name is not None and drawn:
        raise CaseFormatError(f"{at}.self_drawn", "a tile of another player is not self-drawn")
    return (
        None
        if name is None
        else at_table(
            text(given, "from" if "from" in given else "discarder", f"{at}."), players, f"{at}.from"
        )
    )


def worth(
    rules: RuleSet,
    one: Case,
    given: Case,
    circumstances: Mapping[str, object],
    names: tuple[str, ...],
    at: str,
) -> int:
    """Return what a winner's hand is worth: as stated, or as the hand scores.

    Raises:
        CaseFormatError: if neither is given, the hand does not win, or the two differ.
    """
    stated = [
        whole_number(one, name, f"{at}.", least=1) for name in names if one.get(name) is not None
    ]
    if one.get("hand") is None:
        if not stated:
            raise CaseFormatError(f"{at}.{names[0]}", "is missing: give it, or the hand")
        return stated[0]
    flags = {
        field: any(flag(given, name, f"{at}.") or flag(one, name, f"{at}.") for name in spellings)
        for field, spellings in _FLAGS.items()
    }
    known = {name: value for name, value in flags.items() if value and name in rules.circumstances}
    ignored = [name for name, value in flags.items() if value and name not in rules.circumstances]
    if ignored:
        raise CaseFormatError(f"{at}.{ignored[0]}", f"is no circumstance of {rules.id}")
    how: dict[str, object] = {**circumstances, **known}
    if one.get("flowers") is not None:
        how["flowers"] = whole_number(one, "flowers", f"{at}.")
    score = rules.score(hand_in(one.get("hand"), f"{at}.hand"), Circumstances(**how))  # type: ignore[arg-type]
    if not score.legal:
        why, why_zh = sentences(score.problems)
        raise CaseFormatError(
            f"{at}.hand",
            f"is worth {score.total} and does not win: {why}",
            f"值{score.total}，不能和：{why_zh}",
        )
    if stated and stated[0] != score.total:
        raise CaseFormatError(
            f"{at}.{names[0]}", f"is {stated[0]}, and the hand is worth {score.total}"
        )
    return score.total


def deals_of(session: Case, known: frozenset[str]) -> Iterator[tuple[int, Case, str]]:
    """Yield each deal with its number, from 1, and its place in the JSON.

    Raises:
        CaseFormatError: if a deal is not an object, or a field is not `known`.
    """
    for number, given in enumerate(as_sequence(session.get("deals"), "deals"), 1):
        at = f"deals[{number - 1}]"
        with naming_deal(number):
            deal = as_object(given, at)
            refuse_unknown(deal, known, at)
        yield number, deal, at


@contextmanager
def naming_deal(number: int) -> Iterator[None]:
    """Put the number of the deal, from 1, before what an error says."""
    try:
        yield
    except CaseFormatError as error:
        raise error.within(error.field, f"deal {number}: ", f"第{number}副") from None


def standard_points(session: Case, count: int) -> tuple[Fraction, ...]:
    """Read the organiser's standard points by place; none where the session does not set them.

    Raises:
        CaseFormatError: if they are not so many numbers.
    """
    listed = as_sequence(session.get("standard_points"), "standard_points")
    if listed and len(listed) != count:
        raise CaseFormatError("standard_points", f"must be {count} numbers, got {len(listed)}")
    return tuple(as_number(one, f"standard_points[{i}]") for i, one in enumerate(listed))
