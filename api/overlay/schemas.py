"""Broadcast tables, proposals, what is on air, and the operator's commands as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    TypeAdapter,
    WrapValidator,
    model_validator,
)
from typing_extensions import TypeAliasType

from hupai.api.contract.hand import CircumstancesModel, Model, TileCode
from hupai.api.contract.refusal import by_field, refusal
from hupai.vision.video.region import Region, RegionError
from hupai.vision.video.several_cameras import frames_of
from hupai.vision.video.sources import UnknownSourceError

TABLE_ID = r"^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$"
TableId = Annotated[
    str,
    Field(
        pattern=TABLE_ID, description="Small letters, digits and hyphens; it stands in addresses."
    ),
]
SeatId = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-z0-9-]{0,19}$", description="Name of the place, e.g. `east` or `1`."
    ),
]
Auto = Literal["off", "certain", "all"]
Language = Literal["en", "zh", "both"]
EventKind = Literal["hand", "hide", "table"]
LossReason = Literal["out_of_sight", "no_frames"]
Theme = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")]
Share = Annotated[float, Field(ge=0, le=1, strict=False)]


def _source(text: str) -> str:
    if text:
        try:
            frames_of(text)
        except UnknownSourceError as error:
            raise refusal(str(error), error.message_zh) from None
    return text


Source = Annotated[
    str,
    Field(
        max_length=500,
        description="`camera:0`, an RTSP, RTMP or HTTP URL, `file:PATH`, `loop:PATH`, `push`; "
        "several cameras side by side: `camera:0 + camera:1`; empty: none.",
    ),
    AfterValidator(_source),
]


class SeatIn(Model):
    """A place at the table and where it lies on the frame."""

    seat: SeatId
    player: str = Field(default="", max_length=80)
    region: list[Annotated[list[Share], Field(min_length=2, max_length=2)]] = Field(
        default=[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        min_length=4,
        max_length=4,
        description="Corners as shares of width and height: far left, far right, near right, "
        "near left as the player sees them.",
    )
    circumstances: CircumstancesModel = CircumstancesModel()

    @model_validator(mode="after")
    def _encloses_something(self) -> Self:
        try:
            self.to_region()
        except RegionError as error:
            raise refusal(str(error), error.message_zh) from None
        return self

    def to_region(self) -> Region:
        """Return the region that the corners enclose."""
        return region_of(self.region)


def region_of(corners: list[list[float]]) -> Region:
    """Build the region of four corners.

    Raises:
        hupai.vision.video.region.RegionError: if they enclose nothing.
    """
    a, b, c, d = ((x, y) for x, y in corners)
    return Region((a, b, c, d))


MEDIA_NAME = r"^[A-Za-z0-9_-]{1,60}\.(?:png|jpg|jpeg|webp|svg)$"
"""Name of a picture in the folder of the producer's media: letters, digits, hyphens, an ending."""
MediaName = Annotated[
    str,
    Field(
        max_length=65,
        pattern=MEDIA_NAME,
        description="A picture in `overlay/media` of the data folder, e.g. `logo.png`.",
    ),
]


class BoardSeat(Model):
    """What stands beside a player's name."""

    seat: SeatId
    wind: Literal["E", "S", "W", "N"] | None = None
    dealer: bool = False
    score: int | None = Field(
        default=None, ge=-10_000_000, le=10_000_000, description="The running score."
    )
    picture: MediaName | None = None


class Board(Model):
    """The scoreboard: event, round, winds and running scores."""

    title: str = Field(default="", max_length=80, description="The event, e.g. its final.")
    round_wind: Literal["E", "S", "W", "N"] | None = None
    deal: int | None = Field(default=None, ge=1, le=999, description="Number of the deal.")
    logo: MediaName | None = None
    seats: list[BoardSeat] = Field(default=[], max_length=8)


