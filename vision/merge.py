"""Several photos of one hand, read as one: glare spoils a tile on the first, the edge cuts the hand on the second.

The hand's tiles are put in the order they lie on each photo, and the orders are aligned like two spellings of a word (Needleman
and Wunsch 1970): what both photos show is one tile, with the product of both class distributions; what only one shows is kept where
a legal hand needs it. A photo that does not fit is left out, with a problem that says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.result import RuleSet
from vision.layout_types import Arrangement, Block, BlockKind, Layout
from vision.reading import read
from vision.reading_problems import errors_first, problem
from vision.types import Box, Detections, FloatArray, Reading

_GAP = -1.2
_LEAST_SHARE = 0.6
_LEAST_MEAN = -1.5
_FLOOR = 1e-4

Source = tuple[int, int]
"""A photo's number and the id of a tile on it."""


@dataclass(frozen=True, slots=True)
class MergedReading:
    """One reading of several photos.

    Attributes:
        reading: tiles of the hand and of the leading photo, each with the photos that show it.
        sources: for each tile id the places where it is seen, the leading photo first.
        leading: number of the photo the others were merged into; None where no photo shows a hand.
        left_out: numbers of the photos that show another hand, or none.
    """

    reading: Reading
    sources: tuple[tuple[Source, ...], ...]
    leading: int | None
    left_out: tuple[int, ...] = ()


@dataclass(slots=True)
class _Pool:
    """The leading photo's detections, growing by what others add."""

    boxes: list[FloatArray]
    scores: list[float]
    classes: list[FloatArray]
    axes: list[float]
    sources: list[list[Source]]

    def detections(self) -> Detections:
        """All of it as detections."""
        return Detections(
            np.asarray(self.boxes, np.float32).reshape(-1, 4),
            np.asarray(self.scores, np.float32),
            np.asarray(self.classes, np.float32).reshape(-1, 43),
            np.asarray(self.axes, np.float32),
        )


def merge(layouts: Sequence[Layout], rules: RuleSet | None = None) -> MergedReading:
    """Read several photos of one hand together.

    Args:
        layouts: one a photo, from `vision.layout.arrange`.
        rules: as in `vision.reading.read`.
    """
    usable = [k for k, layout in enumerate(layouts) if layout.arrangements]
    if not usable:
        first = layouts[0] if layouts else Layout(Detections.empty())
        reading = read(first, rules)
        return MergedReading(reading, tuple(((0, i),) for i in range(len(first.detections))), None, tuple(range(len(layouts))))
    leading = max(usable, key=lambda k: (len(layouts[k].arrangements[0].tiles), -len(layouts[k].cut), layouts[k].margin, -k))
    pool = _pool(layouts[leading], leading)
    merged, left_out = layouts[leading], [k for k in range(len(layouts)) if k not in usable]
    for k in usable:
        if k != leading:
            joined = _join(merged, layouts[k], k, pool)
            merged = joined or merged
            left_out += [] if joined else [k]
    reading = _placed(read(replace(merged, detections=pool.detections()), rules), pool.sources, layouts)
    if left_out:
        names = ", ".join(str(k + 1) for k in sorted(left_out))
        reading = replace(reading, certain=False, problems=errors_first([*reading.problems, problem("photos_differ", (), names)]))
    return MergedReading(reading, tuple(tuple(places) for places in pool.sources), leading, tuple(sorted(left_out)))


def _placed(reading: Reading, sources: Sequence[Sequence[Source]], layouts: Sequence[Layout]) -> Reading:
    """The reading with the photos on which each tile is seen, and where."""
    tiles = []
    for tile in reading.tiles:
        places = [(photo, _box(layouts[photo].detections, i)) for photo, i in sources[tile.id]]
        (photo, box), *elsewhere = places
        tiles.append(replace(tile, photo=photo, box=box, elsewhere=tuple(elsewhere)))
    return replace(reading, tiles=tuple(tiles))


def _box(found: Detections, i: int) -> Box:
    x0, y0, x1, y1 = (float(side) for side in found.boxes[i])
    return (x0, y0, x1, y1)


def _pool(layout: Layout, number: int) -> _Pool:
    found = layout.detections
    return _Pool(
        list(found.boxes),
        [float(s) for s in found.scores],
        list(found.probabilities),
        [float(a) for a in found.axes],
        [[(number, i)] for i in range(len(found))],
    )


