"""KC v2.5: patterns about who wins and how."""

from __future__ import annotations

from hupai.scoring.kc.decomposition import IRREGULAR, Decomposition, waiting_kinds
from hupai.scoring.kc.pattern import Hit, Miss, Need, Pattern, said
from hupai.scoring.result import Principle


def _dealer(r: Decomposition) -> Hit | None:
    return Hit("The winner is the dealer.", "和牌者为庄家。") if r.circumstances.dealer else None


def _ready_declared(r: Decomposition) -> Hit | None:
    if not (r.circumstances.ready_declared and r.options.ready_declaration):
        return None
    return Hit("The player had declared ready.", "和牌者已报听。")


def _ready_declared_missed(r: Decomposition) -> Miss | None:
    if not r.circumstances.ready_declared or r.options.ready_declaration:
        return None
    return Miss(
        Principle.HOUSE,
        None,
        "Section 1 plays without declaring ready, 天听 apart; a house may switch it on.",
        "第 1 节规定除天听外不报听；可作为约定开启。",
    )


def _self_drawn(r: Decomposition) -> Hit | None:
    return (
        Hit("The winner drew the winning tile.", "和牌张由自己摸得。")
        if r.circumstances.self_drawn
        else None
    )


def _concealed_hand(r: Decomposition) -> Hit | None:
    if not r.tiles.is_concealed:
        return None
    return Hit(
        "No chow, pung or exposed kong was claimed before the win.", "和牌前未吃、碰或明杠。"
    )


def _melded_hand(r: Decomposition) -> Hit | None:
    if (
        r.circumstances.self_drawn
        or len(r.hand.melds) != 4
        or any(meld.is_concealed for meld in r.hand.melds)
    ):
        return None
    return Hit(
        "All four sets were claimed, and the pair was completed by another player's tile.",
        "四副均为吃碰杠，单钓他人的牌。",
    )


def _robbed_kong(r: Decomposition) -> Hit | None:
    return (
        Hit("Won on the tile another player was adding to a pung.", "和他人加杠的牌。")
        if r.circumstances.robbing_kong
        else None
    )


def _shows_other_three(r: Decomposition) -> bool:
    """Return True if the other three lie face up: as stated, or in the hand's own claimed sets."""
    return r.circumstances.last_of_kind or r.tiles.shows_other_three


def _last_of_kind(r: Decomposition) -> Hit | None:
    if not _shows_other_three(r) or not waits_for_one(r):
        return None
    return Hit(
        "The other three of the winning tile lie face up, and no other tile wins.",
        "其余三张均已亮明，且只听这一张。",
    )


def waits_for_one(r: Decomposition) -> bool:
    """Return True if one kind of tile completes the hand.

    So do shapes whose waits are not counted (全不靠, 十三幺).
    """
    if r.split.shape in IRREGULAR or r.hand.winning_tile is None:
        return True
    return waiting_kinds(r.hand) == 1


def _last_of_kind_missed(r: Decomposition) -> Miss | None:
    if not _shows_other_three(r) or waits_for_one(r):
        return None
    return Miss(
        Principle.EXCLUDED,
        None,
        "The other three lie face up, but another kind of tile would have won too.",
        "其余三张虽已亮明，但还听别的牌，不算和绝张。",
    )


def _last_draw(r: Decomposition) -> Hit | None:
    if not (r.circumstances.last_tile and r.circumstances.self_drawn):
        return None
    return Hit("Won by drawing the last tile before the dead wall.", "自摸山牌之外的最后一张。")


def _last_discard(r: Decomposition) -> Hit | None:
    if not r.circumstances.last_tile or r.circumstances.self_drawn:
        return None
    return Hit("Won on the discard after the last tile.", "和最后打出的一张。")


def _kong(r: Decomposition) -> Hit | None:
    n = len(r.kongs)
    if n == 0 or (n >= 3 and not r.options.kongs_beside_group):
        return None
    return Hit(
        f"{n} kong{'s' if n > 1 else ''}, each doubles.", f"{n}个杠，每杠一番。", r.kongs, count=n
    )


def _kong_flower(r: Decomposition) -> Hit | None:
    return (
        Hit("Won on the tile drawn for a kong.", "杠后补牌即和。")
        if r.circumstances.kong_replacement
        else None
    )


def _heavenly_ready(r: Decomposition) -> Hit | None:
    if not r.circumstances.heavenly_ready:
        return None
    return Hit("Ready from the deal on and declared so.", "起手听牌并报听。")


WIN_PATTERNS: tuple[Pattern, ...] = (
    Pattern("dealer", "庄家", "dealer", 2, "一番", _dealer, Need.DEALER),
    Pattern(
        "ready_declared",
        "报听",
        "declared ready",
        2,
        "一番",
        _ready_declared,
        Need.DECLARED,
        near_miss=_ready_declared_missed,
    ),
    Pattern("self_drawn", "自摸", "self-drawn", 2, "一番", _self_drawn, Need.SELF_DRAWN),
    Pattern("concealed_hand", "门清", "concealed hand", 2, "一番", _concealed_hand, Need.CONCEALED),
    Pattern(
        "melded_hand",
        "全求人",
        "melded hand",
        2,
        "一番",
        _melded_hand,
        Need.STANDARD | Need.ANOTHERS_TILE,
    ),
    Pattern(
        "robbed_kong",
        "抢杠",
        "robbing a kong",
        2,
        "一番",
        _robbed_kong,
        Need.SELDOM,
        said("last_of_kind"),
    ),
    Pattern(
        "last_of_kind",
        "和绝张",
        "last of its kind",
        2,
        "一番",
        _last_of_kind,
        Need.SELDOM,
        near_miss=_last_of_kind_missed,
    ),
    Pattern(
        "last_draw", "海底捞月", "last draw", 2, "一番", _last_draw, Need.SELDOM | Need.SELF_DRAWN
    ),
    Pattern(
        "last_discard",
        "河底摸鱼",
        "last discard",
        2,
        "一番",
        _last_discard,
        Need.SELDOM | Need.ANOTHERS_TILE,
    ),
    Pattern("kong", "杠", "kong", 2, "3.2.1", _kong, Need.KONG),
    Pattern(
        "kong_flower",
        "杠上开花",
        "win on a kong's replacement",
        4,
        "二番",
        _kong_flower,
        Need.SELDOM,
        said("self_drawn"),
    ),
    Pattern(
        "heavenly_ready",
        "天听",
        "ready from the deal",
        16,
        "四番",
        _heavenly_ready,
        Need.DECLARED,
        said("concealed_hand", "ready_declared"),
    ),
)
