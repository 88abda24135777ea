"""Measures the time from file to score on the example photos, stage by stage.

    python -m benchmarks.pipeline [PHOTO...] [--repeat 5] [--json FILE] [--compare FILE]

`--json` saves the figures, `--compare` prints them beside those of an earlier run. Photos are read
in turn, each `--repeat` times after one warm-up reading; the table gives medians in
milliseconds.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from hupai.datasets.real.labels import SUFFIXES
from hupai.models import registry
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import Reading

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
STAGES = ("decode", "detect", "layout", "read", "score", "total")
Row = dict[str, float]


def score_time(reading: Reading, rules_id: str) -> float:
    """Measure the milliseconds to score the likeliest hand; 0 if none was read."""
    if not reading.hands:
        return 0.0
    begun = time.perf_counter()
    rule_sets.get(rules_id).score(reading.hands[0].hand, Circumstances())
    return 1000 * (time.perf_counter() - begun)


def measure(photos: list[Path], repeat: int, model: str, rules_id: str) -> dict[str, Row]:
    """Measure the medians of each stage by photo, and over all photos under ``all``.

    `total` includes the score.
    """
    reader = Recogniser(registry.load(model))
    names = _names(photos)
    runs: dict[str, list[Row]] = {name: [] for name in names}
    for turn in range(repeat + 1):
        for name, photo in zip(names, photos, strict=True):
            begun = time.perf_counter()
            answer = reader.read_photo(photo.read_bytes(), photo.name)
            scored = score_time(answer.reading, rules_id)
            elapsed = 1000 * (time.perf_counter() - begun)
            if turn:
                runs[name].append({**asdict(answer.timing), "score": scored, "total": elapsed})
    rows = {name: _medians(found) for name, found in runs.items()}
    return {**rows, "all": _medians([row for found in runs.values() for row in found])}


def _names(photos: list[Path]) -> list[str]:
    """Return the file names, or the paths where two photos have the same name."""
    names = [photo.name for photo in photos]
    return names if len(set(names)) == len(names) else [str(photo) for photo in photos]


def _medians(rows: list[Row]) -> Row:
    return {stage: round(median(row[stage] for row in rows), 2) for stage in STAGES}


def table(found: dict[str, Row], earlier: dict[str, Row]) -> Table:
    """Return one row per photo; with an earlier run, the change of the total."""
    result = Table(title="Milliseconds, median")
    result.add_column("photo")
    for stage in STAGES:
        result.add_column(stage, justify="right")
    if earlier:
        result.add_column("earlier total", justify="right")
    for name, row in found.items():
        cells = [f"{row[stage]:.1f}" for stage in STAGES]
        if earlier:
            before = earlier.get(name, {}).get("total")
            cells.append("–" if not before else f"{before:.1f} ({row['total'] / before - 1:+.0%})")
        result.add_row(name, *cells)
    return result


def main() -> None:
    """Command line of this program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("photos", type=Path, nargs="*", help="default: those of examples/")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--model", default="default")
    parser.add_argument("--rules", default="mcr-1998")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--compare", type=Path)
    options = parser.parse_args()
    photos = options.photos or sorted(
        path for path in EXAMPLES.iterdir() if path.suffix.lower() in SUFFIXES
    )
    if not photos:
        parser.error(f"no photo in {EXAMPLES}")
    found = measure(photos, options.repeat, options.model, options.rules)
    earlier = json.loads(options.compare.read_text("utf-8")) if options.compare else {}
    Console().print(table(found, earlier))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
