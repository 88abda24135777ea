"""The likeliest legal hands over all arrangements, with probabilities.

Weight of a hypothesis: the arrangement's probability, times the probability of the faces, times mild factors for what photos show:
14 tiles rather than 13, and rather a complete hand than not. Against all legal hands stands the doubt that the photo shows none at
all, as when tiles of two sets were laid out: it has a small prior and the faces as seen.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from scoring.hand import Hand
from scoring.tiles import Tile
from vision.conventions import Convention
from vision.layout_types import Arrangement
from vision.reading_hands import Reckoned, is_complete, reckon
from vision.reading_search import possible_choices
from vision.reading_units import Classes, units

ILLEGAL = 0.02
"""Prior weight of a row of tiles that is no possible hand, against 1 for one that is."""

THIRTEEN = 0.35
"""Weight of a hand of 13 tiles against one of 14."""

COMPLETE = 60.0
"""Weight of a complete hand against one that is not, given the same likelihood of its faces."""

_MOST_CHOICES = 60
_MOST_MISSES = 40
_ENOUGH = 0.9995


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


@dataclass(frozen=True, slots=True)
class Inference:
    """All hypotheses worth keeping, heaviest first.

    Attributes:
        hypotheses: legal hands with their faces.
        doubt: weight of the photo showing no legal hand.
        total: sum of all weights, doubt included.
        seen: the arrangement to show where no legal hand is believed: the likeliest one.
        faces_seen: the faces of its tiles as seen.
        seen_of_all: face as seen of every detection, by id.
    """

    hypotheses: tuple[Hypothesis, ...]
    doubt: float
    total: float
    seen: Arrangement
    faces_seen: dict[int, Tile] = field(default_factory=dict)
    seen_of_all: tuple[Tile, ...] = ()

    def seen_face(self, tile: int) -> Tile:
        """The likeliest face of a tile by itself."""
        return self.seen_of_all[tile]

    @property
    def believes(self) -> bool:
        """A legal hand is likelier than none."""
        return bool(self.hypotheses) and self.total - self.doubt > self.doubt

    def hands(self) -> tuple[tuple[Hand, float], ...]:
        """Distinct hands with their probabilities, likeliest first."""
        weights: dict[tuple[object, ...], float] = {}
        hands: dict[tuple[object, ...], Hand] = {}
        for h in self.hypotheses:
            key = _key(h.hand)
            weights[key] = weights.get(key, 0.0) + h.weight
            hands.setdefault(key, h.hand)
        ranked = sorted(weights.items(), key=lambda item: -item[1])
        return tuple((hands[key], weight / self.total) for key, weight in ranked)

    def best(self) -> Hypothesis:
        """The heaviest hypothesis of the likeliest hand."""
        weights: dict[tuple[object, ...], float] = {}
        for h in self.hypotheses:
            weights[_key(h.hand)] = weights.get(_key(h.hand), 0.0) + h.weight
        return max(self.hypotheses, key=lambda h: (weights[_key(h.hand)], h.weight))

    def tiles_probability(self, faces: dict[int, Tile]) -> float:
        """Probability that the hand has exactly these tiles, however grouped."""
        wanted = Counter(faces.values())
        share = sum(h.weight for h in self.hypotheses if Counter(h.faces.values()) == wanted) / self.total
        if Counter(self.faces_seen.values()) == wanted:
            share += self.doubt / self.total
        return min(share, 1.0)

    def face_shares(self, tile: int, row: Classes) -> Classes:
        """Probability of each face of a tile, shape (43,), over all hypotheses and the doubt; `row` is what was seen."""
        shares: Classes = row * (self.doubt / self.total)
        for h in self.hypotheses:
            face = h.faces.get(tile)
            if face is None:
                shares = shares + row * (h.weight / self.total)
            else:
                shares[face] += h.weight / self.total
        return shares


def infer(arrangements: tuple[Arrangement, ...], classes: Classes, habits: Convention) -> Inference:
    """Weigh every arrangement's hands. `classes` has shape (n, 43), rows summing to 1."""
    hypotheses: list[Hypothesis] = []
    doubt = 0.0
    held = {i for arrangement in arrangements for i in arrangement.tiles}
    for arrangement in arrangements:
        # A tile that is left out has a face too, its likeliest: or fewer tiles would always be likelier.
        outside = math.prod(float(classes[i].max()) for i in held.difference(arrangement.tiles))
        prior = math.exp(arrangement.log_weight) * outside
        doubt += ILLEGAL * prior * _weight_as_seen(arrangement, classes)
        if prior > 1e-4:
            hypotheses += _hypotheses(arrangement, prior, classes, habits)
    hypotheses.sort(key=lambda h: -h.weight)
    total = doubt + sum(h.weight for h in hypotheses)
    best = arrangements[0]
    seen = tuple(Tile(int(face)) for face in classes.argmax(axis=1))
    return Inference(tuple(hypotheses), doubt, total, best, {i: seen[i] for i in best.tiles}, seen)


def _hypotheses(arrangement: Arrangement, prior: float, classes: Classes, habits: Convention) -> list[Hypothesis]:
    parts = units(arrangement, classes, habits)
    found: list[Hypothesis] = []
    mass, misses = 0.0, 0
    if not _count_possible(arrangement, classes):
        return []
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
        if len(found) >= _MOST_CHOICES or misses >= _MOST_MISSES or mass > _ENOUGH:
            break
        if found and probability * prior < 1e-5 * found[0].weight:
            break
    return found


def _weigh(reckoned: Reckoned, arrangement: Arrangement, faces: dict[int, Tile], weight: float) -> Hypothesis:
    factor = reckoned.share
    if reckoned.hand.size == 13:
        factor *= THIRTEEN
    elif is_complete(reckoned.hand):
        factor *= COMPLETE
    return Hypothesis(reckoned.hand, faces, arrangement, weight * factor, reckoned.row_kongs)


def _count_possible(arrangement: Arrangement, classes: Classes) -> bool:
    """Whether any faces could give a hand of 13 or 14 tiles; spares the search where none can."""
    rows = [i for block in arrangement.blocks if block.kind.value in ("concealed", "winning_tile") for i in block.tiles]
    melds = sum(block.kind.value in ("set", "kong", "added_kong", "concealed_kong") for block in arrangement.blocks)
    flowers = sum(float(classes[i, Tile.SPRING : Tile.BACK].sum()) > 1e-3 for i in rows)
    return len(rows) + 3 * melds >= 13 and len(rows) - flowers + 3 * melds <= 18


def _weight_as_seen(arrangement: Arrangement, classes: Classes) -> float:
    """Probability of the faces as seen, taken tile by tile."""
    return float(math.exp(sum(math.log(float(classes[i].max())) for i in arrangement.tiles)))


def _key(hand: Hand) -> tuple[object, ...]:
    melds = tuple(sorted((m.kind.value, m.tiles, m.claimed_from.value if m.claimed_from else "") for m in hand.melds))
    return (hand.concealed, melds, hand.winning_tile, hand.flowers)
