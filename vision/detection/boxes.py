"""Arithmetic of boxes: overlap, suppression of doubles, and the way into and out of a network's
square input.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.crops import FILL
from hupai.vision.types import Detections, FloatArray, Image

STRIDE = 32
LONGER = 1.6
"""A box this many times as long as the median one may go around several tiles."""
LARGER = 1.75
"""One this many times as large may go around two,"""
APART, LEVEL = 0.35, 0.2
"""whose middles are so far apart, as a share of its longer side, and no further off each other, as
a share of its shorter.
"""
ONE_MIDDLE = 0.55
"""Boxes whose middles are nearer than this, by the shorter side of one, are around one tile: rows
that lie askew by 45 degrees have tiles 0.6 of a box's side apart.
"""
MAX_LOW_CONFIDENCE = 12
"""So many boxes are kept apart at most; each costs a crop."""
LOW_CONFIDENCE_MAX_OVERLAP = 0.3
"""A box that shares more than this part of either's area with a tile is a part of it or a second
look at it.
"""
LOW_CONFIDENCE_MAX_DISTANCE = 2.2
"""Lengths of a tile from the middle of one within which a low-confidence box is kept."""
LOW_CONFIDENCE_MAX_AREA_RATIO = 2.2
"""It is at most so many times as large or as small."""


def intersections(box: NDArray[np.floating], others: NDArray[np.floating]) -> FloatArray:
    """Areas that a box, shape (4,), shares with others, shape (n, 4)."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    out: FloatArray = np.clip(high - low, 0, None).prod(1).astype(np.float32)
    return out


def suppress(boxes: FloatArray, scores: FloatArray, iou: float, inside: float) -> NDArray[np.intp]:
    """Indices to keep, best first: a box goes when a better one overlaps it by more than `iou`, or
    covers (or lies within it by) more than the share `inside` of the smaller of the two.
    """
    order = np.argsort(-scores)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    keep: list[int] = []
    while len(order):
        first, order = int(order[0]), order[1:]
        keep.append(first)
        shared = intersections(boxes[first], boxes[order])
        union = areas[first] + areas[order] - shared
        smaller = np.minimum(areas[first], areas[order])
        order = order[(shared <= iou * union) & (shared <= inside * smaller)]
    return np.array(keep, np.intp)


def beside(boxes: FloatArray, scores: FloatArray, tiles: FloatArray) -> NDArray[np.intp]:
    """Indices, surest first, of the boxes (n, 4) with scores (n,) that lie beside tiles with boxes
    (m, 4), about as large as these, over none of them and over no surer one of their own; at most
    `MAX_LOW_CONFIDENCE`.
    """
    area, long = (tiles[:, 2:] - tiles[:, :2]).prod(1), (tiles[:, 2:] - tiles[:, :2]).max(1)
    centres = (tiles[:, :2] + tiles[:, 2:]) / 2
    keep: list[int] = []
    for i in map(int, np.argsort(-scores, kind="stable")):
        box = boxes[i]
        own = float((box[2:] - box[:2]).prod())
        smaller = np.minimum(area, own)
        like = smaller * LOW_CONFIDENCE_MAX_AREA_RATIO > np.maximum(area, own)
        near = np.hypot(*(centres - (box[:2] + box[2:]) / 2).T) < LOW_CONFIDENCE_MAX_DISTANCE * long
        if (
            not (like & near).any()
            or (intersections(box, tiles) > LOW_CONFIDENCE_MAX_OVERLAP * smaller).any()
        ):
            continue
        others = boxes[keep]
        least = np.minimum((others[:, 2:] - others[:, :2]).prod(1), own)
        if not (intersections(box, others) > LOW_CONFIDENCE_MAX_OVERLAP * least).any():
            keep.append(i)
            if len(keep) == MAX_LOW_CONFIDENCE:
                break
    return np.array(keep, np.intp)


