"""What can happen in a case, one model a kind of event. These are the JSON of the log, so they are
Pydantic models and frozen.

Times are UTC, RFC 3339 with milliseconds. Fields are only ever added, with defaults: a log written
today must be readable in years.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from hupai.api.contract.hand import CircumstancesModel, HandModel, WindCode
from hupai.api.contract.reading import ReadingOut
from hupai.api.contract.refusal import refusal
from hupai.api.contract.values import JSON
from hupai.scoring.result import Score
from hupai.vision.types import ModelInfo

FORMAT: Final = "hupai-dossier/1"
"""Name and version of the format of logs and bundles."""
GENESIS = "0" * 64
"""The previous hash of the first event."""

Role = Literal["player", "operator", "referee"]
Unit = Literal["fan", "points", "times"]
Hex64 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Moment = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
Text = Annotated[str, StringConstraints(max_length=4000)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]
ShortText = Annotated[str, StringConstraints(max_length=200)]
ZoneText = Annotated[str, StringConstraints(max_length=64, pattern=r"^[A-Za-z0-9_+\-/:]*$")]
KeyText = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{43}=$")]
"""A public key: 32 bytes in base64."""
Seat = WindCode
"""A seat at the table, by its wind in this hand."""


def separator(what: str) -> bytes:
    """Return the domain separator of signatures over this, with which what is signed begins: no
    signature over something else can be passed off as one over it.
    """
    return f"{FORMAT} {what}\n".encode()


class Record(BaseModel):
    """Base class of everything in the log."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Author(Record):
    """Who did it: the name of the key that was used, the role it has, and a name that was stated
    besides.
    """

    name: ShortText
    role: Role
    stated: ShortText = ""

    @property
    def shown(self) -> str:
        """The name for people."""
        return f"{self.stated} ({self.name})" if self.stated else self.name


class RulesRecord(Record):
    """The rule set of a case; `house` is the text of the file where it is one of house rules."""

    id: ShortText
    name_en: str
    name_zh: str
    minimum: int
    house: str | None = None


class ProgramRecord(Record):
    """The program that scored: its version, and the SHA-256 over the scoring sources."""

    version: str
    scoring_sha256: Hex64


class PhotoRecord(Record):
    """A photo as it came. `taken` is the EXIF time, with a zone where the camera wrote one; sizes
    are of the upright picture.
    """

    sha256: Hex64
    bytes: int = Field(ge=1)
    media_type: ShortText
    name: ShortText
    width: int
    height: int
    taken: str | None = None
    camera: str | None = None


class DetectionRecord(Record):
    """A tile that the detector saw: box (pixels of the upright photo), probability of there being
    one, direction (radians), faces.

    `faces` are (code, probability), likeliest first; those below 0.0001 are left out.
    """

    box: tuple[float, float, float, float]
    score: float
    axis: float | None
    faces: tuple[tuple[str, float], ...]


class ResultRecord(Record):
    """A hand and what it scores under the rules of the case. `score` is null while it is not known
    which tile won.
    """

    notation: str
    hand: HandModel
    circumstances: CircumstancesModel
    score: Annotated[Score, JSON] | None


class TileChange(Record):
    """A tile that a correction changes: its id in the reading of a photo, and the codes before and
    after (empty: none).
    """

    photo: Hex64 | None = None
    tile: int | None = None
    before: str = ""
    after: str = ""


class FinePayment(Record):
    """What the offender pays to one player or role."""

    payee: ShortText
    amount: int = Field(ge=0)
    formula: ShortText = ""


class FineRecord(Record):
    """A fine: which offence under which rules, the points taken off (null: none), what follows, and
    the clause.
    """

    rules: ShortText
    offence: ShortText
    name_en: ShortText
    name_zh: ShortText
    points: int | None = Field(default=None, ge=0)
    clause: ShortText
    follows_en: Text = ""
    follows_zh: Text = ""
    payments: tuple[FinePayment, ...] = ()


class PlayerRecord(Record):
    """A player at the table: seat, name, and number in the tournament."""

    seat: Seat
    name: ShortText = ""
    number: ShortText = ""


class Opened(Record):
    """A case begins. `zone` is the time zone at the table, as an IANA name or an offset from UTC;
    empty: not known.
    """

    kind: Literal["opened"] = "opened"
    title: ShortText
    rules: RulesRecord
    circumstances: CircumstancesModel
    program: ProgramRecord
    zone: ZoneText = ""


class PlayedAt(Record):
    """Where the hand was played, and by whom. The last one holds.

    `hand` is the number of the hand in the session; `winner` and `discarder` are seats, null where
    nobody said who, and `discarder` also after a self-draw.
    """

    kind: Literal["played_at"] = "played_at"
    tournament: ShortText = ""
    session: ShortText = ""
    table: ShortText = ""
    round: ShortText = ""
    hand: ShortText = ""
    players: tuple[PlayerRecord, ...] = Field(default=(), max_length=4)
    winner: Seat | None = None
    discarder: Seat | None = None

    @model_validator(mode="after")
    def _seats_once(self) -> Self:
        seats = [player.seat for player in self.players]
        if len(set(seats)) != len(seats):
            raise refusal("two players have the same seat", "两名选手座位相同")
        if self.winner is not None and self.winner == self.discarder:
            raise refusal("the winner cannot be the discarder", "和牌者不能是点炮者")
        return self


