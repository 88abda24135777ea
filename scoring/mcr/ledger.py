"""A profile worked out for the evaluation: points and exclusions of every fan by its index, and what remains of the fan found."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.mcr.fans import ALL, INDEX, Aspect, Fan
from scoring.mcr.profiles import Profile

CHICKEN = INDEX["chicken_hand"]
FLOWERS = INDEX["flower_tiles"]


@dataclass(frozen=True, slots=True)
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


class Ledger:
    """Points and exclusions under one profile.

    Attributes:
        profile: the profile.
        points: points of each fan, by index; 0 for one that does not exist here.
        finders: for each aspect the fan that are found by looking, as (index, fan).
        combinations: for each aspect the combination fan, with their points.
        excluded_by: for each fan the mask of the fan it excludes wholly.
        same_parts: for each fan the indices of the fan it excludes on its own parts.
        barring: mask of the fan that exclude combinations and are none themselves.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.points = tuple(profile.points_of(fan) for fan in ALL)
        active = [(i, fan) for i, fan in enumerate(ALL) if self.points[i]]
        self.finders: dict[Aspect, tuple[tuple[int, Fan], ...]] = {
            aspect: tuple((i, fan) for i, fan in active if fan.aspect is aspect and fan.find is not None) for aspect in Aspect
        }
        self.combinations: dict[Aspect, tuple[tuple[Fan, int], ...]] = {
            aspect: tuple((fan, self.points[i]) for i, fan in active if fan.aspect is aspect and fan.matches is not None)
            for aspect in Aspect
        }
        whole = [0] * len(ALL)
        same: list[list[int]] = [[] for _ in ALL]
        partial: list[list[tuple[int, int]]] = [[] for _ in ALL]
        for i, fan in active:
            for excludes in fan.excludes:
                if not excludes.applies(profile.switches):
                    continue
                target = INDEX[excludes.fan]
                if excludes.same_parts:
                    same[i].append(target)
                elif excludes.at_most is not None:
                    partial[i].append((target, excludes.at_most))
                else:
                    whole[i] |= 1 << target
        self.excluded_by = tuple(whole)
        self.same_parts = tuple(map(tuple, same))
        self._partial = tuple(map(tuple, partial))
        combined = sum(1 << INDEX[fan.id] for fans in self.combinations.values() for fan, _ in fans)
        self.barring = sum(1 << i for i, fan in active if whole[i] & combined and not combined >> i & 1)
        self._order = sorted((i for i, _ in active), key=lambda i: (-self.points[i], ALL[i].number))
        self._settled: dict[int, Settled] = {}

    def settle(self, found: int) -> Settled:
        """What remains of the fan found, dearest first: each that counts takes those it excludes away."""
        settled = self._settled.get(found)
        if settled is None:
            if len(self._settled) > 1 << 16:
                self._settled.clear()
            settled = self._settled[found] = self._settle(found)
        return settled

    def _settle(self, found: int) -> Settled:
        kept = excluded = points = 0
        partial: list[tuple[int, int, int]] = []
        for i in self._order:
            if found >> i & 1 and not excluded >> i & 1:
                kept |= 1 << i
                excluded |= self.excluded_by[i]
                points += self.points[i]
                partial += [(target, i, number) for target, number in self._partial[i] if found >> target & 1]
        live = tuple((target, by, number) for target, by, number in partial if kept >> target & 1)
        return Settled(kept, points, live)

    def excluder(self, fan: int, kept: int) -> int | None:
        """The dearest of the fan that count which excludes this one, or None."""
        return next((i for i in self._order if kept >> i & 1 and self.excluded_by[i] >> fan & 1), None)
