"""Fits the threshold of `certain` and draws the risk-coverage curve.

    python -m benchmarks.certainty ../shared/photos/dev [FOLDER ...] [--rendered 1000]
        [--detected 500] [--out docs/certainty.md]

Readings come from labelled folders of photos, a part a table (a reading is right if the tiles in
the hand are the true ones), from rendered tables with true tiles, and from their pictures with
detected tiles (right if the whole hand is, melds, claims and winning tile included). Photos without
a hand do not count. Each part is held out in turn: the threshold fitted on the others is tried on
it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from benchmarks.layout.compare import examine
from benchmarks.layout.detected import Finder, hands_read
from benchmarks.layout.scenes import sample
from hupai.vision.reading.certainty import RISK, THRESHOLD, fit
from hupai.vision.reading.read import may_be_certain
from hupai.vision.types import Reading


@dataclass(frozen=True, slots=True)
class Judged:
    """A reading's assurance, 0 where a problem forbids certainty, and whether it is right."""

    name: str
    assurance: float
    right: bool


Parts = dict[str, list[Judged]]


def of_photos(finder: Finder, folder: Path) -> Parts:
    """Judge the readings of a labelled folder's hands, by table."""
    judged: Parts = {}
    for row in hands_read(finder, folder):
        part = judged.setdefault(f"{folder.name}, {row.photo.table}", [])
        part.append(Judged(row.photo.path.stem, _assurance(row.reading), row.exact))
    return judged


def of_tables(count: int, finder: Finder | None = None) -> list[Judged]:
    """Judge readings of rendered tables, with true tiles or with what a detector finds."""
    judged = []
    for seed in range(count):
        table = sample(seed)
        if finder is None:
            outcome, reading = examine(table)
        else:
            outcome, reading = examine(
                table, finder.scene(table), classify=finder.scene_classifier(table)
            )
        judged.append(Judged(f"scene {seed}", _assurance(reading), outcome.hand))
    return judged


def _assurance(reading: Reading) -> float:
    return reading.assurance if may_be_certain(reading.problems) else 0.0


def curve(parts: Parts) -> str:
    """Return a Markdown table: what each threshold makes certain, and what of it is wrong."""
    thresholds = sorted({0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, round(THRESHOLD, 4)})
    lines = [
        "| readings | " + " | ".join(f"{t:g}" for t in thresholds) + " |",
        "|---" * (len(thresholds) + 1) + "|",
    ]
    for name, judged in parts.items():
        cells = []
        for threshold in thresholds:
            certain, wrong = _at(judged, threshold)
            cells.append(f"{certain / len(judged):.0%}, {wrong} wrong")
        lines.append(f"| {name} ({len(judged)}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def held_out(parts: Parts) -> str:
    """Return a Markdown table: each part under the threshold fitted on all others."""
    lines = ["| held out | threshold fitted on the others | certain | wrong |", "|---|---|---|---|"]
    for name, judged in parts.items():
        threshold = fit(
            [(j.assurance, j.right) for other, rest in parts.items() if other != name for j in rest]
        )
        certain, wrong = _at(judged, threshold)
        lines.append(f"| {name} | {threshold:.3f} | {certain} of {len(judged)} | {wrong} |")
    return "\n".join(lines)


def _at(judged: list[Judged], threshold: float) -> tuple[int, int]:
    sure = [j for j in judged if j.assurance >= threshold]
    return len(sure), sum(not j.right for j in sure)


def main() -> None:
    """Run the command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--rendered", type=int, default=1000)
    parser.add_argument("--detected", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="keep detections in this folder")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    finder = Finder(args.cache) if args.folders or args.detected else None
    parts: Parts = {}
    for folder in args.folders if finder is not None else []:
        parts |= of_photos(finder, folder) if finder is not None else {}
    if args.rendered:
        parts["rendered, true tiles"] = of_tables(args.rendered)
    if args.detected:
        parts["rendered, detected tiles"] = of_tables(args.detected, finder)
    everything = [j for judged in parts.values() for j in judged]
    fitted = fit([(j.assurance, j.right) for j in everything])
    certain, wrong = _at(everything, THRESHOLD)
    text = _TEXT.format(
        threshold=THRESHOLD,
        risk=f"1 in {round(1 / RISK)}",
        curve=curve(parts),
        held_out=held_out(parts),
        fitted=fitted,
        certain=certain,
        wrong=wrong,
        count=len(everything),
        detected=args.detected,
    )
    print(text)
    surest = sorted((j for j in everything if not j.right), key=lambda j: -j.assurance)
    print("surest wrong ones:", ", ".join(f"{j.name} {j.assurance:.3f}" for j in surest[:12]))
    if args.out:
        args.out.write_text(text, "utf-8")


_TEXT = """# When a reading is certain

A reading is `certain` if its assurance is at least {threshold} and no problem forbids it. The
promise: at most {risk} certain readings is wrong, on photos of tables that nothing was fitted to.

The assurance (`hupai.vision.reading.certainty`) is the probability of the hand, lowered by the
weakest box and by the least certain face as the classifier saw it. A doubtful face means that the
tile set is unfamiliar, and then mistakes come in pairs that the hand itself does not reveal.

For each threshold the table gives the share of readings that would be certain and how many of these
are wrong. The readings are of photos, of rendered tables with true tiles, and of the pictures of
these tables in drawn tile designs. Training used the train photos, so their row is too optimistic;
dev and the rendered tables were not used.

{curve}

Over all {count} readings the lowest threshold that keeps the promise is {fitted:.3f}. In use is
{threshold}, with which each part by itself keeps it: {certain} readings are certain, {wrong} of
them wrong. Holding out each part in turn:

{held_out}

Written by `python -m benchmarks.certainty ../shared/photos/dev ../shared/photos/train --detected
{detected}`.
"""


if __name__ == "__main__":
    main()
