"""Beside the score of one hand: what a hand waits for, and one hand under several rules."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends

from hupai.api.answers.requests import requested_hand, rule_set
from hupai.api.auth.principal import needs
from hupai.api.contract.comparison import (
    ColumnOut,
    ComparisonOut,
    ComparisonRequest,
    ProfileDifferenceOut,
    WaitsOut,
    WaitsRequest,
)
from hupai.api.hands.dependencies import Reader
from hupai.api.web import samples
from hupai.api.web.dependencies import problem_docs, sample_docs
from hupai.api.web.problem_types import (
    BAD_NOTATION,
    BAD_REQUEST,
    INVALID,
    TOO_LARGE,
    UNKNOWN_RULES,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.scoring.compare import Comparison
from hupai.scoring.compare import compare as compare_rules
from hupai.scoring.rule_sets import all_rules, families
from hupai.scoring.tiles import Tile
from hupai.scoring.waits import waits as find_waits

router = APIRouter(
    prefix="/v1", tags=["hands"], route_class=MediaRoute, dependencies=[Depends(needs("player"))]
)
_HAND_PROBLEMS = problem_docs(
    BAD_REQUEST, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID, UNKNOWN_RULES, BAD_NOTATION
)


@router.post(
    "/waits",
    summary="What a hand waits for",
    response_model=WaitsOut,
    responses={**sample_docs("waits"), **_HAND_PROBLEMS},
)
async def waits(
    wanted: Annotated[WaitsRequest, Body(openapi_examples=samples.WAITS_REQUESTS)], reader: Reader
) -> WaitsOut:
    """The tiles that complete a hand of 13, how many are left of each, and what each scores in each
    way of winning.
    """
    rules, hand = rule_set(wanted.rules), requested_hand(wanted)
    won_how = wanted.circumstances.to_circumstances()
    visible = [Tile.from_code(code) for code in wanted.visible]
    found = await reader.compute(lambda: find_waits(hand, rules, won_how, visible))
    return WaitsOut.of(found)


@router.post(
    "/comparisons",
    summary="One hand under several rules",
    response_model=ComparisonOut,
    responses={**sample_docs("comparison"), **_HAND_PROBLEMS},
)
async def comparisons(
    wanted: Annotated[ComparisonRequest, Body(openapi_examples=samples.COMPARISON_REQUESTS)],
    reader: Reader,
) -> ComparisonOut:
    """The hand under each rule set: whether it wins, its score, and why not; and what the
    profiles of a family count differently.
    """
    hand = requested_hand(wanted)
    chosen = (
        list(all_rules())
        if wanted.rules is None
        else [rule_set(one) for one in dict.fromkeys(wanted.rules)]
    )
    won_how = wanted.circumstances.to_circumstances()
    return await reader.compute(
        lambda: _compared(compare_rules(hand, won_how, [rules.id for rules in chosen]))
    )


def _compared(found: Comparison) -> ComparisonOut:
    chosen = [rules for rules in all_rules() if rules.id in {c.rules for c in found.columns}]
    pairs = [
        pair
        for family in families()
        for pair in family.differences(found.hand, found.circumstances, chosen)
    ]
    return ComparisonOut(
        columns=[ColumnOut.of(found.hand, column) for column in found.columns],
        differences=[ProfileDifferenceOut.of(pair) for pair in pairs],
    )
