"""How dialects write tiles: one alphabet each, with a scanner and a writer.

`hupai.scoring.notation` reads and writes whole hands with these. Sources: the project's codes
(hupai.scoring.tiles), the riichi numbering ``1z``-``7z``, the tile words of PyMahjongGB (``W1 T1 B1
F1 J1 H1``), and the Unicode block U+1F000-U+1F02F.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import CODES, FLOWERS, PLAYABLE, Tile, run_of

Scan = Callable[[str, int], tuple[tuple[Tile, ...], int]]
"""Reads one run of tiles that begins at a position: its tiles and the position after it; raises
NotationError.
"""


class NotationError(HupaiError, ValueError):
    """A hand or a run of tiles that cannot be read, or that a dialect cannot say.

    Attributes:
        text: the whole text.
        position: index of the character where it went wrong.
        what: what is wrong there.
        advice: what to write instead.
    """

    def __init__(self, text: str, position: int, what: str, advice: str) -> None:
        self.text = text
        self.position = position
        self.what = what
        self.advice = advice
        super().__init__(f"{what} at character {position + 1} of {text!r}: {advice}")

    @property
    def message_zh(self) -> str:
        """The same in Chinese."""
        shown = self.text[self.position : self.position + 1]
        return (
            f"第{self.position + 1}个字符“{shown}”处读不出牌（{self.text}）：请写成"
            "一二三万四饼四饼东东东，或 123m44pEEE；副露写在[]内，暗杠写在()内，和牌张前加 +。"
        )


@dataclass(frozen=True, slots=True)
class Alphabet:
    """How a dialect writes tiles.

    Attributes:
        scan: reads a run.
        writer: writes one, suit by suit in the order given, from the tiles and those of its fives
            that are red.
        red_fives: it has a sign for a red five, ``0m``.
    """

    scan: Scan
    writer: Callable[[Sequence[Tile], Sequence[Tile]], str]
    red_fives: bool = False

    def write(self, tiles: Sequence[Tile], red_fives: Sequence[Tile] = ()) -> str:
        """Write a run of tiles, the first fives of each kind in `red_fives` as red ones."""
        return self.writer(tiles, red_fives)


_SUITS = {"m": PLAYABLE[:9], "p": PLAYABLE[9:18], "s": PLAYABLE[18:27], "h": FLOWERS}


def _scan_suited(honours: dict[str, Tile], zs: tuple[Tile, ...]) -> Scan:
    """Return a scanner of digits with their suit after them; ``0m`` is a five.

    Args:
        honours: letters that are a tile by themselves.
        zs: the tiles of suit ``z``; none if the dialect has no such suit.
    """
    suits = {**_SUITS, "z": zs} if zs else _SUITS
    ways = "1z to 7z" if zs else "E S W N C F P"
    advice = f"write digits and then their suit, as in 123m, and honours as {ways}"

    def tile(text: str, place: int, letter: str) -> Tile:
        digit = text[place]
        rank = 5 if digit == "0" and letter in "mps" else int(digit)
        if 1 <= rank <= len(suits[letter]):
            return suits[letter][rank - 1]
        hint = f"{letter} runs from 1 to {len(suits[letter])}"
        raise NotationError(text, place, f"there is no {digit}{letter}", hint)

    def scan(text: str, start: int) -> tuple[tuple[Tile, ...], int]:
        end = start
        while end < len(text) and text[end] in "0123456789":
            end += 1
        digits, letter = text[start:end], text[end : end + 1]
        if digits and letter in suits:
            return tuple([tile(text, place, letter) for place in range(start, end)]), end + 1
        if digits:
            raise NotationError(text, start, f"{digits!r} has no suit", advice)
        if letter in honours:
            return (honours[letter],), end + 1
        raise NotationError(text, start, f"{letter!r} is no tile", advice)

    return scan


def _scan_pairs(text: str, start: int) -> tuple[tuple[Tile, ...], int]:
    word = text[start : start + 2]
    if word in _PAIR_WORDS:
        return (_PAIR_WORDS[word],), start + 2
    raise NotationError(
        text, start, f"{word!r} is no tile", "write W1-W9, T1-T9, B1-B9, F1-F4, J1-J3, H1-H8"
    )


def _scan_unicode(text: str, start: int) -> tuple[tuple[Tile, ...], int]:
    tile = _GLYPHS.get(text[start])
    if tile is None:
        raise NotationError(
            text, start, f"{text[start]!r} is no tile", "use the characters U+1F000 to U+1F02B"
        )
    end = start + 1
    while end < len(text) and text[end] in VARIATION_SELECTORS:
        end += 1
    return (tile,), end


VARIATION_SELECTORS = "\ufe0e\ufe0f"

_RIICHI_Z = (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH, Tile.WHITE, Tile.GREEN, Tile.RED)

_UNICODE = "".join(
    [
        *(chr(0x1F007 + i) for i in range(9)),
        *(chr(0x1F019 + i) for i in range(9)),
        *(chr(0x1F010 + i) for i in range(9)),
        *(chr(0x1F000 + i) for i in range(7)),
        *(chr(0x1F026 + i) for i in range(4)),
        *(chr(0x1F022 + i) for i in range(4)),
        chr(0x1F02B),
    ]
)
"""The Unicode characters in class order; the block puts bamboo before dots and the plants before
the seasons.
"""

_GLYPHS = {glyph: Tile(index) for index, glyph in enumerate(_UNICODE)}


def glyph_code(char: str) -> str | None:
    """Return the project's code of a Unicode tile character; None for any other."""
    return _GLYPHS[char].code if char in _GLYPHS else None


_PAIRS: tuple[str, ...] = (
    *(f"{suit}{rank}" for suit in "WBT" for rank in range(1, 10)),
    *(f"F{rank}" for rank in range(1, 5)),
    *(f"J{rank}" for rank in range(1, 4)),
    *(f"H{rank}" for rank in range(1, 9)),
    "??",
)
_PAIR_WORDS = {word: Tile(index) for index, word in enumerate(_PAIRS)}

_LETTERS = {**{code: Tile.from_code(code) for code in "ESWNCFP"}, "?": Tile.BACK}
_RIICHI_WORDS = tuple(
    f"{_RIICHI_Z.index(Tile(i)) + 1}z" if Tile(i).is_honour else code
    for i, code in enumerate(CODES)
)

PROJECT = Alphabet(
    _scan_suited(_LETTERS, ()), lambda tiles, red: run_of(tiles, red_fives=red), red_fives=True
)
RIICHI = Alphabet(
    _scan_suited({"?": Tile.BACK}, _RIICHI_Z),
    lambda tiles, red: run_of(tiles, _RIICHI_WORDS, red),
    red_fives=True,
)
UNICODE = Alphabet(_scan_unicode, lambda tiles, _: "".join(_UNICODE[tile] for tile in tiles))
WORDS = Alphabet(_scan_pairs, lambda tiles, _: "".join(_PAIRS[tile] for tile in tiles))
