"""The catalogue of problem codes, and the checks on flowers, winds and the winning tile.

A problem is data (`hupai.scoring.result.Problem`): every check returns all it finds, and a rule set
puts them together with those of `hupai.scoring.checks.hand`. `CODES` names every code that any rule
set may answer with, so that a caller can rely on the names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hupai.scoring.hand import Circumstances, Hand, MeldKind, Source
from hupai.scoring.result import Problem, Severity
from hupai.scoring.tiles import WINDS, ZH_NAMES, Tile


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What a problem code means: `severity` as it is usually reported, and its meaning in English
    and Chinese.
    """

    severity: Severity
    en: str
    zh: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

CODES: dict[str, CodeInfo] = {
    "face_down_tile": CodeInfo(
        _E, "A tile lies face down and is not known.", "有牌扣着，不知是什么牌。"
    ),
    "flower_not_used": CodeInfo(_E, "The rules are played without flowers.", "本规则不用花牌。"),
    "honour_not_used": CodeInfo(
        _E, "The rules are played without winds and dragons.", "本规则没有字牌。"
    ),
    "chow_not_used": CodeInfo(_E, "The rules do not allow a claimed chow.", "本规则不能吃牌。"),
    "not_a_flower": CodeInfo(_E, "A tile among the flowers is no flower.", "花牌中混有非花牌。"),
    "flower_in_hand": CodeInfo(
        _E, "A flower stands among the tiles that make the hand.", "手牌中混有花牌。"
    ),
    "duplicate_flower": CodeInfo(
        _E, "A flower occurs twice; there is one of each.", "花牌重复，每种只有一张。"
    ),
    "too_many_flowers": CodeInfo(
        _E,
        "More flowers than the eight there are, or fewer than none.",
        "花牌数不合理，一副牌只有八张花牌。",
    ),
    "flower_count_differs": CodeInfo(
        _E, "The flowers shown and the number given differ.", "所示花牌与给出的张数不符。"
    ),
    "five_of_a_kind": CodeInfo(
        _E, "A tile occurs more often than the four there are.", "同一种牌超过四张。"
    ),
    "bad_meld": CodeInfo(_E, "A meld is no chow, pung or kong.", "亮出的牌不成顺子、刻子或杠。"),
    "wrong_count": CodeInfo(
        _E, "The hand is not 14 tiles, a kong counted as three.", "手牌不是十四张（杠按三张计）。"
    ),
    "not_won_yet": CodeInfo(
        _E,
        "13 tiles and no winning tile: the hand has not won.",
        "手牌十三张而无和牌张，尚未和牌。",
    ),
    "not_13_tiles": CodeInfo(
        _E, "Waits are asked for a hand that is not 13 tiles.", "听牌须为十三张。"
    ),
    "winning_tile_unknown": CodeInfo(
        _E, "14 tiles, but not which of them won.", "十四张牌，但不知和的是哪一张。"
    ),
    "winning_tile_twice": CodeInfo(
        _E,
        "The winning tile stands among the 14 tiles and was given again.",
        "和牌张已在十四张中，又另外给出。",
    ),
    "winning_tile_not_in_hand": CodeInfo(
        _E, "The winning tile is not among the 14 tiles.", "和牌张不在十四张之中。"
    ),
    "chow_not_from_left": CodeInfo(
        _W, "A chow was claimed from a player who is not on the left.", "吃了不是上家打出的牌。"
    ),
    "not_complete": CodeInfo(_E, "The tiles make no winning shape.", "不成和牌牌型。"),
    "contradictory_flags": CodeInfo(
        _E,
        "Two circumstances, or one and the hand, cannot both be true.",
        "所给条件互相矛盾，或与手牌矛盾。",
    ),
    "flag_not_used": CodeInfo(
        _N, "A circumstance that the rules do not look at.", "本规则不计此项。"
    ),
    "not_a_wind": CodeInfo(_E, "Seat or round wind is no wind.", "门风或圈风不是风牌。"),
    "wind_unknown": CodeInfo(
        _W,
        "A pung of winds may be worth more, but seat or round wind is not given.",
        "有风刻，但未给出门风或圈风。",
    ),
    "below_minimum": CodeInfo(
        _W, "Complete, but below the least that may win.", "牌型已成，但未达起和分。"
    ),
    "three_suits": CodeInfo(_E, "A hand of three suits cannot win here.", "三门齐全，不能和牌。"),
    "void_suit_held": CodeInfo(
        _E, "Tiles of the suit that was given up are still held.", "手中仍有定缺的花色。"
    ),
    "no_fan": CodeInfo(
        _E, "Complete, but without a fan, and one is needed.", "牌型已成，但没有番，不能和牌。"
    ),
    "no_yaku": CodeInfo(
        _E, "Complete, but without a yaku; dora is none.", "牌型已成，但无役；宝牌不算役。"
    ),
    "dealer_unknown": CodeInfo(
        _N, "The seat wind is not given, so the winner is not the dealer.", "未给出自风，按闲家计。"
    ),
    "furiten_not_seen": CodeInfo(_N, "Furiten cannot be seen in a hand.", "振听无法从手牌看出。"),
    "too_many_red_fives": CodeInfo(
        _E, "More red fives than the set has, or than the hand has fives.", "赤五多于实有的张数。"
    ),
    "bad_indicator": CodeInfo(
        _E, "Indicators that cannot be: a flower, too many, a fifth tile.", "宝牌指示牌有误。"
    ),
    "deal_table": CodeInfo(
        _E, "The players, dealer or partners of a deal cannot be.", "本桌选手、庄家或搭档有误。"
    ),
    "deal_unknown_player": CodeInfo(
        _E, "A name in the log is not at the table.", "记录中有不在本桌的选手。"
    ),
    "deal_over": CodeInfo(_E, "An event after the end of the deal.", "本副结束后的事项。"),
    "deal_has_won": CodeInfo(_E, "A player who has won acts again.", "已和牌者又有动作。"),
    "deal_has_left": CodeInfo(
        _E, "A player who was fined out of the deal acts again.", "被罚退出者又有动作。"
    ),
    "deal_barred": CodeInfo(_E, "A player who may not win any more wins.", "已停和者和牌。"),
    "deal_no_discarder": CodeInfo(
        _E, "The player whose tile was claimed is missing or cannot be.", "缺少点炮者或有误。"
    ),
    "deal_winners": CodeInfo(_E, "The winners of a tile cannot be these.", "和牌者有误。"),
    "deal_points": CodeInfo(_E, "Points that the rules do not know.", "分数不合规则。"),
    "deal_passed_win": CodeInfo(
        _E, "A win that was given up before may not be taken yet.", "过和后未摸牌不能和。"
    ),
    "deal_no_kong_before": CodeInfo(
        _W, "A discard after a kong without a kong before it.", "杠上炮之前没有开杠。"
    ),
    "deal_readiness": CodeInfo(
        _W, "Who is ready at the end is missing or contradictory.", "查叫的有叫、无叫缺失或矛盾。"
    ),
    "deal_tiles": CodeInfo(
        _E, "The tiles that a log names cannot be there.", "记录中的牌张不可能如此。"
    ),
    "deal_hand": CodeInfo(_E, "A hand laid open does not fit the log.", "所亮手牌与记录不符。"),
    "deal_no_pung": CodeInfo(
        _E, "A tile is added to a pung that the log does not have.", "加杠之前没有碰牌。"
    ),
    "deal_concealed_kong": CodeInfo(
        _E, "A kong that cannot be robbed is robbed.", "暗杠、引杠不能抢。"
    ),
    "deal_void_suit": CodeInfo(_E, "A set of the suit that was given up.", "用定缺的花色碰或杠。"),
    "deal_void_suit_kept": CodeInfo(
        _W, "Another suit is discarded before the one given up.", "未打缺先打其他花色。"
    ),
    "deal_timely_rain": CodeInfo(
        _N, "A kong of a pung called with three in hand: no points.", "即时雨，无杠分。"
    ),
    "deal_on_trust": CodeInfo(
        _N,
        "What the log says without tiles that would prove it.",
        "记录未附牌张、按所报认定的事项。",
    ),
    "deal_unfinished": CodeInfo(_W, "The log stops before the deal is over.", "记录未到本副结束。"),
    "deal_balance": CodeInfo(
        _W, "Scores that do not sum to what the fines took away.", "得分合计与罚分不符。"
    ),
    "session_dealer": CodeInfo(_W, "Another dealer than the rules give.", "庄家与规则不符。"),
    "session_deals": CodeInfo(
        _N, "More or fewer deals than a session has.", "副数与一局规定不符。"
    ),
    "session_chips": CodeInfo(_N, "A player's chips are gone.", "筹码已输光。"),
    "session_deposits": CodeInfo(_N, "Riichi deposits are left on the table.", "桌上余有立直棒。"),
    "session_seats": CodeInfo(_N, "The seats are to be drawn again.", "四圈打完，重新换风。"),
    "session_two_winners": CodeInfo(
        _W, "Two winners on one discard, where only one or three count.", "一炮双响，不计。"
    ),
    "session_nearest": CodeInfo(
        _N, "Of several claims the nearest wins.", "多家和牌，在前者为和牌者。"
    ),
    "session_han_fu": CodeInfo(
        _W,
        "Han and fu that no hand has together; paid as logged.",
        "翻与符不可能同时成立，按记录付分。",
    ),
    "session_text_lacks": CodeInfo(
        _N, "The text at hand does not have the clause.", "所据文本无此条。"
    ),
    "kc_table": CodeInfo(_E, "KC is played by four.", "KC 麻将须四人。"),
    "kc_winners": CodeInfo(_E, "The winners of a tile cannot be these.", "和牌者有误。"),
    "kc_unknown_player": CodeInfo(_E, "A name is not at the table.", "有不在本桌的玩家。"),
    "opponents_out_of_range": CodeInfo(
        _E, "The number of payers is not possible.", "付分人数不合理。"
    ),
}
"""Every problem code; the message of a problem says more, with the tiles concerned."""


