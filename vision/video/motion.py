"""Detects motion, and changes since the last reading, on small grey pictures.

Pictures are compared by cells of 6 by 6 pixels, smaller than a tile and large enough to average out
sensor noise. A global change of brightness is subtracted first.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.video.region import Grey

CELL = 6
"""Side of a cell, pixels of the small picture."""

MIN_STEP = 3.0
"""Grey levels by which a cell must change to count; noise raises it."""

_MAX_NOISE = 4.0
"""Largest change of a still picture that counts as noise, grey levels."""

_NOISE_RATE = 0.05
"""Weight of each picture in the running estimate of the noise."""

_MAX_LIGHT_CHANGE = 40.0
"""Largest common change of all cells that counts as a change of light, grey levels."""

Cells = NDArray[np.float32]
"""Mean grey of each cell, shape (rows, columns)."""
Changed = NDArray[np.bool_]
"""Which cells changed, shape (rows, columns)."""


def cells(picture: Grey) -> Cells:
    """Average a picture by cells."""
    height, width = picture.shape
    size = max(1, width // CELL), max(1, height // CELL)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The result of comparing one small picture.

    Attributes:
        cells: the picture by cells.
        moving: whether something moves.
        still_since: when the picture came to rest, seconds of the frames' clock; every movement
            resets it.
    """

    cells: Cells
    moving: bool
    still_since: float


class Motion:
    """Detects motion in one region.

    The picture is compared with that at the start of the rest, not with the last one, so that slow
    motion is detected too.
    """

    def __init__(self, settle: float = 0.2) -> None:
        """Something is at rest when nothing has changed for `settle` seconds."""
        self._settle = settle
        self._anchor: Cells | None = None
        self._last: Cells | None = None
        self._since = 0.0
        self._noise = 0.5

    @property
    def latest(self) -> Cells:
        """The last picture, by cells.

        Raises:
            LookupError: before the first look.
        """
        if self._last is None:
            raise LookupError("no picture has been compared yet: call look first")
        return self._last

    @property
    def step(self) -> float:
        """Grey levels from which a cell counts as changed, given the noise seen so far."""
        return max(MIN_STEP, 1.5 + 4.0 * self._noise)

    def look(self, picture: Grey, at: float) -> Look:
        """Compare a small picture that was taken at `at`, seconds."""
        now = cells(picture)
        if (
            self._anchor is None
            or self._anchor.shape != now.shape
            or self.differs(self._anchor, now).any()
        ):
            self._anchor, self._since = now, at
        elif self._last is not None:
            level = float(np.median(np.abs(_levelled(self._last, now))))
            self._noise += _NOISE_RATE * (min(level, _MAX_NOISE) - self._noise)
        self._last = now
        return Look(now, at - self._since < self._settle, self._since)

    def differs(self, one: Cells, other: Cells) -> Changed:
        """Return the cells of two pictures that differ by more than noise; all if sizes differ."""
        if one.shape != other.shape:
            return np.ones(other.shape, np.bool_)
        out: Changed = np.abs(_levelled(one, other)) > self.step
        return out


def _levelled(one: Cells, other: Cells) -> Cells:
    """Subtract two pictures, without the change common to all cells (exposure, lamps)."""
    difference: Cells = other - one
    # The median: what moves covers less than half the picture, or the picture counts as changed
    # anyway.
    common = float(np.median(difference))
    return difference if abs(common) > _MAX_LIGHT_CHANGE else difference - np.float32(common)


def inside(
    boxes: NDArray[np.float32], size: tuple[int, int], shape: tuple[int, int], margin: float
) -> Changed:
    """Mark the cells that lie in some box, each widened by `margin` of its shorter side.

    Args:
        boxes: shape (n, 4), pixels of the region's picture.
        size: width and height of that picture.
        shape: rows and columns of the cells.
        margin: share of a box's shorter side.
    """
    mask = np.zeros(shape, np.bool_)
    rows, columns = shape
    for x0, y0, x1, y1 in boxes:
        extra = margin * min(x1 - x0, y1 - y0)
        left, right = ((edge / size[0] * columns) for edge in (x0 - extra, x1 + extra))
        top, bottom = ((edge / size[1] * rows) for edge in (y0 - extra, y1 + extra))
        mask[
            max(0, int(np.floor(top))) : max(0, int(np.ceil(bottom))),
            max(0, int(np.floor(left))) : max(0, int(np.ceil(right))),
        ] = True
    return mask
