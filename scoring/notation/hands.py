"""Hands as text, in the project's notation and in those of other programs, both ways.

The project's own form (dialect ``hupai``)::

    23m55pEEE [567m,1] [1111p+,2] (9999s) 1h +1m

concealed runs; exposed sets in brackets, with ``,1`` left, ``,2`` across or ``,3`` right for the
player who discarded, ``+`` inside for a kong added to a pung; concealed kongs in parentheses;
flowers ``1h``-``8h`` anywhere outside; ``0m`` ``0p`` ``0s`` for a red five; ``+`` before the
winning tile. Without ``+`` the hand has not won (13 tiles) or the winning tile is not known (14).

`DIALECTS` is the table of all forms. Only what no reader could make sense of is an error here; five
of a tile or a set that is no set is read as written, and the rule sets report it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.notation.alphabets import (
    PROJECT,
    RIICHI,
    UNICODE,
    VARIATION_SELECTORS,
    WORDS,
    Alphabet,
    NotationError,
    glyph_code,
)
from hupai.scoring.notation.chinese import in_codes
from hupai.scoring.notation.detection import detect
from hupai.scoring.tiles import Tile, red_fives_in

__all__ = [
    "DIALECTS",
    "Dialect",
    "NotationError",
    "convert",
    "detect",
    "format_hand",
    "format_tiles",
    "parse_hand",
    "parse_tiles",
]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to write hands.

    Attributes:
        id: its name in calls and on the command line.
        description: who writes like this, and what the form cannot say.
        example: the same hand in every dialect.
        alphabet: how it writes tiles.
        read_meld: reads the meld that begins at a position, or None if no meld begins there.
        write_meld: writes one meld.
        winner_last: the winning tile is simply the last of 14 tiles, without a mark.
        simplify: what remains of a meld after it was written and read again: source and kind of
            kong where the form has no room.
    """

    id: str
    description: str
    example: str
    alphabet: Alphabet
    read_meld: Callable[[str, int], tuple[Meld, int] | None]
    write_meld: Callable[[Meld], str]
    simplify: Callable[[Meld], Meld] = lambda meld: meld
    winner_last: bool = False

    def simplify_hand(self, hand: Hand) -> Hand:
        """Return the hand as this dialect can say it; equal to the hand where nothing is lost."""
        melds = tuple(map(self.simplify, hand.melds))
        if self.alphabet.red_fives:
            return replace(hand, melds=melds)
        melds = tuple(replace(meld, red_fives=()) for meld in melds)
        return replace(hand, melds=melds, red_fives=())


def parse_hand(text: str, dialect: str = "auto") -> Hand:
    """Read the hand that a text describes.

    Args:
        text: the hand, Chinese tile names mixed with codes or not: 东东东 一二三万 4饼4饼 +5m.
        dialect: a key of `DIALECTS`, or ``auto`` to take the one that `detect` sees.

    Raises:
        NotationError: with the position and advice.
        UnknownDialectError: for a dialect that is not in the table.
    """
    if dialect not in ("auto", "hupai"):
        return _parse(text, _dialect(dialect))
    codes, places = in_codes(text, glyph_code)
    try:
        return _parse(codes, _dialect(detect(codes) if dialect == "auto" else dialect))
    except NotationError as error:
        if codes == text:
            raise
        place = places[error.position]
        shown = repr(codes[error.position : error.position + 1])
        what = error.what.replace(shown, repr(text[place : place + 1]))
        raise NotationError(text, place, what, error.advice) from None


def _parse(text: str, form: Dialect) -> Hand:
    """Read the hand that a text in one dialect describes."""
    concealed: list[Tile] = []
    flowers: list[Tile] = []
    melds: list[Meld] = []
    red: tuple[Tile, ...] = ()
    winning: Tile | None = None
    at = 0
    while (at := _skip_space(text, at)) < len(text):
        meld = form.read_meld(text, at)
        if meld is not None:
            melds.append(meld[0])
            at = meld[1]
        elif text[at] == "+":
            if winning is not None:
                raise NotationError(text, at, "a second winning tile", "mark one tile with +")
            winning, end = _winning_tile(form, text, at)
            red, at = red + _red_fives(form.alphabet, text[at:end]), end
        else:
            tiles, end = form.alphabet.scan(text, at)
            red, at = red + _red_fives(form.alphabet, text[at:end]), end
            flowers += [tile for tile in tiles if tile.is_flower]
            concealed += [tile for tile in tiles if not tile.is_flower]
    if not (concealed or melds or winning is not None):
        raise NotationError(text, 0, "no tile", f"write a hand, as in {form.example}")
    if form.winner_last and winning is None and len(concealed) + 3 * len(melds) == 14:
        winning = concealed.pop()
    return Hand(tuple(concealed), tuple(melds), winning, tuple(flowers), tuple(sorted(red)))


