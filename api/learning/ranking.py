"""Ranks photos for labelling: a few photos whose tiles look like most doubtful ones come first.

Tiles on which the classifier wavers between the same faces teach it the same: the label of one
resolves doubts about the others. Two tiles are as similar as the Bhattacharyya coefficient of their
class distributions says, and photos are chosen greedily by the doubts that are not yet near a
labelled tile (facility location; Wei, Iyer and Bilmes, Submodularity in Data Subset Selection and
Active Learning, 2015). Only the stored reading is needed, no network.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from hupai.datasets.real.near_duplicates import Bits, hashes
from hupai.scoring.tiles import Tile
from hupai.vision.types import FloatArray, Reading

UNLIKE = 0.4
"""Share of differing hash bits from which a photo counts as entirely new."""

DISAGREEMENT_WEIGHT = 4.0
"""Bits that full disagreement of detector and classifier counts as."""

MOST_TILES = 1000
"""Maximum number of doubtful tiles that are compared; the rest add hardly any doubt."""

WIDTH = len(Tile) + 1
"""Columns of a class distribution: the faces, the back, and everything else."""


def _no_tiles() -> FloatArray:
    return np.zeros((0, WIDTH), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """What a reading leaves open.

    Attributes:
        tiles: class distributions of the tiles of the hand, shape (n, WIDTH).
        hands: entropy of the likely hands in bits.
    """

    tiles: FloatArray = field(default_factory=_no_tiles)
    hands: float = 0.0

    @property
    def by_tile(self) -> FloatArray:
        """Entropy of each tile in bits, shape (n,)."""
        bits = -(self.tiles * np.log2(np.maximum(self.tiles, 1e-12))).sum(1)
        return np.asarray(np.maximum(bits, 0.0), np.float32)

    @property
    def bits(self) -> float:
        """All of it."""
        return float(self.by_tile.sum()) + self.hands


@dataclass(slots=True, eq=False)
class Candidate:
    """A photo without a label.

    Attributes:
        key: its identifier.
        bits: its perceptual hashes, one per quarter turn; None if it cannot be decoded.
        doubt: what its reading leaves open.
        disagreement: mean difference between the confidences of detector and classifier, 0 to 1;
            None if unknown.
        distance: share of bits in which the most similar labelled photo differs.
        value: doubts of all photos that its label resolves, as of its selection, in bits.
    """

    key: str
    bits: Bits | None
    doubt: Doubt
    disagreement: float | None = None
    distance: float = UNLIKE
    value: float = 0.0

    @property
    def novelty(self) -> float:
        """0 for a photo like one that is labelled or ranked before, 1 for a new one."""
        return min(self.distance / UNLIKE, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A photo with a label.

    Attributes:
        bits: its perceptual hashes; None if it cannot be decoded.
        tiles: class distributions of its tiles as they were read, shape (n, WIDTH).
    """

    bits: Bits | None
    tiles: FloatArray = field(default_factory=_no_tiles)


def in_order(
    candidates: Iterable[Candidate], labelled: Iterable[Labelled], count: int
) -> Sequence[Candidate]:
    """Select candidates greedily; after each choice similar photos and tiles lose value.

    Args:
        candidates: their `distance` and `value` are changed.
        labelled: photos that have labels.
        count: greatest number to return.
    """
    waiting = sorted(candidates, key=lambda one: one.key, reverse=True)
    tiles = np.concatenate([_no_tiles(), *(one.doubt.tiles for one in waiting)])
    bits = np.concatenate([np.zeros(0, np.float32), *(one.doubt.by_tile for one in waiting)])
    doubtful = np.argsort(-bits, kind="stable")[:MOST_TILES]
    targets, weight = np.sqrt(tiles[doubtful]), bits[doubtful]
    near = [_nearest(one.doubt.tiles, targets) for one in waiting]
    covered = np.zeros(len(targets), np.float32)
    for known in labelled:
        covered = np.maximum(covered, _nearest(known.tiles, targets))
        _approach(waiting, known.bits)
    found: list[Candidate] = []
    while waiting and len(found) < count:
        for one, alike in zip(waiting, near, strict=True):
            resolved = float(np.maximum(alike - covered, 0.0) @ weight)
            apart = DISAGREEMENT_WEIGHT * (one.disagreement or 0.0)
            one.value = (resolved + one.doubt.hands + apart) * one.novelty
        best = max(range(len(waiting)), key=lambda i: waiting[i].value)
        covered = np.maximum(covered, near.pop(best))
        found.append(waiting.pop(best))
        _approach(waiting, found[-1].bits)
    return found


def _nearest(tiles: FloatArray, targets: FloatArray) -> FloatArray:
    """Return how similar the most similar of some tiles is to each target, shape (m,), 0 to 1.

    Args:
        tiles: class distributions, shape (n, WIDTH).
        targets: square roots of those of the targets, shape (m, WIDTH).
    """
    if not len(tiles):
        return np.zeros(len(targets), np.float32)
    return np.asarray((np.sqrt(tiles) @ targets.T).max(0), np.float32)


def doubt_of(reading: Reading) -> Doubt:
    """Return what a reading leaves open about its hand."""
    mine = [tile for tile in reading.tiles if tile.in_hand]
    tiles = np.zeros((len(mine), WIDTH), np.float32)
    for row, tile in zip(tiles, mine, strict=True):
        for face, p in ((tile.tile, tile.confidence), *tile.alternatives):
            row[face] += p
        row /= max(1.0, float(row.sum()))
        row[-1] = 1 - row.sum()
    hands = [hand.probability for hand in reading.hands]
    return Doubt(tiles, entropy([*hands, max(0.0, 1 - sum(hands))]))


def entropy(probabilities: Sequence[float]) -> float:
    """Return the entropy in bits of probabilities that sum to about 1."""
    return -sum(p * math.log2(p) for p in probabilities if p > 0)


def picture_bits(data: bytes) -> Bits | None:
    """Return the perceptual hashes of an encoded photo, None if it cannot be decoded."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_REDUCED_COLOR_2)
    return None if image is None else hashes(np.asarray(image, np.uint8))


def _approach(waiting: Sequence[Candidate], bits: Bits | None) -> None:
    """Update each candidate's distance with this photo, over the four quarter turns."""
    for one in waiting:
        if bits is not None and one.bits is not None:
            one.distance = min(one.distance, float((bits != one.bits[0]).mean(1).min()))
