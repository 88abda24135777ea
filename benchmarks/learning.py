"""Simulates how corrections improve Hupai on a table that its networks were not trained on.

    python -m benchmarks.learning --photos DIR --scenes CROPS.npz... --work DIR [--table home]
        [--check DIR] [--way shipped] [--threads 1] [--resume]

DIR is the public folder `train`; benchmarks/learning.toml says which photo shows which table. A
classifier is trained on rendered crops alone, then also on photos of the tables that are not named
with --table: tables simulated together are left out together, which takes one training. The labels
of 5, 10, 30 and 100 photos of a table serve as corrections, in random order and in the order of
`hupai datasets suggest`; the classifier is fine-tuned on them exactly as by `hupai models
finetune`. It is evaluated on photos of the table that are not among the corrected ones. The
detector is the shipped one: it was trained on all tables, but does not classify faces. Every figure
is stored in WORK/results.json as soon as it is measured; with --resume stored figures are not
measured again.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hupai.api.learning.ranking import Candidate, in_order, information, picture_bits
from hupai.datasets.real import near_duplicates
from hupai.datasets.real.labels import read_folder as read_labels
from hupai.models import registry
from hupai.models.evaluation.evaluate import compare, figures_of
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.models.training import continue_training, cpu
from hupai.models.training.classifier import mean_logits, train
from hupai.models.training.classifier.crops import Patches, from_photos
from hupai.models.training.continue_training import Amount
from hupai.vision.detection.plain_tiles import PlainTileClassifier
from hupai.vision.detection.tile_classifier import TileClassifier
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import Image

TABLES = Path(__file__).with_name("learning.toml")
"""Which photos show which table."""

PHOTOS = (5, 10, 30, 100)
"""Numbers of corrected photos."""

MAX_MEASURED = 50
"""Most photos of a table reserved for evaluation."""

SCENE_CROPS = 6000
"""Number of rendered crops that are mixed in."""

SCENE_RECIPE = train.Recipe(epochs=12, per_epoch=8000, batch=64, real_share=0.0, rate=0.002)
"""Recipe of the classifier trained on rendered crops alone."""

WITHOUT_TABLE_RECIPE = {
    "epochs": 3,
    "per_epoch": 8000,
    "batch": 64,
    "real_share": 0.4,
    "rate": 0.001,
}
"""Recipe of the classifier trained on all tables but those left out; it continues the first."""

WAYS = {
    "shipped": Amount(),
    "longer": Amount(epochs=9),
    "faster": Amount(rate=0.001),
    "own": Amount(epochs=6, rate=0.001, own_share=0.6),
}
"""Settings of fine-tuning; the first are those of `hupai models finetune`."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The photos of a table.

    Attributes:
        name: of the table.
        measured: photos used for evaluation only.
        pool: photos that may be corrected; none shares a scene with a measured photo.
    """

    name: str
    measured: tuple[LabelledPhoto, ...]
    pool: tuple[LabelledPhoto, ...]


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--scenes", type=Path, nargs="+", required=True, help="rendered crops")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--table", action="append", help="left out; may be given again")
    parser.add_argument("--check", type=Path, action="append", default=[], help="other tables")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--way", choices=WAYS, default=next(iter(WAYS)))
    parser.add_argument("--counts", type=int, nargs="+", default=list(PHOTOS))
    parser.add_argument("--orders", nargs="+", default=["suggested", "random"])
    parser.add_argument("--resume", action="store_true", help="go on with an earlier run")
    a = parser.parse_args()
    if a.work.exists() and not a.resume:
        parser.error(f"{a.work} is there: give --resume to go on, or name another folder")
    a.work.mkdir(parents=True, exist_ok=True)
    cpu.threads(a.threads)
    tables = a.table or list(names_by_table())
    others = [p for folder in a.check for p in hands_of(folder)]
    simulation = Simulation(a.photos, a.scenes, a.work, tables, others)
    for name in tables:
        for row in simulation.table(name, a.way, a.counts, a.orders):
            print(json.dumps(row), flush=True)
    print(as_table(simulation.results.rows))


def names_by_table() -> dict[str, frozenset[str]]:
    """Read which photos show which table."""
    tables = tomllib.loads(TABLES.read_text("utf-8"))
    return {table: frozenset(_names(ranges)) for table, ranges in tables.items()}


def _names(ranges: Sequence[str]) -> Iterator[str]:
    for text in ranges:
        found = re.fullmatch(r"(\w\w)_(\d+)(?:-(\d+))?_(\w+)", text)
        if found is None:
            raise ValueError(f"{text} is no range of photos")
        source, first, last, table = found.groups()
        for number in range(int(first), int(last or first) + 1):
            yield f"{source}_{number:03}_{table}"


def hands_of(folder: Path) -> list[LabelledPhoto]:
    """Read the photos of a folder whose whole hand is known."""
    return [photo for photo in read_folder(folder) if photo.hand is not None]


def split_table(name: str, folder: Path) -> Table:
    """Split a table at random: evaluate on scenes with a whole hand if it has some."""
    wanted = names_by_table()[name]
    known = {p.path.stem: p for p in read_folder(folder) if p.path.stem in wanted}
    labelled = [p for p in read_labels(folder) if p.path.stem in known]
    scenes = near_duplicates.scenes(labelled, near_duplicates.pairs(labelled))
    groups = [[known[labelled[i].path.stem] for i in scene] for scene in scenes]
    hands = sum(any(p.hand is not None for p in group) for group in groups)
    few = hands < MAX_MEASURED // 2
    measured: list[LabelledPhoto] = []
    pool: list[LabelledPhoto] = []
    for i in np.random.default_rng(29).permutation(len(groups)):
        fits = [p for p in groups[i] if few or p.hand is not None]
        if fits and len(measured) < min(MAX_MEASURED, len(known) // 3 if few else hands // 2):
            measured.append(fits[0])  # the other photos of its scene are not used at all
        else:
            pool += groups[i]
    return Table(name, tuple(measured), tuple(pool))


class CachedDetector(DetectorNetwork):
    """The shipped detector with a cache of its results."""

    _found: dict[int, BoxDetections]

    def find(self, image: Image, width: float | None = None) -> BoxDetections:
        """Find the tiles of an RGB picture."""
        if not hasattr(self, "_found"):
            self._found = {}
        key = hash((image.tobytes(), width))
        if key not in self._found:
            self._found[key] = super().find(image, width)
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


class Simulation:
    """One run over tables left out in turn."""

    def __init__(
        self,
        photos: Path,
        scenes: Sequence[Path],
        work: Path,
        left_out: Sequence[str],
        others: Sequence[LabelledPhoto],
    ) -> None:
        self._photos, self._scenes, self._work, self._others = photos, scenes, work, others
        self._left_out = left_out
        self.results = Results(work / "results.json")
        entry = registry.find(registry.DEFAULT)
        self._entry = entry
        self._detector = CachedDetector(entry.path("detector"), entry.settings, 1)
        self._plain = PlainTileClassifier(entry.path("plain"), 1)

    def table(
        self, name: str, way: str, counts: Sequence[int], orders: Sequence[str]
    ) -> Iterator[dict[str, Any]]:
        """Measure one table, before and after so many corrected photos in each order."""
        work = self._work / name
        work.mkdir(exist_ok=True)
        split = split_table(name, self._photos)
        base = self._train_without_table()
        before = self.results.known(table=name, photos=0)
        yield before or self.results.add(self._figures(base, split) | {"table": name, "photos": 0})
        ordered = {order: self._order(order, split, base, work) for order in orders}
        for count in counts:
            taken = min(count, len(split.pool))
            for order in orders:
                key = {"table": name, "way": way, "order": order, "photos": taken}
                known = self.results.known(**key)
                if known is None:
                    chosen = frozenset(ordered[order][:taken])
                    run = work / f"{way}-{order}-{taken}"
                    begun = time.process_time()
                    tuned = self._fine_tuned(base, chosen, run, WAYS[way])
                    minutes = (time.process_time() - begun) / 60
                    figures = self._figures(tuned, split)
                    known = self.results.add(key | figures | {"cpu_minutes": round(minutes, 2)})
                yield known

    def _train_on_scenes(self) -> Path:
        """Train a classifier on rendered crops alone, once for all tables."""
        run = self._work / "start"
        return train.train(run, self._scenes, [], [], SCENE_RECIPE, resume=True)

    def _scene_crops(self) -> Path:
        """Sample the rendered crops that are mixed in."""
        file = self._work / "scenes.npz"
        if not file.is_file():
            rng = np.random.default_rng(29)
            parts: dict[str, list[np.ndarray]] = {}
            for source in self._scenes:
                stored = np.load(source)
                rows = rng.choice(
                    len(stored["classes"]), SCENE_CROPS // len(self._scenes), replace=False
                )
                for key in ("patches", "classes", "axes", "red"):
                    parts.setdefault(key, []).append(stored[key][np.sort(rows)])
            arrays: dict[str, Any] = {key: np.concatenate(part) for key, part in parts.items()}
            np.savez(file, **arrays)
        return file

    def _train_without_table(self) -> Path:
        """Train the classifier on every table except those left out."""
        out, others = self._work / "base.onnx", self._crops_of_other_tables()
        if out.is_file():
            return out
        start, scenes = self._train_on_scenes(), self._scene_crops()
        recipe = train.Recipe(**WITHOUT_TABLE_RECIPE, base=start)  # type: ignore[arg-type]
        run = self._work / "base"
        trained = train.train(run, self._scenes, others, [], recipe, resume=True)
        patches, classes = mean_logits.sample([scenes, *others], mean_logits.MOST)
        shipped = self._entry.path("classifier")
        continue_training.for_inference(trained, patches, classes, run, out, shipped)
        return out

    def _crops_of_other_tables(self) -> list[Path]:
        """Crop the photos of the tables that are not left out."""
        out = self._work / "others.npz"
        tables = names_by_table()
        seen = frozenset[str]().union(*(tables[t] for t in tables if t not in self._left_out))
        if seen and not out.is_file():
            _crops(self._photos, seen, out)
        return [out] if seen else []

    def _fine_tuned(self, base: Path, chosen: frozenset[str], run: Path, amount: Amount) -> Path:
        """Fine-tune on some photos as `hupai models finetune` does."""
        out = run / "classifier.onnx"
        run.mkdir(exist_ok=True)
        own = run / "own.npz"
        _crops(self._photos, chosen, own)
        old = [self._scene_crops(), *self._crops_of_other_tables()]
        continue_training.classifier(base, own, old, run / "training", out, amount, threads=1)
        return out

    def _reader(self, classifier: Path) -> Recogniser:
        settings = self._entry.settings
        names = TileClassifier(classifier, settings, 1)
        return Recogniser(
            TwoStageDetector(self._detector, names, self._entry.info, settings, self._plain)
        )

    def _figures(self, classifier: Path, split: Table) -> dict[str, Any]:
        """Evaluate on the measured photos of the table, and on photos of other tables."""
        reader = self._reader(classifier)
        found: dict[str, Any] = {}
        for prefix, photos in (("", split.measured), ("others_", self._others)):
            outcomes = [
                compare(photo, reader.read_photo(photo.path.read_bytes(), str(photo.path)))
                for photo in photos
            ]
            figures = figures_of(outcomes)
            for key in ("hands", "hands_exact", "labelled", "faces_right", "certain"):
                found[prefix + key] = getattr(figures, key)
            found[prefix + "certain_wrong"] = figures.certain_wrong
        return found

    def _order(self, order: str, split: Table, base: Path, work: Path) -> list[str]:
        """Order the photos that may be corrected: randomly, or as suggested."""
        file = work / f"order-{order}.json"
        if not file.is_file():
            names = [photo.path.stem for photo in split.pool]
            if order == "random":
                names = [names[i] for i in np.random.default_rng(1).permutation(len(names))]
            else:
                names = self._suggested(split, self._reader(base))
            file.write_text(json.dumps(names))
        found: list[str] = json.loads(file.read_text())
        return found

    def _suggested(self, split: Table, reader: Recogniser) -> list[str]:
        candidates = []
        for photo in split.pool:
            data = photo.path.read_bytes()
            doubt = information(reader.read_photo(data, photo.path.name).reading)
            candidates.append(Candidate(photo.path.stem, picture_bits(data), doubt))
        return [one.key for one in in_order(candidates, (), len(candidates))]


def _crops(folder: Path, names: frozenset[str], out: Path) -> Patches:
    cv2.setNumThreads(1)
    patches = from_photos(folder, names)
    patches.save(out)
    return patches


def as_table(rows: Sequence[dict[str, Any]]) -> str:
    """Format the figures as Markdown, one line per network."""
    lines = [
        "| table | photos | way | order | hands exact | tiles right | certain; wrong | others: "
        "hands exact | tiles right | CPU minutes |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (
            row["table"],
            row["photos"],
            row.get("way", ""),
            row.get("order", ""),
            f"{row['hands_exact']} of {row['hands']}",
            f"{row['faces_right'] / max(row['labelled'], 1):.3f} of {row['labelled']}",
            f"{row['certain']}; {row['certain_wrong']}",
            f"{row['others_hands_exact']} of {row['others_hands']}",
            f"{row['others_faces_right'] / max(row['others_labelled'], 1):.3f}",
            row.get("cpu_minutes", ""),
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
