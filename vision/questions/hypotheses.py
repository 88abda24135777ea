"""Everything that may be true of a photographed hand: its tiles, the tile that won, the face of a
hidden kong, how it was won.

Each case is a world with a probability and what it comes to. Questions are judged by how they part
the worlds. Probabilities of the hands come from the reading; every concealed tile may have won,
every face of which four are left may lie in a hidden kong; circumstances have the shares of
`question_circumstances.OPEN`, each independent of the others as far as they do not contradict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import PLAYABLE, WINDS, Tile
from hupai.scoring.waits import HAND_SIZE
from hupai.scoring.waits import waits as find_waits
from hupai.vision.questions.circumstances import OPEN_CIRCUMSTANCES
from hupai.vision.questions.types import Hypothesis, Outcome, OutcomeDistribution, ResolvedHand
from hupai.vision.types import LikelyHand, Reading

MOST_POSSIBILITIES = 400
"""Hands with everything about their tiles decided; more there are only where two kongs lie face
down.
"""

_FAR_LESS = 0.1
_MOST_WORLDS = 160
_FEWEST_WAYS = 12
_MANY = 60
_OFTEN = 0.1
_ALMOST_AS_LIKELY = 0.25

_TESTED = 6
"""Possibilities, the likeliest ones, on which every circumstance is tried that may change
anything.
"""

_TESTED_TOGETHER = 2
_FIRST = ("self_drawn", "dealer")
"""Circumstances that others need to be one way or the other."""

Judge = Callable[[Hand, Circumstances], tuple[Outcome, bool]]
"""What a hand comes to, and whether its circumstances can be true of it."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The worlds, weights summing to 1, and the circumstances that may change something in them."""

    all: tuple[Hypothesis, ...]
    open: tuple[str, ...]

    def where(self, test: Callable[[Hypothesis], bool]) -> Hypotheses:
        """Those that pass a test, weights as they are."""
        return Hypotheses(tuple(world for world in self.all if test(world)), self.open)

    def partition(self, key: Callable[[Hypothesis], Hashable]) -> dict[Hashable, list[Hypothesis]]:
        """Parts that agree in a key, in the order of the worlds."""
        parts: dict[Hashable, list[Hypothesis]] = {}
        for world in self.all:
            parts.setdefault(key(world), []).append(world)
        return parts


def hypotheses(
    reading: Reading, rules: RuleSet, given: Circumstances, unknown: Iterable[str]
) -> Hypotheses:
    """The worlds of a reading; of one that is certain those of its likeliest hand."""
    judge = _judge(rules)
    possible = _not_contradicting(resolved_hands(reading, rules), given, judge)
    asked = set(unknown)
    names = [name for name in rules.circumstances if name in asked and name in OPEN_CIRCUMSTANCES]
    matter = _that_matter(names, given, possible, judge)
    found: list[Hypothesis] = []
    many = len(possible) > _MANY
    for rank, one in enumerate(sorted(possible, key=lambda p: -p.probability)):
        tested = rank < _TESTED
        tried = matter if tested else _usual(matter, given, one.hand, many=many)
        most = max(
            round(_MOST_WORLDS * one.probability), _FEWEST_WAYS if tested else _FEWEST_WAYS // 3
        )
        ways = (
            [(given, 1.0)]
            if one.hand.size == HAND_SIZE
            else _ways(tried, given, one.hand, judge, most, every=tested)
        )
        found += [
            Hypothesis(one, how, judge(one.hand, how)[0], one.probability * share, tried)
            for how, share in ways
        ]
    return Hypotheses(tuple(found), matter)


def _usual(
    names: Sequence[str], given: Circumstances, hand: Hand, *, many: bool
) -> tuple[str, ...]:
    """The circumstances that are often one way and often another; of many resolved_hands only who
    drew the tile is tried.
    """
    if many:
        return tuple(name for name in names if name == "self_drawn")
    shares = {
        name: sorted(s.probability for s in OPEN_CIRCUMSTANCES[name].settings(given, hand))
        for name in names
    }
    return tuple(name for name in names if shares[name][-2] >= _OFTEN)


def likely_hands(reading: Reading, rules: RuleSet) -> tuple[LikelyHand, ...]:
    """The reading's hands, of one that is certain the likeliest; with and without flowers that lie
    apart, as likely as not.
    """
    hands = reading.hands[:1] if reading.certain else reading.hands
    apart = [i for p in reading.problems if p.code == "flowers_apart" for i in p.tiles]
    faces = sorted(
        t.tile
        for t in reading.tiles
        if t.id in apart and t.tile.is_flower and t.tile in rules.tiles
    )
    if not faces or len(set(faces)) < len(faces):
        return hands
    found = []
    for one in hands:
        more = replace(one.hand, flowers=tuple(sorted((*one.hand.flowers, *faces))))
        clash = len(set(more.flowers)) < len(more.flowers)
        found += (
            [one] if clash else [LikelyHand(hand, one.probability / 2) for hand in (one.hand, more)]
        )
    return tuple(found)


