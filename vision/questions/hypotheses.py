"""The hypotheses about a photographed hand: its tiles and circumstances.

Each hypothesis has a probability and an outcome. Questions are evaluated by how they partition the
hypotheses. Probabilities of the hands come from the reading. Any concealed tile may be the winning
tile, and any face with four tiles left may be that of a hidden kong. Circumstances have the prior
probabilities of `circumstances.OPEN_CIRCUMSTANCES`, independent unless they contradict each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import WINDS, Tile
from hupai.scoring.waits import HAND_SIZE
from hupai.scoring.waits import waits as find_waits
from hupai.vision.questions.circumstances import OPEN_CIRCUMSTANCES, with_value
from hupai.vision.questions.resolved_hands import resolved_hands
from hupai.vision.questions.types import (
    CircumstanceValue,
    Hypothesis,
    Outcome,
    OutcomeDistribution,
    ResolvedHand,
)
from hupai.vision.types import Reading

_MAX_HYPOTHESES = 160
"""Approximate number of hypotheses kept; each resolved hand has a share by its probability."""
_MIN_WINS = 12
"""Least number of ways to have won that are kept for a likely hand; a third for others."""
_MANY = 60
"""Number of resolved hands beyond which only `self_drawn` is varied on unlikely ones."""
_COMMON = 0.1
"""Probability of a circumstance's second likeliest value from which it is tried on every hand."""
_ALMOST_AS_LIKELY = 0.25
"""Probability relative to the likeliest way to have won from which others are always kept."""
_TESTED = 6
"""Number of likeliest resolved hands on which every circumstance is varied."""
_TESTED_TOGETHER = 2
"""Number of these on which pairs of circumstances are varied together."""
_PREREQUISITES = ("self_drawn", "dealer")
"""Circumstances whose values others depend on."""

K = TypeVar("K", bound=Hashable)

Judge = Callable[[Hand, Circumstances], tuple[Outcome, bool]]
"""Gives the outcome of a hand, and whether its circumstances can be true of it."""

_DIGITS = 9
"""Decimals of probabilities of outcomes."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Hypotheses, and the names of the circumstances that may change something in them."""

    all: tuple[Hypothesis, ...]
    open: tuple[str, ...]

    @property
    def weight(self) -> float:
        """Their total probability."""
        return sum(h.weight for h in self.all)

    def where(self, test: Callable[[Hypothesis], bool]) -> Hypotheses:
        """Keep those that pass a test, without normalising the weights."""
        return Hypotheses(tuple(h for h in self.all if test(h)), self.open)

    def partition(self, key: Callable[[Hypothesis], K]) -> dict[K, list[Hypothesis]]:
        """Partition them by a key, in order of first occurrence."""
        parts: dict[K, list[Hypothesis]] = {}
        for h in self.all:
            parts.setdefault(key(h), []).append(h)
        return parts

    def information(self, parts: Iterable[Sequence[Hypothesis]]) -> float:
        """Measure the mutual information of the outcome and the part, bits."""
        total = self.weight
        rest = sum(sum(h.weight for h in part) / total * _entropy(part) for part in parts)
        return _entropy(self.all) - rest


def hypotheses(
    reading: Reading, rules: RuleSet, given: Circumstances, unknown: Iterable[str]
) -> Hypotheses:
    """Make the hypotheses of a reading, weights summing to 1.

    Args:
        reading: the reading; if it is certain, only its likeliest hand counts.
        rules: the rules that score the hands.
        given: the known circumstances.
        unknown: names of the unknown ones.
    """
    judge = _judge(rules)
    resolved = _not_contradicting(resolved_hands(reading, rules), given, judge)
    asked = set(unknown)
    names = [name for name in rules.circumstances if name in asked and name in OPEN_CIRCUMSTANCES]
    relevant = _relevant(names, given, resolved, judge)
    found: list[Hypothesis] = []
    for rank, one in enumerate(sorted(resolved, key=lambda p: -p.probability)):
        wins, tried = [(given, 1.0)], relevant
        if rank >= _TESTED:
            tried = _common(relevant, given, one.hand, many=len(resolved) > _MANY)
        if one.hand.size != HAND_SIZE:
            least = _MIN_WINS if rank < _TESTED else _MIN_WINS // 3
            most = max(round(_MAX_HYPOTHESES * one.probability), least)
            wins = _wins(tried, given, one.hand, judge, most, every=rank < _TESTED)
        found += [
            Hypothesis(one, how, judge(one.hand, how)[0], one.probability * share, tried)
            for how, share in wins
        ]
    return Hypotheses(tuple(found), relevant)


