"""Rendered hands in held-out tile designs: the set of docs/recognition.md and the model card.

    python -m hupai.datasets.synthetic.held_out_designs OUT [--count 1060] [--workers 2]

Training draws its styles from seed 7 (`hupai.datasets.faces.from_sources`), this set from 4711;
no network is ever trained on it. OUT gets faces/, images/ and truth.jsonl, which `hupai models
evaluate OUT` and `python -m benchmarks.recognition` read. A second run continues after the last
picture.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from hupai.datasets.faces.from_sources import drawn
from hupai.datasets.synthetic.generate import Material, SceneKind, generate
from hupai.datasets.synthetic.truth import whole_lines

SEED = 4711
STYLES = 20
COUNT = 1060
SIZE = 1280
"""Longer side of the pictures in pixels."""


def make(out: Path, count: int = COUNT, workers: int = 1) -> int:
    """Draw the styles and render those of `count` pictures that are missing; return how many."""
    faces = out / "faces"
    if len(list(faces.glob("drawn-*"))) < STYLES:
        drawn(faces, STYLES, SEED)
    done = whole_lines(out)
    missing = max(0, count - done)
    if missing:
        material = Material(tuple(sorted(faces.iterdir())))
        generate(out, missing, SEED, SceneKind.HANDS, SIZE, material, workers=workers, start=done)
    return missing


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    a = parser.parse_args()
    print(f"{make(a.out, a.count, a.workers)} pictures rendered in {a.out}")


if __name__ == "__main__":
    main()
