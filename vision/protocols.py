"""The tile detector as the other stages see it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from hupai.vision.types import Detections, FloatArray, Image, ModelInfo


class TileDetector(Protocol):
    """Finds the tiles of an upright photo."""

    @property
    def info(self) -> ModelInfo:
        """Which weights answer."""
        ...

    def detect(self, image: Image) -> Detections:
        """The tiles of an RGB photo, shape (height, width, 3), uint8; boxes in its pixels."""
        ...


@runtime_checkable
class RegionClassifier(Protocol):
    """A detector that can be asked about places as well."""

    def classify_boxes(self, image: Image, boxes: FloatArray) -> Detections:
        """The tiles at boxes (n, 4), pixels of an RGB photo; fewer than boxes where some hold
        none.
        """
        ...
