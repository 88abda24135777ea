"""Tile sets that were shown to the system, and what the crop classifier learns from them without training.

A `TileSet` is pictures: a few views of each face, cut as the classifier's crops are, with a margin. `fit` turns it into a
`FittedSet` for one classifier: the views are turned, shifted, blurred and lit in many ways, and a linear discriminant with a
shrunken common covariance (Fisher 1936; for the shrinking Ledoit and Wolf, A well-conditioned estimator for large-dimensional
covariance matrices, 2004) is fitted to the embeddings that the classifier's last layer sees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.tiles import Tile
from vision.crops import VIEW, cut_square
from vision.types import FloatArray, Image

SIDE = 112
"""Side of a stored view, pixels."""
MARGIN = 1.5
"""Side of a stored view in longer sides of the tile's box: room to turn and shift it."""
FEWEST = 8
"""Tiles from which on a photo can be recognised as showing a set."""


@dataclass(frozen=True, slots=True, eq=False)
class TileSet:
    """A tile set as it was shown.

    Attributes:
        name: what it is called.
        created: when it was shown, ISO 8601 in UTC.
        faces: shape (n,), the face of each view as `scoring.tiles.Tile` numbers it.
        views: shape (n, SIDE, SIDE, 3), uint8 RGB, the tile in the middle.
        photos: from how many photos.
    """

    name: str
    created: str
    faces: NDArray[np.int16]
    views: NDArray[np.uint8]
    photos: int

    def __post_init__(self) -> None:
        if self.views.shape != (len(self.faces), SIDE, SIDE, 3):
            raise ValueError(f"TileSet.views must have shape {(len(self.faces), SIDE, SIDE, 3)}, got {self.views.shape}")

    @property
    def known(self) -> tuple[Tile, ...]:
        """The faces it has views of, in the order of `Tile`."""
        return tuple(Tile(int(face)) for face in np.unique(self.faces))


def cut_view(image: Image, box: FloatArray) -> NDArray[np.uint8]:
    """The view of a tile to keep, shape (SIDE, SIDE, 3); `box` in pixels of the upright photo."""
    return cut_square(image, box, SIDE, MARGIN)


