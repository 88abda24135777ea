"""Several photos of one hand, read as one: glare spoils a tile on the first, the edge cuts the hand
on the second.

Where enough tiles show the same faces in the same places, the photos are laid over one another
(`hupai.vision.pipeline.registration`) and the tables become one, which is arranged anew. Else, as
when the hand was moved between the photos, its tiles are put in the order they lie, and the orders
are aligned like two spellings of a word (Needleman and Wunsch 1970); what only one photo shows is
then kept where a legal hand needs it. What both show is one tile, with the product of both class
distributions. A photo that fits neither way is left out, with a problem that says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hupai.scoring.result import RuleSet
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Arrangement, Block, BlockKind, Layout
from hupai.vision.pipeline.registration import register
from hupai.vision.reading.problem_catalogue import errors_first, problem
from hupai.vision.reading.read import read
from hupai.vision.types import Box, Detections, FloatArray, Reading

_GAP = -1.2
_LEAST_SHARE = 0.6
_LEAST_MEAN = -1.5
_FLOOR = 1e-4
_OVER = 0.5
"""Boxes that have more than this of the smaller in common are of one tile."""
_WHOLE = 1.3
"""A tile that is larger by this on another photo is cut or covered on this one."""

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
        layouts: one a photo, from `hupai.vision.layout.arrange.arrange`.
        rules: as in `hupai.vision.reading.read.read`.
    """
    if not any(len(layout.detections) for layout in layouts):
        first = layouts[0] if layouts else Layout(Detections.empty())
        return MergedReading(read(first, rules), (), None, tuple(range(len(layouts))))
    leading = max(
        range(len(layouts)),
        key=lambda k: (_shown(layouts[k]), -len(layouts[k].cut_by_edge), layouts[k].margin, -k),
    )
    pool = _pool(layouts[leading], leading)
    merged, left_out = layouts[leading], []
    others = [k for k in range(len(layouts)) if k != leading]
    over = [k for k in others if _lay_over(layouts[k].detections, k, pool)]
    if over:
        merged = arrange(pool.detections(), None, None if rules is None else rules.id)
        # What the edge cuts on the leading photo, or is faint or of an odd size there, still is,
        # unless another photo shows it.
        first = layouts[leading]
        seen_once = (
            tuple(i for i in ids if len(pool.sources[i]) == 1)
            for ids in (first.cut_by_edge, first.size_outliers, first.low_confidence)
        )
        cut, odd, faint = seen_once
        merged = replace(merged, cut_by_edge=cut, size_outliers=odd, low_confidence=faint)
    for k in others:
        if k not in over:
            joined = (
                _join(merged, layouts[k], k, pool)
                if merged.arrangements and layouts[k].arrangements
                else None
            )
            merged = joined or merged
            left_out += [] if joined else [k]
    reading = _placed(
        read(replace(merged, detections=pool.detections()), rules), pool.sources, layouts
    )
    if left_out:
        names = ", ".join(str(k + 1) for k in sorted(left_out))
        reading = replace(
            reading,
            certain=False,
            problems=errors_first([*reading.problems, problem("photos_differ", (), names)]),
        )
    return MergedReading(
        reading, tuple(tuple(places) for places in pool.sources), leading, tuple(sorted(left_out))
    )


def _shown(layout: Layout) -> tuple[int, int]:
    """How many tiles of a hand, and how many tiles."""
    return len(layout.arrangements[0].tiles) if layout.arrangements else 0, len(layout.detections)


