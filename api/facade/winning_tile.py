"""The winning tile of a hand, as an argument names it."""

from __future__ import annotations

from hupai.api.facade.errors import ArgumentError
from hupai.scoring.hand import Hand, with_winning_tile
from hupai.scoring.notation import format_hand
from hupai.scoring.tiles import Tile


def with_held_winning_tile(hand: Hand, tile: Tile) -> Hand:
    """Return the hand with this tile as the winning one.

    Raises:
        ArgumentError: the hand does not hold it.
    """
    named = hand.winning_tile
    if named is tile:
        return hand
    if tile not in hand.concealed:
        already = f"; it says that +{named.code} won" if named else ""
        raise ArgumentError(
            f"the hand {format_hand(hand)} has no {tile.code} among its concealed tiles{already}"
        )
    return with_winning_tile(hand, tile)
