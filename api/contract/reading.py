"""What was read from a photo, as JSON: the outside contract of the design, one model a part."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from hupai.api.contract.hand import Model


class PhotoOut(BaseModel):
    """The photo; width and height are those of the upright picture."""

    path: str = Field(description="Name of the upload.")
    sha256: str
    width: int
    height: int


class ModelOut(BaseModel):
    """The weights that read it, and the enrolled tile set that helped, if any."""

    name: str
    version: str
    sha256: str
    tile_set: str | None = None


Box = tuple[float, float, float, float]


def _is_default(value: object) -> bool:
    return not value


class PlaceOut(BaseModel):
    """Where another photo of the same hand shows a tile: its number in `photos`, and the box in its
    pixels.
    """

    photo: int
    box: Box


class TileOut(BaseModel):
    """A tile found. `box` is [x0, y0, x1, y1] in pixels of the upright photo, `alternatives` other
    faces with probabilities.
    """

    id: int
    tile: str
    box: Box
    confidence: float = Field(ge=0, le=1)
    alternatives: list[tuple[str, float]] = []
    sideways: bool = False
    in_hand: bool = True
    group: int | None = None
    inferred: bool = Field(
        default=False, description="The face follows from the rest of the hand and was not seen."
    )
    photo: int = Field(
        default=0,
        description="Of several photos of one hand: the number in `photos` of the one the box lies on; left out for the first.",
        exclude_if=_is_default,
    )
    elsewhere: list[PlaceOut] = Field(
        default=[],
        description="Where the other photos show it; left out if none does.",
        exclude_if=_is_default,
    )


class GroupOut(BaseModel):
    """Tiles that lie together; `tiles` are ids. `kind` is concealed, chow, pung, kong,
    concealed_kong, added_kong, flowers or winning_tile.
    """

    id: int
    kind: str
    tiles: list[int]
    claimed_from: str | None = None


class MeldOut(BaseModel):
    """A set laid down."""

    kind: str
    tiles: list[str]
    claimed_from: str | None = None


class LikelyHandOut(BaseModel):
    """A legal hand that the photo may show."""

    notation: str
    probability: float
    concealed: list[str]
    melds: list[MeldOut]
    winning_tile: str | None = None
    flowers: list[str] = []


class ReadingProblemOut(BaseModel):
    """Something wrong or unclear; `tiles` are ids."""

    code: str
    severity: str
    message: str
    message_zh: str = ""
    tiles: list[int] = []


class TimingOut(BaseModel):
    """Milliseconds per stage."""

    decode: float
    detect: float
    layout: float
    read: float
    total: float


class ReadingOut(BaseModel):
    """The whole answer for one photo, or for several of one hand."""

    photo: PhotoOut
    photos: list[PhotoOut] = Field(
        default=[],
        description="All photos, where several of one hand were read as one; else left out.",
        exclude_if=_is_default,
    )
    model: ModelOut
    tiles: list[TileOut]
    groups: list[GroupOut]
    hands: list[LikelyHandOut] = Field(
        description="The likeliest legal hands, best first; may be empty, then `problems` says why."
    )
    certain: bool = Field(
        description="A promise: at most 1 in 200 readings that carry it is wrong."
    )
    problems: list[ReadingProblemOut]
    timing_ms: TimingOut


TileId = Annotated[int, Field(ge=0, le=10_000)] | None


class TileIds(Model):
    """Which tile of the reading each tile of `hand` is, by id, part for part; null for one that the
    photo does not show.
    """

    concealed: list[TileId] = Field(default=[], max_length=34)
    melds: list[Annotated[list[TileId], Field(max_length=4)]] = Field(default=[], max_length=8)
    winning_tile: TileId = None
    flowers: list[TileId] = Field(default=[], max_length=8)
