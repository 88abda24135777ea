"""The winning tile of a hand: name it, or see what each tile would score as it."""

from __future__ import annotations

from hupai.api.facade.errors import ArgumentError
from hupai.scoring.hand import Circumstances, Hand, with_winning_tile
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet, Score
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import HAND_SIZE


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


def scores_by_winning_tile(
    rules: RuleSet, hand: Hand, circumstances: Circumstances
) -> tuple[tuple[Hand, Score], ...]:
    """Score a hand with each tile that may have won.

    Returns:
        The hand with each winning tile that makes it complete, and its score; nothing where the
        hand says which tile won, is not of 14 tiles, or is complete with none of them.
    """
    if hand.winning_tile is not None or hand.size != HAND_SIZE + 1:
        return ()
    hands = [with_winning_tile(hand, tile) for tile in sorted(set(hand.concealed))]
    scored = [(won, rules.score(won, circumstances)) for won in hands]
    return tuple((won, score) for won, score in scored if score.complete)
