"""Fits the weights for grouping the tiles of the hand (`hupai.vision.layout.group_features`).

A grouping of a hand has a probability proportional to the exponential of its score, over the best
groupings that the decoder finds and the true one. The weights maximise the likelihood of the true
groupings (a conditional random field with k-best lists), less a quadratic penalty; lists are
recomputed with the weights of each round and accumulated. Whole generator families are left out in
turn to evaluate the weights on unseen conventions.

    python -m hupai.models.training.layout.grouping CASES.npz ... [--out models/weights/layout.json]

Only cases are used whose tiles are all selected and in which no face was detected as a back:
selection and grouping are fitted separately.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from hupai.models.training.layout.cases import Case, load
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import GENERAL
from hupai.vision.geometry.placement import place
from hupai.vision.layout.group_features import FEATURES
from hupai.vision.layout.grouping import Model, as_one_hand, groupings
from hupai.vision.layout.hand_search import Selection, TableRows
from hupai.vision.layout.owner_frame import LineTile, OwnerFrame, owner_frame
from hupai.vision.layout.selection_features import Query
from hupai.vision.layout.types import MELDS, Block, BlockKind
from hupai.vision.layout.weights import SHIPPED, LayoutWeights, shipped_weights, weight_vector
from hupai.vision.reading.hands import claim_source
from hupai.vision.types import FloatArray

Vector = NDArray[np.float64]
"""One value per feature, shape (k,)."""

PENALTY = 0.002
"""Weight of half the squared distance from the start, so rare features stay near it. With ten times
as much, the log-loss on a left-out family is 0.52 instead of 0.37, with as many hands right.
"""
FIXED = ("kong_habit", "backs_habit", "stacked_kong")
"""Features whose weights stay at 1: they are already log-probabilities, the generator families lay
kongs in all conventions alike, and none of them stacks tiles.
"""
ROUNDS = 4
"""Rounds of recomputing the k-best lists; the fourth adds hardly any grouping."""

START: Mapping[str, float] = {
    "row_loose": -1.0,
    "row_gap": -5.0,
    "row_suits": 2.5,
    "meld_loose": -1.0,
    "meld_gap": -5.0,
    "concealed_side": -0.5,
    "marked_side": -0.5,
    "unmarked_side": -0.5,
    "winner_side": -0.5,
    "turned_winner_side": -0.5,
    "flowers_side": -0.5,
    "concealed_touch": -0.5,
    "unmarked_touch": -2.0,
    "winner_touch": -3.0,
    "concealed_pose": 1.0,
    "concealed_back": 1.0,
    "concealed_added": -3.0,
    "meld_pose": 1.0,
    "chow_other": -1.5,
    "set_unmarked": -1.0,
    "set_faces": 1.0,
    "kong_claimed": 1.0,
    "kong_unmarked": 0.5,
    "kong_habit": 1.0,
    "kong_faces": 1.0,
    "backs": 1.0,
    "backs_habit": 1.0,
    "kong_of_three": -1.0,
    "added_kong": 2.0,
    "stacked_kong": 1.0,
    "winner_pose": 1.0,
    "winner_face": 1.0,
    "flowers_face": 1.0,
    "split_row": -2.0,
    "second_row": -1.2,
    "short_row": -3.5,
    "suits_apart": 1.0,
    "winner_stands_off": 1.0,
    "winner_alone": 1.0,
}
"""Prior mean and starting point of the weights: plain probabilities, penalties for rare layouts."""


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """A hand in its owner's frame, and its true grouping.

    Attributes:
        framed: its lines.
        classes: shape (n, 43), class distributions by tile id.
        case: the case it comes from.
    """

    framed: OwnerFrame
    classes: FloatArray
    case: Case

    def model(self, weights: Mapping[str, float]) -> Model:
        """Return the model that scores its groupings."""
        return Model(self.framed, self.classes, GENERAL, weight_vector(weights, FEATURES))

    def faces(self) -> dict[int, Tile]:
        """Return the likeliest face of each tile."""
        tiles = (tile for line in self.framed.lines for tile in line)
        ids = (i for tile in tiles for i in (tile.id, tile.added) if i is not None)
        return {i: Tile(int(self.classes[i].argmax())) for i in ids}


def hands_of(cases: Iterable[Case]) -> Iterator[Hand]:
    """Yield the hands whose tiles the layout selects exactly, without faces detected as backs."""
    for case in cases:
        if case.tiles is not None and not case.missing and _shows_its_backs(case):
            table = place(case.detections, case.size)
            query = Query(case.size, case.habits, shipped_weights())
            for one in TableRows.of(table).ranked_candidates(query):
                if one.ids == case.tiles:
                    selection = Selection.of(one, table.ground)
                    yield Hand(owner_frame(selection), table.detections.probabilities, case)
                    break


def _shows_its_backs(case: Case) -> bool:
    """Return whether as many of the hand's tiles are detected as backs as it has backs.

    Faces detected as backs would teach that backs lie among the concealed tiles.
    """
    if case.faces is None:
        return True
    seen = case.all_detections.probabilities[sorted(case.tiles or ())].argmax(axis=1)
    return int((seen == Tile.BACK).sum()) == case.faces.count(Tile.BACK)


TruthKey = frozenset[tuple[str, frozenset[int], str | None]]
"""Kind, tiles and source of each group, without what cannot be seen: whether an open kong without a
sideways tile was claimed.
"""


def key_of_blocks(blocks: Sequence[Block], faces: Mapping[int, Tile]) -> TruthKey:
    """Describe blocks by their groups; `faces` identifies flowers among the concealed tiles."""
    groups: list[tuple[str, Iterable[int], str | None]] = []
    for block in blocks:
        if block.kind is BlockKind.CONCEALED:
            groups.append(("flowers", (i for i in block.tiles if faces[i].is_flower), None))
            groups.append(("concealed", (i for i in block.tiles if not faces[i].is_flower), None))
        else:
            shown = tuple(faces[i] for i in block.tiles)
            source = claim_source(block, shown) if block.kind in MELDS else None
            groups.append((block.kind.value, block.tiles, source.value if source else None))
    return key_of_groups(groups)


def key_of_groups(groups: Iterable[tuple[str, Iterable[int], str | None]]) -> TruthKey:
    """Describe groups by kind, tiles and source; all flowers are one group."""
    flowers: set[int] = set()
    found = set()
    for kind, ids, source in groups:
        if kind == "flowers":
            flowers.update(ids)
        elif members := frozenset(ids):
            name = "set" if kind in ("chow", "pung") else kind
            if kind == "concealed_kong":
                name, source = "kong", None
            found.add((name, members, source))
    return frozenset(found | ({("flowers", frozenset(flowers), None)} if flowers else set()))


def key_of_case(case: Case) -> TruthKey:
    """Describe the true groups of a case."""
    return key_of_groups(case.groups)


def true_blocks(hand: Hand) -> tuple[Block, ...] | None:
    """Return the true grouping as blocks; None if the lines do not allow it."""
    group_of = {i: (kind, ids, src) for kind, ids, src in hand.case.groups for i in ids}
    blocks: list[Block] = []
    for line in hand.framed.lines:
        runs: list[list[LineTile]] = []
        for tile in line:
            last = group_of.get(runs[-1][-1].id) if runs else None
            if last is None or last != group_of.get(tile.id):
                runs.append([])
            runs[-1].append(tile)
        for run in runs:
            group = group_of.get(run[0].id)
            if group is None:
                return None
            blocks.append(_true_block(run, *group))
    hand_blocks = as_one_hand(blocks, GENERAL)
    if hand_blocks is None or key_of_blocks(hand_blocks, hand.faces()) != key_of_case(hand.case):
        return None
    return tuple(blocks)


def _true_block(
    run: Sequence[LineTile], kind: str, ids: Sequence[int], source: str | None
) -> Block:
    tiles = tuple(t.id for t in run)
    claimed = max(range(len(run)), key=lambda i: run[i].sideways) if source is not None else None
    if kind in ("concealed", "flowers", "concealed_kong"):
        return Block(BlockKind(kind), tiles)
    if kind == "winning_tile":
        return Block(BlockKind.WINNING_TILE, tiles, 0 if run[0].sideways > 0 else None)
    if kind == "added_kong":
        over = tuple(t.added for t in run if t.added is not None)
        return Block(BlockKind.ADDED_KONG, tiles + over, claimed)
    return Block(BlockKind.KONG if len(ids) == 4 else BlockKind.SET, tiles, claimed)


class _Lists:
    """The accumulated k-best groupings of each hand: features, and which are true."""

    def __init__(self, hands: Sequence[Hand]) -> None:
        self.hands = hands
        self.rows: list[dict[tuple[Block, ...], tuple[Vector, bool]]] = [{} for _ in hands]
        for hand, rows in zip(hands, self.rows, strict=True):
            truth = true_blocks(hand)
            if truth is not None:
                try:
                    rows[truth] = (hand.model(START).features(truth), True)
                except KeyError:
                    rows.clear()

    def extend(self, weights: Mapping[str, float]) -> None:
        for hand, rows in zip(self.hands, self.rows, strict=True):
            model, faces, truth = hand.model(weights), hand.faces(), key_of_case(hand.case)
            for _, blocks in groupings(model):
                one = as_one_hand(blocks, GENERAL)
                if one is not None and blocks not in rows:
                    rows[blocks] = (model.features(blocks), key_of_blocks(one, faces) == truth)

    def usable(self) -> Iterator[tuple[int, Vector, Vector]]:
        """Yield a hand's number, the features (m, k) of its groupings, and of the true ones."""
        for number, rows in enumerate(self.rows):
            true = [vector for vector, right in rows.values() if right]
            if true and len(true) < len(rows):
                yield number, np.array([vector for vector, _ in rows.values()]), np.array(true)


