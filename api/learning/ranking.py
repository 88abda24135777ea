"""Ranks photos for labelling: those with doubtful tiles of faces that have few labels so far."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from hupai.datasets.real.near_duplicates import Bits, hashes
from hupai.scoring.tiles import Tile
from hupai.vision.types import Reading

UNLIKE = 0.4
"""Share of differing hash bits from which a photo counts as entirely new."""

DISAGREEMENT_WEIGHT = 4.0
"""Bits that full disagreement of detector and classifier counts as."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a reading leaves open.

    Attributes:
        faces: entropy of the tiles of the hand in bits, divided among the faces they may show.
        shown: expected number of tiles of the hand that show a face.
        hands: entropy of the likely hands in bits.
    """

    faces: Mapping[Tile, float] = field(default_factory=dict)
    shown: Mapping[Tile, float] = field(default_factory=dict)
    hands: float = 0.0

    @property
    def bits(self) -> float:
        """All of it."""
        return sum(self.faces.values()) + self.hands


@dataclass(slots=True)
class Candidate:
    """A photo without a label.

    Attributes:
        key: its identifier.
        bits: its perceptual hashes, one per quarter turn; None if it cannot be decoded.
        doubt: what its reading leaves open.
        disagreement: mean difference between the confidences of detector and classifier, 0 to 1;
            None if unknown.
        distance: share of bits in which the most similar labelled photo differs.
        value: what its label would teach when it was selected, in bits.
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

    def worth(self, labels: Mapping[Tile, float]) -> float:
        """Return the expected value of its label in bits; n labels of a face divide it by n + 1."""
        faces = sum(bits / (1 + labels.get(face, 0.0)) for face, bits in self.doubt.faces.items())
        apart = DISAGREEMENT_WEIGHT * (self.disagreement or 0.0)
        return (faces + self.doubt.hands + apart) * self.novelty


def in_order(
    candidates: Iterable[Candidate],
    labelled: Iterable[Bits],
    count: int,
    labels: Mapping[Tile, float] | None = None,
) -> Sequence[Candidate]:
    """Select candidates greedily by worth; after each choice similar ones and its faces lose worth.

    Args:
        candidates: their `distance` and `value` are changed.
        labelled: hashes of photos that have labels.
        count: greatest number to return.
        labels: number of labels by face.
    """
    waiting, known = list(candidates), dict(labels or {})
    for bits in labelled:
        _approach(waiting, bits)
    found: list[Candidate] = []
    while waiting and len(found) < count:
        for one in waiting:
            one.value = one.worth(known)
        best = max(waiting, key=lambda one: (one.value, one.key))
        waiting.remove(best)
        found.append(best)
        for face, times in best.doubt.shown.items():
            known[face] = known.get(face, 0.0) + times
        if best.bits is not None:
            _approach(waiting, best.bits)
    return found


def doubt_of(reading: Reading) -> Doubt:
    """Return what a reading leaves open about its hand."""
    faces, shown = dict[Tile, float](), dict[Tile, float]()
    for tile in reading.tiles:
        if tile.in_hand:
            likely = [(tile.tile, tile.confidence), *tile.alternatives]
            bits = entropy([*(p for _, p in likely), max(0.0, 1 - sum(p for _, p in likely))])
            known = max(sum(p for _, p in likely), 1e-9)
            for face, p in likely:
                faces[face] = faces.get(face, 0.0) + bits * p / known
                shown[face] = shown.get(face, 0.0) + p
    hands = [hand.probability for hand in reading.hands]
    return Doubt(faces, shown, entropy([*hands, max(0.0, 1 - sum(hands))]))


def entropy(probabilities: Sequence[float]) -> float:
    """Return the entropy in bits of probabilities that sum to about 1."""
    return -sum(p * math.log2(p) for p in probabilities if p > 0)


def picture_bits(data: bytes) -> Bits | None:
    """Return the perceptual hashes of an encoded photo, None where it cannot be decoded."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_REDUCED_COLOR_2)
    return None if image is None else hashes(np.asarray(image, np.uint8))


def _approach(waiting: Sequence[Candidate], bits: Bits) -> None:
    """Update each candidate's distance with this photo, over the four quarter turns."""
    for one in waiting:
        if one.bits is not None:
            one.distance = min(one.distance, float((bits != one.bits[0]).mean(1).min()))
