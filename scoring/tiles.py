"""The tiles of a mahjong set.

One closed set of 43 values: 34 kinds that make hands, eight flowers, and the back of a tile that
lies face down. The order is that of the model's classes (models/classes.txt), so a tile is also its
own index into a class distribution or a count table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum, IntEnum
from functools import cache
from itertools import groupby
from typing import Literal

from hupai.scoring.errors import HupaiError


class Suit(Enum):
    """What family a tile belongs to; the value is the letter used in tile codes."""

    CHARACTERS = "m"
    DOTS = "p"
    BAMBOO = "s"
    WINDS = "w"
    DRAGONS = "d"
    FLOWERS = "h"
    BACK = "?"


class Tile(IntEnum):
    """A kind of tile; ``Tile.M5`` is the five of characters, ``Tile.M5.code`` its code ``"5m"``.

    The integer value is the class index: 0-8 characters, 9-17 dots, 18-26 bamboo, 27-30 winds
    E S W N, 31-33 dragons C F P, 34-37 seasons 春夏秋冬, 38-41 plants 梅兰竹菊, 42 a tile lying
    face down.
    """

    M1 = 0
    M2 = 1
    M3 = 2
    M4 = 3
    M5 = 4
    M6 = 5
    M7 = 6
    M8 = 7
    M9 = 8
    P1 = 9
    P2 = 10
    P3 = 11
    P4 = 12
    P5 = 13
    P6 = 14
    P7 = 15
    P8 = 16
    P9 = 17
    S1 = 18
    S2 = 19
    S3 = 20
    S4 = 21
    S5 = 22
    S6 = 23
    S7 = 24
    S8 = 25
    S9 = 26
    EAST = 27
    SOUTH = 28
    WEST = 29
    NORTH = 30
    RED = 31
    GREEN = 32
    WHITE = 33
    SPRING = 34
    SUMMER = 35
    AUTUMN = 36
    WINTER = 37
    PLUM = 38
    ORCHID = 39
    BAMBOO_PLANT = 40
    CHRYSANTHEMUM = 41
    BACK = 42

    @property
    def code(self) -> str:
        """The project's code for the tile: ``1m`` … ``9s``, ``E S W N C F P``, ``1h`` … ``8h``,
        ``?``.
        """
        return CODES[self]

    @property
    def suit(self) -> Suit:
        """The family of the tile."""
        return _SUITS[self]

    @property
    def rank(self) -> int:
        """1-9 in the three suits, 1-8 for flowers, 0 for winds, dragons and the back."""
        return _RANKS[self]

    @property
    def is_suited(self) -> bool:
        """True for characters, dots and bamboo."""
        return self < 27

    @property
    def is_honour(self) -> bool:
        """True for winds and dragons."""
        return 27 <= self < 34

    @property
    def is_flower(self) -> bool:
        """True for the eight flower tiles (seasons and plants)."""
        return 34 <= self < 42

    @property
    def is_playable(self) -> bool:
        """True for the 34 kinds that make hands: no flower, no back."""
        return self < 34

    def __str__(self) -> str:
        return CODES[self]

    def __bool__(self) -> Literal[True]:
        """The one of characters has the value 0, and ``tile or other`` must not pass it over."""
        return True

    @classmethod
    def from_code(cls, code: str) -> Tile:
        """Return the tile with this code.

        Raises:
            UnknownTileError: if no tile has the code; the message names it and the codes that
                exist.
        """
        try:
            return _BY_CODE[code]
        except KeyError:
            raise UnknownTileError(code) from None


class UnknownTileError(HupaiError, ValueError):
    """A code that no tile has."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(
            f"{code!r} is no tile: use 1m-9m, 1p-9p, 1s-9s, E S W N, C F P, 1h-8h, "
            "or ? for a tile face down"
        )

    @property
    def message_zh(self) -> str:
        """The same in Chinese."""
        return (
            f"没有“{self.code}”这种牌：请用 1m-9m、1p-9p、1s-9s、E S W N、C F P、1h-8h，"
            "或牌名如四万、东"
        )


CODES: tuple[str, ...] = (
    *(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)),
    *"ESWNCFP",
    *(f"{rank}h" for rank in range(1, 9)),
    "?",
)
"""Tile codes in class order."""

