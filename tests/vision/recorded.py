"""Detections of real photos, recorded as text: boxes, scores, axes and class probabilities, no
picture.

    python -m tests.vision.recorded FOLDER [FOLDER ...] > tests/vision/recorded.txt

records the photos of each folder that have whole-hand truth (see
`hupai.models.evaluation.labelled_folder`), with the default model. A paragraph is a photo: its
name, its size and the true tiles, then a tile a line: box in pixels of the upright photo, score,
direction of the upright axis in degrees (``-`` unknown), the likely faces with their probabilities.
What these leave of 1 is spread over the others.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hupai.models import registry
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.scoring.notation import format_tiles
from hupai.scoring.tiles import CODES, Tile, tiles_from_codes
from hupai.vision.photo.decode import DEFAULT_LIMITS, decode
from hupai.vision.types import Detections

RECORDED = Path(__file__).with_suffix(".txt")
_LIKELY = 0.002
_MOST = 6


@dataclass(frozen=True, slots=True)
class Recorded:
    """A photo: its name, size (width, height), the true tiles in no order, and what the detector
    saw.
    """

    name: str
    size: tuple[int, int]
    truth: tuple[Tile, ...]
    detections: Detections

    def __str__(self) -> str:
        return self.name


def recorded() -> list[Recorded]:
    """Every recorded photo."""
    paragraphs = RECORDED.read_text(encoding="utf-8").strip().split("\n\n")
    return [
        parse(paragraph.splitlines()) for paragraph in paragraphs if not paragraph.startswith("#")
    ]


def parse(lines: Sequence[str]) -> Recorded:
    """A photo from the lines that record it, see `paragraph`."""
    name, size, tiles = lines[0].split()
    width, height = size.split("x")
    rows = [line.split() for line in lines[1:]]
    detections = Detections(
        np.array([row[:4] for row in rows], np.float32).reshape(-1, 4),
        np.array([row[4] for row in rows], np.float32),
        np.array([_distribution(row[6:]) for row in rows], np.float32).reshape(-1, len(CODES)),
        np.array(
            [math.nan if row[5] == "-" else math.radians(float(row[5])) for row in rows], np.float32
        ),
    )
    return Recorded(name, (int(width), int(height)), tiles_from_codes(tiles), detections)


def _distribution(words: Sequence[str]) -> list[float]:
    """``1m 0.99 7m 0.008`` as 43 probabilities."""
    likely = {
        Tile.from_code(code): float(share)
        for code, share in zip(words[::2], words[1::2], strict=True)
    }
    rest = max(0.0, 1 - sum(likely.values())) / (len(CODES) - len(likely))
    given = [likely.get(tile, rest) for tile in map(Tile, range(len(CODES)))]
    return [share / sum(given) for share in given]


def paragraph(photo: Recorded) -> Iterator[str]:
    """The lines that record a photo."""
    yield f"{photo.name} {photo.size[0]}x{photo.size[1]} {format_tiles(tuple(sorted(photo.truth)))}"
    found = photo.detections
    for box, score, axis, shares in zip(
        found.boxes, found.scores, found.axes, found.probabilities, strict=True
    ):
        order = [i for i in np.argsort(-shares)[:_MOST] if shares[i] >= _LIKELY]
        faces = " ".join(f"{CODES[i]} {shares[i]:.4g}" for i in order)
        direction = "-" if math.isnan(axis) else f"{math.degrees(axis):.1f}"
        yield f"{' '.join(f'{side:.1f}' for side in box)} {score:.3f} {direction} {faces}"


def record(folder: Path) -> Iterator[Recorded]:
    """Look at the photos of a folder with the default model; wrong labels are corrected as the
    evaluation does.
    """

    detector = registry.load()
    for labelled in read_folder(folder):
        if labelled.hand is not None:
            photo = decode(labelled.path.read_bytes(), labelled.path.name, DEFAULT_LIMITS, 1600)
            found = detector.detect(photo.image).scaled(photo.reduction)
            yield Recorded(
                labelled.path.stem, (photo.width, photo.height), tuple(labelled.hand), found
            )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for one in record(Path(name)):
            print("\n".join(paragraph(one)), end="\n\n", flush=True)
