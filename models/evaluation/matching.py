"""Comparison of predicted and labelled boxes: overlap, matching, average precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import centres, corners, pairwise_iou, sizes
from hupai.vision.types import FloatArray

IOU_STEPS = tuple(float(step) for step in np.arange(0.5, 0.96, 0.05).round(2))
"""Overlaps over which mAP50-95 is averaged: 0.50, 0.55 … 0.95."""


def match(predicted: FloatArray, truth: FloatArray, least: float = 0.5) -> list[tuple[int, int]]:
    """Pair predictions with labels, the largest overlaps first; each is used at most once.

    Args:
        predicted: boxes, shape (n, 4), corners in the unit of the labels.
        truth: labelled boxes, shape (m, 4).
        least: intersection over union that a pair needs, above 0.

    Returns:
        Indices of prediction and label for each pair.
    """
    overlap = pairwise_iou(predicted, truth)
    pairs = []
    while overlap.size:
        best = np.unravel_index(int(overlap.argmax()), overlap.shape)
        i, j = int(best[0]), int(best[1])
        if overlap[i, j] < least:
            break
        pairs.append((i, j))
        overlap[i, :] = 0
        overlap[:, j] = 0
    return pairs


def labelled_area(truth: FloatArray, boxes: FloatArray) -> list[bool]:
    """Return whether the centre of each box (n, 4) lies in the labelled area of a photo.

    The area is the convex hull of the labelled boxes (m, 4), grown by the median of their sides, or
    the whole photo if it has no labels.
    """
    if not len(truth):
        return [True] * len(boxes)
    hull = cv2.convexHull(corners(truth).reshape(-1, 2).astype(np.float32))
    grown = float(np.median(sizes(truth)))
    middles = centres(boxes).tolist()
    return [cv2.pointPolygonTest(hull, (x, y), True) >= -grown for x, y in middles]


@dataclass(frozen=True, slots=True, eq=False)
class PhotoBoxes:
    """Predictions and truth of one photo, in one unit.

    Attributes:
        tiles, boxes, confidences: the predictions: faces, shape (n, 4), shape (n,).
        true_tiles, true_boxes: the labels: faces, shape (m, 4).
    """

    tiles: tuple[Tile, ...]
    boxes: FloatArray
    confidences: FloatArray
    true_tiles: tuple[Tile, ...]
    true_boxes: FloatArray


def mean_average_precision(
    photos: Sequence[PhotoBoxes], overlaps: Sequence[float] = IOU_STEPS
) -> dict[float, float]:
    """Return mAP at each overlap: average precision, averaged over the labelled faces.

    Average precision is the area under the precision-recall curve, with precision made monotone and
    sampled at 101 recalls, as COCO does (Lin et al., Microsoft COCO, 2014). 0 if nothing is
    labelled.
    """
    faces = sorted({tile for photo in photos for tile in photo.true_tiles})
    if not faces:
        return dict.fromkeys(overlaps, 0.0)
    per_face = [
        [_average_precision(photos, face, overlap) for overlap in overlaps] for face in faces
    ]
    return dict(zip(overlaps, (float(mean) for mean in np.mean(per_face, axis=0)), strict=True))


def _average_precision(photos: Sequence[PhotoBoxes], face: Tile, overlap: float) -> float:
    confidences: list[float] = []
    hits: list[bool] = []
    labelled = 0
    for photo in photos:
        chosen = [i for i, tile in enumerate(photo.tiles) if tile == face]
        true = [j for j, tile in enumerate(photo.true_tiles) if tile == face]
        labelled += len(true)
        chosen.sort(key=lambda i: -float(photo.confidences[i]))
        confidences += [float(photo.confidences[i]) for i in chosen]
        hits += _hits(photo.boxes[chosen], photo.true_boxes[true], overlap)
    return _area(
        np.asarray(hits, bool)[np.argsort(-np.asarray(confidences), kind="stable")], labelled
    )


def _hits(predicted: FloatArray, truth: FloatArray, least: float) -> list[bool]:
    """Return for each prediction, most confident first, whether it matches an unused label."""
    iou = pairwise_iou(predicted, truth)
    hits = []
    for row in iou:
        best = int(row.argmax()) if row.size else -1
        hits.append(best >= 0 and bool(row[best] >= least))
        if hits[-1]:
            iou[:, best] = -1
    return hits


def _area(hits: NDArray[np.bool_], labelled: int) -> float:
    true_positives = np.cumsum(hits)
    recall = true_positives / labelled
    precision = true_positives / np.arange(1, len(hits) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    steps = np.searchsorted(recall, np.linspace(0, 1, 101), side="left")
    return float(np.append(precision, 0.0)[steps].mean())
