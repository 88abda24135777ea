"""Measures the gain from enrolment for a classifier that was not trained on a table.

    python -m benchmarks.enrolment FOLDER --split dev [--like white-rail]
        [--classifier FILE.onnx] [--detector FILE.onnx] [--hands]

Photos that together show all faces of the table, chosen greedily, are the enrolment; all others are
the test. Crops are cut at the labelled boxes, so that only classification is measured. Without
--classifier the shipped one is used. The temperature of another one is chosen on the test crops
themselves, the same before and after. With --hands whole hands of the other photos are read
instead, with the detector and the shipped settings, but without the networks for plain tiles and
for doubtful crops.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from hupai.datasets.real.labels import LabelledPhoto, read_folder
from hupai.models import registry
from hupai.models.evaluation import labelled_folder
from hupai.models.evaluation.evaluate import compare, summarise
from hupai.vision.detection.crops import cut_square
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.enrolment.discriminant import FittedSet, TileSet, cut_view, fit
from hupai.vision.enrolment.label_faces import Seen, ShownPhoto, any_order
from hupai.vision.numeric import softmax
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import FloatArray

MAX_TEST_CROPS = 900
"""Maximum number of test crops; a random sample if there are more."""


@dataclass(frozen=True, slots=True, eq=False)
class Crops:
    """Crops of tiles with their labels, classified upright and upside down.

    Attributes:
        faces: shape (n,).
        photos: shape (n,), number of the photo.
        logits, embeddings: shapes (2, n, 44) and (2, n, d), both orientations.
    """

    faces: NDArray[np.int16]
    photos: NDArray[np.int32]
    logits: FloatArray
    embeddings: FloatArray


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=["train", "dev"], required=True)
    parser.add_argument("--like", default="", help="only photos with this in their name")
    parser.add_argument("--only", type=Path, help="only the photos named in this file")
    parser.add_argument("--classifier", type=Path)
    parser.add_argument("--detector", type=Path)
    parser.add_argument(
        "--hands",
        action="store_true",
        help="whole hands, with temperature and threshold as shipped",
    )
    a = parser.parse_args(arguments)
    photos = [photo for photo in read_folder(a.folder, a.split) if a.like in photo.path.stem]
    if a.only is not None:
        names = set(a.only.read_text("utf-8").split())
        photos = [photo for photo in photos if photo.path.stem in names]
    shipped = registry.available()[0]
    settings = shipped.settings
    if a.classifier and not a.hands:
        settings = replace(settings, temperature=1.0)
    detector, classifier = (
        given or shipped.path(role)
        for given, role in ((a.detector, "detector"), (a.classifier, "classifier"))
    )
    reader = TwoStageDetector.open(detector, classifier, shipped.info, settings, 1)
    text = (
        hands(photos, a.folder, reader)
        if a.hands
        else run(photos, reader, a.classifier is not None)
    )
    print(text)


def run(photos: Sequence[LabelledPhoto], reader: TwoStageDetector, choose_temperature: bool) -> str:
    """Return the figures of a table as text."""
    shown = cover(photos)
    rest = [i for i in range(len(photos)) if i not in shown]
    test = crops_of(photos, rest, reader, MAX_TEST_CROPS)
    temperature = _temperature(test) if choose_temperature else 1.0
    known = _Tempered(reader, temperature)
    test = replace(test, logits=test.logits / np.float32(temperature))
    taught = _taught(photos, shown)
    begun = time.perf_counter()
    fitted = fit(taught, known)
    seconds = time.perf_counter() - begun
    before = softmax(test.logits.mean(0))
    after = softmax(np.mean([_after(fitted, test, look) for look in range(2)], axis=0))
    own = [
        fitted.unlikeness(test.embeddings[0][test.photos == p])
        for p in np.unique(test.photos)
        if (test.photos == p).sum() >= 8
    ]
    spread = np.quantile(own, [0, 0.1, 0.5, 0.9, 1]).round(2).tolist() if own else []
    questions, wrong, count = _labelling(test)
    return (
        f"photos shown {len(shown)} of {len(photos)}, views {len(taught.faces)}, "
        f"faces {len(fitted.faces)}, test crops {len(test.faces)}, T {temperature:.2f}, "
        f"weight {fitted.weight:.3f}, fit {seconds:.1f} s\n"
        f"accuracy {_right(before, test):.4f} -> {_right(after, test):.4f}; "
        f"ECE {_ece(before, test):.4f} -> {_ece(after, test):.4f}; "
        f"NLL {_nll(before, test):.3f} -> {_nll(after, test):.3f}\n"
        f"unlikeness of {len(own)} photos: {spread}\n"
        f"one view of each face, any order, 20 draws: {questions:.1f} questions, "
        f"{wrong:.2f} wrong without a question of {count}; "
        f"classifier alone wrong {count * (1 - _right(before, test)):.1f}"
    )


def hands(photos: Sequence[LabelledPhoto], folder: Path, reader: TwoStageDetector) -> str:
    """Measure whole hands before and after, on photos not used for enrolment."""
    shown = cover(photos)
    fitted = fit(_taught(photos, shown), reader)
    others = {photo.path.stem for i, photo in enumerate(photos) if i not in shown}
    test = [
        photo
        for photo in labelled_folder.read_folder(folder)
        if photo.hand is not None and photo.path.stem in others
    ]
    lines = [f"photos shown {len(shown)} of {len(photos)}, hands on the others {len(test)}"]
    for name, detector in (("before", reader), ("after", reader.with_correction(fitted))):
        recogniser = Recogniser(detector)
        outcomes = [
            compare(photo, recogniser.read_photo(photo.path.read_bytes(), photo.path.name))
            for photo in track(test, name)
        ]
        f = summarise(outcomes).figures
        exact, certain = (
            f"{f.hands_exact} of {f.hands} exact",
            f"certain {f.certain}, wrong {f.certain_wrong}",
        )
        lines.append(f"{name}: {exact}, faces {f.class_accuracy:.3f}, {certain}")
    return "\n".join(lines)


class _Tempered:
    """A reader with a different temperature."""

    def __init__(self, reader: TwoStageDetector, temperature: float) -> None:
        self._reader, self._temperature = reader, np.float32(temperature)
        self.crop = reader.crop

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return logits at this temperature, and embeddings."""
        logits, embeddings = self._reader.embed(crops)
        return np.asarray(logits / self._temperature, np.float32), embeddings


