"""The likeliest legal hands over all arrangements, with probabilities.

The weight of a hypothesis is the probability of the arrangement, times that of the faces, times
mild priors: photos show winning hands more often than waiting ones, and complete hands more often
than incomplete ones. The alternative to all hypotheses is that the photo shows no legal hand, for
example because tiles of two tile sets were laid out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import Convention
from hupai.vision.layout.types import MELDS, Arrangement, BlockKind
from hupai.vision.reading.astar import Unit, possible_choices
from hupai.vision.reading.hands import hand_key, is_complete, legal_hands
from hupai.vision.reading.units import Classes, Units

NO_HAND_PRIOR = 0.02
"""Prior weight of tiles that are not a legal hand, relative to 1 for a legal one."""
WAITING_FACTOR = 0.35
"""Weight of a waiting hand relative to one with the winning tile."""
COMPLETE_FACTOR = 60.0
"""Weight of a complete hand relative to an incomplete one with the same likelihood of its faces."""
_MAX_CHOICES = 60
"""Number of hands found after which the search ends, for an arrangement of probability 1."""
_MIN_CHOICES = 8
"""The same for an unlikely arrangement."""
_MAX_MISSES = 40
"""Number of choices of faces without a hand after which the search ends."""
_MAX_MASS = 0.999
"""Probability of the choices tried after which the search ends."""
_MIN_RELATIVE_WEIGHT = 1e-4
"""Weight relative to the first hand's below which the search ends."""
_MAYBE_FLOWER = 1e-3
"""Probability of being a flower from which a tile may be one."""
_MIN_LOG_WEIGHT = -6.0
"""Log-weight below which an arrangement is not searched."""


@dataclass(frozen=True, slots=True)
class HandHypothesis:
    """One legal hand with its faces and grouping.

    Attributes:
        hand: the hand.
        faces: face of each of the arrangement's tiles by id.
        arrangement: the blocks.
        weight: unnormalised probability.
        row_kongs: kinds of the kongs that stand among the concealed tiles.
    """

    hand: Hand
    faces: dict[int, Tile]
    arrangement: Arrangement
    weight: float
    row_kongs: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """All hypotheses worth keeping.

    Attributes:
        hypotheses: legal hands with their faces, heaviest first.
        no_hand_weight: weight of the photo showing no legal hand.
        total: sum of all weights, that one included.
        hands: distinct hands with their probabilities, likeliest first.
        arrangement: the likeliest grouping by geometry alone.
        seen: likeliest face of every detection by itself, by id.
        shares: shape (n, 43), probability of each face of each detection over all hypotheses.
        best: heaviest hypothesis of the likeliest hand; None if there is probably no legal hand.
    """

    hypotheses: tuple[HandHypothesis, ...]
    no_hand_weight: float
    total: float
    hands: tuple[tuple[Hand, float], ...]
    arrangement: Arrangement
    seen: tuple[Tile, ...]
    shares: Classes
    best: HandHypothesis | None

    def selection_probability(self, ids: frozenset[int]) -> float:
        """Return the probability that the hand is made of exactly these tiles."""
        share = sum(h.weight for h in self.hypotheses if h.faces.keys() == ids)
        if frozenset(self.arrangement.tiles) == ids:
            share += self.no_hand_weight
        return min(share / self.total, 1.0)