def separate(boxes: FloatArray, scores: FloatArray) -> NDArray[np.intp]:
    """Indices, surest first, of the boxes (n, 4) in the middle of which no surer one lies."""
    centres, short = (
        (boxes[:, :2] + boxes[:, 2:]) / 2,
        (boxes[:, 2:] - boxes[:, :2]).min(1, initial=np.inf),
    )
    keep: list[int] = []
    for i in map(int, np.argsort(-scores, kind="stable")):
        if (
            np.hypot(*(centres[keep] - centres[i]).T)
            >= ONE_MIDDLE * np.minimum(short[keep], short[i])
        ).all():
            keep.append(i)
    return np.array(keep, np.intp)


def with_low_confidence(seen: Detections, more: Detections) -> Detections:
    """The same with more low-confidence boxes; of two around the same middle the surer one stays."""
    every = more if seen.low_confidence is None else seen.low_confidence.with_others(more)
    every = every.only(separate(every.boxes, every.scores))
    return replace(seen, low_confidence=replace(every, low_confidence=None) if len(every) else None)


def several(boxes: FloatArray, scores: FloatArray, iou: float, inside: float) -> NDArray[np.bool_]:
    """Which boxes, shape (n, 4), go around two tiles or more: longer than the usual tile by half
    and more, and at least two boxes of usual length that are no doubles of each other lie within.
    White tiles that touch look like one long tile.
    """
    around = np.zeros(len(boxes), bool)
    if len(boxes) == 0:
        return around
    long = (boxes[:, 2:] - boxes[:, :2]).max(1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    usual = float(np.median(long[suppress(boxes, scores, iou, inside)]))
    alone = np.nonzero(long < LONGER * usual)[0]
    for i in np.nonzero(long >= LONGER * usual)[0]:
        within = alone[intersections(boxes[i], boxes[alone]) > inside * areas[alone]]
        around[i] = (
            len(within) > 1 and len(suppress(boxes[within], scores[within], iou, inside)) > 1
        )
    return around


def halves(boxes: FloatArray, centres: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
    """Boxes of which those around two tiles are cut in two, and for each the index of the box it
    comes from.

    Two tiles that lie upon each other's long sides make a square that passes for one tile. Where
    another look at the same picture tells them apart, the large box is cut between them.

    Args:
        boxes: shape (n, 4).
        centres: shape (m, 2), middles of the tiles that the other look found.
    """
    size = boxes[:, 2:] - boxes[:, :2]
    large = size.prod(1) > LARGER * np.median(size.prod(1)) if len(boxes) else np.zeros(0, bool)
    out: list[FloatArray] = []
    home: list[int] = []
    for i, box in enumerate(boxes):
        along = int(size[i].argmax())
        within = (
            centres[((centres > box[:2]) & (centres < box[2:])).all(1)] if large[i] else centres[:0]
        )
        step = np.abs(within[0] - within[1]) / size[i] if len(within) == 2 else np.zeros(2)
        if step[along] > APART and step[1 - along] < LEVEL:
            first, second = box.copy(), box.copy()
            first[2 + along] = second[along] = within[:, along].mean()
            out += [first, second]
            home += [i, i]
        else:
            out.append(box)
            home.append(i)
    return np.array(out, np.float32).reshape(-1, 4), np.array(home, np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Letterbox:
    """A picture brought to a network's size: scaled alike both ways, padded with grey at right and
    below to a multiple of `STRIDE`.

    Attributes:
        pixels: float32 RGB from 0 to 1, shape (1, 3, height, width).
        scale: network pixels per picture pixel.
    """

    pixels: FloatArray
    scale: float

    @classmethod
    def of(cls, image: Image, longest: int) -> Letterbox:
        """Bring the longer side to `longest` pixels, up or down."""
        height, width = image.shape[:2]
        scale = longest / max(height, width)
        new_w, new_h = max(1, round(width * scale)), max(1, round(height * scale))
        method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = cv2.resize(image, (new_w, new_h), interpolation=method)
        out = np.full(
            (-(-new_h // STRIDE) * STRIDE, -(-new_w // STRIDE) * STRIDE, 3), FILL, np.uint8
        )
        out[:new_h, :new_w] = small
        pixels = np.ascontiguousarray(out.transpose(2, 0, 1)[None], dtype=np.float32) / np.float32(
            255
        )
        return cls(pixels, scale)
