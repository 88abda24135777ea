"""What may be wrong with a photo or unclear on it: one table of stable codes with their messages in
English and Chinese.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hupai.scoring.result import Severity
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.types import PhotoProblem

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE


@dataclass(frozen=True, slots=True)
class Wording:
    """Severity of a problem and its messages; ``{}`` stands for a detail such as tile names or a
    number.
    """

    severity: Severity
    en: str
    zh: str


WORDINGS: dict[str, Wording] = {
    "no_tiles": Wording(
        _E,
        "no tile was found; take the photo from closer and with more light",
        "未找到牌；请靠近些、光线充足时重拍",
    ),
    "no_hand": Wording(
        _E,
        "{} tiles lie about but none form a hand; lay the hand out in a row and take it again",
        "有 {} 张牌，但没有成排的手牌；请排成一行重拍",
    ),
    "too_many_tiles_on_photo": Wording(
        _E,
        "{} tiles lie together, more than a hand has; photograph the hand alone",
        "共 {} 张牌排在一起，超过一手牌；请单独拍摄手牌",
    ),
    "all_face_down": Wording(
        _E, "all tiles lie face down; turn the hand up and take it again", "牌都扣着；请翻开后重拍"
    ),
    "no_legal_hand": Wording(
        _E,
        "the tiles read make no possible hand; correct the tiles or take the photo again",
        "读到的牌不成合法手牌；请改正或重拍",
    ),
    "too_few_tiles": Wording(
        _E,
        "{} tiles, a kong counted as three, but a hand has 13 or 14; show all of it",
        "共 {} 张（杠按三张计），一手牌应为 13 或 14 张；请拍全",
    ),
    "too_many_tiles": Wording(
        _E,
        "{} tiles, a kong counted as three, but a hand has 13 or 14; leave out what is no part of it",
        "共 {} 张（杠按三张计），一手牌应为 13 或 14 张；请去掉多余的牌",
    ),
    "thirteen_tiles": Wording(
        _N,
        "13 tiles: the winning tile is not among them or the hand has not won",
        "共 13 张：和牌张不在其中，或尚未和牌",
    ),
    "winning_tile_unknown": Wording(
        _N,
        "no tile is set apart as the winning one; say which it was",
        "没有单独摆放的和牌张；请指明是哪一张",
    ),
    "five_of_a_kind": Wording(
        _E,
        "{} is seen more than four times; correct the one that is misread",
        "{} 出现超过四张；请改正读错的牌",
    ),
    "flower_twice": Wording(
        _E, "flower {} is seen twice; there is one of each", "花牌 {} 出现两次；每种只有一张"
    ),
    "not_in_rules": Wording(_W, "{} is not used under these rules", "本规则不用 {}"),
    "not_a_set": Wording(
        _W,
        "the tiles laid down together are no chow, pung or kong: {}",
        "摆在一起的牌不成顺子、刻子或杠：{}",
    ),
    "tile_inferred": Wording(
        _W,
        "{}; what was seen makes no possible hand, check this tile",
        "{}；所见不成合法手牌，请核对这张牌",
    ),
    "low_confidence": Wording(_W, "not sure of {}; check it", "不能确定 {}；请核对"),
    "face_down_tile": Wording(
        _E,
        "a tile of the hand lies face down; turn it up or say what it is",
        "手牌中有一张扣着；请翻开或指明",
    ),
    "kong_face_unknown": Wording(
        _W,
        "a concealed kong lies face down and shows no tile; say which it is",
        "暗杠全部扣着，看不到牌；请指明是什么牌",
    ),
    "kong_tile_unseen": Wording(
        _W, "one tile of the concealed kong was not found; check it", "暗杠有一张牌未找到；请核对"
    ),
    "kong_kind_unknown": Wording(
        _N,
        "four {} lie open: say whether the kong was concealed or claimed",
        "四张 {} 亮开：请指明是暗杠还是明杠",
    ),
    "claim_unknown": Wording(
        _N,
        "no tile of {} lies sideways: from whom it was claimed is not known",
        "{} 没有横放的牌：不知从谁家取得",
    ),
    "grouping_unclear": Wording(
        _W, "it is not clear which tiles were laid down as melds", "哪些牌是副露不够清楚"
    ),
    "selection_unclear": Wording(
        _W,
        "it is not clear whether a tile nearby belongs to the hand",
        "旁边的牌是否属于手牌不够清楚",
    ),
    "flowers_apart": Wording(
        _N,
        "flowers lie apart from the hand; say whether they belong to it",
        "有花牌摆在手牌之外；请指明是否属于这手牌",
    ),
    "cut_by_edge": Wording(
        _W, "the edge of the photo cuts the hand; show all of it", "手牌被照片边缘截断；请拍全"
    ),
    "odd_size": Wording(
        _W,
        "a tile of the hand may be only a part of one, or two in one; check it",
        "手牌中有一张可能只看到一部分，或两张看成一张；请核对",
    ),
    "faint_tile": Wording(
        _W,
        "a tile was hardly seen and counts because the hand lacks one there; check it",
        "有一张牌看不清，因手牌在此缺牌而计入；请核对",
    ),
    "gap_in_hand": Wording(
        _W,
        "between concealed tiles there is room for one more; check that none was overlooked",
        "手牌之间有一张牌的空位；请核对有没有漏看的牌",
    ),
    "owner_unclear": Wording(
        _W,
        "it is not clear on which side of the tiles their owner sits, so left and right may be exchanged; check who gave the tile",
        "看不清和牌者坐在哪一边，上家与下家可能颠倒；请核对来源",
    ),
    "sideways_in_hand": Wording(
        _W,
        "tiles that lie sideways are read as concealed ones; check that they are no meld",
        "有横放的牌读作手牌；请核对是不是副露",
    ),
    "several_hands": Wording(
        _W,
        "{} hands are on the photo; point at the one that is meant",
        "照片上有 {} 手牌；请指明是哪一手",
    ),
    "photos_differ": Wording(
        _W, "the photos do not show the same hand: {}", "几张照片不是同一手牌：{}"
    ),
}
"""Every problem of a photo by its code."""


def problem(
    code: str, tiles: Iterable[int] = (), detail_en: object = "", detail_zh: object = ""
) -> PhotoProblem:
    """The problem with this code; `tiles` are ids of the tiles concerned, the details fill the
    message.
    """
    wording = WORDINGS[code]
    return PhotoProblem(
        code,
        wording.severity,
        wording.en.replace("{}", str(detail_en)),
        wording.zh.replace("{}", str(detail_zh or detail_en)),
        tuple(sorted(tiles)),
    )


def errors_first(problems: Iterable[PhotoProblem]) -> tuple[PhotoProblem, ...]:
    """Errors, then warnings, then notes."""
    order = (_E, _W, _N)
    return tuple(sorted(problems, key=lambda p: (order.index(p.severity), p.code, p.tiles)))


def zh_name(tile: Tile) -> str:
    """Chinese name of a tile."""
    return ZH_NAMES[tile]
