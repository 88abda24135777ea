"""What keeps a hand from winning under T/TFMJ 01-2024, each in its own words, all at once."""

from __future__ import annotations

from collections.abc import Iterator

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.checks.hand import (
    contradiction,
    count_problems,
    errors_first,
    flag_problems,
    flags_not_used,
    is_sound,
    meld_problems,
    tile_problems,
)
from hupai.scoring.hand import Circumstances, Hand, MeldKind
from hupai.scoring.result import Problem
from hupai.scoring.sichuan.patterns import SUIT_NAMES
from hupai.scoring.tiles import Suit, Tile, suit_named

NAME_EN = "Sichuan mahjong (T/TFMJ 01-2024)"
NAME_ZH = "四川麻将竞赛规则（T/TFMJ 01-2024）"

IN_PLAY: frozenset[Tile] = frozenset(Tile(i) for i in range(27))
"""108 tiles, the three suits only (5.1.1)."""

CIRCUMSTANCES: tuple[str, ...] = (
    "self_drawn",
    "kong_replacement",
    "kong_discard",
    "robbing_kong",
    "last_tile",
    "opponents",
    "void_suit",
    "partner_play",
)

_READ = frozenset(CIRCUMSTANCES)


def find_problems(hand: Hand, circumstances: Circumstances) -> tuple[Problem, ...]:
    """Return everything found, errors first."""
    return errors_first(_all_problems(hand, circumstances))


def _all_problems(hand: Hand, circumstances: Circumstances) -> Iterator[Problem]:
    yield from tile_and_meld_problems(hand)
    yield from count_problems(hand)
    yield from suit_problems(hand, circumstances)
    yield from flag_problems(hand, circumstances, _READ)
    yield from _opponent_problems(circumstances)
    yield from flags_not_used(circumstances, _READ, NAME_EN, NAME_ZH)


def tile_and_meld_problems(hand: Hand) -> Iterator[Problem]:
    """Find tiles that are not in play or too many of one, and melds that cannot be (5.1.1, 8.5)."""
    if not is_sound(hand, len(IN_PLAY)):
        yield from tile_problems(hand, IN_PLAY, NAME_EN, NAME_ZH)
        yield from meld_problems(hand)
    yield from _chow_problems(hand)


def _chow_problems(hand: Hand) -> Iterator[Problem]:
    for meld in hand.melds:
        if meld.kind is MeldKind.CHOW:
            codes = " ".join(t.code for t in meld.tiles)
            yield problem(
                "chow_not_used",
                f"{codes} lies open as a chow, but in Sichuan only pungs and kongs may be claimed "
                "(8.5, 8.6): check the meld.",
                "四川麻将只能碰、杠，不能吃牌（8.5、8.6）：请核对亮出的顺子。",
                meld.tiles,
            )


def suit_problems(hand: Hand, circumstances: Circumstances) -> Iterator[Problem]:
    """Find more than two suits, or tiles of the suit the player gave up."""
    suits = {t // 9 for t in hand.all_tiles if t < 27}
    if len(suits) > 2:
        yield problem(
            "three_suits",
            "The hand holds all three suits; a win must lack one (10.1.1, 3.24).",
            "手牌有三门花色；和牌必须缺一门（10.1.1、3.24）。",
        )
    declared = circumstances.void_suit
    if declared is None:
        return
    letter = suit_named(declared)
    if letter is None:
        yield contradiction(
            f"{declared!r} is no suit: name the void suit as m, p or s.",
            f"“{declared}”不是花色：定缺请写 m、p 或 s。",
        )
        return
    if circumstances.partner_play:
        yield problem(
            "flag_not_used",
            "In two-against-two no suit is declared void (3.23): the one given changes nothing.",
            "双打不定缺（3.23），所填定缺不起作用。",
        )
        return
    void = Suit(letter)
    en, zh = SUIT_NAMES[void]
    laid = tuple(t for meld in hand.melds for t in meld.tiles if t.suit is void)
    held = tuple(t for t in hand.all_tiles if t.suit is void)
    if laid:
        yield problem(
            "void_suit_held",
            f"The player declared {en} void and has laid down {' '.join(t.code for t in laid)}: "
            "check the sets, or which suit is void (3.23).",
            f"定缺为{zh}，而副露中有{zh}子：请核对副露或所填定缺（3.23）。",
            laid,
        )
    elif held:
        yield problem(
            "void_suit_held",
            f"The player declared {en} void and still holds {' '.join(t.code for t in held)}: "
            "no win until they are discarded (3.23, 11.2.10.3).",
            f"定缺为{zh}而手中仍有{zh}子，未打缺不能和牌（3.23、11.2.10.3）。",
            held,
        )


def _opponent_problems(circumstances: Circumstances) -> Iterator[Problem]:
    if not 1 <= circumstances.opponents <= 3:
        yield problem(
            "opponents_out_of_range",
            f"{circumstances.opponents} opponents cannot be right: one to three players still pay "
            "a win.",
            f"未和牌的对手数 {circumstances.opponents} 不合理：应为一至三家。",
        )
