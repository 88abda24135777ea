"""What keeps a hand from winning under KC v2.5, all at once."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from hupai.scoring.checks.catalogue import problem, winning_tile_problems
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
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import Problem
from hupai.scoring.tiles import PLAYABLE, Tile

NAME_EN = "KC mahjong v2.5"
NAME_ZH = "KC 麻将规则 v2.5"

IN_PLAY: frozenset[Tile] = frozenset(PLAYABLE)
"""136 tiles: the suits, winds and dragons; the text knows no flowers."""

CIRCUMSTANCES: tuple[str, ...] = (
    "self_drawn",
    "dealer",
    "dealer_streak",
    "discarder_is_dealer",
    "kong_replacement",
    "robbing_kong",
    "last_of_kind",
    "last_tile",
    "heavenly_ready",
    "heavenly_win",
    "ready_declared",
)


_READ = frozenset(CIRCUMSTANCES)


_SELDOM_SET = attrgetter(
    *sorted(set(Circumstances.__dataclass_fields__) - {"self_drawn", "dealer"})
)
_NOT_SET = _SELDOM_SET(Circumstances())


def find_problems(hand: Hand, circumstances: Circumstances) -> tuple[Problem, ...]:
    """Return everything found, errors first."""
    if _SELDOM_SET(circumstances) == _NOT_SET and is_sound(hand):
        return ()
    return errors_first(_all_problems(hand, circumstances))


def _all_problems(hand: Hand, circumstances: Circumstances) -> Iterator[Problem]:
    if not is_sound(hand):
        yield from tile_problems(hand, IN_PLAY, NAME_EN, NAME_ZH)
        yield from meld_problems(hand)
        yield from count_problems(hand)
    if circumstances.last_of_kind:
        yield from winning_tile_problems(hand)
    yield from flag_problems(hand, circumstances, _READ)
    yield from _dealer_problems(circumstances)
    yield from _heavenly_problems(hand, circumstances)
    yield from flags_not_used(circumstances, _READ, NAME_EN, NAME_ZH)


def _dealer_problems(circumstances: Circumstances) -> Iterator[Problem]:
    if circumstances.discarder_is_dealer and circumstances.dealer:
        yield contradiction(
            "Winner and discarder cannot both be the dealer: take one of the two away.",
            "和牌者与点炮者不能都是庄家：请取消其一。",
        )
    if circumstances.discarder_is_dealer and circumstances.self_drawn:
        yield contradiction(
            "A self-drawn win has no discarder: take self-drawn or the dealer's discard away.",
            "自摸没有点炮者：请取消其一。",
        )
    if circumstances.dealer_streak < 0:
        yield contradiction(
            f"A dealer streak of {circumstances.dealer_streak} cannot be: give 0 or more.",
            "连庄数不能为负：请给 0 或以上。",
        )


def _heavenly_problems(hand: Hand, circumstances: Circumstances) -> Iterator[Problem]:
    if circumstances.heavenly_win:
        if not circumstances.dealer:
            yield contradiction(
                "Only the dealer can win with the dealt tiles (天和): set dealer too.",
                "只有庄家能天和：请同时选庄家。",
            )
        if not circumstances.self_drawn:
            yield contradiction(
                "天和 takes no other player's tile: set self-drawn too.",
                "天和为自己抓得的牌：请同时选自摸。",
            )
        if hand.melds:
            yield contradiction(
                "天和 comes before any claim or kong, but the hand shows melds.",
                "天和之前不可能吃碰杠，而手牌有副露。",
            )
        if circumstances.heavenly_ready:
            yield contradiction(
                "天和 wins at once; nothing is declared ready before it: take 天听 away.",
                "天和即时和牌，不再报天听：请取消其一。",
            )
    elif circumstances.heavenly_ready and any(not meld.is_concealed for meld in hand.melds):
        yield contradiction(
            "A hand declared ready from the deal (天听) may not be changed, so it cannot hold "
            "claimed sets.",
            "天听后不能换牌，手牌不可能有吃、碰、明杠。",
        )


def no_fan() -> Problem:
    """Return the problem of a complete hand without a single fan."""
    return problem(
        "no_fan",
        "The hand is complete but has no fan; a win needs one at least (3.2.2).",
        "牌型已成，但没有任何番；和牌至少要有一番（3.2.2）。",
    )


def not_complete() -> Problem:
    """Return the problem of tiles that make no winning shape."""
    return problem(
        "not_complete",
        "The tiles make no winning shape: four sets and a pair, seven pairs, thirteen orphans or "
        "all apart. Check the tiles.",
        "手牌不成和牌牌型（四副一将、七对、十三幺、全不靠）：请核对。",
    )
