"""Tile sets: teach the service one's own tiles, list and forget them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, File, Form, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter, ValidationError

from hupai.api.auth.principal import needs
from hupai.api.hands.dependencies import Reader
from hupai.api.hands.recognition import encode
from hupai.api.tile_sets.schemas import TileAnswer, TileSetLearnt, TileSetList, TileSetOut
from hupai.api.tile_sets.service import TileSetService
from hupai.api.web.dependencies import BINARY, NOT_MODIFIED, cacheable, problem_docs
from hupai.api.web.problem_types import (
    BAD_REQUEST,
    BAD_SIZE,
    BUSY,
    EMPTY_UPLOAD,
    INVALID,
    MODEL_UNAVAILABLE,
    NOT_A_PICTURE,
    NOT_FOUND,
    STORAGE_FULL,
    STORAGE_UNAVAILABLE,
    TILE_SET_EXISTS,
    TILE_SET_INCOMPLETE,
    TIMEOUT,
    TOO_LARGE,
    UNREADABLE_PICTURE,
    UNSUPPORTED_MEDIA_TYPE,
)
from hupai.api.web.problems import invalid_field
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.api.web.uploads import display_name
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile, UnknownTileError

router = APIRouter(prefix="/v1", tags=["tile sets"], route_class=MediaRoute)
_ORDER = TypeAdapter(list[list[str]])
_ANSWERS = TypeAdapter(list[TileAnswer])
MOST_PHOTOS = 20
_EXAMPLE: dict[str, Any] = {
    "name": "club",
    "created": "2026-11-21T14:30:00+00:00",
    "faces": [tile.code for tile in PLAYABLE],
    "missing": [tile.code for tile in FLOWERS],
    "photos": 1,
    "tiles": 34,
}
_TILE: dict[str, Any] = {
    "photo": 0,
    "tile": 0,
    "box": [61.4, 58.0, 118.9, 139.2],
    "face": "1m",
    "before": {"tile": "7m", "confidence": 0.6213},
    "after": {"tile": "1m", "confidence": 0.9987},
}
_TAUGHT = (
    BAD_REQUEST, TOO_LARGE, NOT_A_PICTURE, UNSUPPORTED_MEDIA_TYPE, INVALID, EMPTY_UPLOAD,
    UNREADABLE_PICTURE, BAD_SIZE, BUSY,
    TIMEOUT, MODEL_UNAVAILABLE, TILE_SET_INCOMPLETE, TILE_SET_EXISTS, STORAGE_UNAVAILABLE,
    STORAGE_FULL,
)  # fmt: skip


def _json(example: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"examples": {"club": {"value": example}}}}}


def _service(reader: Reader) -> TileSetService:
    return TileSetService(reader)


Service = Annotated[TileSetService, Depends(_service)]


@router.post(
    "/tile-sets",
    summary="Teach a tile set",
    status_code=201,
    response_model=TileSetLearnt,
    dependencies=[Depends(needs("operator"))],
    responses={201: _json({**_EXAMPLE, "before_after": [_TILE]}), **problem_docs(*_TAUGHT)},
)
async def teach(
    name: Annotated[str, Form(max_length=40, description="Name of the set.")],
    photo: Annotated[
        list[UploadFile],
        File(
            description=f"1 to {MOST_PHOTOS} photos; together they show every face, up to four "
            "times each."
        ),
    ],
    sets: Service,
    faces: Annotated[
        Literal["34", "42"] | None,
        Form(description="Without flowers or with them; else as the photos show."),
    ] = None,
    order: Annotated[
        str | None,
        Form(
            max_length=4000,
            description="Guided: a JSON list with the codes that each photo shows, in reading "
            "order. A photo may lie upside down.",
            examples=['[["1m","2m","3m","4m","5m","6m","7m","8m","9m"]]'],
        ),
    ] = None,
    answers: Annotated[
        str | None,
        Form(
            max_length=20000,
            description="A JSON list of what tiles are that were asked for; face null leaves a "
            "tile out.",
            examples=['[{"photo":0,"tile":17,"face":"6s"}]'],
        ),
    ] = None,
    replace: Annotated[bool, Form(description="Replace a set of this name.")] = False,
) -> TileSetLearnt:
    """Photograph the faces in any order, or guided with `order`.

    Where faces are missing, or in doubt, nothing is learnt: the problem `tile-set-incomplete` lists
    what was seen on the photos, tiles to confirm with `asked`. Send the same request again with
    `answers`. A later reading takes the set by its name in `tile_set`, or by itself where it
    recognises it.
    """
    if not 1 <= len(photo) <= MOST_PHOTOS:
        raise invalid_field(
            "photo", f"1 to {MOST_PHOTOS} photos", f"应为 1 至 {MOST_PHOTOS} 张照片"
        )
    named = None if order is None else [_tiles(row) for row in _parsed(_ORDER, order, "order")]
    if named is not None and len(named) != len(photo):
        raise invalid_field(
            "order",
            f"names {len(named)} photos, and {len(photo)} were sent",
            f"写明 {len(named)} 张照片，发送了 {len(photo)} 张",
        )
    said = {
        (one.photo, one.tile): None if one.face is None else Tile.from_code(one.face)
        for one in _answers(answers)
    }
    files = [(display_name(one), await one.read()) for one in photo]
    count: Literal[34, 42] | None = None if faces is None else 34 if faces == "34" else 42
    return await sets.teach(name, files, count, named, said, replace)


@router.get(
    "/tile-sets",
    summary="List the tile sets",
    dependencies=[Depends(needs("player"))],
    responses={200: _json({"tile_sets": [_EXAMPLE]}), **problem_docs(STORAGE_UNAVAILABLE)},
)
def list_sets(sets: Service) -> TileSetList:
    """All sets, by name."""
    return TileSetList(tile_sets=sets.all())


@router.get(
    "/tile-sets/{name}",
    summary="A tile set",
    dependencies=[Depends(needs("player"))],
    responses={200: _json(_EXAMPLE), **problem_docs(NOT_FOUND, STORAGE_UNAVAILABLE)},
)
def one_set(name: str, sets: Service) -> TileSetOut:
    """What was taught, and when."""
    return sets.one(name)


@router.get(
    "/tile-sets/{name}/faces/{code}",
    summary="A face of a tile set",
    response_class=Response,
    dependencies=[Depends(needs("player"))],
    responses={
        200: {
            "description": "The face as it was photographed.",
            "content": {"image/jpeg": BINARY},
        },
        **NOT_MODIFIED,
        **problem_docs(NOT_FOUND, STORAGE_UNAVAILABLE),
    },
)
def face(request: Request, name: str, code: str, sets: Service) -> Response:
    """JPEG, about 80 pixels a side."""
    picture = sets.face(name, code)
    return cacheable(request, encode(picture, ".jpg", 112), "image/jpeg", 60)


@router.delete(
    "/tile-sets/{name}",
    summary="Forget a tile set",
    status_code=204,
    dependencies=[Depends(needs("operator"))],
    responses=problem_docs(NOT_FOUND, STORAGE_UNAVAILABLE),
)
def forget(name: str, sets: Service) -> None:
    """Its pictures and all that was learnt from them are deleted."""
    sets.remove(name)


def _answers(text: str | None) -> list[TileAnswer]:
    return [] if text is None else _parsed(_ANSWERS, text, "answers")


def _parsed(form: TypeAdapter[Any], text: str, field: str) -> Any:
    try:
        return form.validate_json(text)
    except ValidationError as error:
        raise RequestValidationError(
            [{**item, "loc": ("body", field, *item["loc"])} for item in error.errors()]
        ) from None


def _tiles(codes: list[str]) -> list[Tile]:
    try:
        tiles = [Tile.from_code(code) for code in codes]
    except UnknownTileError as error:
        raise invalid_field("order", str(error), error.message_zh) from None
    if Tile.BACK in tiles:
        raise invalid_field("order", "a tile lying face down shows no face", "扣着的牌没有牌面")
    return tiles
