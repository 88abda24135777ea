"""The words of an answer: the fan that count, those that do not and why, the parts of the split."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations, groupby

from hupai.scoring.mcr.combination_choice import left_out
from hupai.scoring.mcr.decomposition import Reading
from hupai.scoring.mcr.evaluation import Evaluation, Found, counts
from hupai.scoring.mcr.exclusions import FLOWERS, Ledger, Settled
from hupai.scoring.mcr.fans import ALL, INDEX, Aspect, Fan, Occurrences
from hupai.scoring.mcr.fans.definition import WHOLE, together
from hupai.scoring.mcr.parts import Part
from hupai.scoring.notation import format_tiles
from hupai.scoring.result import ExcludedFan, FanLine, Principle, Reasons, RunnerUp, SetPart
from hupai.scoring.tiles import CODES, ZH_NAMES


def reasons(ledger: Ledger, ranked: list[Evaluation], flowers: int) -> Reasons:
    """What there is to say about the dearest reading, the first of `ranked`."""
    best = ranked[0]
    rival = next((other for other in ranked if other.reading.parts != best.reading.parts), None)
    return Reasons(
        fan_lines(ledger, best, flowers),
        excluded(ledger, best, rival),
        split(best.reading),
        None if rival is None else runner_up(ledger, rival, flowers),
    )


def split(reading: Reading) -> tuple[SetPart, ...]:
    """The parts as the score shows them."""
    return tuple([part.as_set_part(i == reading.win_part) for i, part in enumerate(reading.parts)])


def fan_lines(ledger: Ledger, evaluation: Evaluation, flowers: int) -> tuple[FanLine, ...]:
    """What counts, dearest first, flowers last."""
    reading = evaluation.reading
    counted = counts(ledger, evaluation)
    lines = [
        _line(ledger, index, counted[index], reading)
        for index in sorted(counted, key=ledger.rank.__getitem__)
    ]
    if flowers and ledger.points[FLOWERS]:
        lines.append(_line(ledger, FLOWERS, ((),) * flowers, reading))
    return tuple(lines)


def excluded(
    ledger: Ledger, evaluation: Evaluation, rival: Evaluation | None
) -> tuple[ExcludedFan, ...]:
    """Fan that the hand shows but that do not count: those this reading leaves out, then those only
    its best rival has.
    """
    lines = _left_out_of(ledger, evaluation.found, evaluation.settled)
    if rival is not None:
        counted = counts(ledger, evaluation)
        shown = set(counted) | {
            index for found in evaluation.found for index, _ in found.occurrences
        }
        dearest = min(counted, key=ledger.rank.__getitem__, default=None)
        for index, where in counts(ledger, rival).items():
            if index not in shown:
                lines += (_left_out(ledger, index, len(where), Principle.HIGH_NOT_LOW, dearest),)
    if ledger.switched_off:
        lines += tuple(_house_rules(ledger, evaluation.reading))
    return lines


def _left_out_of(
    ledger: Ledger, found: tuple[Found, ...], settled: Settled
) -> tuple[ExcludedFan, ...]:
    """What the aspects and the exclusions leave out, dearest first."""
    merged = _merged(_reasons(ledger, found, settled))
    order = sorted(merged, key=lambda reason: ledger.rank[reason[0]])
    return tuple([_left_out(ledger, fan, merged[fan, why, by], why, by) for fan, why, by in order])


def runner_up(ledger: Ledger, rival: Evaluation, flowers: int) -> RunnerUp:
    """The best split that was not chosen, flowers included as in the total."""
    lines = fan_lines(ledger, rival, flowers)
    return RunnerUp(
        split(rival.reading),
        sum(line.points * line.count for line in lines),
        tuple((f.zh, f.count) for f in lines),
    )


_Reason = tuple[int, Principle, int]


def _reasons(
    ledger: Ledger, found: tuple[Found, ...], settled: Settled
) -> Iterator[tuple[_Reason, int]]:
    mask = 0
    for aspect in found:
        mask |= aspect.mask
        for dropped in aspect.dropped:
            yield (dropped.fan, dropped.principle, dropped.by), len(dropped.occurrences)
        if aspect.possible:
            for out in left_out(aspect.possible, aspect.chosen):
                yield (INDEX[out.candidate.fan.id], out.principle, INDEX[out.by.id]), 1
    if mask == settled.kept and not settled.partial:
        return
    occurrences = {i: len(where) for aspect in found for i, where in aspect.occurrences}
    for index, by in ledger.exclusions(mask):
        yield (index, _principle(index, by), by), occurrences[index]
    for index, by, number in settled.partial:
        yield (index, _principle(index, by), by), min(number, occurrences[index])


@cache
def _principle(fan: int, by: int) -> Principle:
    return next(excludes.principle for excludes in ALL[by].excludes if excludes.fan == ALL[fan].id)


def _merged(reasons: Iterator[tuple[_Reason, int]]) -> dict[_Reason, int]:
    merged: dict[_Reason, int] = {}
    for reason, times in reasons:
        merged[reason] = merged.get(reason, 0) + times
    return merged


def _house_rules(ledger: Ledger, reading: Reading) -> Iterator[ExcludedFan]:
    """Fan that the hand has and a house rule takes away."""
    for fan in ledger.switched_off:
        times = _occurrences(fan, reading)
        if times:
            yield _left_out(ledger, INDEX[fan.id], times, Principle.HOUSE, None)


def _occurrences(fan: Fan, reading: Reading) -> int:
    """How often a fan is found in a reading, whatever the ledger says of it; combinations once at
    most.
    """
    if reading.shape not in fan.shapes:
        return 0
    if fan.test is not None:
        return int(fan.test(reading))
    if fan.find is not None:
        return len(fan.find(reading))
    parts = reading.pungs if fan.aspect is Aspect.PUNGS else reading.chows
    return (
        int(any(fan.matches(together(sets)) for sets in combinations(parts, fan.size)))
        if fan.matches
        else 0
    )


def _line(ledger: Ledger, index: int, where: Occurrences, reading: Reading) -> FanLine:
    if where is WHOLE and index not in _NAMES_WIN:
        return _whole_line(ledger, index)
    parts = reading.parts
    used = (
        tuple([tuple([parts[place] for place in places]) for places in where]) if where[0] else ()
    )
    return _worded(ledger, index, where, used, reading.win.tile if index in _NAMES_WIN else 0)


_NAMES_WIN = frozenset(INDEX[fan.id] for fan in ALL if "{win}" in fan.why[0])
_WHY = tuple((fan.why[0][0].upper() + fan.why[0][1:] + ".", fan.why[1] + "。") for fan in ALL)


@cache
def _whole_line(ledger: Ledger, index: int) -> FanLine:
    return _worded(ledger, index, WHOLE, (), 0)


@lru_cache(maxsize=1 << 16)
def _worded(
    ledger: Ledger, index: int, where: Occurrences, used: tuple[tuple[Part, ...], ...], win: int
) -> FanLine:
    """A line of the answer; the tiles of each occurrence stand in one sentence, set off by
    semicolons.
    """
    fan = ALL[index]
    english, chinese = _WHY[index]
    codes = "; ".join(dict.fromkeys(map(_codes, used)))
    names = "；".join(dict.fromkeys(map(_names, used)))
    return FanLine(
        fan.id,
        fan.zh,
        fan.en,
        ledger.points[index],
        len(where),
        tuple(sorted({place for places in where for place in places})) if used else (),
        ledger.clauses[index],
        english.replace("{parts}", codes).replace("{win}", CODES[win]),
        chinese.replace("{parts}", names).replace("{win}", ZH_NAMES[win]),
    )


@cache
def _left_out(
    ledger: Ledger, index: int, times: int, principle: Principle, by: int | None
) -> ExcludedFan:
    fan = ALL[index]
    other = None if by is None else ALL[by]
    english, chinese = _sentence(ledger, fan, principle, other)
    return ExcludedFan(
        fan.id,
        fan.zh,
        fan.en,
        ledger.profile.points_of(fan) or fan.points,
        times,
        ledger.clauses[index],
        principle,
        None if other is None else other.id,
        english,
        chinese,
    )


def _sentence(ledger: Ledger, fan: Fan, principle: Principle, by: Fan | None) -> tuple[str, str]:
    if by is None:
        return (
            f"{fan.en} is switched off in {ledger.profile.name_en}.",
            f"{ledger.profile.name_zh}不计{fan.zh}。",
        )
    clause = next(
        (
            ledger.profile.clause_naming(by, excludes)
            for excludes in by.excludes
            if excludes.fan == fan.id
        ),
        "",
    )
    return {
        Principle.EXCLUDED: (
            f"{by.en} excludes it by name ({clause}).",
            f"{by.zh}明文不计{fan.zh}（{clause}）。",
        ),
        Principle.NON_REPEAT: (
            f"A hand with {by.en} has it inevitably, so it is not counted again.",
            f"有{by.zh}必有{fan.zh}，不重复计。",
        ),
        Principle.NON_SEPARATION: (
            f"Its sets already make {by.en} and are not taken apart for another fan.",
            f"各副已组成{by.zh}，不再拆开另计。",
        ),
        Principle.NON_IDENTICAL: (
            f"One of its sets has already made a {fan.en} and does not make another.",
            f"其中一副已计过{fan.zh}，不再与他副重计。",
        ),
        Principle.HIGH_NOT_LOW: (
            f"The same tiles also make {by.en}, and the dearer choice counts.",
            f"同样的牌可计{by.zh}，从高计。",
        ),
        Principle.COMBINE_ONCE: (
            f"Its sets are combined already, {by.en} among them, and a set left over joins them only once.",
            f"各副已组合（如{by.zh}），余下一副只可套算一次。",
        ),
        Principle.HOUSE: ("", ""),
    }[principle]


def _codes(parts: tuple[Part, ...]) -> str:
    return " ".join(dict.fromkeys(map(part_code, parts)))


def _names(parts: tuple[Part, ...]) -> str:
    return "、".join(dict.fromkeys(map(part_name, parts)))


@cache
def part_code(part: Part) -> str:
    """The tiles of a part in the project's notation: ``123m``, ``EEE``."""
    return format_tiles(part.tiles)


@cache
def part_name(part: Part) -> str:
    """The tiles of a part in Chinese, digits before their suit: ``123万``, ``东东东``."""
    names = [
        f"{tile.rank}{ZH_NAMES[tile][1]}" if tile.is_suited else ZH_NAMES[tile]
        for tile in part.tiles
    ]
    runs = groupby(names, key=lambda name: name[1:])
    return "".join("".join(name[0] for name in run) + suit for suit, run in runs)
