"""Simulates how corrections improve Hupai on real tables that its classifier was not trained on.

    python -m benchmarks.learning.real --photos DIR --base CHECKPOINT --scenes CROPS.npz...
        --work DIR [--check DIR] [--draws 20] [--plot FILE.svg]

DIR is the public folder `train`; real.toml says which photo shows which table. CHECKPOINT comes
from `hupai.models.training.classifier.train`, trained on CROPS alone: rendered scenes and single
faces of other sets, none of these photos. So the same network knows none of the tables. The labels
of 5, 10, 30 and 100 photos of a table serve as corrections, and the last layer is fitted to them as
`hupai models finetune` does, with crops of CROPS mixed in. Two measurements:

- the whole reader, on photos of the table that are never corrected, and on photos of other tables;
  the detector is the shipped one, which was trained on all these tables but does not name faces;
- crops cut at the labelled boxes, for many random orders.

Figures are stored in WORK/results.json as soon as they are measured; a second run continues there.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.learning.curves import plot
from benchmarks.learning.embedded import COPIES, Crops, Learner, Photo, orders, tile_set
from benchmarks.learning.measure import PHOTOS, Readers, Results, figures, hands_of, suggested
from hupai.datasets.real import near_duplicates
from hupai.datasets.real.labels import read_folder as read_labels
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.models.learning.last_layer import MOST_OLD, Settings, write
from hupai.models.training import continue_training, quantise
from hupai.models.training.classifier import samples

TABLES = Path(__file__).with_name("real.toml")
"""Which photos show which table."""

MAX_MEASURED = 50
"""Maximum number of photos of a table reserved for evaluation."""

READ_DRAWS = 3
"""Random orders that the whole reader measures."""

CHECKED = (30, 100)
"""Corrected photos after which other tables are read too."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The photos of a table.

    Attributes:
        name: name of the table.
        measured: photos used for evaluation only.
        pool: photos that may be corrected; none shares a scene with a measured photo.
    """

    name: str
    measured: tuple[LabelledPhoto, ...]
    pool: tuple[LabelledPhoto, ...]


def names_by_table() -> dict[str, frozenset[str]]:
    """Read which photos show which table."""
    tables = tomllib.loads(TABLES.read_text("utf-8"))
    del tables["sets"]
    return {table: frozenset(_names(ranges)) for table, ranges in tables.items()}


def names_by_set() -> dict[str, frozenset[str]]:
    """Read which photos of the table with several tile sets show which of them."""
    sets = tomllib.loads(TABLES.read_text("utf-8"))["sets"]
    return {name: frozenset(_names(ranges)) for name, ranges in sets.items()}


def _names(ranges: Sequence[str]) -> Iterator[str]:
    for text in ranges:
        found = re.fullmatch(r"(\w\w)_(\d+)(?:-(\d+))?_(\w+)", text)
        if found is None:
            raise ValueError(f"{text} is not a range of photos")
        source, first, last, table = found.groups()
        for number in range(int(first), int(last or first) + 1):
            yield f"{source}_{number:03}_{table}"


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


def base_network(checkpoint: Path, scenes: Sequence[Path], work: Path) -> Path:
    """Convert the checkpoint for inference, in 8 bits."""
    out = work / "base.onnx"
    if not out.is_file():
        patches, _ = samples.sample(scenes, quantise.CROPS)
        continue_training.for_inference(checkpoint, patches, work, out)
    return out


class Simulation:
    """One run over tables left out in turn."""

    def __init__(
        self, photos: Path, base: Path, old: Crops, work: Path, checks: list[Path]
    ) -> None:
        self.results, self._base, self._work = Results(work / "results.json"), base, work
        self._readers = Readers()
        self._learner = Learner(base, self._readers.entry.settings, old)
        self.tables = {name: split_table(name, photos) for name in names_by_table()}
        self._checks = [photo for folder in checks for photo in hands_of(folder)]
        self._pool_of: tuple[str, list[Photo]] = ("", [])
        self._measured = {
            name: [self._learner.photo(one, 0, 0) for one in table.measured]
            for name, table in self.tables.items()
        }
        self._measured["dev"] = [self._learner.photo(one, 0, 0) for one in self._checks]

    def read(self, name: str) -> Iterator[dict[str, Any]]:
        """Measure the whole reader on a table: suggested order and random ones."""
        table, pool = self.tables[name], self._pool(name)
        key: dict[str, Any] = {"kind": "reader", "table": name, "photos": 0}
        yield self.results.known(**key) or self.results.add(
            key | self._read(self._base, name, True)
        )
        chosen: dict[str, Sequence[int]] = {"suggested": self._suggested(name)}
        for draw in range(READ_DRAWS):
            rng = np.random.default_rng([29, draw])
            chosen[f"random {draw + 1}"] = rng.permutation(len(pool)).tolist()
        for count in PHOTOS:
            for order, rows in chosen.items():
                taken = min(count, len(table.pool))
                key = {"kind": "reader", "table": name, "photos": taken, "order": order}
                known = self.results.known(**key)
                if known is None:
                    begun = time.process_time()
                    layer = self._learner.taught([pool[i] for i in rows[:taken]], Settings())
                    key["fit_seconds"] = round(time.process_time() - begun, 1)
                    out = self._work / "tuned.onnx"
                    write(self._base, layer, out)
                    others = count in CHECKED and order in ("suggested", "random 1")
                    known = self.results.add(key | self._read(out, name, others))
                yield known

    def _read(self, classifier: Path, name: str, others: bool) -> dict[str, Any]:
        reader = self._readers.reader(classifier)
        found = figures(reader, self.tables[name].measured)
        if others:
            found |= figures(reader, self._checks, "dev_")
            for other, table in self.tables.items():
                if other != name:
                    found |= figures(reader, table.measured, f"{other}_")
        return found

    def crops(self, name: str, draws: int) -> Iterator[dict[str, Any]]:
        """Measure crops of a table: ways of learning, and orders."""
        pool = self._pool(name)
        chosen: dict[str, list[list[int]]] = {
            order: [rows] for order, rows in orders(self._learner, pool, max(PHOTOS)).items()
        }
        rng = np.random.default_rng(7)
        chosen["random"] = [rng.permutation(len(pool)).tolist() for _ in range(draws)]
        key: dict[str, Any] = {"kind": "crops", "table": name, "photos": 0}
        if self.results.known(**key) is None:
            self.results.add(key | self._right(name, self._learner.shipped))
        yield self.results.known(**key) or {}
        for count in PHOTOS:
            for order, several in chosen.items():
                for way in WAYS if order == "random" else ("last layer",):
                    key = {"kind": "crops", "table": name, "photos": count}
                    key |= {"order": order, "way": way}
                    known = self.results.known(**key)
                    if known is None:
                        few = several if way == "last layer" else several[:WAY_DRAWS]
                        rows = [
                            self._learnt(name, [pool[i] for i in one[:count]], way) for one in few
                        ]
                        known = self.results.add(key | {"draws": len(rows)} | _spread(rows))
                    yield known

    def _learnt(self, name: str, taken: Sequence[Photo], way: str) -> dict[str, float]:
        settings, discriminant = WAYS[way]
        layer = self._learner.taught(taken, settings) if settings else self._learner.shipped
        learnt = tile_set(self._learner, taken) if discriminant else None
        return self._right(name, layer, learnt) | {"labels": sum(len(p.classes) for p in taken)}

    def _right(self, name: str, layer: Any, learnt: Any = None) -> dict[str, float]:
        found: dict[str, float] = {}
        for other, photos in self._measured.items():
            # A discriminant belongs to its tile set: other tables are read without it.
            faces, whole = self._learner.right(photos, layer, learnt if other == name else None)
            prefix = "" if other == name else f"{other}_"
            found |= {prefix + "faces": faces, prefix + "photos_right": whole}
        return found

    def _pool(self, name: str) -> list[Photo]:
        """Embed the photos that may be corrected; those of the table used last are cached."""
        if self._pool_of[0] != name:
            pool = self.tables[name].pool
            self._pool_of = (
                name,
                [self._learner.photo(one, i, COPIES) for i, one in enumerate(pool)],
            )
        return self._pool_of[1]

    def _suggested(self, name: str) -> list[int]:
        """Put the pool in the order of `hupai datasets suggest`, and remember it."""
        file = self._work / f"suggested-{name}.json"
        pool = self.tables[name].pool
        if not file.is_file():
            found = suggested(self._readers.reader(self._base), pool)
            file.write_text(json.dumps([pool.index(photo) for photo in found]))
        rows: list[int] = json.loads(file.read_text())
        return rows


WAYS: Mapping[str, tuple[Settings | None, bool]] = {
    "last layer": (Settings(), False),
    "discriminant": (None, True),
    "both": (Settings(), True),
    "weak penalty": (Settings(stay=0.02), False),
    "strong penalty": (Settings(stay=0.5), False),
    "own share 0.8": (Settings(own_share=0.8), False),
}
"""Settings of the last layer's fit, and whether a discriminant of the set is added; the first is
the product's."""

