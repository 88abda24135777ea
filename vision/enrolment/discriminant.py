"""Tile sets, and adapting the crop classifier to them without training.

A `TileSet` is pictures: a few views of each face, cut as the classifier's crops are, with a margin.
`fit` turns it into a `FittedSet` for one classifier: the views are augmented by rotation, shift,
blur and light, and a linear discriminant with a shrunken common covariance (Fisher 1936; for the
shrinkage Ledoit and Wolf, A well-conditioned estimator for large-dimensional covariance matrices,
2004) is fitted to the embeddings, the input of the classifier's last layer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import VIEW, cut_square
from hupai.vision.numeric import log_softmax, log_sum_exp
from hupai.vision.types import FloatArray, Image

SIDE = 112
"""Side of a stored view, pixels."""

MARGIN = 1.5
"""Side of a stored view in longer sides of the tile's box: room to rotate and shift it."""

MIN_TILES = 8
"""Number of tiles a photo needs to be recognised as showing a set."""

BATCH = 64
"""Number of crops in one run of the classifier."""

_ROUNDS = 10
"""Rounds of alternately estimating the means of faces and photos."""


@dataclass(frozen=True, slots=True, eq=False)
class TileSet:
    """A tile set as enrolled.

    Attributes:
        name: its name.
        created: when it was enrolled, ISO 8601 in UTC.
        faces: shape (n,), the face of each view as `hupai.scoring.tiles.Tile` numbers it.
        views: shape (n, SIDE, SIDE, 3), uint8 RGB, the tile in the middle.
        photo_of: shape (n,), which photo each view is from, counted from 0.
    """

    name: str
    created: str
    faces: NDArray[np.int16]
    views: NDArray[np.uint8]
    photo_of: NDArray[np.int16]

    def __post_init__(self) -> None:
        for name, array, shape in (
            ("photo_of", self.photo_of, self.faces.shape),
            ("views", self.views, (len(self.faces), SIDE, SIDE, 3)),
        ):
            if array.shape != shape:
                raise ValueError(f"TileSet.{name} must have shape {shape}, got {array.shape}")

    @property
    def photos(self) -> int:
        """Number of photos it was learnt from."""
        return len(np.unique(self.photo_of))

    @property
    def known(self) -> tuple[Tile, ...]:
        """Faces it has views of, in the order of `Tile`."""
        return tuple(Tile(int(face)) for face in np.unique(self.faces))


def cut_view(image: Image, box: FloatArray) -> NDArray[np.uint8]:
    """Cut the view of a tile to store, shape (SIDE, SIDE, 3), by its box (4,), pixels."""
    return cut_square(image, box, SIDE, MARGIN)


class Embedder(Protocol):
    """A crop classifier whose embeddings, the input of its last layer, can be read."""

    @property
    def crop(self) -> int:
        """Side of its crops, pixels."""
        ...

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return calibrated logits (n, 44) and embeddings (n, d).

        Args:
            crops: shape (n, 3, crop, crop), RGB from 0 to 1.
        """
        ...


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How a set is learnt and how far it is trusted; chosen on held-out tables (docs/enrolment.md).

    Attributes:
        copies: number of augmented crops of each view, besides the plain one and the one upside
            down.
        shrink: share of the identity in the common covariance.
        base: weight of the classifier's own log-probabilities if the discriminant is at its
            strongest; it is 1 if the discriminant has no weight.
        gain: weight of the discriminant for each share of the set's views that the classifier alone
            gets wrong.
        strongest: greatest weight of the discriminant.
        photo: number of tiles at which the offset shared by a photo's embeddings is halved: the
            fewer tiles, the less certain it is.
        near: squared distance to the nearest prototype, per dimension of the whitened space, up to
            which a crop may show a tile of the set.
        far: squared distance from which it does not, and keeps the classifier's distribution.
        alike: greatest `FittedSet.unlikeness` of a photo that is recognised as showing the set.
        seed: seed of the augmentation.
    """

    copies: int = 12
    shrink: float = 0.1
    base: float = 0.7
    gain: float = 0.4
    strongest: float = 0.06
    photo: float = 4.0
    near: float = 1.5
    far: float = 3.0
    alike: float = -0.65
    seed: int = 4


