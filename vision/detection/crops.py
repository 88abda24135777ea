"""Square crops of tiles for the classifier, cut identically in training and inference."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

VIEW = 1.06
"""Side of a crop in longer sides of the box: the whole tile at any angle, and a margin."""

MAX_ASPECT = 1.4
"""Aspect of a box up to which it may be a tile seen from above."""

MAX_WIDENING = 2.2
"""Largest factor by which a crop is widened; narrower faces show too little detail."""

PRESHRINK = 2.0
"""Ratio of source to target size from which a crop is first shrunk by an integer factor."""

TILE_ASPECT = 0.74
"""Width of a tile in a crop cut by its outline, in heights; real ones have 0.69 to 0.8."""

FILL = 114
"""Grey level outside the photo, as detectors are trained with."""


def cut_square(
    image: NDArray[np.uint8], box: NDArray[np.floating], size: int, context: float = VIEW
) -> NDArray[np.uint8]:
    """Cut the square around the middle of a box, resampled to `size` pixels.

    Args:
        image: uint8, shape (height, width, 3).
        box: [x0, y0, x1, y1] in pixels; may reach over the edge.
        size: pixels of the result's side.
        context: side of the square in longer sides of the box.

    Returns:
        uint8, shape (size, size, 3); grey where the photo ends.
    """
    crop: NDArray[np.uint8] = cut_squares(image, box[None], size, context)[0]
    return crop


def cut_squares(
    image: NDArray[np.uint8],
    boxes: NDArray[np.floating],
    size: int,
    context: float = VIEW,
    means: bool = True,
) -> NDArray[np.uint8]:
    """Cut boxes (n, 4) as `cut_square` does; shape (n, size, size, 3).

    Without `means` pixels are means over areas only while they are exact halves, and interpolated
    from there, which takes a third of the time.
    """
    sides = np.maximum(_longest(boxes) * context, 4.0)
    return _cut(image, boxes, np.stack([sides, sides], 1), size, means)


def cut_shaped(
    image: NDArray[np.uint8], boxes: NDArray[np.floating], size: int
) -> NDArray[np.uint8]:
    """Cut crops as `cut_squares` does, and widen boxes that are longer than a tile.

    A low camera or a stretched photo makes such boxes; widened, a face has its usual proportions.

    Args:
        image: uint8, shape (height, width, 3).
        boxes: shape (n, 4), [x0, y0, x1, y1] in pixels; may reach over the edge.
        size: pixels of the result's side.

    Returns:
        uint8, shape (n, size, size, 3).
    """
    sides = np.maximum(boxes[:, 2:] - boxes[:, :2], 1e-3)
    shape = sides.max(1) / sides.min(1)
    wider = np.clip(shape / MAX_ASPECT, 1.0, MAX_WIDENING).astype(np.float64)
    views = np.repeat(np.maximum(_longest(boxes) * VIEW, 4.0)[:, None], 2, axis=1)
    views[np.arange(len(boxes)), sides.argmin(1)] /= wider
    return _cut(image, boxes, views, size)


def cut_quad(
    image: NDArray[np.uint8], quad: NDArray[np.floating], size: int, context: float = VIEW
) -> NDArray[np.uint8]:
    """Cut a tile by its outline: upright or upside down, in its shape, with what surrounds it.

    Args:
        image: uint8, shape (height, width, 3).
        quad: corners in pixels, shape (4, 2), one after the other around the tile; the first two
            are an end of it, as they are in `upright`.
        size: pixels of the result's side.
        context: side of the crop in heights of the tile.

    Returns:
        uint8, shape (size, size, 3); grey where the photo ends.
    """
    onto = _frame(size, context)
    whole = cv2.getPerspectiveTransform(quad.astype(np.float32), onto)
    seen = np.array([[(0, 0), (size, 0), (size, size), (0, size)]], np.float32)
    back = np.linalg.inv(whole)
    if (seen[0] @ back[2, :2] + back[2, 2] <= 1e-6).any():  # beyond the horizon: no margin
        box = np.concatenate([quad.min(0), quad.max(0)])
        return cut_square(image, box, size, context)
    corners = cv2.perspectiveTransform(seen, back)[0]
    low = np.maximum(np.floor(corners.min(0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(corners.max(0)).astype(int) + 2, image.shape[1::-1])
    if (high <= low).any():
        return np.full((size, size, 3), FILL, np.uint8)
    part = image[low[1] : high[1], low[0] : high[0]]
    shrink = max(1, int(np.sqrt(_area(quad) / max(_area(onto), 1)) / 1.5))
    if shrink > 1:  # a warp takes single pixels, not means over areas
        small = (max(1, part.shape[1] // shrink), max(1, part.shape[0] // shrink))
        scale = np.array(small, float) / part.shape[1::-1]
        part = np.asarray(cv2.resize(part, small, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        scale = np.ones(2)
    moved = ((quad - low) * scale).astype(np.float32)
    to = cv2.getPerspectiveTransform(moved, onto)
    border = (FILL, FILL, FILL)
    return cv2.warpPerspective(
        part, to, (size, size), flags=cv2.INTER_LINEAR, borderValue=border
    ).astype(np.uint8)


def upright(quads: NDArray[np.floating]) -> NDArray[np.float32]:
    """Reorder the corners of outlines (n, 4, 2) so that the first two are the upper shorter end.

    The order is clockwise; the classifier determines whether the tile is upside down.
    """
    quads = np.asarray(quads, np.float32)
    if not len(quads):
        return quads
    along, across = quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]
    mirrored = along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0] < 0
    quads = np.where(mirrored[:, None, None], quads[:, ::-1], quads)
    sides = np.linalg.norm(np.roll(quads, -1, 1) - quads, axis=2)
    lying = sides[:, 0] + sides[:, 2] > sides[:, 1] + sides[:, 3]
    quads = np.where(lying[:, None, None], np.roll(quads, -1, 1), quads)
    ends = quads[..., 1].reshape(-1, 2, 2).mean(2)
    return np.where((ends[:, 0] > ends[:, 1])[:, None, None], np.roll(quads, -2, 1), quads)


def axes_of_crops(quads: NDArray[np.floating], axes: NDArray[np.floating]) -> NDArray[np.float32]:
    """Map axes on crops of `cut_quad` to the photo.

    Args:
        quads: outlines that the crops were cut by, shape (n, 4, 2).
        axes: cosine and sine of twice the direction on the crop, shape (n, 2).

    Returns:
        Shape (n, 2), as long as before.
    """
    if not len(quads):
        return np.zeros((0, 2), np.float32)
    angle = np.arctan2(axes[:, 1], axes[:, 0]) / 2
    # At the centre of the tile the warp is nearly affine.
    right = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / (2 * TILE_ASPECT)
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    way = right * np.cos(angle)[:, None] + down * np.sin(angle)[:, None]
    twice = 2 * np.arctan2(way[:, 1], way[:, 0])
    length = np.hypot(*axes.T)
    found = np.stack([np.cos(twice), np.sin(twice)], 1) * length[:, None]
    return np.asarray(found, np.float32)


def stacked(crops: NDArray[np.uint8] | Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """Return crops (n, size, size, 3) as networks take them: (n, 3, size, size), from 0 to 1."""
    planes = np.ascontiguousarray(np.asarray(crops).transpose(0, 3, 1, 2))
    return np.divide(planes, np.float32(255))


def _longest(boxes: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the longer sides (n,) of boxes (n, 4)."""
    return np.asarray((boxes[:, 2:] - boxes[:, :2]).max(1, initial=0.0), np.float64)


