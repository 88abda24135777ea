"""How dialects write tiles: one alphabet each, with a scanner and a writer.

`hupai.scoring.notation` reads and writes whole hands with these. Sources: the project's codes
(hupai.scoring.tiles), the riichi numbering ``1z``-``7z``, the tile words of PyMahjongGB (``W1 T1 B1
F1 J1 H1``), and the Unicode block U+1F000-U+1F02F.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import CODES, Tile, run_of

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


@dataclass(frozen=True, slots=True)
class Alphabet:
    """How a dialect writes tiles: `scan` reads a run, `write` writes one, suit by suit in the order
    given.
    """

    scan: Scan
    write: Callable[[Sequence[Tile]], str]


def _scan_suited(honours: dict[str, Tile], zs: tuple[Tile, ...], red_fives: bool) -> Scan:
    advice = "write digits and then their suit, as in 123m, and honours as " + (
        "1z to 7z" if zs else "E S W N C F P"
    )

    def scan(text: str, start: int) -> tuple[tuple[Tile, ...], int]:
        end = start
        while end < len(text) and text[end] in "0123456789":
            end += 1
        letter = text[end] if end < len(text) else ""
        if end == start:
            if letter in honours:
                return (honours[letter],), end + 1
            raise NotationError(text, start, f"{letter!r} is no tile", advice)
        digits = text[start:end]
        if letter not in ("m", "p", "s", "h", "z") or (letter == "z" and not zs):
            raise NotationError(text, start, f"{digits!r} has no suit", advice)
        highest = {"h": 8, "z": 7}.get(letter, 9)
        tiles = []
        for offset, digit in enumerate(digits):
            rank = 5 if digit == "0" and red_fives and letter in "mps" else int(digit)
            if not 1 <= rank <= highest:
                hint = (
                    "a red five, 0m, is read in dialect riichi only"
                    if digit == "0"
                    else f"{letter} runs from 1 to {highest}"
                )
                raise NotationError(text, start + offset, f"there is no {digit}{letter}", hint)
            tiles.append(zs[rank - 1] if letter == "z" else Tile.from_code(f"{rank}{letter}"))
        return tuple(tiles), end + 1

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

PROJECT = Alphabet(_scan_suited(_LETTERS, (), red_fives=False), run_of)
RIICHI = Alphabet(
    _scan_suited({"?": Tile.BACK}, _RIICHI_Z, red_fives=True), partial(run_of, words=_RIICHI_WORDS)
)
UNICODE = Alphabet(_scan_unicode, lambda tiles: "".join(_UNICODE[tile] for tile in tiles))
WORDS = Alphabet(_scan_pairs, lambda tiles: "".join(_PAIRS[tile] for tile in tiles))