class Embedder(Protocol):
    """A crop classifier that tells what its last layer sees."""

    @property
    def crop(self) -> int:
        """Side of its crops, pixels."""
        ...

    def embed(self, crops: FloatArray) -> FloatArray:
        """Embeddings (n, d) of crops (n, 3, crop, crop), RGB from 0 to 1."""
        ...


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How a set is learnt and how far it is trusted; chosen on tables left out of training (docs/enrolment.md).

    Attributes:
        copies: altered views of each face, shared among its views; every view is taken plain and upside down besides.
        shrink: share of a sphere in the common covariance.
        sharpness: factor on the discriminant; correlated dimensions make it overconfident.
        base: weight of the classifier's own log probabilities beside the discriminant.
        near, far: squared distances to the nearest prototype, in the common covariance and per dimension: up to `near` a
            crop shows a tile of the set, from `far` on it does not and keeps the classifier's distribution.
        alike: `FittedSet.unlikeness` up to which a photo is taken to show the set.
        seed: of the alterations.
    """

    copies: int = 24
    shrink: float = 0.3
    sharpness: float = 0.05
    base: float = 0.5
    near: float = 0.8
    far: float = 1.6
    alike: float = -0.9
    seed: int = 4


DEFAULT_FIT = FitSettings()


@dataclass(frozen=True, slots=True, eq=False)
class FittedSet:
    """What one classifier learnt of a tile set.

    Attributes:
        name: of the set.
        faces: shape (k,), the faces it knows, rising.
        whiten: shape (d, d), takes embeddings to a space in which views of one face spread evenly.
        prototypes: shape (k, d), mean of each face there.
        settings: how far it is trusted.
    """

    name: str
    faces: NDArray[np.int16]
    whiten: FloatArray
    prototypes: FloatArray
    settings: FitSettings

    def distances(self, embeddings: FloatArray) -> FloatArray:
        """Squared distances (n, k) to the prototypes, per dimension."""
        white = embeddings @ self.whiten
        inner = white @ self.prototypes.T
        squares = (white**2).sum(1)[:, None] + (self.prototypes**2).sum(1)[None] - 2 * inner
        return np.asarray(squares / white.shape[1], np.float32)

    def corrected(self, logits: FloatArray, embeddings: FloatArray) -> FloatArray:
        """The classifier's calibrated logits (n, 44) with what the set says; calibrated too.

        Probability moves among the faces of the set only: other faces, the back and "no tile" keep what the classifier gives
        them, and a crop that resembles no prototype keeps its whole distribution.
        """
        s = self.settings
        squared = self.distances(embeddings)
        trust = np.clip((s.far - squared.min(1)) / (s.far - s.near), 0, 1)[:, None]
        own = _log_softmax(logits[:, self.faces])
        said = _log_softmax(-squared * (s.sharpness * embeddings.shape[1] / 2))
        both = _log_softmax(own * (1 - trust * (1 - s.base)) + said * trust)
        out = logits.copy()
        out[:, self.faces] = both + _log_sum(logits[:, self.faces])
        return out

    def unlikeness(self, embeddings: FloatArray) -> float:
        """How unlike the set the tiles of a photo are: mean log distance to the nearest prototype; lower is liker."""
        return float(np.log(np.maximum(self.distances(embeddings).min(1), 1e-6)).mean())


def fit(tiles: TileSet, embedder: Embedder, settings: FitSettings = DEFAULT_FIT) -> FittedSet:
    """Learn a set for one classifier; the same set and classifier give the same result."""
    rng = np.random.default_rng(settings.seed)
    known = np.unique(tiles.faces)
    crops, classes = [], []
    for face in known:
        views = tiles.views[tiles.faces == face]
        for view in views:
            plain = _crop(view, embedder.crop, 0.0, 1.0, (0.0, 0.0)).astype(np.float32) / np.float32(255)
            crops += [plain, plain[::-1, ::-1]]
        crops += [_altered(views[i % len(views)], embedder.crop, rng) for i in range(settings.copies)]
        classes += [face] * (2 * len(views) + settings.copies)
    embeddings = np.concatenate(
        [embedder.embed(np.ascontiguousarray(np.stack(crops[i : i + 64]).transpose(0, 3, 1, 2))) for i in range(0, len(crops), 64)]
    ).astype(np.float64)
    labels = np.asarray(classes)
    means = np.stack([embeddings[labels == face].mean(0) for face in known])
    rest = embeddings - means[np.searchsorted(known, labels)]
    covariance = rest.T @ rest / len(rest)
    d = len(covariance)
    covariance = covariance * (1 - settings.shrink) + np.eye(d) * (settings.shrink * np.trace(covariance) / d + 1e-9)
    whiten = np.linalg.cholesky(np.linalg.inv(covariance))
    return FittedSet(
        tiles.name, known.astype(np.int16), whiten.astype(np.float32), (means @ whiten).astype(np.float32), settings
    )


def recognised(sets: Sequence[FittedSet], embeddings: FloatArray) -> FittedSet | None:
    """The set that the tiles of a photo are likest, if they are enough and like enough.

    Args:
        sets: the candidates.
        embeddings: shape (n, d), of the photo's tiles.
    """
    if len(embeddings) < FEWEST or not sets:
        return None
    best = min(sets, key=lambda one: one.unlikeness(embeddings))
    return best if best.unlikeness(embeddings) <= best.settings.alike else None


def _altered(view: NDArray[np.uint8], size: int, rng: np.random.Generator) -> FloatArray:
    """The crop as another photo might show it: turned, nearer, shifted, in other light, less sharp."""
    angle = float(rng.integers(4)) * math.pi / 2 + float(rng.normal(0, 0.1))
    shift = (float(rng.normal(0, 0.03)), float(rng.normal(0, 0.03)))
    crop = _crop(view, size, angle, math.exp(rng.normal(0, 0.06)), shift).astype(np.float32) / np.float32(255)
    mean = crop.mean()
    crop = (crop - mean) * np.float32(math.exp(rng.normal(0, 0.15))) + mean
    crop = crop * np.float32(math.exp(rng.normal(0, 0.18))) * (1 + rng.normal(0, 0.05, 3)).astype(np.float32)
    if rng.random() < 0.5:
        crop = cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.4, 1.4)))
    if rng.random() < 0.25:
        share = float(rng.uniform(0.3, 0.6))
        coarse = cv2.resize(crop, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        crop = cv2.resize(coarse, (size, size), interpolation=cv2.INTER_LINEAR)
    noise = rng.normal(0, rng.uniform(0, 0.03), crop.shape)
    return np.clip(crop + noise, 0, 1).astype(np.float32)


def _crop(view: NDArray[np.uint8], size: int, angle: float, zoom: float, shift: tuple[float, float]) -> NDArray[np.uint8]:
    """The classifier's crop out of a view, turned by `angle`, `zoom` times nearer, shifted by a share of the view's side."""
    side = view.shape[0]
    scale = size * MARGIN / (side * VIEW) * zoom
    c, s = math.cos(angle) * scale, math.sin(angle) * scale
    middle = np.array([(side - 1) / 2 + shift[0] * side, (side - 1) / 2 + shift[1] * side])
    turn = np.array([[c, -s], [s, c]])
    matrix = np.concatenate([turn, ((size - 1) / 2 - turn @ middle)[:, None]], 1)
    return np.asarray(cv2.warpAffine(view, matrix, (size, size), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _log_sum(values: FloatArray) -> FloatArray:
    top = np.asarray(values.max(1, keepdims=True))
    return np.asarray(np.log(np.exp(values - top).sum(1, keepdims=True)) + top, np.float32)


def _log_softmax(values: FloatArray) -> FloatArray:
    return np.asarray(values - _log_sum(values), np.float32)
