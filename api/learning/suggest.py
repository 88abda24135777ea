"""Which stored photos to label next: those that would teach most.

A photo is worth the bits that its reading leaves open (the entropy of its faces and of its likely
hands), more where detector and classifier disagree, times how little it resembles what is labelled
or already suggested. So ten labels go to ten different doubts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from hupai.api.contract.reading import reading_of_json
from hupai.api.hands.outcomes import states_hand, valid_corrections
from hupai.api.learning.collect import stored_hands
from hupai.api.storage import PhotoMissingError, Storage
from hupai.api.storage.rows import HandRow
from hupai.datasets.real.near_duplicates import Bits, hashes
from hupai.vision.types import Detections, Reading

UNLIKE = 0.4
"""Share of differing bits from which a photo counts as wholly new."""

Reread = Callable[[bytes], Detections | None]
"""Runs both networks over a photo again."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A stored hand worth a look.

    Attributes:
        hand: its id.
        photo: SHA-256 of its photo.
        notation: the hand as it stands.
        information: bits that the reading leaves open.
        disagreement: mean difference between how sure detector and classifier are, 0 to 1; None
            where the photo was not read again.
        novelty: 0 for a photo like one that is labelled or suggested before, 1 for a new one.
        value: by which they are ordered.
    """

    hand: str
    photo: str
    notation: str | None
    information: float
    disagreement: float | None
    novelty: float
    value: float


@dataclass(slots=True)
class _Candidate:
    row: HandRow
    bits: Bits | None
    information: float
    disagreement: float | None
    distance: float = UNLIKE

    @property
    def novelty(self) -> float:
        return min(self.distance / UNLIKE, 1.0)

    @property
    def value(self) -> float:
        return (self.information + 4 * (self.disagreement or 0.0)) * self.novelty


def suggest(
    storage: Storage, count: int, reread: Reread | None = None, author: str | None = None
) -> tuple[Suggestion, ...]:
    """Rank stored hands that nobody has checked.

    Args:
        storage: database and photos.
        count: at most so many.
        reread: measures how far the networks disagree; None leaves that out, which needs no model.
        author: only hands of this author; None for all.
    """
    waiting: list[_Candidate] = []
    labelled: list[Bits] = []
    for row in stored_hands(storage):
        checked = any(map(states_hand, valid_corrections(row)))
        if len(row.photos) != 1 or (not checked and author not in (None, row.author)):
            continue
        try:
            data = storage.photos.get(row.photos[0].sha256)
        except PhotoMissingError:
            continue
        bits = _bits(data)
        if checked:
            labelled += [] if bits is None else [bits]
            continue
        waiting.append(
            _Candidate(row, bits, information(reading_of_json(row.reading)), _apart(reread, data))
        )
    for bits in labelled:
        _approach(waiting, bits)
    return tuple(_in_order(waiting, count))


def _in_order(waiting: list[_Candidate], count: int) -> Sequence[Suggestion]:
    """Take the most valuable one again and again; what resembles it loses value."""
    found: list[Suggestion] = []
    while waiting and len(found) < count:
        best = max(waiting, key=lambda one: (one.value, one.row.id))
        waiting.remove(best)
        found.append(
            Suggestion(
                best.row.id,
                best.row.photos[0].sha256,
                best.row.notation,
                round(best.information, 3),
                None if best.disagreement is None else round(best.disagreement, 3),
                round(best.novelty, 3),
                round(best.value, 3),
            )
        )
        if best.bits is not None:
            _approach(waiting, best.bits)
    return found


def information(reading: Reading) -> float:
    """Return the bits that a reading leaves open: faces of its hand, and which hand it is."""
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


def _apart(reread: Reread | None, data: bytes) -> float | None:
    seen = None if reread is None else reread(data)
    if seen is None or not len(seen.scores):
        return None
    return float(np.abs(seen.scores - seen.probabilities.max(1)).mean())


def _bits(data: bytes) -> Bits | None:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_REDUCED_COLOR_2)
    return None if image is None else hashes(np.asarray(image, np.uint8))


def _approach(waiting: Sequence[_Candidate], bits: Bits) -> None:
    """Note how near each candidate is to this photo, in the best of four quarter turns."""
    for one in waiting:
        if one.bits is not None:
            one.distance = min(one.distance, float((bits != one.bits[0]).mean(1).min()))