def problem(code: str, en: str, zh: str, tiles: tuple[Tile, ...] = ()) -> Problem:
    """Make the problem of this code, with the severity that `CODES` gives it."""
    return Problem(code, CODES[code].severity, en, zh, tiles)


def flower_problems(hand: Hand, circumstances: Circumstances) -> Iterator[Problem]:
    """Find flowers that cannot be.

    These are one twice, more than eight, one in the hand itself, or another number than the one
    given.
    """
    inside = tuple(tile for tile in hand.all_tiles if tile.is_flower)
    if inside:
        yield problem(
            "flower_in_hand",
            f"{codes(inside)} stands in the hand: a flower is laid aside and replaced, so list it "
            "with the flowers.",
            f"{names(inside)}在手牌中：花牌应补花后另放，请列入花牌。",
            inside,
        )
    twice = tuple(sorted({tile for tile in hand.flowers if hand.flowers.count(tile) > 1}))
    if twice:
        yield problem(
            "duplicate_flower",
            f"{codes(twice)} is listed more than once, but there is one of each flower: take the "
            "extra ones out.",
            f"{names(twice)}重复，每种花牌只有一张：请去掉多余的。",
            twice,
        )
    given = circumstances.flowers
    if given is None:
        return
    if not 0 <= given <= 8:
        yield problem(
            "too_many_flowers",
            f"{given} flowers were given: there are eight, so give a number from 0 to 8.",
            f"给出 {given} 张花牌：一副牌只有八张，请给 0 到 8。",
        )
    if hand.flowers and given != len(hand.flowers):
        yield problem(
            "flower_count_differs",
            f"The hand shows {len(hand.flowers)} flower(s), but {given} were given: correct one of "
            "the two.",
            f"手牌示有 {len(hand.flowers)} 张花牌，而给出 {given} 张：请更正其一。",
            hand.flowers,
        )


