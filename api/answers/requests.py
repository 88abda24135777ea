"""Rule set and hand of a request, as values of scoring."""

from __future__ import annotations

from hupai.api.contract.score import HandRequest
from hupai.api.web.problem_types import BAD_NOTATION, UNKNOWN_RULES
from hupai.api.web.problems import ApiProblem
from hupai.scoring import rule_sets
from hupai.scoring.hand import Hand
from hupai.scoring.notation import NotationError, parse_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.rule_sets import UnknownRuleSetError


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
    """The hand that the notation says.

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
