"""Combines boxes and the networks' outputs into detections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.directions import directions, outlines
from hupai.vision.detection.tile_classifier import CLASSES, Classified, axis_angles
from hupai.vision.detection.tile_detector import BoxDetections
from hupai.vision.numeric import folded
from hupai.vision.quads import ordered
from hupai.vision.types import Detections, FloatArray

BACK_WEIGHT = 0.5
"""Weight of the detector's back probability: unlike the classifier, it sees the surroundings."""

FULL_TRUST = 1.25
"""A score is multiplied by this times the probability of a tile, but by no more than 1."""

CLEAR_AXIS = 0.7
"""Length of the classifier's axis vector from which it overrules a perpendicular direction of the
detector: on 274 such tiles of held-out designs the detector is wrong 231 times, the classifier 25
times; on 108 with shorter vectors, 42 and 55 times.
"""

MIN_CANDIDATE_PROBABILITY = 0.01
"""Probability of being a tile below which a box is not even kept as a low-confidence one."""


def combined(
    found: BoxDetections, answer: Classified, shares: FloatArray, blend: NDArray[np.bool_]
) -> tuple[Detections, FloatArray]:
    """Combine boxes with the classifier's answer and its probabilities (n, 44).

    Args:
        found: the boxes.
        answer: the classifier's answer.
        shares: its probabilities, or replacements for them; changed in place.
        blend: boxes (n,) for which the detector's back probability is blended in.

    Returns:
        The detections, and the classifier's probability (n,) that each is a tile.
    """
    faces = shares[:, :CLASSES]
    by_detector = np.minimum(found.backs, 1.0) * faces.sum(1)
    weight = BACK_WEIGHT * blend
    faces[:, Tile.BACK] = faces[:, Tile.BACK] * (1 - weight) + weight * by_detector
    # A crop alone does not distinguish a plain back from a blank white dragon; the detector sees
    # the surroundings.
    blank = blend & (found.backs > 0.5) & (faces[:, : Tile.BACK].argmax(1) == Tile.WHITE)
    faces[blank] = 0.0
    faces[blank, Tile.BACK] = np.minimum(found.backs[blank], 1.0)
    tile = faces.sum(1)
    axes, quads = axis_angles(answer.axes), np.zeros((0, 4, 2), np.float32)
    if found.half_axes is not None:
        axes = agreed(directions(found.half_axes), axis_angles(answer.axes, CLEAR_AXIS))
        quads = ordered(outlines(found.boxes, found.half_axes), axes)
    named = Detections(
        found.boxes.astype(np.float32),
        (found.scores * np.minimum(1.0, tile * FULL_TRUST)).astype(np.float32),
        (faces / np.maximum(tile[:, None], 1e-6)).astype(np.float32),
        axes,
        quads=quads,
    )
    return named, tile


def agreed(by_shape: FloatArray, by_face: FloatArray) -> FloatArray:
    """Choose between directions (n,) that the detector and the classifier give, radians.

    The detector's are more accurate, but it may mistake the longer side of a foreshortened tile for
    the shorter one; the classifier sees which way the face is turned. Its directions are NaN where
    it does not see that clearly.
    """
    return np.where(np.abs(folded(by_shape - by_face)) > np.pi / 4, by_face, by_shape)


def low_confidence(
    found: BoxDetections, named: Detections, tile: FloatArray, dropped: NDArray[np.bool_]
) -> Detections | None:
    """Select low-confidence detections among those dropped; None if there are none.

    They are scored so that neither network alone rules one out: tiles in glare or on a cloth of
    their colour score low with both.

    Args:
        found, named, tile: what `combined` takes and returns.
        dropped: shape (n,).
    """
    chosen = dropped & (tile >= MIN_CANDIDATE_PROBABILITY)
    if not chosen.any():
        return None
    scores = found.scores * np.sqrt(np.minimum(1.0, tile * FULL_TRUST))
    return replace(named, scores=scores.astype(np.float32)).only(chosen)
