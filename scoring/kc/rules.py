"""Scoring a finished hand under KC v2.5 (kc-2.5): factors multiply, and only the caps on money stop them (3.1, 3.2).

Every reading of the hand is scored and the dearest counts. Within a reading the dearest pattern is taken first and leaves out what
its clause excludes; patterns that never stand together (字一色 and the dragon and wind hands) are tried both ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import prod

from scoring.hand import Circumstances, Hand
from scoring.hand_checks import errors_first, has_errors, shape_can_be_judged
from scoring.kc.legality import CIRCUMSTANCES, IN_PLAY, NAME_EN, NAME_ZH, find_problems, no_fan, not_complete
from scoring.kc.pattern import Hit, Pattern
from scoring.kc.patterns_sets import SET_PATTERNS
from scoring.kc.patterns_tiles import TILE_PATTERNS
from scoring.kc.patterns_win import WIN_PATTERNS
from scoring.kc.payments import HEAVENLY_PAYMENT, STREAK_STEP, Caps, payments
from scoring.kc.reading import KcOptions, Reading, readings
from scoring.result import ExcludedFan, FanLine, Principle, Problem, RunnerUp, Score
from scoring.tiles import Tile

PATTERNS: tuple[Pattern, ...] = (*WIN_PATTERNS, *SET_PATTERNS, *TILE_PATTERNS)
"""Every pattern of 3.2 but 天和, which pays a fixed sum."""

_BY_ID = {pattern.id: pattern for pattern in PATTERNS}

_Found = tuple[Pattern, Hit]


def _heavenly(reading: Reading) -> Hit | None:
    if not reading.circumstances.heavenly_win:
        return None
    return Hit("The dealer won with the dealt tiles: each of the three pays the fixed sum.", "庄家抓牌即和，三家各付封顶数。")


HEAVENLY_WIN = Pattern("heavenly_win", "天和", "heavenly win", HEAVENLY_PAYMENT, "顶番", _heavenly)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A reading, what counts in it, and what does not."""

    reading: Reading
    counted: tuple[_Found, ...]
    excluded: tuple[ExcludedFan, ...]

    @property
    def total(self) -> int:
        return prod(pattern.times**hit.count for pattern, hit in self.counted)


@dataclass(frozen=True, slots=True)
class KcRules:
    """The rule set kc-2.5; see `scoring.result.RuleSet`."""

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
        """Score a hand: the multiplier in `total` (200 for 天和), chips in the payments. Never raises."""
        problems = find_problems(hand, circumstances)
        ranked = sorted((_score_reading(r) for r in readings(hand, circumstances, self.options)), key=_order)
        if not ranked:
            found = errors_first(iter((*problems, not_complete()))) if shape_can_be_judged(problems) else problems
            return Score(self.id, complete=False, legal=False, total=0, unit="times", problems=found)
        best = ranked[0]
        if best.total < self.minimum:
            problems = (no_fan(), *problems)
        return self._answer(best, ranked[1:], problems)

    def _answer(self, best: _Scored, others: Sequence[_Scored], problems: tuple[Problem, ...]) -> Score:
        circumstances = best.reading.circumstances
        legal = not has_errors(problems)
        caps = Caps(self.options.payer_cap, self.options.discard_cap)
        paid = payments(best.total, circumstances, caps) if legal else ()
        return Score(
            rules=self.id,
            complete=True,
            legal=legal,
            total=best.total,
            unit="times",
            fans=_fan_lines(best.counted),
            excluded=best.excluded,
            split=best.reading.parts,
            payments=paid,
            winner_receives=sum(p.count * p.amount for p in paid),
            problems=problems,
            runner_up=_runner_up(others),
            details=(("multiplier", best.total), ("streak_bonus", STREAK_STEP * max(0, circumstances.dealer_streak))),
        )


@cache
def _patterns(options: KcOptions) -> tuple[Pattern, ...]:
    """The patterns with the house's factors, dearest first by the text's own factors: what excludes comes before the excluded."""
    factors = dict(options.times)
    ordered = sorted(PATTERNS, key=lambda pattern: -pattern.times)
    return tuple(replace(p, times=factors.get(p.id, p.times)) for p in ordered)


def _order(scored: _Scored) -> tuple[int, int]:
    """Dearest first; of equal totals the one with the dearest single pattern (连七对 before 二杯口 and 清一色)."""
    return -scored.total, -max((pattern.times for pattern, _ in scored.counted), default=0)


