"""From a packed hand to its fan: of all decompositions the highest-scoring counts (就高不就低).

A fan depends on one aspect of a decomposition only (`Aspect`), so results are cached by aspect:
hands that share their chows, or the way they were won, share the work. Nothing else is cached, and
an evaluator without cache gives the same answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from hupai.scoring.mcr.combination_choice import Candidate, candidates, choose
from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape
from hupai.scoring.mcr.decompositions.search import WonHand, decompositions
from hupai.scoring.mcr.exclusions import CHICKEN, CompiledProfile, bits
from hupai.scoring.mcr.fans import ALL, INDEX, Aspect, Occurrences
from hupai.scoring.mcr.fans.cache_keys import (
    figure,
    honours_key,
    may_combine,
    sets_key,
    tiles_key,
    wait_key,
)
from hupai.scoring.mcr.fans.definition import WHOLE
from hupai.scoring.result import Principle


@dataclass(frozen=True, slots=True)
class Dropped:
    """Occurrences that an aspect itself excludes: the fan and the one excluding it, by index."""

    fan: int
    by: int
    principle: Principle
    occurrences: Occurrences


@dataclass(slots=True, eq=False)
class Found:
    """The fan of one aspect.

    Attributes:
        mask: which fan, by index.
        excluded: mask of those that these exclude.
        points: the points of all, further occurrences included.
        repeats: (index, further occurrences) of those found more than once.
        occurrences: where each is, by index.
        dropped: what was excluded already.
        possible: combinations among which the choice was made.
        chosen: that choice.
    """

    mask: int
    excluded: int
    points: int
    repeats: tuple[tuple[int, int], ...]
    occurrences: Mapping[int, Occurrences]
    dropped: tuple[Dropped, ...] = ()
    possible: tuple[Candidate, ...] = ()
    chosen: tuple[Candidate, ...] = ()


NOTHING = Found(0, 0, 0, (), {})

_CIRCUMSTANCES = attrgetter(
    "self_drawn",
    "last_tile",
    "kong_replacement",
    "robbing_kong",
    "last_of_kind",
    "all_concealed",
    "all_claimed",
    "nine_sided",
)

_WITH_SETS = (Shape.STANDARD, Shape.KNITTED_STRAIGHT)


@dataclass(slots=True, eq=False)
class Evaluation:
    """A decomposition with its points.

    Attributes:
        points: its fan points, without flowers.
        decomposition: the decomposition.
        found: what each aspect found that its shape can have, in the order of `Aspect`.
        mask: the fan found.
        kept: those of them that count.
        partial: (excluded fan, by, how many) for exclusions that leave some occurrences.
        repeats: (index, further occurrences) of the fan found more than once.
    """

    points: int
    decomposition: Decomposition
    found: tuple[Found, ...]
    mask: int
    kept: int
    partial: tuple[tuple[int, int, int], ...]
    repeats: tuple[tuple[int, int], ...]


class Evaluator:
    """Evaluates decompositions under one profile, and remembers what it found by aspect.

    Args:
        compiled: points and exclusions.
        remember: False recomputes everything each time; for tests.
    """

    LIMIT = 1 << 16
    """A memory of more answers than this is emptied, so that a service keeps its size."""

    def __init__(self, compiled: CompiledProfile, remember: bool = True) -> None:
        self.compiled = compiled
        self._remember = remember
        self._memory: tuple[dict[Hashable, Found], ...] = tuple({} for _ in Aspect)
        self._remembered = tuple([memory.get for memory in self._memory])

    def best(self, won: WonHand) -> Evaluation | None:
        """Return the highest-scoring decomposition, the first of equals; None if there is none."""
        best = None
        for decomposition in decompositions(won):
            evaluation = self.evaluate(decomposition)
            if best is None or evaluation.points > best.points:
                best = evaluation
        return best

    def all(self, won: WonHand) -> list[Evaluation]:
        """Evaluate every decomposition, the highest-scoring first."""
        evaluations = [self.evaluate(decomposition) for decomposition in decompositions(won)]
        evaluations.sort(key=_by_points)
        return evaluations

    def evaluate(self, decomposition: Decomposition) -> Evaluation:
        """Evaluate one decomposition."""
        found = self._aspects(decomposition)
        compiled = self.compiled
        mask = excluded = points = 0
        repeats: tuple[tuple[int, int], ...] = ()
        for aspect in found:
            mask |= aspect.mask
            excluded |= aspect.excluded
            points += aspect.points
            if aspect.repeats:
                repeats += aspect.repeats
        kept = mask
        if excluded & mask:
            kept, lost = compiled.settle(mask, excluded)
            points -= lost
            for fan, times in repeats:
                if not kept >> fan & 1:
                    points -= times * compiled.points[fan]
        partial: tuple[tuple[int, int, int], ...] = ()
        if kept & compiled.excluding_in_part:
            partial = compiled.excluded_in_part(kept)
            points -= _partial_points(compiled, partial, repeats)
        if points == 0:
            points = compiled.points[CHICKEN]
        return Evaluation(points, decomposition, found, mask, kept, partial, repeats)

    def _aspects(self, decomposition: Decomposition) -> tuple[Found, ...]:
        """Return what each aspect has, remembered or found now."""
        find = self._find_and_remember
        in_tiles, in_sets, _, in_honours, in_pungs, in_kongs, in_chows, in_win = self._remembered
        win = decomposition.win
        key: Hashable = tiles_key(decomposition.shape, decomposition.kinds)
        tiles = in_tiles(key) or find(Aspect.TILES, key, decomposition)
        wait = wait_key(decomposition)
        key = (_CIRCUMSTANCES(win), wait, decomposition.win_part if wait else 0)
        winning = in_win(key) or find(Aspect.WIN, key, decomposition)
        fours = self.find(Aspect.FOURS, decomposition, 0) if win.fours else NOTHING
        if decomposition.shape not in _WITH_SETS:
            return tiles, fours, winning
        key = sets_key(decomposition)
        sets = in_sets(key) or find(Aspect.SETS, key, decomposition)
        barred = (tiles.mask | sets.mask) & self.compiled.barring
        honours = pungs = kongs = chows = NOTHING
        if decomposition.pungs:
            pung_tiles = tuple([part.tile for part in decomposition.pungs])
            key = honours_key(
                pung_tiles, decomposition.pairs[0].tile, win.seat_wind, win.round_wind
            )
            if key:
                honours = in_honours(key) or find(Aspect.HONOURS, key, decomposition)
            key = tuple([part.make for part in decomposition.pungs])
            kongs = in_kongs(key) or find(Aspect.KONGS, key, decomposition)
            if may_combine(pung_tiles):
                key = (barred, decomposition.first_pung, *figure(pung_tiles))
                pungs = in_pungs(key) or find(Aspect.PUNGS, key, decomposition, barred)
        if len(decomposition.chows) > 1:
            key = (barred, *figure(tuple([part.tile for part in decomposition.chows])))
            chows = in_chows(key) or find(Aspect.CHOWS, key, decomposition, barred)
        return tiles, sets, fours, honours, pungs, kongs, chows, winning

    def _find_and_remember(
        self, aspect: Aspect, key: Hashable, decomposition: Decomposition, barred: int = 0
    ) -> Found:
        """Find the fan of one aspect and remember them by the key."""
        found = self.find(aspect, decomposition, barred)
        if self._remember:
            memory = self._memory[aspect]
            if len(memory) >= self.LIMIT:
                memory.clear()
            memory[key] = found
        return found

    def find(self, aspect: Aspect, decomposition: Decomposition, barred: int) -> Found:
        """Find the fan of one aspect, uncached; `barred` masks fan that bar combinations."""
        compiled = self.compiled
        found: dict[int, Occurrences] = {}
        key = (aspect, decomposition.shape)
        for index, test in compiled.tests[key]:
            if test(decomposition):
                found[index] = WHOLE
        for index, find in compiled.finders[key]:
            occurrences = find(decomposition)
            if occurrences:
                found[index] = occurrences
        dropped: list[Dropped] = []
        possible, chosen = self._combine(aspect, decomposition, barred, dropped)
        for candidate in chosen:
            index = INDEX[candidate.fan.id]
            found[index] = (*found.get(index, ()), candidate.places)
        for index in list(found):
            for target, principle in compiled.same_parts[index]:
                dropped += _drop_same_parts(found, index, target, principle)
        mask = excluded = points = 0
        repeats: tuple[tuple[int, int], ...] = ()
        for index, where in found.items():
            mask |= 1 << index
            excluded |= compiled.excluded_by[index]
            points += compiled.points[index] * len(where)
            if len(where) > 1:
                repeats += ((index, len(where) - 1),)
        return Found(mask, excluded, points, repeats, found, tuple(dropped), possible, chosen)

    def _combine(
        self, aspect: Aspect, decomposition: Decomposition, barred: int, dropped: list[Dropped]
    ) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
        """Return the possible combinations, and the choice among them with the most points.

        What a fan of the whole hand bars is added to `dropped`.
        """
        if aspect is Aspect.PUNGS:
            parts, first = decomposition.pungs, decomposition.first_pung
        elif aspect is Aspect.CHOWS:
            parts, first = decomposition.chows, 0
        else:
            return (), ()
        possible = tuple(candidates(parts, self.compiled.fans_by_tiles[aspect], first))
        if barred:
            barring = {
                ALL[target].id: by
                for by in bits(barred)
                for target in bits(self.compiled.excluded_by[by])
            }
            for candidate in possible:
                if candidate.fan.id in barring:
                    by = barring[candidate.fan.id]
                    dropped.append(
                        Dropped(
                            INDEX[candidate.fan.id], by, Principle.EXCLUDED, (candidate.places,)
                        )
                    )
            possible = tuple(
                [candidate for candidate in possible if candidate.fan.id not in barring]
            )
        return possible, choose(possible)


def _by_points(evaluation: Evaluation) -> int:
    return -evaluation.points


def counts(compiled: CompiledProfile, evaluation: Evaluation) -> dict[int, Occurrences]:
    """Return the fan that count, by index, with where each occurs.

    无番和 is among them if there is no other.
    """
    counted = {
        i: where
        for found in evaluation.found
        for i, where in found.occurrences.items()
        if evaluation.kept >> i & 1
    }
    for target, _, number in evaluation.partial:
        counted[target] = counted[target][number:]
    counted = {i: where for i, where in counted.items() if where}
    if not counted and compiled.points[CHICKEN]:
        counted[CHICKEN] = ((),)
    return counted


def _partial_points(
    compiled: CompiledProfile,
    partial: tuple[tuple[int, int, int], ...],
    repeats: tuple[tuple[int, int], ...],
) -> int:
    further = dict(repeats)
    return sum(
        min(number, 1 + further.get(target, 0)) * compiled.points[target]
        for target, _, number in partial
    )


def _drop_same_parts(
    found: dict[int, Occurrences], index: int, target: int, principle: Principle
) -> list[Dropped]:
    """Remove the occurrences of `target` that lie on parts of fan `index`."""
    if index not in found or target not in found:
        return []
    parts = {part for where in found[index] for part in where}
    same = tuple(where for where in found[target] if parts.issuperset(where))
    rest = tuple(where for where in found[target] if not parts.issuperset(where))
    if rest:
        found[target] = rest
    else:
        del found[target]
    return [Dropped(target, index, principle, same)] if same else []