def outcome_distribution(hypotheses: Iterable[Hypothesis]) -> OutcomeDistribution:
    """Sum the weights of hypotheses with the same outcome, as probabilities.

    They are rounded to `_DIGITS`, so that the same hypotheses give the same answer in any order.
    """
    shares: dict[Outcome, float] = {}
    for h in hypotheses:
        shares[h.outcome] = shares.get(h.outcome, 0.0) + h.weight
    total = sum(shares.values())
    rounded = ((outcome, round(weight / total, _DIGITS)) for outcome, weight in shares.items())
    return tuple(sorted(rounded, key=lambda pair: (-pair[1], -pair[0].total)))


def _entropy(hypotheses: Iterable[Hypothesis]) -> float:
    """Measure the entropy of `Outcome.decides`, bits; weights need not sum to 1."""
    shares: dict[tuple[object, ...], float] = {}
    for h in hypotheses:
        key = h.outcome.decides
        shares[key] = shares.get(key, 0.0) + h.weight
    total = sum(shares.values())
    return -sum(share / total * math.log2(share / total) for share in shares.values() if share > 0)


def _judge(rules: RuleSet) -> Judge:
    """Return a function that scores hands under rules, each only once."""
    memory: dict[tuple[Hand, Circumstances], tuple[Outcome, bool]] = {}

    def judge(hand: Hand, circumstances: Circumstances) -> tuple[Outcome, bool]:
        key = (hand, circumstances)  # its hash takes as long as the rest of this function
        known = memory.get(key)
        if known is None:
            merged = _with_equal_winds_merged(hand, circumstances)
            same = merged is circumstances
            known = _judged(hand, circumstances, rules) if same else judge(hand, merged)
            memory[key] = known
        return known

    return judge


def _judged(hand: Hand, circumstances: Circumstances, rules: RuleSet) -> tuple[Outcome, bool]:
    score = rules.score(hand, circumstances)
    waits: tuple[tuple[Tile, int], ...] = ()
    if hand.size == HAND_SIZE and hand.winning_tile is None:
        found = find_waits(hand, rules, circumstances)
        if found.is_ready:
            waits = tuple((wait.tile, wait.ways[0].score.total) for wait in found.waits)
    possible = not any(p.code == "contradictory_flags" for p in score.problems)
    return Outcome(score.total, score.legal, score.winner_receives, score.complete, waits), possible


def _with_equal_winds_merged(hand: Hand, circumstances: Circumstances) -> Circumstances:
    """Keep only one of South, West and North among the winds that the hand lacks.

    They have the same outcome.
    """
    tiles = hand.all_tiles
    absent = [wind for wind in WINDS[1:] if wind not in tiles]
    for name in ("seat_wind", "round_wind"):
        if getattr(circumstances, name) in absent[1:]:
            circumstances = with_value(circumstances, name, absent[0])
    return circumstances


def _not_contradicting(
    resolved: tuple[ResolvedHand, ...], given: Circumstances, judge: Judge
) -> list[ResolvedHand]:
    """Drop winning tiles and kongs that the circumstances rule out, but keep every likely hand."""
    kept: list[ResolvedHand] = []
    for source in dict.fromkeys(one.source for one in resolved):
        cases = [one for one in resolved if one.source == source]
        passed = [one for one in cases if judge(one.hand, given)[1]] if len(cases) > 1 else cases
        before, after = (sum(one.probability for one in some) for some in (cases, passed))
        if after == 0:  # none passed, or those that did are impossible
            kept += cases
            continue
        kept += [replace(one, probability=one.probability * before / after) for one in passed]
    return kept


