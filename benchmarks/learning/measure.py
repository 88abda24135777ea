"""The whole reader with a fine-tuned classifier, its figures, and photos in the suggested order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hupai.api.learning.ranking import Candidate, doubt_of, in_order, picture_bits
from hupai.models import registry
from hupai.models.evaluation.evaluate import compare, figures_of
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture, Region
from hupai.vision.detection.plain_tiles.classifier import PlainTileClassifier
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.pipeline.recogniser import Recogniser

PHOTOS = (5, 10, 30, 100)
"""Numbers of corrected photos."""


def hands_of(folder: Path) -> list[LabelledPhoto]:
    """Read the photos of a folder whose whole hand is known."""
    return [photo for photo in read_folder(folder) if photo.hand is not None]


class CachedDetector(DetectorNetwork):
    """The shipped detector with a cache of its passes."""

    _found: dict[int, BoxDetections]

    def _pass(self, picture: Picture, size: int, region: Region | None = None) -> BoxDetections:
        if not hasattr(self, "_found"):
            self._found = {}
        key = hash((picture.image.tobytes(), size, region))
        if key not in self._found:
            self._found[key] = super()._pass(picture, size, region)
        return self._found[key]


class Results:
    """Figures in a file, each stored as soon as it is measured."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.rows: list[dict[str, Any]] = json.loads(file.read_text()) if file.is_file() else []

    def known(self, **key: Any) -> dict[str, Any] | None:
        """Return the figures stored under this key; None if there are none."""
        return next((row for row in self.rows if key.items() <= row.items()), None)

    def add(self, row: dict[str, Any]) -> dict[str, Any]:
        """Store a row."""
        self.rows.append(row)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self.rows, indent=1) + "\n")
        new.replace(self._file)
        return row


class Readers:
    """The reader with any classifier; what the detector finds is kept between readings.

    The network for doubtful crops is left out: it also classifies faces, and was trained on the
    real tables that the classifier in `benchmarks.learning.real` must not know.
    """

    def __init__(self) -> None:
        self.entry = entry = registry.find(registry.DEFAULT)
        self._boxes = CachedDetector(open_network(entry.path("detector"), 1), entry.settings)
        self._plain = PlainTileClassifier(open_network(entry.path("plain"), 1))

    def reader(self, classifier: Path) -> Recogniser:
        """Return a reader with this classifier."""
        settings = self.entry.settings
        names = TileClassifier(open_network(classifier, 1), settings)
        return Recogniser(
            TwoStageDetector(self._boxes, names, self.entry.info, settings, self._plain)
        )


def figures(
    reader: Recogniser, photos: Sequence[LabelledPhoto], prefix: str = ""
) -> dict[str, Any]:
    """Read photos and count; `photos_right` are those with nothing missed or misread."""
    outcomes = [
        compare(photo, reader.read_photo(photo.path.read_bytes(), photo.path.name))
        for photo in photos
    ]
    found = figures_of(outcomes)
    names = ("hands", "hands_exact", "labelled", "found", "faces_right", "certain", "certain_wrong")
    right = {prefix + "photos_right": sum(not one.failed for one in outcomes)}
    return right | {prefix + name: getattr(found, name) for name in names}


def suggested(reader: Recogniser, pool: Sequence[LabelledPhoto]) -> list[LabelledPhoto]:
    """Put photos in the order of `hupai datasets suggest`, by the doubts of a reader."""
    candidates, by_name = [], {photo.path.stem: photo for photo in pool}
    for photo in pool:
        data = photo.path.read_bytes()
        doubt = doubt_of(reader.read_photo(data, photo.path.name).reading)
        candidates.append(Candidate(photo.path.stem, picture_bits(data), doubt))
    return [by_name[one.key] for one in in_order(candidates, (), len(candidates))]