def cover(photos: Sequence[LabelledPhoto]) -> list[int]:
    """Choose photos that together show every face, greedily."""
    wanted = {tile for photo in photos for tile, _ in photo.labels}
    chosen: list[int] = []
    while wanted:
        best = max(
            range(len(photos)), key=lambda i: len(wanted & {tile for tile, _ in photos[i].labels})
        )
        chosen.append(best)
        wanted -= {tile for tile, _ in photos[best].labels}
    return chosen


def _boxes(photo: LabelledPhoto) -> tuple[NDArray[np.uint8], list[FloatArray]]:
    picture = cv2.imread(str(photo.path))
    assert picture is not None
    image = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)
    h, w = image.shape[:2]
    return image, [
        np.asarray(
            [(x - bw / 2) * w, (y - bh / 2) * h, (x + bw / 2) * w, (y + bh / 2) * h], np.float32
        )
        for _, (x, y, bw, bh) in photo.labels
    ]


def _taught(photos: Sequence[LabelledPhoto], shown: Sequence[int]) -> TileSet:
    views, faces, numbers = [], [], []
    for number in shown:
        image, boxes = _boxes(photos[number])
        for (tile, _), box in zip(photos[number].labels, boxes, strict=True):
            views.append(cut_view(image, box))
            faces.append(int(tile))
            numbers.append(number)
    return TileSet(
        "table", "", np.asarray(faces, np.int16), np.stack(views), np.asarray(numbers, np.int16)
    )


