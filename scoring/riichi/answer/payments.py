"""Who pays what for a riichi win, counters and deposits included."""

from __future__ import annotations

from collections.abc import Iterator

from hupai.scoring.result import Payment, Step
from hupai.scoring.riichi.evaluation import Scored
from hupai.scoring.riichi.reading import Win

COUNTER = 100
"""What one counter adds to each payer of a self-drawn win; a discarder pays three times it."""

DEPOSIT = 1000
"""What one riichi deposit is worth."""

_LEVELS = {
    "mangan": ("満貫", "mangan", "满贯"),
    "kiriage mangan": ("切り上げ満貫", "mangan, rounded up", "切上满贯"),
    "haneman": ("跳満", "haneman", "跳满"),
    "baiman": ("倍満", "baiman", "倍满"),
    "sanbaiman": ("三倍満", "sanbaiman", "三倍满"),
    "kazoe sanbaiman": ("三倍満", "sanbaiman", "三倍满"),
    "kazoe yakuman": ("数え役満", "counted yakuman", "累计役满"),
    "yakuman": ("役満", "yakuman", "役满"),
}
"""Names of the limits by the library's words: Japanese, English, Chinese."""

_BASE_POINTS = {5: 2000, 6: 3000, 7: 3000, 8: 4000, 9: 4000, 10: 4000, 11: 6000, 12: 6000}
"""Base points of a limit by han, below a yakuman."""


def payments(scored: Scored) -> tuple[Payment, ...]:
    """Return who pays a win that has a yaku, and the deposits that the winner takes."""
    win, cost = scored.reading.win, scored.cost
    if cost is None:
        return ()
    counters = max(0, win.circumstances.honba)
    paid: tuple[Payment, ...]
    if not win.circumstances.self_drawn:
        payer = "robbed" if win.circumstances.robbing_kong else "discarder"
        paid = (_payment(payer, 1, cost.main, 3 * COUNTER, counters),)
    elif win.is_dealer:
        paid = (_payment("each", 3, cost.main, COUNTER, counters),)
    else:
        paid = (
            _payment("dealer", 1, cost.main, COUNTER, counters),
            _payment("non_dealer", 2, cost.additional, COUNTER, counters),
        )
    deposits = max(0, win.circumstances.riichi_sticks)
    if deposits:
        paid += (Payment("deposits", deposits, DEPOSIT, ""),)
    return paid


def _payment(payer: str, count: int, points: int, counter: int, counters: int) -> Payment:
    if not counters:
        return Payment(payer, count, points, "")
    return Payment(payer, count, points + counter * counters, f"{points} + {counters} × {counter}")


def base_points(scored: Scored) -> int:
    """Return the base points, which payers pay once, twice, four or six times.

    They follow from what the library says is paid.
    """
    win, cost = scored.reading.win, scored.cost
    if cost is None:
        return 0
    if cost.level:
        return cost.main // _times(win)
    return scored.reading.fu.total << (2 + scored.han)


def _times(win: Win) -> int:
    """Return how often the base points make the main payment."""
    if win.circumstances.self_drawn:
        return 2
    return 6 if win.is_dealer else 4


def level_name(scored: Scored) -> tuple[str, str, str]:
    """Return the name of the limit that a hand reaches in Japanese, English and Chinese.

    Empty below a mangan.
    """
    level = "" if scored.cost is None else scored.cost.level
    times = level.partition("x yakuman")[0] if "x yakuman" in level else ""
    if times:
        return f"{times}倍役満", f"{times} times yakuman", f"{times}倍役满"
    return _LEVELS.get(level, ("", "", ""))


def point_steps(scored: Scored) -> Iterator[Step]:
    """Yield the steps from han and fu to what is paid."""
    han, fu, win = scored.han, scored.reading.fu.total, scored.reading.win
    if scored.cost is None:
        return
    parts = [str(each) for _, each in scored.counted]
    if scored.dora.total:
        parts.append(f"{scored.dora.total} dora")
    yield Step("han", "han", "番", "han", han, " + ".join(parts) if len(parts) > 1 else "", ja="翻")
    base = base_points(scored)
    ja, en, zh = level_name(scored)
    if not en:
        yield Step(
            "base_points", "base points", "基本点", "points", base, f"{fu} × 2^(2 + {han})",
            ja="基本点",
        )  # fmt: skip
    else:
        uncut = fu << (2 + han)
        by_fu = han < min(_BASE_POINTS) and not scored.is_yakuman
        formula = f"{fu} × 2^(2 + {han}) = {uncut} → {base}" if by_fu else ""
        yield Step("limit", en, zh, "points", base, formula, ja=ja)
    yield from _paid_steps(win, scored, base)


def _paid_steps(win: Win, scored: Scored, base: int) -> Iterator[Step]:
    cost = scored.cost
    assert cost is not None
    if not win.circumstances.self_drawn:
        times = _times(win)
        yield _rounded("ron", "ron, paid by one", "荣和，一家付", "ロン", times, base, cost.main)
    elif win.is_dealer:
        yield _rounded("tsumo_each", "tsumo, each pays", "自摸，各家付", "ツモ", 2, base, cost.main)
    else:
        dealer = ("tsumo_dealer", "tsumo, the dealer pays", "自摸，庄家付", "ツモ（親）")
        yield _rounded(*dealer, 2, base, cost.main)
        other = ("tsumo_others", "tsumo, each other pays", "自摸，闲家各付", "ツモ（子）")
        yield _rounded(*other, 1, base, cost.additional)


def _rounded(id_: str, en: str, zh: str, ja: str, times: int, base: int, points: int) -> Step:
    exact = times * base
    rounded = "" if exact == points else f" = {exact} → {points}"
    written = f"{times} × {base}" if times > 1 else str(base)
    return Step(id_, en, zh, "points", points, written + rounded, ja=ja)
