"""Typed fields of JSON objects in the form of the scoring cases (../shared/cases/README.md).

The functions read one field each; what is not of the form raises an error that names the field.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, TypeGuard

from hupai.scoring.cases.refusals import IN_CHINESE
from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import Hand, Meld, MeldKind
from hupai.scoring.notation import NotationError, parse_hand
from hupai.scoring.notation.alphabets import glyph_code
from hupai.scoring.notation.chinese import in_codes
from hupai.scoring.tiles import Tile, UnknownTileError, red_fives_in, tiles_from_codes

Case = Mapping[str, object]
"""One JSON object of a case file, as ``json.loads`` gives it."""

DESCRIPTIVE_FIELDS = frozenset(
    {
        "id",
        "kind",
        "clause",
        "working",
        "source",
        "rules",
        "expected",
        "note",
        "comment",
        "disputed_by",
    }
)
"""Fields that describe a case and say nothing about the game."""

_MELD_KINDS = {
    "chow": MeldKind.CHOW,
    "pung": MeldKind.PUNG,
    "kong": MeldKind.KONG,
    "ckong": MeldKind.CONCEALED_KONG,
    "concealed_kong": MeldKind.CONCEALED_KONG,
    "akong": MeldKind.ADDED_KONG,
    "added_kong": MeldKind.ADDED_KONG,
}


class CaseFormatError(HupaiError, ValueError):
    """A case does not have the described form.

    Attributes:
        field: the place, e.g. ``events[2].from``.
        message: what is wrong there.
        message_zh: the same in Chinese.
    """

    def __init__(self, field: str, message: str, message_zh: str | None = None) -> None:
        self.field = field
        self.message = _without_its_middle(message)
        self.message_zh = _without_its_middle(message_zh or IN_CHINESE.translated(self.message))
        super().__init__(f"{field}: {self.message}")

    def within(self, field: str, place: str, place_zh: str) -> CaseFormatError:
        """Return the error of the whole of which this was a part.

        Args:
            field: the place in the whole.
            place: put before the message, e.g. ``event 3: ``.
            place_zh: put before the Chinese one, e.g. 第3项.
        """
        stop = "" if re.match(r"第\d+[副项]", self.message_zh) else "："
        return CaseFormatError(
            field, f"{place}{self.message}", f"{place_zh}{stop}{self.message_zh}"
        )


_LONGEST = 1000
"""Maximum number of characters of a message; it may quote what was sent, which may be megabytes."""


def _without_its_middle(message: str) -> str:
    if len(message) <= _LONGEST:
        return message
    return f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"


def text(case: Case, field: str, where: str = "", known: Iterable[str] = ()) -> str:
    """Read the string in `field`; `where` is put before the field's name in errors, and where it is
    missing the `known` values are named.

    Raises:
        CaseFormatError: if it is missing or no string.
    """
    value = case.get(field)
    if value is None:
        values = ", ".join(known)
        message = f"is missing: use {values}" if values else "is missing"
        raise CaseFormatError(where + field, message)
    if not isinstance(value, str):
        raise CaseFormatError(where + field, f"must be a string, got {value!r}")
    return value


def is_name(value: object) -> TypeGuard[str]:
    """Return True for what can name a player: a text that is seen, without control characters."""
    return (
        isinstance(value, str)
        and bool(value.strip())
        and not any(unicodedata.category(character) == "Cc" for character in value)
    )


def flag(case: Case, field: str, where: str = "") -> bool:
    """Read the boolean in `field`, False if it is absent or null.

    Raises:
        CaseFormatError: if it holds anything else.
    """
    value = case.get(field)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise CaseFormatError(where + field, f"must be true or false, got {value!r}")
    return value


def flags(case: Case, names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Read every flag of a case: each circumstance is set if one of its fields is true.

    Args:
        case: the case.
        names: for each circumstance, a field of `Circumstances`, the case fields that set it.

    Raises:
        CaseFormatError: naming a field that is not boolean, or is true and no flag of these rules.
    """
    known = sorted(field for fields in names.values() for field in fields)
    for field, value in case.items():
        if value is True and field not in known and field not in DESCRIPTIVE_FIELDS:
            raise CaseFormatError(field, f"is no flag of these rules: use {', '.join(known)}")
    return {name: any(flag(case, field) for field in fields) for name, fields in names.items()}


