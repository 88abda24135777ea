"""KC v2.5: patterns of tiles, whatever the shape, and the shapes without four sets and a pair."""

from __future__ import annotations

from hupai.scoring.decomposition.shapes import HONOURS, ORPHANS, Shape
from hupai.scoring.kc.decomposition import Decomposition
from hupai.scoring.kc.pattern import Hit, Miss, Need, Pattern, contained, said
from hupai.scoring.result import Principle
from hupai.scoring.tiles import DRAGONS, WINDS, Tile

SUITS_EN = ("characters", "dots", "bamboo")
SUITS_ZH = "万饼条"
GREEN_TILES = frozenset({Tile.S2, Tile.S3, Tile.S4, Tile.S6, Tile.S8, Tile.GREEN})


def _half_flush(r: Decomposition) -> Hit | None:
    if len(r.tiles.suits) != 1 or not r.tiles.honours:
        return None
    (suit,) = r.tiles.suits
    return Hit(f"Only {SUITS_EN[suit]} and honours.", f"只有{SUITS_ZH[suit]}和字牌。")


def _full_flush(r: Decomposition) -> Hit | None:
    if len(r.tiles.suits) != 1 or r.tiles.honours:
        return None
    (suit,) = r.tiles.suits
    return Hit(f"Only {SUITS_EN[suit]}.", f"全部是{SUITS_ZH[suit]}。")


def _all_simples(r: Decomposition) -> Hit | None:
    if not ORPHANS.isdisjoint(r.tiles.kinds):
        return None
    return Hit("No ones, nines or honours.", "没有一、九和字牌。")


def _five_gates(r: Decomposition) -> Hit | None:
    if len(r.tiles.suits) != 3 or not r.tiles.honours:
        return None
    if r.tiles.kinds[-1] not in DRAGONS or not any(kind in WINDS for kind in r.tiles.kinds):
        return None
    return Hit("All three suits, winds and dragons occur.", "三种序数牌、风牌、三元牌齐全。")


def _all_green(r: Decomposition) -> Hit | None:
    if not GREEN_TILES.issuperset(r.tiles.kinds):
        return None
    return Hit(
        "Only 2, 3, 4, 6, 8 of bamboo and the green dragon.", "只有二、三、四、六、八条和发。"
    )


def _all_honours(r: Decomposition) -> Hit | None:
    if r.tiles.suits:
        return None
    return Hit("Only winds and dragons.", "全部是字牌。")


def _nine_gates(r: Decomposition) -> Hit | None:
    """Find 1112345678999 of one suit and any tile more, with nothing laid down."""
    if r.hand.melds or len(r.tiles.suits) != 1 or r.tiles.honours:
        return None
    (suit,) = r.tiles.suits
    counts = r.tiles.counts[9 * suit : 9 * suit + 9]
    if counts[0] < 3 or counts[8] < 3 or min(counts) < 1:
        return None
    return Hit(
        f"1112345678999 of {SUITS_EN[suit]} and one more.",
        f"{SUITS_ZH[suit]}子一一一二三四五六七八九九九加任一张。",
    )


def _is_pairs(r: Decomposition) -> bool:
    return r.split.shape is Shape.SEVEN_PAIRS


def _quads(r: Decomposition) -> tuple[Tile, ...]:
    return tuple(Tile(i) for i, n in enumerate(r.tiles.counts) if n == 4)


def _seven_pairs(r: Decomposition) -> Hit | None:
    return Hit("Seven pairs.", "七个对子。", tuple(range(7))) if _is_pairs(r) else None


def _seven_pairs_missed(r: Decomposition) -> Miss | None:
    """Find pairs throughout that count as four chows and a pair, which scores more."""
    if r.hand.melds or not r.is_standard or len(r.chows) != 4 or any(n % 2 for n in r.tiles.counts):
        return None
    if "two_twins" in r.options.off:
        return None
    return Miss(
        Principle.EXCLUDED,
        "two_twins",
        "The tiles are seven pairs too, but beside two pairs of equal chows they do not count.",
        "也是七个对子，但二杯口不计七小对。",
    )


def _dragon_seven_pairs(r: Decomposition) -> Hit | None:
    if not _is_pairs(r) or len(_quads(r)) < 1:
        return None
    return Hit("Seven pairs of which two are the same four tiles.", "七对中有四张相同的牌。")


def _double_dragon_seven_pairs(r: Decomposition) -> Hit | None:
    if not _is_pairs(r) or len(_quads(r)) < 2:
        return None
    return Hit("Seven pairs with two fours of a kind or more.", "七对中有两组或以上四张相同的牌。")