def format_hand(hand: Hand, dialect: str = "hupai") -> str:
    """Write a hand: concealed tiles in their order, melds, flowers, winning tile.

    Raises:
        NotationError: if the dialect cannot say it: a winning tile not known among 14, where the
            last tile counts as it.
        UnknownDialectError: for a dialect that is not in the table.
    """
    form = _dialect(dialect)
    write = form.alphabet.write
    inside, red_won = hand.written_red_fives()
    concealed = write(hand.concealed, inside)
    melds = [form.write_meld(meld) for meld in hand.melds]
    flowers = write(hand.flowers)
    won = () if hand.winning_tile is None else (hand.winning_tile,)
    if not form.winner_last:
        return " ".join(
            part for part in [concealed, *melds, flowers, won and "+" + write(won, red_won)] if part
        )
    if bool(won) != (hand.size == 14):
        raise NotationError(
            "",
            0,
            f"dialect {form.id} cannot say this hand",
            "it has room for 13 tiles and the winning tile only",
        )
    tiles = write(hand.concealed + won, inside + red_won)
    return " ".join(part for part in [*melds, flowers, tiles] if part)


def parse_tiles(text: str, dialect: str = "hupai") -> tuple[Tile, ...]:
    """Read a row of tiles without melds or marks, such as discards that lie in view.

    Raises the errors of `parse_hand`.
    """
    form = _dialect(dialect)
    if dialect == "hupai":
        text, _ = in_codes(text, glyph_code)
    tiles: list[Tile] = []
    at = 0
    while (at := _skip_space(text, at)) < len(text):
        run, at = form.alphabet.scan(text, at)
        tiles += run
    return tuple(tiles)


def format_tiles(tiles: Sequence[Tile], dialect: str = "hupai") -> str:
    """Write a row of tiles in the order given."""
    return _dialect(dialect).alphabet.write(tiles)


def convert(text: str, source: str, target: str) -> str:
    """Rewrite a hand in another dialect; `Dialect.description` says what that cannot say."""
    return format_hand(parse_hand(text, source), target)


