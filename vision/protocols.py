"""The interface of a tile detector."""

from __future__ import annotations

from collections.abc import Callable
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

    def region_classifier(
        self, image: Image, tiles: FloatArray
    ) -> Callable[[FloatArray], Detections]:
        """Return a function that names the tiles in boxes (n, 4) of a photo, pixels.

        Boxes that hold none are left out.

        Args:
            image: RGB, shape (height, width, 3), uint8.
            tiles: outlines (m, 4, 2) of the tiles found on it, pixels.
        """
        ...
