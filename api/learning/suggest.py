"""Suggests which stored photos to label next (active learning).

The value of a photo is what its label would resolve, in bits: doubts about tiles of all waiting
photos that look like its own and like none labelled or suggested already, and the doubt about its
hand; more if detector and classifier disagree; times its dissimilarity to photos already labelled
or suggested. See `hupai.api.learning.ranking`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hupai.api.contract.reading import reading_of_json
from hupai.api.hands.outcomes import states_hand, valid_corrections
from hupai.api.learning.collect import stored_hands
from hupai.api.learning.ranking import Candidate, Labelled, doubt_of, in_order, picture_bits
from hupai.api.storage import PhotoMissingError, PhotoStore, Storage
from hupai.api.storage.rows import HandRow
from hupai.datasets.real.near_duplicates import Bits
from hupai.vision.types import Detections

Reread = Callable[[bytes], Detections | None]
"""Runs both networks over a photo again."""
_KEPT = 5000
"""Photos whose hashes are remembered, 2 kB each: decoding them all takes a minute."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A stored hand worth checking.

    Attributes:
        hand: its id.
        photo: SHA-256 of its photo.
        notation: the current hand.
        information: uncertainty of the reading, bits.
        disagreement: mean difference between the confidences of detector and classifier, 0 to 1;
            None if the photo was not read again.
        novelty: 0 for a photo like one that is labelled or suggested before, 1 for a new one.
        value: what suggestions are sorted by.
    """

    hand: str
    photo: str
    notation: str | None
    information: float
    disagreement: float | None
    novelty: float
    value: float


def suggest(
    storage: Storage, count: int, reread: Reread | None = None, author: str | None = None
) -> tuple[Suggestion, ...]:
    """Rank stored hands that nobody has checked.

    Args:
        storage: database and photos.
        count: greatest number of suggestions.
        reread: measures the disagreement of the networks; None omits it and needs no model.
        author: only hands of this author; None for all.
    """
    waiting: list[Candidate] = []
    labelled: list[Labelled] = []
    rows: dict[str, HandRow] = {}
    for row in stored_hands(storage):
        checked = any(map(states_hand, valid_corrections(row)))
        if len(row.photos) != 1 or (not checked and author not in (None, row.author)):
            continue
        name = row.photos[0].sha256
        try:
            bits = _hashes_of(name, storage.photos)
            apart = None if checked or reread is None else _apart(reread(storage.photos.get(name)))
        except PhotoMissingError:
            continue
        doubt = doubt_of(reading_of_json(row.reading))
        if checked:
            labelled.append(Labelled(bits, doubt.tiles))
        else:
            rows[row.id] = row
            waiting.append(Candidate(row.id, bits, doubt, apart))
    chosen = in_order(waiting, labelled, count)
    return tuple(_suggestion(rows[one.key], one) for one in chosen)


@lru_cache(_KEPT)
def _hashes_of(name: str, photos: PhotoStore) -> Bits | None:
    """Return the hashes of a stored photo; None if it cannot be decoded.

    Raises:
        PhotoMissingError: if it is not there.
    """
    return picture_bits(photos.get(name))


def _suggestion(row: HandRow, one: Candidate) -> Suggestion:
    return Suggestion(
        row.id,
        row.photos[0].sha256,
        row.notation,
        round(one.doubt.bits, 3),
        None if one.disagreement is None else round(one.disagreement, 3),
        round(one.novelty, 3),
        round(one.value, 3),
    )


def _apart(seen: Detections | None) -> float | None:
    if seen is None or not len(seen.scores):
        return None
    return float(np.abs(seen.scores - seen.probabilities.max(1)).mean())
