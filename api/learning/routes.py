"""Consent over HTTP: may this deployment, this hand, this case be learnt from?"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from hupai.api.auth.principal import Principal, needs
from hupai.api.contract.hand import Model
from hupai.api.dossier.rows import CaseRow
from hupai.api.hands.routes import HandId, Hands, Player
from hupai.api.learning import consent
from hupai.api.storage import Storage
from hupai.api.web.dependencies import MediaRoute, problem_docs
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    INVALID,
    NOT_FOUND,
    STORAGE_FULL,
    STORAGE_UNAVAILABLE,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.problems import ApiProblem
from hupai.api.web.storage_access import storage

router = APIRouter(prefix="/v1", tags=["learning"], route_class=MediaRoute)

Store = Annotated[Storage, Depends(storage)]
Operator = Annotated[Principal, Depends(needs("operator"))]
Referee = Annotated[Principal, Depends(needs("referee"))]
_WRITTEN = (BAD_REQUEST, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID, STORAGE_FULL)


class ConsentIn(Model):
    """Yes or no."""

    given: bool = Field(
        description="True: photo and corrections may teach this reader. False: no longer."
    )


class ConsentOut(BaseModel):
    """What was said last; null where nobody was asked. Nothing is used unless both are true."""

    deployment: bool | None = Field(description="Of this deployment as a whole.")
    given: bool | None = Field(description="Of the hand or case asked for; null for none.")


Said = Annotated[ConsentIn, Body(openapi_examples={"yes": {"value": {"given": True}}})]


def _example(deployment: bool, given: bool) -> dict[int | str, dict[str, Any]]:
    value = {"deployment": deployment, "given": given}
    return {200: {"content": {"application/json": {"examples": {"consent": {"value": value}}}}}}


def _last(store: Storage, subject: str | None) -> ConsentOut:
    with store.database.session(write=False) as session:
        return ConsentOut(
            deployment=consent.last(session, consent.DEPLOYMENT),
            given=None if subject is None else consent.last(session, subject),
        )


def _say(store: Storage, subject: str, who: Principal, given: bool) -> None:
    with store.database.session() as session:
        consent.say(session, subject, who.name, given=given)


@router.get(
    "/learning/consent",
    summary="May this deployment learn from its hands?",
    response_model=ConsentOut,
    responses={**_example(True, False), **problem_docs(STORAGE_UNAVAILABLE)},
)
async def deployment_consent(
    _who: Annotated[Principal, Depends(needs("player"))], store: Store
) -> ConsentOut:
    """Null where nobody has been asked yet."""
    return await run_in_threadpool(_last, store, None)


@router.put(
    "/learning/consent",
    summary="Let this deployment learn from its hands, or not",
    response_model=ConsentOut,
    responses={**_example(True, False), **problem_docs(*_WRITTEN, STORAGE_UNAVAILABLE)},
)
async def set_deployment_consent(who: Operator, body: Said, store: Store) -> ConsentOut:
    """Photos and labels stay where they are stored. Taken back, every later export is empty."""
    await run_in_threadpool(_say, store, consent.DEPLOYMENT, who, body.given)
    return await run_in_threadpool(_last, store, None)


@router.get(
    "/hands/{hand_id}/consent",
    summary="May this hand be learnt from?",
    response_model=ConsentOut,
    responses={**_example(True, False), **problem_docs(NOT_FOUND, STORAGE_UNAVAILABLE)},
)
async def hand_consent(hand_id: HandId, who: Player, hands: Hands, store: Store) -> ConsentOut:
    """What its author, or a referee, said last."""
    await run_in_threadpool(hands.find, hand_id, who)
    return await run_in_threadpool(_last, store, consent.hand_subject(hand_id))


@router.put(
    "/hands/{hand_id}/consent",
    summary="Let a hand be learnt from, or take it back",
    response_model=ConsentOut,
    responses={**_example(True, True), **problem_docs(NOT_FOUND, *_WRITTEN, STORAGE_UNAVAILABLE)},
)
async def set_hand_consent(
    hand_id: HandId, who: Player, body: Said, hands: Hands, store: Store
) -> ConsentOut:
    """Taken back, photo and corrections are in no later export."""
    await run_in_threadpool(hands.find, hand_id, who)
    subject = consent.hand_subject(hand_id)
    await run_in_threadpool(_say, store, subject, who, body.given)
    return await run_in_threadpool(_last, store, subject)


@router.put(
    "/cases/{case_id}/consent",
    summary="Let a case be learnt from, or take it back",
    response_model=ConsentOut,
    responses={**_example(True, True), **problem_docs(NOT_FOUND, *_WRITTEN, STORAGE_UNAVAILABLE)},
)
async def set_case_consent(
    case_id: Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$", description="Id of the case.")],
    who: Referee,
    body: Said,
    store: Store,
) -> ConsentOut:
    """Rulings are the best labels there are. The case's log says nothing of consent."""

    def work() -> ConsentOut:
        with store.database.session(write=False) as session:
            if session.get(CaseRow, case_id) is None:
                raise ApiProblem(NOT_FOUND, f"There is no case {case_id}.", "没有这个案卷。")
        _say(store, consent.case_subject(case_id), who, body.given)
        return _last(store, consent.case_subject(case_id))

    return await run_in_threadpool(work)
