"""The tile detector as the other stages see it."""

from __future__ import annotations

from typing import Protocol

from vision.types import Detections, Image, ModelInfo


class TileDetector(Protocol):
    """Finds the tiles of an upright photo."""

    @property
    def info(self) -> ModelInfo:
        """Which weights answer."""
        ...

    def detect(self, image: Image) -> Detections:
        """The tiles of an RGB photo, shape (height, width, 3), uint8; boxes in its pixels."""
        ...
