"""Arguments as people write them, made into values of scoring: rules, hands, tiles, circumstances.

Imports scoring alone, so that the command line starts quickly.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TypedDict

from hupai.api.contract.circumstances import DESCRIPTIONS
from hupai.api.facade.errors import ArgumentError, UnknownCircumstanceError
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.house_rules import load_house_rules
from hupai.scoring.notation import parse_hand
from hupai.scoring.notation.alphabets import glyph_code
from hupai.scoring.notation.chinese import in_codes
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import (
    Tile,
    UnknownTileError,
    suit_named,
    tiles_from_codes,
    wind_named,
)

RulesLike = str | os.PathLike[str] | RuleSet
"""A rule set: its id, the path of a house-rule file (``.toml``), or the rule set itself."""

TileLike = str | Tile
"""A tile: its code such as ``7p``, or the tile itself."""

SHORT_NAMES = {
    "seat_wind": "seat",
    "round_wind": "round",
    "void_suit": "void",
    "dora_indicators": "dora",
    "ura_indicators": "ura",
    "riichi_sticks": "sticks",
}
"""Circumstances that have a shorter name beside that of their field."""


class CircumstanceArguments(TypedDict, total=False):
    """How a hand was won, as keyword arguments; meaning: `hupai.Circumstances`."""

    self_drawn: bool
    last_tile: bool
    last_of_kind: bool
    kong_replacement: bool
    kong_discard: bool
    robbing_kong: bool
    seat: str | Tile | None
    seat_wind: str | Tile | None
    round: str | Tile | None
    round_wind: str | Tile | None
    flowers: int | None
    dealer: bool
    dealer_streak: int
    ready_declared: bool
    heavenly_ready: bool
    heavenly_win: bool
    opponents: int
    partner_play: bool
    void: str | None
    void_suit: str | None
    discarder_is_dealer: bool
    riichi: bool
    double_riichi: bool
    ippatsu: bool
    earthly_win: bool
    human_win: bool
    honba: int
    sticks: int
    riichi_sticks: int
    dora: str | tuple[Tile, ...]
    dora_indicators: str | tuple[Tile, ...]
    ura: str | tuple[Tile, ...]
    ura_indicators: str | tuple[Tile, ...]
    red_fives: int | None


def rules_of(rules: RulesLike) -> RuleSet:
    """Return the rule set that is named.

    Raises:
        UnknownRuleSetError: no rule set has this id.
        HouseRuleError: the file has mistakes.
        ArgumentError: the file cannot be read.
    """
    if not isinstance(rules, str | os.PathLike):
        return rules
    if not (isinstance(rules, os.PathLike) or rules.endswith(".toml")):
        return rule_sets.get(rules)
    try:
        return load_house_rules(Path(rules))
    except OSError as error:
        raise ArgumentError(f"{os.fspath(rules)}: {error.strerror or error}") from None


def hand_of(hand: str | Hand) -> Hand:
    """Return the hand that a text in any known notation describes; a hand is returned as it is.

    Raises:
        NotationError: with the position and what to write instead.
    """
    return parse_hand(hand) if isinstance(hand, str) else hand


def tile_of(tile: TileLike) -> Tile:
    """Return the tile with this code or Chinese name; upper and lower case of suits are the same.

    Raises:
        UnknownTileError: names the codes that exist.
        ArgumentError: neither a tile nor text.
    """
    if isinstance(tile, Tile):
        return tile
    if not isinstance(tile, str):
        raise ArgumentError(f"a tile is a code such as '7p', and not {type(tile).__name__}")
    code, _ = in_codes(tile.strip(), glyph_code)
    return Tile.from_code(code.lower() if len(code) == 2 else code)


def winning_tile_of(tile: TileLike) -> Tile:
    """Return the tile, which must be one of the 34 that a hand can win with.

    Raises:
        UnknownTileError: no tile has this code.
        ArgumentError: a flower or a tile face down.
    """
    won = tile_of(tile)
    if not won.is_playable:
        raise ArgumentError(f"{won.code!r} wins no hand: name one of the 34 playable tiles")
    return won


def wind_of(word: str) -> Tile:
    """Return the wind that a letter, an English or a Chinese word names.

    Raises:
        ArgumentError: the word names no wind.
    """
    wind = wind_named(word)
    if wind is None:
        raise ArgumentError(f"{word!r} is none of E, S, W, N")
    return wind


def suit_of(word: str) -> str:
    """Return the letter of the suit, ``m``, ``p`` or ``s``, that a word names.

    Raises:
        ArgumentError: the word names no suit.
    """
    suit = suit_named(word)
    if suit is None:
        raise ArgumentError(f"{word!r} is none of m, p, s")
    return suit


def indicators_of(tiles: str | Iterable[Tile]) -> tuple[Tile, ...]:
    """Return the tiles of a run such as ``3m5p``.

    Raises:
        ArgumentError: the text is not a run of the 34 tiles that make hands.
    """
    try:
        found = tiles_from_codes(tiles) if isinstance(tiles, str) else tuple(map(tile_of, tiles))
    except UnknownTileError as error:
        raise ArgumentError(str(error)) from None
    wrong = next((tile for tile in found if not tile.is_playable), None)
    if wrong is not None:
        raise ArgumentError(
            f"{wrong.code!r} cannot be an indicator: give one of the 34 playable tiles"
        )
    return found


def given_circumstances(given: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of `Circumstances` that keyword arguments give, under their full names.

    Raises:
        UnknownCircumstanceError: no circumstance has such a name.
        ArgumentError: a value cannot be one.
    """
    full = {short: name for name, short in SHORT_NAMES.items()}
    names = [field.name for field in fields(Circumstances)]
    found: dict[str, object] = {}
    for name, value in given.items():
        field = full.get(name, name)
        if field not in names:
            raise UnknownCircumstanceError(name, [SHORT_NAMES.get(one, one) for one in names])
        if field in found:
            raise ArgumentError(f"{name} and {SHORT_NAMES[field]} mean the same: give one of them")
        found[field] = _value(name, field, value)
    return found


def _value(name: str, field: str, value: object) -> object:
    """Return the value of a circumstance, checked against its description."""
    about = DESCRIPTIONS[field]
    if value is None and about.default is None:
        return None
    if about.type == "boolean":
        if not isinstance(value, bool):
            raise ArgumentError(f"{name}={value!r}: give True or False")
    elif about.type == "integer":
        low, high = about.minimum or 0, about.maximum or 0
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ArgumentError(f"{name}={value!r}: give a number from {low} to {high}")
    elif about.type == "tiles":
        return _indicators(name, value, about.maximum or 0)
    elif isinstance(value, Tile):
        return wind_of(value.code)
    elif isinstance(value, str):
        try:
            return suit_of(value) if field == "void_suit" else wind_of(value)
        except ArgumentError as error:
            raise ArgumentError(f"{name}: {error}") from None
    else:
        raise ArgumentError(f"{name}={value!r}: give a word such as 'E'")
    return value


def _indicators(name: str, value: object, most: int) -> tuple[Tile, ...]:
    if not isinstance(value, str | tuple | list):
        raise ArgumentError(f"{name}={value!r}: give tiles such as '3m5p'")
    try:
        found = indicators_of(value)
    except ArgumentError as error:
        raise ArgumentError(f"{name}: {error}") from None
    if len(found) > most:
        raise ArgumentError(f"{name}={value!r}: give {most} tiles at most")
    return found
