"""Fits the assurance of readings (`hupai.vision.reading.certainty.assurance`).

    python -m hupai.models.training.layout.certainty CASES.npz ... --out models/weights/layout.json

Recorded cases are laid out and read like photos. Two logistic regressions are fitted on features of
the readings: whether the tiles are those of the hand, and whether everything is right. The signs of
the weights are constrained by `FEATURES`, so more doubt never raises the assurance. The threshold
keeps the promise both in a cross-validation and when each part, a family of tables or a table of
photos, is left out; at most one photo of each table may be wrong. The results for each left-out
part are printed.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from hupai.models.training.layout.cases import Case, load, with_waiting_hands
from hupai.models.training.layout.grouping import TruthKey, Vector, key_of_case, key_of_groups
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Layout
from hupai.vision.layout.weights import SHIPPED, LayoutWeights
from hupai.vision.reading.certainty.assurance import RISK, fit_threshold, probability
from hupai.vision.reading.certainty.features import FEATURES, TILE_FEATURES
from hupai.vision.reading.read import may_be_certain, read_with_features

PENALTY = 10.0
"""Weight of half the squared weights against the log-loss of one reading. With 3, the wrong reading
with the highest assurance in a left-out part has a higher one than that of a cross-validation.
"""
LEAST_THRESHOLD = 1 - 4 * RISK
"""Least assurance of a certain reading: the rules leave so few wrong readings to the fit that it
would accept almost any.
"""
_FOLDS, _DIVISIONS = 5, 5
"""Folds of a cross-validation, and how many are averaged for the threshold."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A reading compared with the ground truth.

    Attributes:
        part: the family of the case, or the table of a photo: what is left out together.
        source: the table within its family.
        values: features of the reading; empty if it has no hand.
        may_be_certain: whether no problem excludes certainty.
        tiles: whether the tiles are those of the hand.
        right: whether faces, groups and claims are right as well, as far as they are known.
    """

    part: str
    source: str
    values: Mapping[str, float]
    may_be_certain: bool
    tiles: bool
    right: bool


def judge(case: Case, layout: Layout | None = None) -> Judged:
    """Read a case, or a given layout of it, and compare the reading with the truth."""
    if layout is None:
        # Tiles found by recovery are among the detections of a case.
        layout = replace(arrange(case.detections, case.size), examined=True)
        layout = replace(layout, ends_in_view=layout.ends_in_view or case.rows_end)
    reading, values = read_with_features(layout)
    held = [tile for tile in reading.tiles if tile.in_hand]
    faces = Counter(tile.tile for tile in held)
    true_faces = Counter(case.faces or ())
    hidden = {g.id for g in reading.groups if g.kind.value == "concealed_kong"}
    if case.faces is not None and faces != true_faces:
        # A face-down tile of a kong gets the face that another of its tiles shows.
        shown = Counter(
            Tile.BACK if tile.inferred and tile.group in hidden else tile.tile for tile in held
        )
        faces = shown if shown == true_faces else faces
    right = case.faces is None or faces == true_faces
    # A layout renumbers low-confidence tiles, so they are identified by their boxes.
    places = {tuple(box): i for i, box in enumerate(case.all_detections.boxes.tolist())}
    ids = {tile.id: places.get(tile.box, -1 - tile.id) for tile in reading.tiles}
    tiles = right
    if case.tiles is not None:
        tiles = case.missing == 0 and {ids[tile.id] for tile in held} == case.tiles
    if case.groups:
        groups = (
            (
                g.kind.value,
                [ids[i] for i in g.tiles],
                g.claimed_from.value if g.claimed_from else None,
            )
            for g in reading.groups
        )
        named = {ids[tile.id]: tile.tile for tile in held}
        right = (
            right
            and tiles
            and _by_faces(key_of_groups(groups), named) == _by_faces(key_of_case(case), named)
        )
    part = f"real, {case.source}" if case.family == "real" else case.family
    has_hand = bool(reading.hands)
    return Judged(
        part,
        case.source,
        values,
        has_hand and may_be_certain(reading.problems, values),
        tiles,
        right and has_hand,
    )


def _by_faces(groups: TruthKey, faces: Mapping[int, Tile]) -> Counter[tuple[object, ...]]:
    """Describe groups by their faces: which of two equal tiles completed the hand is irrelevant."""
    return Counter((kind, tuple(sorted(faces[i] for i in ids)), src) for kind, ids, src in groups)


def regress(judged: Sequence[Judged], names: Iterable[str], *, tiles: bool) -> dict[str, float]:
    """Fit one logistic regression: of the tiles, or of all being right.

    The latter is fitted only on readings that may be certain: fitted on all, it spends its weights
    on those that are excluded anyway, and half as many are certain at the same risk
    (docs/decisions.md, 46).
    """
    used = [j for j in judged if j.values and (tiles or j.may_be_certain)]
    columns = [name for name in FEATURES if name in set(names)]
    x = np.array([[j.values[name] for name in columns] + [1.0] for j in used])
    y = np.array([j.tiles if tiles else j.right for j in used], float)
    spread = np.append(np.maximum(x[:, :-1].std(axis=0), 0.05), 1.0)
    z = x / spread

    def loss(w: Vector) -> tuple[float, Vector]:
        at = z @ w
        value = float((np.logaddexp(0, at) - y * at).sum())
        slope = z.T @ (1 / (1 + np.exp(-at)) - y)
        penalty = np.append(np.full(len(columns), PENALTY), 0.0)
        return value + 0.5 * float((penalty * w**2).sum()), slope + penalty * w

    bounds = [(0.0, None) if FEATURES[name] > 0 else (None, 0.0) for name in columns]
    start = np.zeros(len(columns) + 1)
    result = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)])
    weights = result.x / spread
    return {name: round(float(v), 4) for name, v in zip([*columns, "bias"], weights, strict=True)}


@dataclass(frozen=True, slots=True)
class Assured:
    """A reading with its assurance from a fit without its part."""

    judged: Judged
    assurance: float

    @property
    def pair(self) -> tuple[float, bool]:
        """Assurance, 0 if a problem forbids certainty, and whether it is right."""
        return self.assurance if self.judged.may_be_certain else 0.0, self.judged.right


def by_part(judged: Sequence[Judged]) -> list[object]:
    """Return the part of each reading."""
    return [j.part for j in judged]


def by_fold(judged: Sequence[Judged], division: int) -> list[object]:
    """Assign the readings of each part to `_FOLDS` folds, in a random order for each division."""
    rng = np.random.default_rng(division)
    folds: list[object] = [0] * len(judged)
    seen: Counter[str] = Counter()
    for k in rng.permutation(len(judged)).tolist():
        folds[k] = seen[judged[k].part] % _FOLDS
        seen[judged[k].part] += 1
    return folds


def cross_validated(judged: Sequence[Judged]) -> list[Assured]:
    """Return each reading with its mean assurance over cross-validations of several divisions.

    With one division, the threshold may depend on a single reading in a single fold.
    """
    rounds = [left_out(judged, by_fold(judged, division)) for division in range(_DIVISIONS)]
    return [
        Assured(first.judged, sum(one.assurance for one in (first, *others)) / _DIVISIONS)
        for first, *others in zip(*rounds, strict=True)
    ]


def left_out(judged: Sequence[Judged], sorts: Sequence[object]) -> list[Assured]:
    """Return each reading with its assurance from a fit without its group."""
    fits = {
        sort: regress(
            [j for j, other in zip(judged, sorts, strict=True) if other != sort],
            FEATURES,
            tiles=False,
        )
        for sort in dict.fromkeys(sorts)
    }
    return [
        Assured(j, probability(j.values, fits[sort]) if j.values else 0.0)
        for j, sort in zip(judged, sorts, strict=True)
    ]


def fit(judged: Sequence[Judged], weights: LayoutWeights) -> LayoutWeights:
    """Fit both regressions and the threshold.

    Both in a cross-validation and with each part left out, at most half of `RISK` of all certain
    readings may be wrong, because tables outside the fit are read worse, and at most one reading of
    each part: a part has too few certain readings to show a rate, and labels contain errors. The
    threshold is at least `LEAST_THRESHOLD`.
    """
    kept: list[tuple[list[tuple[float, bool]], float, int]] = []
    for assured in (cross_validated(judged), left_out(judged, by_part(judged))):
        kept.append(([a.pair for a in assured], RISK / 2, 0))
        for part in {j.part for j in judged}:
            pairs = [a.pair for a in assured if a.judged.part == part]
            kept.append((pairs, RISK, 1))
    least = max(LEAST_THRESHOLD, *(fit_threshold(*some) for some in kept))
    # The highest may break the limit of another list, in which fewer readings are now certain.
    above = sorted({value for pairs, *_ in kept for value, _ in pairs if value > least} | {1.01})
    least = next(t for t in (least, *above) if all(_keeps(t, *some) for some in kept))
    certainty = regress(judged, FEATURES, tiles=False)
    certainty["threshold"] = math.ceil(least * 1e4) / 1e4  # rounded down, it may let one more in
    return replace(weights, tiles=regress(judged, TILE_FEATURES, tiles=True), certainty=certainty)


def _keeps(
    threshold: float, pairs: Sequence[tuple[float, bool]], risk: float, tolerated: int
) -> bool:
    """Return whether at most this share, or this number, of the certain readings are wrong."""
    certain = [right for value, right in pairs if value >= threshold]
    return certain.count(False) <= max(risk * len(certain), tolerated)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    args = parser.parse_args()
    judged = [judge(case) for file in args.cases for case in with_waiting_hands(load(file))]
    fitted = fit(judged, LayoutWeights.load(args.out))
    fitted.save(args.out)
    print(fitted.certainty)
    threshold = fitted.certainty["threshold"]
    assured = left_out(judged, by_part(judged))
    for part in dict.fromkeys(j.part for j in judged):
        mine = [a for a in assured if a.judged.part == part]
        certain = [a for a in mine if a.pair[0] >= threshold]
        exact = sum(a.judged.right for a in mine)
        wrong = [a.judged.source for a in certain if not a.judged.right]
        print(f"{part}: {len(mine)}, {exact} right, {len(certain)} certain, wrong: {wrong}")


if __name__ == "__main__":
    main()
