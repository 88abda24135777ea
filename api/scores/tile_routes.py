"""The 43 faces: names, and drawings as SVG."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from hupai.api.web import samples
from hupai.api.web.dependencies import NOT_MODIFIED, cacheable, problem_docs
from hupai.api.web.problem_types import NOT_FOUND
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.route_classes import Route
from hupai.datasets.faces.svg import face_svg
from hupai.scoring.tiles import ZH_NAMES, Suit, Tile, UnknownTileError

router = APIRouter(prefix="/v1/tiles", tags=["tiles"], route_class=Route)

_SUIT_NAMES = {Suit.CHARACTERS: "characters", Suit.DOTS: "dots", Suit.BAMBOO: "bamboo"}
_NAMES = (
    "east wind", "south wind", "west wind", "north wind", "red dragon", "green dragon",
    "white dragon",
    "spring", "summer", "autumn", "winter", "plum", "orchid", "bamboo plant", "chrysanthemum",
    "tile face down",
)  # fmt: skip


class TileInfo(BaseModel):
    """A tile, its names, and where its drawing is."""

    code: str
    name_en: str
    name_zh: str
    suit: str
    svg: str


class TilesOut(BaseModel):
    """All tiles in the order of the model's classes."""

    tiles: list[TileInfo]


def name_en(tile: Tile) -> str:
    """English name, e.g. ``5 of dots``."""
    return f"{tile.rank} of {_SUIT_NAMES[tile.suit]}" if tile.is_suited else _NAMES[tile - 27]


def _file_name(tile: Tile) -> str:
    return "back" if tile is Tile.BACK else tile.code


@cache
def _svg(tile: Tile) -> bytes:
    return face_svg(tile).encode()


@router.get(
    "",
    summary="Names of the tiles",
    response_model=TilesOut,
    responses={
        200: {
            "content": {
                "application/json": {"examples": {"tiles": {"value": samples.sample("tiles")}}}
            }
        },
        **NOT_MODIFIED,
    },
)
async def list_tiles(request: Request) -> Response:
    """Code, names, suit and drawing of each tile."""
    answer = TilesOut(
        tiles=[
            TileInfo(
                code=t.code,
                name_en=name_en(t),
                name_zh=ZH_NAMES[t],
                suit=t.suit.name.lower(),
                svg=f"/v1/tiles/{_file_name(t)}.svg",
            )
            for t in Tile
        ]
    )
    return cacheable(request, answer.model_dump_json().encode(), "application/json", seconds=3600)


@router.get(
    "/{code}.svg",
    summary="Drawing of a tile",
    response_class=Response,
    responses={
        200: {
            "description": "The face; `back` for a tile face down.",
            "content": {"image/svg+xml": {"schema": {"type": "string"}}},
        },
        **NOT_MODIFIED,
        **problem_docs(NOT_FOUND),
    },
)
async def tile_svg(request: Request, code: str) -> Response:
    """The face as SVG (CC0)."""
    try:
        tile = Tile.BACK if code == "back" else Tile.from_code(code)
    except UnknownTileError as error:
        raise ApiProblem(NOT_FOUND, str(error), "没有这张牌。") from None
    return cacheable(request, _svg(tile), "image/svg+xml", seconds=86400)
