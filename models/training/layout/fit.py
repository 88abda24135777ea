"""Fits the layout weights that select the hand, on recorded cases.

The score of a selection of tiles is linear in its features, so the likelihood of the true choice
among the candidates that the decoder proposes is that of a conditional logit model (McFadden,
1974), here with a small share of outliers. Candidates depend on the weights, so decoding and
fitting alternate, and candidates of earlier rounds are kept (Daumé and Marcu, 2005, learning as
search optimisation).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from hupai.models.training.layout.cases import Case
from hupai.vision.geometry.placement import place
from hupai.vision.layout.hand_search import TableRows
from hupai.vision.layout.selection_features import FEATURES, Query
from hupai.vision.layout.weights import LayoutWeights, weight_vector

Array = NDArray[np.float64]

KEPT = 40
"""Candidates of a case kept from each decoding; the rest score far lower."""

PENALTY = 0.001
"""Weight of the squared distance from the first weights, in standard deviations of features.

The greatest penalty that does not reduce accuracy on the fitted cases; left-out families benefit.
"""

OUTLIERS = 0.05
"""Share of cases that the weights need not explain.

Without it, cases whose hand is reachable only tile by tile, across its rows, dominate the fit.
"""

SHARES = {"real": 4.0}
"""Weight of a case by family, 1 for the others: real photos are few."""

FOR = frozenset(
    {
        "line",
        "flowers_line",
        "flowers_askew",
        "added",
        "full",
        "waiting",
        "complete",
        "everything",
        "all_sets",
        "touching",
        "kongs",
    }
)
"""Features that by their meaning support a set of segments; all others count against it."""


def prior() -> dict[str, float]:
    """Return the prior mean and starting point of the weights: the sign of each feature."""
    return {name: 1.0 if name in FOR else -1.0 for name in FEATURES}


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """A case as it was decoded.

    Attributes:
        family: family of the case.
        features: shape (n, k), of the candidates; the true one comes first.
        right: whether the best-scoring candidate is the true one.
        reachable: whether the decoder can propose the true tiles.
    """

    family: str
    features: Array
    right: bool
    reachable: bool


def decode(case: Case, weights: LayoutWeights, known: bool = True) -> Decoded:
    """Propose candidates for the hand of a case whose tiles are known.

    Args:
        case: the case.
        weights: by which candidates are scored.
        known: whether to add the true tiles to the candidates, as the fit requires; otherwise the
            decoder has to find them itself.
    """
    truth = case.tiles or frozenset()
    table = place(case.detections, case.size)
    query = Query(case.size, case.habits, weights, truth=truth if known else frozenset())
    ranked = list(TableRows.of(table).ranked_candidates(query))
    true = [c for c in ranked if c.ids == truth]
    wrong = [c for c in ranked if c.ids != truth]
    kept = [c.features for c in true[:1] + wrong[:KEPT]]
    features = np.array(kept).reshape(-1, len(FEATURES))
    return Decoded(case.family, features, bool(ranked) and ranked[0].ids == truth, bool(true))


def joined(first: Decoded, second: Decoded) -> Decoded:
    """Merge the candidates of two decodings of one case."""
    if not (first.reachable and second.reachable):
        return second if second.reachable else first
    features = np.unique(np.concatenate([first.features[1:], second.features[1:]]), axis=0)
    return Decoded(
        second.family, np.concatenate([second.features[:1], features]), second.right, True
    )


def fit(
    decoded: Sequence[Decoded],
    start: Mapping[str, float],
    shares: Mapping[str, float] = SHARES,
    penalty: float = PENALTY,
) -> dict[str, float]:
    """Maximise the penalised likelihood of the true candidates, or of outliers (`OUTLIERS`).

    Args:
        decoded: the cases; those whose true tiles cannot be reached are left out.
        start: weights to start from.
        shares: weight of a case by family, 1 by default.
        penalty: weight of the squared distance from `prior()`, in standard deviations of features.
    """
    used = [one for one in decoded if one.reachable and len(one.features) > 1]
    rows = np.concatenate([one.features - one.features[0] for one in used])
    owner = np.repeat(np.arange(len(used)), [len(one.features) for one in used])
    begin = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
    share = np.array([shares.get(one.family, 1.0) for one in used])
    spread = np.maximum(rows.std(0), 1e-3)
    scaled = rows / spread

    def loss(weights: Array) -> tuple[float, Array]:
        scores = scaled @ weights
        highest = np.maximum.reduceat(scores, begin)
        likely = np.exp(scores - highest[owner])
        total = np.add.reduceat(likely, begin)
        explained = (1 - OUTLIERS) * np.exp(-highest) / total
        cost = float((share * -np.log(explained + OUTLIERS)).sum())
        used_share = share * explained / (explained + OUTLIERS)
        gradient = scaled.T @ (likely / total[owner] * used_share[owner])
        away = weights - centre
        return (
            cost / len(used) + penalty * float(away @ away),
            gradient / len(used) + 2 * penalty * away,
        )

    first, centre = (weight_vector(some, FEATURES) * spread for some in (start, prior()))
    # A feature keeps the sign given by its meaning, even if the data suggest the opposite.
    bounds = [(0.0, None) if usual > 0 else (None, 0.0) for usual in centre]
    result = minimize(
        loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 400}
    )
    return dict(zip(FEATURES, (result.x / spread).tolist(), strict=True))


def rounds(
    cases: Sequence[Case],
    start: LayoutWeights,
    count: int,
    version: str,
    shares: Mapping[str, float] = SHARES,
) -> tuple[LayoutWeights, list[float]]:
    """Alternate decoding and fitting.

    Returns:
        The weights, and the share of the cases decoded correctly at the start of each round.
    """
    weights, kept, shown = start, list[Decoded](), list[float]()
    for _ in range(count):
        decoded = [decode(case, weights) for case in cases]
        shown.append(right(decoded))
        kept = [joined(a, b) for a, b in zip(kept, decoded, strict=True)] if kept else decoded
        selection = {
            name: round(value, 3) + 0.0
            for name, value in fit(kept, weights.selection, shares).items()
        }
        weights = replace(start, version=version, selection=selection)
    return weights, shown


def right(decoded: Iterable[Decoded]) -> float:
    """Return the share of cases that were decoded correctly."""
    rows = [one.right for one in decoded]
    return sum(rows) / max(len(rows), 1)
