"""The part of a frame where one player's hand lies: a quad, rectified before it is read."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.scoring.errors import HupaiError
from hupai.vision.types import FloatArray, Image

Point = tuple[float, float]
"""A place on a frame, as shares of its width and height."""

Grey = NDArray[np.uint8]
"""A small grey picture of a region, shape (height, width), uint8."""

SMALL_SIDE = 240
"""Longer side of the small grey picture, pixels; tiles of a hand are then some 12 pixels wide."""

_FRAME_SMALL = (640, 360)
"""Longer and shorter side to which a frame is shrunk before its regions are cut from it, pixels.

The larger of the two scales is used, so that cameras side by side keep the size of a single one.
"""

_MIN_AREA = 1e-3
"""Least area of a region, as a share of the frame."""


class RegionError(HupaiError, ValueError):
    """The corners enclose too small an area or are outside the frame; `message_zh`: in Chinese."""

    def __init__(self, message: str, message_zh: str) -> None:
        self.message_zh = message_zh
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Region:
    """A quad on the frame.

    Attributes:
        corners: far left, far right, near right, near left as the player at that edge sees them, as
            shares of the frame's width and height, 0 to 1. The near edge is the player's: it
            becomes the lower edge of the region's picture.

    Raises:
        RegionError: when the corners enclose no convex area of at least a thousandth of the frame,
            or lie outside.
    """

    corners: tuple[Point, Point, Point, Point] = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))

    def __post_init__(self) -> None:
        quad = np.array(self.corners, np.float32)
        if quad.shape != (4, 2) or not np.isfinite(quad).all() or quad.min() < 0 or quad.max() > 1:
            raise RegionError(
                "a region has four corners (x, y), each a share of the frame between 0 and 1",
                "区域应有四个角 (x, y)，每个数为画面宽高的比例，在 0 到 1 之间",
            )
        if (
            not cv2.isContourConvex(quad.reshape(4, 1, 2))
            or abs(float(cv2.contourArea(quad))) < _MIN_AREA
        ):
            raise RegionError(
                "the corners of a region must enclose a convex area of at least a thousandth of "
                "the frame, in the order far left, far right, near right, near left",
                "区域的四个角应依次为远左、远右、近右、近左，围成凸形，且面积不小于画面的千分之一",
            )

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole frame."""
        return self.corners == Region().corners

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return width and height of the region's picture from a frame of that size, pixels.

        Each is the longer of two opposite edges.
        """
        quad = self._pixels(width, height)
        across = max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[3]))
        along = max(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1]))
        return max(8, round(float(across))), max(8, round(float(along)))

    def cut(self, image: Image) -> Image:
        """Rectify the region, with the player's edge below; a whole frame is returned as it is."""
        if self.is_whole:
            return image
        height, width = image.shape[:2]
        size = self.size(width, height)
        return np.asarray(
            cv2.warpPerspective(
                image, self._matrix(width, height, size), size, flags=cv2.INTER_LINEAR
            ),
            np.uint8,
        )

    def small(self, grey: Grey) -> Grey:
        """Rectify the region from a shrunk grey frame (`shrink`) to `SMALL_SIDE` pixels."""
        height, width = grey.shape
        across, along = self.size(width, height)
        scale = SMALL_SIDE / max(across, along)
        size = max(8, round(across * scale)), max(8, round(along * scale))
        if self.is_whole:
            return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
        return np.asarray(
            cv2.warpPerspective(
                grey, self._matrix(width, height, size), size, flags=cv2.INTER_LINEAR
            ),
            np.uint8,
        )

    def _pixels(self, width: int, height: int) -> FloatArray:
        return np.array(self.corners, np.float32) * np.array([width, height], np.float32)

    def _matrix(self, width: int, height: int, size: tuple[int, int]) -> NDArray[np.float64]:
        w, h = size
        target = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
        return np.asarray(
            cv2.getPerspectiveTransform(self._pixels(width, height), target), np.float64
        )


def shrink(image: Image) -> Grey:
    """Convert a frame to grey and shrink it to `_FRAME_SMALL`; a smaller one keeps its size."""
    height, width = image.shape[:2]
    longer, shorter = _FRAME_SMALL
    scale = min(1.0, max(longer / max(height, width), shorter / min(height, width)))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(
        cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY),
        np.uint8,
    )
