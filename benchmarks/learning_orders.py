"""Compares orders in which photos of a new table could be labelled, with a learner that is cheap.

    python -m benchmarks.learning_orders --photos DIR --scenes CROPS.npz [--table home]
        [--draws 100]

DIR is the public folder `train`, CROPS.npz a file of `hupai.models.training.classifier.crops`. The
learner is ridge regression on histograms of oriented gradients, fitted on rendered crops and, with
two fifths of the weight as in fine-tuning, on the labelled crops of the table. Tables, corrected
photos and photos that are measured are those of `benchmarks.learning`. The networks are not
involved: this shows how much an order helps a learner that knows the faces poorly, not how much it
helps Hupai. It needs the extra `train`, as `benchmarks.learning` does.

`suggested` is the order of `hupai datasets suggest`, `per tile` the same with the mean instead of
the sum of the entropies. `coverage` prefers photos whose faces, as the learner reads them, have few
labels so far; `doubt and coverage` weighs each tile by its entropy as well.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.learning import names_by_table, split_table
from hupai.api.learning.ranking import Candidate, in_order, picture_bits
from hupai.models.evaluation.labelled_folder import LabelledPhoto
from hupai.models.training.classifier.crops import CONTEXT, PATCH
from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import cut_square

Array = NDArray[np.float64]

PHOTOS = (5, 10, 30)
"""Numbers of labelled photos."""

FACES = len(Tile) - 1
"""Faces; the back is not among them."""

DIMENSIONS = 256
"""Principal components that are kept."""

OWN_SHARE = 0.4
"""Share of the labelled crops in the fit, as in fine-tuning."""

PENALTY = 0.01
"""Weight of the squared weights, in mean squared features."""

CELL, BINS = 8, 9
"""Side of a histogram cell in pixels, and number of gradient directions."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """The labelled tiles of a photo.

    Attributes:
        name: of the photo.
        values: features, shape (n, d).
        faces: labels, shape (n,).
    """

    name: str
    values: Array
    faces: NDArray[np.int64]


class Learner:
    """Ridge regression to the faces, fitted on rendered crops and on labelled ones.

    Args:
        values, faces: features (n, d) and labels (n,) of rendered crops.
    """

    def __init__(self, values: Array, faces: NDArray[np.int64]) -> None:
        self._count = len(faces)
        self._moments = _moments(values, faces)
        self._weights = _solved(*self._moments)

    def _with(self, weights: Array) -> Learner:
        other = copy(self)
        other._weights = weights  # noqa: SLF001 - of the same class
        return other

    def taught(self, photos: Sequence[Photo]) -> Learner:
        """Return a learner that has seen these photos with their labels too."""
        values = np.concatenate([photo.values for photo in photos])
        faces = np.concatenate([photo.faces for photo in photos])
        weight = OWN_SHARE / (1 - OWN_SHARE) * self._count / len(faces)
        both = zip(self._moments, _moments(values, faces), strict=True)
        return self._with(_solved(*(old + weight * new for old, new in both)))

    def probabilities(self, values: Array) -> Array:
        """Return the distributions over faces of features (n, d), shape (n, FACES)."""
        likely = np.clip(_with_bias(values) @ self._weights, 1e-3, None)
        return np.asarray(likely / likely.sum(1, keepdims=True))

    def right(self, photos: Sequence[Photo]) -> int:
        """Count the faces that are read right."""
        return sum(int((self.probabilities(p.values).argmax(1) == p.faces).sum()) for p in photos)


def _with_bias(values: Array) -> Array:
    return np.column_stack([values, np.ones(len(values))])


def _moments(values: Array, faces: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return the second moments of the features, and their products with the faces."""
    rows = _with_bias(values)
    return rows.T @ rows, rows.T @ np.eye(FACES)[faces]


def _solved(moments: Array, products: Array) -> Array:
    size = len(moments)
    penalty = PENALTY * np.trace(moments) / size * np.eye(size)
    return np.asarray(np.linalg.solve(moments + penalty, products))


def features(patches: Sequence[NDArray[np.uint8]]) -> Array:
    """Describe patches (PATCH, PATCH, 3): gradients of the tile, and colours of its parts."""
    side = round(PATCH / CONTEXT)
    edge = (PATCH - side) // 2
    found = []
    for patch in patches:
        tile = np.ascontiguousarray(patch[edge : edge + side, edge : edge + side])
        grey = cv2.cvtColor(tile, cv2.COLOR_RGB2GRAY)
        gradients = _gradients(cv2.equalizeHist(grey).astype(np.float64) / 255)
        colours = cv2.resize(tile, (4, 4), interpolation=cv2.INTER_AREA).astype(np.float64) / 255
        found.append(np.concatenate([gradients, (colours - colours.mean((0, 1))).ravel() * 2]))
    return np.array(found)


