"""Square crops of tiles for the classifier, cut identically in training and inference."""

from __future__ import annotations

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
    side = max(float((box[2:] - box[:2]).max()) * context, 4.0)
    return _cut(image, (box[:2] + box[2:]) / 2, np.array([side, side]), size)


def cut_shaped(image: NDArray[np.uint8], box: NDArray[np.floating], size: int) -> NDArray[np.uint8]:
    """Cut a crop as `cut_square` does, and widen a box that is longer than a tile.

    A low camera or a stretched photo makes such boxes; widened, a face has its usual proportions.

    Args:
        image: uint8, shape (height, width, 3).
        box: [x0, y0, x1, y1] in pixels; may reach over the edge.
        size: pixels of the result's side.

    Returns:
        uint8, shape (size, size, 3).
    """
    sides = np.maximum(box[2:] - box[:2], 1e-3)
    shape = sides.max() / sides.min()
    wider = float(np.clip(shape / MAX_ASPECT, 1.0, MAX_WIDENING))
    view = np.full(2, max(float(sides.max()) * VIEW, 4.0))
    view[int(sides.argmin())] /= wider
    return _cut(image, (box[:2] + box[2:]) / 2, view, size)


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


def stacked(crops: list[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """Stack crops of one size as the classifier takes them: (n, 3, size, size), from 0 to 1."""
    return np.stack(crops).transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)


def _cut(
    image: NDArray[np.uint8], centre: NDArray[np.floating], sides: NDArray[np.floating], size: int
) -> NDArray[np.uint8]:
    """Cut the part with these sides, pixels, around `centre`, and resample it to a square."""
    low = np.floor(centre - sides / 2).astype(int)
    high = np.ceil(centre + sides / 2).astype(int)
    whole = max(1, int((high - low).min() / (PRESHRINK * size)))
    more = (low - high) % whole
    low, high = low - more // 2, high + more - more // 2
    x0, y0 = np.maximum(low, 0)
    x1, y1 = np.minimum(high, (image.shape[1], image.shape[0]))
    out = np.full((high[1] - low[1], high[0] - low[0], 3), FILL, np.uint8)
    if x1 > x0 and y1 > y0:
        out[y0 - low[1] : y1 - low[1], x0 - low[0] : x1 - low[0]] = image[y0:y1, x0:x1]
    if whole > 1:  # means over whole pixels are several times as fast as over parts of them
        shrunk = (out.shape[1] // whole, out.shape[0] // whole)
        out = np.asarray(cv2.resize(out, shrunk, interpolation=cv2.INTER_AREA), np.uint8)
    method = cv2.INTER_AREA if max(out.shape) > size else cv2.INTER_LINEAR
    return cv2.resize(out, (size, size), interpolation=method).astype(np.uint8)


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