def fit(
    hands: Sequence[Hand],
    penalty: float = PENALTY,
    prior: Mapping[str, float] = START,
    importance: Sequence[float] | None = None,
) -> dict[str, float]:
    """Fit the weights on hands with true groups.

    Args:
        hands: the hands.
        penalty: weight of half the squared distance from `prior`.
        prior: weights to start from and to stay near.
        importance: how much each hand counts; all alike by default.
    """
    start = weight_vector(prior, FEATURES)
    weights = dict(prior)
    lists = _Lists(hands)
    counts = np.ones(len(hands)) if importance is None else np.asarray(importance, np.float64)
    at = start
    for _ in range(ROUNDS):
        lists.extend(weights)
        rows = list(lists.usable())
        samples = [(every, true) for _, every, true in rows]
        shares = counts[[number for number, *_ in rows]]
        shares = shares / max(float(shares.sum()), 1e-9)
        given, settings = (start, penalty, samples, shares), {"maxiter": 300}
        at = minimize(_loss, at, given, jac=True, method="L-BFGS-B", options=settings).x
        weights = {name: round(float(w), 3) for name, w in zip(FEATURES, at, strict=True)}
        weights |= {name: prior[name] for name in FIXED if name in prior}
    return weights


def _loss(
    w: Vector,
    start: Vector,
    penalty: float,
    samples: Sequence[tuple[Vector, Vector]],
    shares: Vector,
) -> tuple[float, Vector]:
    """Return the mean log-loss of the true groupings with the penalty, and its gradient."""
    value = 0.5 * penalty * float(((w - start) ** 2).sum())
    slope = penalty * (w - start)
    for (every, true), share in zip(samples, shares, strict=True):
        scores, right = every @ w, true @ w
        total, good = float(logsumexp(scores)), float(logsumexp(right))
        value += share * (total - good)
        slope += share * (np.exp(scores - total) @ every - np.exp(right - good) @ true)
    return value, slope


