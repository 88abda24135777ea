"""The third network: it distinguishes backs, blank white dragons and non-tiles.

None of them shows ink, so the crop of a single tile hardly distinguishes them. The surroundings do:
a back differs in colour from the bodies of nearby faces, a blank white dragon does not, and the
side of a tile or a piece of cloth lacks the outline of a tile. The network sees two views of each
box, close and wide, and has only four classes, so it is small and never names a face.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import squares, stacked
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

SIDE = 48
"""Side of the network's input, pixels."""

NEAR, WIDE = 1.2, 3.2
"""Sides of the two views of a place, in longer sides of its box."""

FACE, BLANK, BACK, NOTHING = range(4)
"""Kinds, in the order of the network's output; a white dragon with a frame is a face as well."""

MOST_INK = 0.5
"""Probability of a face with ink, by the crop classifier, from which a place is skipped."""

LEAST_BACK = 0.3
"""Share of the detector's score for backs above which a place is never skipped."""

OTHER_COLOUR = 1.5
"""Distance of chroma from the faces on the photo above which a place is never skipped."""

WEIGHTS = (0.15, 1.18, -0.07, 0.98, 0.96, -0.22, 0.0, -0.73)
"""Weights of `evidence` for a network whose file brings none; later ones count as 0."""

FUSION = "fusion"
"""Key of the weights in the metadata of the ONNX file: a JSON list, as `WEIGHTS`, that
`hupai.models.training.plain_tiles.fusion` fitted to the networks it ships with."""

MAX_BATCH = 64
"""Most places in one run of the network."""


def cut_views(
    picture: Picture,
    boxes: NDArray[np.floating],
    side: int = SIDE,
    views: tuple[float, float] = (NEAR, WIDE),
) -> NDArray[np.uint8]:
    """Cut both views of places.

    Args:
        picture: that shows them.
        boxes: shape (n, 4), pixels.
        side: of the views, pixels.
        views: their sides in longer sides of the box.

    Returns:
        The close view's channels, then those of the wide one, shape (n, side, side, 6).
    """
    both = [picture.cut(squares(boxes, context), (side, side)) for context in views]
    return np.concatenate(both, axis=3)


class PlainTileClassifier:
    """The network that classifies the kinds of places; threads may share it."""

    _weights: Sequence[float] = WEIGHTS

    def __init__(self, network: Path, threads: int = 0, providers: str | None = None) -> None:
        """Open the network.

        Args:
            network: ONNX file; input (n, 6, SIDE, SIDE), both views of `cut_views` from 0 to 1,
                output (n, 4), logits of the kinds.
            threads, providers: see `hupai.vision.detection.onnx_session.open_network`.
        """
        self._network = open_network(network, threads, providers)
        stored = self._network.get_modelmeta().custom_metadata_map.get(FUSION)
        if stored is not None:
            self._weights = json.loads(stored)

    def combine(
        self, picture: Picture, boxes: FloatArray, shares: FloatArray, backs: FloatArray,
        scores: FloatArray, distances: FloatArray,
    ) -> FloatArray:  # fmt: skip
        """Classify places and combine the outputs of all networks; see `with_kinds`.

        Args:
            picture: that shows them.
            boxes: of the places, (n, 4).
            shares, backs, scores, distances: see `evidence`.
        """
        kinds = self.kinds(picture, boxes)
        return with_kinds(shares, evidence(shares, kinds, backs, scores, distances), self._weights)

    def kinds(self, picture: Picture, boxes: FloatArray) -> FloatArray:
        """Return the probabilities (n, 4) of the kinds of places with boxes (n, 4)."""
        parts = [np.zeros((0, 4), np.float32)]
        for start in range(0, len(boxes), MAX_BATCH):
            views = stacked(cut_views(picture, boxes[start : start + MAX_BATCH]))
            parts.append(softmax(self._network.run(["logits"], {"views": views})[0]))
        return np.concatenate(parts)


def plain(shares: FloatArray, backs: FloatArray, distances: FloatArray) -> NDArray[np.bool_]:
    """Return which places (n,) need the network: those without certain ink, or of another colour.

    Args:
        shares: probabilities (n, 44) by the crop classifier, the last of no tile.
        backs: share (n,) of the detector's score that speaks for a back.
        distances: from the faces' body colour (n, 2), see `body_colour.body_distances`.
    """
    inked = shares[:, : Tile.BACK].sum(1) - shares[:, Tile.WHITE]
    other = distances[:, 0] > OTHER_COLOUR
    return np.asarray((inked < MOST_INK) | (backs > LEAST_BACK) | other)


def evidence(
    shares: FloatArray,
    kinds: FloatArray,
    backs: FloatArray,
    scores: FloatArray,
    distances: FloatArray,
) -> FloatArray:
    """Return the features (n, 4, 12) of the kinds of places, for `WEIGHTS`.

    Args:
        shares: probabilities (n, 44) by the crop classifier, the last of no tile.
        kinds: probabilities (n, 4) by the plain-tile network.
        backs: share (n,) of the detector's score that speaks for a back.
        scores: of the detector, (n,).
        distances: from the faces' body colour (n, 2), see `body_colour.body_distances`.

    Returns:
        Log-probability by the classifier and by the network; for a back the log-odds of the
        detector; for no tile those of its score; a constant for each kind; and the distances of
        chroma and lightness for what shows a face, blank or not, and for a back.
    """
    found = np.zeros((len(shares), 4, 12), np.float32)
    found[:, :, 0] = np.log(_by_kind(shares) + 1e-3)
    found[:, :, 1] = np.log(kinds + 1e-3)
    found[:, BACK, 2] = _log_odds(backs)
    found[:, NOTHING, 3] = -_log_odds(scores)
    found[:, range(4), range(4, 8)] = 1.0
    found[:, [FACE, BLANK], 8:10] = distances[:, None]
    found[:, BACK, 10:] = distances
    return found


def with_kinds(
    shares: FloatArray, features: FloatArray, weights: Sequence[float] = WEIGHTS
) -> FloatArray:
    """Combine the outputs of all networks for places.

    The proportions among faces with ink are kept.

    Args:
        shares: probabilities (n, 44) by the crop classifier, the last of no tile.
        features: of the kinds, see `evidence`.
        weights: of the first of these features.

    Returns:
        Probabilities (n, 44).
    """
    logits = features[..., : len(weights)] @ np.asarray(weights)
    after = softmax(logits.astype(np.float32))
    ratio = after / np.maximum(_by_kind(shares), 1e-12)
    mixed: FloatArray = (shares * ratio[:, _KIND_OF]).astype(np.float32)
    return mixed


_KIND_OF = np.full(44, FACE)
_KIND_OF[[Tile.WHITE, Tile.BACK, -1]] = BLANK, BACK, NOTHING


def _by_kind(shares: FloatArray) -> FloatArray:
    """Return the sums (n, 4) of shares (n, 44) over the classes of each kind."""
    return np.stack([shares[:, kind == _KIND_OF].sum(1) for kind in range(4)], 1)


def _log_odds(share: FloatArray) -> FloatArray:
    share = np.clip(share, 0.01, 0.99)
    odds: FloatArray = np.log(share / (1 - share))
    return odds
