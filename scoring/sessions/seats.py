"""What sessions of KC and MCR have in common: the table, winners, and hands that are scored."""

from __future__ import annotations

from collections.abc import Mapping

from hupai.scoring.cases.fields import (
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
    case_hand,
    flag,
    text,
    whole_number,
)
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.notation import NotationError, parse_hand
from hupai.scoring.result import RuleSet

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
        CaseFormatError: where they are not four different names.
    """
    listed = as_sequence(session.get("players"), "players")
    names = tuple(name for name in listed if isinstance(name, str) and name.strip())
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
    """Return whose tile won; None where it was drawn.

    Raises:
        CaseFormatError: where the deal says neither, or both.
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
        CaseFormatError: where neither is given, the hand does not win, or the two differ.
    """
    stated = [whole_number(one, name, f"{at}.") for name in names if one.get(name) is not None]
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
    score = rules.score(hand_of(one, at), Circumstances(**how))  # type: ignore[arg-type]
    if not score.legal:
        why = "; ".join(p.message for p in score.problems) or "no win"
        raise CaseFormatError(f"{at}.hand", f"is worth {score.total} and does not win: {why}")
    if stated and stated[0] != score.total:
        raise CaseFormatError(
            f"{at}.{names[0]}", f"is {stated[0]}, and the hand is worth {score.total}"
        )
    return score.total


def hand_of(one: Case, at: str) -> Hand:
    """Read the hand of a winner: an object as in the case files, or a text in notation.

    Raises:
        CaseFormatError: where it cannot be read.
    """
    value = one.get("hand")
    if not isinstance(value, str):
        return case_hand(as_object(value, f"{at}.hand"), f"{at}.hand.")
    try:
        return parse_hand(value)
    except NotationError as error:
        raise CaseFormatError(f"{at}.hand", str(error)) from None


def naming_deal(error: CaseFormatError, number: int) -> CaseFormatError:
    """Return the error with the number of its deal, from 1."""
    return CaseFormatError(error.field, f"deal {number}: {error.message}")
