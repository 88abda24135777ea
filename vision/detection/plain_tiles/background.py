"""Background mistaken for backs: cloth in a tray, beside a row, between tiles, or the floor.

A back has an edge all around, if only the shadow at its side. If the inside of an outline continues
without an edge beyond a side that no other tile covers, and much of the photo has the same colour,
it is background.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import THUMBNAIL, Picture
from hupai.vision.numeric import byte_quantiles
from hupai.vision.types import Detections, FloatArray, Image

EDGE = 5.0
"""Greatest step of the mean colour across a side without an edge, levels of 255: 12 of 338 labelled
backs and 66 of 223 pieces of background have such a side.
"""

MIN_SHARE = 0.015
"""Least share of the photo outside tiles that has the background's colour: 4 and 58 of these do.
"""

_SIMILAR = 10.0
"""Greatest distance of similar colours, CIELAB with lightness weighted by `_LIGHTNESS`."""

_LIGHTNESS = 0.7
"""Weight of lightness, which shadows change, against the two colour channels."""

_WIDTH, _HEIGHT = 48, 64
"""Size at which a tile is examined, pixels, plus a quarter of it on each side."""

_SIZE = (_WIDTH * 3 // 2, _HEIGHT * 3 // 2)
_CORNERS = np.array([(0, 0), (_SIZE[0], 0), _SIZE, (0, _SIZE[1])], np.float32)

_SIDES = ((0, 3), (1, 0), (2, 1), (3, 2))
"""Ends of the four sides, as indices of corners. For each, a view is turned once more to the left,
so that the side is at its left edge.
"""

_MIDDLE = np.array([0.3, 0.7])
"""Start and end of the part of a side that is examined, as shares of the side."""

_STEP = 3
"""Pixels over which the colour is averaged on both sides of an edge."""

_COVERED = 0.3
"""Share of the surroundings at one side that other tiles may cover."""


def without_background(photo: Picture, found: Detections) -> Detections:
    """Drop the backs of a photo that show the background, including low-confidence ones."""
    found, low = found.only(~shows_background(photo, found)), found.low_confidence
    if low is None:
        return found
    low = low.only(~shows_background(photo, low, found.quads))
    return replace(found, low_confidence=low if len(low) else None)


def shows_background(
    photo: Picture, found: Detections, tiles: FloatArray | None = None
) -> NDArray[np.bool_]:
    """Return which detections (n,) are named as backs but show the background.

    Args:
        photo: the photo.
        found: detections on it, with quads.
        tiles: outlines (m, 4, 2) of further tiles, pixels.
    """
    background = np.zeros(len(found), bool)
    outlines = found.quads if tiles is None else np.concatenate([found.quads, tiles])
    backs = np.nonzero(found.probabilities.argmax(1) == Tile.BACK)[0]
    if len(backs):
        backs = backs[_continues(photo.photo, outlines, backs)]
    if len(backs):
        free = _free_colours(photo, outlines)
        shares = [_share_of_colour(photo.photo, quad, free) for quad in found.quads[backs]]
        background[backs] = np.array(shares) > MIN_SHARE
    return background


def _continues(image: Image, outlines: FloatArray, which: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return whether the picture continues without an edge beyond a side of outlines, shape (n,).

    Args:
        image: the picture.
        outlines: of all tiles, shape (m, 4, 2), pixels. A side beyond which another tile lies does
            not count.
        which: indices of the n outlines to examine.
    """
    around = _grown(outlines[which], 1.5).astype(np.float32)
    views = [np.asarray(cv2.getPerspectiveTransform(a, _CORNERS), np.float64) for a in around]
    seen = np.zeros((len(which), *_SIZE[::-1], 3), np.float32)
    for colours, view in zip(seen, views, strict=True):
        colours[:] = cv2.warpPerspective(image, view, _SIZE, flags=cv2.INTER_AREA)
    flat = np.zeros((len(which), len(_SIDES)), bool)
    for turns, (one, other) in enumerate(_SIDES):
        side = (around[:, other] - around[:, one])[:, None]
        ends = around[:, one, None] + _MIDDLE[:, None] * side
        inside = ((ends >= 0) & (ends < image.shape[1::-1])).all((1, 2))
        beside = _beside(np.rot90(seen, turns, (1, 2)), 3)
        flat[:, turns] = inside & (_greatest_steps(beside.mean(1)) < EDGE)
    for k in np.nonzero(flat.any(1))[0]:
        covered = _covered(views[k], int(which[k]), outlines)[None]
        for turns in np.nonzero(flat[k])[0].tolist():
            beside = _beside(np.rot90(covered, turns, (1, 2)), 12)
            flat[k, turns] = beside.mean() <= _COVERED
    return np.asarray(flat.any(1))