def _lay_over(found: Detections, number: int, pool: _Pool) -> bool:
    """Take another photo's tiles in where they lie over the pool's; False if the photos do not fit
    over one another.
    """
    ours = pool.detections()
    fit = register(ours, found)
    if fit is None:
        return False
    same = {its: mine for mine, its in fit.pairs}
    places = np.asarray(pool.boxes, np.float64).reshape(-1, 4)
    for its in range(len(found)):
        mine = same.get(its, _under(fit.boxes[its], places))
        if mine is None:
            _append(pool, found, its, number)
            pool.boxes[-1], pool.axes[-1] = fit.boxes[its], float(fit.axes[its])
        elif _area(fit.boxes[its]) > _WHOLE * _area(places[mine]):
            # The edge or another thing hides part of it on the photo before: what shows it whole
            # counts.
            pool.boxes[mine], pool.axes[mine] = fit.boxes[its], float(fit.axes[its])
            pool.classes[mine], pool.scores[mine] = (
                found.probabilities[its],
                float(found.scores[its]),
            )
            pool.sources[mine].insert(0, (number, its))
        elif its in same:
            pool.classes[mine] = _product(pool.classes[mine], found.probabilities[its])
            pool.scores[mine] = max(pool.scores[mine], float(found.scores[its]))
            pool.sources[mine].append((number, its))
        elif (
            float(found.scores[its]) > pool.scores[mine]
            or pool.classes[mine].max() < found.probabilities[its].max()
        ):
            pool.classes[mine] = _product(pool.classes[mine], found.probabilities[its])
            pool.sources[mine].append((number, its))
    return True


def _under(
    box: FloatArray, places: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> int | None:
    """The tile of the pool that a box lies on, by the share of the smaller of both that they have
    in common.
    """
    shared = np.minimum(places[:, 2:], box[2:]) - np.maximum(places[:, :2], box[:2])
    common = np.prod(np.clip(shared, 0, None), axis=1)
    least = np.minimum(np.prod(places[:, 2:] - places[:, :2], axis=1), _area(box))
    share = common / np.maximum(least, 1e-9)
    best = int(share.argmax())
    return best if share[best] > _OVER else None


def _area(box: FloatArray) -> float:
    return float((box[2] - box[0]) * (box[3] - box[1]))


def _placed(
    reading: Reading, sources: Sequence[Sequence[Source]], layouts: Sequence[Layout]
) -> Reading:
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
    extra = {
        its: _append(pool, other.detections, its, number) for its in theirs if its not in matched
    }
    ways = base.arrangements
    if extra:
        longer = tuple(_lengthened(way, other.arrangements[0], extra) for way in ways)
        ways = tuple(
            Arrangement(way.blocks, way.log_weight - math.log(2)) for way in (*ways, *longer)
        )
        ways = tuple(sorted(ways, key=lambda way: -way.log_weight))
    sideways = base.sideways | {extra[i] for i in other.sideways if i in extra}
    cut = tuple(i for i in base.cut_by_edge if not extra and len(pool.sources[i]) == 1)
    odd, faint = (
        tuple(i for i in ids if len(pool.sources[i]) == 1)
        for ids in (base.size_outliers, base.low_confidence)
    )
    pairs_with_gap = tuple(
        pair for pair in base.pairs_with_gap if any(len(pool.sources[i]) == 1 for i in pair)
    )
    margin = max(base.margin, other.margin)
    return replace(
        base,
        arrangements=ways,
        sideways=sideways,
        cut_by_edge=cut,
        size_outliers=odd,
        low_confidence=faint,
        pairs_with_gap=pairs_with_gap,
        margin=margin,
    )


def _append(pool: _Pool, found: Detections, i: int, number: int) -> int:
    """Take a tile only the other photo shows into the pool; its new id."""
    pool.boxes.append(found.boxes[i])
    pool.scores.append(float(found.scores[i]))
    pool.classes.append(found.probabilities[i])
    pool.axes.append(float(found.axes[i]))
    pool.sources.append([(number, i)])
    return len(pool.sources) - 1


def _lengthened(way: Arrangement, other: Arrangement, extra: dict[int, int]) -> Arrangement:
    """A grouping with the tiles only the other photo shows: whole blocks as they are there, single
    tiles to the concealed part.
    """
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


def _align(
    pool: _Pool, ours: tuple[int, ...], theirs: FloatArray, ids: tuple[int, ...]
) -> list[tuple[int, int]] | None:
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
    rows = [
        float(np.log(np.clip(pool.classes[i].astype(np.float64) @ theirs[j], _FLOOR, 1.0)))
        for i, j in best[1]
    ]
    return best[1] if sum(rows) / len(rows) > _LEAST_MEAN else None


def _best_path(
    likeness: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> tuple[float, list[tuple[int, int]]]:
    """Global alignment with free ends: highest sum of likeness of matched pairs, less a cost for
    each tile passed over between.
    """
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
