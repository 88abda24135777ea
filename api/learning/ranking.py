"""Ranks photos for labelling: the most uncertain first, without near-duplicates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from hupai.datasets.real.near_duplicates import Bits, hashes
from hupai.vision.types import Reading

UNLIKE = 0.4
"""Share of differing hash bits from which a photo counts as entirely new."""

DISAGREEMENT_WEIGHT = 4.0
"""Bits that full disagreement of detector and classifier counts as."""


@dataclass(slots=True)
class Candidate:
    """A photo without a label.

    Attributes:
        key: its identifier.
        bits: its perceptual hashes, one per quarter turn; None if it cannot be decoded.
        information: bits that its reading leaves open, see `information`.
        disagreement: mean difference between the confidences of detector and classifier, 0 to 1;
            None if unknown.
        distance: share of bits in which the most similar labelled photo differs.
    """

    key: str
    bits: Bits | None
    information: float
    disagreement: float | None = None
    distance: float = UNLIKE

    @property
    def novelty(self) -> float:
        """0 for a photo like one that is labelled or ranked before, 1 for a new one."""
        return min(self.distance / UNLIKE, 1.0)

    @property
    def value(self) -> float:
        """The expected value of its label, in bits."""
        doubt = self.information + DISAGREEMENT_WEIGHT * (self.disagreement or 0.0)
        return doubt * self.novelty


def in_order(
    candidates: Iterable[Candidate], labelled: Iterable[Bits], count: int
) -> Sequence[Candidate]:
    """Select candidates greedily by value; similar candidates lose value after each choice.

    Args:
        candidates: their `distance` is changed.
        labelled: hashes of photos that have labels.
        count: greatest number to return.
    """
    waiting = list(candidates)
    for bits in labelled:
        _approach(waiting, bits)
    found: list[Candidate] = []
    while waiting and len(found) < count:
        best = max(waiting, key=lambda one: (one.value, one.key))
        waiting.remove(best)
        found.append(best)
        if best.bits is not None:
            _approach(waiting, best.bits)
    return found


def information(reading: Reading) -> float:
    """Return the uncertainty of a reading in bits: entropy of the faces and of the likely hands."""
    faces = 0.0
    for tile in reading.tiles:
        if tile.in_hand:
            known = [tile.confidence, *(p for _, p in tile.alternatives)]
            faces += entropy([*known, max(0.0, 1 - sum(known))])
    likely = [hand.probability for hand in reading.hands]
    return faces + entropy([*likely, max(0.0, 1 - sum(likely))])


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
