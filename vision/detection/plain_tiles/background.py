"""Background that is taken for backs: cloth in a tray, beside a row, between tiles, or the floor.

A back has an edge all around, if only the shadow at its side. Where what is inside an outline
continues beyond it without any edge, on a side that no other tile covers, and much of the photo has
this colour, it is background.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections, FloatArray, Image

EDGE = 5.0
"""Greatest step of the mean colour along a side without an edge, levels of 255: of 338 backs marked
on photos 12 lie below, of 223 pieces of background 66.
"""

MIN_SHARE = 0.015
"""Least share of the photo, tiles aside, that has the colour of the background: with it, 4 and 58.
"""

_SIMILAR = 10.0
"""Greatest distance of similar colours, CIELAB with lightness weighted by `_LIGHTNESS`."""

_LIGHTNESS = 0.7
"""Weight of lightness, which shadows change, against the two colour channels."""

_WIDTH, _HEIGHT = 48, 64
"""Size at which a tile is looked at, pixels, with a quarter of it on each side."""

_REDUCED = 16
"""Pixels of the photo per pixel at which its colours are counted."""

_SIZE = (_WIDTH * 3 // 2, _HEIGHT * 3 // 2)
_CORNERS = np.array([(0, 0), (_SIZE[0], 0), _SIZE, (0, _SIZE[1])], np.float32)

_MIDDLE = np.array([0.3, 0.7])
"""Where the part of a side that is looked at begins and ends, as shares of the side."""

_STEP = 3
"""Pixels over which the colour is averaged on both sides of an edge."""

_COVERED = 0.3
"""Share of the surroundings at one side that other tiles may cover."""


def shows_background(
    image: Image, found: Detections, tiles: FloatArray | None = None
) -> NDArray[np.bool_]:
    """Return which detections (n,) are named backs, but show the background.

    Args:
        image: uint8 RGB, shape (height, width, 3).
        found: detections on it, with quads.
        tiles: outlines (m, 4, 2) of further tiles, pixels.
    """
    background = np.zeros(len(found), bool)
    outlines = found.quads if tiles is None else np.concatenate([found.quads, tiles])
    for k in np.nonzero(found.probabilities.argmax(1) == Tile.BACK)[0]:
        background[k] = _continues(image, found.quads[k], np.delete(outlines, k, 0))
    if background.any():
        free = _free_colours(image, outlines)
        for k in np.nonzero(background)[0]:
            background[k] = _share_of_colour(image, found.quads[k], free) > MIN_SHARE
    return background


def _continues(image: Image, quad: FloatArray, others: FloatArray) -> bool:
    """Return whether the picture continues without an edge beyond a side of an outline.

    Args:
        image: the picture.
        quad: the outline, shape (4, 2), pixels.
        others: the outlines of other tiles, shape (m, 4, 2); sides that they cover do not count.
    """
    middle, (high, wide) = quad.mean(0), image.shape[:2]
    around = (middle + 1.5 * (quad - middle)).astype(np.float32)
    view = np.asarray(cv2.getPerspectiveTransform(around, _CORNERS), np.float64)
    seen = cv2.warpPerspective(image, view, _SIZE, flags=cv2.INTER_AREA).astype(np.float32)
    # The four sides, each turned to the left; `around` begins at the top left.
    for turns, (one, other) in enumerate(((0, 3), (1, 0), (2, 1), (3, 2))):
        ends = around[one] + _MIDDLE[:, None] * (around[other] - around[one])
        if (ends < 0).any() or (ends >= (wide, high)).any():
            continue
        colours = np.rot90(seen, turns)
        height, width = colours.shape[:2]
        along = slice(*np.round(_MIDDLE * height).astype(int))
        if _greatest_step(colours[along, : width // 3].mean(0)) < EDGE:
            taken = np.rot90(_covered(view, middle, others), turns)
            if taken[along, : width // 12].mean() <= _COVERED:
                return True
    return False


def _covered(
    view: NDArray[np.float64], middle: FloatArray, others: FloatArray
) -> NDArray[np.uint8]:
    """Return where other outlines (m, 4, 2) lie in the view of a tile, 1 there and else 0.

    Args:
        view: homography from the picture to the view.
        middle: the middle of the tile, shape (2,), pixels.
        others: shape (m, 4, 2), pixels; those far away are left out.
    """
    covered = np.zeros(_SIZE[::-1], np.uint8)
    size = np.linalg.norm(others[:, 2] - others[:, 0], axis=1).max(initial=0.0)
    near = others[np.linalg.norm(others.mean(1) - middle, axis=1) < 2 * size].astype(np.float32)
    for outline in cv2.perspectiveTransform(near, view) if len(near) else ():
        cv2.fillConvexPoly(covered, np.round(outline).astype(np.int32), 1)
    return covered


def _greatest_step(colours: NDArray[np.floating]) -> float:
    """Return the greatest step along a line of colours (n, 3), averaged over `_STEP` pixels."""
    sums = np.cumsum(np.concatenate([np.zeros((1, 3)), colours]), 0)
    means = (sums[_STEP:] - sums[:-_STEP]) / _STEP
    return float(np.abs(means[_STEP:] - means[:-_STEP]).max())


def _free_colours(image: Image, quads: FloatArray) -> NDArray[np.float32]:
    """Return the colours (m, 3), CIELAB, of a reduced photo where no outline (n, 4, 2) lies."""
    height, width = (max(side // _REDUCED, 1) for side in image.shape[:2])
    small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    free = np.ones((height, width), np.uint8)
    for quad in quads / _REDUCED:
        grown = quad.mean(0) + 1.15 * (quad - quad.mean(0))
        cv2.fillConvexPoly(free, np.round(grown).astype(np.int32), 0)
    return cv2.cvtColor(small, cv2.COLOR_RGB2LAB)[free > 0].astype(np.float32)


def _share_of_colour(image: Image, quad: FloatArray, free: NDArray[np.float32]) -> float:
    """Return the share of some colours (m, 3) that are like the one inside an outline (4, 2)."""
    if not len(free):
        return 0.0
    inner = (quad.mean(0) + 0.6 * (quad - quad.mean(0))).astype(np.float32)
    view = cv2.getPerspectiveTransform(inner, _CORNERS)
    seen = cv2.cvtColor(cv2.warpPerspective(image, view, _SIZE), cv2.COLOR_RGB2LAB)
    apart = free - np.median(seen.reshape(-1, 3), 0)
    apart[:, 0] *= _LIGHTNESS
    return float(((apart**2).sum(1) < _SIMILAR**2).mean())