def _cut(
    image: NDArray[np.uint8],
    boxes: NDArray[np.floating],
    sides: NDArray[np.float64],
    size: int,
    means: bool = True,
) -> NDArray[np.uint8]:
    """Cut parts with these sides (n, 2), pixels, around the middles of boxes, as squares."""
    height, width = image.shape[:2]
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    lows = np.floor(centres - sides / 2).astype(int).tolist()
    highs = np.ceil(centres + sides / 2).astype(int).tolist()
    crops = np.empty((len(boxes), size, size, 3), np.uint8)
    for crop, (x0, y0), (x1, y1) in zip(crops, lows, highs, strict=True):
        whole = max(1, int(min(x1 - x0, y1 - y0) / (PRESHRINK * size))) if means else 1
        more_x, more_y = (x0 - x1) % whole, (y0 - y1) % whole
        x0, x1 = x0 - more_x // 2, x1 + more_x - more_x // 2
        y0, y1 = y0 - more_y // 2, y1 + more_y - more_y // 2
        if x0 >= 0 and y0 >= 0 and x1 <= width and y1 <= height:
            part = image[y0:y1, x0:x1]
        else:
            part = _over_the_edge(image, x0, y0, x1, y1)
        _resample(part, crop, whole, means)
    return crops


def _resample(part: NDArray[np.uint8], crop: NDArray[np.uint8], whole: int, means: bool) -> None:
    """Fill a square crop with a part of a photo, whose sides are multiples of `whole`."""
    size = len(crop)
    if whole > 1:  # means over whole pixels are several times as fast as over parts of them
        shrunk = (part.shape[1] // whole, part.shape[0] // whole)
        part = np.asarray(cv2.resize(part, shrunk, interpolation=cv2.INTER_AREA), np.uint8)
    while not means and min(part.shape[:2]) >= 2 * size:
        halves = (part.shape[1] // 2, part.shape[0] // 2)  # exact ones take a tenth of the time
        part = part[: 2 * halves[1], : 2 * halves[0]]
        part = np.asarray(cv2.resize(part, halves, interpolation=cv2.INTER_AREA), np.uint8)
    method = cv2.INTER_AREA if means and max(part.shape) > size else cv2.INTER_LINEAR
    cv2.resize(part, (size, size), dst=crop, interpolation=method)


def _over_the_edge(
    image: NDArray[np.uint8], x0: int, y0: int, x1: int, y1: int
) -> NDArray[np.uint8]:
    """Return a part of the photo that reaches over its edge, grey there."""
    part = np.full((y1 - y0, x1 - x0, 3), FILL, np.uint8)
    left, top = max(x0, 0), max(y0, 0)
    right, bottom = min(x1, image.shape[1]), min(y1, image.shape[0])
    if right > left and bottom > top:
        part[top - y0 : bottom - y0, left - x0 : right - x0] = image[top:bottom, left:right]
    return part


def _frame(size: int, context: float) -> NDArray[np.float32]:
    """Return the positions of a tile's corners in a crop of `cut_quad`, shape (4, 2)."""
    half_height = size / context / 2
    half = np.array([half_height * TILE_ASPECT, half_height], np.float32)
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32)
    return (size / 2 + signs * half).astype(np.float32)


def _area(quad: NDArray[np.floating]) -> float:
    """Return the area of a quadrilateral (4, 2), pixels."""
    x, y = quad.T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)
