"""The parts of a reading that determine its certainty."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import sizes
from hupai.vision.layout.types import Arrangement, Layout
from hupai.vision.types import LikelyHand


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The parts of a reading that determine its certainty.

    Attributes:
        layout: the layout of the photo.
        arrangement: the chosen grouping.
        hands: all hands found, best first.
        no_hand: probability that the tiles are not a legal hand.
        faces: face of each tile of the hand by id.
        seen: likeliest face of every detection by itself, by id.
        codes: codes of the reading's problems.
        complete, waiting: whether the hand is a winning one, or lacks the winning tile.
        hand_size: concealed tiles of a waiting hand.
    """

    layout: Layout
    arrangement: Arrangement
    hands: Sequence[LikelyHand]
    no_hand: float
    faces: Mapping[int, Tile]
    seen: Sequence[Tile]
    codes: Collection[str]
    complete: bool
    waiting: bool
    hand_size: int


def width(e: Evidence, ids: Sequence[int]) -> float:
    """Return the median shorter side of the hand's boxes, pixels."""
    return float(np.sort(sizes(e.layout.detections.boxes[ids]).min(axis=1))[len(ids) // 2])
