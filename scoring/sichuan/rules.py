"""Scoring a finished hand under T/TFMJ 01-2024 (sichuan-2024).

Of all decompositions of the hand the highest-scoring counts (10.4.1 a). Fan are added, the sum
stops at three, and the base points are two to that power: 1, 2, 4 or 8 (10.1.1, 10.1.2). A
self-drawn win pays one point more from each payer, outside the cap (10.2.4 a).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.checks.hand import errors_first, has_errors, shape_can_be_judged
from hupai.scoring.decomposition.shapes import Shape, splits, tile_counts
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import (
    ExcludedFan,
    FanLine,
    Payment,
    Principle,
    Problem,
    RunnerUp,
    Score,
    SetPart,
    Step,
)
from hupai.scoring.sichuan.legality import CIRCUMSTANCES, IN_PLAY, NAME_EN, NAME_ZH, find_problems
from hupai.scoring.sichuan.patterns import PATTERNS, Decomposition, Hit, Pattern, SichuanOptions
from hupai.scoring.tiles import Tile

CAP = SichuanOptions().cap
"""The sum of fan stops here (10.1.1)."""

_SHAPES = frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS})


@dataclass(frozen=True, slots=True)
class _Scored:
    """A decomposition with what was found in it, in the order of the table.

    `off` is what the house does not count.
    """

    decomposition: Decomposition
    found: tuple[tuple[Pattern, Hit], ...]
    off: tuple[tuple[Pattern, Hit], ...]

    @property
    def fan_sum(self) -> int:
        return sum(pattern.fan * hit.count for pattern, hit in self.found)


def base_points(fan_sum: int, cap: int = CAP) -> int:
    """Return the points of a sum of fan: 1, 2, 4, 8 and no more (10.1.1, 10.1.2)."""
    return 1 << min(fan_sum, cap)


def payments(
    base: int, circumstances: Circumstances, self_draw_points: int = 1
) -> tuple[Payment, ...]:
    """Say who pays a win (10.2.4).

    If self-drawn, every player who has not won pays; otherwise, who discarded or was robbed.
    """
    if circumstances.self_drawn:
        payers = (
            min(circumstances.opponents, 2)
            if circumstances.partner_play
            else circumstances.opponents
        )
        return (Payment("each", payers, base + self_draw_points, f"{base} + {self_draw_points}"),)
    payer = "robbed" if circumstances.robbing_kong else "discarder"
    return (Payment(payer, 1, base, str(base)),)


@dataclass(frozen=True, slots=True)
class SichuanRules:
    """The rule set sichuan-2024; see `hupai.scoring.result.RuleSet`."""

    id: str = "sichuan-2024"
    name_en: str = NAME_EN
    name_zh: str = NAME_ZH
    minimum: int = 1
    circumstances: tuple[str, ...] = CIRCUMSTANCES
    tiles: frozenset[Tile] = IN_PLAY
    options: SichuanOptions = field(default_factory=SichuanOptions)

    def score(self, hand: Hand, circumstances: Circumstances) -> Score:
        """Score a hand: base points in `total`; `details` has fan_sum, capped_fan and what a payer
        pays. Never raises.
        """
        problems = find_problems(hand, circumstances)
        ranked = _ranked_decompositions(hand, circumstances, self.options)
        if not ranked:
            return Score(
                self.id,
                complete=False,
                legal=False,
                total=0,
                unit="points",
                problems=_with_shape(problems),
            )
        best = ranked[0]
        cap = self.options.cap
        base = base_points(best.fan_sum, cap)
        legal = not has_errors(problems)
        paid = payments(base, circumstances, self.options.self_draw_points) if legal else ()
        return Score(
            rules=self.id,
            complete=True,
            legal=legal,
            total=base,
            unit="points",
            fans=_fan_lines(best),
            excluded=_excluded(best),
            split=best.decomposition.split.parts,
            payments=paid,
            winner_receives=sum(p.count * p.amount for p in paid),
            problems=problems,
            runner_up=_runner_up(ranked, cap),
            details=(
                ("fan_sum", best.fan_sum),
                ("capped_fan", min(best.fan_sum, cap)),
                ("base_points", base),
                *((f"{p.payer}_pays", p.amount) for p in paid),
            ),
            steps=_steps(best, cap, base, circumstances, self.options.self_draw_points),
        )


def _steps(
    best: _Scored, cap: int, base: int, circumstances: Circumstances, self_draw_points: int
) -> tuple[Step, ...]:
    """Return how fan become points: their sum, the cap, the doubling, what each payer pays (10.1.1,
    10.1.2, 10.2.4).
    """
    addends = [str(p.fan) for p, hit in best.found for _ in range(hit.count) if p.fan]
    formula = " + ".join(addends) if len(addends) > 1 else ""
    total = min(best.fan_sum, cap)
    steps = [Step("fan_sum", "sum of fan", "番数合计", "fan", best.fan_sum, formula)]
    if best.fan_sum > cap:
        steps.append(
            Step("cap", f"at most {cap} fan (10.1.1)", f"{cap}番封顶（10.1.1）", "fan", total)
        )
    steps.append(
        Step(
            "base_points",
            "base points, doubled by each fan",
            "基本分，每番加倍",
            "points",
            base,
            f"2^{total}",
        )
    )
    if circumstances.self_drawn and self_draw_points:
        steps.append(
            Step(
                "self_draw",
                "self-drawn: each payer adds the basic point (10.2.4 a)",
                "自摸：每家另付底分（10.2.4）",
                "points",
                base + self_draw_points,
                f"{base} + {self_draw_points}",
            )
        )
    return tuple(steps)


def _ranked_decompositions(
    hand: Hand, circumstances: Circumstances, options: SichuanOptions
) -> list[_Scored]:
    counts = tile_counts(hand.all_tiles)
    found = splits(hand, _SHAPES, claimed=not circumstances.self_drawn)
    scored = [
        _score_decomposition(Decomposition(hand, circumstances, options, split, counts))
        for split in found
    ]
    return sorted(scored, key=lambda s: -s.fan_sum)


@cache
def _patterns(options: SichuanOptions) -> tuple[Pattern, ...]:
    """Return the patterns with the house's values."""
    values = dict(options.fan)
    return tuple(replace(p, fan=values.get(p.id, p.fan)) for p in PATTERNS)


