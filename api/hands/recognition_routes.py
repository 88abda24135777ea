"""Photos in: what is on them, and as pictures out, annotated or merely upright."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Query, Request, Response, UploadFile
from starlette.concurrency import run_in_threadpool

from hupai.api.answers.requests import rule_set
from hupai.api.auth.principal import needs
from hupai.api.contract.reading import ReadingOut
from hupai.api.contract.score import OptionalRules
from hupai.api.hands.dependencies import Reader
from hupai.api.hands.forms import AtField, TileSetField, point_of
from hupai.api.hands.photo_work.hand_photos import HandPhotos
from hupai.api.web import samples, sse
from hupai.api.web.dependencies import BINARY, PICTURES, app_settings, problem_docs, wanted_type
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    BAD_SIZE,
    BUSY,
    EMPTY_UPLOAD,
    INVALID,
    MODEL_UNAVAILABLE,
    NOT_A_PICTURE,
    NOT_ACCEPTABLE,
    TIMEOUT,
    TOO_LARGE,
    UNKNOWN_RULES,
    UNKNOWN_TILE_SET,
    UNREADABLE_PICTURE,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.api.web.settings import Settings
from hupai.api.web.uploads import Photos, display_name, read_uploads

router = APIRouter(
    prefix="/v1", tags=["photos"], route_class=MediaRoute, dependencies=[Depends(needs("player"))]
)

Photo = Annotated[
    UploadFile,
    File(description="A photo as JPEG, PNG, WebP or HEIC; its EXIF rotation is applied."),
]
Side = Annotated[
    int | None,
    Query(
        ge=64,
        le=8192,
        description="Longest side of the picture in pixels; default is the service's setting.",
    ),
]
Limits = Annotated[Settings, Depends(app_settings)]
_PHOTO_PROBLEMS = (
    BAD_REQUEST, NOT_ACCEPTABLE, TOO_LARGE, NOT_A_PICTURE, UNSUPPORTED_MEDIA_TYPE, INVALID,
    EMPTY_UPLOAD,
    UNREADABLE_PICTURE, BAD_SIZE, BUSY, TIMEOUT,
)  # fmt: skip


@router.post(
    "/recognitions",
    summary="Read a photo",
    response_model=ReadingOut,
    responses={
        200: {
            "description": "What is on the photo; with Accept image/jpeg or image/png the "
            "photo with boxes and names, with "
            "text/event-stream progress and then what is on it.",
            "content": {
                "application/json": {
                    "examples": {
                        "reading": {
                            "summary": "Fields of a reading",
                            "value": samples.sample("reading"),
                        }
                    }
                },
                "image/jpeg": BINARY,
                "image/png": BINARY,
                sse.MEDIA_TYPE: sse.DOCS,
            },
        },
        **problem_docs(*_PHOTO_PROBLEMS, UNKNOWN_RULES, UNKNOWN_TILE_SET, MODEL_UNAVAILABLE),
    },
)
async def recognise(
    request: Request,
    photo: Photos,
    reader: Reader,
    limits: Limits,
    rules: Annotated[
        OptionalRules,
        Form(description="Rules in play, if known; kinds they do not use become unlikely."),
    ] = None,
    side: Side = None,
    tile_set: TileSetField = "auto",
    at: AtField = None,
) -> ReadingOut | Response:
    """Tiles, groups, the likeliest legal hands, and every problem found. A bad hand is no error:
    `problems` tells.

    Several `photo` fields are photos of the same hand and read as one; a picture is then the first
    of them with what it shows.
    """
    media = wanted_type(request, ("application/json", *PICTURES, sse.MEDIA_TYPE))
    chosen = None if rules is None else rule_set(rules)
    photos = await read_uploads(photo)
    hand = HandPhotos(photos, chosen, tile_set, point_of(at, len(photos)))
    if media == sse.MEDIA_TYPE:
        reader.queue.check_room(request=await run_in_threadpool(lambda: hand.request_name))

        async def job(events: sse.Events) -> ReadingOut:
            return ReadingOut.of(await reader.read(hand, events.watch()))

        return sse.stream(request, job)
    if media == "application/json":
        return ReadingOut.of(await reader.read(hand))
    picture = await reader.annotated(hand, PICTURES[media], side or limits.annotated_side)
    return Response(picture, media_type=media)


@router.post(
    "/pictures",
    summary="Turn a photo upright",
    response_class=Response,
    responses={
        200: {
            "description": "The photo, upright and scaled down.",
            "content": {"image/jpeg": BINARY, "image/png": BINARY},
        },
        **problem_docs(*_PHOTO_PROBLEMS),
    },
)
async def upright(
    request: Request, photo: Photo, reader: Reader, limits: Limits, side: Side = None
) -> Response:
    """The photo as JPEG or PNG, for clients that cannot show HEIC or do not apply EXIF rotation."""
    media = wanted_type(request, tuple(PICTURES))
    data = await photo.read()
    picture = await reader.upright(
        data, display_name(photo), PICTURES[media], side or limits.annotated_side
    )
    return Response(picture, media_type=media)
