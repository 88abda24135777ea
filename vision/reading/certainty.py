"""How sure a reading is: from what may be wrong about it to two probabilities.

Both are logistic regressions over `FEATURES`, fitted by `hupai.models.training.layout.certainty` on
readings of tables and kept with the weights of layout. One is the probability that the tiles chosen
are those of the hand; the probabilities of hands are lowered by it, as they know nothing of tiles
that were left out. The other is the assurance: the probability that all of the reading is right.
From the fitted threshold on a reading is certain.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hupai.scoring.hand import Hand, Meld, MeldKind
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import centres, pairwise_iou, sizes
from hupai.vision.layout.types import Arrangement, BlockKind, Layout
from hupai.vision.reading.hands import hand_key
from hupai.vision.types import FloatArray, LikelyHand

RISK = 1 / 200
"""Greatest share of wrong readings among those called certain."""

_NEAR = 1.9
"""Distance of centres within which a tile lies beside another, in widths of the hand's tiles: two
tiles of a row are 1.0 apart, two rows 1.35, and half a tile may lie between.
"""
_TOUCHING = 1.15
"""Distance of centres within which a tile touches the end of a row, in the tiles' shorter sides."""
_NEAR_FLOWERS = 6.0
"""The same for flowers, which are laid apart: half the length of a row."""
_SAME_TILE = 0.3
"""Intersection over union from which two boxes are of one tile."""
_MIN_ROW = 6
"""Tiles of a row from which its steps tell that the last one is wider."""
_APART = 1.06
"""Factor on the widest other step from which a tile at an end stands apart."""
_MAX_COUNT = 3.0
"""Number from which more tiles of a sort say no more."""
_LOG_ODDS = (-3.0, 6.0)
"""Range to which log-odds are clipped: beyond it they say no more about a face or box."""
_MAX_MARGIN = 5.0
"""Margin of the chosen tiles above which it says no more, log-odds."""

FEATURES: dict[str, int] = {
    "hand_doubt": -1,
    "weakest_face": 1,
    "weakest_box": 1,
    "margin": 1,
    "same_tiles": 1,
    "face_doubt": -1,
    "inferred": -1,
    "low_confidence": -1,
    "left_out": -1,
    "flowers_apart": -1,
    "flowers_beside": -1,
    "touching": -1,
    "weak_left_out": -1,
    "weak_flowers": -1,
    "gap": -1,
    "cut": -1,
    "sideways": -1,
    "unmarked": -1,
    "melds": -1,
    "waiting": -1,
    "incomplete": -1,
    "end_apart": -1,
    "odd_size": -1,
}
"""Names of the features, and 1 where more makes a reading surer, -1 where it makes it less sure."""

TILE_FEATURES = frozenset(FEATURES) - {"unmarked", "melds"}
"""Those that bear on which tiles are the hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A reading as far as it bears on its certainty.

    Attributes:
        layout: of the photo.
        arrangement: the grouping decided on.
        hands: the likely hands, best first.
        faces: face of each tile of the hand by id.
        seen: face as seen of every detection, by id.
        codes: codes of the reading's problems.
        complete, waiting: whether the hand is a winning one, or lacks the winning tile.
    """

    layout: Layout
    arrangement: Arrangement
    hands: Sequence[LikelyHand]
    faces: Mapping[int, Tile]
    seen: Sequence[Tile]
    codes: Collection[str]
    complete: bool
    waiting: bool


def features(e: Evidence) -> dict[str, float]:
    """Measure what makes a reading sure or doubtful, by the names in `FEATURES`."""
    found, ids = e.layout.detections, list(e.faces)
    seen = found.probabilities[ids].max(axis=1)
    same = (a.log_weight for a in e.layout.arrangements if set(a.tiles) == e.faces.keys())
    near, touching, flowers, weak, weak_flowers = _left_out(e.layout, ids, e.seen)
    sets = [b for b in e.arrangement.blocks if b.kind in (BlockKind.SET, BlockKind.KONG)]
    counts = {
        "inferred": sum(e.seen[i] is not face for i, face in e.faces.items()),
        "low_confidence": len(set(e.layout.low_confidence).intersection(ids)),
        "left_out": near,
        "flowers_beside": flowers,
        "touching": touching,
        "weak_left_out": weak,
        "weak_flowers": weak_flowers,
        "unmarked": sum(b.claimed is None for b in sets),
        "melds": sum(b.kind is not BlockKind.CONCEALED for b in e.arrangement.blocks),
        "odd_size": len(e.layout.size_outliers),
    }
    flags = {
        "gap": "gap_in_hand",
        "cut": "cut_by_edge",
        "flowers_apart": "flowers_apart",
        "sideways": "sideways_in_hand",
    }
    return {
        "hand_doubt": 1.0 - sum(one.probability for one in looking_alike(e.hands)),
        "weakest_face": _log_odds(float(seen.min())),
        "weakest_box": _log_odds(float(found.scores[ids].min())),
        "margin": min(e.layout.margin, _MAX_MARGIN),
        "same_tiles": _log_odds(sum(math.exp(w) for w in same)),
        "face_doubt": min(float(-np.log(np.maximum(seen, 1e-6)).sum()), _MAX_COUNT),
        **{name: min(float(n), _MAX_COUNT) for name, n in counts.items()},
        **{name: float(code in e.codes) for name, code in flags.items()},
        "waiting": float(e.waiting),
        "incomplete": float(not e.complete and not e.waiting),
        "end_apart": float(_end_stands_apart(e)),
    }