def whole_number(
    case: Case,
    field: str,
    where: str = "",
    default: int | None = None,
    *,
    least: int | None = None,
    most: int | None = None,
) -> int:
    """Read the integer in `field`; `default`, if given, stands in for an absent or null one.

    Raises:
        CaseFormatError: if there is none, or something else, or it is out of bounds.
    """
    value = case.get(field)
    if value is None and default is not None:
        return default
    return as_whole_number(value, where + field, least=least, most=most)


def as_whole_number(
    value: object, field: str, *, least: int | None = None, most: int | None = None
) -> int:
    """Return the value as an integer; a float without a fraction will do.

    Raises:
        CaseFormatError: naming `field`, when it is none, or less than `least` or more than `most`.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise CaseFormatError(field, f"must be a whole number, got {value!r}")
    if least is not None and value < least:
        raise CaseFormatError(field, f"must be at least {least}, got {value}")
    if most is not None and value > most:
        raise CaseFormatError(field, f"must be at most {most}, got {value}")
    return value


def as_number(value: object, field: str) -> Fraction:
    """Return the value, an integer or a decimal number, exactly as it is written.

    Raises:
        CaseFormatError: naming `field`, when it is something else, infinite or not a number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise CaseFormatError(field, f"must be a number, got {value!r}")
    return Fraction(str(value))


def as_sequence(value: object, field: str) -> Sequence[object]:
    """Return the value as a JSON array, an absent one as an empty array.

    Raises:
        CaseFormatError: naming `field`, when it is something else.
    """
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise CaseFormatError(field, f"must be a list, got {value!r}")
    return value


def as_object(value: object, field: str) -> Mapping[str, object]:
    """Return the value as a JSON object, an absent one as an empty object.

    Raises:
        CaseFormatError: naming `field`, when it is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise CaseFormatError(field, f"must be an object, got {value!r}")
    return value


def tile_run(value: object, field: str) -> tuple[Tile, ...]:
    """Read a run of tiles such as ``123m55pEE``.

    Raises:
        CaseFormatError: naming `field`, for anything else.
    """
    if not isinstance(value, str):
        raise CaseFormatError(field, f"must be a run of tiles such as '123m55p', got {value!r}")
    try:
        return tiles_from_codes(in_codes(value, glyph_code)[0])
    except UnknownTileError as error:
        raise CaseFormatError(field, str(error), error.message_zh) from None


def case_meld(value: object, field: str) -> Meld:
    """Read a meld such as ``chow:123m``, ``pung:EEE``, ``kong:1111p`` or ``ckong:1111p``.

    Raises:
        CaseFormatError: naming `field`, when it is of another form.
    """
    if not isinstance(value, str) or ":" not in value:
        raise CaseFormatError(field, f"must look like 'pung:EEE', got {value!r}")
    kind, _, codes = value.partition(":")
    if kind not in _MELD_KINDS:
        raise CaseFormatError(field, f"{kind!r} is no kind of meld: use {', '.join(_MELD_KINDS)}")
    return Meld(_MELD_KINDS[kind], tile_run(codes, field), red_fives=red_fives_in(codes))


def case_hand(case: Case, where: str = "") -> Hand:
    """Read the hand of a case from `concealed` (without the winning tile), `melds` and `win_tile`.

    A hand that has not won has no `win_tile`.

    Raises:
        CaseFormatError: naming the field that is not as described.
    """
    won = case.get("win_tile")
    winning = () if won is None else tile_run(won, where + "win_tile")
    if len(winning) > 1:
        raise CaseFormatError(where + "win_tile", f"must be one tile, got {won!r}")
    melds = as_sequence(case.get("melds"), where + "melds")
    return Hand(
        concealed=tile_run(case.get("concealed"), where + "concealed"),
        melds=tuple(case_meld(meld, f"{where}melds[{i}]") for i, meld in enumerate(melds)),
        winning_tile=winning[0] if winning else None,
        red_fives=red_fives_in(f"{case.get('concealed')} {won}"),
    )


def hand_in(value: object, field: str) -> Hand:
    """Read a hand: an object in the form of the cases, or a text in notation.

    Raises:
        CaseFormatError: naming `field`, or the part of it that is wrong.
    """
    if not isinstance(value, str):
        return case_hand(as_object(value, field), f"{field}.")
    try:
        return parse_hand(value)
    except NotationError as error:
        raise CaseFormatError(field, str(error), error.message_zh) from None
