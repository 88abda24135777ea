"""The plain-tile network: it distinguishes backs, blank white dragons and non-tiles.

None of them shows ink, so the crop of a single tile hardly distinguishes them. The surroundings do:
a back differs in colour from the bodies of nearby faces, a blank white dragon does not, and the
side of a tile or a piece of cloth lacks the outline of a tile. The network sees two views of each
box, close and wide, and has only four classes, so it is small and never names a face.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.crops import squares, stacked
from hupai.vision.detection.onnx_session import Network
from hupai.vision.detection.picture import Picture
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

SIDE = 48
"""Side of the network's input, pixels."""

NEAR, WIDE = 1.2, 3.2
"""Sides of the two views of a place, in longer sides of its box."""

FACE, BLANK, BACK, NOTHING = range(4)
"""Kinds, in the order of the network's output; a white dragon with a frame is a face as well."""

FUSION = "fusion"
"""Key of the weights in the metadata of the ONNX file: a JSON list, as `fusion.WEIGHTS`, that
`hupai.models.training.plain_tiles.fusion` fitted to the networks it ships with."""

MAX_BATCH = 64
"""Maximum number of places in one run of the network."""


def cut_views(
    picture: Picture, boxes: NDArray[np.floating], side: int, views: tuple[float, float]
) -> list[NDArray[np.uint8]]:
    """Cut both views of places, shape (n, side, side, 3) each.

    Args:
        picture: the picture that shows them.
        boxes: shape (n, 4), pixels.
        side: side of the views, pixels.
        views: their sides in longer sides of the box.
    """
    return [picture.cut(squares(boxes, context), (side, side)) for context in views]


class PlainTileClassifier:
    """The network that classifies the kinds of places; threads may share it."""

    weights: Sequence[float] | None = None
    """Weights of `fusion.evidence`; None if the network's file has none."""

    def __init__(self, network: Network) -> None:
        """Classify places.

        Args:
            network: input (n, 6, SIDE, SIDE), both views of `cut_views` from 0 to 1, output (n, 4),
                logits of the kinds.
        """
        self._network = network
        stored = network.get_modelmeta().custom_metadata_map.get(FUSION)
        if stored is not None:
            self.weights = json.loads(stored)

    def kinds(self, picture: Picture, boxes: FloatArray) -> FloatArray:
        """Return the probabilities (n, 4) of the kinds of places with boxes (n, 4)."""
        parts = [np.zeros((0, 4), np.float32)]
        for start in range(0, len(boxes), MAX_BATCH):
            some = boxes[start : start + MAX_BATCH]
            near, wide = (stacked(view) for view in cut_views(picture, some, SIDE, (NEAR, WIDE)))
            views = np.concatenate([near, wide], 1)
            parts.append(softmax(self._network.run(["logits"], {"views": views})[0]))
        return np.concatenate(parts)