def _end_stands_apart(e: Evidence) -> bool:
    """Tell whether the step to a tile at an end is clearly the widest of the concealed row."""
    if any(block.kind is BlockKind.WINNING_TILE for block in e.arrangement.blocks):
        return False
    rows = [list(b.tiles) for b in e.arrangement.blocks if b.kind is BlockKind.CONCEALED]
    row = max(rows, key=len, default=[])
    if len(row) < _MIN_ROW:
        return False
    steps = np.linalg.norm(np.diff(centres(e.layout.detections.boxes[row]), axis=0), axis=1)
    return bool(max(steps[0], steps[-1]) > _APART * steps[1:-1].max())


def probability(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Turn features into a probability by a logistic regression."""
    log_odds = sum(weights.get(name, 0.0) * value for name, value in values.items())
    return 1.0 / (1.0 + math.exp(-log_odds - weights.get("bias", 0.0)))


def looking_alike(hands: Sequence[LikelyHand]) -> list[LikelyHand]:
    """List the hands that look like the first: what differs nobody can see on the photo.

    That is whether four open tiles of which none lies sideways are a concealed kong or a claimed
    one. It is asked where it matters.
    """
    if not hands:
        return []
    first = _as_seen(hands[0].hand)
    return [one for one in hands if _as_seen(one.hand) == first]


def _as_seen(hand: Hand) -> tuple[object, ...]:
    def shown(meld: Meld) -> Meld:
        open_kong = meld.kind is MeldKind.KONG and meld.claimed_from is None
        return Meld(MeldKind.CONCEALED_KONG, meld.tiles) if open_kong else meld

    alike = Hand(hand.concealed, tuple(map(shown, hand.melds)), hand.winning_tile, hand.flowers)
    return hand_key(alike)


def _log_odds(p: float) -> float:
    low, high = _LOG_ODDS
    if p <= 0.0 or p >= 1.0:
        return low if p <= 0.0 else high
    return max(low, min(high, math.log(p / (1.0 - p))))


def _left_out(
    layout: Layout, ids: Sequence[int], seen: Sequence[Tile]
) -> tuple[int, int, int, int, int]:
    """Count what lies beside the tiles of the hand and was left out.

    Returns:
        Confident tiles; those of them that touch; confident flowers, which may lie a little further
        off; low-confidence tiles; low-confidence flowers, as far off as a row is long.
    """
    found = layout.detections
    middles, hand = centres(found.boxes), centres(found.boxes[ids])
    size = float(np.sort(sizes(found.boxes[ids]).ravel())[len(ids)])

    def away(places: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(places[:, None] - hand[None], axis=2).min(axis=1) / size)

    others = sorted(set(range(len(found))).difference(ids, layout.duplicates))
    plain = [not seen[i].is_flower for i in others]
    distance = away(middles[others]) if others else np.zeros(0, np.float32)
    near = int((np.array(plain, bool) & (distance < _NEAR)).sum())
    narrow = float(np.sort(sizes(found.boxes[ids]).min(axis=1))[len(ids) // 2])
    touching = int((np.array(plain, bool) & (distance * size < _TOUCHING * narrow)).sum())
    flowers = int((~np.array(plain, bool) & (distance < _NEAR_FLOWERS)).sum())
    weak = found.low_confidence
    if weak is None or len(weak) == 0:
        return near, touching, flowers, 0, 0
    apart = pairwise_iou(weak.boxes, found.boxes).max(axis=1) < _SAME_TILE
    distance = away(centres(weak.boxes))
    flower = weak.probabilities[:, Tile.SPRING : Tile.BACK].sum(axis=1) > 0.5
    clear = weak.probabilities[:, : Tile.BACK].max(axis=1) > 0.5
    beside = int((apart & clear & ~flower & (distance < _NEAR)).sum())
    return (
        near,
        touching,
        flowers,
        beside,
        int((apart & flower & (distance < 2 * _NEAR_FLOWERS)).sum()),
    )


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """A threshold, the share of readings at or above it, and the share of these that is wrong."""

    threshold: float
    coverage: float
    risk: float


def risk_coverage(readings: Iterable[tuple[float, bool]]) -> tuple[RiskPoint, ...]:
    """Draw the risk-coverage curve of (assurance, right) pairs.

    There is one point for each distinct assurance, highest first.
    """
    ranked = sorted(readings, key=lambda pair: -pair[0])
    curve: list[RiskPoint] = []
    wrong = 0
    for i, (value, right) in enumerate(ranked, 1):
        wrong += not right
        if i == len(ranked) or ranked[i][0] < value:
            curve.append(RiskPoint(value, i / len(ranked), wrong / i))
    return tuple(curve)


def fit_threshold(
    readings: Sequence[tuple[float, bool]], risk: float = RISK, tolerated: int = 0
) -> float:
    """Find the lowest threshold that keeps the share of wrong (assurance, right) pairs at `risk`.

    So many as are tolerated may be wrong in any case, for parts too small to measure the risk. The
    threshold lies halfway to the next assurance below. Above 1, so that nothing is certain, where
    even the surest readings are wrong too often.
    """
    passed = [
        point.threshold
        for point in risk_coverage(readings)
        if point.risk <= max(risk, tolerated / (point.coverage * len(readings)))
    ]
    if not passed:
        return 1.01
    lowest = min(passed)
    below = [value for value, _ in readings if value < lowest]
    return (lowest + max(below)) / 2 if below else lowest
