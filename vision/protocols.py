"""The interface of a tile detector."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from hupai.vision.types import Detections, FloatArray, Image, ModelInfo


class TileDetector(Protocol):
    """Finds the tiles of an upright photo."""

    @property
    def info(self) -> ModelInfo:
        """The weights."""
        ...

    def detect(self, image: Image) -> Detections:
        """Find and name the tiles of a photo.

        Args:
            image: RGB, shape (height, width, 3), uint8.

        Returns:
            Detections with boxes in its pixels.
        """
        ...


@runtime_checkable
class RegionClassifier(Protocol):
    """A detector that can also classify given regions of a photo."""

    def classify_boxes(self, image: Image, boxes: FloatArray, tiles: FloatArray) -> Detections:
        """Name the tiles in given boxes; boxes that hold none are left out.

        Args:
            image: RGB, shape (height, width, 3), uint8.
            boxes: shape (n, 4), pixels.
            tiles: outlines (m, 4, 2) of the tiles found on it, pixels.
        """
        ...
