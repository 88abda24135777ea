"""What a logged win says of itself that cannot all be true: how it was won, what it is worth."""

from __future__ import annotations

from collections.abc import Iterator

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.result import Problem, Severity
from hupai.scoring.sichuan.deal.log import KongKind, Win, Winner
from hupai.scoring.sichuan.deal.state import DealState

_DOUBLING = (
    ("kong_draw", "杠上花", "table 1, 8"),
    ("kong_discard", "杠上炮", "table 1, 10"),
    ("robbing_kong", "抢杠", "table 1, 11"),
    ("last_tile", "海底", "table 1, 13"),
)
"""Ways to win that double: no win by one of them has base points of 1."""


def contradictions(event: Win, state: DealState) -> Iterator[Problem]:
    """Find ways of winning that exclude each other, or what was logged before."""
    if event.robbing_kong and event.last_tile:
        yield problem(
            "contradictory_flags",
            "a robbed tile is not the last: a replacement for the kong would have to follow.",
            "抢杠时牌墙须留有补牌，不会是海底。",
        )
    if event.kong_draw and event.discarder is not None:
        yield problem(
            "contradictory_flags",
            "the replacement for a kong is drawn, not claimed.",
            "杠上花是自摸，不能由他家打出。",
        )
    chain = state.chain
    if event.kong_draw and event.discarder is None:
        own = chain and not state.chain_discarded and chain[-1].player == event.winners[0].player
        if not own:
            yield Problem(
                "deal_no_kong_before",
                Severity.ERROR,
                "no kong of the winner stands directly before this draw (杠上花).",
                "和牌者在此之前没有紧接的开杠，不是杠上花。",
            )
    if event.robbing_kong and state.last_kong is not None:
        player, kind = state.last_kong
        if player == event.discarder and kind in (KongKind.CONCEALED, KongKind.FROM_DISCARD):
            name, zh = (
                ("concealed kong", "暗杠")
                if kind is KongKind.CONCEALED
                else ("kong of a discard", "引杠")
            )
            yield problem(
                "deal_concealed_kong",
                f"a {name} cannot be robbed, only a tile added to a pung (table 1, 11).",
                f"{zh}不能抢，只能抢加杠的牌（表1，11）。",
            )


def value_problems(winner: Winner, event: Win) -> Iterator[Problem]:
    """Find base points that the hand, the fan or the way of winning do not give."""
    base = winner.base_points
    claimed = winner.claimed_points
    if winner.hand is not None and claimed is not None and claimed != base:
        yield problem(
            "deal_points",
            f"{winner.player}'s hand is worth {base}, and the log says {claimed}.",
            f"{winner.player} 的手牌值{base}分，记录为{claimed}分。",
        )
    fan = winner.claimed_fan
    if fan is not None and 2 ** min(fan, 3) != base:
        yield problem(
            "deal_points",
            f"{fan} fan are {2 ** min(fan, 3)} base points (10.1.1), and {winner.player}'s are "
            f"{base}.",
            f"{fan}番为{2 ** min(fan, 3)}分（10.1.1），而 {winner.player} 记为{base}分。",
        )
    for name, zh, clause in _DOUBLING:
        if getattr(event, name) and base < 2:
            yield problem(
                "deal_points",
                f"{name} doubles ({clause}), so {winner.player} cannot have base points of {base}.",
                f"{zh}加番（{clause.replace('table ', '表')}），{winner.player} "
                f"的基本分不会是{base}。",
            )
