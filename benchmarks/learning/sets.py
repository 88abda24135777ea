"""Measures what corrections teach if all of them show one tile set: two sets of the table `club`.

    python -m benchmarks.learning.sets --photos DIR --base CHECKPOINT --scenes CROPS.npz...
        --work DIR

The arguments are those of `benchmarks.learning.real`. A set has 22 or 40 photos, too few to hold
some out, so its scenes are cross-validated in five parts: each part is read with a last layer
fitted to the photos of the other four. On crops the order of `hupai datasets suggest` is compared
with random ones; the whole reader measures the layers fitted to all photos of the four parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from benchmarks.learning.embedded import COPIES, Learner, Photo, orders
from benchmarks.learning.measure import Readers, figures
from benchmarks.learning.real import base_network, names_by_set
from hupai.datasets.real import near_duplicates
from hupai.datasets.real.labels import read_folder as read_labels
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.models.learning.last_layer import MOST_OLD, Settings, write
from hupai.models.training.classifier import samples

PARTS = 5
"""Parts that the scenes of a set are divided into."""

COUNTS = (5, 10)
"""Corrected photos of an order."""

DRAWS = 3
"""Random orders of a part."""

Split = tuple[list[Photo], list[Photo]]
"""Photos that may be corrected, and photos that are measured."""


def splits(photos: Sequence[Photo], folder: Path) -> Iterator[Split]:
    """Divide photos by scenes; each part is measured once."""
    names = {photo.truth.path.stem: photo for photo in photos}
    labelled = [one for one in read_labels(folder) if one.path.stem in names]
    scenes = near_duplicates.scenes(labelled, near_duplicates.pairs(labelled))
    order = np.random.default_rng(0).permutation(len(scenes))
    for part in range(PARTS):
        out = {labelled[i].path.stem for k in order[part::PARTS] for i in scenes[k]}
        yield (
            [photo for name, photo in names.items() if name not in out],
            [photo for name, photo in names.items() if name in out],
        )


def compare_orders(learner: Learner, parts: Sequence[Split]) -> None:
    """Print faces and hands right on crops for each order and number of photos."""
    total: dict[tuple[int, str], list[np.ndarray]] = {}
    for number, (pool, measured) in enumerate(parts):
        chosen = {name: [rows] for name, rows in orders(learner, pool, len(pool)).items()}
        rng = np.random.default_rng(number)
        chosen["random"] = [rng.permutation(len(pool)).tolist() for _ in range(DRAWS)]
        total.setdefault((0, ""), []).append(np.array(learner.right(measured, learner.shipped)))
        for count in (*COUNTS, len(pool)):
            for name, several in chosen.items():
                if count < len(pool) or name == "random":
                    drawn = several if count < len(pool) else several[:1]
                    layers = (
                        learner.taught([pool[i] for i in rows[:count]], Settings())
                        for rows in drawn
                    )
                    right = np.mean([learner.right(measured, layer) for layer in layers], axis=0)
                    key = (count, name) if count in COUNTS else (99, "all")
                    total.setdefault(key, []).append(right)
    for (count, name), rows in sorted(total.items()):
        faces, hands = np.sum(rows, axis=0)
        print(f"{count} {name}: {faces:.1f} faces, {hands:.1f} photos", flush=True)


def read_whole(learner: Learner, base: Path, parts: Sequence[Split], work: Path) -> None:
    """Print the figures of the whole reader before and after corrections."""
    readers, out = Readers(), work / "set.onnx"
    before, after = [], []
    for pool, measured in parts:
        write(base, learner.taught(pool, Settings()), out)
        truths = [photo.truth for photo in measured]
        before.append(figures(readers.reader(base), truths))
        after.append(figures(readers.reader(out), truths))
    for name, rows in (("before", before), ("after", after)):
        print(name, {key: sum(row[key] for row in rows) for key in rows[0]}, flush=True)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True, help="checkpoint of the classifier")
    parser.add_argument("--scenes", type=Path, nargs="+", required=True, help="its crops")
    parser.add_argument("--work", type=Path, required=True)
    a = parser.parse_args()
    cv2.setNumThreads(1)
    a.work.mkdir(parents=True, exist_ok=True)
    base = base_network(a.base, a.scenes, a.work)
    settings = Readers().entry.settings
    learner = Learner(base, settings, samples.sample(a.scenes, MOST_OLD))
    known = read_folder(a.photos)
    for name, wanted in names_by_set().items():
        mine = [photo for photo in known if photo.path.stem in wanted]
        photos = [learner.photo(photo, i, COPIES) for i, photo in enumerate(mine)]
        parts = list(splits(photos, a.photos))
        print(f"{name}: {len(photos)} photos, {sum(len(p.classes) for p in photos)} faces")
        compare_orders(learner, parts)
        read_whole(learner, base, parts, a.work)


if __name__ == "__main__":
    main()