DEFAULT_FIT = FitSettings()
"""The settings of the product."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedSet:
    """A tile set as one classifier learnt it: a linear discriminant on its embeddings.

    Attributes:
        name: name of the set.
        faces: shape (k,), the faces it knows, ascending.
        means: shape (k, d), the prototypes: mean embedding of each face.
        whiten: shape (d, d), whitens embeddings, so that views of one face spread equally in every
            direction.
        weight: weight of the discriminant.
        settings: how far it is trusted.
    """

    name: str
    faces: NDArray[np.int16]
    means: FloatArray
    whiten: FloatArray
    weight: float
    settings: FitSettings

    def distances(self, embeddings: FloatArray) -> FloatArray:
        """Return squared distances (n, k) to the prototypes, per dimension."""
        white, centres = embeddings @ self.whiten, self.means @ self.whiten
        squares = (white**2).sum(1)[:, None] + (centres**2).sum(1)[None] - 2 * white @ centres.T
        return np.asarray(np.maximum(squares, 0) / white.shape[1], np.float32)

    def shared(self, logits: FloatArray, embeddings: FloatArray) -> FloatArray:
        """Estimate the offset (d,) shared by a photo's embeddings, due to light and sharpness."""
        on_faces = np.exp(log_sum_exp(logits[:, self.faces]) - log_sum_exp(logits))
        expected = (
            np.exp(log_softmax(self.corrected(logits, embeddings)[:, self.faces])) @ self.means
        )
        rest = ((embeddings - expected) * on_faces).sum(0) / (on_faces.sum() + self.settings.photo)
        return np.asarray(rest, np.float32)

    def corrected(
        self, logits: FloatArray, embeddings: FloatArray, shared: FloatArray | None = None
    ) -> FloatArray:
        """Combine the classifier's calibrated logits with the discriminant; calibrated too.

        Probability moves among the faces of the set only: other faces, the back and "no tile" keep
        what the classifier gives them, and a crop that resembles no prototype keeps its whole
        distribution.

        Args:
            logits: shape (n, 44).
            embeddings: shape (n, d), of the same crops.
            shared: offset of the photo they are from, see `shared`.

        Returns:
            Shape (n, 44).
        """
        s = self.settings
        squared = self.distances(embeddings if shared is None else embeddings - shared)
        trust = np.clip((s.far - squared.min(1)) / (s.far - s.near), 0, 1)[:, None]
        own = log_softmax(logits[:, self.faces])
        by_distance = log_softmax(-squared * (self.weight * embeddings.shape[1] / 2))
        less = (1 - s.base) * self.weight / s.strongest
        both = log_softmax(own * (1 - trust * less) + by_distance * trust)
        out = logits.copy()
        out[:, self.faces] = both + log_sum_exp(logits[:, self.faces])
        return out

    def unlikeness(self, embeddings: FloatArray) -> float:
        """Return the mean log distance of a photo's tiles (n, d) to the nearest prototype."""
        return float(np.log(np.maximum(self.distances(embeddings).min(1), 1e-6)).mean())


def fit(tiles: TileSet, embedder: Embedder, settings: FitSettings = DEFAULT_FIT) -> FittedSet:
    """Fit a set to one classifier; the same set and classifier give the same result.

    Args:
        tiles: the set, at least two faces.
        embedder: the classifier.
        settings: how the set is learnt and trusted.
    """
    rng = np.random.default_rng(settings.seed)
    size = embedder.crop
    plain = [
        _crop(view, size, 0.0, 1.0, (0.0, 0.0)).astype(np.float32) / np.float32(255)
        for view in tiles.views
    ]
    turned = [crop[::-1, ::-1] for crop in plain]
    augmented = [
        augmented_crop(view, size, rng) for _ in range(settings.copies) for view in tiles.views
    ]
    logits, embeddings = _embedded(embedder, [*plain, *turned, *augmented])
    n, versions = len(tiles.faces), 2 + settings.copies
    named = (logits[:n] + logits[n : 2 * n])[:, : int(Tile.BACK)].argmax(1)
    wrong = (float((named != tiles.faces).sum()) + 0.5) / (n + 1)

    known, place = np.unique(tiles.faces, return_inverse=True)
    labels, photos = np.tile(place, versions), np.tile(tiles.photo_of, versions)
    centred = _without_offsets(embeddings, labels, photos, versions, settings.photo)
    means = _means(centred, labels)
    rest = centred - means[labels]
    covariance = rest.T @ rest / len(rest)
    d = len(covariance)
    covariance = covariance * (1 - settings.shrink) + np.eye(d) * (
        settings.shrink * np.trace(covariance) / d + 1e-9
    )
    whiten = np.linalg.cholesky(np.linalg.inv(covariance))
    weight = min(settings.strongest, settings.gain * wrong)
    return FittedSet(
        tiles.name,
        known.astype(np.int16),
        means.astype(np.float32),
        whiten.astype(np.float32),
        weight,
        settings,
    )