class TableSettings(Model):
    """What an operator may change of a table; what is left out stays as it is."""

    name: str | None = Field(default=None, min_length=1, max_length=80)
    rules: str | None = Field(default=None, min_length=1, max_length=64)
    source: Source | None = None
    auto: Auto | None = None
    delay_seconds: float | None = Field(default=None, ge=0, le=3600, strict=False)
    theme: Theme | None = None
    language: Language | None = None
    board: Board | None = None
    seats: list[SeatIn] | None = Field(default=None, min_length=1, max_length=8)

    @model_validator(mode="after")
    def _seats_differ(self) -> Self:
        if self.seats is not None and len({seat.seat for seat in self.seats}) < len(self.seats):
            raise refusal("two seats have the same name", "两个座位的姓名相同")
        return self


class TableIn(TableSettings):
    """A new table."""

    id: TableId


class SeatOut(BaseModel):
    """A place at the table."""

    seat: str
    player: str
    region: list[list[float]]
    circumstances: CircumstancesModel


class TableOut(BaseModel):
    """A table's settings. `source` is without the password its URL may hold."""

    id: str
    name: str
    rules: str
    source: str
    auto: Auto
    delay_seconds: float
    theme: str
    language: Language
    board: Board = Board()
    seats: list[SeatOut]


class TablesOut(BaseModel):
    """All tables."""

    tables: list[TableOut]


class CardMeld(BaseModel):
    """A set as it lies: `?` is a tile face down, `sideways` the place of the claimed one."""

    kind: str
    tiles: list[str]
    sideways: int | None = None


class CardWait(BaseModel):
    """A tile that completes the hand: how many are left, and what it scores at least and at
    most.
    """

    tile: str
    left: int
    least: int
    most: int
    legal: bool


class CardBar(BaseModel):
    """What keeps a hand of 13 from being ready although some tile completes it."""

    code: str
    zh: str
    en: str


class CardFan(BaseModel):
    """A fan of the score; `points` are those of all its counts together."""

    id: str
    zh: str
    en: str
    points: int
    count: int


class CardScore(BaseModel):
    """What the hand scores."""

    total: int
    unit: str
    complete: bool
    legal: bool
    self_drawn: bool
    minimum: int
    figures_en: str = Field(default="", description="What stands beside the total: 3 han 40 fu.")
    figures_zh: str = ""
    fans: list[CardFan]
    problems: list[str] = []
    problems_zh: list[str] = []


class Card(BaseModel):
    """A seat as viewers see it.

    Tiles are codes such as ``5m``; ``0m`` is a red five. `concealed` holds the tiles as read where
    they are no whole hand. `waits` is there for a hand of 13, empty if `bars` keep it from being
    ready; `score` for one of 14 whose winning tile is known.
    """

    seat: str
    player: str
    rules: str
    unit_en: str = Field(default="fan", description="Unit of every total in the rules' own word.")
    unit_zh: str = "番"
    concealed: list[str]
    melds: list[CardMeld] = []
    winning_tile: str | None = None
    flowers: list[str] = []
    waits: list[CardWait] | None = None
    bars: list[CardBar] = []
    score: CardScore | None = None


class Proposal(BaseModel):
    """What was read at a seat, or entered, and waits to be approved.

    Attributes say: `number` counts the seat's proposals and names this one in commands; `empty`
    that the place was cleared; `notation` the hand, null if the tiles make none; `certain` the
    promise of the reading; `doubts` tiles with less than 0.9; `corrected` that a person changed it;
    `seen_ms` from the picture at rest to the accepted reading.
    """

    number: int
    empty: bool
    notation: str | None
    certain: bool
    corrected: bool = False
    doubts: list[str] = []
    problems: list[str] = []
    problems_zh: list[str] = []
    card: Card
    at: datetime
    seen_ms: int | None = None
    other_tiles: list[str] = Field(
        default=[], description="Tiles on the table that are no part of the hand."
    )


class Queued(BaseModel):
    """A change that is approved and waits for its time."""

    id: str
    seat: str | None
    kind: str
    due_at: datetime
    card: Card | None = None


class SeatState(BaseModel):
    """A seat as the operator sees it."""

    seat: str
    player: str
    region: list[list[float]]
    circumstances: CircumstancesModel
    proposal: Proposal | None
    on_air: Card | None
    frozen: bool = Field(
        default=False, description="Nothing changes what is on air here but the operator."
    )