@dataclass(frozen=True, slots=True)
class Result:
    """The number of correctly grouped hands, and the mean log-loss of the true groupings."""

    hands: int
    right: int
    log_loss: float


def measure(hands: Sequence[Hand], weights: Mapping[str, float]) -> Result:
    """Group hands with these weights, and count."""
    right, losses = 0, []
    for hand in hands:
        model, truth = hand.model(weights), key_of_case(hand.case)
        scored = [
            (score, key_of_blocks(one, hand.faces()) == truth)
            for score, blocks in groupings(model)
            if (one := as_one_hand(blocks, GENERAL)) is not None
        ]
        if not scored:
            continue
        right += max(scored)[1]
        good = [score for score, ok in scored if ok]
        total = logsumexp([score for score, _ in scored])
        losses.append(float(min(total - logsumexp(good), 10.0)) if good else 10.0)
    return Result(len(hands), right, float(np.mean(losses)) if losses else 0.0)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    args = parser.parse_args()
    hands = [hand for file in args.cases for hand in hands_of(load(file))]
    families = sorted({hand.case.family for hand in hands})
    for family in families if len(families) > 1 else []:
        weights = fit([hand for hand in hands if hand.case.family != family])
        print(
            f"{family} left out:", measure([h for h in hands if h.case.family == family], weights)
        )
    weights = fit(hands)
    print("all:", measure(hands, weights))
    replace(LayoutWeights.load(args.out), grouping=weights).save(args.out)


if __name__ == "__main__":
    main()
