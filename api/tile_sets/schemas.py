"""Tile sets in JSON."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from hupai.api.contract.hand import OptionalTile


class TileSetOut(BaseModel):
    """A tile set that the service was shown. `missing` are faces, as a rule flowers, that it was
    taught without.
    """

    name: str
    created: str
    faces: list[str]
    missing: list[str]
    photos: int
    tiles: int


class ReadFace(BaseModel):
    """A face and its probability."""

    tile: str
    confidence: float


class BeforeAfter(BaseModel):
    """A tile of the enrolment photos: as what it was taught, and how it is read without the set and
    with it.
    """

    photo: int
    tile: int
    box: list[float]
    face: str
    before: ReadFace
    after: ReadFace


class TileSetLearnt(TileSetOut):
    """A tile set just learnt. The tiles in `before_after` are those it was learnt from: other
    photos are read less surely.
    """

    before_after: list[BeforeAfter]


class TileSetList(BaseModel):
    """All tile sets, by name."""

    tile_sets: list[TileSetOut]


class TileAnswer(BaseModel):
    """What a tile is that was asked for; null: no tile of the set."""

    model_config = ConfigDict(extra="forbid")

    photo: int = Field(ge=0)
    tile: int = Field(ge=0)
    face: OptionalTile