class PhotoAdded(Record):
    """A photo of the hand."""

    kind: Literal["photo_added"] = "photo_added"
    photo: PhotoRecord


class PhotoRead(Record):
    """What the model saw on a photo and how it was read. `detections` is null if the reader does
    not give them.
    """

    kind: Literal["photo_read"] = "photo_read"
    photo: Hex64
    model: Annotated[ModelInfo, JSON]
    detections: tuple[DetectionRecord, ...] | None
    reading: ReadingOut


class Scored(Record):
    """The likeliest hand of a reading, scored. It becomes the standing result until a correction is
    accepted.
    """

    kind: Literal["scored"] = "scored"
    photo: Hex64
    result: ResultRecord


class CorrectionProposed(Record):
    """Somebody says that the hand, or how it was won, is another. Nothing changes before a referee
    decides.
    """

    kind: Literal["correction_proposed"] = "correction_proposed"
    reason: Reason
    changes: tuple[TileChange, ...] = ()
    before: ResultRecord | None
    after: ResultRecord


class CorrectionDecided(Record):
    """A referee accepts or rejects a proposal; `before` and `after` are the standing results."""

    kind: Literal["correction_decided"] = "correction_decided"
    proposal: int = Field(ge=1)
    accepted: bool
    reason: Text = ""
    before: ResultRecord | None
    after: ResultRecord | None


class Claimed(Record):
    """What a player says the hand scores."""

    kind: Literal["claimed"] = "claimed"
    by: ShortText
    total: int = Field(ge=0)
    unit: Unit
    fans: tuple[ShortText, ...] = ()
    text: Text = ""


class Objected(Record):
    """A player objects. `entry` is what they object to, null for the case as a whole; `what` says
    what in it is wrong, `reason` why.
    """

    kind: Literal["objected"] = "objected"
    by: Annotated[ShortText, Field(min_length=1)]
    entry: int | None = Field(default=None, ge=0)
    what: Annotated[ShortText, Field(min_length=1)]
    reason: Reason


class Ruled(Record):
    """The referee's ruling. The last one holds. `leaves_open` are corrections that were not
    decided, by number.
    """

    kind: Literal["ruled"] = "ruled"
    outcome: Literal["win", "false_win", "void"]
    total: int | None = Field(default=None, ge=0)
    unit: Unit
    reason: Reason
    clause: ShortText = ""
    fine: FineRecord | None = None
    leaves_open: tuple[int, ...] = ()


class Noted(Record):
    """A remark."""

    kind: Literal["noted"] = "noted"
    text: Reason


class Closed(Record):
    """The case is closed: nothing but a reopening may follow. `leaves_open` are corrections and
    objections that were not decided, by number.
    """

    kind: Literal["closed"] = "closed"
    reason: Text = ""
    leaves_open: tuple[int, ...] = ()


class Reopened(Record):
    """A closed case is reopened."""

    kind: Literal["reopened"] = "reopened"
    reason: Reason


class KeyCertificate(Record):
    """A key that follows another, both base64. `signature` is that of the key it follows; empty
    where that key was lost.
    """

    key: KeyText
    follows: KeyText
    time: Moment
    signature: ShortText


class KeyChanged(Record):
    """The installation signs with another key from here on; the event is signed by the new one.

    `certificates` lead from the key before to this one.
    """

    kind: Literal["key_changed"] = "key_changed"
    certificates: tuple[KeyCertificate, ...] = Field(min_length=1, max_length=100)


class KeyIntroduced(Record):
    """A person's key, which signs what that person does; `proof` is its own signature."""

    kind: Literal["key_introduced"] = "key_introduced"
    key: KeyText
    holder: Annotated[ShortText, Field(min_length=1)]
    proof: ShortText


Body = Annotated[
    Opened
    | PlayedAt
    | PhotoAdded
    | PhotoRead
    | Scored
    | CorrectionProposed
    | CorrectionDecided
    | Claimed
    | Objected
    | Ruled
    | Noted
    | Closed
    | Reopened
    | KeyChanged
    | KeyIntroduced,
    Field(discriminator="kind"),
]
REFEREE_ONLY = (CorrectionDecided, Ruled, Closed, Reopened)
"""Events that only a referee may write."""


class Event(Record):
    """An entry of the log: what happened, when, by whom; the hash of the event before, and the
    public key (base64) that signs.
    """

    format: Literal["hupai-dossier/1"] = FORMAT
    case: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    seq: int = Field(ge=0)
    time: Moment
    author: Author
    key: str
    prev: Hex64
    body: Body


def moment(at: datetime) -> str:
    """Format a time as the log writes it."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