def _relevant(
    names: Sequence[str], given: Circumstances, resolved: Sequence[ResolvedHand], judge: Judge
) -> tuple[str, ...]:
    """Find the circumstances that change the outcome of a likely hand.

    Each is tried with every value of `_PREREQUISITES` that is unknown and, on the likeliest hands,
    with every value of each other one too: two may matter only together.
    """
    wins = (one for one in resolved if one.hand.size != HAND_SIZE)
    found: set[str] = set()
    for rank, one in enumerate(sorted(wins, key=lambda p: -p.probability)[:_TESTED]):
        bases = [given]
        for name in names:
            if name in _PREREQUISITES:
                bases = [v.circumstances for base in bases for v in _values(name, base, one.hand)]
            elif rank < _TESTED_TOGETHER:
                bases += [v.circumstances for v in _values(name, given, one.hand)]
        for base, name in product(dict.fromkeys(bases), names):
            if name not in found:
                judged = [judge(one.hand, v.circumstances) for v in _values(name, base, one.hand)]
                if len({outcome.decides for outcome, possible in judged if possible}) > 1:
                    found.add(name)
    return tuple(name for name in names if name in found)


def _values(name: str, given: Circumstances, hand: Hand) -> tuple[CircumstanceValue, ...]:
    return OPEN_CIRCUMSTANCES[name].values(given, hand)


def _common(
    names: Sequence[str], given: Circumstances, hand: Hand, *, many: bool
) -> tuple[str, ...]:
    """Find the circumstances with two common values; if `many`, only who drew the tile."""
    if many:
        return tuple(name for name in names if name == "self_drawn")
    shares = {name: sorted(v.probability for v in _values(name, given, hand)) for name in names}
    return tuple(name for name in names if shares[name][-2] >= _COMMON)


@dataclass(frozen=True, slots=True)
class _Win:
    """A way to have won, its share, and how many of its circumstances are unusual."""

    circumstances: Circumstances
    share: float
    unusual: int


def _wins(
    names: Sequence[str], given: Circumstances, hand: Hand, judge: Judge, most: int, *, every: bool
) -> list[tuple[Circumstances, float]]:
    """List the ways the hand may have been won, with probabilities that sum to 1.

    If there are more than `most`, the likeliest are kept, and all that are almost as likely as the
    first. With `every`, those with a single unusual circumstance are kept too.
    """
    wins = [_Win(given, 1.0, 0)]
    for name in names:
        longer = [win for before in wins for win in _with_each_value(before, name, hand, judge)]
        ranked = sorted((win.share for win in longer), reverse=True)
        least = min(ranked[min(most, len(ranked)) - 1] * (1 - 1e-9), ranked[0] * _ALMOST_AS_LIKELY)
        wins = [win for win in longer if win.share >= least or (every and win.unusual <= 1)]
    wins = [win for win in wins if judge(hand, win.circumstances)[1]] or wins
    total = sum(win.share for win in wins)
    return [(win.circumstances, win.share / total) for win in wins]


def _with_each_value(win: _Win, name: str, hand: Hand, judge: Judge) -> list[_Win]:
    """Expand by the values of one more circumstance; drop contradictions unless all contradict."""
    values = _values(name, win.circumstances, hand)
    values = tuple(v for v in values if judge(hand, v.circumstances)[1]) or values
    total = sum(v.probability for v in values)
    half_likeliest = 0.5 * max(v.probability for v in values)
    return [
        _Win(
            v.circumstances,
            win.share * v.probability / total,
            win.unusual + (v.probability < half_likeliest),
        )
        for v in values
    ]