class TableState(BaseModel):
    """A table as the operator sees it."""

    table: TableOut
    seats: list[SeatState]
    queue: list[Queued]
    number: int


class SourceStatus(BaseModel):
    """How reading a table's frames goes, in the process that does it."""

    table: str
    connected: bool
    ended: bool
    error: str
    fps: float
    captured: int
    skipped: int
    read: int
    covered: list[str] = []
    unseen_s: dict[str, float] = Field(
        default={},
        description="For each seat with a hand, the seconds since all its tiles were last seen.",
    )
    lost: dict[str, LossReason] = Field(
        default={},
        description="Seats whose hand was given up because it was no longer seen, and why: "
        "`out_of_sight` or `no_frames`.",
    )
    width: int = 0
    height: int = 0


class _Command(Model):
    seat: SeatId


class Approve(_Command):
    """Put a proposal on air after the table's delay. Refused when it is no longer the seat's
    newest.
    """

    do: Literal["approve"]
    proposal: int


class Reject(_Command):
    """Forget a proposal."""

    do: Literal["reject"]
    proposal: int


class Correct(_Command):
    """Say what the hand is. It becomes the seat's proposal, and goes on air at once with
    `approve`.
    """

    do: Literal["correct"]
    notation: str = Field(max_length=400)
    winning_tile: TileCode | None = None
    circumstances: CircumstancesModel | None = None
    approve: bool = False


class Circumstance(_Command):
    """Say how the hand was won; proposal and, with `approve`, what is on air are scored anew."""

    do: Literal["circumstances"]
    circumstances: CircumstancesModel
    approve: bool = False


class Player(_Command):
    """Name the player."""

    do: Literal["player"]
    player: str = Field(max_length=80)


class Hide(Model):
    """Take a seat, or all, off the air at once; what is queued for it is dropped."""

    do: Literal["hide"]
    seat: SeatId | None = None


class Undo(_Command):
    """Bring back what was on air at the seat before its last change, without delay; what is queued
    for it is dropped.
    """

    do: Literal["undo"]


class Freeze(_Command):
    """Keep what is on air at the seat, whatever is read or no longer seen; or end that."""

    do: Literal["freeze"]
    frozen: bool = True


class Now(Model):
    """Do not wait any longer: what is queued for a seat, or for all, goes on air."""

    do: Literal["now"]
    seat: SeatId | None = None


class Settle(Model):
    """Change the table's settings."""

    do: Literal["settings"]
    settings: TableSettings


class TakeScores(Model):
    """Take the running scores, the next dealer and the next deal from the log of a session, as
    `POST /v1/sessions` takes it; its players are found by the names at the seats.
    """

    do: Literal["scores"]
    session: dict[str, Any]


AnyCommand = TypeAliasType(
    "AnyCommand",
    Annotated[
        Approve
        | Reject
        | Correct
        | Circumstance
        | Player
        | Hide
        | Undo
        | Freeze
        | Now
        | Settle
        | TakeScores,
        Field(discriminator="do"),
    ],
)
"""A command; its errors name the command before the field."""

Command = Annotated[AnyCommand, WrapValidator(by_field("do"))]
COMMAND: TypeAdapter[Command] = TypeAdapter(Command)


class Envelope(BaseModel):
    """A command with a name of the client's own, given back in the answer."""

    id: str | int | None = None
    command: Command


class EventOut(BaseModel):
    """A change on air: `card` for kind ``hand``, a seat for ``hide``, the settings that viewers'
    pages need for ``table``.
    """

    number: int
    kind: EventKind
    seat: str | None = None
    card: Card | None = None
    theme: str | None = None
    language: Language | None = None
    name: str | None = None
    board: Board | None = None
    players: dict[str, str] | None = None
    at: datetime


class Snapshot(BaseModel):
    """All that is on air: the first event of a stream that does not resume."""

    number: int
    table: str
    name: str
    theme: str
    language: Language
    board: Board = Board()
    players: dict[str, str] = Field(default={}, description="Name of the player at each seat.")
    on_air: list[Card]