WAY_DRAWS = 5
"""Random orders in which ways other than the first are measured."""


def _spread(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the means, and for the faces of the table the 5 % and 95 % quantiles."""
    found = {key: round(float(np.mean([row[key] for row in rows])), 2) for key in rows[0]}
    low, high = np.quantile([row["faces"] for row in rows], [0.05, 0.95])
    return found | {"faces_low": round(float(low), 1), "faces_high": round(float(high), 1)}


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True, help="checkpoint of the classifier")
    parser.add_argument("--scenes", type=Path, nargs="+", required=True, help="its crops")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--table", action="append", help="only this one; may be given again")
    parser.add_argument("--check", type=Path, action="append", default=[], help="other tables")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--plot", type=Path, help="SVG file to write")
    a = parser.parse_args()
    cv2.setNumThreads(1)
    a.work.mkdir(parents=True, exist_ok=True)
    base = base_network(a.base, a.scenes, a.work)
    old = samples.sample(a.scenes, MOST_OLD)
    simulation = Simulation(a.photos, base, old, a.work, a.check)
    for name in a.table or simulation.tables:
        for row in chain(simulation.crops(name, a.draws), simulation.read(name)):
            print(json.dumps(row), flush=True)
    if a.plot is not None:
        rows = _points(simulation.results.rows)
        names = [name for name in simulation.tables if any(one["table"] == name for one in rows)]
        a.plot.write_text(plot(rows, names, MAX_MEASURED), "utf-8")


def _points(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what was measured on crops with the product's settings, as `plot` takes it."""
    return [
        {"table": row["table"], "photos": row["photos"], "hands_exact": row["photos_right"]}
        | ({"order": row["order"]} if "order" in row else {})
        for row in rows
        if row["kind"] == "crops"
        and row.get("way", "last layer") == "last layer"
        and row.get("order", "random") in ("suggested", "random")
    ]


if __name__ == "__main__":
    main()
