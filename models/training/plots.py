"""Pictures of a training: curves by epoch, and the classifier's confusion matrix.

    python -m hupai.models.training.plots RUN [--check CROPS.npz...]

RUN is the folder of a detector's training (results.csv) or of a classifier's (history.json,
classifier.pt). It gets curves.png and, with --check, confusion.png. Matplotlib comes with the train
extra.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hupai.models.training.classifier.network import from_file
from hupai.models.training.classifier.train import accuracy
from hupai.scoring.tiles import Tile

Curves = dict[str, list[float]]
"""Values by name, one per epoch."""

NAMES = [*(Tile(i).code for i in range(43)), "none"]
"""Names of the classifier's classes."""


def read_curves(run: Path) -> Curves:
    """Read the record of a training.

    Raises:
        FileNotFoundError: if the folder holds neither kind of record.
    """
    history, results = run / "history.json", run / "results.csv"
    if history.exists():
        rows: list[dict[str, Any]] = json.loads(history.read_text("utf-8"))
    elif results.exists():
        with results.open(encoding="utf-8", newline="") as lines:
            rows = [
                {key.strip(): value for key, value in row.items()} for row in csv.DictReader(lines)
            ]
    else:
        raise FileNotFoundError(
            f"{run} holds no history.json and no results.csv: is it the folder of a training?"
        )
    left_out = ("epoch", "time", "seconds", "class_losses")
    names = [name for name in rows[0] if name not in left_out] if rows else []
    return {name: [float(row[name]) for row in rows] for name in names}


def curves(run: Path) -> Path:
    """Draw RUN/curves.png, one small chart per value."""
    values = {name: v for name, v in read_curves(run).items() if any(v)}
    columns = min(4, max(1, len(values)))
    lines = -(-len(values) // columns)
    figure = Figure(figsize=(3.2 * columns, 2.4 * lines), layout="constrained")
    for place, (name, row) in enumerate(values.items(), 1):
        chart = figure.add_subplot(lines, columns, place)
        chart.plot(range(1, len(row) + 1), row, marker="o", markersize=3)
        chart.set_title(name, fontsize=9)
        chart.tick_params(labelsize=7)
        chart.grid(alpha=0.3)
    figure.savefig(run / "curves.png", dpi=110)
    return run / "curves.png"


def confusion(truth: np.ndarray, predictions: np.ndarray, target: Path) -> Path:
    """Draw how often each class (rows) was read as each (columns), as shares of the row.

    Args:
        truth, predictions: classes (n,), 0 to 43.
        target: PNG file to write.
    """
    counts = np.zeros((len(NAMES), len(NAMES)))
    np.add.at(counts, (truth.astype(int), predictions.astype(int)), 1)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    figure = Figure(figsize=(11, 10), layout="constrained")
    chart = figure.add_subplot()
    picture = chart.imshow(np.sqrt(shares), cmap="viridis", vmin=0, vmax=1)
    chart.set_xticks(range(len(NAMES)), NAMES, rotation=90, fontsize=7)
    chart.set_yticks(range(len(NAMES)), NAMES, fontsize=7)
    chart.set_xlabel("read as")
    chart.set_ylabel("is")
    chart.set_title(
        f"{int(counts.sum())} patches, {np.trace(counts) / max(counts.sum(), 1):.4f} right"
    )
    for i, j in zip(*np.nonzero(counts), strict=True):
        if i != j:
            chart.text(
                j, i, str(int(counts[i, j])), ha="center", va="center", color="white", fontsize=6
            )
    bar = figure.colorbar(picture, shrink=0.6)
    bar.set_label("square root of the share of the row")
    figure.savefig(target, dpi=110)
    return target


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument(
        "--check",
        type=Path,
        nargs="*",
        default=[],
        help="patches to draw the confusions of",
    )
    a = parser.parse_args()
    print(curves(a.run))
    if a.check:
        model = from_file(a.run / "classifier.pt")
        parts = [np.load(path) for path in a.check]
        patches, classes = (
            np.concatenate([part[name] for part in parts]) for name in ("patches", "classes")
        )
        print(confusion(classes, accuracy(model, patches, classes)[1], a.run / "confusion.png"))


if __name__ == "__main__":
    main()