_BY_CODE = {code: Tile(index) for index, code in enumerate(CODES)}
_SUITS = tuple(
    [Suit.CHARACTERS] * 9
    + [Suit.DOTS] * 9
    + [Suit.BAMBOO] * 9
    + [Suit.WINDS] * 4
    + [Suit.DRAGONS] * 3
    + [Suit.FLOWERS] * 8
    + [Suit.BACK]
)
_RANKS: tuple[int, ...] = tuple([*range(1, 10)] * 3 + [0] * 7 + [*range(1, 9)] + [0])

PLAYABLE: tuple[Tile, ...] = tuple(Tile(i) for i in range(34))
FLOWERS: tuple[Tile, ...] = tuple(Tile(i) for i in range(34, 42))
WINDS: tuple[Tile, ...] = (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH)
DRAGONS: tuple[Tile, ...] = (Tile.RED, Tile.GREEN, Tile.WHITE)

ZH_NAMES: tuple[str, ...] = (
    *(f"{n}万" for n in "一二三四五六七八九"),
    *(f"{n}饼" for n in "一二三四五六七八九"),
    *(f"{n}条" for n in "一二三四五六七八九"),
    *"东南西北中发白春夏秋冬梅兰竹菊",
    "牌背",
)
"""Chinese names in class order."""


_WIND_WORDS = {
    word: tile
    for tile, words in zip(
        WINDS, ("E EAST 东 東", "S SOUTH 南", "W WEST 西", "N NORTH 北"), strict=True
    )
    for word in words.split()
}
_SUIT_WORDS = {
    word: letter
    for letter, words in {
        "m": "M CHARACTERS CHARACTER WAN 万 萬",
        "p": "P DOTS DOT TONG BING 饼 餅 筒",
        "s": "S BAMBOO BAMBOOS TIAO SUO 条 條 索",
    }.items()
    for word in words.split()
}


def wind_named(word: str) -> Tile | None:
    """Return the wind that a letter, an English or a Chinese word names; None if it names none."""
    return _WIND_WORDS.get(word.strip().upper())


def suit_named(word: str) -> str | None:
    """Return the letter of the suit that a letter or word names; None if it names none."""
    return _SUIT_WORDS.get(word.strip().upper())


FIVES: tuple[Tile, ...] = (Tile.M5, Tile.P5, Tile.S5)
"""The fives of the suits, of which some may be red."""


def run_of(
    tiles: Iterable[Tile], words: Sequence[str] = CODES, red_fives: Iterable[Tile] = ()
) -> str:
    """Write tiles as a run in the order given: 1m, 2m, 5p, E become ``12m5pE``.

    Args:
        tiles: the tiles.
        words: the word of each kind of tile, its suit after the first character.
        red_fives: fives that are red, one entry each; the first fives of their kinds are written
            ``0``.
    """
    red = list(red_fives)

    def word_of(tile: Tile) -> str:
        if tile not in red:
            return words[tile]
        red.remove(tile)
        return "0" + words[tile][1:]

    written = map(word_of, tiles) if red else (words[tile] for tile in tiles)
    suits = groupby(written, key=lambda word: word[1:])
    return "".join("".join(word[0] for word in run) + suit for suit, run in suits)


def red_fives_in(codes: str) -> tuple[Tile, ...]:
    """Return the red fives of a run of codes: ``"405m0p"`` has a red 5m and a red 5p."""
    runs = re.findall(r"(\d+)([mps])", codes)
    reds = (suit for digits, suit in runs for digit in digits if digit == "0")
    return tuple(Tile.from_code("5" + suit) for suit in reds)


@cache
def tiles_from_codes(codes: str) -> tuple[Tile, ...]:
    """Read a run in the project's codes: ``"123m55pEE"`` is 1m 2m 3m 5p 5p E E.

    A red five, ``0m``, is a five; `red_fives_in` says which are red.

    Only the project's own codes, without melds or marks; ``hupai.scoring.notation`` reads whole
    hands and other dialects.

    Raises:
        UnknownTileError: for a character that is not a tile, or digits without a suit.
    """
    tiles: list[Tile] = []
    digits = ""
    for char in codes:
        if char.isspace():
            continue
        if char in "0123456789":
            digits += char
        elif char in "mpsh":
            if not digits:
                raise UnknownTileError(char)
            fives = digits.replace("0", "5") if char in "mps" else digits
            tiles += [Tile.from_code(digit + char) for digit in fives]
            digits = ""
        else:
            if digits:
                raise UnknownTileError(digits + char)
            tiles.append(Tile.from_code(char))
    if digits:
        raise UnknownTileError(digits)
    return tuple(tiles)
