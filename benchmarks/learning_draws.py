"""Compares ways of learning from corrected photos, and orders of correcting them, on embeddings.

    python -m benchmarks.learning_draws --work DIR [--table 0] [--draws 50]

DIR is that of `benchmarks.learning_tables`, whose tables are used. The embeddings of all labelled
tiles are computed once, so that a fit takes a second of CPU. Crops are cut at the labelled boxes
and named in one run; hands count as exact if all their tiles are named right. Orders: `suggested`
is that of `hupai datasets suggest`, with the entropies of crops; `per tile` takes their mean;
`coverage` prefers photos with doubtful tiles whose likely faces have few labels; `core set` those
whose embeddings are nearest to most doubtful crops (facility location).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import onnx

from benchmarks.learning_tables import MEASURED, crops_of, old_crops, rendered_table
from hupai.api.learning.ranking import Candidate, in_order, picture_bits
from hupai.models import registry
from hupai.models.evaluation.labelled_folder import LabelledPhoto
from hupai.models.learning.last_layer import Layer, Rows, Settings, embedded, fit
from hupai.models.training.classifier.mean_logits import central_crops
from hupai.vision.detection.logit_bias import logit_bias, mean_logits_by_class
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.enrolment.discriminant import FittedSet, TileSet, cut_view
from hupai.vision.enrolment.discriminant import fit as fit_set
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

PHOTOS = (5, 10, 30, 100)
"""Numbers of corrected photos; orders are compared up to 30."""

COPIES = 6
"""Altered copies of each crop."""

STRONG = 0.06
"""Weight of the discriminant of a set; enrolment uses at most as much."""


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
    """The shipped classifier's last layer, fitted to photos."""

    def __init__(self, work: Path) -> None:
        entry = registry.find(registry.DEFAULT)
        self.settings, path = entry.settings, entry.path("classifier")
        self.classifier = TileClassifier(path, entry.settings, 1)
        self.crop = entry.settings.crop
        found = {
            one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer
        }
        self.shipped = Layer(found["head.weight"][:44], found["head.bias"][:44])
        means = mean_logits_by_class(open_network(path).get_modelmeta().custom_metadata_map)
        assert means is not None
        self._means = means / np.float32(entry.settings.temperature)
        patches, classes = old_crops(work)
        self._old = embedded(self._embeddings, patches, classes, self.crop, 1, 29)

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
        return fit(self.shipped, Rows(own, classes), self._old, settings)

    def logits(self, photo: Photo, layer: Layer, learnt: FittedSet | None = None) -> FloatArray:
        """Return the calibrated logits (n, 44) of a photo's tiles, without the photo's bias."""
        found = (layer.logits(photo.plain) / self.settings.temperature).astype(np.float32)
        if learnt is not None:
            return learnt.corrected(found, photo.plain, learnt.shared(found, photo.plain))
        return found - logit_bias(found, self._means, self.settings.common)

    def right(
        self, photos: Sequence[Photo], layer: Layer, learnt: FittedSet | None = None
    ) -> tuple[int, int]:
        """Count faces right, and photos of which all are."""
        hits = [self.logits(p, layer, learnt)[:, :43].argmax(1) == p.classes for p in photos]
        return sum(int(hit.sum()) for hit in hits), sum(bool(hit.all()) for hit in hits)


def tile_set(learner: Learner, photos: Sequence[Photo]) -> FittedSet:
    """Enrol a tile set from all corrected crops, at the strongest weight and trusted everywhere."""
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
    """Put the photos in each order; numbers of `pool`."""
    seen = [softmax(learner.logits(photo, learner.shipped)) for photo in pool]
    doubts = [-(p * np.log2(np.maximum(p, 1e-12))).sum(1) for p in seen]
    bits = [picture_bits(photo.truth.path.read_bytes()) for photo in pool]

    def ranked(value: Callable[[FloatArray], float]) -> list[int]:
        candidates = [
            Candidate(f"{i:06d}", bits[i], float(value(doubts[i]))) for i in range(len(pool))
        ]
        return [int(one.key) for one in in_order(candidates, (), len(candidates))]

    return {
        "suggested": ranked(lambda doubt: float(doubt.sum())),
        "per tile": ranked(lambda doubt: float(doubt.mean())),
        "coverage": _by_coverage(seen, doubts, most),
        "core set": _core_set(pool, doubts, most),
    }


def _by_coverage(seen: Sequence[FloatArray], doubts: Sequence[FloatArray], most: int) -> list[int]:
    labels, left, chosen = np.zeros(seen[0].shape[1]), set(range(len(seen))), list[int]()
    while left and len(chosen) < most:
        worth = {
            i: float((doubts[i][:, None] * seen[i] / (1 + labels)).sum()) for i in sorted(left)
        }
        chosen.append(max(worth, key=worth.__getitem__))
        left.discard(chosen[-1])
        labels += seen[chosen[-1]].sum(0)
    return chosen


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


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--table", type=int, default=0)
    parser.add_argument("--draws", type=int, default=50)
    a = parser.parse_args()
    cv2.setNumThreads(1)
    photos = rendered_table(a.work / f"black-{a.table}", a.table)
    learner = Learner(a.work)
    measured = [learner.photo(one, 0, 0) for one in photos[:MEASURED]]
    pool = [learner.photo(one, i, COPIES) for i, one in enumerate(photos[MEASURED:])]
    _ways(learner, measured, pool)
    _orders(learner, measured, pool, a.draws)


def _ways(learner: Learner, measured: Sequence[Photo], pool: Sequence[Photo]) -> None:
    total = sum(len(photo.classes) for photo in measured)
    print(
        f"| photos | way | faces right of {total} | hands of {len(measured)} |\n|---|---|---|---|"
    )
    print("| 0 | shipped | {} | {} |".format(*learner.right(measured, learner.shipped)))
    for count in PHOTOS:
        taken = pool[:count]
        learnt, layer = tile_set(learner, taken), learner.taught(taken, Settings())
        for way, one, discriminant in (
            ("discriminant of the set", learner.shipped, learnt),
            ("last layer", layer, None),
            ("both", layer, learnt),
        ):
            faces, hands = learner.right(measured, one, discriminant)
            print(f"| {count} | {way} | {faces} | {hands} |", flush=True)


def _orders(learner: Learner, measured: Sequence[Photo], pool: Sequence[Photo], draws: int) -> None:
    print("| photos | order | labels | faces right |\n|---|---|---|---|")
    chosen = {name: [order] for name, order in orders(learner, pool, PHOTOS[2]).items()}
    rng = np.random.default_rng(7)
    chosen["random"] = [list(rng.permutation(len(pool))) for _ in range(draws)]
    short = [replace(photo, altered=photo.altered[:3]) for photo in pool]
    for count in PHOTOS[:3]:
        for name, several in chosen.items():
            rows = []
            for order in several:
                taken = [short[i] for i in order[:count]]
                layer = learner.taught(taken, Settings(rounds=40))
                labels = sum(len(photo.classes) for photo in taken)
                rows.append((labels, learner.right(measured, layer)[0]))
            labels, faces = np.mean(rows, 0)
            cell = f"{faces:.1f}".removesuffix(".0")
            if len(rows) > 1:
                low, high = np.quantile([right for _, right in rows], [0.05, 0.95])
                cell += f" ({low:.0f} to {high:.0f})"
            print(f"| {count} | {name} | {labels:.0f} | {cell} |", flush=True)


if __name__ == "__main__":
    main()