def _consecutive_pairs(r: Decomposition) -> Hit | None:
    if not _is_pairs(r) or _quads(r):
        return None
    if r.tiles.kinds == HONOURS:
        return Hit("A pair of each wind and dragon (大七星).", "东南西北中发白各一对（大七星）。")
    first, last = r.tiles.kinds[0], r.tiles.kinds[-1]
    if not last.is_suited or first.suit is not last.suit or last - first != 6:
        return None
    return Hit("Seven pairs in a row in one suit.", "同花色相连的七个对子。")


def _thirteen_orphans(r: Decomposition) -> Hit | None:
    if r.split.shape is not Shape.THIRTEEN_ORPHANS:
        return None
    return Hit(
        "One of each terminal and honour and one more of them.",
        "十三种幺九各一张，另加其中任一张。",
        (0, 1),
    )


def _knitted(r: Decomposition) -> Hit | None:
    if r.split.shape is not Shape.KNITTED_SINGLES:
        return None
    return Hit(
        "14 single tiles out of 147, 258, 369 in three suits and the honours.",
        "一四七、二五八、三六九与字牌中的十四张单牌。",
        (0,),
    )


def _seven_stars(r: Decomposition) -> Hit | None:
    if r.split.shape is not Shape.KNITTED_SINGLES or not all(
        r.tiles.counts[tile] for tile in HONOURS
    ):
        return None
    return Hit(
        "All seven honours and seven single tiles that do not connect.",
        "七种字牌齐全，余为不相连的单牌。",
        (0,),
    )


TILE_PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "half_flush", "混一色", "half flush", 2, "一番", _half_flush, Need.ONE_SUIT | Need.HONOURS
    ),
    Pattern("all_simples", "断幺九", "all simples", 2, "一番", _all_simples, Need.NOTHING),
    Pattern("five_gates", "五门齐", "all five types", 2, "一番", _five_gates, Need.HONOURS),
    Pattern("full_flush", "清一色", "full flush", 4, "二番", _full_flush, Need.ONE_SUIT),
    Pattern(
        "knitted",
        "全不靠",
        "all apart",
        4,
        "二番",
        _knitted,
        Need.SINGLES,
        said("concealed_hand", "five_gates"),
    ),
    Pattern(
        "seven_pairs",
        "七小对",
        "seven pairs",
        6,
        "6 倍",
        _seven_pairs,
        Need.PAIRS,
        said("concealed_hand"),
        near_miss=_seven_pairs_missed,
    ),
    Pattern(
        "seven_stars",
        "七星不靠",
        "all apart with the seven honours",
        8,
        "三番",
        _seven_stars,
        Need.SINGLES,
        said("concealed_hand", "five_gates") + contained("knitted"),
    ),
    Pattern(
        "dragon_seven_pairs",
        "龙七对",
        "seven pairs with four of a kind",
        12,
        "12 倍",
        _dragon_seven_pairs,
        Need.PAIRS,
        said("concealed_hand") + contained("seven_pairs"),
    ),
    Pattern(
        "nine_gates",
        "九莲宝灯",
        "nine gates",
        16,
        "四番",
        _nine_gates,
        Need.ONE_SUIT,
        contained("full_flush"),
    ),
    Pattern(
        "double_dragon_seven_pairs",
        "双龙七对",
        "seven pairs with two fours of a kind",
        16,
        "四番",
        _double_dragon_seven_pairs,
        Need.PAIRS,
        said("concealed_hand") + contained("dragon_seven_pairs", "seven_pairs"),
    ),
    Pattern(
        "consecutive_pairs",
        "连七对",
        "seven consecutive pairs",
        32,
        "五番",
        _consecutive_pairs,
        Need.PAIRS,
        contained("seven_pairs", "full_flush", "all_honours"),
    ),
    Pattern(
        "thirteen_orphans",
        "十三幺",
        "thirteen orphans",
        32,
        "五番",
        _thirteen_orphans,
        Need.SINGLES,
        said("concealed_hand", "five_gates"),
    ),
    Pattern(
        "all_green",
        "绿一色",
        "all green",
        32,
        "五番",
        _all_green,
        Need.ONE_SUIT,
        said("half_flush"),
    ),
    Pattern(
        "all_honours",
        "字一色",
        "all honours",
        32,
        "五番",
        _all_honours,
        Need.ONE_SUIT | Need.HONOURS,
        contained("all_pungs"),
        rivals=("little_three_dragons", "big_three_dragons", "little_four_winds", "big_four_winds"),
    ),
)
