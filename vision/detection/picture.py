"""Cuts parts from a photo at any scale, directly or through a homography.

All parts for the networks and for the test for red fives are cut here, from an image pyramid: the
photo and its successive halvings. A part is interpolated from the coarsest level that is at least
as fine as the part. Exact halving takes a tenth of the time of averaging over other areas, and each
level is made once, when it is first needed.
"""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.types import Image

Matrices = NDArray[np.float64]
"""Homographies, shape (n, 3, 3)."""

Region = tuple[int, int, int, int]
"""x0, y0, x1, y1, pixels of a picture."""

FILL = 114
"""Grey level outside the photo, the same as in the training of detectors."""

_TO_CENTRE = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
"""Maps the indices of pixels to the coordinates of their centres."""

_TO_INDEX = np.linalg.inv(_TO_CENTRE)
"""Its inverse."""

_SMALLEST = 8
"""Minimum side of a reduced photo, pixels."""

THUMBNAIL = 16
"""Pixels of the photo per pixel of its thumbnail, each way."""

_FLAGS = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
_GREY = (FILL, FILL, FILL)


class Picture:
    """A photo, or a view of it through a homography, to cut parts from.

    Its reductions are made when they are first needed, so threads must not share it.
    """

    def __init__(
        self, reductions: list[Image], size: tuple[int, int], to_photo: NDArray[np.float64]
    ) -> None:
        """See `of` and `through`."""
        self.size = size
        """Width and height, pixels."""
        self._reductions, self._to_photo = reductions, to_photo

    @classmethod
    def of(cls, image: Image) -> Picture:
        """Take an RGB photo as it is."""
        return cls([image], (image.shape[1], image.shape[0]), np.eye(3))

    def through(self, homography: NDArray[np.float64], size: tuple[int, int]) -> Picture:
        """Return the view that a homography (3, 3) from this picture's pixels gives.

        Args:
            homography: maps homogeneous pixels of this picture to pixels of the view.
            size: width and height of the view, pixels.
        """
        return Picture(self._reductions, size, self._to_photo @ np.linalg.inv(homography))

    @property
    def image(self) -> Image:
        """The whole picture, RGB."""
        whole: Image = self.cut(np.array([(0, 0, *self.size)]), self.size)[0]
        return whole

    @property
    def photo(self) -> Image:
        """The photo underlying this picture, RGB."""
        return self._reductions[0]

    @cached_property
    def thumbnail(self) -> Image:
        """That photo at a sixteenth of its size, RGB."""
        height, width = (max(side // THUMBNAIL, 1) for side in self.photo.shape[:2])
        small = cv2.resize(self.photo, (width, height), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.uint8)

    def cut(self, boxes: NDArray[np.floating], size: tuple[int, int]) -> NDArray[np.uint8]:
        """Cut boxes and resample each to one size.

        Args:
            boxes: shape (n, 4), [x0, y0, x1, y1] in pixels; may reach over the edge.
            size: width and height of the results, pixels.

        Returns:
            uint8, shape (n, height, width, 3); grey where the photo ends.
        """
        parts = np.zeros((len(boxes), 3, 3))
        parts[:, [0, 1], [0, 1]] = (boxes[:, 2:] - boxes[:, :2]) / size
        parts[:, :2, 2], parts[:, 2, 2] = boxes[:, :2], 1
        return self._sample(parts, size)

    def straightened(self, quads: NDArray[np.floating], size: tuple[int, int]) -> NDArray[np.uint8]:
        """Cut quadrilaterals and warp each to a rectangle of one size, otherwise as `cut` does.

        Args:
            quads: corners in pixels, shape (n, 4, 2): those that become the top left, top right,
                bottom right and bottom left of the rectangle.
            size: width and height of the results, pixels.
        """
        width, height = size
        onto = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
        parts = [cv2.getPerspectiveTransform(onto, quad.astype(np.float32)) for quad in quads]
        return self._sample(np.array(parts, np.float64).reshape(-1, 3, 3), size)

    def _sample(self, parts: Matrices, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Sample parts, given by the homographies from their pixels to those of this picture."""
        parts = self._to_photo @ parts
        middles = parts @ [size[0] / 2, size[1] / 2, 1.0]
        # Pixels of the photo per pixel of the part, from the Jacobian determinant at its middle.
        finer = np.sqrt(np.abs(np.linalg.det(parts)) / np.maximum(np.abs(middles[:, 2]), 1e-9) ** 3)
        halvings = np.log2(np.maximum(finer, 1.0)).astype(int).tolist()
        levels = {times: self._halved(times) for times in set(halvings)}
        halved = [levels[times] for times in halvings]
        parts[:, :2] /= np.array([2.0**times for times, _ in halved])[:, None, None]
        parts = _TO_INDEX @ parts @ _TO_CENTRE
        crops = np.empty((len(parts), size[1], size[0], 3), np.uint8)
        aslant = np.asarray(parts[:, 2, :2].any(1))
        for crop, part, (_, photo), perspective in zip(crops, parts, halved, aslant, strict=True):
            if perspective:
                cv2.warpPerspective(photo, part, size, crop, _FLAGS, borderValue=_GREY)
            else:
                cv2.warpAffine(photo, part[:2], size, crop, _FLAGS, borderValue=_GREY)
        return crops

    def _halved(self, times: int) -> tuple[int, Image]:
        """Return how often the photo could be halved, at most `times`, and the result."""
        while times >= len(self._reductions):
            last = self._reductions[-1]
            width, height = last.shape[1] // 2, last.shape[0] // 2
            if min(width, height) < _SMALLEST:
                break
            # Odd sides would take ten times as long.
            even = last[: 2 * height, : 2 * width]
            half = cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA)
            self._reductions.append(np.asarray(half, np.uint8))
        times = min(times, len(self._reductions) - 1)
        return times, self._reductions[times]
