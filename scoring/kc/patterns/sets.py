"""KC v2.5: patterns of sets, in a hand of four sets and a pair."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

from hupai.scoring.decomposition.shapes import ORPHANS, TERMINALS
from hupai.scoring.kc.decomposition import Chow, Decomposition
from hupai.scoring.kc.pattern import Hit, Need, Pattern, contained, said
from hupai.scoring.tiles import DRAGONS, WINDS, ZH_NAMES, Tile


def _chow_name(chow: Chow) -> str:
    return f"{chow.start}{chow.start + 1}{chow.start + 2}{'mps'[chow.suit]}"


def _chow_name_zh(chow: Chow) -> str:
    ranks = "一二三四五六七八九"[chow.start - 1 : chow.start + 2]
    return f"{ranks}{'万饼条'[chow.suit]}"


def _chow_hit(chows: tuple[Chow, ...]) -> Hit:
    names = " ".join(map(_chow_name, chows))
    names_zh = "、".join(map(_chow_name_zh, chows))
    parts = tuple(sorted(chow.part for chow in chows))
    return Hit(f"The chows {names}.", f"顺子{names_zh}。", parts)


def _all_pungs(r: Decomposition) -> Hit | None:
    if not r.is_standard or len(r.pungs) != 4:
        return None
    return Hit("All four sets are pungs or kongs.", "四副全是刻子或杠。", r.pungs)


def _straight(r: Decomposition) -> Hit | None:
    for suit in range(3):
        by_start = {chow.start: chow for chow in r.chows if chow.suit == suit}
        if {1, 4, 7} <= by_start.keys():
            return _chow_hit((by_start[1], by_start[4], by_start[7]))
    return None


def _mixed_triple_chow(r: Decomposition) -> Hit | None:
    for start in range(1, 8):
        by_suit = {chow.suit: chow for chow in r.chows if chow.start == start}
        if len(by_suit) == 3:
            return _chow_hit(tuple(by_suit[suit] for suit in range(3)))
    return None


def _mixed_shifted_chows(r: Decomposition) -> Hit | None:
    for run in _shifted_runs(r, 3):
        if len({chow.suit for chow in run}) == 3:
            return _chow_hit(run)
    return None


def _mixed_four_shifted_chows(r: Decomposition) -> Hit | None:
    for run in _shifted_runs(r, 4):
        if len({chow.suit for chow in run}) == 3 and all(
            a.suit != b.suit for a, b in pairwise(run)
        ):
            return _chow_hit(run)
    return None


def _pure_shifted_chows(r: Decomposition) -> Hit | None:
    for run in _shifted_runs(r, 3):
        if len({chow.suit for chow in run}) == 1:
            return _chow_hit(run)
    return None


def _shifted_runs(r: Decomposition, length: int) -> Iterator[tuple[Chow, ...]]:
    """Find chows each of which starts one rank above the one before."""
    if len(r.chows) >= length:
        for run in combinations(sorted(r.chows, key=lambda chow: chow.start), length):
            if all(b.start == a.start + 1 for a, b in pairwise(run)):
                yield run


def _pure_triple_chow(r: Decomposition) -> Hit | None:
    for chow in r.chows:
        same = tuple(c for c in r.chows if (c.suit, c.start) == (chow.suit, chow.start))
        if len(same) >= 3:
            return _chow_hit(same[:3])
    return None


def _two_twins(r: Decomposition) -> Hit | None:
    """Find two pairs of equal chows that share no tile; four equal chows are two such pairs."""
    if len(r.chows) != 4:
        return None
    ordered = sorted(r.chows, key=lambda chow: (chow.suit, chow.start))
    starts = [(chow.suit, chow.start) for chow in ordered]
    return _chow_hit(tuple(ordered)) if starts[0] == starts[1] and starts[2] == starts[3] else None


def _outside_hand(r: Decomposition) -> Hit | None:
    """Find a terminal or an honour in every set and in the pair.

    A hand of honours alone does not count: it is 字一色, even if 大四喜 counts in its place.
    """
    if not r.is_standard or any(ORPHANS.isdisjoint(part.tiles) for part in r.parts):
        return None
    if not r.tiles.suits:
        return None
    return Hit(
        "Every set and the pair holds a terminal or an honour.",
        "四副与将各含幺九。",
        tuple(range(len(r.parts))),
    )


def _three_concealed_pungs(r: Decomposition) -> Hit | None:
    if not r.is_standard or len(r.unclaimed_pungs) < 3:
        return None
    en, zh = "Three pungs were not claimed.", "三副刻子未经碰、明杠。"
    won = any(
        r.parts[i].has_winning_tile and not r.circumstances.self_drawn for i in r.unclaimed_pungs
    )
    if won:
        en, zh = en + " The one the win completed counts as such.", zh + "胡对倒所成的一副也算。"
    return Hit(en, zh, r.unclaimed_pungs)


def _four_concealed_pungs(r: Decomposition) -> Hit | None:
    if not r.is_standard or len(r.pungs) != 4 or not r.tiles.is_concealed:
        return None
    return Hit("All pungs, and nothing was claimed before the win.", "门清的碰碰和。", r.pungs)


def _three_kongs(r: Decomposition) -> Hit | None:
    return Hit("Three sets are kongs.", "三副是杠。", r.kongs) if len(r.kongs) >= 3 else None


def _four_kongs(r: Decomposition) -> Hit | None:
    return Hit("All four sets are kongs.", "四副全是杠。", r.kongs) if len(r.kongs) == 4 else None


def _pungs_with_pair(r: Decomposition, family: tuple[Tile, ...]) -> Hit | None:
    """Find all but one of the family as pungs and the last as the pair."""
    pungs = r.pungs_of(family)
    if r.pair not in family or len(pungs) != len(family) - 1:
        return None
    names = "".join(ZH_NAMES[t] for t in family)
    return Hit(
        f"Pungs and the pair cover {' '.join(t.code for t in family)}.",
        f"{names}皆为刻子和将。",
        (*pungs, len(r.parts) - 1),
    )


def _pungs_of_all(r: Decomposition, family: tuple[Tile, ...]) -> Hit | None:
    pungs = r.pungs_of(family)
    if len(pungs) != len(family):
        return None
    names = "".join(ZH_NAMES[t] for t in family)
    return Hit(f"Pungs of {' '.join(t.code for t in family)}.", f"{names}皆为刻子。", pungs)


def _little_dragons(r: Decomposition) -> Hit | None:
    return _pungs_with_pair(r, DRAGONS)


def _big_dragons(r: Decomposition) -> Hit | None:
    return _pungs_of_all(r, DRAGONS)


def _little_winds(r: Decomposition) -> Hit | None:
    return _pungs_with_pair(r, WINDS)


def _big_winds(r: Decomposition) -> Hit | None:
    return _pungs_of_all(r, WINDS)


def _all_terminals(r: Decomposition) -> Hit | None:
    if not r.is_standard or not TERMINALS.issuperset(r.tiles.kinds):
        return None
    return Hit("Only ones and nines.", "全部是一、九序数牌。", tuple(range(len(r.parts))))


SET_PATTERNS: tuple[Pattern, ...] = (
    Pattern("all_pungs", "碰碰和", "all pungs", 2, "一番", _all_pungs, Need.FOUR_PUNGS),
    Pattern("straight", "一条龙", "straight", 2, "一番", _straight, Need.SPREAD_CHOWS),
    Pattern(
        "mixed_triple_chow",
        "三色三同顺",
        "mixed triple chow",
        2,
        "一番",
        _mixed_triple_chow,
        Need.SAME_CHOWS,
    ),
    Pattern(
        "mixed_shifted_chows",
        "三色步步高",
        "mixed shifted chows",
        2,
        "一番",
        _mixed_shifted_chows,
        Need.SHIFTED_CHOWS,
    ),
    Pattern(
        "outside_hand",
        "全带幺",
        "terminal or honour in each set",
        2,
        "一番",
        _outside_hand,
        Need.STANDARD,
    ),
    Pattern(
        "pure_triple_chow",
        "一色三同顺",
        "pure triple chow",
        4,
        "二番",
        _pure_triple_chow,
        Need.SAME_CHOWS,
    ),
    Pattern(
        "pure_shifted_chows",
        "一色步步高",
        "pure shifted chows",
        4,
        "二番",
        _pure_shifted_chows,
        Need.SHIFTED_CHOWS,
    ),
    Pattern(
        "mixed_four_shifted_chows",
        "三色四步高",
        "four mixed shifted chows",
        4,
        "二番",
        _mixed_four_shifted_chows,
        Need.FOUR_CHOWS | Need.SHIFTED_CHOWS,
        contained("mixed_shifted_chows"),
    ),
    Pattern("three_kongs", "三杠子", "three kongs", 4, "二番", _three_kongs, Need.KONG),
    Pattern(
        "three_concealed_pungs",
        "三暗刻",
        "three concealed pungs",
        6,
        "6 倍",
        _three_concealed_pungs,
        Need.TWO_PUNGS,
    ),
    Pattern(
        "two_twins",
        "二杯口",
        "two pairs of equal chows",
        8,
        "三番",
        _two_twins,
        Need.FOUR_CHOWS | Need.SAME_CHOWS,
        said("seven_pairs"),
    ),
    Pattern(
        "little_three_dragons",
        "小三元",
        "little three dragons",
        8,
        "三番",
        _little_dragons,
        Need.TWO_PUNGS | Need.HONOURS,
    ),
    Pattern(
        "four_kongs",
        "四杠子",
        "four kongs",
        8,
        "三番",
        _four_kongs,
        Need.KONG,
        said("three_kongs") + contained("all_pungs"),
    ),
    Pattern(
        "little_four_winds",
        "小四喜",
        "little four winds",
        8,
        "三番",
        _little_winds,
        Need.TWO_PUNGS | Need.HONOURS,
    ),
    Pattern(
        "big_three_dragons",
        "大三元",
        "big three dragons",
        16,
        "四番",
        _big_dragons,
        Need.TWO_PUNGS | Need.HONOURS,
    ),
    Pattern(
        "all_terminals",
        "清老头",
        "all terminals",
        16,
        "四番",
        _all_terminals,
        Need.FOUR_PUNGS,
        contained("all_pungs", "outside_hand"),
    ),
    Pattern(
        "big_four_winds",
        "大四喜",
        "big four winds",
        32,
        "五番",
        _big_winds,
        Need.FOUR_PUNGS | Need.HONOURS,
        said("half_flush", "all_honours"),
    ),
    Pattern(
        "four_concealed_pungs",
        "四暗刻",
        "four concealed pungs",
        32,
        "五番",
        _four_concealed_pungs,
        Need.FOUR_PUNGS,
        contained("all_pungs", "three_concealed_pungs"),
    ),
)
