"""The words of an answer: the fan that count, those that do not and why, the parts of the split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import combinations, groupby

from hupai.scoring.mcr.citations import citation, ruling
from hupai.scoring.mcr.combination_choice import excluded_candidates
from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape
from hupai.scoring.mcr.decompositions.parts import Part
from hupai.scoring.mcr.evaluation import Evaluation, Found, counts
from hupai.scoring.mcr.exclusions import CHICKEN, FLOWERS, CompiledProfile, bits
from hupai.scoring.mcr.fans import ALL, INDEX, Aspect, Fan, Occurrences
from hupai.scoring.mcr.fans.definition import WHOLE, Excludes, arrangement_of
from hupai.scoring.notation import format_tiles
from hupai.scoring.result import ExcludedFan, FanLine, Principle, Reasons, RunnerUp, SetPart
from hupai.scoring.tiles import CODES, ZH_NAMES


def reasons(compiled: CompiledProfile, ranked: list[Evaluation], flowers: int) -> Reasons:
    """Explain the highest-scoring decomposition, the first of `ranked`."""
    best = ranked[0]
    parts = best.decomposition.parts
    rival = next((other for other in ranked[1:] if other.decomposition.parts != parts), None)
    return Reasons(
        fan_lines(compiled, best, flowers),
        excluded(compiled, best, rival),
        split(best.decomposition),
        None if rival is None else runner_up(compiled, rival, flowers),
    )


def split(decomposition: Decomposition) -> tuple[SetPart, ...]:
    """Return the parts as the score shows them."""
    parts = [part.shown for part in decomposition.parts]
    parts[decomposition.win_part] = decomposition.parts[decomposition.win_part].shown_won
    return tuple(parts)


def fan_lines(
    compiled: CompiledProfile, evaluation: Evaluation, flowers: int
) -> tuple[FanLine, ...]:
    """List what counts, highest points first, flowers last."""
    decomposition = evaluation.decomposition
    written = _lines_of_the_whole(compiled, decomposition.shape is Shape.KNITTED_STRAIGHT)
    lines: list[FanLine] = []
    places: dict[int, Occurrences] | None = None
    in_part = [target for target, _, _ in evaluation.partial]
    for index in compiled.by_rank(evaluation.kept):
        line = written[index]
        if line is not None and index not in in_part:
            lines.append(line)
            continue
        if places is None:
            places = _places(evaluation)
        if where := places[index]:
            lines.append(_line(compiled, index, where, decomposition))
    if not lines and compiled.points[CHICKEN]:
        lines.append(_whole_line(compiled, CHICKEN, False))
    if flowers and compiled.points[FLOWERS]:
        lines.append(_line(compiled, FLOWERS, ((),) * flowers, decomposition))
    return tuple(lines)


MEMORY = 1 << 16
"""Cache size of each of these functions, so that the memory of a service is bounded."""


@cache
def _lines_of_the_whole(compiled: CompiledProfile, knitted: bool) -> tuple[FanLine | None, ...]:
    """List the line of each fan of the whole hand, or of the win; None for one that names tiles."""
    return tuple(
        [
            None
            if fan.test is None or index in _NAMES_WIN
            else _whole_line(compiled, index, knitted)
            for index, fan in enumerate(ALL)
        ]
    )


def _places(evaluation: Evaluation) -> dict[int, Occurrences]:
    """Return where each fan found occurs, without the occurrences that another excludes."""
    places: dict[int, Occurrences] = {}
    for found in evaluation.found:
        places.update(found.occurrences)
    for target, _, number in evaluation.partial:
        places[target] = places[target][number:]
    return places


def excluded(
    compiled: CompiledProfile, evaluation: Evaluation, rival: Evaluation | None
) -> tuple[ExcludedFan, ...]:
    """List fan that the hand shows but that do not count.

    First those that this decomposition excludes, then those that only its best rival has.
    """
    lines = _excluded_lines(compiled, evaluation)
    if rival is not None:
        lines += tuple(_only_in_rival(compiled, evaluation, rival))
    if compiled.switched_off:
        lines += tuple(_house_rules(compiled, evaluation.decomposition))
    return lines


def _only_in_rival(
    compiled: CompiledProfile, evaluation: Evaluation, rival: Evaluation
) -> Iterator[ExcludedFan]:
    """Yield fan that count in the rival and that this decomposition does not show.

    Named with them is the fan of the highest points that counts here and not in the rival.
    """
    counted, others = counts(compiled, evaluation), counts(compiled, rival)
    shown = set(counted)
    for found in evaluation.found:
        shown |= {*found.occurrences, *(dropped.fan for dropped in found.dropped)}
        shown |= {INDEX[candidate.fan.id] for candidate in found.possible}
    ranked = sorted(counted, key=compiled.rank.__getitem__)
    only_here = (i for i in ranked if len(counted[i]) > len(others.get(i, ())))
    best = next(only_here, ranked[0] if ranked else None)
    for index, where in others.items():
        if index not in shown:
            yield _excluded_fan(compiled, index, len(where), Principle.HIGH_NOT_LOW, best)


def _excluded_lines(compiled: CompiledProfile, evaluation: Evaluation) -> tuple[ExcludedFan, ...]:
    """List what the aspects and the exclusions exclude, highest points first."""
    in_aspects: tuple[tuple[_Reason, int], ...] = ()
    for found in evaluation.found:
        if found.dropped:
            in_aspects += tuple(_dropped(compiled, found, evaluation.kept))
        if len(found.possible) > len(found.chosen):
            in_aspects += _not_chosen(compiled, found)
    if not in_aspects and evaluation.mask == evaluation.kept and not evaluation.partial:
        return ()
    return _excluded_by_rank(
        compiled, evaluation.mask, in_aspects, evaluation.partial, evaluation.repeats
    )


@lru_cache(maxsize=MEMORY)
def _excluded_by_rank(
    compiled: CompiledProfile,
    mask: int,
    in_aspects: tuple[tuple[_Reason, int], ...],
    partial: tuple[tuple[int, int, int], ...],
    repeats: tuple[tuple[int, int], ...],
) -> tuple[ExcludedFan, ...]:
    """List what aspects and clauses exclude, highest points first."""
    further = dict(repeats)
    merged = dict[_Reason, int]()
    for reason, times in in_aspects:
        merged[reason] = merged.get(reason, 0) + times
    for index, by in compiled.exclusions(mask):
        reason = index, _principle(compiled, index, by), by
        merged[reason] = merged.get(reason, 0) + 1 + further.get(index, 0)
    for index, by, number in partial:
        reason = index, _principle(compiled, index, by), by
        merged[reason] = merged.get(reason, 0) + min(number, 1 + further.get(index, 0))
    rank = compiled.rank
    order = sorted(merged, key=lambda reason: rank[reason[0]])
    return tuple(
        [_excluded_fan(compiled, fan, merged[fan, why, by], why, by) for fan, why, by in order]
    )


def runner_up(compiled: CompiledProfile, rival: Evaluation, flowers: int) -> RunnerUp:
    """Return the best split that was not chosen, flowers included as in the total."""
    lines = fan_lines(compiled, rival, flowers)
    return RunnerUp(
        split(rival.decomposition),
        compiled.profile.capped(rival.points) + flowers * compiled.points[FLOWERS],
        tuple((f.zh, f.count) for f in lines),
        tuple(f.en for f in lines),
    )


_Reason = tuple[int, Principle, int]


def _dropped(compiled: CompiledProfile, found: Found, kept: int) -> Iterator[tuple[_Reason, int]]:
    """Yield what an aspect itself excludes."""
    for dropped in found.dropped:
        why, by = _by_what_counts(compiled, dropped.fan, dropped.by, kept)
        yield (dropped.fan, why, by), len(dropped.occurrences)


@lru_cache(maxsize=MEMORY)
def _not_chosen(compiled: CompiledProfile, found: Found) -> tuple[tuple[_Reason, int], ...]:
    """List the combinations of an aspect that the choice left out."""
    reasons: list[tuple[_Reason, int]] = []
    for out in excluded_candidates(found.possible, found.chosen):
        fan, by = INDEX[out.candidate.fan.id], INDEX[out.by.id]
        why = out.principle
        if _excluding_rule(compiled, fan, by) is not None and why in _BY_CLAUSE:
            why = _principle(compiled, fan, by)
        reasons.append(((fan, why, by), 1))
    return tuple(reasons)


@cache
def _excluding_rule(compiled: CompiledProfile, fan: int, by: int) -> Excludes | None:
    """Return the rule by which a fan excludes another under a profile, if it does."""
    switches = compiled.profile.switches
    return next(
        (one for one in ALL[by].excludes if one.fan == ALL[fan].id and one.applies(switches)), None
    )


@cache
def _principle(compiled: CompiledProfile, fan: int, by: int) -> Principle:
    rule = _excluding_rule(compiled, fan, by)
    return Principle.NON_REPEAT if rule is None else citation(compiled.profile, ALL[by], rule)[0]


_BY_CLAUSE = (Principle.EXCLUDED, Principle.NON_REPEAT)
"""Principles that a clause of a fan decides, and not the choice of sets."""


def _by_what_counts(
    compiled: CompiledProfile, fan: int, by: int, kept: int
) -> tuple[Principle, int]:
    """Name a fan that counts and excludes this one, where `by` itself does not count."""
    seen = {by}
    while not kept >> by & 1:
        counting = [i for i in bits(kept) if _excluding_rule(compiled, fan, i) is not None]
        larger = [i for i in bits(kept) if _excluding_rule(compiled, by, i) is not None]
        following = next(iter(counting or larger), by)
        if following in seen:
            break
        by = following
        seen.add(by)
    return _principle(compiled, fan, by), by


def _house_rules(compiled: CompiledProfile, decomposition: Decomposition) -> Iterator[ExcludedFan]:
    """Yield fan that the hand has and a house rule takes away."""
    for fan in compiled.switched_off:
        times = _occurrences(fan, decomposition)
        if times:
            yield _excluded_fan(compiled, INDEX[fan.id], times, Principle.HOUSE, None)


def _occurrences(fan: Fan, decomposition: Decomposition) -> int:
    """Count how often a decomposition has a fan, excluded or not; combinations once at most."""
    if decomposition.shape not in fan.shapes:
        return 0
    if fan.test is not None:
        return int(fan.test(decomposition))
    if fan.find is not None:
        return len(fan.find(decomposition))
    parts = decomposition.pungs if fan.aspect is Aspect.PUNGS else decomposition.chows
    return (
        int(any(fan.matches(arrangement_of(sets)) for sets in combinations(parts, fan.size)))
        if fan.matches
        else 0
    )


def _line(
    compiled: CompiledProfile, index: int, where: Occurrences, decomposition: Decomposition
) -> FanLine:
    """Write the line of a fan that occurs there."""
    parts = decomposition.parts
    used = (
        tuple([tuple([parts[place] for place in places]) for places in where]) if where[0] else ()
    )
    win = decomposition.win.tile if index in _NAMES_WIN else 0
    return _worded(compiled, index, tuple(where), used, win)


_NAMES_WIN = frozenset(INDEX[fan.id] for fan in ALL if "{win}" in fan.why[0])


def _sentences(why: tuple[str, str]) -> tuple[str, str]:
    return why[0][0].upper() + why[0][1:] + ".", why[1] + "。"


_WHY = tuple(_sentences(fan.why) for fan in ALL)


@cache
def _whole_line(compiled: CompiledProfile, index: int, knitted: bool) -> FanLine:
    line = _worded(compiled, index, WHOLE, (), 0)
    beside = ALL[index].why_knitted if knitted else None
    if beside is None:
        return line
    english, chinese = _sentences(beside)
    return replace(line, why_en=english, why_zh=chinese)


@lru_cache(maxsize=MEMORY)
def _worded(
    compiled: CompiledProfile,
    index: int,
    where: Occurrences,
    used: tuple[tuple[Part, ...], ...],
    win: int,
) -> FanLine:
    """Write a line of the answer; the tiles of each occurrence are set off by semicolons."""
    fan = ALL[index]
    english, chinese = _WHY[index]
    if used:
        english = english.replace("{parts}", "; ".join(dict.fromkeys(map(_codes, used))))
        chinese = chinese.replace("{parts}", "；".join(dict.fromkeys(map(_names, used))))
    if index in _NAMES_WIN:
        english = english.replace("{win}", CODES[win])
        chinese = chinese.replace("{win}", ZH_NAMES[win])
    return FanLine(
        fan.id,
        compiled.names[index],
        fan.en,
        compiled.points[index],
        len(where),
        tuple(sorted({place for places in where for place in places})) if used else (),
        compiled.clauses[index],
        english,
        chinese,
    )


@cache
def _excluded_fan(
    compiled: CompiledProfile, index: int, times: int, principle: Principle, by: int | None
) -> ExcludedFan:
    fan = ALL[index]
    other = None if by is None else ALL[by]
    english, chinese = _sentence(compiled, fan, principle, other)
    return ExcludedFan(
        fan.id,
        compiled.names[index],
        fan.en,
        compiled.profile.points_of(fan) or fan.points,
        times,
        compiled.clauses[index],
        principle,
        None if other is None else other.id,
        english,
        chinese,
    )


def _sentence(
    compiled: CompiledProfile, fan: Fan, principle: Principle, by: Fan | None
) -> tuple[str, str]:
    zh = compiled.names[INDEX[fan.id]]
    if by is None:
        return (
            f"{fan.en} is switched off in {compiled.profile.name_en}.",
            f"本场规则不计{zh}。",
        )
    by_zh = compiled.names[INDEX[by.id]]
    rule = _excluding_rule(compiled, INDEX[fan.id], INDEX[by.id])
    if principle is Principle.RULING:
        return ruling(by, fan, by_zh, zh)
    clause, clause_in_zh = ("", "") if rule is None else citation(compiled.profile, by, rule)[1:]
    return {
        Principle.EXCLUDED: (
            f"{by.en} excludes it by name ({clause}).",
            f"{by_zh}明文不计{zh}（{clause_in_zh}）。",
        ),
        Principle.NON_REPEAT: (
            f"{by.en} contains it, so it is not counted again.",
            f"{by_zh}已包含{zh}，不重复计。",
        ),
        Principle.NON_SEPARATION: (
            f"Its sets already make {by.en} and are not taken apart for another fan.",
            f"各副已组成{by_zh}，不再拆开另计。",
        ),
        Principle.NON_IDENTICAL: (
            f"One of its sets has already made a {fan.en} and does not make another.",
            f"其中一副已计过{zh}，不再与他副重计。",
        ),
        Principle.HIGH_NOT_LOW: (
            f"The same tiles also make {by.en}, and the dearer choice counts.",
            f"同样的牌可计{by_zh}，从高计。",
        ),
        Principle.COMBINE_ONCE: (
            f"Its sets are combined already, {by.en} among them, and a set left over joins them "
            "only once.",
            f"各副已组合（如{by_zh}），余下一副只可套算一次。",
        ),
        Principle.HOUSE: ("", ""),
    }[principle]


@lru_cache(maxsize=MEMORY)
def _codes(parts: tuple[Part, ...]) -> str:
    return " ".join(dict.fromkeys(map(part_code, parts)))


@lru_cache(maxsize=MEMORY)
def _names(parts: tuple[Part, ...]) -> str:
    return "、".join(dict.fromkeys(map(part_name, parts)))


@cache
def part_code(part: Part) -> str:
    """Write the tiles of a part in the project's notation: ``123m``, ``EEE``."""
    return format_tiles(part.tiles)


@cache
def part_name(part: Part) -> str:
    """Write the tiles of a part in Chinese, digits before their suit: ``一二三万``, ``东东东``."""
    names = [ZH_NAMES[tile] for tile in part.tiles]
    runs = groupby(names, key=lambda name: name[1:])
    return "".join("".join(name[0] for name in run) + suit for suit, run in runs)
