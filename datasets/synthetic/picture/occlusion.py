"""Things that cover tiles: fingers that reach into the picture from its edge."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]

_SKIN = ((236, 188, 160), (224, 172, 140), (198, 134, 96), (150, 98, 66), (96, 62, 44))


def fingers(
    rng: np.random.Generator, image: Image, target: tuple[float, float], width: float
) -> Mask:
    """Draw one to three fingers onto the picture, from an edge to near `target`.

    Args:
        target: where the first finger's tip lies, pixels.
        width: thickness of a finger, pixels.

    Returns:
        255 where the fingers cover the picture, shape (height, width).
    """
    height, across = image.shape[:2]
    tone = np.array(_SKIN[int(rng.integers(len(_SKIN)))], np.float32) * float(
        rng.uniform(0.75, 1.1)
    )
    heading = float(rng.uniform(0, 2 * np.pi))
    reach = 1.5 * float(np.hypot(height, across))
    covered: Mask = np.zeros((height, across), np.uint8)
    for number in range(int(rng.integers(1, 4))):
        turn = heading + number * float(rng.uniform(0.04, 0.1))
        side = np.array([-np.sin(turn), np.cos(turn)]) * width * 1.15 * number
        tip = (
            np.asarray(target)
            + side
            - np.array([np.cos(turn), np.sin(turn)]) * width * float(rng.uniform(0, 0.8)) * number
        )
        root = tip + np.array([np.cos(turn), np.sin(turn)]) * reach
        _finger(rng, image, covered, tip, root, width * float(rng.uniform(0.85, 1.1)), tone)
    return covered


def visible_share(quad: NDArray[np.float32], covered: Mask) -> float:
    """Return the uncovered share of that part of a quad (4, 2) that lies inside the picture.

    It is 1 for a quad outside the picture.
    """
    height, width = covered.shape
    low = np.clip(np.floor(quad.min(0)).astype(int), 0, (width, height))
    high = np.clip(np.ceil(quad.max(0)).astype(int), 0, (width, height))
    if (high <= low).any():
        return 1.0
    part = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    cv2.fillConvexPoly(part, np.round(quad - low).astype(np.int32), 1)
    area = int(part.sum())
    return (
        1.0
        if not area
        else 1.0 - float((part * (covered[low[1] : high[1], low[0] : high[0]] > 0)).sum()) / area
    )


def _finger(
    rng: np.random.Generator,
    image: Image,
    covered: Mask,
    tip: NDArray[np.float64],
    root: NDArray[np.float64],
    width: float,
    tone: NDArray[np.float32],
) -> None:
    """Draw one finger: a round bar, darker towards its sides, with a nail at its tip."""
    shape: Mask = np.zeros(covered.shape, np.uint8)
    a, b = _pixel(tip), _pixel(root)
    thick = max(3, round(width))
    cv2.line(shape, a, b, 255, thick, cv2.LINE_AA)
    depth = cv2.distanceTransform((shape > 127).astype(np.uint8), cv2.DIST_L2, 3) / (thick / 2)
    shade = (0.62 + 0.38 * np.sqrt(np.clip(depth, 0, 1)))[..., None] * tone
    if rng.random() < 0.6:
        towards = (root - tip) / max(float(np.linalg.norm(root - tip)), 1e-6)
        nail = np.zeros(covered.shape, np.uint8)
        axes = (max(1, round(width * 0.34)), max(1, round(width * 0.26)))
        turn = float(np.degrees(np.arctan2(towards[1], towards[0])))
        cv2.ellipse(nail, _pixel(tip + towards * width * 0.05), axes, turn, 0, 360, 255, -1)
        shade = np.where(
            nail[..., None] > 0,
            np.minimum(shade * 1.12 + np.array((10, 0, 6), np.float32), 255),
            shade,
        )
    alpha = (shape / 255)[..., None]
    image[:] = np.clip(image * (1 - alpha) + shade * alpha, 0, 255).astype(np.uint8)
    np.maximum(covered, shape, out=covered)


def _pixel(point: NDArray[np.float64]) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))
