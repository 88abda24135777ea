"""Calls PyMahjongGB with this project's hands."""

from __future__ import annotations

from dataclasses import dataclass

from MahjongGB import MahjongFanCalculator

from benchmarks.scoring.hands import Deal
from hupai.scoring.hand import Meld, MeldKind
from hupai.scoring.notation import format_tiles
from hupai.scoring.tiles import Tile

Arguments = tuple[object, ...]

_ZH = {"独听・边张": "边张", "独听・嵌张": "坎张", "独听・单钓": "单钓将"}


@dataclass(frozen=True, slots=True)
class Answer:
    """PyMahjongGB's total and fan, by the names of the rule text, or its error message."""

    total: int
    fans: dict[str, int]
    error: str = ""


def arguments(deal: Deal) -> Arguments:
    """Return the positional arguments of `MahjongFanCalculator`, verbose last."""
    hand, won = deal.hand, deal.circumstances
    assert hand.winning_tile is not None
    return (
        tuple(_pack(meld) for meld in hand.melds),
        tuple(_word(tile) for tile in hand.concealed),
        _word(hand.winning_tile),
        won.flowers or len(hand.flowers),
        won.self_drawn,
        won.last_of_kind,
        won.kong_replacement or won.robbing_kong,
        won.last_tile,
        (won.seat_wind or Tile.EAST) - Tile.EAST,
        (won.round_wind or Tile.EAST) - Tile.EAST,
        True,
    )


def ask(deal: Deal) -> Answer:
    """Return PyMahjongGB's answer to a deal."""
    try:
        lines = MahjongFanCalculator(*arguments(deal))
    except (TypeError, ValueError) as error:
        return Answer(0, {}, str(error))
    return Answer(
        sum(points * times for points, times, *_ in lines),
        {_ZH.get(zh, zh): times for _, times, zh, _ in lines},
    )


def _word(tile: Tile) -> str:
    return format_tiles((tile,), "mahjonggb")


def _pack(meld: Meld) -> tuple[str, str, int]:
    if meld.kind is MeldKind.CHOW:
        return ("CHI", _word(meld.tiles[1]), 1)
    if not meld.is_kong:
        return ("PENG", _word(meld.tiles[0]), 1)
    return ("GANG", _word(meld.tiles[0]), 0 if meld.is_concealed else 1)
