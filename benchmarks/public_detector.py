"""Compares this project with the public package ``mahjong-detector`` on the same photos.

The package serves only for comparison. It has its own virtual environment::

    python -m venv .venv-public && .venv-public/bin/pip install mahjong-detector
    python -m benchmarks.public_detector ../shared/photos/dev --python .venv-public/bin/python

It knows 34 faces (no flowers) and does not say which tiles belong to the hand, so every tile it
finds counts as one of the hand. Its figures for hands without flowers are given beside those for
all. Both readers read the photos alternately, so that other load on the machine affects both, with
a pause before each photo: threads of the package's runtime wait busily for a while after a photo
and would slow the reading that follows. With --times every picture of the folder is timed,
labelled or not, and nothing is compared.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import track
from rich.table import Table

from hupai.datasets.real.labels import SUFFIXES
from hupai.models import registry
from hupai.models.evaluation.evaluate import (
    Evaluation,
    PhotoOutcome,
    PhotoReader,
    compare,
    figures_of,
    summarise,
)
from hupai.models.evaluation.labelled_folder import LabelledPhoto, from_every_table, read_folder
from hupai.models.evaluation.report import figures_json, timing_json
from hupai.scoring.tiles import Tile
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import ModelInfo, PhotoInfo, PhotoReading, Reading, ReadTile, Timing

PAUSE = 0.1
"""Seconds before each photo, so that no thread of the other reader still waits busily."""

WORKER = Path(__file__).with_name("public_detector_worker.py")
PUBLIC = ModelInfo("mahjong-detector", "", "")


class PublicReader:
    """The public package behind its worker process; every tile counts as one of the hand."""

    def __init__(self, to_worker: IO[str], from_worker: IO[str]) -> None:
        self._to_worker = to_worker
        self._from_worker = from_worker

    def read_photo(self, data: bytes, name: str = "") -> PhotoReading:
        """Read the photo at the path `name`; the worker opens the file itself."""
        del data
        self._to_worker.write(f"{name}\n")
        self._to_worker.flush()
        answer = json.loads(self._from_worker.readline())
        tiles = tuple(
            ReadTile(index, Tile.from_code(code), (box[0], box[1], box[2], box[3]), confidence)
            for index, (code, box, confidence) in enumerate(answer["tiles"])
        )
        photo = PhotoInfo(name, "", answer["width"], answer["height"])
        return PhotoReading(photo, PUBLIC, Reading(tiles), Timing(total=1000 * answer["seconds"]))


@contextmanager
def public_reader(python: Path) -> Iterator[PublicReader]:
    """Start the worker with the Python that has the package."""
    with subprocess.Popen(
        [python, WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield PublicReader(process.stdin, process.stdout)
        process.stdin.close()


def measure(
    readers: Mapping[str, PhotoReader], photos: tuple[LabelledPhoto, ...]
) -> dict[str, Evaluation]:
    """Read every photo with every reader, alternating between readers."""
    outcomes: dict[str, list[PhotoOutcome]] = {name: [] for name in readers}
    for photo in track(photos, description="Reading photos"):
        data = photo.path.read_bytes()
        for name, reader in readers.items():
            time.sleep(PAUSE)
            outcomes[name].append(compare(photo, reader.read_photo(data, str(photo.path))))
    return {name: summarise(found) for name, found in outcomes.items()}


def pictures_of(folder: Path) -> list[Path]:
    """List the pictures of a folder's images/ by name, labelled or not."""
    there = sorted((folder / "images").iterdir())
    return [path for path in there if path.suffix.lower() in SUFFIXES]


def times_of(
    readers: Mapping[str, PhotoReader], pictures: Sequence[Path]
) -> dict[str, list[float]]:
    """Return the milliseconds that each reader takes for each picture, read alternately."""
    found: dict[str, list[float]] = {name: [] for name in readers}
    for path in track(pictures, description="Timing"):
        data = path.read_bytes()
        for name, reader in readers.items():
            time.sleep(PAUSE)
            found[name].append(reader.read_photo(data, str(path)).timing.total)
    return found


def times_table(times: dict[str, list[float]]) -> Table:
    """Return one row per reader."""
    count = len(next(iter(times.values())))
    result = Table("reader", "median ms", "longest ms", title=f"{count} pictures, same run")
    for name, found in times.items():
        result.add_row(name, f"{statistics.median(found):.0f}", f"{max(found):.0f}")
    return result


def table(evaluations: dict[str, Evaluation]) -> Table:
    """Return one row per reader."""
    result = Table(title="Same photos, same run")
    headings = (
        "reader",
        "whole hands",
        "without flowers",
        "tile recall",
        "tile precision",
        "class accuracy",
        "mAP50",
        "median ms",
    )
    for heading in headings:
        result.add_column(heading, justify="left" if heading == "reader" else "right")
    for name, found in evaluations.items():
        figures, plain = (
            found.figures,
            figures_of(
                [
                    o
                    for o in found.outcomes
                    if not any(tile.is_flower for tile in o.truth.hand or ())
                ]
            ),
        )
        rates = (figures.recall, figures.precision, figures.class_accuracy)
        result.add_row(
            name,
            f"{figures.hands_exact}/{figures.hands}",
            f"{plain.hands_exact}/{plain.hands}",
            *("–" if rate is None else f"{rate:.4f}" for rate in rates),
            f"{found.map50:.4f}",
            f"{found.timing.total:.0f}",
        )
    return result


def main() -> None:
    """Command line of this program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="labelled folder")
    parser.add_argument(
        "--python",
        type=Path,
        required=True,
        help="Python of the environment that has mahjong-detector",
    )
    parser.add_argument(
        "--only-public", action="store_true", help="leave this project's reader out"
    )
    parser.add_argument("--model", default="default")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--times", action="store_true", help="only time every picture")
    options = parser.parse_args()
    chosen: tuple[LabelledPhoto, ...] = ()
    if options.times:
        pictures = pictures_of(options.folder)
    else:
        photos = read_folder(options.folder)
        chosen = photos if options.limit is None else from_every_table(photos, options.limit)
        pictures = [photo.path for photo in chosen]
    if not pictures:
        parser.error(f"no photo to read in {options.folder}")
    console = Console(width=None if sys.stdout.isatty() else 140)
    with public_reader(options.python) as public:
        readers: dict[str, PhotoReader] = {"mahjong-detector": public}
        if not options.only_public:
            ours = Recogniser(registry.load(options.model))
            ours.read_photo(pictures[0].read_bytes(), "")
            readers = {"hupai": ours, **readers}
        if options.times:
            times = times_of(readers, pictures)
            console.print(times_table(times))
            if options.json is not None:
                options.json.write_text(json.dumps(times, indent=1) + "\n", "utf-8")
            return
        evaluations = measure(readers, chosen)
    console.print(table(evaluations))
    if options.json is not None:
        found = {
            name: {**figures_json(e.figures), "map50": e.map50, "median_ms": timing_json(e.timing)}
            for name, e in evaluations.items()
        }
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
