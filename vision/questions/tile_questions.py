"""Questions about single tiles: which likely hands differ in which tile of the photo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import format_hand
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.questions.hand_questions import answer_option, question, tile_labels, tiles_of
from hupai.vision.questions.hypotheses import Hypotheses, information
from hupai.vision.questions.types import Hypothesis, Question, QuestionKind
from hupai.vision.types import Reading, ReadTile

_MOST_SWAPS = 4
_UNSURE = 0.95

Tiles = tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """Tiles of the likeliest hand, all of one face, that may have another: their ids, the face, the
    other.
    """

    ids: tuple[int, ...]
    face: Tile
    other: Tile


def tile_questions(reading: Reading, cases: Hypotheses, given: Circumstances) -> Iterable[Question]:
    """A question for each tile in which likely hands differ; one about all tiles where they cannot
    be told apart tile by tile.
    """
    parts = {key: part for key, part in cases.partition(_tiles).items() if isinstance(key, tuple)}
    if len(parts) < 2:
        return
    main = max(parts, key=lambda tiles: sum(world.weight for world in parts[tiles]))
    swaps = {tiles: _swaps(reading, main, tiles) for tiles in parts}
    known = {tiles: {swap.ids: swap for swap in found or ()} for tiles, found in swaps.items()}
    places = sorted({ids for found in known.values() for ids in found})
    overlap = len({i for ids in places for i in ids}) < sum(map(len, places))
    if overlap or any(found is None for found in swaps.values()):
        yield _whole_hands(reading, cases, given)
        return
    for ids in places:
        yield _one_place(ids, cases, known, given)


def _tiles(world: Hypothesis) -> Tiles:
    return tiles_of(world.possibility.source)


def _one_place(
    ids: tuple[int, ...],
    cases: Hypotheses,
    known: dict[Tiles, dict[tuple[int, ...], Swap]],
    given: Circumstances,
) -> Question:
    seen = next(found[ids].face for found in known.values() if ids in found)
    parts = cases.partition(partial(_face_at, ids, seen, known))
    options = [
        answer_option(face.code, tile_labels(face), part, given)
        for face, part in parts.items()
        if isinstance(face, Tile)
    ]
    bits = information(cases.all, parts.values())
    if len(ids) == 1:
        words = (f"Is this tile {seen.code}?", f"这张牌是{ZH_NAMES[seen]}吗？")
    else:
        words = (f"Are these tiles {seen.code}?", f"这几张牌是{ZH_NAMES[seen]}吗？")
    return question(QuestionKind.TILE, words, options, bits, ids=ids)


def _face_at(
    ids: tuple[int, ...],
    seen: Tile,
    known: dict[Tiles, dict[tuple[int, ...], Swap]],
    world: Hypothesis,
) -> Tile:
    swap = known[_tiles(world)].get(ids)
    return seen if swap is None else swap.other


def _whole_hands(reading: Reading, cases: Hypotheses, given: Circumstances) -> Question:
    parts = cases.partition(_tiles)
    options = []
    for part in parts.values():
        text = format_hand(part[0].possibility.source)
        options.append(answer_option(text, (text, text), part, given))
    ids = [t.id for t in reading.tiles if t.in_hand and t.confidence < _UNSURE]
    words = ("Which tiles are these?", "是哪些牌？")
    return question(
        QuestionKind.TILE, words, options, information(cases.all, parts.values()), ids=ids
    )


def _swaps(reading: Reading, main: Tiles, tiles: Tiles) -> tuple[Swap, ...] | None:
    """The tiles of the photo that make the difference; None where that cannot be told."""
    gone = sorted((Counter(main) - Counter(tiles)).elements())
    come = sorted((Counter(tiles) - Counter(main)).elements())
    if len(gone) != len(come) or len(set(gone)) > _MOST_SWAPS:
        return None
    left = Counter(come)
    found = []
    for face, times in sorted(Counter(gone).items()):
        fitting = [
            (other, ids)
            for other in left
            if (ids := _places(reading, face, other, times)) and left[other] == times
        ]
        if len(fitting) != 1:
            return None
        other, ids = fitting[0]
        del left[other]
        found.append(Swap(ids, face, other))
    return tuple(found)


def _places(reading: Reading, face: Tile, other: Tile, times: int) -> tuple[int, ...]:
    """The tiles of this face that may be the other, if they are as many as that."""
    doubtful = [
        tile.id
        for tile in reading.tiles
        if tile.in_hand and tile.tile is face and _may_be(tile, other)
    ]
    return tuple(doubtful) if len(doubtful) == times else ()


def _may_be(tile: ReadTile, other: Tile) -> bool:
    return any(face is other for face, _ in tile.alternatives)
