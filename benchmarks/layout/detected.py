"""Detects tiles of rendered tables and labelled photos, with a cache, and matches them with the
truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

from benchmarks.layout.families import key, picture_of
from benchmarks.layout.table import LaidTable
from hupai.models import registry
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import pairwise_iou
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.recogniser import ENOUGH, layout_with_recovery
from hupai.vision.protocols import RegionClassifier
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, FloatArray, Image, ModelInfo, Reading

MIN_IOU = 0.4
"""Minimum intersection over union of a detection and its tile."""

_PARTS = ("boxes", "scores", "probabilities", "axes", "quads", "reds")
"""Arrays of detections that are cached."""


class Finder:
    """The shipped detector, with an optional cache on disk."""

    def __init__(self, cache: Path | None) -> None:
        """Cache detections in the folder `cache`, if given."""
        self._detector = registry.load()
        self._cache = cache
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)

    @property
    def info(self) -> ModelInfo:
        """The weights of the detector."""
        return self._detector.info

    def scene_classifier(self, table: LaidTable, found: Detections) -> TimedClassifier:
        """Return a classifier for boxes of the table's picture."""
        return self.classifier(key(table), lambda: picture_of(table), found)

    def scene(self, table: LaidTable) -> Detections:
        """Return the detections of the table's picture, cached if possible."""
        known = self._load(key(table))
        return known if known is not None else self._detect(key(table), picture_of(table))

    def photo(self, key: str, image: Image) -> Detections:
        """Return the detections of a photo, cached under `key`."""
        known = self._load(key)
        return known if known is not None else self._detect(key, image)

    def classifier(
        self, key: str, picture: Callable[[], Image], found: Detections
    ) -> TimedClassifier:
        """Return a classifier for boxes of a picture, cached under `key`."""
        return TimedClassifier(self, key, picture, found)

    def classify_boxes(
        self, key: str, picture: Callable[[], Image], boxes: FloatArray, tiles: FloatArray
    ) -> Detections:
        """Classify the boxes (n, 4), pixels, of a picture, cached if possible.

        Args:
            key, picture: cache key of the picture, and a function that returns it.
            boxes: the boxes.
            tiles: outlines (m, 4, 2) of the tiles found on it.
        """
        key = f"{key}-at-{sha256(boxes.astype(np.float32).tobytes()).hexdigest()[:12]}"
        known = self._load(key)
        if known is None:
            seen = (
                self._detector.region_classifier(picture(), tiles)(boxes)
                if isinstance(self._detector, RegionClassifier)
                else Detections.empty()
            )
            known = self._store(key, seen)
        return known

    def _cache_file(self, key: str) -> Path | None:
        return (
            None
            if self._cache is None
            else self._cache / f"{self._detector.info.sha256[:12]}-{key}.npz"
        )

    def _load(self, key: str) -> Detections | None:
        file = self._cache_file(key)
        if file is None or not file.is_file():
            return None
        with np.load(file) as kept:
            if any(part not in kept for part in _PARTS):
                return None  # written by an earlier version, which kept fewer arrays
            low = _loaded(kept, "low_")
            return replace(_loaded(kept), low_confidence=low if len(low) else None)

    def _detect(self, key: str, image: Image) -> Detections:
        return self._store(key, self._detector.detect(image))

    def _store(self, key: str, found: Detections) -> Detections:
        file = self._cache_file(key)
        if file is not None:
            low = found.low_confidence or Detections.empty()
            arrays = {part: getattr(found, part) for part in _PARTS} | {
                f"low_{part}": getattr(low, part) for part in _PARTS
            }
            np.savez(file, **arrays)
        return found


def _loaded(kept: Mapping[str, NDArray[np.float32]], prefix: str = "") -> Detections:
    boxes, scores, probabilities, axes, quads, reds = (kept[prefix + part] for part in _PARTS)
    return Detections(boxes, scores, probabilities, axes, quads=quads, reds=reds)


class TimedClassifier:
    """Classifies boxes of a picture and sums the processor time this takes, seconds."""

    def __init__(
        self, finder: Finder, key: str, picture: Callable[[], Image], found: Detections
    ) -> None:
        """Classify with this finder on a picture where these tiles were found."""
        self._finder, self._key, self._picture, self._found = finder, key, picture, found
        self.seconds = 0.0

    def __call__(self, boxes: FloatArray) -> Detections:
        """Classify the boxes (n, 4) of the picture."""
        begun = process_time()
        found = self._finder.classify_boxes(self._key, self._picture, boxes, self._found.quads)
        self.seconds += process_time() - begun
        return found


def image_of(photo: LabelledPhoto) -> Image:
    """Decode a photo at the size at which it is read."""
    return decode(photo.path.read_bytes(), photo.path.name, enough=ENOUGH).image


def matched(table: LaidTable, found: Detections, dropped: Set[int] = frozenset()) -> dict[int, int]:
    """Match each detection with a tile of a table, as `matched_boxes` does."""
    return matched_boxes(table.detections.boxes, found, dropped)


def matched_boxes(
    truth: FloatArray, found: Detections, dropped: Set[int] = frozenset()
) -> dict[int, int]:
    """Match each detection with a true box (n, 4), by the greatest overlap first.

    Detections without a box and duplicates get distinct negative numbers.
    """
    overlap = pairwise_iou(found.boxes, truth)
    overlap[sorted(dropped)] = 0.0
    names = {i: -1 - i for i in range(len(found))}
    taken: set[int] = set()
    for flat in np.argsort(-overlap, axis=None):
        i, j = divmod(int(flat), overlap.shape[1])
        if overlap[i, j] < MIN_IOU:
            break
        if names[i] < 0 and j not in taken:
            names[i] = j
            taken.add(j)
    return names


def all_tiles_named(table: LaidTable, found: Detections) -> bool:
    """Return whether every tile of the hand is detected and classified correctly."""
    seen = {j: i for i, j in matched(table, found).items()}
    for j, tile in enumerate(table.tiles):
        if tile.in_hand:
            true = Tile.BACK if tile.face_down else tile.face
            if j not in seen or int(found.probabilities[seen[j]].argmax()) != true:
                return False
    return True


@dataclass(frozen=True, slots=True)
class HandRead:
    """A labelled hand and the reading of its photo.

    Attributes:
        photo: the photo with its labels.
        reading: the reading.
        exact: whether the reading has exactly the tiles of the hand.
        layout_ms: processor time of the layout, milliseconds.
    """

    photo: LabelledPhoto
    reading: Reading
    exact: bool
    layout_ms: float


def hands_read(finder: Finder, folder: Path) -> Iterator[HandRead]:
    """Read the photos of a labelled folder whose hand is known."""
    for photo in read_folder(folder):
        if photo.hand is None:
            continue
        image, key = image_of(photo), f"{folder.name}-{photo.path.stem}"
        found = finder.photo(key, image)
        classify = finder.classifier(key, partial(np.asarray, image), found)
        begun = process_time()
        layout = layout_with_recovery(classify, found, (image.shape[1], image.shape[0]))
        spent = (process_time() - begun - classify.seconds) * 1000
        reading = read(layout)
        tiles = Counter(tile.tile for tile in reading.tiles if tile.in_hand)
        yield HandRead(photo, reading, tiles == Counter(photo.hand), spent)