def _beside(views: NDArray[Any], parts: int) -> NDArray[Any]:
    """Return the middle of the left edge of views (n, height, width, ...), width / parts wide."""
    low, high = np.round(_MIDDLE * views.shape[1]).astype(int)
    return views[:, low:high, : views.shape[2] // parts]


def _covered(view: NDArray[np.float64], own: int, outlines: FloatArray) -> NDArray[np.uint8]:
    """Return a mask of the other outlines (m, 4, 2) in the view of a tile, 1 inside them.

    The view is given by the homography to it, the tile by the index of its outline.
    """
    covered = np.zeros(_SIZE[::-1], np.uint8)
    others = np.delete(outlines, own, 0)
    size = np.linalg.norm(others[:, 2] - others[:, 0], axis=1).max(initial=0.0)
    apart = np.linalg.norm(others.mean(1) - outlines[own].mean(0), axis=1)
    near = others[apart < 2 * size].astype(np.float32)
    if not len(near):
        return covered
    corners = np.round(cv2.perspectiveTransform(near, view)).astype(np.int32)
    in_view = (corners.max(1) >= 0).all(1) & (corners.min(1) < _SIZE).all(1)
    for outline in corners[in_view]:
        cv2.fillConvexPoly(covered, outline, 1)
    return covered


def _greatest_steps(colours: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the greatest step along lines of colours (n, m, 3), averaged over `_STEP` pixels."""
    sums = np.cumsum(np.pad(colours, ((0, 0), (1, 0), (0, 0))), 1)
    means = (sums[:, _STEP:] - sums[:, :-_STEP]) / _STEP
    steps: NDArray[np.floating] = np.abs(means[:, _STEP:] - means[:, :-_STEP]).max((1, 2))
    return steps


def _free_colours(photo: Picture, quads: FloatArray) -> NDArray[np.float32]:
    """Return the colours (m, 3), CIELAB, of a photo's thumbnail outside outlines (n, 4, 2)."""
    free = np.ones(photo.thumbnail.shape[:2], np.uint8)
    for outline in np.round(_grown(quads / THUMBNAIL, 1.15)).astype(np.int32):
        cv2.fillConvexPoly(free, outline, 0)
    return cv2.cvtColor(photo.thumbnail, cv2.COLOR_RGB2LAB)[free > 0].astype(np.float32)


def _share_of_colour(image: Image, quad: FloatArray, free: NDArray[np.float32]) -> float:
    """Return the share of some colours (m, 3) that are like the one inside an outline (4, 2)."""
    if not len(free):
        return 0.0
    view = cv2.getPerspectiveTransform(_grown(quad[None], 0.6)[0].astype(np.float32), _CORNERS)
    seen = cv2.cvtColor(cv2.warpPerspective(image, view, _SIZE), cv2.COLOR_RGB2LAB)
    apart = free - byte_quantiles(seen.astype(np.uint8).reshape(-1, 3).T, 0.5).astype(np.float64)
    apart[:, 0] *= _LIGHTNESS
    return float(((apart**2).sum(1) < _SIMILAR**2).mean())


def _grown(quads: NDArray[np.floating], factor: float) -> NDArray[np.floating]:
    """Scale outlines (n, 4, 2) about their middles."""
    middles = quads.mean(1, keepdims=True)
    grown: NDArray[np.floating] = middles + factor * (quads - middles)
    return grown
