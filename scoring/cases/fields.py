"""Typed fields of JSON objects in the form of the scoring cases (../shared/cases/README.md).

The functions read one field each; what is not of the form raises an error that names the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import Hand, Meld, MeldKind
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
    """A case is not of the form described: `field` names the place, e.g. ``events[2].from``."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        self.message = message
        super().__init__(f"{field}: {message}")


def text(case: Case, field: str, where: str = "") -> str:
    """Read the string in `field`; `where` is put before the field's name in errors.

    Raises:
        CaseFormatError: when it is missing or no string.
    """
    value = case.get(field)
    if not isinstance(value, str):
        raise CaseFormatError(where + field, f"must be a string, got {value!r}")
    return value


def flag(case: Case, field: str, where: str = "") -> bool:
    """Read the boolean in `field`, False where it is absent or null.

    Raises:
        CaseFormatError: when it holds anything else.
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


def whole_number(case: Case, field: str, where: str = "", default: int | None = None) -> int:
    """Read the integer in `field`; `default`, if given, stands in for an absent or null one.

    Raises:
        CaseFormatError: when there is none, or something else.
    """
    value = case.get(field)
    if value is None and default is not None:
        return default
    return as_whole_number(value, where + field)


def as_whole_number(value: object, field: str) -> int:
    """Return the value as an integer; a float without a fraction will do.

    Raises:
        CaseFormatError: naming `field`, when it is none.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise CaseFormatError(field, f"must be a whole number, got {value!r}")
    return value


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
        raise CaseFormatError(field, str(error)) from None


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
