"""A whole Sichuan deal, settled."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends

from hupai.api.auth.principal import needs
from hupai.api.contract.deal import SettlementOut
from hupai.api.hands.dependencies import Reader
from hupai.api.web import samples
from hupai.api.web.dependencies import problem_docs, sample_docs
from hupai.api.web.problem_types import BAD_REQUEST, INVALID, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
from hupai.api.web.problems import refused_log
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.scoring.cases.fields import CaseFormatError
from hupai.scoring.sichuan.deal.json import parse_deal
from hupai.scoring.sichuan.deal.settle import settle

router = APIRouter(
    prefix="/v1", tags=["hands"], route_class=MediaRoute, dependencies=[Depends(needs("player"))]
)


@router.post(
    "/deals",
    summary="Settle a Sichuan deal",
    response_model=SettlementOut,
    responses={
        **sample_docs("deal"),
        **problem_docs(BAD_REQUEST, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID),
    },
)
async def deals(
    log: Annotated[dict[str, Any], Body(openapi_examples=samples.DEAL_REQUESTS)], reader: Reader
) -> SettlementOut:
    """Every payment of a deal with its clause, what each player gains or loses, and who deals next.

    The log names `players`, optionally `dealer`, and `events` in order: kong, win, multi_win,
    exhaust, fine and so on, as in docs/deals.md. What cannot be right in the log is left out and
    named in `problems`.
    """
    try:
        deal = parse_deal(log)
    except CaseFormatError as error:
        raise refused_log(error) from None
    settlement = await reader.compute(lambda: settle(deal))
    return SettlementOut.of(settlement)