def _embedded(
    embedder: Embedder, crops: list[FloatArray]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return logits (n, 44) and embeddings (n, d) of crops (size, size, 3)."""
    batches = [
        np.ascontiguousarray(np.stack(crops[i : i + BATCH]).transpose(0, 3, 1, 2))
        for i in range(0, len(crops), BATCH)
    ]
    parts = zip(*(embedder.embed(batch) for batch in batches), strict=True)
    logits, embeddings = (np.concatenate(part).astype(np.float64) for part in parts)
    return logits, embeddings


def _without_offsets(
    embeddings: NDArray[np.float64],
    labels: NDArray[np.intp],
    photos: NDArray[np.int16],
    versions: int,
    prior_tiles: float,
) -> NDArray[np.float64]:
    """Subtract from embeddings (n, d) the face-independent offset shared by each photo's tiles.

    Faces and offsets are estimated alternately.
    """
    centred = embeddings.copy()
    for _ in range(_ROUNDS):
        rest = embeddings - _means(centred, labels)[labels]
        for photo in np.unique(photos):
            on = photos == photo
            tiles = on.sum() / versions
            centred[on] = embeddings[on] - rest[on].mean(0) * (tiles / (tiles + prior_tiles))
    return centred


def _means(values: NDArray[np.float64], labels: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.stack([values[labels == k].mean(0) for k in range(labels.max() + 1)])


def recognised(sets: Sequence[FittedSet], embeddings: FloatArray) -> FittedSet | None:
    """Recognise the set on a photo; None if there are too few tiles or no set resembles them.

    Args:
        sets: the candidates.
        embeddings: shape (n, d), of the photo's tiles.
    """
    if len(embeddings) < MIN_TILES or not sets:
        return None
    best = min(sets, key=lambda one: one.unlikeness(embeddings))
    return best if best.unlikeness(embeddings) <= best.settings.alike else None


def augmented_crop(view: NDArray[np.uint8], size: int, rng: np.random.Generator) -> FloatArray:
    """Cut an augmented crop: with random rotation, shift, light and blur."""
    angle = float(rng.integers(4)) * math.pi / 2 + float(rng.normal(0, 0.1))
    shift = (float(rng.normal(0, 0.03)), float(rng.normal(0, 0.03)))
    crop = _crop(view, size, angle, math.exp(rng.normal(0, 0.06)), shift).astype(
        np.float32
    ) / np.float32(255)
    mean = crop.mean()
    crop = (crop - mean) * np.float32(math.exp(rng.normal(0, 0.15))) + mean
    crop = (
        crop
        * np.float32(math.exp(rng.normal(0, 0.18)))
        * (1 + rng.normal(0, 0.05, 3)).astype(np.float32)
    )
    if rng.random() < 0.5:
        crop = cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.4, 1.4)))
    if rng.random() < 0.25:
        share = float(rng.uniform(0.3, 0.6))
        coarse = cv2.resize(crop, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        crop = cv2.resize(coarse, (size, size), interpolation=cv2.INTER_LINEAR)
    noise = rng.normal(0, rng.uniform(0, 0.03), crop.shape)
    return np.asarray(np.clip(crop + noise, 0, 1), np.float32)


def _crop(
    view: NDArray[np.uint8], size: int, angle: float, zoom: float, shift: tuple[float, float]
) -> NDArray[np.uint8]:
    """Cut the classifier's crop out of a view.

    Args:
        view: shape (SIDE, SIDE, 3).
        size: side of the crop, pixels.
        angle: to turn it by, radians.
        zoom: factor to enlarge it by.
        shift: (x, y) to move it by, in sides of the view.
    """
    side = view.shape[0]
    scale = size * MARGIN / (side * VIEW) * zoom
    c, s = math.cos(angle) * scale, math.sin(angle) * scale
    middle = np.array([(side - 1) / 2 + shift[0] * side, (side - 1) / 2 + shift[1] * side])
    turn = np.array([[c, -s], [s, c]])
    matrix = np.concatenate([turn, ((size - 1) / 2 - turn @ middle)[:, None]], 1)
    return np.asarray(
        cv2.warpAffine(
            view, matrix, (size, size), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )
