"""The features from which the certainty of a reading is computed.

Each detects one kind of error: wrong tiles, a wrong grouping of the right tiles, a missed tile,
another player's flower, a misread face. Distances are in units of a side of the hand's tiles: the
longer side for what was left out near the hand (`left_out`), otherwise the shorter one. Log-odds
are clipped where larger values carry no more information.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from hupai.scoring.hand import Hand, Meld, MeldKind
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import centres, distances
from hupai.vision.layout.completeness import may_be_complete
from hupai.vision.layout.types import MELDS, Arrangement, Block, BlockKind
from hupai.vision.reading.certainty import laid_apart
from hupai.vision.reading.certainty.evidence import Evidence, width
from hupai.vision.reading.certainty.left_out import NEAR, left_out
from hupai.vision.reading.hands import MeldKey, meld_key
from hupai.vision.types import LikelyHand

_NEAR_WINNER = 3.0
"""Distance between centres within which an open tile may be the winning one of a waiting hand, in
shorter sides of the hand's tiles.
"""
_MAX_COUNT = 3.0
"""Number of tiles at which counts are clipped."""
_PLAUSIBLE = 0.002
"""Probability from which another face of a tile counts."""
_SURE_GROUPING = 6.0
"""Log-odds of a grouping with unmarked sets from which `unmarked_doubt` is 0."""
_LOG_ODDS = (-3.0, 8.0)
"""Range to which log-odds are clipped."""

FEATURES: dict[str, int] = {
    "tiles_doubt": -1,
    "melds_doubt": -1,
    "winner_doubt": -1,
    "hand_odds": 1,
    "grouping_odds": 1,
    "weakest_face": 1,
    "weakest_kind": 1,
    "weakest_box": 1,
    "margin": 1,
    "small_margin": -1,
    "face_doubt": -1,
    "inferred": -1,
    "left_out": -1,
    "touching": -1,
    "winner_in_set": -1,
    "other_winners": -1,
    "weak_left_out": -1,
    "weak_score": -1,
    "kong_face_left": -1,
    "kong_back_left": -1,
    "flowers_near": -1,
    "flowers_own_far": -1,
    "flowers_own_weak": -1,
    "weak_flowers": -1,
    "weak_flower_score": -1,
    "gap": -1,
    "cut": -1,
    "sideways": -1,
    "unmarked_doubt": -1,
    "sets_apart": -1,
    "unseen_winner": -1,
    "incomplete": -1,
    "almost_won": -1,
    "white_kong": -1,  # or only white dragons are concealed
    "end_apart": -1,
    "odd_size": -1,
}
"""Features by name: 1 if a larger value makes a reading more certain, -1 if less."""

TILE_FEATURES = frozenset(FEATURES) - {
    "melds_doubt",
    "winner_doubt",
    "unmarked_doubt",
    "sets_apart",
    "winner_in_set",
    "other_winners",
    "grouping_odds",
}
"""The features that concern the selection of the hand's tiles."""


def features(e: Evidence) -> dict[str, float]:
    """Compute the features of a reading, by the names in `FEATURES`."""
    found, ids = e.layout.detections, list(e.faces)
    seen = found.probabilities[ids].max(axis=1)
    melds = [block for block in e.arrangement.blocks if block.kind in MELDS]
    sets = [b for b in melds if b.kind in (BlockKind.SET, BlockKind.KONG)]
    unmarked = [block for block in sets if block.claimed is None]
    grouping = _log_odds(_same_melds(e))
    own, doubts = _doubts(e)
    counts = {
        "inferred": sum(e.seen[i] is not face for i, face in e.faces.items()),
        "odd_size": len(e.layout.size_outliers),
        "sets_apart": laid_apart.sets_apart(e.arrangement, found.boxes, e.faces),
    } | left_out(e)
    flags = {
        "gap": "gap_in_hand",
        "cut": "cut_by_edge",
        "sideways": "sideways_in_hand",
        "almost_won": "almost_won",
    }
    return {
        **doubts,
        "hand_odds": _log_odds(own),
        "grouping_odds": grouping,
        "unmarked_doubt": max(0.0, _SURE_GROUPING - grouping) if unmarked else 0.0,
        "weakest_face": _log_odds(float(seen.min())),
        "weakest_kind": _log_odds(_weakest_kind(e)),
        "weakest_box": _log_odds(float(found.scores[ids].min())),
        "margin": min(e.layout.margin, _LOG_ODDS[1]),
        "small_margin": max(0.0, 2.0 - e.layout.margin),
        "face_doubt": min(float(-np.log(np.maximum(seen, 1e-6)).sum()), _MAX_COUNT),
        "flowers_own_far": _own_flowers_apart(e),
        "flowers_own_weak": _own_flowers_weak(e),
        **{name: min(float(n), _MAX_COUNT) for name, n in counts.items()},
        **{name: float(code in e.codes) for name, code in flags.items()},
        "white_kong": float(any(_is_white_kong(e, block) for block in melds) or _only_white(e)),
        "unseen_winner": float(e.waiting and _may_lack_winner(e)),
        "incomplete": float(not e.complete and not e.waiting),
        "end_apart": min(laid_apart.end_apart(e.arrangement, found.boxes), _MAX_COUNT),
    }


def _doubts(e: Evidence) -> tuple[float, dict[str, float]]:
    """Break down the probability of other hands by what differs: tiles, melds or winning tile.

    Each is relative to the probability of all legal hands: tiles that form none are reported as
    they look, so they are not an alternative to the hand.

    Returns:
        The probability of the hand itself, and the doubts by the names of their features.
    """
    first = e.hands[0].hand
    own = sum(one.probability for one in looking_alike(e.hands))
    doubts = {"tiles_doubt": 0.0, "melds_doubt": 0.0, "winner_doubt": 0.0}
    for one in e.hands:
        if _tiles(one.hand) != _tiles(first):
            doubts["tiles_doubt"] += one.probability
        elif _seen_melds(one.hand) != _seen_melds(first):
            doubts["melds_doubt"] += one.probability
        elif one.hand.winning_tile is not first.winning_tile:
            doubts["winner_doubt"] += one.probability
    legal = max(1.0 - e.no_hand, own)
    return own, {name: doubt / legal for name, doubt in doubts.items()}


def _weakest_kind(e: Evidence) -> float:
    """Return the least probability, over the faces of the hand, that its copies show no other.

    Copies look alike, so they are misread alike: the probabilities are means over the open copies.
    If the hand is complete, only other faces with which it stays complete count.
    """
    shares = e.layout.detections.probabilities
    copies: dict[Tile, list[int]] = {}
    for i, face in e.faces.items():
        if e.seen[i] is not Tile.BACK:
            copies.setdefault(face, []).append(i)
    least = 1.0
    for face, ids in copies.items():
        mean = shares[ids].mean(0)
        likely = (Tile(g) for g in np.nonzero(mean > _PLAUSIBLE)[0].tolist())
        others = [g for g in likely if g not in (face, Tile.BACK)]
        if e.complete:
            others = [g for g in others if _stays_complete(e, ids, g)]
        least = min(least, 1.0 - sum(float(mean[g]) for g in others))
    return least


def _stays_complete(e: Evidence, ids: Collection[int], face: Tile) -> bool:
    """Return whether a complete hand stays complete if some of its tiles show another face."""
    faces = [face if i in ids else own for i, own in e.faces.items()]
    flowers = sum(one.is_flower for one in faces) == sum(own.is_flower for own in e.faces.values())
    return flowers and may_be_complete(faces, e.hand_size)


def _tiles(hand: Hand) -> Counter[Tile]:
    return Counter((*hand.all_tiles, *hand.flowers))


def _same_melds(e: Evidence) -> float:
    """Return the probability by geometry of all groupings of the same tiles with the same melds."""
    tiles, melds = frozenset(e.arrangement.tiles), _melds(e.arrangement)
    return sum(
        math.exp(one.log_weight)
        for one in e.layout.arrangements
        if frozenset(one.tiles) == tiles and _melds(one) == melds
    )


def _melds(arrangement: Arrangement) -> frozenset[tuple[object, ...]]:
    """Return the melds of a grouping as they look: unclaimed open kongs like concealed ones."""

    def kind(block: Block) -> BlockKind:
        unmarked = block.kind is BlockKind.KONG and block.claimed is None
        return BlockKind.CONCEALED_KONG if unmarked else block.kind

    melds = [block for block in arrangement.blocks if block.kind in MELDS]
    return frozenset((kind(b), frozenset(b.tiles), b.claimed) for b in melds)


