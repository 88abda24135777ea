"""Projects detections to the table and finds duplicates, fragments and merged pairs of tiles.

A tile may get two boxes, or a second box around part of it. A tile detected as two halves may be
mistaken for a tile with another face: half a 4p looks like a 2p. The added tile of a kong and the
tile below may be detected as one, so that the kong is mistaken for a pung. The rest of the hand may
be consistent nevertheless.
"""

from __future__ import annotations

import math
from collections.abc import Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import (
    areas,
    centres,
    distances,
    pairwise_iou,
    pairwise_overlap,
)
from hupai.vision.geometry.flower_groups import with_flower_groups, with_flowers_beside
from hupai.vision.geometry.stacked_tiles import lowered
from hupai.vision.geometry.standing_rows import laid_down
from hupai.vision.geometry.table_tiles import Ground, ground_of, without
from hupai.vision.types import Detections

_SAME_MAX_DISTANCE = 0.32
"""Greatest distance between two boxes of one tile, centre to centre, tile widths."""
_SAME_MIN_IOU = 0.55
"""Least IoU of two boxes of one tile; boxes of rotated neighbours overlap less."""
_FRAGMENT_MAX_DISTANCE = 0.6
"""Greatest distance of a fragment's box from that of its tile, tile widths."""
_FRAGMENT_MIN_IOU = 0.25
"""Least IoU of a fragment's box with that of its tile."""
_FRAGMENT_MIN_SCORE_GAP = 0.05
"""Least difference of their scores."""
_MIN_AREA = 0.68
"""Ratio of a box's area to that expected below which it may contain part of a tile."""
_MAX_AREA = 1.5
"""Ratio above which a box may contain two tiles."""
_MAX_PART_AREA = 0.8
"""Ratio below which a box beside the hand may contain the other part of a tile."""
_WHOLE_AREA = 0.9
"""Ratio from which a box contains a whole tile, whatever lies beside it."""
_MIN_PART_OVERLAP = 0.1
"""Least share of the smaller box that such a box has in common with the tile's."""
_NEAREST = 4
"""Number of nearest tiles of the hand from which the local tile size is estimated."""
CLEAR_RECOVERED = 0.55
"""Score from which a low-confidence box, once tile recovery has classified it, is clear.

A clear back is tried as the fourth tile beside an open pung, and places beside it are proposed.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """The detections of a photo projected to the table.

    Attributes:
        detections: the confident ones, then those of low confidence.
        size: width and height of the photo, pixels; None if not known.
        confident: number of confident ones.
        ground: all except duplicates on the table.
        firm: `ground` without the low-confidence ones.
        duplicates: ids of second boxes around one tile.
    """

    detections: Detections
    size: tuple[int, int] | None
    confident: int
    ground: Ground
    firm: Ground
    duplicates: frozenset[int]

    @property
    def low_confidence(self) -> frozenset[int]:
        """Ids of the low-confidence detections."""
        return frozenset(range(self.confident, len(self.detections)))

    @property
    def laid_down(self) -> frozenset[int]:
        """Ids of the tiles of standing rows."""
        return frozenset(self.ground.ids[self.ground.laid_down].tolist())

    @property
    def clear(self) -> NDArray[np.bool_]:
        """Low-confidence tiles of `ground` that were clear when their box was classified, (n,)."""
        ground = self.ground
        return (ground.ids >= self.confident) & (ground.scores >= CLEAR_RECOVERED)

    def with_flowers_beside(self, hand: Set[int]) -> Placement:
        """Return these tiles with unclear ones beside a complete hand as flowers; self if none."""
        ground, classes = with_flowers_beside(self.ground, self.detections.probabilities, hand)
        if ground is self.ground:
            return self
        return replace(
            self,
            detections=replace(self.detections, probabilities=classes),
            ground=ground,
            firm=without(ground, self.low_confidence),
        )


def place(
    detections: Detections, size: tuple[int, int] | None, before: Placement | None = None
) -> Placement:
    """Project detections to the table and find duplicate boxes.

    Args:
        detections: confident ones, and low-confidence ones beside them.
        size: width and height of the photo, pixels, to find tiles cut by its edge.
        before: a placement of the same confident detections with other low-confidence ones, whose
            plane and duplicates are reused.
    """
    confident = len(detections)
    if detections.low_confidence is not None:
        detections = replace(detections, low_confidence=None).with_others(detections.low_confidence)
    ground = ground_of(detections, size, confident, before.ground.plane if before else None)
    clear = detections.clear_faces()[ground.ids] & (ground.ids < confident)
    ground = lowered(laid_down(ground, clear))
    low_confidence = frozenset(range(confident, len(detections)))
    if before is None:
        duplicates = _duplicates(without(ground, low_confidence), detections)
    else:
        duplicates = before.duplicates
    ground, classes = with_flower_groups(without(ground, duplicates), detections.probabilities)
    detections = replace(detections, probabilities=classes)
    firm = without(ground, low_confidence)
    return Placement(detections, size, confident, ground, firm, duplicates)


def _duplicates(ground: Ground, detections: Detections) -> frozenset[int]:
    """Find the boxes that duplicate a higher-scoring box, which is itself no duplicate."""
    order = np.lexsort((ground.ids, -ground.scores))
    ids, scores, places = ground.ids[order], ground.scores[order], ground.places[order]
    boxes = detections.boxes[ids]
    iou, apart = np.tril(pairwise_iou(boxes, boxes), -1), distances(places, places)
    weaker = scores - scores[:, None] > _FRAGMENT_MIN_SCORE_GAP
    same = (apart < _SAME_MAX_DISTANCE) & (iou > _SAME_MIN_IOU)
    same |= (apart < _FRAGMENT_MAX_DISTANCE) & (iou > _FRAGMENT_MIN_IOU) & weaker
    found = set[int]()
    for i, surer in np.argwhere(same).tolist():
        if surer not in found:
            found.add(i)
    return frozenset(ids[[*found]].tolist())


def size_outliers(table: Placement, hand: Set[int], ignored: Set[int]) -> tuple[int, ...]:
    """Find a hand's tiles whose boxes may contain part of a tile, or two tiles; ids in order.

    The area of each box is divided by that of a whole tile at its place on the table, and this
    ratio by the median ratio of the nearest tiles, because boxes may all be loose or tight.

    Args:
        table: the tiles.
        hand: ids of the hand's tiles.
        ignored: ids of low-confidence detections, which do not count as fragments.
    """
    ground, ids = table.ground, table.ground.ids
    held = np.nonzero(ground.among(hand))[0]
    if len(held) <= _NEAREST:
        return ()
    boxes = table.detections.boxes[ids]
    middles, ratios = centres(boxes), _area_ratios(ground)
    away = distances(middles, middles[held])
    away[held, np.arange(len(held))] = np.inf  # exclude the tile itself
    nearest = held[np.argsort(away, axis=1, kind="stable")[:, :_NEAREST]]
    local = np.median(ratios[:, nearest], axis=2)
    # A tile's axis may be unknown or wrong by a right angle: the direction that fits counts.
    share = np.exp((ratios - local)[np.abs(ratios - local).argmin(0), np.arange(len(ids))])
    odd = (share < _MIN_AREA) | (share > _MAX_AREA)
    skipped = ground.among(hand | ignored)
    parts = np.nonzero(~skipped & (areas(boxes) > 0) & (share < _MAX_PART_AREA))[0]
    beside = pairwise_overlap(boxes[parts], boxes[held]) > _MIN_PART_OVERLAP
    part = beside.any(0) & (share[held] < _WHOLE_AREA)
    return tuple(sorted(ids[held[odd[held] | part]].tolist()))


def _area_ratios(ground: Ground) -> NDArray[np.float64]:
    """Return the logarithm of the area of each box over that of a whole tile, shape (2, n).

    The first row is for the tile's axis, the second for the direction across it.
    """
    axes = np.nan_to_num(ground.axes)
    ratios: NDArray[np.float64] = np.stack(
        [ground.excess(axes + turn).sum(-1) for turn in (0.0, math.pi / 2)]
    )
    return ratios
