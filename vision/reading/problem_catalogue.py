"""What may be wrong with a photo or unclear on it: stable codes with their messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hupai.scoring.result import Severity
from hupai.scoring.tiles import ZH_NAMES, Tile
from hupai.vision.types import PhotoProblem


@dataclass(frozen=True, slots=True)
class Wording:
    """Severity of a problem and its messages; ``{}`` stands for a detail such as a tile's name."""

    severity: Severity
    en: str
    zh: str


_ERRORS = {
    "no_tiles": (
        "no tile was found; take the photo from closer and with more light",
        "未找到牌；请靠近些、光线充足时重拍",
    ),
    "no_hand": (
        "{} tiles lie about but none form a hand; lay the hand out in a row and take it again",
        "有 {} 张牌，但没有成排的手牌；请排成一行重拍",
    ),
    "too_many_tiles_on_photo": (
        "{} tiles lie together, more than a hand has; photograph the hand alone",
        "共 {} 张牌排在一起，超过一手牌；请单独拍摄手牌",
    ),
    "all_face_down": (
        "all tiles lie face down; turn the hand up and take it again",
        "牌都扣着；请翻开后重拍",
    ),
    "no_legal_hand": (
        "the tiles read make no possible hand; correct the tiles or take the photo again",
        "读到的牌不成合法手牌；请改正或重拍",
    ),
    "too_few_tiles": (
        "{} tiles, a kong counted as three, but a hand has 13 or 14; show all of it",
        "共 {} 张（杠按三张计），一手牌应为 13 或 14 张；请拍全",
    ),
    "too_many_tiles": (
        "{} tiles, a kong counted as three, but a hand has 13 or "
        "14; leave out what is no part of it",
        "共 {} 张（杠按三张计），一手牌应为 13 或 14 张；请去掉多余的牌",
    ),
    "five_of_a_kind": (
        "{} is seen more than four times; correct the one that is misread",
        "{} 出现超过四张；请改正读错的牌",
    ),
    "flower_twice": (
        "flower {} is seen twice; there is one of each",
        "花牌 {} 出现两次；每种只有一张",
    ),
    "face_down_tile": (
        "a tile of the hand lies face down; turn it up or say what it is",
        "手牌中有一张扣着；请翻开或指明",
    ),
}
"""Problems that leave no hand to score, or a wrong one: code, English, Chinese."""

_WARNINGS = {
    "not_in_rules": (
        "{} is not used under these rules",
        "本规则不用 {}",
    ),
    "not_a_set": (
        "the tiles laid down together are no chow, pung or kong: {}",
        "摆在一起的牌不成顺子、刻子或杠：{}",
    ),
    "tile_inferred": (
        "{}; what was seen makes no possible hand, check this tile",
        "{}；所见不成合法手牌，请核对这张牌",
    ),
    "low_confidence": (
        "not sure of {}; check it",
        "不能确定 {}；请核对",
    ),
    "kong_face_unknown": (
        "a concealed kong lies face down and shows no tile; say which it is",
        "暗杠全部扣着，看不到牌；请指明是什么牌",
    ),
    "kong_tile_unseen": (
        "one tile of the concealed kong was not found; check it",
        "暗杠有一张牌未找到；请核对",
    ),
    "grouping_unclear": (
        "it is not clear which tiles were laid down as melds",
        "哪些牌是副露不够清楚",
    ),
    "selection_unclear": (
        "it is not clear whether a tile nearby belongs to the hand",
        "旁边的牌是否属于手牌不够清楚",
    ),
    "cut_by_edge": (
        "the edge of the photo cuts the hand; show all of it",
        "手牌被照片边缘截断；请拍全",
    ),
    "odd_size": (
        "a tile of the hand may be only a part of one, or two in one; check it",
        "手牌中有一张可能只看到一部分，或两张看成一张；请核对",
    ),
    "faint_tile": (
        "a tile was hardly seen and counts because the hand lacks one there; check it",
        "有一张牌看不清，因手牌在此缺牌而计入；请核对",
    ),
    "gap_in_hand": (
        "between concealed tiles there is room for one more; check that none was overlooked",
        "手牌之间有一张牌的空位；请核对有没有漏看的牌",
    ),
    "owner_unclear": (
        "it is not clear on which side of the tiles their owner sits, so left "
        "and right may be exchanged; check who gave the tile",
        "看不清和牌者坐在哪一边，上家与下家可能颠倒；请核对来源",
    ),
    "sideways_in_hand": (
        "tiles that lie sideways are read as concealed ones; check that they are no meld",
        "有横放的牌读作手牌；请核对是不是副露",
    ),
    "several_hands": (
        "{} hands are on the photo; point at the one that is meant",
        "照片上有 {} 手牌；请指明是哪一手",
    ),
    "photos_differ": (
        "the photos do not show the same hand: {}",
        "几张照片不是同一手牌：{}",
    ),
}
"""Problems that may make the reading wrong."""

_NOTES = {
    "thirteen_tiles": (
        "13 tiles: the winning tile is not among them or the hand has not won",
        "共 13 张：和牌张不在其中，或尚未和牌",
    ),
    "winning_tile_unknown": (
        "no tile is set apart as the winning one; say which it was",
        "没有单独摆放的和牌张；请指明是哪一张",
    ),
    "kong_kind_unknown": (
        "four {} lie open: say whether the kong was concealed or claimed",
        "四张 {} 亮开：请指明是暗杠还是明杠",
    ),
    "claim_unknown": (
        "no tile of {} lies sideways: from whom it was claimed is not known",
        "{} 没有横放的牌：不知从谁家取得",
    ),
    "flowers_apart": (
        "flowers lie apart from the hand; say whether they belong to it",
        "有花牌摆在手牌之外；请指明是否属于这手牌",
    ),
}
"""What the photo does not tell."""

WORDINGS = {
    code: Wording(severity, *messages)
    for severity, some in zip(Severity, (_ERRORS, _WARNINGS, _NOTES), strict=True)
    for code, messages in some.items()
}
"""Every problem of a photo by its code."""


def problem(
    code: str, tiles: Iterable[int] = (), detail_en: object = "", detail_zh: object = ""
) -> PhotoProblem:
    """Make the problem with this code.

    Args:
        code: one of `WORDINGS`.
        tiles: ids of the tiles concerned.
        detail_en: fills the English message.
        detail_zh: fills the Chinese one; the same if it is not given.
    """
    wording = WORDINGS[code]
    return PhotoProblem(
        code,
        wording.severity,
        wording.en.replace("{}", str(detail_en)),
        wording.zh.replace("{}", str(detail_zh or detail_en)),
        tuple(sorted(tiles)),
    )


def tile_problem(code: str, tiles: Iterable[int], *faces: Tile) -> PhotoProblem:
    """Make the problem with this code about tiles with these faces."""
    return problem(code, tiles, "".join(t.code for t in faces), "".join(ZH_NAMES[t] for t in faces))


def errors_first(problems: Iterable[PhotoProblem]) -> tuple[PhotoProblem, ...]:
    """Sort problems: errors, then warnings, then notes."""
    order = list(Severity)
    return tuple(sorted(problems, key=lambda p: (order.index(p.severity), p.code, p.tiles)))
