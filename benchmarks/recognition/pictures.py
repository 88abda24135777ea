"""Draws which faces are confused, and how often readings of a confidence are right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from hupai.models.evaluation.calibrate import Sample, reliability_plot
from hupai.models.evaluation.evaluate import PhotoOutcome
from hupai.models.evaluation.matching import match
from hupai.scoring.tiles import Tile
from hupai.vision.types import Image

CELL = 20
"""Side of a cell of the matrix, pixels."""

MARGIN = 40
"""Space for the names of the faces, pixels."""

_CLASSES = 43
_INK, _RIGHT, _WRONG = (40, 40, 40), (150, 190, 120), (90, 90, 230)


class Named(NamedTuple):
    """A labelled tile that was found: its face, the face it was read as, and the confidence."""

    true: Tile
    read: Tile
    confidence: float


def named_tiles(outcomes: Iterable[PhotoOutcome]) -> list[Named]:
    """List the labelled tiles that a prediction overlaps.

    Only predictions that count are taken (`hupai.models.evaluation.evaluate`): where the hand is
    known, those in the hand.
    """
    return [
        Named(o.boxes.true_tiles[j], o.boxes.tiles[i], float(o.boxes.confidences[i]))
        for o in outcomes
        for i, j in match(o.boxes.boxes, o.boxes.true_boxes)
    ]


def confusion(tiles: Sequence[Named]) -> Image:
    """Draw how often each face (rows) was read as each (columns). BGR.

    Cells on the diagonal are green, mistakes red; each has its number. Faces that are not there
    have no row and no column.
    """
    present = sorted({t.true for t in tiles} | {t.read for t in tiles})
    place = {tile: i for i, tile in enumerate(present)}
    counts = np.zeros((len(present), len(present)), int)
    for tile in tiles:
        counts[place[tile.true], place[tile.read]] += 1
    side = MARGIN + CELL * max(len(present), 1)
    picture = np.full((side, side, 3), 255, np.uint8)
    for face, i in place.items():
        at = MARGIN + i * CELL
        _write(picture, face.code, (8, at + 14))
        _write(picture, face.code, (at + 2, 28))
    for i, j in zip(*np.nonzero(counts), strict=True):
        x, y = MARGIN + int(j) * CELL, MARGIN + int(i) * CELL
        colour = _RIGHT if i == j else _WRONG
        cv2.rectangle(picture, (x, y), (x + CELL - 2, y + CELL - 2), colour, -1)
        _write(picture, str(counts[i, j]), (x + 1, y + 13))
    return picture


def reliability(tiles: Sequence[Named]) -> Image:
    """Draw the share of right faces against confidence, a bar a bin. BGR."""
    read = np.array([int(t.read) for t in tiles], int)
    shares = np.zeros((len(tiles), _CLASSES), np.float32)
    shares[np.arange(len(tiles)), read] = [t.confidence for t in tiles]
    return reliability_plot(Sample(shares, np.array([int(t.true) for t in tiles], int)))


def _write(picture: Image, text: str, at: tuple[int, int]) -> None:
    cv2.putText(picture, text, at, cv2.FONT_HERSHEY_PLAIN, 0.7, _INK, 1, cv2.LINE_AA)