def _may_lack_winner(e: Evidence) -> bool:
    """Return whether the winning tile of a waiting hand may have been left out or missed.

    It was not if the ends of the rows are on the photo, the classifier found no tile there, and no
    open tile except flowers lies near the hand. However, if the winning tile is one of the 13 and
    out of line, or if a tile lies on top of the row, another tile may have been missed. A back that
    continues the row may be the winning tile, misread.
    """
    boxes = e.layout.detections.boxes
    if laid_apart.winner_out_of_line(e.arrangement, boxes):
        return True
    if laid_apart.tile_on_row(e.arrangement, boxes):
        return True
    held = list(e.faces)
    out = sorted(set(range(len(e.seen))).difference(held, e.layout.duplicates))
    backs = [i for i in out if e.seen[i] is Tile.BACK]
    if laid_apart.row_continues(e.arrangement, boxes, backs):
        return True
    out = [i for i in out if not e.seen[i].is_flower and e.seen[i] is not Tile.BACK]
    middles = centres(e.layout.detections.boxes)
    away = distances(middles[out], middles[held])
    near = away.min(initial=np.inf) < _NEAR_WINNER * width(e, held)
    return bool(near) or not (e.layout.ends_in_view and e.layout.examined)


def _is_white_kong(e: Evidence, block: Block) -> bool:
    """Return whether a kong shows white dragons: blank ones may be backs of the bodies' colour."""
    return len(block.tiles) == 4 and any(e.seen[i] is Tile.WHITE for i in block.tiles)


def _only_white(e: Evidence) -> bool:
    """Return whether all tiles outside melds show white dragons, which may be patches of cloth.

    On a chequered cloth, two squares below four melds were.
    """
    loose = (BlockKind.CONCEALED, BlockKind.WINNING_TILE)
    concealed = [i for b in e.arrangement.blocks if b.kind in loose for i in b.tiles]
    return bool(concealed) and all(e.seen[i] is Tile.WHITE for i in concealed)


def _own_flowers_apart(e: Evidence) -> float:
    """Return the greatest distance of a flower from the hand's other tiles; 0 if it is adjacent."""
    flowers = [i for i, face in e.faces.items() if face.is_flower]
    plain = [i for i, face in e.faces.items() if not face.is_flower]
    if not flowers or not plain:
        return 0.0
    middles = centres(e.layout.detections.boxes)
    away = np.linalg.norm(middles[flowers][:, None] - middles[plain][None], axis=2).min(axis=1)
    return float(np.clip(away.max() / width(e, plain) - NEAR, 0.0, _MAX_COUNT))


def _own_flowers_weak(e: Evidence) -> float:
    """Return the greatest probability that a flower of the hand is not one; 0 without flowers.

    It is 1 if the edge of the photo cuts a flower: what it shows is unclear, and others may lie
    beyond the edge.
    """
    found = e.layout.detections
    if any(e.faces[i].is_flower for i in e.layout.cut_by_edge if i in e.faces):
        return 1.0
    sure = (
        float(found.scores[i] * found.probabilities[i, face])
        for i, face in e.faces.items()
        if face.is_flower
    )
    return 1.0 - min(sure, default=1.0)


def looking_alike(hands: Sequence[LikelyHand]) -> list[LikelyHand]:
    """List the hands that no photo can distinguish from the first.

    They differ in whether four open tiles, none of them sideways, are a concealed or a claimed
    kong. The player is asked if the score depends on it.
    """
    if not hands:
        return []
    first = _as_seen(hands[0].hand)
    return [one for one in hands if _as_seen(one.hand) == first]


def _as_seen(hand: Hand) -> tuple[object, ...]:
    return hand.concealed, _seen_melds(hand), hand.winning_tile, hand.flowers


def _seen_melds(hand: Hand) -> MeldKey:
    """Return a key of the melds in which those that look like concealed kongs count as such."""

    def as_seen(meld: Meld) -> Meld:
        open_kong = meld.kind is MeldKind.KONG and meld.claimed_from is None
        return Meld(MeldKind.CONCEALED_KONG, meld.tiles) if open_kong else meld

    return meld_key(map(as_seen, hand.melds))


def _log_odds(p: float) -> float:
    low, high = _LOG_ODDS
    if p <= 0.0 or p >= 1.0:
        return low if p <= 0.0 else high
    return max(low, min(high, math.log(p / (1.0 - p))))
