"""The fu of a reading one by one: each with its names and the part it is about."""

from __future__ import annotations

from collections.abc import Iterator

from mahjong.hand_calculating.fu import FuCalculator

from hupai.scoring.result import SetKind, SetPart, Step
from hupai.scoring.riichi.reading import Reading

_NAMES: dict[str, tuple[str, str, str]] = {
    FuCalculator.BASE: ("副底", "base", "底符"),
    FuCalculator.PENCHAN: ("ペンチャン待ち", "edge wait", "边张听"),
    FuCalculator.KANCHAN: ("カンチャン待ち", "closed wait", "嵌张听"),
    FuCalculator.PAIR_WAIT: ("単騎待ち", "pair wait", "单骑听"),
    FuCalculator.VALUED_PAIR: ("役牌の雀頭", "pair of a value tile", "役牌雀头"),
    FuCalculator.DOUBLE_VALUED_PAIR: ("連風牌の雀頭", "pair of the double wind", "连风雀头"),
    FuCalculator.TSUMO: ("ツモ", "tsumo", "自摸"),
    FuCalculator.HAND_WITHOUT_FU: ("喰い平和形", "open hand without other fu", "副露平和形"),
    FuCalculator.CLOSED_PON: ("中張牌の暗刻", "closed pung of simples", "中张暗刻"),
    FuCalculator.OPEN_PON: ("中張牌の明刻", "open pung of simples", "中张明刻"),
    FuCalculator.CLOSED_TERMINAL_PON: (
        "么九牌の暗刻",
        "closed pung of terminals or honours",
        "幺九暗刻",
    ),
    FuCalculator.OPEN_TERMINAL_PON: (
        "么九牌の明刻",
        "open pung of terminals or honours",
        "幺九明刻",
    ),
    FuCalculator.CLOSED_KAN: ("中張牌の暗槓", "closed kong of simples", "中张暗杠"),
    FuCalculator.OPEN_KAN: ("中張牌の明槓", "open kong of simples", "中张明杠"),
    FuCalculator.CLOSED_TERMINAL_KAN: (
        "么九牌の暗槓",
        "closed kong of terminals or honours",
        "幺九暗杠",
    ),
    FuCalculator.OPEN_TERMINAL_KAN: (
        "么九牌の明槓",
        "open kong of terminals or honours",
        "幺九明杠",
    ),
}
"""Names of what the library counts: Japanese, English, Chinese."""

_BASES: dict[tuple[bool, bool], tuple[str, str, str]] = {
    (True, False): (
        "門前ロン（副底20＋10）",
        "closed hand on a discard: 20 + 10",
        "门清荣和：20＋10",
    ),
    (False, False): ("副底", "base", "底符"),
    (False, True): ("七対子", "seven pairs", "七对子"),
}
"""Names of the base, by whether it has the ten of a closed ron, and is that of seven pairs."""

_SETS = {
    FuCalculator.CLOSED_PON,
    FuCalculator.OPEN_PON,
    FuCalculator.CLOSED_TERMINAL_PON,
    FuCalculator.OPEN_TERMINAL_PON,
    FuCalculator.CLOSED_KAN,
    FuCalculator.OPEN_KAN,
    FuCalculator.CLOSED_TERMINAL_KAN,
    FuCalculator.OPEN_TERMINAL_KAN,
}
_PAIRS = {FuCalculator.VALUED_PAIR, FuCalculator.DOUBLE_VALUED_PAIR}
_WAITS = {FuCalculator.PENCHAN, FuCalculator.KANCHAN, FuCalculator.PAIR_WAIT}


def fu_steps(reading: Reading) -> Iterator[Step]:
    """Yield the fu one by one, the base first, then their sum."""
    fu = reading.fu
    if not fu.items:
        return
    taken: set[int] = set()
    items = sorted(fu.items, key=lambda item: item[0] != FuCalculator.BASE)
    for reason, amount in items:
        ja, en, zh = _NAMES[reason]
        if reason == FuCalculator.BASE:
            ja, en, zh = _BASES[amount == 30, amount == 25]
        parts = _parts(reading, reason, amount, taken)
        yield Step(f"fu_{reason}", en, zh, "fu", amount, "", parts, ja)
    written = " + ".join(str(amount) for _, amount in items)
    rounded = "" if fu.exact == fu.total else f" = {fu.exact} → {fu.total}"
    yield Step(
        "fu",
        "fu, rounded up to ten" if rounded else "fu",
        "符，逢十进位" if rounded else "符",
        "fu",
        fu.total,
        written + rounded if len(fu.items) > 1 or rounded else "",
        ja="符",
    )


def _parts(reading: Reading, reason: str, amount: int, taken: set[int]) -> tuple[int, ...]:
    """Return the part that fu are about; `taken` are those that have theirs already."""
    if reason in _PAIRS:
        return reading.of_kind(SetKind.PAIR)
    if reason in _WAITS:
        return tuple(i for i, part in enumerate(reading.parts) if part.has_winning_tile)
    if reason not in _SETS:
        return ()
    for index, part in enumerate(reading.parts):
        if index not in taken and _fu_of_set(part) == amount:
            kong = part.kind is SetKind.KONG
            if kong == ("kan" in reason) and part.concealed == ("closed" in reason):
                taken.add(index)
                return (index,)
    return ()


def _fu_of_set(part: SetPart) -> int:
    """Return the fu of a pung or kong as the table has it; 0 for other parts."""
    if part.kind not in (SetKind.PUNG, SetKind.KONG):
        return 0
    tile = part.tiles[0]
    value = 2 * (2 if tile.is_honour or tile.rank in (1, 9) else 1)
    return value * (2 if part.concealed else 1) * (4 if part.kind is SetKind.KONG else 1)