def crops_of(
    photos: Sequence[LabelledPhoto], chosen: Sequence[int], reader: TwoStageDetector, most: int
) -> Crops:
    """Cut at most `most` crops of the chosen photos."""
    where = [(i, k) for i in chosen for k in range(len(photos[i].labels))]
    if len(where) > most:
        pick = np.random.default_rng(1).choice(len(where), most, replace=False)
        where = [where[int(k)] for k in np.sort(pick)]
    crops: list[NDArray[np.uint8]] = []
    for i in sorted({i for i, _ in where}):
        image, boxes = _boxes(photos[i])
        crops += [cut_square(image, boxes[k], reader.crop) for j, k in where if j == i]
    x = (np.stack(crops).transpose(0, 3, 1, 2) / 255).astype(np.float32)
    looks = [
        [reader.embed(np.ascontiguousarray(y[i : i + 64])) for i in range(0, len(y), 64)]
        for y in (x, x[:, :, ::-1, ::-1])
    ]
    logits, embeddings = (
        np.stack([np.concatenate([part[k] for part in look]) for look in looks]) for k in range(2)
    )
    faces = np.asarray([int(photos[i].labels[k][0]) for i, k in where], np.int16)
    return Crops(faces, np.asarray([i for i, _ in where], np.int32), logits, embeddings)


def _after(fitted: FittedSet, test: Crops, look: int) -> FloatArray:
    """Compute corrected logits, photo by photo as in production."""
    out = np.empty_like(test.logits[look])
    for photo in np.unique(test.photos):
        of = test.photos == photo
        shared = fitted.shared(test.logits[0][of], test.embeddings[0][of])
        out[of] = fitted.corrected(test.logits[look][of], test.embeddings[look][of], shared)
    return np.asarray(out, np.float32)


def _labelling(test: Crops) -> tuple[float, float, int]:
    """Count questions, wrong labels without a question, and faces, over 20 draws of a crop per
    face.
    """
    rng, questions, wrong = np.random.default_rng(2), [], []
    faces = np.unique(test.faces)
    wanted = 42 if len(faces) == 42 else 34 if set(range(34)) <= set(faces.tolist()) else 0
    if not wanted:
        return float("nan"), float("nan"), len(faces)
    shares = softmax(test.logits.mean(0))[:, :43]
    for _ in range(20):
        pick = [int(rng.choice(np.nonzero(test.faces == face)[0])) for face in range(wanted)]
        seen = Seen(ShownPhoto("", 1, 1, wanted), np.zeros((wanted, 4), np.float32), shares[pick])
        tiles = any_order([seen], 42 if wanted == 42 else 34, {}).tiles
        questions.append(sum(tile.doubtful for tile in tiles))
        wrong.append(
            sum(not tile.doubtful and int(tile.face) != face for face, tile in enumerate(tiles))
        )
    return float(np.mean(questions)), float(np.mean(wrong)), wanted


def _temperature(test: Crops) -> float:
    return min(
        (0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2),
        key=lambda t: _nll(softmax(test.logits.mean(0) / t), test),
    )


def _right(shares: FloatArray, test: Crops) -> float:
    return float((shares[:, :43].argmax(1) == test.faces).mean())


def _nll(shares: FloatArray, test: Crops) -> float:
    return float(-np.log(np.maximum(shares[np.arange(len(shares)), test.faces], 1e-9)).mean())


def _ece(shares: FloatArray, test: Crops, bins: int = 10) -> float:
    """Compute the expected calibration error, over bins of equal width (Guo et al. 2017)."""
    sure, right = shares[:, :43].max(1), shares[:, :43].argmax(1) == test.faces
    which = np.minimum((sure * bins).astype(int), bins - 1)
    inside = [which == b for b in range(bins) if (which == b).any()]
    return float(sum(abs(sure[of].mean() - right[of].mean()) * of.mean() for of in inside))


if __name__ == "__main__":
    main()