def _gradients(grey: Array) -> Array:
    """Describe a picture by histograms of oriented gradients (Dalal and Triggs, 2005)."""
    down, across = np.gradient(grey)
    bins = (np.arctan2(down, across) % np.pi / np.pi * BINS).astype(int) % BINS
    each = np.hypot(down, across)[..., None] * np.eye(BINS)[bins]
    rows, columns = (side // CELL for side in grey.shape)
    cut = each[: rows * CELL, : columns * CELL].reshape(rows, CELL, columns, CELL, BINS)
    cells = np.pad(cut.sum((1, 3)), ((0, 1), (0, 1), (0, 0)), mode="edge")
    shifted = [cells[i : i + rows, j : j + columns] for i in (0, 1) for j in (0, 1)]
    blocks = np.concatenate(shifted, axis=2)
    return np.asarray(blocks / (np.linalg.norm(blocks, axis=2, keepdims=True) + 0.1)).ravel()


def read_photos(photos: Sequence[LabelledPhoto], project: Callable[[Array], Array]) -> list[Photo]:
    """Cut the labelled faces of photos and describe them."""
    found = []
    for photo in photos:
        picture = cv2.imread(str(photo.path))
        if picture is None:
            continue
        image = np.asarray(picture[..., ::-1], np.uint8)
        size = np.tile(np.array(image.shape[1::-1]), 2)
        kept = [
            (t, box * size) for t, box in zip(photo.tiles, photo.boxes, strict=True) if t < FACES
        ]
        if kept:
            patches = [cut_square(image, box, PATCH, CONTEXT) for _, box in kept]
            faces = np.array([int(tile) for tile, _ in kept])
            found.append(Photo(photo.path.stem, project(features(patches)), faces))
    return found


def orders(
    learner: Learner, pool: Sequence[Photo], files: Mapping[str, Path]
) -> dict[str, list[Photo]]:
    """Put the photos in each order."""
    seen = {photo.name: learner.probabilities(photo.values) for photo in pool}
    bits = {name: picture_bits(files[name].read_bytes()) for name in seen}
    doubts = {name: -(p * np.log2(np.maximum(p, 1e-12))).sum(1) for name, p in seen.items()}
    by_name = {photo.name: photo for photo in pool}

    def ranked(value: Callable[[Array], Any]) -> list[Photo]:
        candidates = [Candidate(name, bits[name], float(value(doubts[name]))) for name in seen]
        return [by_name[one.key] for one in in_order(candidates, (), len(candidates))]

    return {
        "suggested": ranked(np.sum),
        "per tile": ranked(np.mean),
        "coverage": [
            by_name[n] for n in _by_coverage(seen, {n: np.ones(len(seen[n])) for n in seen})
        ],
        "doubt and coverage": [by_name[name] for name in _by_coverage(seen, doubts)],
    }


def _by_coverage(seen: Mapping[str, Array], weights: Mapping[str, Array]) -> list[str]:
    """Choose greedily the photo with the most tiles whose likely faces have few labels."""
    labels, waiting, chosen = np.zeros(FACES), sorted(seen), list[str]()
    while waiting:
        worth = {name: float(weights[name] @ (seen[name] @ (1 / (1 + labels)))) for name in waiting}
        best = max(waiting, key=lambda name: worth[name])
        waiting.remove(best)
        chosen.append(best)
        labels += seen[best].sum(0)
    return chosen


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--scenes", type=Path, required=True, help="rendered crops")
    parser.add_argument("--table", choices=names_by_table(), default="home")
    parser.add_argument("--draws", type=int, default=100, help="random orders")
    parser.add_argument("--crops", type=int, default=4000, help="rendered crops that are used")
    a = parser.parse_args()
    rng = np.random.default_rng(29)
    with np.load(a.scenes) as stored:
        classes = stored["classes"]
        rows = rng.permutation(np.flatnonzero(classes < FACES))[: a.crops]
        rendered, faces = features(stored["patches"][rows]), classes[rows].astype(np.int64)
    middle = rendered.mean(0)
    axes = np.linalg.svd(rendered - middle, full_matrices=False)[2][:DIMENSIONS].T

    def project(values: Array) -> Array:
        return np.asarray((values - middle) @ axes)

    learner = Learner(project(rendered), faces)
    split = split_table(a.table, a.photos)
    measured, pool = read_photos(split.measured, project), read_photos(split.pool, project)
    # Light and make of the table shift all its crops alike; that needs no label to be seen.
    shift = np.concatenate([photo.values for photo in pool]).mean(0)
    measured, pool = (
        [replace(photo, values=photo.values - shift) for photo in photos]
        for photos in (measured, pool)
    )
    files = {photo.path.stem: photo.path for photo in split.pool}
    total = sum(len(photo.faces) for photo in measured)
    print(f"{len(pool)} photos to choose from; before: {learner.right(measured)} of {total} faces")
    print("| photos | order | labels | faces with a label | with four | faces right |")
    print("|---|---|---|---|---|---|")
    chosen = {name: [order] for name, order in orders(learner, pool, files).items()}
    chosen["random"] = [[pool[i] for i in rng.permutation(len(pool))] for _ in range(a.draws)]
    for count in PHOTOS:
        for name, draws in chosen.items():
            rows = np.array([_row(learner, order[:count], measured) for order in draws])
            cells = [f"{value:.1f}".removesuffix(".0") for value in rows.mean(0)]
            if len(draws) > 1:
                low, high = np.quantile(rows[:, -1], [0.05, 0.95])
                cells[-1] += f" ({low:.0f} to {high:.0f})"
            print(f"| {count} | {name} | {' | '.join(cells)} |", flush=True)


def _row(learner: Learner, photos: Sequence[Photo], measured: Sequence[Photo]) -> list[int]:
    times = np.bincount(np.concatenate([photo.faces for photo in photos]), minlength=FACES)
    right = learner.taught(photos).right(measured)
    return [int(times.sum()), int((times >= 1).sum()), int((times >= 4).sum()), right]


if __name__ == "__main__":
    main()
