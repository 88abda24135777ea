"""Scores MCR hands as arrays: variants, their fan by table, exclusions, the best of each hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.batch.aspect_tables import (
    PAIR_CLASS,
    ROUND,
    SAME,
    SEAT,
    AspectTable,
    Repeats,
    combination_table,
    honour_fan,
    kong_fan,
    win_fan,
)
from hupai.scoring.batch.cases import Cases, Int64, UInt64, group_cases
from hupai.scoring.batch.exclusions import Exclusions
from hupai.scoring.batch.features import (
    CHOW_VALUES,
    CHOWS_MASK,
    HONOURS_MASK,
    MAKES_MASK,
    PUNGS_MASK,
    Field,
    Trait,
)
from hupai.scoring.batch.hand_arrays import HandArrays
from hupai.scoring.batch.keys import SHAPE, TILES_KEYS, HandKeys, hand_keys
from hupai.scoring.batch.representative import decomposition_of
from hupai.scoring.batch.result import BatchScores
from hupai.scoring.batch.splits import honour_table, suit_table
from hupai.scoring.batch.variants import (
    Variants,
    irregular_variants,
    knitted_straight_variants,
    standard_variants,
)
from hupai.scoring.mcr.decompositions.decomposition import Shape
from hupai.scoring.mcr.evaluation import Found
from hupai.scoring.mcr.exclusions import FLOWERS
from hupai.scoring.mcr.fans import Aspect
from hupai.scoring.mcr.rules import McrRules

CHUNK = 1 << 11
"""Hands scored at a time. The arrays of one step stay in the processor's cache, and below the
128 KiB from which an allocator takes fresh pages each time (docs/notebook/2026-11-speed.md).
"""


@dataclass(slots=True, eq=False)
class Best:
    """The best variant so far of each hand: points, kept fan (low, high), repeats."""

    points: Int64
    low: UInt64
    high: UInt64
    repeats: UInt64


Ask = Callable[..., Callable[[int, int], Found]]
"""Returns the function that fills the table of an aspect, given a mask of fan that bar some."""


class BatchScorer:
    """Scores arrays of hands under one MCR rule set.

    The tables of combinations are filled at creation, those of other aspects as new cases occur.
    """

    def __init__(self, rules: McrRules) -> None:
        self.rules = rules
        self.evaluator = rules.evaluator
        self.exclusions = Exclusions(rules.compiled)
        self.repeats = Repeats()
        table = partial(AspectTable, repeats=self.repeats)
        self._tiles = table(TILES_KEYS)
        self._sets = table(1 << 10)
        self._fours = table(5 * 4)
        self._win = table(1 << 10)
        self._honours = table(1 << PAIR_CLASS + 2)
        self._kongs = table(MAKES_MASK + 1)
        self._combined = {
            aspect: {0: combination_table(self.evaluator, aspect, 0, self.repeats)}
            for aspect in (Aspect.CHOWS, Aspect.PUNGS)
        }
        self._terminal_chows = self._terminal_chow_patterns()
        suit_table()
        honour_table()

    def score(self, hands: HandArrays) -> BatchScores:
        """Score the hands; a hand that makes no winning shape gets 0."""
        parts = [
            self._score_chunk(hands[start : start + CHUNK])
            for start in range(0, max(len(hands), 1), CHUNK)
        ]
        points, low, high, repeats = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("points", "low", "high", "repeats")
        )
        profile, compiled = self.rules.profile, self.rules.compiled
        capped = points if profile.cap is None else np.minimum(points, profile.cap)
        flowers = hands.flowers.astype(np.int64) * compiled.points[FLOWERS]
        complete = points >= 0
        return BatchScores(
            rules=self.rules.id,
            total=np.where(complete, capped + flowers, 0),
            without_flowers=np.maximum(points, 0),
            complete=complete,
            reaches_minimum=complete & (points >= profile.minimum),
            flowers=hands.flowers,
            kept=np.stack([low, high], axis=1),
            repeats=repeats,
            settlement=self.exclusions,
            repeat_shifts=dict(self.repeats.shift),
        )

    def _score_chunk(self, hands: HandArrays) -> Best:
        size = len(hands)
        cases = group_cases(hands)
        keys = hand_keys(hands, cases)
        best = Best(np.full(size, -1), *[np.zeros(size, np.uint64) for _ in range(3)])
        for variants in self._all_variants(hands, cases):
            if len(variants.hand):
                self._improve(best, variants, hands, keys)
        return best

    @staticmethod
    def _all_variants(hands: HandArrays, cases: Cases) -> Iterator[Variants]:
        standard = standard_variants(cases, hands)
        yield standard
        open_ = np.ones(len(hands), np.bool_)
        open_[standard.hand] = False
        others = np.flatnonzero(open_)
        if len(others):
            yield knitted_straight_variants(cases, hands, others)
        yield from irregular_variants(cases, hands, open_)

    def _improve(self, best: Best, variants: Variants, hands: HandArrays, keys: HandKeys) -> None:
        """Take the best variant of each hand where it is worth more than what was found before."""
        low, high, repeats = self._found(variants, hands, keys)
        low, high, points = self.exclusions.settle(low, high, repeats, self.repeats.shift)
        hand = variants.hand
        starts = np.flatnonzero(np.diff(hand, prepend=-1))
        if len(starts) == len(hand):
            chosen = starts
        else:
            # The first of equals: the later one of a hand has the smaller rank.
            rank = points << 16 | (0xFFFF - (np.arange(len(hand)) - _spread(starts, len(hand))))
            chosen = 0xFFFF - (np.maximum.reduceat(rank, starts) & 0xFFFF) + starts
        chosen = chosen[points[chosen] > best.points[hand[chosen]]]
        where = hand[chosen]
        best.points[where] = points[chosen]
        best.low[where], best.high[where] = low[chosen], high[chosen]
        best.repeats[where] = repeats[chosen]

    def _found(
        self, variants: Variants, hands: HandArrays, keys: HandKeys
    ) -> tuple[UInt64, UInt64, UInt64]:
        """Return the fan that each variant shows: masks (low, high) and repeats."""
        hand, shape = variants.hand, variants.shape

        def ask(aspect: Aspect, barred: int = 0) -> Callable[[int, int], Found]:
            return lambda _key, place: self.evaluator.find(
                aspect, decomposition_of(variants, place, hands), barred
            )

        tiles_key = keys.tiles[hand] | shape << SHAPE
        if shape is Shape.SEVEN_PAIRS:
            tiles_key |= keys.pairs[hand]
        elif shape is Shape.KNITTED_SINGLES:
            tiles_key |= keys.singles[hand]
        found = _Found(len(hand))
        tiles = self._tiles.rows(tiles_key, ask(Aspect.TILES))
        found.add(self._tiles, tiles)
        win_key = keys.win[hand] | variants.wait << 8
        found.add(self._win, self._win.rows(win_key, lambda key, _: win_fan(self.evaluator, key)))
        fours = np.flatnonzero(keys.fours[hand])
        if len(fours):
            key = keys.fours[hand[fours]] * 5 + shape
            rows = self._fours.rows(key, partial(_at, fours, ask(Aspect.FOURS)))
            found.add(self._fours, rows, fours)
        if shape in (Shape.STANDARD, Shape.KNITTED_STRAIGHT):
            self._add_sets(found, variants, keys, tiles, ask)
        return found.low, found.high, found.repeats

    def _add_sets(
        self,
        found: _Found,
        variants: Variants,
        keys: HandKeys,
        tiles: NDArray[np.int32],
        ask: Ask,
    ) -> None:
        """Add what the sets have: together, as honours, as kongs, and combined."""
        counted, traits, hand = variants.counted, variants.traits, variants.hand
        makes = counted >> Field.CONCEALED_PUNGS & MAKES_MASK
        chow_rows = self._combined[Aspect.CHOWS][0].row[counted & CHOWS_MASK]
        sets_key = self._sets_key(variants, makes, chow_rows)
        sets = self._sets.rows(sets_key, ask(Aspect.SETS))
        found.add(self._sets, sets)
        with_pungs = np.flatnonzero(makes)
        makes = makes[with_pungs]
        found.add(
            self._kongs,
            self._kongs.rows(makes, lambda key, _: kong_fan(self.evaluator, key)),
            with_pungs,
        )
        ends = counted[with_pungs] >> Field.WINDS & HONOURS_MASK
        with_ends = with_pungs[ends > 0]
        key = ends[ends > 0] | _wind_bits(
            traits[with_ends], keys.seat[hand[with_ends]], keys.round[hand[with_ends]]
        )
        found.add(
            self._honours,
            self._honours.rows(key, lambda key, _: honour_fan(self.evaluator, key)),
            with_ends,
        )
        chows = self._combined[Aspect.CHOWS][0]
        pungs = self._combined[Aspect.PUNGS][0]
        pung_key = counted >> Field.PUNGS & PUNGS_MASK
        pung_rows = pungs.row[pung_key]
        barred_low, barred_high = self.exclusions.barring
        low = (self._tiles.low[tiles] | self._sets.low[sets]) & barred_low
        high = (self._tiles.high[tiles] | self._sets.high[sets]) & barred_high
        barred = np.flatnonzero(low | high)
        free = np.ones(len(hand), np.bool_)
        free[barred] = False
        for table, rows in ((chows, chow_rows), (pungs, pung_rows)):
            combined = np.flatnonzero(free & (table.low[rows] | table.high[rows] > np.uint64(0)))
            found.add(table, rows[combined], combined)
        if len(barred):
            self._add_barred(found, variants, barred, (low, high), pung_key, ask)

    def _add_barred(
        self,
        found: _Found,
        variants: Variants,
        barred: Int64,
        masks: tuple[UInt64, UInt64],
        pung_key: Int64,
        ask: Ask,
    ) -> None:
        """Add the combinations of those variants of which a fan bars some."""
        chow_key = variants.counted & CHOWS_MASK
        together = np.stack([mask[barred] for mask in masks], axis=1)
        for low, high in np.unique(together, axis=0).tolist():
            chosen = barred[(together == (low, high)).all(axis=1)]
            mask = low | high << 64
            for aspect, keys in ((Aspect.CHOWS, chow_key), (Aspect.PUNGS, pung_key)):
                tables = self._combined[aspect]
                if mask not in tables:
                    tables[mask] = AspectTable(len(tables[0].row), self.repeats)
                answer = ask(aspect, mask)
                rows = tables[mask].rows(keys[chosen], partial(_at, chosen, answer))
                found.add(tables[mask], rows, chosen)

    def _sets_key(self, variants: Variants, makes: Int64, chow_rows: NDArray[np.int32]) -> Int64:
        """Compute what the sets have in common.

        That is the number of pungs, whether an end, a five, or even ranks alone are in every part,
        whether the pair is of a suit, and what 双龙会 they are (1 of one suit, 2 of three).
        """
        traits = variants.traits.astype(np.int64)
        pungs = (makes & 7) + (makes >> 3 & 7) + (makes >> 6 & 7) + (makes >> 9)
        key: Int64 = pungs << 1 | int(variants.shape is Shape.KNITTED_STRAIGHT)
        for place, trait in enumerate((Trait.WITHOUT_END, Trait.WITHOUT_FIVE, Trait.NOT_EVEN), 4):
            key |= (traits >> trait & 7 == 0) << place
        key |= (traits >> Trait.SUITED_PAIR & 1) << 7
        pattern = self._terminal_chows[chow_rows]
        with_pattern = np.flatnonzero(pattern)
        fives = traits[with_pattern] >> Trait.PAIR_OF_FIVES & 3
        pattern = pattern[with_pattern]
        kind = (pattern == fives) + 2 * (pattern == fives + 3) * (fives > 0)
        key[with_pattern] |= kind << 8
        return key

    def _terminal_chow_patterns(self) -> NDArray[np.int8]:
        """Mark the rows of 123 and 789 twice: 1 + suit, or 4 + the suit that is missing."""
        chows = self._combined[Aspect.CHOWS][0]
        pattern = np.zeros(len(chows.low), np.int8)
        value = [CHOW_VALUES[1 + 7 * suit] + CHOW_VALUES[7 + 7 * suit] for suit in range(3)]
        for suit in range(3):
            pattern[chows.row[2 * value[suit]]] = 1 + suit
            pattern[chows.row[sum(value) - value[suit]]] = 4 + suit
        return pattern


class _Found:
    """The fan of a batch of variants, collected aspect by aspect."""

    def __init__(self, size: int) -> None:
        self.low, self.high, self.repeats = (np.zeros(size, np.uint64) for _ in range(3))

    def add(self, table: AspectTable, rows: NDArray[np.int32], where: Int64 | None = None) -> None:
        """Add what a table has in these rows, to all variants or to those named."""
        for name in ("low", "high", "repeats"):
            values = getattr(table, name)[rows]
            if where is None:
                getattr(self, name).__ior__(values)
            else:
                getattr(self, name)[where] |= values


def _at(places: Int64, answer: Callable[[int, int], Found], key: int, place: int) -> Found:
    """Evaluate the variant at this place."""
    return answer(key, int(places[place]))


@lru_cache(maxsize=8)
def batch_scorer(rules: McrRules) -> BatchScorer:
    """Return the scorer of a rule set, made once."""
    return BatchScorer(rules)


def _wind_bits(
    traits: NDArray[np.uint32], seat: NDArray[np.uint32], round_: NDArray[np.uint32]
) -> Int64:
    """Return the part of a key of honours that says which pungs of winds count, and the pair."""
    winds = traits & 0o17
    in_seat, in_round = winds & seat > 0, winds & round_ > 0
    key: Int64 = (traits >> Trait.PAIR_OF_WINDS & 3).astype(np.int64) << PAIR_CLASS
    key |= in_seat << SEAT | in_round << ROUND
    key |= (in_seat & in_round & (seat == round_)) << SAME
    return key


def _spread(starts: Int64, size: int) -> Int64:
    """Return for each place the start of its group."""
    return np.repeat(starts, np.diff(starts, append=size))
