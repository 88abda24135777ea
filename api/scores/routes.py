"""Hands in notation or as JSON, scored; and the rule sets."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request, Response

from hupai.api.answers.hand_belief import HandBelief, stated_and_unknown
from hupai.api.answers.requests import requested_hand, rule_set
from hupai.api.answers.score_answer import score_answer
from hupai.api.auth.principal import needs
from hupai.api.contract.rule_sets import RuleSetOut, RulesOut
from hupai.api.contract.score import ScoreAnswer, ScoreRequest
from hupai.api.hands.dependencies import Reader
from hupai.api.web import samples
from hupai.api.web.dependencies import NOT_MODIFIED, cacheable, problem_docs
from hupai.api.web.problem_types import (
    BAD_NOTATION,
    BAD_REQUEST,
    INVALID,
    TOO_LARGE,
    UNKNOWN_RULES,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.scoring.rule_sets import all_rules

router = APIRouter(prefix="/v1", route_class=MediaRoute)


@router.post(
    "/scores",
    summary="Score a hand",
    tags=["hands"],
    dependencies=[Depends(needs("player"))],
    response_model=ScoreAnswer,
    responses={
        200: {
            "content": {
                "application/json": {
                    "examples": {"score": {"value": samples.sample("score_answer")}}
                }
            }
        },
        **problem_docs(
            BAD_REQUEST, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID, UNKNOWN_RULES, BAD_NOTATION
        ),
    },
)
async def score(
    wanted: Annotated[ScoreRequest, Body(openapi_examples=samples.SCORE_REQUESTS)],
    reader: Reader,
) -> ScoreAnswer:
    """Fan with clause and reason, what was left out and why, payments; and the question that is
    still open.

    Circumstances left out take their defaults; with `ask` they become questions. An illegal hand is
    no error of the request: all its problems come in `score.problems`.
    """
    chosen = rule_set(wanted.rules)
    won, unknown = (
        stated_and_unknown(wanted.circumstances) if wanted.ask else (wanted.circumstances, ())
    )
    belief = HandBelief.of_hand(requested_hand(wanted), won, wanted.doubts, unknown)
    return await reader.compute(lambda: score_answer(chosen, belief))


@router.get(
    "/rules",
    summary="Rule sets",
    tags=["rules"],
    response_model=RulesOut,
    responses={
        200: {
            "content": {
                "application/json": {"examples": {"rules": {"value": samples.sample("rules")}}}
            }
        },
        **NOT_MODIFIED,
    },
)
async def list_rules(request: Request) -> Response:
    """Every rule set with its names, minimum, tiles in play and the circumstances to ask for."""
    answer = RulesOut(rules=[RuleSetOut.of(rules) for rules in all_rules()])
    return cacheable(request, answer.model_dump_json().encode(), "application/json", seconds=60)
