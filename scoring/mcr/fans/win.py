"""Fan of how the hand was won: last tiles, kong tiles, what was claimed, waits, flowers."""

from __future__ import annotations

from hupai.scoring.mcr.decompositions.decomposition import Decomposition
from hupai.scoring.mcr.fans.definition import (
    NONE,
    Aspect,
    HandFan,
    Occurrences,
    SetsFan,
    by_handbook,
    named,
)
from hupai.scoring.result import SetKind


@HandFan(
    43,
    "chicken_hand",
    "无番和",
    "Chicken Hand",
    8,
    Aspect.WIN,
    "4.8.5",
    why=("nothing else counts, flowers apart", "数不出任何番种，花牌不算"),
)
def chicken_hand(_: Decomposition) -> bool:
    """Return False: the evaluation adds it when nothing else counts."""
    return False


@HandFan(
    44,
    "last_tile_draw",
    "妙手回春",
    "Last Tile Draw",
    8,
    Aspect.WIN,
    "4.8.6",
    why=("won on the last tile of the wall", "自摸牌墙最后一张"),
    excludes=named("self_drawn"),
)
def last_tile_draw(decomposition: Decomposition) -> bool:
    return decomposition.win.last_tile and decomposition.win.self_drawn


@HandFan(
    45,
    "last_tile_claim",
    "海底捞月",
    "Last Tile Claim",
    8,
    Aspect.WIN,
    "4.8.7",
    why=("won on the last discard", "和打出的最后一张"),
)
def last_tile_claim(decomposition: Decomposition) -> bool:
    return decomposition.win.last_tile and not decomposition.win.self_drawn


@HandFan(
    46,
    "out_with_replacement_tile",
    "杠上开花",
    "Out with Replacement Tile",
    8,
    Aspect.WIN,
    "4.8.8",
    why=("won on the tile drawn for a kong", "开杠抓进的牌成和"),
    excludes=named("self_drawn"),
)
def out_with_replacement_tile(decomposition: Decomposition) -> bool:
    return decomposition.win.kong_replacement and decomposition.win.self_drawn


@HandFan(
    47,
    "robbing_the_kong",
    "抢杠和",
    "Robbing the Kong",
    8,
    Aspect.WIN,
    "4.8.9",
    why=("won on the tile that another player was adding to a pung", "和他人加杠的牌"),
    excludes=named("last_of_its_kind"),
)
def robbing_the_kong(decomposition: Decomposition) -> bool:
    return decomposition.win.robbing_kong and not decomposition.win.self_drawn


@HandFan(
    52,
    "melded_hand",
    "全求人",
    "Melded Hand",
    6,
    Aspect.WIN,
    "4.9.5",
    why=("four claimed sets, won on another player's tile", "四副全靠吃碰杠，单钓他人的牌"),
    excludes=named("single_wait"),
)
def melded_hand(decomposition: Decomposition) -> bool:
    return decomposition.win.all_claimed and not decomposition.win.self_drawn


@HandFan(
    56,
    "fully_concealed_hand",
    "不求人",
    "Fully Concealed Hand",
    4,
    Aspect.WIN,
    "4.10.2",
    why=("nothing claimed and self-drawn", "没有吃、碰、明杠，自摸和牌"),
    excludes=by_handbook("self_drawn"),
)
def fully_concealed_hand(decomposition: Decomposition) -> bool:
    return decomposition.win.all_concealed and decomposition.win.self_drawn


@HandFan(
    58,
    "last_of_its_kind",
    "和绝张",
    "Last of Its Kind",
    4,
    Aspect.WIN,
    "4.10.4",
    why=("the other three of {win} lie face up", "其余三张{win}已亮明"),
)
def last_of_its_kind(decomposition: Decomposition) -> bool:
    return decomposition.win.last_of_kind


@HandFan(
    62,
    "concealed_hand",
    "门前清",
    "Concealed Hand",
    2,
    Aspect.WIN,
    "4.11.4",
    why=("nothing claimed, won on another player's tile", "没有吃、碰、明杠，和他人的牌"),
)
def concealed_hand(decomposition: Decomposition) -> bool:
    return decomposition.win.all_concealed and not decomposition.win.self_drawn


@SetsFan(
    77,
    "edge_wait",
    "边张",
    "Edge Wait",
    1,
    Aspect.WIN,
    "4.12.9",
    why=("{win} alone completes the hand, at the end of {parts}", "单和{win}，为{parts}的边张"),
)
def edge_wait(decomposition: Decomposition) -> Occurrences:
    place = _place_in_chow(decomposition)
    chow = decomposition.parts[decomposition.win_part]
    is_edge = (place == 2 and chow.rank == 1) or (place == 0 and chow.rank == 7)
    return ((decomposition.win_part,),) if is_edge and decomposition.win.single_wait else NONE


@SetsFan(
    78,
    "closed_wait",
    "坎张",
    "Closed Wait",
    1,
    Aspect.WIN,
    "4.12.10",
    why=(
        "{win} alone completes the hand, in the middle of {parts}",
        "单和{win}，为{parts}的坎张",
    ),
)
def closed_wait(decomposition: Decomposition) -> Occurrences:
    return (
        ((decomposition.win_part,),)
        if _place_in_chow(decomposition) == 1 and decomposition.win.single_wait
        else NONE
    )


@SetsFan(
    79,
    "single_wait",
    "单钓将",
    "Single Wait",
    1,
    Aspect.WIN,
    "4.12.11",
    why=("{win} alone completes the hand, as the pair", "单和{win}作将"),
)
def single_wait(decomposition: Decomposition) -> Occurrences:
    is_pair = decomposition.parts[decomposition.win_part].kind is SetKind.PAIR
    return ((decomposition.win_part,),) if is_pair and decomposition.win.single_wait else NONE


@HandFan(
    80,
    "self_drawn",
    "自摸",
    "Self-Drawn",
    1,
    Aspect.WIN,
    "4.12.12",
    why=("the winner drew the tile", "自己抓进和的牌"),
)
def self_drawn(decomposition: Decomposition) -> bool:
    return decomposition.win.self_drawn


@HandFan(
    81,
    "flower_tiles",
    "花牌",
    "Flower Tiles",
    1,
    Aspect.WIN,
    "4.12.13",
    why=("a flower tile laid aside", "补出的花牌"),
)
def flower_tiles(_: Decomposition) -> bool:
    """Return False: flowers laid aside are counted apart from the tiles that win."""
    return False


def _place_in_chow(decomposition: Decomposition) -> int | None:
    """Return the winning tile's place (0, 1 or 2) in the chow it completed, None if in none."""
    part = decomposition.parts[decomposition.win_part]
    return decomposition.win.tile - part.tile if part.kind is SetKind.CHOW else None
