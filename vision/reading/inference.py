"""The likeliest legal hands over all arrangements, with probabilities.

Weight of a hypothesis: the arrangement's probability, times the probability of the faces, times
mild factors for what photos show: 14 tiles rather than 13, and rather a complete hand than not.
Against all legal hands stands the doubt that the photo shows none at all, as when tiles of two sets
were laid out: it has a small prior and the faces as seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import Convention
from hupai.vision.layout.types import Arrangement
from hupai.vision.reading.astar import possible_choices
from hupai.vision.reading.hands import Reckoned, is_complete, reckon
from hupai.vision.reading.units import Classes, units

ILLEGAL = 0.02
"""Prior weight of a row of tiles that is no possible hand, against 1 for one that is."""

THIRTEEN = 0.35
"""Weight of a hand of 13 tiles against one of 14."""

COMPLETE = 60.0
"""Weight of a complete hand against one that is not, given the same likelihood of its faces."""

_MOST_CHOICES = 60
_MOST_MISSES = 40
_FEWEST_CHOICES = 8
_ENOUGH = 0.999
_LEAST_LOG_WEIGHT = -6.0


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One legal hand with the faces and the grouping it rests on.

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
        doubt: weight of the photo showing no legal hand.
        total: sum of all weights, doubt included.
        hands: distinct hands with their probabilities, likeliest first.
        arrangement: the likeliest grouping by geometry alone, to show where no legal hand is
            believed.
        seen: face as seen of every detection, by id.
        shares: shape (n, 43), probability of each face of each detection, over all hypotheses and
            the doubt.
    """

    hypotheses: tuple[Hypothesis, ...]
    doubt: float
    total: float
    hands: tuple[tuple[Hand, float], ...]
    arrangement: Arrangement
    seen: tuple[Tile, ...]
    shares: Classes

    @property
    def believes(self) -> bool:
        """A legal hand is likelier than none."""
        return bool(self.hypotheses) and self.total - self.doubt > self.doubt

    @property
    def faces_seen(self) -> dict[int, Tile]:
        """The faces of the arrangement's tiles as seen."""
        return {i: self.seen[i] for i in self.arrangement.tiles}

    def best(self) -> Hypothesis:
        """The heaviest hypothesis of the likeliest hand; there must be one."""
        likeliest = hand_key(self.hands[0][0])
        return next(h for h in self.hypotheses if hand_key(h.hand) == likeliest)

    def selection_probability(self, ids: frozenset[int]) -> float:
        """Probability that the hand is made of exactly these tiles, whatever their faces."""
        share = sum(h.weight for h in self.hypotheses if h.faces.keys() == ids)
        if frozenset(self.arrangement.tiles) == ids:
            share += self.doubt
        return min(share / self.total, 1.0)


def infer(arrangements: tuple[Arrangement, ...], classes: Classes, habits: Convention) -> Inference:
    """Weigh every arrangement's hands. `classes` has shape (n, 43), rows summing to 1."""
    hypotheses: list[Hypothesis] = []
    doubt = 0.0
    held = {i for arrangement in arrangements for i in arrangement.tiles}
    for arrangement in arrangements:
        # A tile that is left out has a face too, its likeliest: or fewer tiles would always be
        # likelier.
        outside = math.prod(float(classes[i].max()) for i in held.difference(arrangement.tiles))
        prior = math.exp(arrangement.log_weight) * outside
        doubt += ILLEGAL * prior * _weight_as_seen(arrangement, classes)
        if arrangement.log_weight > _LEAST_LOG_WEIGHT:
            hypotheses += _hypotheses(arrangement, prior, classes, habits)
    hypotheses.sort(key=lambda h: -h.weight)
    total = doubt + sum(h.weight for h in hypotheses)
    seen = tuple(Tile(int(face)) for face in classes.argmax(axis=1))
    return Inference(
        tuple(hypotheses),
        doubt,
        total,
        _rank(hypotheses, total),
        arrangements[0],
        seen,
        _shares(hypotheses, total, classes),
    )


def _rank(hypotheses: list[Hypothesis], total: float) -> tuple[tuple[Hand, float], ...]:
    weights: dict[tuple[object, ...], float] = {}
    hands: dict[tuple[object, ...], Hand] = {}
    for h in hypotheses:
        key = hand_key(h.hand)
        weights[key] = weights.get(key, 0.0) + h.weight
        hands.setdefault(key, h.hand)
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    return tuple((hands[key], weight / total) for key, weight in ranked)


def _shares(hypotheses: list[Hypothesis], total: float, classes: Classes) -> Classes:
    """Faces by the hypotheses that hold a tile, and as seen for the rest of the probability."""
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
    arrangement: Arrangement, prior: float, classes: Classes, habits: Convention
) -> list[Hypothesis]:
    parts = units(arrangement, classes, habits)
    found: list[Hypothesis] = []
    mass, misses = 0.0, 0
    if not _count_possible(arrangement, classes):
        return []
    most = max(_FEWEST_CHOICES, round(_MOST_CHOICES * math.exp(arrangement.log_weight)))
    for choice in possible_choices(parts):
        faces = {
            i: face
            for unit, pick in zip(parts, choice.picks, strict=True)
            for i, face in zip(unit.tiles, unit.options[pick].faces, strict=True)
        }
        probability = math.exp(-choice.cost)
        mass += probability
        reckoned = reckon(arrangement, faces, habits)
        if not reckoned:
            misses += 1
        found += [_weigh(r, arrangement, faces, prior * probability) for r in reckoned]
        if len(found) >= most or misses >= _MOST_MISSES or mass > _ENOUGH:
            break
        if found and probability * prior < 1e-4 * found[0].weight:
            break
    return found


def _weigh(
    reckoned: Reckoned, arrangement: Arrangement, faces: dict[int, Tile], weight: float
) -> Hypothesis:
    factor = reckoned.share
    if reckoned.hand.size == 13:
        factor *= THIRTEEN
    elif is_complete(reckoned.hand):
        factor *= COMPLETE
    return Hypothesis(reckoned.hand, faces, arrangement, weight * factor, reckoned.row_kongs)


def _count_possible(arrangement: Arrangement, classes: Classes) -> bool:
    """Whether any faces could give a hand of 13 or 14 tiles; spares the search where none can."""
    rows = [
        i
        for block in arrangement.blocks
        if block.kind.value in ("concealed", "winning_tile")
        for i in block.tiles
    ]
    melds = sum(
        block.kind.value in ("set", "kong", "added_kong", "concealed_kong")
        for block in arrangement.blocks
    )
    flowers = sum(float(classes[i, Tile.SPRING : Tile.BACK].sum()) > 1e-3 for i in rows)
    return len(rows) + 3 * melds >= 13 and len(rows) - flowers + 3 * melds <= 18


def _weight_as_seen(arrangement: Arrangement, classes: Classes) -> float:
    """Probability of the faces as seen, taken tile by tile."""
    return float(math.exp(sum(math.log(float(classes[i].max())) for i in arrangement.tiles)))


def hand_key(hand: Hand) -> tuple[object, ...]:
    """What makes two hands the same: the order of concealed tiles and melds does not count."""
    melds = tuple(
        sorted(
            (m.kind.value, m.tiles, m.claimed_from.value if m.claimed_from else "")
            for m in hand.melds
        )
    )
    return (hand.concealed, melds, hand.winning_tile, hand.flowers)