def wind_problems(hand: Hand, circumstances: Circumstances) -> Iterator[Problem]:
    """Find winds that are none, and winds missing where a pung of winds depends on them."""
    for role, role_zh, wind in (
        ("seat", "门风", circumstances.seat_wind),
        ("round", "圈风", circumstances.round_wind),
    ):
        if wind is not None and wind not in WINDS:
            yield problem(
                "not_a_wind",
                f"The {role} wind is given as {wind.code}: give E, S, W or N.",
                f"{role_zh}给成了{ZH_NAMES[wind]}：请给东、南、西、北之一。",
                (wind,),
            )
        pungs = tuple(tile for tile in WINDS if hand.all_tiles.count(tile) >= 3)
        if wind is None and pungs:
            yield problem(
                "wind_unknown",
                f"The hand holds three {codes(pungs)}, and the {role} wind is not given: give it, "
                "the pung may be worth more.",
                f"手牌有{names(pungs)}刻，但未给出{role_zh}：请补上，可能多计分。",
                pungs,
            )


def winning_tile_problems(hand: Hand) -> Iterator[Problem]:
    """Find 14 tiles of which none is marked as the winning one, or 14 and another tile."""
    own = len(hand.concealed) + 3 * len(hand.melds)
    won = hand.winning_tile
    if own != 14:
        return
    if won is None:
        yield problem(
            "winning_tile_unknown",
            "There are 14 tiles, but not which of them won, and the score depends on it: mark it, "
            "as in +5m.",
            "共十四张牌，但未指明和的是哪一张，分数与此有关：请标明，例如 +5m。",
        )
    elif won in hand.concealed:
        yield problem(
            "winning_tile_twice",
            f"The 14 tiles hold {won.code} already: take one {won.code} out of them, or name no "
            "other winning tile.",
            f"十四张中已有{names((won,))}：请从中去掉一张，或不再另给和牌张。",
            (won,),
        )
    else:
        yield problem(
            "winning_tile_not_in_hand",
            f"{won.code} is said to have won, but it is not among the 14 tiles: correct the "
            "winning tile or the hand.",
            f"和牌张为{names((won,))}，但不在十四张之中：请更正和牌张或手牌。",
            (won,),
        )


def chow_source_problems(hand: Hand) -> Iterator[Problem]:
    """Find chows that were claimed from across or from the right."""
    for meld in hand.melds:
        if meld.kind is MeldKind.CHOW and meld.claimed_from not in (None, Source.LEFT):
            yield problem(
                "chow_not_from_left",
                f"The chow {codes(meld.tiles)} is shown as claimed from a player who is not on the "
                "left: check how it lies.",
                f"顺子{names(meld.tiles)}所示并非吃自上家：请核对摆放。",
                meld.tiles,
            )


def codes(tiles: tuple[Tile, ...]) -> str:
    """Join the tiles' codes, for English messages."""
    return " ".join(tile.code for tile in tiles)


def names(tiles: tuple[Tile, ...]) -> str:
    """Join the tiles' Chinese names, for Chinese messages."""
    return "、".join(ZH_NAMES[tile] for tile in tiles)
