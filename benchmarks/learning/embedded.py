"""Crops of labelled photos as the classifier's last layer sees them: fits in a second of CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from hupai.api.learning.ranking import WIDTH, Candidate, Doubt, in_order, picture_bits
from hupai.models.evaluation.labelled_folder import LabelledPhoto
from hupai.models.learning.last_layer import Layer, Rows, Settings, embedded, fit, layer_of
from hupai.models.training.classifier.crops import CONTEXT, PATCH, central_crops
from hupai.vision.detection.crops import cut_square
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.detection.tile_detector import DetectorSettings
from hupai.vision.enrolment.discriminant import FittedSet, TileSet, cut_view
from hupai.vision.enrolment.discriminant import fit as fit_set
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

Crops = tuple[np.ndarray, np.ndarray]
"""Patches (n, PATCH, PATCH, 3) and classes (n,)."""

COPIES = 6
"""Altered copies of each crop."""

STRONG = 0.06
"""Weight of the discriminant of a set; enrolment uses at most as much."""


def crops_of(photos: Sequence[LabelledPhoto]) -> Crops:
    """Cut the labelled tiles of photos."""
    patches, classes = [], []
    for photo in photos:
        picture = cv2.imread(str(photo.path))
        if picture is None:
            raise FileNotFoundError(photo.path)
        image = np.asarray(picture[..., ::-1], np.uint8)
        size = np.tile(np.array(image.shape[1::-1]), 2)
        for tile, box in zip(photo.tiles, photo.boxes, strict=True):
            patches.append(cut_square(image, box * size, PATCH, CONTEXT))
            classes.append(int(tile))
    return np.array(patches, np.uint8), np.array(classes, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A photo as the last layer sees it.

    Attributes:
        truth: its labels.
        plain: embeddings of its tiles, shape (n, d).
        altered: embeddings of altered copies, shape (COPIES, n, d).
        classes: shape (n,).
    """

    truth: LabelledPhoto
    plain: FloatArray
    altered: FloatArray
    classes: np.ndarray


class Learner:
    """A classifier's last layer, fitted to photos.

    Args:
        path: ONNX file of the classifier.
        settings: settings of the reader.
        old: crops whose outputs should stay.
    """

    def __init__(self, path: Path, settings: DetectorSettings, old: Crops) -> None:
        self.settings = settings
        self.classifier = TileClassifier(open_network(path, 1), settings)
        self.crop = settings.crop
        self.shipped = layer_of(path)
        self.old = embedded(self._embeddings, *old, self.crop, 1, 29)

    def _embeddings(self, crops: FloatArray) -> FloatArray:
        return self.classifier.embed(crops)[1]

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return calibrated logits (n, 44) and embeddings (n, d), as enrolment needs them."""
        return self.classifier.embed(crops)

    def photo(self, truth: LabelledPhoto, seed: int, copies: int) -> Photo:
        """Embed the tiles of a photo."""
        patches, classes = crops_of([truth])
        plain = self._embeddings(central_crops(patches, self.crop))
        altered = np.zeros((0, len(classes), plain.shape[1]), np.float32)
        if copies:
            rows = embedded(self._embeddings, patches, classes, self.crop, copies, seed)
            altered = rows.embeddings.reshape(copies, len(classes), -1)
        return Photo(truth, plain, altered, classes)

    def taught(self, photos: Sequence[Photo], settings: Settings) -> Layer:
        """Fit the last layer to photos."""
        own = np.concatenate(
            [
                np.concatenate([p.plain[None], p.altered]).reshape(-1, p.plain.shape[1])
                for p in photos
            ]
        )
        classes = np.concatenate([np.tile(p.classes, 1 + len(p.altered)) for p in photos])
        return fit(self.shipped, Rows(own, classes), self.old, settings)

    def logits(self, photo: Photo, layer: Layer, learnt: FittedSet | None = None) -> FloatArray:
        """Return the calibrated logits (n, 44) of a photo's tiles."""
        found = (layer.logits(photo.plain) / self.settings.temperature).astype(np.float32)
        if learnt is not None:
            return learnt.corrected(found, photo.plain, learnt.shared(found, photo.plain))
        return found

    def right(
        self, photos: Sequence[Photo], layer: Layer, learnt: FittedSet | None = None
    ) -> tuple[int, int]:
        """Count the faces classified correctly, and the photos with no other faces."""
        hits = [self.logits(p, layer, learnt)[:, :43].argmax(1) == p.classes for p in photos]
        return sum(int(hit.sum()) for hit in hits), sum(bool(hit.all()) for hit in hits)


def tile_set(learner: Learner, photos: Sequence[Photo]) -> FittedSet:
    """Enrol a tile set from all corrected crops.

    It has the greatest weight that enrolment gives, however little a photo looks like the set.
    """
    views, faces, numbers = [], [], []
    for number, photo in enumerate(photos):
        picture = cv2.imread(str(photo.truth.path))
        assert picture is not None
        image = np.asarray(picture[..., ::-1], np.uint8)
        size = np.tile(np.array(image.shape[1::-1]), 2)
        for face, box in zip(photo.truth.tiles, photo.truth.boxes, strict=True):
            views.append(cut_view(image, (box * size).astype(np.float32)))
            faces.append(int(face))
            numbers.append(number)
    shown = TileSet(
        "table", "", np.array(faces, np.int16), np.array(views), np.array(numbers, np.int16)
    )
    learnt = fit_set(shown, learner)
    trust = replace(learnt.settings, base=0.3, near=1e9, far=2e9)
    return replace(learnt, weight=STRONG, settings=trust)


def orders(learner: Learner, pool: Sequence[Photo], most: int) -> dict[str, list[int]]:
    """Return each order of the photos, as indices into `pool`.

    `suggested` is that of `hupai datasets suggest`, with the class distributions of crops; `core
    set` takes embeddings instead of these distributions.
    """
    seen = [softmax(learner.logits(photo, learner.shipped)) for photo in pool]
    candidates = [
        Candidate(f"{i:06d}", picture_bits(photo.truth.path.read_bytes()), Doubt(p[:, :WIDTH]))
        for i, (photo, p) in enumerate(zip(pool, seen, strict=True))
    ]
    doubts = [one.doubt.by_tile for one in candidates]
    return {
        "suggested": [int(one.key) for one in in_order(candidates, (), most)],
        "core set": _core_set(pool, doubts, most),
    }


def _core_set(pool: Sequence[Photo], doubts: Sequence[FloatArray], most: int) -> list[int]:
    values = np.concatenate([photo.plain for photo in pool])
    values = (values - values.mean(0)) / np.maximum(values.std(0), 1e-6)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    alike, weight = np.clip(values @ values.T, 0, None), np.concatenate(doubts)
    owner = np.repeat(np.arange(len(pool)), [len(photo.classes) for photo in pool])
    nearest = [alike[owner == i].max(0) for i in range(len(pool))]
    covered, left, chosen = np.zeros(len(values)), set(range(len(pool))), list[int]()
    while left and len(chosen) < most:
        gain = {
            i: float(weight @ (np.maximum(covered, nearest[i]) - covered)) for i in sorted(left)
        }
        chosen.append(max(gain, key=gain.__getitem__))
        left.discard(chosen[-1])
        covered = np.maximum(covered, nearest[chosen[-1]])
    return chosen
