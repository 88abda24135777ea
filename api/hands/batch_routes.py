"""Several photos in one request: one hand each."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Request, Response, UploadFile

from hupai.api.answers.requests import rule_set
from hupai.api.auth.principal import Principal
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.problem import ProblemDetails
from hupai.api.contract.score import RulesId
from hupai.api.hands.dependencies import Reader
from hupai.api.hands.forms import HandForm, TileSetField
from hupai.api.hands.routes import (
    CircumstancesField,
    Hands,
    Key,
    Player,
    StoreField,
    wrong,
)
from hupai.api.hands.schemas import BatchItem, BatchOut
from hupai.api.hands.service import HandService
from hupai.api.web import sse
from hupai.api.web.dependencies import (
    app_settings,
    form_json,
    problem_docs,
    sample_docs,
    wanted_type,
)
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    BUSY,
    INVALID,
    NOT_ACCEPTABLE,
    TOO_LARGE,
    UNKNOWN_RULES,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.api.web.settings import Settings
from hupai.api.web.uploads import display_name
from hupai.api.web.work_queue import Watch

router = APIRouter(prefix="/v1", tags=["hands"], route_class=MediaRoute)


@router.post(
    "/hands/batch",
    summary="Read several photos, one hand each",
    response_model=BatchOut,
    responses={
        200: {
            **sample_docs("batch")[200],
            "content": {**sample_docs("batch")[200]["content"], sse.MEDIA_TYPE: sse.DOCS},
        },
        **problem_docs(
            BAD_REQUEST,
            NOT_ACCEPTABLE,
            TOO_LARGE,
            UNSUPPORTED_MEDIA_TYPE,
            INVALID,
            UNKNOWN_RULES,
            BUSY,
        ),
    },
)
async def read_several(
    request: Request,
    photos: Annotated[
        list[UploadFile],
        File(min_length=1, description="Photos, each of one hand; repeat the field."),
    ],
    who: Player,
    hands: Hands,
    reader: Reader,
    limits: Annotated[Settings, Depends(app_settings)],
    key: Key,
    rules: Annotated[RulesId, Form()],
    circumstances: CircumstancesField = "{}",
    store: StoreField = True,
    tile_set: TileSetField = "auto",
) -> BatchOut | Response:
    """Reads the photos one after another and keeps each as a separate hand, under the same rules
    and circumstances.

    A photo that cannot be read, or over which the service fails, does not fail the batch: its
    entry holds the problem, the others their hands. Together they may be as large as one request.
    With `Accept: text/event-stream` each result comes as it is ready: `progress` events, a `result`
    event per photo, then `done` with all. `Idempotency-Key` stands for the whole batch: sent again
    with it, each photo is compared with the one at its place. While the queue is full each photo
    waits for a place, before single photos; a batch is refused where too many wait already.
    """
    media = wanted_type(request, ("application/json", sse.MEDIA_TYPE))
    if len(photos) > limits.batch_photos:
        raise wrong(
            ("body", "photos"),
            f"at most {limits.batch_photos} photos a request",
            f"每次请求最多 {limits.batch_photos} 张照片",
        )
    chosen = rule_set(rules)
    won_how = form_json(CircumstancesModel, circumstances, "circumstances")
    forms = [
        HandForm(await photo.read(), display_name(photo), chosen, won_how, None, store, tile_set)
        for photo in photos
    ]
    reader.queue.check_room(patient=True)
    batch = _Batch(request, hands, who, key)
    if media == sse.MEDIA_TYPE:
        return sse.stream(request, lambda events: batch.run(forms, events))
    return await batch.run(forms, None)


class _Batch:
    """The photos of one request, one at a time, so that a batch takes one place in the queue and
    leaves room for others.

    While the queue is full a photo waits in line for a place, before requests of a single photo,
    which are refused then.
    """

    def __init__(
        self, request: Request, hands: HandService, who: Principal, key: str | None
    ) -> None:
        self._request = request
        self._hands = hands
        self._who = who
        self._key = key

    async def run(self, forms: list[HandForm], events: sse.Events | None) -> BatchOut:
        """Read all of them; each result goes to `events` as soon as it is ready."""
        results = []
        for index, form in enumerate(forms):
            item = await self._one(index, form, None if events is None else events.watch(index))
            if events is not None:
                events.put("result", item.model_dump_json())
            results.append(item)
        return BatchOut(results=results)

    async def _one(self, index: int, form: HandForm, watch: Watch | None) -> BatchItem:
        key = None if self._key is None else _key_of(self._key, index)
        try:
            hand, replayed = await self._hands.submit(form, self._who, key, watch, patient=True)
        except Exception as error:  # noqa: BLE001 - the other photos are read all the same
            problem = ProblemDetails.model_validate(sse.problem_of(self._request, error))
            return BatchItem(index=index, name=form.name, hand=None, problem=problem)
        return BatchItem(index=index, name=form.name, replayed=replayed, hand=hand, problem=None)


def _key_of(key: str, index: int) -> str:
    """The key of one photo of a batch, as short as the column needs it. A client's own key has no
    spaces, so it is never the same.
    """
    return f"batch {index} {sha256(key.encode()).hexdigest()}"
