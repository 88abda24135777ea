"""A phone's lens and processing: bent lines, coloured rims, dark corners, sharpened edges."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens.

    Attributes:
        bend: radial distortion: a point at the picture's corner moves outwards by about this share
            of its distance from the middle; negative bends inwards. Phones leave -0.06 to 0.06
            after their own correction, wide lenses more.
        fringe: how much larger red is than blue at the corner, as a share.
        corners: how much darker the corners are, 0 to 1.
    """

    bend: float = 0.0
    fringe: float = 0.0
    corners: float = 0.0

    def picture(self, image: Image) -> Image:
        """Return the picture through the lens, same size."""
        height, width = image.shape[:2]
        if not (self.bend or self.fringe or self.corners):
            return image
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        cx, cy, reach = _frame(width, height)
        dx, dy = x - cx, y - cy
        square = (dx * dx + dy * dy) / (reach * reach)
        out = image
        if self.bend or self.fringe:
            planes = []
            for plane, sign in enumerate((-1.0, 0.0, 1.0)):
                factor = 1 - (self.bend + sign * self.fringe) * square
                grid = (cx + dx * factor, cy + dy * factor)
                planes.append(
                    cv2.remap(
                        image[..., plane],
                        *grid,
                        cv2.INTER_LINEAR,
                        borderMode=cv2.BORDER_REFLECT_101,
                    )
                )
            out = np.dstack(planes).astype(np.uint8)
        if self.corners:
            out = (out * (1 - self.corners * square**1.5)[..., None]).astype(np.uint8)
        return out

    def points(self, points: NDArray[np.float32], width: int, height: int) -> NDArray[np.float32]:
        """Map points (n, 2) of the picture before the lens to where they appear behind it."""
        cx, cy, reach = _frame(width, height)
        start = points.astype(np.float64) - np.array((cx, cy))
        moved = start.copy()
        # The picture is sampled by a map from moved to start. Points need its inverse, found by
        # fixed-point iteration, which converges quickly for such small distortions.
        for _ in range(8):
            factor = 1 - self.bend * (moved**2).sum(1, keepdims=True) / (reach * reach)
            moved = start / np.maximum(factor, 0.5)
        out: NDArray[np.float32] = (moved + np.array((cx, cy))).astype(np.float32)
        return out


def random_lens(rng: np.random.Generator) -> Lens:
    """Draw a lens as phones have them: mostly good."""
    bend = float(rng.normal(0, 0.025)) if rng.random() < 0.6 else 0.0
    fringe = float(abs(rng.normal(0, 0.0012))) if rng.random() < 0.3 else 0.0
    corners = float(rng.uniform(0.05, 0.4)) if rng.random() < 0.3 else 0.0
    return Lens(float(np.clip(bend, -0.08, 0.08)), fringe, corners)


def sharpen(rng: np.random.Generator, image: Image) -> Image:
    """Draw halos along edges, as a phone's processing leaves them; sometimes smooth them first."""
    out = image
    if rng.random() < 0.12:
        out = cv2.bilateralFilter(out, 5, float(rng.uniform(15, 45)), 3).astype(np.uint8)
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.8, 2.0))).astype(np.float32)
        amount = float(rng.uniform(0.3, 1.3))
        out = np.clip(out + amount * (out.astype(np.float32) - soft), 0, 255).astype(np.uint8)
    return out


def _frame(width: int, height: int) -> tuple[float, float, float]:
    """Return the middle of the picture and the distance of its corners from it."""
    cx, cy = (width - 1) / 2, (height - 1) / 2
    return cx, cy, float(np.hypot(cx, cy))
