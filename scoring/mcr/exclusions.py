"""A profile worked out for the evaluation: points and exclusions of every fan by its index, and
what remains of the fan found.
"""

from __future__ import annotations

from dataclasses import dataclass

from hupai.scoring.mcr.combination_choice import FansByArrangement, fans_by_arrangement
from hupai.scoring.mcr.decomposition import Shape
from hupai.scoring.mcr.fans import ALL, INDEX, Aspect
from hupai.scoring.mcr.profiles import Profile
from hupai.scoring.result import Principle

CHICKEN = INDEX["chicken_hand"]
FLOWERS = INDEX["flower_tiles"]


@dataclass(slots=True, eq=False)
class Settled:
    """What remains of a set of fan after the exclusions.

    Attributes:
        kept: mask of the fan that count.
        points: their points, each counted once.
        partial: (fan left out in part, by, how many) for exclusions that leave some occurrences.
    """

    kept: int
    points: int
    partial: tuple[tuple[int, int, int], ...]


class CompiledProfile:
    """Points and exclusions under one profile.

    Attributes:
        profile: the profile.
        points: points of each fan, by index; 0 for one that does not exist here.
        tests: for each aspect and shape the fan of the whole hand, as (index, test).
        finders: for each aspect and shape the fan of single parts, as (index, find).
        lies: for each aspect the combination fan, by how the sets lie to one another.
        switched_off: fan of the whole hand or of single parts that a house rule takes away.
        excluded_by: for each fan the mask of the fan it excludes wholly.
        same_parts: for each fan the fan it excludes on its own parts, as (index, principle).
        rank: sorts fan, the dearest first.
        clauses: where each fan stands.
        barring: mask of the fan that exclude combinations (and are none themselves).
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.points = tuple(profile.points_of(fan) for fan in ALL)
        active = [(i, fan) for i, fan in enumerate(ALL) if self.points[i]]
        self.tests = {
            (aspect, shape): tuple(
                (i, f.test)
                for i, f in active
                if f.test and f.aspect is aspect and shape in f.shapes
            )
            for aspect in Aspect
            for shape in Shape
        }
        self.finders = {
            (aspect, shape): tuple(
                (i, f.find)
                for i, f in active
                if f.find and f.aspect is aspect and shape in f.shapes
            )
            for aspect in Aspect
            for shape in Shape
        }
        self.switched_off = profile.switched_off()
        self.fans_by_arrangement: dict[Aspect, FansByArrangement] = {
            aspect: fans_by_arrangement(
                (fan, self.points[i])
                for i, fan in active
                if fan.aspect is aspect and fan.matches is not None
            )
            for aspect in Aspect
        }
        whole = [0] * len(ALL)
        same: list[list[tuple[int, Principle]]] = [[] for _ in ALL]
        partial: list[list[tuple[int, int]]] = [[] for _ in ALL]
        for i, fan in active:
            for excludes in fan.excludes:
                if not excludes.applies(profile.switches):
                    continue
                target = INDEX[excludes.fan]
                if excludes.same_parts:
                    same[i].append((target, excludes.principle))
                elif excludes.at_most is not None:
                    partial[i].append((target, excludes.at_most))
                elif not (fan.size and ALL[target].size):
                    # Among combinations it is a matter of which sets they use:
                    # hupai.scoring.mcr.combination_choice.
                    whole[i] |= 1 << target
        self.excluded_by = tuple(whole)
        self.same_parts = tuple(map(tuple, same))
        self._partial = tuple(map(tuple, partial))
        self._excluding = sum(1 << i for i in range(len(ALL)) if whole[i])
        self._excluding_in_part = sum(1 << i for i in range(len(ALL)) if partial[i])
        combined = sum(1 << i for i, fan in active if fan.size)
        self.barring = sum(1 << i for i, _ in active if whole[i] & combined)
        self.rank = tuple((-points, i) for i, points in enumerate(self.points))
        self.clauses = tuple(profile.clause(fan) for fan in ALL)
        self._settled: dict[int, Settled] = {}

    def settle(self, found: int) -> Settled:
        """What remains of the fan found, dearest first: each that counts takes those it excludes
        away.
        """
        settled = self._settled.get(found)
        if settled is None:
            if len(self._settled) > 1 << 16:
                self._settled.clear()
            settled = self._settled[found] = self._settle(found)
        return settled

    def _settle(self, found: int) -> Settled:
        gone = 0
        for i in bits(found & self._excluding):
            gone |= self.excluded_by[i]
        gone &= found
        if gone & self._excluding:
            # What is excluded itself excludes nothing, so the order matters.
            gone = sum([1 << fan for fan, _ in self.exclusions(found)])
        kept = found & ~gone
        partial: list[tuple[int, int, int]] = []
        for i in bits(kept & self._excluding_in_part):
            partial += [
                (target, i, number) for target, number in self._partial[i] if kept >> target & 1
            ]
        points = self.points
        return Settled(kept, sum([points[i] for i in bits(kept)]), tuple(partial))

    def exclusions(self, found: int) -> list[tuple[int, int]]:
        """Of the fan found those that do not count, as (fan, by): the dearest takes first away what
        it excludes.
        """
        excluded: list[tuple[int, int]] = []
        kept = found
        for i in sorted(bits(found & self._excluding), key=self.rank.__getitem__):
            if kept >> i & 1:
                gone = self.excluded_by[i] & kept
                kept &= ~gone
                excluded += [(target, i) for target in bits(gone)]
        return excluded


def bits(mask: int) -> list[int]:
    """The places of the bits that are set, ascending."""
    places = []
    while mask:
        lowest = mask & -mask
        places.append(lowest.bit_length() - 1)
        mask ^= lowest
    return places