def infer(arrangements: tuple[Arrangement, ...], classes: Classes, habits: Convention) -> Inference:
    """Weigh the hands of every arrangement.

    Args:
        arrangements: at least one, the likeliest first.
        classes: shape (n, 43), rows summing to 1.
        habits: how melds are laid.
    """
    hypotheses: list[HandHypothesis] = []
    units = Units(classes, habits)
    held = {i for arrangement in arrangements for i in arrangement.tiles}
    likeliest = classes.max(axis=1).tolist()
    # Tiles that form no legal hand are read as they look, independently of each other.
    given = sum(math.exp(arrangement.log_weight) for arrangement in arrangements)
    no_hand_weight = NO_HAND_PRIOR * given * math.prod(likeliest[i] for i in held)
    flowers = (classes[:, Tile.SPRING : Tile.BACK].sum(axis=1) > _MAYBE_FLOWER).tolist()
    for arrangement in arrangements:
        # Tiles left out count with their likeliest face; otherwise fewer tiles would be likelier.
        outside = math.prod(likeliest[i] for i in held.difference(arrangement.tiles))
        prior = math.exp(arrangement.log_weight) * outside
        if arrangement.log_weight > _MIN_LOG_WEIGHT and _may_be_hand(arrangement, flowers, habits):
            hypotheses += _hypotheses(arrangement, prior, units.of(arrangement), habits)
    hypotheses.sort(key=lambda h: -h.weight)
    total = no_hand_weight + sum(h.weight for h in hypotheses)
    distinct = _distinct_hands(hypotheses, total)
    best = None
    if distinct and total - no_hand_weight > no_hand_weight:
        # Hypotheses are sorted by weight, so the first one of a hand is its heaviest.
        best = next(h for h in hypotheses if h.hand is distinct[0][0])
    return Inference(
        tuple(hypotheses),
        no_hand_weight,
        total,
        distinct,
        arrangements[0],
        tuple(Tile(int(face)) for face in classes.argmax(axis=1)),
        _shares(hypotheses, total, classes),
        best,
    )


def _distinct_hands(
    hypotheses: list[HandHypothesis], total: float
) -> tuple[tuple[Hand, float], ...]:
    """Sum the weights of hypotheses with the same hand, as probabilities."""
    weights: dict[tuple[object, ...], float] = {}
    hands: dict[tuple[object, ...], Hand] = {}
    for h in hypotheses:
        key = hand_key(h.hand)
        weights[key] = weights.get(key, 0.0) + h.weight
        hands.setdefault(key, h.hand)
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    return tuple((hands[key], weight / total) for key, weight in ranked)


def _shares(hypotheses: list[HandHypothesis], total: float, classes: Classes) -> Classes:
    """Mix each tile's faces in the hypotheses that hold it, and its classes for the rest."""
    shares = np.zeros_like(classes)
    held = np.zeros(len(classes))
    for h in hypotheses:
        weight = h.weight / total
        for i, face in h.faces.items():
            shares[i, face] += weight
            held[i] += weight
    result: Classes = shares + classes * np.clip(1.0 - held, 0.0, 1.0)[:, None]
    return result


def _hypotheses(
    arrangement: Arrangement, prior: float, parts: tuple[Unit, ...], habits: Convention
) -> list[HandHypothesis]:
    """Search the likeliest choices of faces for legal hands."""
    found: list[HandHypothesis] = []
    tiles = [i for unit in parts for i in unit.tiles]
    mass, misses = 0.0, 0
    most = max(_MIN_CHOICES, round(_MAX_CHOICES * math.exp(arrangement.log_weight)))
    for choice in possible_choices(parts):
        options = [unit.options[pick] for unit, pick in zip(parts, choice.picks, strict=True)]
        faces = dict(zip(tiles, (f for option in options for f in option.faces), strict=True))
        probability = math.exp(-choice.cost)
        mass += probability
        hands = legal_hands(arrangement, faces, habits)
        misses += not hands
        for legal in hands:
            weight = prior * probability * (legal.share * _hand_factor(legal.hand, habits))
            found.append(HandHypothesis(legal.hand, faces, arrangement, weight, legal.row_kongs))
        if len(found) >= most or misses >= _MAX_MISSES or mass > _MAX_MASS:
            break
        if found and probability * prior < _MIN_RELATIVE_WEIGHT * found[0].weight:
            break
    return found


def _hand_factor(hand: Hand, habits: Convention) -> float:
    """Return the prior weight of such a hand on photos."""
    if hand.size == habits.hand_size:
        return WAITING_FACTOR
    return COMPLETE_FACTOR if is_complete(hand, habits) else 1.0


def _may_be_hand(arrangement: Arrangement, flowers: Sequence[bool], habits: Convention) -> bool:
    """Return whether any choice of faces could be a hand; if not, no search is needed.

    Args:
        arrangement: the blocks.
        flowers: whether each detection may be a flower.
        habits: the size of a hand.
    """
    outside = (BlockKind.CONCEALED, BlockKind.WINNING_TILE)
    standing = [i for block in arrangement.blocks if block.kind in outside for i in block.tiles]
    size = len(standing) + 3 * sum(block.kind in MELDS for block in arrangement.blocks)
    least = size - sum(flowers[i] for i in standing)
    return size >= habits.hand_size and least <= habits.largest
