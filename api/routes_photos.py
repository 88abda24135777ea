"""Photos in: what is on them, and as pictures out, annotated or merely upright."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, File, Form, Query, Request, Response, UploadFile

from api import samples
from api.answers import answer_hand, answer_reading, rule_set, with_winning_tile
from api.auth import needs
from api.problem_types import (
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
    UNREADABLE_PICTURE,
    UNSUPPORTED_MEDIA_TYPE,
)
from api.questions import doubts_of
from api.reading_service import ReadingService
from api.routing import MediaRoute, app_settings, form_json, problem_docs, reading_service, wanted_type
from api.schemas import CircumstancesModel, OptionalTile
from api.schemas_reading import ReadingOut
from api.schemas_score import HandAnswer, OptionalRules, RulesId
from api.settings import Settings
from api.uploads import display_name
from scoring.tiles import Tile

router = APIRouter(prefix="/v1", tags=["photos"], route_class=MediaRoute, dependencies=[Depends(needs("player"))])

Photo = Annotated[UploadFile, File(description="A photo as JPEG, PNG, WebP or HEIC; its EXIF rotation is applied.")]
Side = Annotated[
    int | None, Query(ge=64, le=8192, description="Longest side of the picture in pixels; default is the service's setting.")
]
Reader = Annotated[ReadingService, Depends(reading_service)]
Limits = Annotated[Settings, Depends(app_settings)]

_PICTURES = {"image/jpeg": ".jpg", "image/png": ".png"}
_PHOTO_PROBLEMS = (
    BAD_REQUEST, NOT_ACCEPTABLE, TOO_LARGE, NOT_A_PICTURE, UNSUPPORTED_MEDIA_TYPE, INVALID, EMPTY_UPLOAD,
    UNREADABLE_PICTURE, BAD_SIZE, BUSY, TIMEOUT,
)  # fmt: skip
_BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}


@router.post(
    "/recognitions",
    summary="Read a photo",
    response_model=ReadingOut,
    responses={
        200: {
            "description": "What is on the photo; with Accept image/jpeg or image/png the photo with boxes and names.",
            "content": {
                "application/json": {
                    "examples": {"reading": {"summary": "Fields of a reading", "value": samples.sample("reading")}}
                },
                "image/jpeg": _BINARY,
                "image/png": _BINARY,
            },
        },
        **problem_docs(*_PHOTO_PROBLEMS, UNKNOWN_RULES, MODEL_UNAVAILABLE),
    },
)
async def recognise(
    request: Request,
    photo: Photo,
    reader: Reader,
    limits: Limits,
    rules: Annotated[OptionalRules, Form(description="Rules in play, if known; kinds they do not use become unlikely.")] = None,
    side: Side = None,
) -> ReadingOut | Response:
    """Tiles, groups, the likeliest legal hands, and every problem found. A bad hand is no error: `problems` tells."""
    media = wanted_type(request, ("application/json", *_PICTURES))
    chosen = None if rules is None else rule_set(rules)
    data = await photo.read()
    name = display_name(photo)
    if media == "application/json":
        return answer_reading(await reader.read(data, name, chosen))
    picture = await reader.annotated(data, name, _PICTURES[media], side or limits.annotated_side, chosen)
    return Response(picture, media_type=media)


@router.post(
    "/pictures",
    summary="Turn a photo upright",
    response_class=Response,
    responses={
        200: {"description": "The photo, upright and scaled down.", "content": {"image/jpeg": _BINARY, "image/png": _BINARY}},
        **problem_docs(*_PHOTO_PROBLEMS),
    },
)
async def upright(request: Request, photo: Photo, reader: Reader, limits: Limits, side: Side = None) -> Response:
    """The photo as JPEG or PNG, for clients that cannot show HEIC or do not apply EXIF rotation."""
    media = wanted_type(request, tuple(_PICTURES))
    data = await photo.read()
    picture = await reader.upright(data, display_name(photo), _PICTURES[media], side or limits.annotated_side)
    return Response(picture, media_type=media)


@router.post(
    "/hands",
    summary="Read a photo and score the hand",
    response_model=HandAnswer,
    tags=["hands"],
    responses={
        200: {"content": {"application/json": {"examples": {"hand": {"value": samples.sample("hand_answer")}}}}},
        **problem_docs(*_PHOTO_PROBLEMS, UNKNOWN_RULES, MODEL_UNAVAILABLE),
    },
)
async def read_and_score(
    photo: Photo,
    reader: Reader,
    rules: Annotated[RulesId, Form()],
    circumstances: Annotated[
        str,
        Form(max_length=2000, description="A JSON object of circumstances.", examples=['{"self_drawn": true, "seat_wind": "E"}']),
    ] = "{}",
    winning_tile: Annotated[OptionalTile, Form(description="The tile that won, where the photo does not set it apart.")] = None,
) -> HandAnswer:
    """Reads the photo and scores the likeliest legal hand.

    Where the photo does not show which tile won, `result.score` is null and `result.questions` asks, with what each answer
    would score; the options' notation can be sent to POST /v1/scores. Doubtful faces that change the score are asked about too.
    """
    chosen = rule_set(rules)
    won_how = form_json(CircumstancesModel, circumstances, "circumstances")
    answer = await reader.read(await photo.read(), display_name(photo), chosen)
    reading = answer.reading
    if not reading.hands:
        return HandAnswer(reading=answer_reading(answer), result=None)
    hand = reading.hands[0].hand
    doubts = doubts_of(reading)
    if winning_tile is not None:
        hand, doubts = with_winning_tile(hand, Tile.from_code(winning_tile)), ()
    result = await reader.compute(lambda: answer_hand(chosen, hand, won_how, doubts))
    return HandAnswer(reading=answer_reading(answer), result=result)
