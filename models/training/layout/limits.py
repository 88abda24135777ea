"""Measures the scores from which tiles count as a hand, given the weights of the selection.

They are percentiles of scores on recorded cases, with and without the tiles of the hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from hupai.models.training.layout.cases import Case
from hupai.vision.geometry.placement import place
from hupai.vision.layout.hand_search import Candidate, TableRows
from hupai.vision.layout.selection_features import Query
from hupai.vision.layout.weights import LayoutWeights

HANDS_MISSED = 0.0125
"""Share of the true hands that may score less than ``hand``; at 0.01 heaps of tiles score more."""

PARTS_TAKEN = 0.05
"""Share of the tables without a hand whose best tiles may score more than ``partial``."""

OTHERS_TAKEN = 0.0075
"""Share of them whose best tiles may score more than ``other``; and of the tables without the hand
of any player whose best tiles may score more than ``further``.
"""


def limits(cases: Sequence[Case], weights: LayoutWeights) -> dict[str, float]:
    """Measure the section ``limits`` of `LayoutWeights`.

    Args:
        cases: with known tiles.
        weights: by which selections are scored.
    """
    hands = [_hand_score(case, weights) for case in cases]
    rest = [_best_score(_ranked(without_hand(case), weights)) for case in cases]
    further = [_best_score(_ranked(case, weights, taken=_all_hands(case))) for case in cases]
    found = {
        "hand": np.quantile([score for score in hands if score is not None], HANDS_MISSED),
        # A table without candidates has no finite score to interpolate with.
        "partial": np.quantile(rest, 1 - PARTS_TAKEN, method="higher"),
        "other": np.quantile(rest, 1 - OTHERS_TAKEN, method="higher"),
        "further": np.quantile(further, 1 - OTHERS_TAKEN, method="higher"),
    }
    return {name: round(float(score), 2) for name, score in found.items()}


def without_hand(case: Case) -> Case:
    """Return a case without the tiles of its hand."""
    own = case.tiles or frozenset()
    n, low = len(case.detections), case.detections.low_confidence
    firm = replace(case.detections, low_confidence=None)
    rest = firm.only(np.array([i for i in range(n) if i not in own], np.intp))
    if low is not None:
        left = np.array([i for i in range(len(low)) if n + i not in own], np.intp)
        rest = replace(rest, low_confidence=low.only(left))
    return replace(case, detections=rest, tiles=frozenset(), groups=(), winning_tile=None)


def _hand_score(case: Case, weights: LayoutWeights) -> float | None:
    """Return the score of the true hand; None if the search cannot propose it."""
    own = case.tiles or frozenset()
    ranked = _ranked(case, weights, truth=own)
    return next((one.score for one in ranked if one.ids == own), None)


def _all_hands(case: Case) -> frozenset[int]:
    """Return the ids of the tiles of all players' hands."""
    return frozenset[int]().union(case.tiles or (), *case.other_hands)


def _best_score(ranked: Iterable[Candidate]) -> float:
    """Return the best score of any tiles that are not all backs; minus infinity without any."""
    faces = (one.score for one in ranked if one.backs < len(one.ids))
    return next(faces, -math.inf)


def _ranked(
    case: Case,
    weights: LayoutWeights,
    truth: frozenset[int] = frozenset(),
    taken: frozenset[int] = frozenset(),
) -> Iterator[Candidate]:
    """Yield the candidates on a table; those for a further hand where `taken` has tiles."""
    table = place(case.detections, case.size)
    if not len(table.firm):
        return
    query, rows = Query(case.size, case.habits, weights, truth=truth), TableRows.of(table)
    yield from rows.ranked_candidates(replace(query, taken=taken).anywhere() if taken else query)