def _join(base: Layout, other: Layout, number: int, pool: _Pool) -> Layout | None:
    """The base with another photo's tiles in the pool; None if the photo shows another hand."""
    ours, theirs = base.arrangements[0].tiles, other.arrangements[0].tiles
    pairs = _align(pool, ours, other.detections.probabilities, theirs)
    if pairs is None:
        return None
    for mine, its in pairs:
        pool.classes[mine] = _product(pool.classes[mine], other.detections.probabilities[its])
        pool.scores[mine] = max(pool.scores[mine], float(other.detections.scores[its]))
        pool.sources[mine].append((number, its))
    matched = {its for _, its in pairs}
    extra = {its: _append(pool, other.detections, its, number) for its in theirs if its not in matched}
    ways = base.arrangements
    if extra:
        longer = tuple(_lengthened(way, other.arrangements[0], extra) for way in ways)
        ways = tuple(Arrangement(way.blocks, way.log_weight - math.log(2)) for way in (*ways, *longer))
        ways = tuple(sorted(ways, key=lambda way: -way.log_weight))
    sideways = base.sideways | {extra[i] for i in other.sideways if i in extra}
    cut = tuple(i for i in base.cut if not extra and len(pool.sources[i]) == 1)
    return replace(base, arrangements=ways, sideways=sideways, cut=cut, margin=max(base.margin, other.margin))


def _append(pool: _Pool, found: Detections, i: int, number: int) -> int:
    """Take a tile only the other photo shows into the pool; its new id."""
    pool.boxes.append(found.boxes[i])
    pool.scores.append(float(found.scores[i]))
    pool.classes.append(found.probabilities[i])
    pool.axes.append(float(found.axes[i]))
    pool.sources.append([(number, i)])
    return len(pool.sources) - 1


def _lengthened(way: Arrangement, other: Arrangement, extra: dict[int, int]) -> Arrangement:
    """A grouping with the tiles only the other photo shows: whole blocks as they are there, single tiles to the concealed part."""
    added: list[Block] = []
    loose: list[int] = []
    for block in other.blocks:
        new = [i for i in block.tiles if i in extra]
        if new and len(new) == len(block.tiles) and block.kind is not BlockKind.CONCEALED:
            added.append(replace(block, tiles=tuple(extra[i] for i in block.tiles)))
        else:
            loose += [extra[i] for i in new]
    blocks = list(way.blocks)
    for k, block in enumerate(blocks):
        if loose and block.kind is BlockKind.CONCEALED:
            blocks[k] = replace(block, tiles=(*block.tiles, *loose))
            loose = []
    if loose:
        blocks.insert(0, Block(BlockKind.CONCEALED, tuple(loose)))
    return Arrangement((*blocks, *added), way.log_weight)


def _product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Two photos' class distributions of one tile together, as independent witnesses."""
    both = np.clip(a.astype(np.float64), _FLOOR, None) * np.clip(b.astype(np.float64), _FLOOR, None)
    result: FloatArray = (both / both.sum()).astype(np.float32)
    return result


def _align(pool: _Pool, ours: tuple[int, ...], theirs: FloatArray, ids: tuple[int, ...]) -> list[tuple[int, int]] | None:
    """Pairs of tiles that are the same, in the better of both directions; None if too few agree."""
    mine = np.clip(np.asarray([pool.classes[i] for i in ours], np.float64), _FLOOR, None)
    best: tuple[float, list[tuple[int, int]]] | None = None
    for order in (ids, ids[::-1]):
        its = np.clip(theirs[list(order)].astype(np.float64), _FLOOR, None)
        likeness = np.log(np.clip(mine @ its.T, _FLOOR, 1.0)) + 1.5
        score, pairs = _best_path(likeness)
        if best is None or score > best[0]:
            best = (score, [(ours[i], order[j]) for i, j in pairs])
    if best is None or len(best[1]) < _LEAST_SHARE * min(len(ours), len(ids)):
        return None
    rows = [float(np.log(np.clip(pool.classes[i].astype(np.float64) @ theirs[j], _FLOOR, 1.0))) for i, j in best[1]]
    return best[1] if sum(rows) / len(rows) > _LEAST_MEAN else None


def _best_path(likeness: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, list[tuple[int, int]]]:
    """Global alignment with free ends: highest sum of likeness of matched pairs, less a cost for each tile passed over between."""
    rows, columns = likeness.shape
    score = np.zeros((rows + 1, columns + 1))
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            down = score[i - 1, j] + (0.0 if j == columns else _GAP)
            right = score[i, j - 1] + (0.0 if i == rows else _GAP)
            score[i, j] = max(score[i - 1, j - 1] + likeness[i - 1, j - 1], down, right)
    pairs: list[tuple[int, int]] = []
    i, j = rows, columns
    while i > 0 and j > 0:
        if score[i, j] == score[i - 1, j - 1] + likeness[i - 1, j - 1]:
            pairs.append((i - 1, j - 1))
            i, j = i - 1, j - 1
        elif score[i, j] == score[i - 1, j] + (0.0 if j == columns else _GAP):
            i -= 1
        else:
            j -= 1
    return float(score[rows, columns]), pairs[::-1]
