"""Measures recognition: splits, tables, sizes, similar faces, certainty, disturbed photos.

    python -m benchmarks.recognition NAME=FOLDER... [--varied FOLDER] [--special 200]
        [--json FILE] [--markdown FILE] [--images DIR]

FOLDER is a labelled folder or a folder of rendered scenes; `--varied` names the one whose photos
are also turned, stretched, shrunk, blurred, darkened, tinted, compressed and backlit. Folders are
reported in the order given: name real tables first, ``tables=../shared/photos/tables``. `--special
N` renders N whole tables for separate rows on backs, white dragons, red fives, black sets and
non-tiles (`benchmarks.recognition.special`). `--markdown` writes docs/recognition.md; `--images`
writes recognition-confusion.png and recognition-reliability.png over all labelled tiles that were
found.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
from rich.console import Console
from rich.progress import track

from benchmarks.recognition import pictures, report, special, variations
from benchmarks.recognition.lookalikes import flips
from benchmarks.recognition.sizes import by_size
from hupai.datasets.synthetic.truth import is_scene_folder
from hupai.models import registry
from hupai.models.evaluation.evaluate import Evaluation, compare, summarise
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.models.evaluation.report import figures_json, timing_json
from hupai.models.evaluation.scenes import read_scenes
from hupai.vision.pipeline.recogniser import Recogniser


def measure(reader: Recogniser, folder: Path, every: int = 1) -> Evaluation:
    """Read a folder."""
    photos = (read_scenes(folder) if is_scene_folder(folder) else read_folder(folder))[::every]
    outcomes = [
        compare(p, reader.read_photo(p.path.read_bytes(), p.path.name))
        for p in track(photos, description=folder.name)
    ]
    return summarise(outcomes)


def entry(evaluation: Evaluation) -> dict[str, Any]:
    """Return everything that the tables need, as plain JSON values."""
    return {
        "all": figures_json(evaluation.figures),
        "tables": {name: figures_json(figures) for name, figures in evaluation.tables.items()},
        "map50": round(evaluation.map50, 4),
        "map50_95": round(evaluation.map50_95, 4),
        "median_ms": timing_json(evaluation.timing),
        "sizes": [asdict(row) for row in by_size(evaluation.outcomes)],
        "lookalikes": [asdict(row) for row in flips(evaluation.outcomes)],
    }


def _named(text: str) -> tuple[str, Path]:
    """Parse the name of a folder in the report, and the folder."""
    name, given, folder = text.partition("=")
    if not given:
        raise argparse.ArgumentTypeError(f"{text}: give the folder a name, NAME={text}")
    return name, Path(folder)


def main() -> None:
    """Command line of this program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=_named, metavar="NAME=FOLDER")
    parser.add_argument("--varied", type=Path)
    parser.add_argument(
        "--special", type=int, default=0, metavar="N", help="whole tables to render"
    )
    parser.add_argument("--every", type=int, default=1, help="every n-th photo")
    parser.add_argument("--model", default="default")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--images", type=Path)
    options = parser.parse_args()
    detector = registry.load(options.model)
    reader = Recogniser(detector)
    result: dict[str, Any] = {"model": asdict(detector.info), "folders": {}, "changes": []}
    named: list[pictures.Named] = []
    for name, folder in options.folders:
        evaluation = measure(reader, folder, options.every)
        result["folders"][name] = entry(evaluation)
        named += pictures.named_tiles(evaluation.outcomes)
    if options.special:
        result["special"] = [asdict(row) for row in special.measure(detector, options.special)]
    if options.varied is not None:
        photos = list(read_folder(options.varied))[:: options.every]
        for change, (_, amounts) in variations.VARIATIONS.items():
            result["changes"] += [
                asdict(variations.measure(reader, photos, change, amount)) for amount in amounts
            ]
    if options.json is not None:
        options.json.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    if options.images is not None:
        options.images.mkdir(parents=True, exist_ok=True)
        start = str(options.images / "recognition")
        cv2.imwrite(f"{start}-confusion.png", pictures.confusion(named))
        cv2.imwrite(f"{start}-reliability.png", pictures.reliability(named))
    text = report.markdown(result)
    if options.markdown is not None:
        options.markdown.write_text(text, "utf-8")
    Console(width=150).print(text, markup=False)


if __name__ == "__main__":
    main()
