"""Outlines of the labelled tiles of photos, as the detector finds them.

Labels are upright boxes without a direction, and those of some photos are loose. The product cuts
crops by the detector's boxes and directions, so training does as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hupai.models import registry
from hupai.models.training.classifier.scene_views import Quads
from hupai.vision.detection.directions import outlines
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import DetectorNetwork
from hupai.vision.geometry.boxes import areas, centres, distances, sizes
from hupai.vision.types import Image

FARTHEST = 0.5
"""Greatest distance between the centres of a label and its tile's box, in shorter sides of it."""

LARGEST = 3.0
"""Greatest ratio of the areas of a label and its tile's box."""


def open_detector(model: str) -> DetectorNetwork:
    """Open the detector of a set of weights, given by name or folder.

    Raises:
        hupai.models.registry.UnknownWeightsError: no such entry.
        hupai.models.registry.DamagedWeightsError: a file is missing or has another hash.
    """
    entry = registry.find(model)
    return DetectorNetwork(open_network(entry.path("detector"), 1), entry.settings)


def detected_outlines(
    image: Image, labels: NDArray[np.floating], detector: DetectorNetwork
) -> Quads:
    """Return the outlines of labelled tiles.

    Args:
        image: the photo, RGB.
        labels: boxes (n, 4), pixels.
        detector: finds the tiles and their directions.

    Returns:
        Corners (n, 4, 2), pixels, clockwise, those of one end of the tile first; NaN for labels
        without a matching box.
    """
    quads = np.full((len(labels), 4, 2), np.nan)
    found = detector.find(Picture.of(image))
    if len(labels) == 0 or len(found.boxes) == 0 or found.half_axes is None:
        return quads
    away = distances(centres(labels), centres(found.boxes))
    away /= sizes(found.boxes).min(1)
    nearest = away.argmin(1)
    mutual = away.argmin(0)[nearest] == np.arange(len(labels))
    ratio = areas(labels) / areas(found.boxes)[nearest]
    similar = (ratio < LARGEST) & (ratio > 1 / LARGEST)
    own = np.nonzero(mutual & similar & (away.min(1) < FARTHEST))[0]
    along, across = np.moveaxis(found.half_axes[nearest[own]], 1, 0)
    mirrored = across[:, 0] * along[:, 1] < across[:, 1] * along[:, 0]
    axes = np.stack([along, np.where(mirrored[:, None], -across, across)], 1)
    quads[own] = outlines(found.boxes[nearest[own]], axes)
    return quads
