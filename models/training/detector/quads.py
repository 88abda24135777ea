"""Outlines of tiles beside Ultralytics' labels, for the detector that learns directions.

Ultralytics' label files hold boxes only. `write` keeps the four corners in a separate folder, so
that one folder of pictures serves both kinds of training.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = "quads"
"""Beside ``images`` and ``labels``."""


@dataclass(frozen=True, slots=True, eq=False)
class Outlines:
    """The tiles of a picture.

    Attributes:
        quads: shape (n, 4, 2), corners in shares of width and height; the first two are an end of
            the tile.
        classes: shape (n,), 0 a face, 1 a back.
        directed: shape (n,), whether the corners give the tile's direction; labels of photos are
            boxes, which give it only if they are clearly longer one way.
    """

    quads: NDArray[np.float32]
    classes: NDArray[np.int_]
    directed: NDArray[np.bool_]


def write(file: Path, outlines: Outlines) -> None:
    """Write one line per tile: class, whether directed, and eight numbers."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = zip(outlines.classes, outlines.directed, outlines.quads.reshape(-1, 8), strict=True)
    file.write_text(
        "".join(f"{c} {int(d)} " + " ".join(f"{v:.5f}" for v in q) + "\n" for c, d, q in rows)
    )


def read(file: Path) -> Outlines:
    """Read what `write` wrote; a missing file has no tiles."""
    text = file.read_text() if file.is_file() else ""
    rows = np.array([line.split() for line in text.splitlines()], np.float32).reshape(-1, 10)
    return Outlines(rows[:, 2:].reshape(-1, 4, 2), rows[:, 0].astype(int), rows[:, 1] > 0)