class UnknownDialectError(HupaiError, ValueError):
    """A dialect that is not in `DIALECTS`."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no dialect {name!r}: use {', '.join(DIALECTS)}")


def _dialect(name: str) -> Dialect:
    try:
        return DIALECTS[name]
    except KeyError:
        raise UnknownDialectError(name) from None


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and (text[at].isspace() or text[at] in VARIATION_SELECTORS):
        at += 1
    return at


def _red_fives(alphabet: Alphabet, run: str) -> tuple[Tile, ...]:
    """Return the red fives of a run of tiles."""
    return red_fives_in(run) if alphabet.red_fives else ()


def _winning_tile(form: Dialect, text: str, plus: int) -> tuple[Tile, int]:
    start = _skip_space(text, plus + 1)
    if start >= len(text):
        raise NotationError(text, plus, "no tile after +", "write the winning tile, as in +5m")
    tiles, end = form.alphabet.scan(text, start)
    if len(tiles) != 1:
        raise NotationError(
            text,
            start,
            f"{len(tiles)} winning tiles",
            "write one tile after +; the others belong before it",
        )
    return tiles[0], end


_SOURCES = {"1": Source.LEFT, "2": Source.ACROSS, "3": Source.RIGHT}
_NUMBERS = {source: number for number, source in _SOURCES.items()}


def _claimed(tiles: tuple[Tile, ...], source: Source | None) -> Meld:
    """Return the exposed set that tiles make.

    Whatever is neither pung nor kong is taken for a chow; the rule sets check it.
    """
    if len(set(tiles)) == 1 and len(tiles) in (3, 4):
        return Meld(MeldKind.PUNG if len(tiles) == 3 else MeldKind.KONG, tiles, source)
    return Meld(MeldKind.CHOW, tuple(sorted(tiles)), source)


def _tiles_until(
    alphabet: Alphabet, text: str, start: int, closers: str
) -> tuple[tuple[Tile, ...], int]:
    tiles: tuple[Tile, ...] = ()
    at = _skip_space(text, start)
    while at < len(text) and text[at] not in closers:
        run, at = alphabet.scan(text, at)
        tiles += run
        at = _skip_space(text, at)
    if at >= len(text):
        raise NotationError(
            text,
            start - 1,
            f"{text[start - 1]!r} is never closed",
            f"end the set with {closers[-1]}",
        )
    if not tiles:
        raise NotationError(text, start, "an empty set", "write its tiles between the brackets")
    return tiles, at


_MARKS = re.compile(r"\s*(\+?)\s*(?:,\s*([1-7]))?\s*\]")
"""What ends a set in brackets: ``+`` for an added tile, the number of the player."""

_Claims = dict[str | None, tuple[Source | None, bool]]
"""By the number at the end of a set: from whom it was claimed, and whether its kong was added."""

_CLAIMS: _Claims = {
    None: (None, False),
    **{number: (source, False) for number, source in _SOURCES.items()},
}
_CALCULATOR_CLAIMS: _Claims = _CLAIMS | {
    "5": (Source.LEFT, True),
    "6": (Source.ACROSS, True),
    "7": (Source.RIGHT, True),
}


def _read_claimed(
    alphabet: Alphabet, claims: _Claims, text: str, at: int
) -> tuple[Meld, int] | None:
    """Read a set in square brackets."""
    if text[at] != "[":
        return None
    tiles, end = _tiles_until(alphabet, text, at + 1, "+,]")
    marks = _MARKS.match(text, end)
    if marks is None or marks[2] not in claims:
        advice = "end a set with ,1 left, ,2 across or ,3 right, and ]"
        raise NotationError(text, end, "a mark that is not known", advice)
    source, added = claims[marks[2]]
    meld = replace(_claimed(tiles, source), red_fives=_red_fives(alphabet, text[at:end]))
    if added or marks[1]:
        if meld.kind is not MeldKind.KONG:
            what = "an added tile in a set that is no kong"
            raise NotationError(text, end, what, "keep + for four equal tiles")
        meld = replace(meld, kind=MeldKind.ADDED_KONG)
    return meld, marks.end()


def _read_brackets(alphabet: Alphabet) -> Callable[[str, int], tuple[Meld, int] | None]:
    """Return a reader of ``[…]`` and, for concealed kongs, ``(…)``."""

    def read(text: str, at: int) -> tuple[Meld, int] | None:
        if text[at] != "(":
            return _read_claimed(alphabet, _CLAIMS, text, at)
        tiles, end = _tiles_until(alphabet, text, at + 1, ")")
        red = _red_fives(alphabet, text[at:end])
        return Meld(MeldKind.CONCEALED_KONG, tiles, red_fives=red), end + 1

    return read


def _read_calculator(text: str, at: int) -> tuple[Meld, int] | None:
    """Read ``[…]``: a kong without a number is concealed, 5 to 7 mark an added one."""
    found = _read_claimed(PROJECT, _CALCULATOR_CLAIMS, text, at)
    if found is None:
        return None
    meld, end = found
    if meld.kind is MeldKind.KONG and meld.claimed_from is None:
        meld = replace(meld, kind=MeldKind.CONCEALED_KONG)
    elif meld.kind is MeldKind.CHOW and meld.claimed_from is not None:
        meld = replace(meld, claimed_from=Source.LEFT)
    return meld, end


def _write_brackets(alphabet: Alphabet) -> Callable[[Meld], str]:
    def write(meld: Meld) -> str:
        written = alphabet.write(meld.tiles, meld.red_fives)
        return str(meld).replace(PROJECT.write(meld.tiles, meld.red_fives), written, 1)

    return write


def _write_calculator(meld: Meld) -> str:
    tiles = PROJECT.write(meld.tiles, meld.red_fives)
    if meld.is_concealed:
        return f"[{tiles}]"
    number = 0 if meld.claimed_from is None else int(_NUMBERS[meld.claimed_from])
    if meld.is_kong:
        return f"[{tiles},{max(number, 1) + (4 if meld.kind is MeldKind.ADDED_KONG else 0)}]"
    if meld.kind is MeldKind.CHOW:
        number = min(number, 1)
    return f"[{tiles},{number}]" if number else f"[{tiles}]"


def _simplify_calculator(meld: Meld) -> Meld:
    if meld.kind is MeldKind.CHOW:
        return replace(meld, claimed_from=meld.claimed_from and Source.LEFT)
    if meld.is_kong and not meld.is_concealed:
        return replace(meld, claimed_from=meld.claimed_from or Source.LEFT)
    return meld


def _read_words(text: str, at: int) -> tuple[Meld, int] | None:
    word = re.compile(r"(CHI|PENG|GANG):([WBTFJ][1-9]),([0-3])").match(text, at)
    if word is None:
        if re.compile(r"[A-Z]{2}").match(text, at):
            raise NotationError(
                text,
                at,
                "a meld that is not known",
                "write CHI:W2,1 (the middle tile), PENG:F1,2 or GANG:J1,0",
            )
        return None
    tile = WORDS.scan(text, word.start(2))[0][0]
    source = _SOURCES.get(word[3])
    if word[1] == "CHI":
        if not (tile.is_suited and 2 <= tile.rank <= 8):
            raise NotationError(
                text,
                word.start(2),
                f"{word[2]} is no middle of a chow",
                "name the middle tile, 2 to 8 of a suit",
            )
        return Meld(
            MeldKind.CHOW, (Tile(tile - 1), tile, Tile(tile + 1)), source and Source.LEFT
        ), word.end()
    if word[1] == "PENG":
        return Meld(MeldKind.PUNG, (tile,) * 3, source), word.end()
    return Meld(
        MeldKind.KONG if source else MeldKind.CONCEALED_KONG, (tile,) * 4, source
    ), word.end()


def _write_words(meld: Meld) -> str:
    number = "0" if meld.claimed_from is None else _NUMBERS[meld.claimed_from]
    if meld.kind is MeldKind.CHOW:
        return f"CHI:{WORDS.write(sorted(meld.tiles)[1:2])},{min(number, '1')}"
    if not meld.is_kong:
        return f"PENG:{WORDS.write(meld.tiles[:1])},{number}"
    return f"GANG:{WORDS.write(meld.tiles[:1])},{'0' if meld.is_concealed else max(number, '1')}"


def _simplify_words(meld: Meld) -> Meld:
    simple = _simplify_calculator(meld)
    return replace(simple, kind=MeldKind.KONG) if meld.kind is MeldKind.ADDED_KONG else simple


_CASE_KINDS = {
    "chow": MeldKind.CHOW,
    "pung": MeldKind.PUNG,
    "kong": MeldKind.KONG,
    "ckong": MeldKind.CONCEALED_KONG,
}
_CASE_WORDS = {kind: word for word, kind in _CASE_KINDS.items()} | {MeldKind.ADDED_KONG: "kong"}


def _read_case(text: str, at: int) -> tuple[Meld, int] | None:
    word = re.compile(r"(\w*):(\S*)").match(text, at)
    if word is None:
        return None
    if word[1] not in _CASE_KINDS or not word[2]:
        raise NotationError(
            text,
            at,
            f"{word[0]!r} is no meld",
            "write chow:123m, pung:EEE, kong:1111p or ckong:1111p",
        )
    end = word.start(2)
    tiles: tuple[Tile, ...] = ()
    while end < word.end():
        run, end = PROJECT.scan(text, end)
        tiles += run
    red = _red_fives(PROJECT, text[word.start(2) : end])
    return Meld(_CASE_KINDS[word[1]], tuple(sorted(tiles)), red_fives=red), end


def _brackets(name: str, description: str, example: str, alphabet: Alphabet) -> Dialect:
    return Dialect(
        name,
        description,
        example,
        alphabet,
        _read_brackets(alphabet),
        _write_brackets(alphabet),
    )


DIALECTS: dict[str, Dialect] = {
    dialect.id: dialect
    for dialect in (
        _brackets("hupai", "the project's own form", "23m55pEEE [567m,1] (9999s) 1h +1m", PROJECT),
        _brackets(
            "riichi",
            "honours 1z-7z: east south west north white green red",
            "23m55p111z [567m,1] (9999s) 1h +1m",
            RIICHI,
        ),
        _brackets(
            "unicode", "the characters U+1F000 to U+1F02B", "🀈🀉🀝🀝🀀🀀🀀 [🀋🀌🀍,1] (🀘🀘🀘🀘) 🀦 +🀇", UNICODE
        ),
        Dialect(
            "mcr",
            "MCR calculators: the last of 14 tiles won; [9999s] is a concealed kong, with ,1-,3 an "
            "exposed one, with ,5-,7 an "
            "added one; a chow's number says which tile was claimed and is not kept; an exposed "
            "kong of unknown source becomes ,1",
            "[567m,1] [9999s] 1h 23m55pEEE1m",
            PROJECT,
            _read_calculator,
            _write_calculator,
            _simplify_calculator,
            winner_last=True,
        ),
        Dialect(
            "mahjonggb",
            "the tile words and packs of PyMahjongGB; a chow is named by its middle tile; an added "
            "kong becomes an exposed one",
            "W2W3B5B5F1F1F1 CHI:W6,1 GANG:T9,0 H1 +W1",
            WORDS,
            _read_words,
            _write_words,
            _simplify_words,
        ),
        Dialect(
            "cases",
            "the form of scoring case files; no source of a claim, an added kong is a kong",
            "23m55pEEE chow:567m ckong:9999s 1h +1m",
            PROJECT,
            _read_case,
            lambda meld: f"{_CASE_WORDS[meld.kind]}:{PROJECT.write(meld.tiles, meld.red_fives)}",
            lambda meld: Meld(
                MeldKind.KONG if meld.kind is MeldKind.ADDED_KONG else meld.kind,
                tuple(sorted(meld.tiles)),
                red_fives=meld.red_fives,
            ),
        ),
    )
}
