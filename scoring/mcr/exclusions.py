"""A profile compiled for the evaluation, and what remains of the fan found after the exclusions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TypeVar

from hupai.scoring.mcr.combination_choice import fans_by_tiles
from hupai.scoring.mcr.decompositions.decomposition import Shape
from hupai.scoring.mcr.fans import ALL, INDEX, Aspect, Excludes, Fan
from hupai.scoring.mcr.profiles import Profile

CHICKEN = INDEX["chicken_hand"]
FLOWERS = INDEX["flower_tiles"]


class CompiledProfile:
    """Points and exclusions of every fan under one profile, by the index of the fan.

    Attributes:
        profile: the profile.
        points: points of each fan; 0 for one that does not exist here.
        rank: sorts fan, the highest points first.
        clauses: the clause of each fan.
        names: Chinese names as in the profile's text.
        switched_off: fan that a house rule takes away.
        tests: for each aspect and shape the fan of the hand as a whole, as (index, test).
        finders: for each aspect and shape the fan of single parts, as (index, find).
        fans_by_tiles: for each aspect the combination fan, by the first tiles of the sets.
        excluded_by: for each fan the mask of the fan it excludes wholly.
        same_parts: for each fan the fan it excludes on its own parts, as (index, principle).
        partial: for each fan those of which it excludes so many, as (index, how many).
        barring: mask of the fan that exclude combinations (and are none themselves).
        excluding_in_part: mask of the fan that exclude some occurrences of another.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.points = tuple(profile.points_of(fan) for fan in ALL)
        order = sorted(range(len(ALL)), key=lambda i: (-self.points[i], i))
        self.rank = tuple([order.index(i) for i in range(len(ALL))])
        self.clauses = tuple(profile.clause(fan) for fan in ALL)
        self.names = tuple(profile.zh_of(fan) for fan in ALL)
        self.switched_off = profile.switched_off()
        active = [(i, fan) for i, fan in enumerate(ALL) if self.points[i]]
        self.tests = _by_aspect_and_shape((i, fan, fan.test) for i, fan in active)
        self.finders = _by_aspect_and_shape((i, fan, fan.find) for i, fan in active)
        self.fans_by_tiles = {
            aspect: fans_by_tiles(
                (fan, self.points[i]) for i, fan in active if fan.aspect is aspect and fan.matches
            )
            for aspect in Aspect
        }
        rules = [
            (i, INDEX[excludes.fan], excludes)
            for i, fan in active
            for excludes in fan.excludes
            if excludes.applies(profile.switches)
        ]
        self.excluded_by = tuple(mask_of(targets) for targets in _grouped(_wholly_excluded(rules)))
        self.same_parts = _grouped(
            (i, (target, excludes.principle))
            for i, target, excludes in rules
            if excludes.same_parts
        )
        self.partial = _grouped(
            (i, (target, excludes.at_most))
            for i, target, excludes in rules
            if excludes.at_most is not None
        )
        combinations = mask_of(i for i, fan in active if fan.size)
        self.barring = _mask_where(mask & combinations for mask in self.excluded_by)
        self._excluding = _mask_where(self.excluded_by)
        self.excluding_in_part = _mask_where(self.partial)
        self._settled: dict[int, tuple[int, int]] = {}

    def by_rank(self, found: int) -> list[int]:
        """List a mask of fan, the highest points first."""
        return sorted(bits(found), key=self.rank.__getitem__)

    def points_of(self, found: int) -> int:
        """Return the points of a mask of fan, each counted once."""
        points = self.points
        return sum([points[i] for i in bits(found)])

    def settle(self, found: int, excluded: int) -> tuple[int, int]:
        """Return the mask of the fan found that count, and the points that the others lose.

        Args:
            found: mask of the fan found.
            excluded: what they exclude, each as if it counted.
        """
        settled = self._settled.get(found)
        if settled is None:
            if len(self._settled) > 1 << 16:
                self._settled.clear()
            gone = excluded & found
            for i in bits(gone & self._excluding):
                if self.excluded_by[i] & gone:
                    # What is excluded itself excludes nothing, so the order matters.
                    gone = sum([1 << fan for fan, _ in self.exclusions(found)])
                    break
            settled = self._settled[found] = found ^ gone, self.points_of(gone)
        return settled

    def excluded_in_part(self, kept: int) -> tuple[tuple[int, int, int], ...]:
        """List (excluded fan, by, how many) for exclusions that leave some occurrences."""
        return tuple(
            [
                (target, i, number)
                for i in bits(kept & self.excluding_in_part)
                for target, number in self.partial[i]
                if kept >> target & 1
            ]
        )

    def exclusions(self, found: int) -> list[tuple[int, int]]:
        """List the fan found that do not count, as (fan, by).

        The fan of the highest points takes away what it excludes first.
        """
        excluded: list[tuple[int, int]] = []
        kept = found
        for i in self.by_rank(found & self._excluding):
            if kept >> i & 1:
                gone = self.excluded_by[i] & kept
                if gone:
                    kept ^= gone
                    excluded += [(target, i) for target in bits(gone)]
        return excluded


_T = TypeVar("_T")


def _by_aspect_and_shape(
    fans: Iterable[tuple[int, Fan, _T | None]],
) -> dict[tuple[Aspect, Shape], tuple[tuple[int, _T], ...]]:
    """Sort functions of fan by the aspects and shapes in which they are asked."""
    found: dict[tuple[Aspect, Shape], list[tuple[int, _T]]]
    found = {key: [] for key in product(Aspect, Shape)}
    for index, fan, function in fans:
        if function is not None:
            for shape in fan.shapes:
                found[fan.aspect, shape].append((index, function))
    return {key: tuple(functions) for key, functions in found.items()}


def _wholly_excluded(rules: Iterable[tuple[int, int, Excludes]]) -> Iterator[tuple[int, int]]:
    """Yield (fan, excluded fan) where every occurrence is excluded.

    Among combinations that depends on the sets they use (`hupai.scoring.mcr.combination_choice`).
    """
    for i, target, excludes in rules:
        both_combine = ALL[i].size and ALL[target].size
        if not (excludes.same_parts or excludes.at_most is not None or both_combine):
            yield i, target


def _grouped(pairs: Iterable[tuple[int, _T]]) -> tuple[tuple[_T, ...], ...]:
    """List for each fan what the pairs name with it."""
    found: list[list[_T]] = [[] for _ in ALL]
    for i, value in pairs:
        found[i].append(value)
    return tuple(map(tuple, found))


def mask_of(places: Iterable[int]) -> int:
    """Return the mask with these bits set."""
    mask = 0
    for place in places:
        mask |= 1 << place
    return mask


def _mask_where(values: Iterable[object]) -> int:
    """Return the mask of the places that hold something."""
    return mask_of(i for i, value in enumerate(values) if value)


def bits(mask: int) -> list[int]:
    """Return the places of the bits that are set, ascending."""
    places = []
    while mask:
        lowest = mask & -mask
        places.append(lowest.bit_length() - 1)
        mask ^= lowest
    return places