def _score_decomposition(decomposition: Decomposition) -> _Scored:
    off = decomposition.options.off
    hits = [
        (pattern, hit)
        for pattern in _patterns(decomposition.options)
        if (hit := pattern.find(decomposition)) is not None
    ]
    found = [(pattern, hit) for pattern, hit in hits if pattern.id not in off]
    alone = not any(pattern.fan for pattern, _ in found)
    counted = tuple((p, hit) for p, hit in found if alone or not p.only_alone)
    return _Scored(decomposition, counted, tuple((p, hit) for p, hit in hits if p.id in off))


def _fan_lines(scored: _Scored) -> tuple[FanLine, ...]:
    lines = [
        FanLine(p.id, p.zh, p.en, p.fan, hit.count, hit.parts, p.clause, hit.why_en, hit.why_zh)
        for p, hit in scored.found
    ]
    return tuple(sorted(lines, key=lambda line: -line.points))


def _excluded(best: _Scored) -> tuple[ExcludedFan, ...]:
    """Return what the house has switched off, and near misses.

    Fan of a lower-scoring decomposition stand in the runner-up: 平和 apart, none has a fan that the
    highest-scoring one lacks.
    """
    missed = [
        (p, miss)
        for p in PATTERNS
        if p.near_miss is not None and (miss := p.near_miss(best.decomposition)) is not None
    ]
    return (
        *(
            _excluded_fan(
                p, hit, Principle.HOUSE, "The house rules switch it off.", "约定不计此番。"
            )
            for p, hit in best.off
        ),
        *(
            _excluded_fan(p, miss, Principle.CONDITION, miss.why_en, miss.why_zh)
            for p, miss in missed
        ),
    )


def _excluded_fan(p: Pattern, hit: Hit, principle: Principle, en: str, zh: str) -> ExcludedFan:
    return ExcludedFan(p.id, p.zh, p.en, p.fan, hit.count, p.clause, principle, None, en, zh)


def _runner_up(ranked: Sequence[_Scored], cap: int) -> RunnerUp | None:
    if len(ranked) < 2:
        return None
    second = ranked[1]
    parts: tuple[SetPart, ...] = second.decomposition.split.parts
    return RunnerUp(
        parts,
        base_points(second.fan_sum, cap),
        tuple((p.zh, hit.count) for p, hit in second.found),
        tuple(p.en for p, _ in second.found),
    )


def _with_shape(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Say that the shape is wrong, unless a problem with the tiles already does."""
    if not shape_can_be_judged(problems):
        return problems
    wrong = problem(
        "not_complete",
        "The tiles make neither four sets and a pair nor seven pairs (9.2): check the tiles.",
        "手牌既不是四副加一对将，也不是七对（9.2）：请核对。",
    )
    return errors_first((*problems, wrong))


SICHUAN_2024 = SichuanRules()
