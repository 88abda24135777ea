"""Why a riichi hand is worth what it is: yaku, fu, points, and what does not count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hupai.scoring.result import (
    ExcludedFan,
    FanLine,
    Principle,
    Reasons,
    RunnerUp,
    SetKind,
    SetPart,
)
from hupai.scoring.riichi.answer.fu import fu_steps
from hupai.scoring.riichi.answer.payments import point_steps
from hupai.scoring.riichi.evaluation import DoraCount, Scored, dora_of
from hupai.scoring.riichi.profiles import Profile
from hupai.scoring.riichi.yaku.table import AKA_DORA, DORA, URA_DORA, Yaku


def reasons(best: Scored, others: Sequence[Scored], profile: Profile) -> Reasons:
    """Explain the reading that counts; `others` are the rest, the best of them first."""
    return Reasons(
        tuple(_fan_lines(best, profile)),
        tuple(_excluded(best, others, profile)),
        best.reading.parts,
        _runner_up(best, others),
        (*fu_steps(best.reading), *point_steps(best)),
    )


def _fan_lines(scored: Scored, profile: Profile) -> Iterator[FanLine]:
    for yaku, han in sorted(scored.counted, key=lambda pair: -pair[1]):
        parts = yaku.parts(scored.reading)
        yield FanLine(
            yaku.id, yaku.zh, yaku.en, han, 1, parts, profile.yaku_clause,
            yaku.why_en, yaku.why_zh, yaku.ja,
        )  # fmt: skip
    for (id_, ja, en, zh), count, why_en, why_zh in _dora(scored.dora):
        yield FanLine(id_, zh, en, 1, count, (), profile.yaku_clause, why_en, why_zh, ja)


def _dora(dora: DoraCount) -> Iterator[tuple[tuple[str, str, str, str], int, str, str]]:
    """Yield the kinds of dora that a hand has: names, number, and why."""
    kinds = (
        (DORA, dora.dora, "Tiles that the open indicators show.", "表指示牌所示的牌。"),
        (AKA_DORA, dora.red, "Each red five is one.", "每张赤五计一番。"),
        (URA_DORA, dora.ura, "Tiles that the indicators below show, after a riichi.",
         "立直和牌后，里指示牌所示的牌。"),
    )  # fmt: skip
    yield from (kind for kind in kinds if kind[1])


def _excluded(best: Scored, others: Sequence[Scored], profile: Profile) -> Iterator[ExcludedFan]:
    """Yield what the hand shows and does not count, each once."""
    counted = {yaku.id for yaku, _ in best.counted}
    listed: set[str] = set()
    for yaku in best.found:
        if yaku.id not in counted:
            listed.add(yaku.id)
            yield _why_not(yaku, best, profile)
    missed = _pinfu_missed(best, profile)
    if missed is not None and not {"pinfu"} & (counted | listed):
        listed.add("pinfu")
        yield missed
    yield from _dora_not_counted(best, profile)
    for other in others:
        if other.cost is None:
            continue
        for yaku, _ in other.counted:
            if yaku.id not in counted | listed:
                listed.add(yaku.id)
                yield _other_reading(yaku, best, other, profile)


def _why_not(yaku: Yaku, best: Scored, profile: Profile) -> ExcludedFan:
    """Say why a yaku of the reading does not count."""
    options = best.reading.win.options
    within = next((y for y, _ in best.counted if yaku.id in y.contains), None)
    limit = next((y for y, _ in best.counted if y.is_yakuman), None)
    alone = next((y for y, _ in best.counted if y.id == "renhou"), None)
    by: str | None = None
    if yaku.id in options.off:
        principle, en, zh = Principle.HOUSE, "The house rules switch it off.", "约定不计此役。"
    elif yaku.closed == 0:
        principle = Principle.CONDITION
        en, zh = f"{profile.name_en}: not counted.", f"{profile.name_zh}不计此役。"
    elif best.reading.win.is_open and yaku.open == 0:
        principle = Principle.CONDITION
        en, zh = "It needs a closed hand, and a set was claimed.", "须门清，而此手牌有副露。"
        if yaku.id == "tanyao":
            en, zh = "An open hand of simples does not count here.", "本规则副露不计断幺九。"
    elif within is not None:
        principle, by = Principle.NON_REPEAT, within.id
        en, zh = f"It is contained in {within.en}.", f"{within.zh}已包含此役。"
    elif limit is not None and yaku.is_yakuman:
        principle, by = Principle.EXCLUDED, limit.id
        en, zh = "One yakuman is the most that counts.", "只计一个役满。"
    elif limit is not None:
        principle, by = Principle.EXCLUDED, limit.id
        en = "Beside a yakuman no other yaku and no dora count."
        zh = "有役满时，其他役及宝牌不计。"
    elif alone is not None:
        principle, by = Principle.HIGH_NOT_LOW, alone.id
        en = "Renhou is a mangan by itself; without it the hand pays no more."
        zh = "人和单独计满贯；不计人和时得点不会更高。"
    else:
        principle, by = Principle.HIGH_NOT_LOW, None
        en, zh = "Counted without it the hand pays more.", "不计此役时得点更高。"
    return _not_counted(yaku, principle, by, en, zh, best, profile)


def _not_counted(
    yaku: Yaku, principle: Principle, by: str | None, en: str, zh: str, best: Scored,
    profile: Profile,
) -> ExcludedFan:  # fmt: skip
    han = yaku.han(best.reading.win.is_open) or yaku.closed
    return ExcludedFan(
        yaku.id, yaku.zh, yaku.en, han, 1, profile.yaku_clause, principle, by, en, zh, yaku.ja
    )


def _other_reading(yaku: Yaku, best: Scored, other: Scored, profile: Profile) -> ExcludedFan:
    en = (
        f"Divided otherwise the hand would have it and pay {other.total}; "
        f"as it is counted it pays {best.total}."
    )
    zh = f"另一种拆法有此役，得 {other.total} 点；现按得 {best.total} 点的拆法计。"
    return _not_counted(yaku, Principle.HIGH_NOT_LOW, None, en, zh, best, profile)


_FU_EN = {
    "valued_pair": "the pair earns fu",
    "double_valued_pair": "the pair earns fu",
    "penchan": "the wait was on an edge",
    "kanchan": "the wait was closed",
    "pair_wait": "the wait was on the pair",
}
_FU_ZH = {
    "valued_pair": "雀头有符",
    "double_valued_pair": "雀头有符",
    "penchan": "听边张",
    "kanchan": "听嵌张",
    "pair_wait": "单骑听雀头",
}


def _pinfu_missed(best: Scored, profile: Profile) -> ExcludedFan | None:
    """Say why four chows of a closed hand are no pinfu: the pair or the wait."""
    reading = best.reading
    if len(reading.of_kind(SetKind.CHOW)) != 4 or reading.win.is_open:
        return None
    blame = [reason for reason, _ in reading.fu.items if reason in _FU_EN]
    if not blame or best.is_yakuman:
        return None
    en = f"Four chows, but {' and '.join(dict.fromkeys(_FU_EN[one] for one in blame))}."
    zh = f"四组顺子，但{'、'.join(dict.fromkeys(_FU_ZH[one] for one in blame))}。"
    return ExcludedFan(
        "pinfu", "平和", "pinfu, no points", 1, 1, profile.yaku_clause, Principle.CONDITION, None,
        en, zh, "平和",
    )  # fmt: skip


def _dora_not_counted(best: Scored, profile: Profile) -> Iterator[ExcludedFan]:
    """Yield dora that a yakuman, a mangan by itself or the lack of a yaku keeps from counting."""
    win = best.reading.win
    held = dora_of(win)
    if held.total and not best.dora.total:
        limit = best.counted[0][0] if best.counted else None
        if limit is None:
            principle = Principle.CONDITION
            en, zh = "Dora are not yaku, and the hand has none.", "宝牌不算役，而此手牌无役。"
        else:
            principle = Principle.EXCLUDED
            en, zh = f"Dora do not count beside {limit.en}.", f"{limit.zh}时不计宝牌。"
        for (id_, ja, name_en, name_zh), count, _, _ in _dora(held):
            yield ExcludedFan(
                id_, name_zh, name_en, 1, count, profile.yaku_clause, principle,
                None if limit is None else limit.id, en, zh, ja,
            )  # fmt: skip
    red = len(win.hand.all_red_fives)
    if red and not any(win.options.red_fives):
        id_, ja, name_en, name_zh = AKA_DORA
        yield ExcludedFan(
            id_, name_zh, name_en, 1, red, profile.yaku_clause, Principle.CONDITION, None,
            "These rules play without red fives: it is a five.", "本规则不用赤五，按普通五计。", ja,
        )  # fmt: skip


def _runner_up(best: Scored, others: Sequence[Scored]) -> RunnerUp | None:
    """Return the best other way to divide the hand or to place its winning tile."""
    other = next((one for one in others if _differs(one.reading.parts, best.reading.parts)), None)
    if other is None:
        return None
    fans = tuple((yaku.zh, 1) for yaku, _ in other.counted)
    names = tuple(yaku.en for yaku, _ in other.counted)
    return RunnerUp(other.reading.parts, other.total, fans, names)


def _differs(parts: tuple[SetPart, ...], others: tuple[SetPart, ...]) -> bool:
    return sorted(map(repr, parts)) != sorted(map(repr, others))
