"""Fits the threshold of `certain` and draws the risk-coverage curve.

    python -m benchmarks.certainty ../shared/photos/dev [FOLDER ...] [--rendered 1000] [--out docs/certainty.md]

Readings come from labelled folders of photos (a reading is right if the tiles in the hand are the true ones) and from rendered
tables with true tiles (right if the whole hand is, melds, claims and winning tile included). Photos without a hand are left out.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.layout import examine
from benchmarks.layout_scenes import sample
from models import registry
from models.evaluate_truth import read_folder
from vision.certainty import RISK, THRESHOLD, RiskPoint, fit, risk_coverage
from vision.reading import may_be_certain
from vision.recogniser import Recogniser
from vision.types import Reading


@dataclass(frozen=True, slots=True)
class Judged:
    """A reading's assurance, 0 where a problem forbids certainty, and whether it is right."""

    name: str
    assurance: float
    right: bool


def of_photos(folder: Path) -> list[Judged]:
    """Readings of a labelled folder's hands, labels corrected as `hupai models evaluate` does."""
    recogniser = Recogniser(registry.load())
    judged = []
    for photo in read_folder(folder):
        if photo.hand is not None:
            reading = recogniser.read_photo(photo.path.read_bytes(), photo.path.name).reading
            held = Counter(t.tile for t in reading.tiles if t.in_hand)
            judged.append(Judged(photo.path.stem, _assurance(reading), held == Counter(photo.hand)))
    return judged


def of_tables(count: int) -> list[Judged]:
    """Readings of rendered tables, all tiles found and named."""
    judged = []
    for seed in range(count):
        outcome, reading = examine(sample(seed))
        judged.append(Judged(f"scene {seed}", _assurance(reading), outcome.hand))
    return judged


def _assurance(reading: Reading) -> float:
    return reading.assurance if may_be_certain(reading.problems) else 0.0


def table(parts: dict[str, list[Judged]]) -> str:
    """Markdown: for each part and threshold the share that is certain and how many of these are wrong."""
    thresholds = sorted({0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, round(THRESHOLD, 4)})
    lines = ["| readings | " + " | ".join(f"{t:g}" for t in thresholds) + " |", "|---" * (len(thresholds) + 1) + "|"]
    for name, judged in parts.items():
        cells = []
        for threshold in thresholds:
            sure = [j for j in judged if j.assurance >= threshold]
            cells.append(f"{len(sure) / len(judged):.0%}, {sum(not j.right for j in sure)} wrong")
        lines.append(f"| {name} ({len(judged)}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def best_point(curve: tuple[RiskPoint, ...]) -> RiskPoint | None:
    """The point of widest coverage within the promised risk."""
    kept = [point for point in curve if point.risk <= RISK]
    return max(kept, key=lambda point: point.coverage, default=None)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--rendered", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    parts = {folder.name: of_photos(folder) for folder in args.folders}
    if args.rendered:
        parts["rendered"] = of_tables(args.rendered)
    pairs = [(j.assurance, j.right) for judged in parts.values() for j in judged]
    curve = risk_coverage(pairs)
    text = table(parts)
    print(text)
    print(f"fitted threshold {fit(pairs):.4f}, in use {THRESHOLD}")
    point = best_point(curve)
    if point:
        print(f"coverage {point.coverage:.3f} at risk {point.risk:.4f}")
    wrong = sorted((j for judged in parts.values() for j in judged if not j.right), key=lambda j: -j.assurance)
    print("surest wrong ones:", ", ".join(f"{j.name} {j.assurance:.3f}" for j in wrong[:12]))
    if args.out:
        args.out.write_text(_TEXT.format(threshold=THRESHOLD, risk=f"1 in {round(1 / RISK)}", table=text), "utf-8")


_TEXT = """# When a reading is certain

A reading is `certain` if its assurance (`vision.certainty`: the probability of its hand, lowered by the weakest box) is at least
{threshold} and no problem forbids it. The promise is that at most {risk} of the certain readings is wrong. The table gives for each
threshold the share of readings that would be certain and how many of them are wrong: photos with the shipped weights, and rendered
tables with true tiles.

{table}

Made by `python -m benchmarks.certainty`.
"""


if __name__ == "__main__":
    main()