def _score_reading(reading: Reading) -> _Scored:
    hits = tuple((pattern, hit) for pattern in _patterns(reading.options) if (hit := pattern.find(reading)) is not None)
    found = tuple((pattern, hit) for pattern, hit in hits if pattern.id not in reading.options.off)
    heavenly = HEAVENLY_WIN.find(reading)
    if heavenly is not None:
        swallowed = tuple(
            _left_out(
                p,
                hit,
                Principle.HIGH_NOT_LOW,
                HEAVENLY_WIN,
                "天和 pays a fixed sum, whatever else the hand has.",
                "天和为固定封顶数，他番不再计。",
            )
            for p, hit in found
        )
        return _Scored(reading, ((HEAVENLY_WIN, heavenly),), swallowed)
    missed = (*_switched_off(hits, reading.options), *_near_misses(reading))
    variants = [_apply_exclusions(reading, kept, (*dropped, *missed)) for kept, dropped in _without_rivals(found)]
    return max(variants, key=lambda scored: scored.total)


def _without_rivals(found: tuple[_Found, ...]) -> Iterator[tuple[tuple[_Found, ...], tuple[ExcludedFan, ...]]]:
    """The ways to keep one side where patterns never count together; the dearer pattern first, which stands if totals are equal."""
    ids = {pattern.id for pattern, _ in found}
    sides = next(((p.id, set(p.rivals) & ids) for p, _ in found if set(p.rivals) & ids), None)
    if sides is None:
        yield found, ()
        return
    one, rivals = sides
    for dropped, kept_id in ((rivals, one), ({one}, min(rivals))):
        kept = tuple(f for f in found if f[0].id not in dropped)
        yield kept, tuple(_rival(p, hit, _BY_ID[kept_id]) for p, hit in found if p.id in dropped)


def _rival(pattern: Pattern, hit: Hit, by: Pattern) -> ExcludedFan:
    return _left_out(
        pattern,
        hit,
        Principle.EXCLUDED,
        by,
        f"It does not count together with {by.en}; the one that brings more stays.",
        f"与{by.zh}不并计，取较大的一种。",
    )


def _apply_exclusions(reading: Reading, found: tuple[_Found, ...], dropped: tuple[ExcludedFan, ...]) -> _Scored:
    counted: list[_Found] = []
    excluded: list[ExcludedFan] = []
    reasons: dict[str, tuple[Principle, Pattern]] = {}
    for pattern, hit in found:
        if pattern.id in reasons:
            excluded.append(_explain(pattern, hit, *reasons[pattern.id]))
            continue
        counted.append((pattern, hit))
        for exclusion in pattern.excludes:
            reasons.setdefault(exclusion.id, (exclusion.principle, pattern))
    return _Scored(reading, tuple(counted), (*excluded, *dropped))


def _explain(pattern: Pattern, hit: Hit, principle: Principle, by: Pattern) -> ExcludedFan:
    if principle is Principle.NON_REPEAT:
        en, zh = f"{by.en.capitalize()} cannot be without it.", f"{by.zh}必然包含此番，不再计。"
    else:
        en, zh = f"The clause of {by.en} says that it is not added.", f"{by.zh}条文规定不另计此番。"
    return _left_out(pattern, hit, principle, by, en, zh)


def _switched_off(hits: Sequence[_Found], options: KcOptions) -> Iterator[ExcludedFan]:
    for p, hit in hits:
        if p.id in options.off:
            en, zh = "The house rules switch it off.", "约定不计此番。"
            yield ExcludedFan(p.id, p.zh, p.en, p.times, hit.count, p.clause, Principle.HOUSE, None, en, zh)


def _near_misses(reading: Reading) -> Iterator[ExcludedFan]:
    for pattern in PATTERNS:
        miss = pattern.near_miss(reading) if pattern.near_miss else None
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


def _left_out(pattern: Pattern, hit: Hit, principle: Principle, by: Pattern, en: str, zh: str) -> ExcludedFan:
    return ExcludedFan(pattern.id, pattern.zh, pattern.en, pattern.times, hit.count, pattern.clause, principle, by.id, en, zh)


def _fan_lines(counted: Sequence[_Found]) -> tuple[FanLine, ...]:
    return tuple(FanLine(p.id, p.zh, p.en, p.times, hit.count, hit.parts, p.clause, hit.why_en, hit.why_zh) for p, hit in counted)


def _runner_up(others: Sequence[_Scored]) -> RunnerUp | None:
    if not others:
        return None
    second = others[0]
    return RunnerUp(second.reading.parts, second.total, tuple((p.zh, hit.count) for p, hit in second.counted))


KC_2_5 = KcRules()