def resolved_hands(reading: Reading, rules: RuleSet) -> tuple[ResolvedHand, ...]:
    """The likely hands with everything about their tiles decided; probabilities sum to 1.

    A hand that leaves the winning tile open takes it from a far likelier one that has the same
    tiles and melds.
    """
    likely_ones = likely_hands(reading, rules)
    found: list[ResolvedHand] = []
    for likely in likely_ones:
        taken = next(
            (other.hand.winning_tile for other in likely_ones if _settles(other, likely)), None
        )
        hand = likely.hand if taken is None else with_winning_tile(likely.hand, taken)
        cases = [
            (case, share * times)
            for known, share in _kongs_named(hand, rules)
            for case, times in _with_winning_tile(known)
        ]
        total = sum(share for _, share in cases)
        found += [
            ResolvedHand(case, likely.hand, likely.probability * share / total)
            for case, share in cases
        ]
    total = sum(p.probability for p in found)
    return tuple(replace(p, probability=p.probability / total) for p in found)


def _settles(other: LikelyHand, likely: LikelyHand) -> bool:
    tile = other.hand.winning_tile
    if (
        likely.hand.winning_tile is not None
        or tile is None
        or likely.probability > _FAR_LESS * other.probability
    ):
        return False
    if tile not in likely.hand.concealed:
        return False
    taken = with_winning_tile(likely.hand, tile)
    return sorted(taken.concealed) == sorted(other.hand.concealed) and replace(
        taken, concealed=()
    ) == replace(other.hand, concealed=())


def with_kong_faces(hand: Hand, faces: Sequence[Tile]) -> Hand:
    """The hand with these faces for its kongs that lie face down, in the order of its melds."""
    left = list(faces)
    melds = tuple(
        replace(m, tiles=(left.pop(0),) * len(m.tiles)) if left and Tile.BACK in m.tiles else m
        for m in hand.melds
    )
    return replace(hand, melds=melds)


def count_hidden_kongs(hand: Hand) -> int:
    """Kongs that lie face down and show no face."""
    return sum(Tile.BACK in meld.tiles for meld in hand.melds)


def with_winning_tile(hand: Hand, tile: Tile) -> Hand:
    """The hand with one of its concealed tiles as the winning one."""
    rest = list(hand.concealed)
    rest.remove(tile)
    return replace(hand, concealed=tuple(rest), winning_tile=tile)


def outcome_distribution(found: Iterable[tuple[Outcome, float]]) -> OutcomeDistribution:
    """Distinct outcomes with their probabilities, likeliest first."""
    shares: dict[Outcome, float] = {}
    for outcome, weight in found:
        shares[outcome] = shares.get(outcome, 0.0) + weight
    total = sum(shares.values())
    ranked = sorted(shares.items(), key=lambda pair: (-round(pair[1] / total, 9), -pair[0].total))
    return tuple((outcome, weight / total) for outcome, weight in ranked)


def entropy(found: Iterable[Hypothesis]) -> float:
    """Entropy of what matters of the outcome, bits; weights need not sum to 1."""
    shares: dict[tuple[object, ...], float] = {}
    for world in found:
        key = world.outcome.decides
        shares[key] = shares.get(key, 0.0) + world.weight
    total = sum(shares.values())
    return -sum(share / total * math.log2(share / total) for share in shares.values() if share > 0)


def information(all_worlds: Sequence[Hypothesis], parts: Iterable[Sequence[Hypothesis]]) -> float:
    """Mutual information of the outcome and the part, bits."""
    total = sum(world.weight for world in all_worlds)
    return entropy(all_worlds) - sum(
        sum(world.weight for world in part) / total * entropy(part) for part in parts
    )


def _kongs_named(hand: Hand, rules: RuleSet) -> list[tuple[Hand, float]]:
    """The hand with each choice of faces for its hidden kongs; 13 tiles stay as they are."""
    hidden = count_hidden_kongs(hand)
    if not hidden or hand.size == HAND_SIZE:
        return [(hand, 1.0)]
    held = set(hand.all_tiles)
    free = [tile for tile in PLAYABLE if tile in rules.tiles and tile not in held]
    choices = list(permutations(free, hidden))
    step = math.ceil(len(choices) * max(1, len(set(hand.concealed))) / MOST_POSSIBILITIES)
    return [(with_kong_faces(hand, faces), 1.0) for faces in choices[::step]] or [(hand, 1.0)]


def _with_winning_tile(hand: Hand) -> list[tuple[Hand, float]]:
    if hand.size == HAND_SIZE or hand.winning_tile is not None:
        return [(hand, 1.0)]
    return [
        (with_winning_tile(hand, tile), float(times))
        for tile, times in sorted(Counter(hand.concealed).items())
    ]


def _judge(rules: RuleSet) -> Judge:
    """Scoring with a memory."""
    memory: dict[tuple[Hand, Circumstances], tuple[Outcome, bool]] = {}

    def judge(hand: Hand, circumstances: Circumstances) -> tuple[Outcome, bool]:
        key = (hand, circumstances)
        known = memory.get(key)
        if known is None:
            same = _winds_apart(hand, circumstances)
            known = memory[key] = (
                judge(hand, same)
                if same is not circumstances
                else _judged(hand, circumstances, rules)
            )
        return known

    return judge


