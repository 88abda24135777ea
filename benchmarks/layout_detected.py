"""What the shipped weights see of rendered tables and of labelled photos, kept if wished, and
matched with the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

from benchmarks.layout_scenes import LaidTable, Sample, picture
from hupai.models import registry
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import pairwise_iou
from hupai.vision.photo.decode import Photo, decode
from hupai.vision.pipeline.recogniser import layout_with_recovery
from hupai.vision.protocols import RegionClassifier
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, FloatArray, Image

LEAST_OVERLAP = 0.4
"""Intersection over union from which a detection shows a tile."""

_PARTS = ("boxes", "scores", "probabilities", "axes")
"""What of detections is kept."""


class Finder:
    """The shipped detector; with a folder it looks at nothing twice."""

    def __init__(self, cache: Path | None) -> None:
        """Keep detections in `cache`, if given."""
        self._detector = registry.load()
        self._cache = cache
        if cache is not None:
            cache.mkdir(parents=True, exist_ok=True)

    def scene_asked(self, table: Sample) -> Asked:
        """What it sees at places of the table's picture."""
        return self.asked(f"scene-{table.seed}", lambda: picture(table))

    def scene(self, table: Sample) -> Detections:
        """What it sees of the table's picture."""
        known = self._known(f"scene-{table.seed}")
        return known if known is not None else self._look(f"scene-{table.seed}", picture(table))

    def photo(self, key: str, image: Image) -> Detections:
        """What it sees of a photo that goes by this name."""
        known = self._known(key)
        return known if known is not None else self._look(key, image)

    def asked(self, key: str, picture: Callable[[], Image]) -> Asked:
        """What it sees at places of a picture that goes by this name."""
        return Asked(self, key, picture)

    def classify_boxes(
        self, key: str, picture: Callable[[], Image], boxes: FloatArray
    ) -> Detections:
        """What it sees at boxes (n, 4) of a picture."""
        key = f"{key}-at-{sha256(boxes.astype(np.float32).tobytes()).hexdigest()[:12]}"
        known = self._known(key)
        if known is None:
            seen = (
                self._detector.classify_boxes(picture(), boxes)
                if isinstance(self._detector, RegionClassifier)
                else Detections.empty()
            )
            known = self._kept(key, seen)
        return known

    def _file(self, key: str) -> Path | None:
        return (
            None
            if self._cache is None
            else self._cache / f"{self._detector.info.sha256[:12]}-{key}.npz"
        )

    def _known(self, key: str) -> Detections | None:
        file = self._file(key)
        if file is None or not file.is_file():
            return None
        with np.load(file) as kept:
            spare = Detections(*(kept[f"spare_{part}"] for part in _PARTS))
            return replace(
                Detections(*(kept[part] for part in _PARTS)),
                low_confidence=spare if len(spare) else None,
            )

    def _look(self, key: str, image: Image) -> Detections:
        return self._kept(key, self._detector.detect(image))

    def _kept(self, key: str, found: Detections) -> Detections:
        file = self._file(key)
        if file is not None:
            spare = found.low_confidence or Detections.empty()
            arrays = {part: getattr(found, part) for part in _PARTS} | {
                f"spare_{part}": getattr(spare, part) for part in _PARTS
            }
            np.savez(file, **arrays)
        return found


class Asked:
    """Looks at places of a picture, and how long that took, seconds of the processor."""

    def __init__(self, finder: Finder, key: str, picture: Callable[[], Image]) -> None:
        """Ask this finder."""
        self._finder, self._key, self._picture = finder, key, picture
        self.seconds = 0.0

    def __call__(self, boxes: FloatArray) -> Detections:
        """What lies at boxes (n, 4) of the picture."""
        begun = process_time()
        found = self._finder.classify_boxes(self._key, self._picture, boxes)
        self.seconds += process_time() - begun
        return found


def matched(table: LaidTable, found: Detections, dropped: Set[int] = frozenset()) -> dict[int, int]:
    """For each detection the tile it shows, by the greatest overlap first; a negative number of its
    own if it shows none.

    What the layout dropped for a second box around a tile shows none: the box that it kept does.
    """
    truth = table.detections.boxes
    overlap = pairwise_iou(found.boxes, truth)
    overlap[sorted(dropped)] = 0.0
    names = {i: -1 - i for i in range(len(found))}
    taken: set[int] = set()
    for flat in np.argsort(-overlap, axis=None):
        i, j = divmod(int(flat), overlap.shape[1])
        if overlap[i, j] < LEAST_OVERLAP:
            break
        if names[i] < 0 and j not in taken:
            names[i] = j
            taken.add(j)
    return names


def named(table: Sample, found: Detections) -> bool:
    """Every tile of the hand is found, and its likeliest face is the true one."""
    seen = {j: i for i, j in matched(table, found).items()}
    for j, tile in enumerate(table.tiles):
        if tile.in_hand:
            true = Tile.BACK if tile.face_down else tile.face
            if j not in seen or int(found.probabilities[seen[j]].argmax()) != true:
                return False
    return True


def pixels(photo: Photo) -> Image:
    """The picture of a decoded photo."""
    return photo.image


def photos_read(finder: Finder, folder: Path) -> dict[str, float]:
    """How many hands of a labelled folder are read with exactly their tiles, and how many certain
    ones are not.
    """
    right = certain = wrong = hands = 0
    times = []
    for photo in read_folder(folder):
        if photo.hand is None:
            continue
        image = decode(photo.path.read_bytes(), photo.path.name)
        key = f"{folder.name}-{photo.path.stem}"
        found, asked = finder.photo(key, image.image), finder.asked(key, partial(pixels, image))
        begun = process_time()
        layout = layout_with_recovery(asked, found, (image.width, image.height))
        times.append((process_time() - begun - asked.seconds) * 1000)
        reading = read(layout)
        exact = Counter(t.tile for t in reading.tiles if t.in_hand) == Counter(photo.hand)
        hands += 1
        right += exact
        certain += reading.certain
        wrong += reading.certain and not exact
    return {
        "photos": hands,
        "tiles": round(right / max(hands, 1), 4),
        "certain": round(certain / max(hands, 1), 4),
        "certain_wrong": wrong,
        "layout_ms": round(median(times), 1) if times else 0.0,
    }
