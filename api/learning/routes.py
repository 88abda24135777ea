"""Learning over HTTP: consent, what to check next, how much is corrected."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from hupai.api.auth.principal import Principal, needs
from hupai.api.contract.hand import Model
from hupai.api.dossier.rows import CaseRow
from hupai.api.hands.routes import HandId, Hands, Player
from hupai.api.learning import consent
from hupai.api.learning.drift import drift
from hupai.api.learning.suggest import suggest
from hupai.api.storage import Storage
from hupai.api.web.dependencies import problem_docs
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
from hupai.api.web.routing.route_classes import MediaRoute
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
    """What was said last; null if nobody was asked. Nothing is used unless both are true."""

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
    """Null if nobody has been asked yet."""
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


class DriftRow(BaseModel):
    """What people checked in a week, of one tile set, read with one set of weights."""

    week: str
    tile_set: str
    model: str
    hands: int
    tiles: int
    tiles_corrected: int
    groups: int
    groups_corrected: int
    offer: bool = Field(description="So much is corrected that teaching the tile set helps.")


class DriftOut(BaseModel):
    """All weeks, the oldest first."""

    rows: list[DriftRow]


class SuggestionOut(BaseModel):
    """A stored hand that would teach much, were it checked."""

    hand: str
    photo: str
    notation: str | None
    information: float = Field(description="Bits that the reading leaves open.")
    novelty: float = Field(description="1 for a photo like none that is labelled.")
    value: float


class SuggestionsOut(BaseModel):
    """The most valuable first."""

    suggestions: list[SuggestionOut]


_DRIFT = {
    "week": "2026-W47", "tile_set": "club", "model": "default 2026.11.8", "hands": 12,
    "tiles": 171, "tiles_corrected": 9, "groups": 30, "groups_corrected": 2, "offer": True,
}  # fmt: skip
_SUGGESTION = {
    "hand": "0192f3a0-0000-7000-8000-000000000000", "photo": "0" * 64, "notation": "23m55pEEE",
    "information": 5.2, "novelty": 0.9, "value": 4.7,
}  # fmt: skip


def _json(name: str, value: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {"application/json": {"examples": {name: {"value": value}}}}}}


@router.get(
    "/learning/drift",
    summary="How much is corrected, by week, tile set and weights",
    response_model=DriftOut,
    dependencies=[Depends(needs("referee"))],
    responses={**_json("drift", {"rows": [_DRIFT]}), **problem_docs(STORAGE_UNAVAILABLE)},
)
async def corrected_shares(store: Store) -> DriftOut:
    """Counts of hands that somebody corrected or confirmed; hands nobody checked say nothing."""
    rows = await run_in_threadpool(drift, store)
    return DriftOut(rows=[DriftRow(**asdict(row), offer=row.offer) for row in rows])


@router.get(
    "/learning/suggestions",
    summary="Which stored hands to check next",
    response_model=SuggestionsOut,
    responses={
        **_json("suggestions", {"suggestions": [_SUGGESTION]}),
        **problem_docs(INVALID, STORAGE_UNAVAILABLE),
    },
)
async def suggestions(
    who: Player,
    store: Store,
    count: Annotated[int, Query(ge=1, le=50, description="At most so many.")] = 10,
) -> SuggestionsOut:
    """Of hands that nobody has checked, those whose reading leaves most open and that resemble no
    labelled photo. A player is shown hands of the own key.
    """
    author = None if "referee" in who.scopes else who.name
    found = await run_in_threadpool(partial(suggest, store, count, author=author))
    return SuggestionsOut(
        suggestions=[SuggestionOut.model_validate(one, from_attributes=True) for one in found]
    )
