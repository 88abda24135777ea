"""Fuses the outputs of all networks for places without clear ink: backs, blank tiles, non-tiles.

The crop classifier judges such a place by itself, the plain-tile network by its surroundings, the
detector by its scores, and the body colour by comparison with the faces on the same photo. A
multinomial logistic regression over this evidence gives the kind of the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.body_colour import body_distances
from hupai.vision.detection.plain_tiles.classifier import (
    BACK,
    BLANK,
    FACE,
    NOTHING,
    PlainTileClassifier,
)
from hupai.vision.detection.tile_classifier import CLASSES
from hupai.vision.detection.tile_detector import BoxDetections
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

MOST_INK = 0.5
"""Probability of a face with ink, by the crop classifier, from which a place is skipped; and of a
white dragon, from which it stays the likeliest face.
"""

LEAST_BACK = 0.3
"""Share of the detector's score for backs above which a place is never skipped."""

OTHER_COLOUR = 1.5
"""Distance of chroma from the faces on the photo above which a place is never skipped."""

WEIGHTS = (0.15, 1.18, -0.07, 0.98, 0.96, -0.22, 0.0, -0.73)
"""Weights of `evidence` for a network whose file has none; later ones count as 0."""

QUERY_DETECTOR_SCORE = 0.15
"""Detector score that is assumed for a place where the detector found nothing."""

MIN_SURE = 0.8
"""Probability of no tile or of a blank tile below which the classifier's answer is kept."""

SURE_BACK = 0.8
"""Share of the detector's score that is for backs, above which a place is never read as a face: the
classifier mistakes patterns on backs for circles and flowers. Of 6,604 faces on photos and rendered
hands two have a higher share.
"""

BACK_SCORE = 0.3
"""Score of a back that all networks together are sure of, however low the detector's alone."""


def settle(
    network: PlainTileClassifier, picture: Picture, found: BoxDetections, shares: FloatArray
) -> tuple[BoxDetections, NDArray[np.bool_]]:
    """Settle the kinds of those boxes found on a picture that show no clear ink.

    Their rows of `shares` (n, 44), the crop classifier's probabilities, are changed in place.

    Returns:
        The boxes, with changed scores and shares of backs, and which (n,) are settled.
    """
    settled = np.zeros(len(found.boxes), bool)
    distances = body_distances(picture, found.boxes, shares)
    look = np.nonzero(without_clear_ink(shares, found.backs, distances))[0]
    if not len(look):
        return found, settled
    some, before = found.only(look), shares[look]
    kinds = network.kinds(picture, some.boxes)
    features = evidence(before, kinds, some.backs, some.scores, distances[look])
    mixed = _in_proportion(with_kinds(before, features, network.weights or WEIGHTS), before)
    back = some.backs > SURE_BACK
    mixed[back, Tile.BACK] += mixed[back, : Tile.BACK].sum(1)
    mixed[back, : Tile.BACK] = 0.0
    unsure = np.isin(mixed.argmax(1), (Tile.WHITE, CLASSES)) & (mixed.max(1) < MIN_SURE)
    look, mixed = look[~unsure], mixed[~unsure]
    settled[look], shares[look] = True, mixed
    scores, backs = found.scores.copy(), found.backs.copy()
    scores[look] = np.maximum(scores[look], BACK_SCORE * mixed[:, Tile.BACK])
    backs[look] = np.maximum(backs[look], mixed[:, Tile.BACK])
    return replace(found, scores=scores, backs=backs), settled


def shares_where_nothing_was_found(
    network: PlainTileClassifier, picture: Picture, boxes: FloatArray, shares: FloatArray
) -> FloatArray:
    """Return the probabilities (n, 44) of places (n, 4) in which the detector found nothing.

    The crop classifier alone, whose probabilities are `shares`, mistakes bare cloth beside a row
    for a back: of 290 places that it named as backs on labelled photos and rendered designs, one
    was a back.
    """
    unknown = np.zeros((len(boxes), 2), np.float32)
    look = np.nonzero(without_clear_ink(shares, shares[:, Tile.BACK], unknown))[0]
    half, missed = np.full(len(look), 0.5), np.full(len(look), QUERY_DETECTOR_SCORE)
    kinds = network.kinds(picture, boxes[look])
    features = evidence(shares[look], kinds, half, missed, unknown[look])
    mixed = shares.copy()
    mixed[look] = with_kinds(shares[look], features, network.weights or WEIGHTS)
    return mixed


def without_clear_ink(
    shares: FloatArray, backs: FloatArray, distances: FloatArray
) -> NDArray[np.bool_]:
    """Return which places (n,) are settled here: those without clear ink, or of another colour.

    Args:
        shares, backs, distances: as for `evidence`.
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
        scores: scores (n,) of the detector.
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
    """Combine the outputs of all networks for places; return probabilities (n, 44).

    The proportions among faces with ink are kept.

    Args:
        shares: as for `evidence`.
        features: what it returns.
        weights: of the first of these features.
    """
    logits = features[..., : len(weights)] @ np.asarray(weights)
    after = softmax(logits.astype(np.float32))
    ratio = after / np.maximum(_by_kind(shares), 1e-12)
    mixed: FloatArray = (shares * ratio[:, _KIND_OF]).astype(np.float32)
    return mixed


def _in_proportion(mixed: FloatArray, shares: FloatArray) -> FloatArray:
    """Keep the classifier's proportions of faces where it sees ink, or names the white dragon.

    A place with ink is examined because its colour suggests a back. Thick ink in the middle of a
    face has another colour too, and the plain-tile network may mistake it for the body of a blank
    tile. A white dragon may also bear a frame or the character 白: that network then sees a face,
    which does not contradict the classifier.
    """
    faces = slice(0, int(Tile.BACK))
    own = shares[:, faces]
    named = (own.sum(1) - own[:, Tile.WHITE] >= MOST_INK) | (own[:, Tile.WHITE] > MOST_INK)
    kept = mixed.copy()
    total = mixed[named, faces].sum(1, keepdims=True)
    kept[named, faces] = own[named] * total / own[named].sum(1, keepdims=True)
    return kept


_KIND_OF = np.full(44, FACE)
_KIND_OF[[Tile.WHITE, Tile.BACK, -1]] = BLANK, BACK, NOTHING


def _by_kind(shares: FloatArray) -> FloatArray:
    """Return the sums (n, 4) of shares (n, 44) over the classes of each kind."""
    return np.stack([shares[:, kind == _KIND_OF].sum(1) for kind in range(4)], 1)


def _log_odds(share: FloatArray) -> FloatArray:
    share = np.clip(share, 0.01, 0.99)
    odds: FloatArray = np.log(share / (1 - share))
    return odds
