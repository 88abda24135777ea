"""Scoring a finished hand under KC v2.5 (kc-2.5).

Factors multiply, and only the caps on money stop them (3.1, 3.2). Of all decompositions of the hand
the highest-scoring counts. Within one, patterns are taken from the highest factor down, and each
excludes what its clause names. Of patterns that never count together (字一色 and the dragon and
wind hands) both choices are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial

from hupai.scoring.checks.hand import (
    errors_first,
    has_errors,
    shape_can_be_judged,
    without_open_winning_tile,
)
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.kc.decomposition import Decomposition, KcOptions, decompositions, met_by
from hupai.scoring.kc.legality import (
    CIRCUMSTANCES,
    IN_PLAY,
    NAME_EN,
    NAME_ZH,
    find_problems,
    no_fan,
    not_complete,
)
from hupai.scoring.kc.pattern import Hit, Need, Pattern
from hupai.scoring.kc.patterns.sets import SET_PATTERNS
from hupai.scoring.kc.patterns.tiles import TILE_PATTERNS
from hupai.scoring.kc.patterns.win import WIN_PATTERNS
from hupai.scoring.kc.payments import HEAVENLY_PAYMENT, STREAK_STEP, Caps, payments
from hupai.scoring.result import (
    ExcludedFan,
    FanLine,
    Principle,
    Problem,
    Reasons,
    RunnerUp,
    Score,
    answered,
)
from hupai.scoring.tiles import Tile

PATTERNS: tuple[Pattern, ...] = (*WIN_PATTERNS, *SET_PATTERNS, *TILE_PATTERNS)
"""Every pattern of 3.2 but 天和, which pays a fixed sum."""

_BY_ID = {pattern.id: pattern for pattern in PATTERNS}

_Found = tuple[Pattern, Hit]


def _heavenly(decomposition: Decomposition) -> Hit | None:
    if not decomposition.circumstances.heavenly_win:
        return None
    return Hit(
        "The dealer won with the dealt tiles: each of the three pays the fixed sum.",
        "庄家抓牌即和，三家各付封顶数。",
    )


HEAVENLY_WIN = Pattern(
    "heavenly_win", "天和", "heavenly win", HEAVENLY_PAYMENT, "顶番", _heavenly, Need.NOTHING
)


@dataclass(slots=True, eq=False)
class Scored:
    """A decomposition with its multiplier.

    Attributes:
        decomposition: the decomposition.
        total: the multiplier.
        counted: the patterns that count.
        found: all patterns that were found.
        rivals: those of them that a rival excludes, as (pattern, hit, rival).
        tied: the rivals would have brought the same total.
    """

    decomposition: Decomposition
    total: int
    counted: Sequence[_Found]
    found: Sequence[_Found]
    rivals: Sequence[tuple[Pattern, Hit, Pattern]] = ()
    tied: bool = False


@dataclass(frozen=True, slots=True)
class KcRules:
    """The rule set kc-2.5; see `hupai.scoring.result.RuleSet`."""

    id: str = "kc-2.5"
    name_en: str = NAME_EN
    name_zh: str = NAME_ZH
    circumstances: tuple[str, ...] = CIRCUMSTANCES
    tiles: frozenset[Tile] = IN_PLAY
    options: KcOptions = field(default_factory=KcOptions)

    @property
    def minimum(self) -> int:
        """The least multiplier that may win: one fan, twice the stake."""
        return self.options.minimum

    def score(self, hand: Hand, circumstances: Circumstances) -> Score:
        """Score a hand: the multiplier in `total` (200 for 天和), chips in the payments. Never
        raises.
        """
        problems = find_problems(hand, circumstances)
        ranked = [
            score_decomposition(decomposition)
            for decomposition in decompositions(hand, circumstances, self.options)
        ]
        if len(ranked) > 1:
            ranked.sort(key=_order)
        if not ranked:
            found = (
                errors_first((*without_open_winning_tile(problems), not_complete()))
                if shape_can_be_judged(problems)
                else problems
            )
            return Score(
                self.id, complete=False, legal=False, total=0, unit="times", problems=found
            )
        best = ranked[0]
        if best.total < self.minimum:
            problems = (no_fan(), *problems)
        return self._answer(best, ranked[1:], problems)

    def _answer(
        self, best: Scored, others: Sequence[Scored], problems: tuple[Problem, ...]
    ) -> Score:
        circumstances = best.decomposition.circumstances
        legal = not has_errors(problems)
        return answered(
            self.id,
            legal,
            best.total,
            "times",
            payments(
                best.total, circumstances, Caps(self.options.payer_cap, self.options.discard_cap)
            )
            if legal
            else (),
            problems,
            (
                ("multiplier", best.total),
                ("streak_bonus", STREAK_STEP * max(0, circumstances.dealer_streak)),
            ),
            partial(_reasons, best, others),
        )


def _reasons(best: Scored, others: Sequence[Scored]) -> Reasons:
    return Reasons(
        _fan_lines(best.counted),
        tuple(_excluded(best)),
        best.decomposition.parts,
        _runner_up(others),
    )


@cache
def _patterns(options: KcOptions) -> tuple[Pattern, ...]:
    """Return the patterns with the house's factors, the highest factor of the text first.

    So a pattern comes before those that it excludes.
    """
    factors = dict(options.times)
    ordered = sorted(PATTERNS, key=lambda pattern: -pattern.times)
    return tuple(replace(p, times=factors.get(p.id, p.times)) for p in ordered)


def _order(scored: Scored) -> tuple[int, int]:
    """Sort by total, highest first.

    Of equal totals the one with the highest single pattern comes first (连七对 before 二杯口 and
    清一色).
    """
    return -scored.total, -max([pattern.times for pattern, _ in scored.counted], default=0)


@lru_cache(maxsize=1 << 12)
def _applicable(options: KcOptions, has: int) -> tuple[Pattern, ...]:
    """Return the patterns whose needs are met, in the order of `_patterns`.

    They are some ten of forty-four in a common hand.
    """
    return tuple(pattern for pattern in _patterns(options) if not pattern.needs & ~has)


def score_decomposition(decomposition: Decomposition) -> Scored:
    """Find the patterns of a decomposition and count those that bring the most."""
    options = decomposition.options
    patterns = _applicable(options, decomposition.has | met_by(decomposition.circumstances))
    hits = [
        (pattern, hit) for pattern in patterns if (hit := pattern.find(decomposition)) is not None
    ]
    heavenly = HEAVENLY_WIN.find(decomposition)
    if heavenly is not None:
        return Scored(decomposition, HEAVENLY_PAYMENT, ((HEAVENLY_WIN, heavenly),), hits)
    found = (
        [(pattern, hit) for pattern, hit in hits if pattern.id not in options.off]
        if options.off
        else hits
    )
    scored = [
        _count(decomposition, hits, kept, dropped) for kept, dropped in _without_rivals(found)
    ]
    if len(scored) == 1:
        return scored[0]
    best = max(scored, key=_total)
    return replace(best, tied=all(one.total == best.total for one in scored))


def _total(scored: Scored) -> int:
    return scored.total


def _without_rivals(
    found: Sequence[_Found],
) -> list[tuple[Sequence[_Found], Sequence[tuple[Pattern, Hit, Pattern]]]]:
    """List the choices of one side where patterns never count together.

    The one that keeps the higher pattern is first, and is chosen if totals are equal.
    """
    one = next((pattern for pattern, _ in found if pattern.rivals), None)
    rivals = {pattern.id for pattern, _ in found if one is not None and pattern.id in one.rivals}
    if one is None or not rivals:
        return [(found, ())]
    ways: list[tuple[Sequence[_Found], Sequence[tuple[Pattern, Hit, Pattern]]]] = []
    for dropped, kept_id in ((rivals, one.id), ({one.id}, min(rivals))):
        kept = [(pattern, hit) for pattern, hit in found if pattern.id not in dropped]
        ways.append(
            (
                kept,
                [
                    (pattern, hit, _BY_ID[kept_id])
                    for pattern, hit in found
                    if pattern.id in dropped
                ],
            )
        )
    return ways


def _count(
    decomposition: Decomposition,
    hits: Sequence[_Found],
    found: Sequence[_Found],
    rivals: Sequence[tuple[Pattern, Hit, Pattern]],
) -> Scored:
    """Count patterns from the highest down; each removes what its clause excludes."""
    counted: list[_Found] = []
    gone: set[str] = set()
    total = 1
    for pattern, hit in found:
        if pattern.id not in gone:
            counted.append((pattern, hit))
            total *= pattern.times**hit.count
            for exclusion in pattern.excludes:
                gone.add(exclusion.id)
    return Scored(decomposition, total, counted, hits, rivals)


def _excluded(scored: Scored) -> Iterator[ExcludedFan]:
    """Yield what a decomposition shows and does not count.

    These are patterns that others contain, rivals, what the house switched off, and near misses.
    """
    options = scored.decomposition.options
    found = [(pattern, hit) for pattern, hit in scored.found if pattern.id not in options.off]
    if scored.counted and scored.counted[0][0] is HEAVENLY_WIN:
        for pattern, hit in found:
            en, zh = (
                "天和 pays a fixed sum, whatever else the hand has.",
                "天和为固定封顶数，他番不再计。",
            )
            yield _excluded_fan(pattern, hit, Principle.HIGH_NOT_LOW, HEAVENLY_WIN, en, zh)
        return
    reasons: dict[str, tuple[Principle, Pattern]] = {}
    for pattern, _ in scored.counted:
        for exclusion in pattern.excludes:
            reasons.setdefault(exclusion.id, (exclusion.principle, pattern))
    rivals = {pattern.id for pattern, _, _ in scored.rivals}
    counted = {pattern.id for pattern, _ in scored.counted}
    for pattern, hit in found:
        if pattern.id not in counted and pattern.id not in rivals:
            yield _explain(pattern, hit, *reasons[pattern.id])
    for pattern, hit, by in scored.rivals:
        en = f"It does not count together with {by.en}; "
        zh = f"与{by.zh}不并计，"
        if scored.tied:
            en, zh = f"{en}both bring the same, and {by.en} stays.", f"{zh}两者相同，取{by.zh}。"
        else:
            en, zh = f"{en}the one that brings more stays.", f"{zh}取较大的一种。"
        yield _excluded_fan(pattern, hit, Principle.EXCLUDED, by, en, zh)
    yield from _switched_off(scored.found, options)
    yield from _near_misses(scored.decomposition)


def _explain(pattern: Pattern, hit: Hit, principle: Principle, by: Pattern) -> ExcludedFan:
    if principle is Principle.NON_REPEAT:
        en, zh = f"{by.en.capitalize()} cannot be without it.", f"{by.zh}必然包含此番，不再计。"
    else:
        en, zh = f"The clause of {by.en} says that it is not added.", f"{by.zh}条文规定不另计此番。"
    return _excluded_fan(pattern, hit, principle, by, en, zh)


def _switched_off(hits: Sequence[_Found], options: KcOptions) -> Iterator[ExcludedFan]:
    for p, hit in hits:
        if p.id in options.off:
            en, zh = "The house rules switch it off.", "约定不计此番。"
            yield ExcludedFan(
                p.id, p.zh, p.en, p.times, hit.count, p.clause, Principle.HOUSE, None, en, zh
            )


def _near_misses(decomposition: Decomposition) -> Iterator[ExcludedFan]:
    for pattern in PATTERNS:
        miss = pattern.near_miss(decomposition) if pattern.near_miss else None
        if miss is not None:
            yield ExcludedFan(
                pattern.id,
                pattern.zh,
                pattern.en,
                pattern.times,
                1,
                pattern.clause,
                miss.principle,
                miss.by,
                miss.reason_en,
                miss.reason_zh,
            )


def _excluded_fan(
    pattern: Pattern, hit: Hit, principle: Principle, by: Pattern, en: str, zh: str
) -> ExcludedFan:
    return ExcludedFan(
        pattern.id,
        pattern.zh,
        pattern.en,
        pattern.times,
        hit.count,
        pattern.clause,
        principle,
        by.id,
        en,
        zh,
    )


def _fan_lines(counted: Sequence[_Found]) -> tuple[FanLine, ...]:
    return tuple(
        FanLine(p.id, p.zh, p.en, p.times, hit.count, hit.parts, p.clause, hit.why_en, hit.why_zh)
        for p, hit in counted
    )


def _runner_up(others: Sequence[Scored]) -> RunnerUp | None:
    if not others:
        return None
    second = others[0]
    return RunnerUp(
        second.decomposition.parts,
        second.total,
        tuple((p.zh, hit.count) for p, hit in second.counted),
        tuple(p.en for p, _ in second.counted),
    )


KC_2_5 = KcRules()