def _judged(hand: Hand, circumstances: Circumstances, rules: RuleSet) -> tuple[Outcome, bool]:
    score = rules.score(hand, circumstances)
    ready: tuple[tuple[Tile, int], ...] = ()
    if hand.size == HAND_SIZE and hand.winning_tile is None:
        ready = tuple(
            (wait.tile, wait.ways[0].score.total)
            for wait in find_waits(hand, rules, circumstances).waits
        )
    possible = not any(p.code == "contradictory_flags" for p in score.problems)
    return Outcome(score.total, score.legal, score.winner_receives, score.complete, ready), possible


def _winds_apart(hand: Hand, circumstances: Circumstances) -> Circumstances:
    """The same with one of South, West and North for each of these that the hand does not hold:
    they come to the same.
    """
    spare = [wind for wind in WINDS[1:] if wind not in hand.all_tiles]
    if len(spare) < 2:
        return circumstances
    seat, prevailing = circumstances.seat_wind, circumstances.round_wind
    if seat in spare[1:]:
        circumstances = replace(circumstances, seat_wind=spare[0])
    if prevailing in spare[1:]:
        circumstances = replace(circumstances, round_wind=spare[0])
    return circumstances


def _not_contradicting(
    possible: tuple[ResolvedHand, ...], given: Circumstances, judge: Judge
) -> tuple[ResolvedHand, ...]:
    """Without the winning tiles and kongs that the circumstances rule out, but never without a
    likely hand.
    """
    kept: list[ResolvedHand] = []
    sources = dict.fromkeys(p.source for p in possible)
    for source in sources:
        cases = [p for p in possible if p.source == source]
        passed = [p for p in cases if judge(p.hand, given)[1]] if len(cases) > 1 else cases
        before = sum(p.probability for p in cases)
        after = sum(p.probability for p in passed)
        kept += (
            [replace(p, probability=p.probability * before / after) for p in passed]
            if passed
            else cases
        )
    return tuple(kept)


def _that_matter(
    names: Sequence[str], given: Circumstances, possible: Sequence[ResolvedHand], judge: Judge
) -> tuple[str, ...]:
    """The circumstances that change what some likely possibility comes to, whoever drew the tile
    and whoever deals.

    On the likeliest ones each is also tried beside every value of each other: two may matter only
    together.
    """
    tested = sorted(
        (p for p in possible if p.hand.size != HAND_SIZE), key=lambda p: -p.probability
    )[:_TESTED]
    found: set[str] = set()
    for rank, one in enumerate(tested):
        bases = [given]
        for name in names:
            if name in _FIRST:
                bases = [
                    s.circumstances
                    for base in bases
                    for s in OPEN_CIRCUMSTANCES[name].settings(base, one.hand)
                ]
            elif rank < _TESTED_TOGETHER:
                bases += [
                    s.circumstances for s in OPEN_CIRCUMSTANCES[name].settings(given, one.hand)
                ]
        for base, name in product(dict.fromkeys(bases), names):
            if name not in found:
                judged = [
                    judge(one.hand, s.circumstances)
                    for s in OPEN_CIRCUMSTANCES[name].settings(base, one.hand)
                ]
                if len({outcome.decides for outcome, can_be in judged if can_be}) > 1:
                    found.add(name)
    return tuple(name for name in names if name in found)


def _ways(
    names: Sequence[str], given: Circumstances, hand: Hand, judge: Judge, most: int, *, every: bool
) -> list[tuple[Circumstances, float]]:
    """How the hand may have been won, with probabilities that sum to 1.

    Of more than `most` the likeliest are kept, all that are as likely as the last of these or
    almost as likely as the first, and if `every` those in which a single circumstance is unusual.
    """
    ways = [_Way(given, 1.0, 0)]
    for name in names:
        longer = [way for before in ways for way in _longer(before, name, hand, judge)]
        ranked = sorted((way.share for way in longer), reverse=True)
        least = min(ranked[min(most, len(ranked)) - 1] * (1 - 1e-9), ranked[0] * _ALMOST_AS_LIKELY)
        ways = [way for way in longer if way.share >= least or (every and way.unusual <= 1)]
    ways = [way for way in ways if judge(hand, way.circumstances)[1]] or ways
    total = sum(way.share for way in ways)
    return [(way.circumstances, way.share / total) for way in ways]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to have won, its share, and how many of its circumstances are less usual than another
    value.
    """

    circumstances: Circumstances
    share: float
    unusual: int


def _longer(way: _Way, name: str, hand: Hand, judge: Judge) -> list[_Way]:
    """The way with each value of one more circumstance; those that contradict are left out unless
    all do so far.
    """
    settings = OPEN_CIRCUMSTANCES[name].settings(way.circumstances, hand)
    settings = tuple(s for s in settings if judge(hand, s.circumstances)[1]) or settings
    total = sum(s.probability for s in settings)
    usual = 0.5 * max(s.probability for s in settings)
    return [
        _Way(
            s.circumstances,
            way.share * s.probability / total,
            way.unusual + (s.probability < usual),
        )
        for s in settings
    ]
