"""A profile worked out for the evaluation: points and exclusions of every fan by its index, and what remains of the fan found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scoring.mcr.fans import ALL, INDEX, Aspect, Fan
from scoring.mcr.fans.definition import together
from scoring.mcr.parts import Part
from scoring.mcr.profiles import Profile
from scoring.mcr.reading import Shape
from scoring.result import Principle

CHICKEN = INDEX["chicken_hand"]
FLOWERS = INDEX["flower_tiles"]


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What remains of a set of fan after the exclusions.

    Attributes:
        kept: mask of the fan that count.
        points: their points, each counted once.
        excluded: (fan, by) of those that do not count.
        partial: (fan left out in part, by, how many) for exclusions that leave some occurrences.
    """

    kept: int
    points: int
    excluded: tuple[tuple[int, int], ...]
    partial: tuple[tuple[int, int, int], ...]


class Ledger:
    """Points and exclusions under one profile.

    Attributes:
        profile: the profile.
        points: points of each fan, by index; 0 for one that does not exist here.
        tests: for each aspect and shape the fan of the whole hand, as (index, test).
        finders: for each aspect and shape the fan of single parts, as (index, find).
        combinations: for each aspect the combination fan, with their points.
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
            (aspect, shape): tuple((i, f.test) for i, f in active if f.test and f.aspect is aspect and shape in f.shapes)
            for aspect in Aspect
            for shape in Shape
        }
        self.finders = {
            (aspect, shape): tuple((i, f.find) for i, f in active if f.find and f.aspect is aspect and shape in f.shapes)
            for aspect in Aspect
            for shape in Shape
        }
        self.switched_off = profile.switched_off()
        self.combinations: dict[Aspect, tuple[tuple[Fan, int], ...]] = {
            aspect: tuple((fan, self.points[i]) for i, fan in active if fan.aspect is aspect and fan.matches is not None)
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
                    # Among combinations it is a matter of which sets they use: scoring.mcr.combine.
                    whole[i] |= 1 << target
        self.excluded_by = tuple(whole)
        self.same_parts = tuple(map(tuple, same))
        self._partial = tuple(map(tuple, partial))
        combined = sum(1 << INDEX[fan.id] for fans in self.combinations.values() for fan, _ in fans)
        self.barring = sum(1 << i for i, _ in active if whole[i] & combined)
        self.rank = tuple((-points, i) for i, points in enumerate(self.points))
        self.clauses = tuple(profile.clause(fan) for fan in ALL)
        self._settled: dict[int, Settled] = {}
        self._combined: dict[tuple[Part, ...], tuple[tuple[Fan, int], ...]] = {}

    def combined_by(self, aspect: Aspect, parts: tuple[Part, ...]) -> tuple[tuple[Fan, int], ...]:
        """The combination fan, with their points, that these sets make all together."""
        fans = self._combined.get(parts)
        if fans is None:
            lie = together(parts)
            fans = self._combined[parts] = tuple(
                (fan, points)
                for fan, points in self.combinations[aspect]
                if fan.size == len(parts) and fan.matches is not None and fan.matches(lie)
            )
        return fans

    def settle(self, found: int) -> Settled:
        """What remains of the fan found, dearest first: each that counts takes those it excludes away."""
        settled = self._settled.get(found)
        if settled is None:
            if len(self._settled) > 1 << 16:
                self._settled.clear()
            settled = self._settled[found] = self._settle(found)
        return settled

    def _settle(self, found: int) -> Settled:
        kept = points = 0
        excluded: dict[int, int] = {}
        partial: list[tuple[int, int, int]] = []
        for i in sorted(bits(found), key=self.rank.__getitem__):
            if i not in excluded:
                kept |= 1 << i
                points += self.points[i]
                for target in bits(self.excluded_by[i] & found):
                    excluded.setdefault(target, i)
                partial += [(target, i, number) for target, number in self._partial[i] if found >> target & 1]
        live = tuple((target, by, number) for target, by, number in partial if kept >> target & 1)
        return Settled(kept, points, tuple(excluded.items()), live)


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
