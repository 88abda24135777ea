"""The MCR rule sets: a hand in, its score with every reason out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial

from hupai.scoring.checks.hand import has_errors, without_open_winning_tile
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.mcr.decompositions.search import won_hand
from hupai.scoring.mcr.evaluation import Evaluation, Evaluator
from hupai.scoring.mcr.exclusions import FLOWERS, CompiledProfile
from hupai.scoring.mcr.explanation import reasons
from hupai.scoring.mcr.legality import (
    CIRCUMSTANCES,
    IN_PLAY,
    UNREADABLE,
    below_minimum,
    find_problems,
    not_complete,
)
from hupai.scoring.mcr.profiles import PROFILES, Profile
from hupai.scoring.result import Payment, Problem, Score, answered
from hupai.scoring.tiles import Tile


class McrRules:
    """MCR under one profile; see `hupai.scoring.result.RuleSet`."""

    circumstances: tuple[str, ...] = CIRCUMSTANCES
    tiles: frozenset[Tile] = IN_PLAY

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.compiled = CompiledProfile(profile)
        self.evaluator = Evaluator(self.compiled)

    @property
    def id(self) -> str:
        """The profile's id."""
        return self.profile.id

    @property
    def name_en(self) -> str:
        """English name."""
        return self.profile.name_en

    @property
    def name_zh(self) -> str:
        """Chinese name."""
        return self.profile.name_zh

    @property
    def minimum(self) -> int:
        """Minimum fan points, flowers apart, that may win."""
        return self.profile.minimum

    def score(self, hand: Hand, circumstances: Circumstances) -> Score:
        """Score a hand; every problem is in the answer, none is raised.

        A hand below the minimum is complete but not legal, and its fan are listed all the same.
        With 14 tiles and no winning tile, `Score.details` says between which totals the answer lies
        (``lowest``, ``highest``).
        """
        problems = find_problems(hand, circumstances, self.profile)
        if problems:
            codes = {problem.code for problem in problems}
            if codes & UNREADABLE:
                return self._unreadable(hand, circumstances, problems, codes)
        ranked = self.evaluator.all(won_hand(hand, circumstances))
        if not ranked:
            return Score(
                self.id,
                complete=False,
                legal=False,
                total=0,
                unit="fan",
                problems=(*problems, not_complete()),
            )
        return self._score(ranked, circumstances, flower_count(hand, circumstances), problems)

    def total(self, hand: Hand, circumstances: Circumstances) -> int:
        """Return the total alone, as `score` gives it, for a hand without problems.

        It is 0 if the tiles make no winning shape.

        Much faster than `score`; made for weighing many candidate hands.
        """
        best = self.evaluator.best(won_hand(hand, circumstances))
        if best is None:
            return 0
        return (
            self.profile.capped(best.points)
            + flower_count(hand, circumstances) * self.compiled.points[FLOWERS]
        )

    def totals(self, deals: Iterable[tuple[Hand, Circumstances]]) -> list[int]:
        """List the totals of many hands, each as `total` gives it."""
        total = self.total
        return [total(hand, circumstances) for hand, circumstances in deals]

    def payments(self, total: int, circumstances: Circumstances) -> tuple[Payment, ...]:
        """Say who pays what (1998, 计分).

        For a self-drawn win each pays base and fan; otherwise each pays the base, and the discarder
        also the fan.
        """
        payer = (
            "each"
            if circumstances.self_drawn
            else "robbed"
            if circumstances.robbing_kong
            else "discarder"
        )
        return _payments(self.profile.base_points, total, payer)

    def _score(
        self,
        ranked: list[Evaluation],
        circumstances: Circumstances,
        flowers: int,
        problems: tuple[Problem, ...],
    ) -> Score:
        best = ranked[0]
        total = self.profile.capped(best.points) + flowers * self.compiled.points[FLOWERS]
        if best.points < self.profile.minimum:
            problems = (*problems, below_minimum(best.points, self.profile.minimum))
        legal = best.points >= self.profile.minimum and not has_errors(problems)
        return answered(
            self.id,
            legal,
            total,
            "fan",
            self.payments(total, circumstances) if legal else (),
            problems,
            (("without_flowers", best.points),),
            partial(reasons, self.compiled, ranked, flowers),
        )

    def _unreadable(
        self,
        hand: Hand,
        circumstances: Circumstances,
        problems: tuple[Problem, ...],
        codes: set[str],
    ) -> Score:
        """Answer without fan.

        If only the winning tile is missing, the answer has the range of totals it leaves open.
        """
        totals = []
        if codes & UNREADABLE == {"winning_tile_unknown"}:
            for tile in sorted(set(hand.concealed)):
                rest = list(hand.concealed)
                rest.remove(tile)
                totals.append(
                    self.total(
                        replace(hand, concealed=tuple(rest), winning_tile=tile), circumstances
                    )
                )
        possible = [total for total in totals if total]
        details = (("lowest", min(possible)), ("highest", max(possible))) if possible else ()
        if totals and not possible:
            problems = (*without_open_winning_tile(problems), not_complete())
        return Score(
            self.id,
            complete=bool(possible),
            legal=False,
            total=0,
            unit="fan",
            problems=problems,
            details=details,
        )


@cache
def _payments(base: int, total: int, payer: str) -> tuple[Payment, ...]:
    if payer == "each":
        return (Payment("each", 3, base + total, f"{base} + {total}"),)
    return (
        Payment(payer, 1, base + total, f"{base} + {total}"),
        Payment("others", 2, base, str(base)),
    )


def flower_count(hand: Hand, circumstances: Circumstances) -> int:
    """Count the flowers: the count given, else those shown."""
    given = circumstances.flowers
    return len(hand.flowers) if given is None else max(given, 0)


MCR: tuple[McrRules, ...] = tuple(McrRules(profile) for profile in PROFILES)
"""mcr-1998 (the default), mcr-2006, mcr-handbook."""

_BY_ID = {rules.id: rules for rules in MCR}


def rules_by_id(rules: str) -> McrRules:
    """Return the MCR rule set with this id.

    Raises:
        KeyError: if there is none.
    """
    return _BY_ID[rules]
