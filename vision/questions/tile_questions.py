"""Questions about single tiles of the photo in which likely hands differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import format_hand
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.questions.hand_questions import answer_option, question, tile_labels, tiles_of
from hupai.vision.questions.hypotheses import Hypotheses
from hupai.vision.questions.types import Hypothesis, Question, QuestionKind
from hupai.vision.types import Reading

_MAX_FACES = 4
"""Maximum number of faces in which two hands may differ for questions about single tiles."""
_SURE = 0.95
"""Confidence from which there is no question about a tile."""

Tiles = tuple[Tile, ...]
"""Tiles of a hand, sorted."""


@dataclass(frozen=True, slots=True)
class Swap:
    """Tiles of the likeliest hand, all of one face, that have another face in another hand.

    Attributes:
        ids: the tiles.
        face: their face in the likeliest hand.
        other: their face in the other hand.
    """

    ids: tuple[int, ...]
    face: Tile
    other: Tile


def tile_questions(reading: Reading, cases: Hypotheses, given: Circumstances) -> Iterator[Question]:
    """Yield a question for each tile in which likely hands differ.

    If the hands do not differ tile by tile, one question asks which hand it is.
    """
    parts = cases.partition(_tiles)
    if len(parts) < 2:
        return
    main = max(parts, key=lambda tiles: sum(h.weight for h in parts[tiles]))
    swaps = {tiles: _swaps(reading, main, tiles) for tiles in parts}
    places = {swap.ids: swap.face for found in swaps.values() for swap in found or ()}
    overlap = len({i for ids in places for i in ids}) < sum(map(len, places))
    if overlap or None in swaps.values():
        yield _whole_hand_question(reading, cases, given)
        return
    others = {(tiles, swap.ids): swap.other for tiles in parts for swap in swaps[tiles] or ()}
    for ids in sorted(places):
        yield _one_place_question(ids, places[ids], cases, others, given)


def _tiles(hypothesis: Hypothesis) -> Tiles:
    return tiles_of(hypothesis.source)


def _one_place_question(
    ids: tuple[int, ...],
    seen: Tile,
    cases: Hypotheses,
    others: dict[tuple[Tiles, tuple[int, ...]], Tile],
    given: Circumstances,
) -> Question:
    """Ask whether some tiles have the face that they have in the likeliest hand."""
    parts = cases.partition(lambda h: others.get((_tiles(h), ids), seen))
    options = [
        answer_option(face.code, tile_labels(face), part, given) for face, part in parts.items()
    ]
    if len(ids) == 1:
        words = (f"Is this tile {seen.code}?", f"这张牌是{ZH_NAMES[seen]}吗？")
    else:
        words = (f"Are these tiles {seen.code}?", f"这几张牌是{ZH_NAMES[seen]}吗？")
    return question(QuestionKind.TILE, words, options, cases.information(parts.values()), ids=ids)


def _whole_hand_question(reading: Reading, cases: Hypotheses, given: Circumstances) -> Question:
    """Ask which tiles the hand has."""
    parts = cases.partition(_tiles).values()
    options = []
    for part in parts:
        text = format_hand(part[0].source)
        options.append(answer_option(text, (text, text), part, given))
    ids = [t.id for t in reading.tiles if t.in_hand and t.confidence < _SURE]
    words = ("Which tiles are these?", "是哪些牌？")
    return question(QuestionKind.TILE, words, options, cases.information(parts), ids=ids)


def _swaps(reading: Reading, main: Tiles, tiles: Tiles) -> tuple[Swap, ...] | None:
    """Find the tiles in which two hands differ; None if that is ambiguous."""
    gone, come = Counter(main) - Counter(tiles), Counter(tiles) - Counter(main)
    if gone.total() != come.total() or len(gone) > _MAX_FACES:
        return None
    found = []
    for face, times in sorted(gone.items()):
        fitting = [
            (other, ids)
            for other in sorted(come)
            if come[other] == times and len(ids := _may_be(reading, face, other)) == times
        ]
        if len(fitting) != 1:
            return None
        other, ids = fitting[0]
        del come[other]
        found.append(Swap(ids, face, other))
    return tuple(found)


def _may_be(reading: Reading, face: Tile, other: Tile) -> tuple[int, ...]:
    """Find the tiles of one face that may have another face."""
    return tuple(
        tile.id
        for tile in reading.tiles
        if tile.in_hand and tile.tile is face and other in dict(tile.alternatives)
    )
