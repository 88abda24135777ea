"""Rule set and hand of a request, as values of scoring."""

from __future__ import annotations

from hupai.api.answers.hand_belief import WinningTileError
from hupai.api.contract.score import HandRequest
from hupai.api.web.field_errors import FieldError
from hupai.api.web.problem_types import BAD_NOTATION, UNKNOWN_RULES
from hupai.api.web.problems import ApiProblem, invalid
from hupai.scoring import rule_sets
from hupai.scoring.hand import Hand, with_winning_tile
from hupai.scoring.notation import NotationError, parse_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.rule_sets import UnknownRuleSetError
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import HAND_SIZE
from hupai.vision.types import LikelyHand

_NAME_A_HELD_TILE = (
    "Name one of the hand's concealed tiles, or give the whole hand with the tile in it.",
    "请指明立牌中的一张，或给出含有这张牌的整副牌。",
)


def rule_set(rules_id: str) -> RuleSet:
    """The rule set with this id.

    Raises:
        ApiProblem: ``unknown-rules``, with the ids that exist.
    """
    try:
        return rule_sets.get(rules_id)
    except UnknownRuleSetError as error:
        known = list(error.known)
        raise ApiProblem(
            UNKNOWN_RULES,
            f"There are no rules {rules_id!r}; known are {', '.join(known)}.",
            f"没有规则 {rules_id!r}，可用：{'、'.join(known)}。",
            extra={"known": known},
        ) from None


def hand_of_notation(text: str) -> Hand:
    """The hand that the notation describes.

    Raises:
        ApiProblem: ``bad-notation``, with the position where reading stopped.
    """
    try:
        return parse_hand(text)
    except NotationError as error:
        raise ApiProblem(
            BAD_NOTATION,
            str(error),
            error.message_zh,
            extra={"position": error.position},
        ) from None


def requested_hand(wanted: HandRequest) -> Hand:
    """The hand of a request, whichever way it was given; see `hand_of_notation` for what it
    raises.
    """
    return (
        wanted.hand.to_hand()
        if wanted.hand is not None
        else hand_of_notation(wanted.notation or "")
    )


def won_with(hand: Hand, code: str) -> Hand:
    """The hand with the tile of this code as the winning one.

    A hand of 13 tiles is given the tile; any other must hold it, or it would have one too many.

    Raises:
        ApiProblem: ``invalid-request``, if the hand does not hold the tile.
    """
    tile = Tile.from_code(code)
    waits = hand.winning_tile is None and hand.size == HAND_SIZE
    if not (waits or tile is hand.winning_tile or tile in hand.concealed):
        refused = invalid([no_such_winner(WinningTileError(tile, [LikelyHand(hand, 1.0)]))])
        refused.advice = _NAME_A_HELD_TILE
        raise refused
    return with_winning_tile(hand, tile)


def no_such_winner(error: WinningTileError) -> FieldError:
    """What is wrong with a stated winning tile that no likely hand holds."""
    return FieldError("winning_tile", str(error), error.message_zh)
