"""Cases as JSON of the service. Entries of the log keep their form, see
`hupai.api.dossier.chain.events`.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hupai.api.contract.hand import CircumstancesModel, HandModel, Model, OptionalTile
from hupai.api.contract.refusal import refusal
from hupai.api.dossier.chain.events import (
    Author,
    Claimed,
    CorrectionDecided,
    CorrectionProposed,
    Hex64,
    Noted,
    Objected,
    PhotoRead,
    PhotoRecord,
    PlayedAt,
    PlayerRecord,
    Reason,
    ResultRecord,
    Ruled,
    RulesRecord,
    Seat,
    ShortText,
    Text,
    TileChange,
)

Stated = Annotated[
    ShortText,
    Field(description="Your name, where the key is shared; stands in the log beside the key's."),
]
Head = Annotated[
    Hex64 | None,
    Field(
        description="Hash of the last event you saw; 409 where the case has gone on since. "
        "null: as it stands."
    ),
]


LeaveOpen = Annotated[
    bool,
    Field(
        description="Whether corrections, and for closing objections, may stay undecided; without "
        "it the request is refused where some are."
    ),
]


class CaseRequest(Model):
    """Fields that every action may have."""

    model_config = ConfigDict(extra="forbid", strict=False)

    stated: Stated = ""
    head: Head = None


class CorrectionRequest(CaseRequest):
    """A correction to propose: the hand, how it was won, or both.

    The hand comes as `hand` or as `notation`; `winning_tile` alone names the tile that won.
    `changes` says which tile of which photo is meant; left out, the tiles that differ are noted.
    """

    reason: Reason
    hand: HandModel | None = None
    notation: str | None = Field(default=None, min_length=1, max_length=300)
    winning_tile: OptionalTile = None
    circumstances: CircumstancesModel | None = None
    changes: tuple[TileChange, ...] = Field(default=(), max_length=40)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.hand is not None and self.notation is not None:
            raise refusal(
                "give the hand as hand or as notation, not as both",
                "手牌请用 hand 或 notation 给出，不要两者都写",
            )
        if (
            self.hand is None
            and self.notation is None
            and self.winning_tile is None
            and self.circumstances is None
        ):
            raise refusal(
                "name what is to be corrected: hand, notation, winning_tile or circumstances",
                "请写明更正什么：hand、notation、winning_tile 或 circumstances",
            )
        return self


class DecisionRequest(CaseRequest):
    """A referee's decision on a proposal."""

    accepted: bool
    reason: Text = ""


class ClaimRequest(CaseRequest):
    """What a player says the hand scores."""

    by: Annotated[ShortText, Field(min_length=1)]
    total: int = Field(ge=0, le=1_000_000)
    unit: Literal["fan", "points", "times"] | None = Field(
        default=None, description="null: that of the case's rules."
    )
    fans: tuple[ShortText, ...] = Field(default=(), max_length=30)
    text: Text = ""


class ObjectionRequest(CaseRequest):
    """A player's objection: who, to what, and why."""

    by: Annotated[ShortText, Field(min_length=1)]
    entry: int | None = Field(
        default=None,
        ge=0,
        le=1_000_000,
        description="Entry objected to; null: the whole case. Opening, closing, keys and other "
        "objections cannot be objected to.",
    )
    what: Annotated[ShortText, Field(min_length=1, description="What in it is wrong.")]
    reason: Reason


class FineRequest(Model):
    """The fine that a referee chose from GET /v1/cases/{case_id}/false-win; `points` where the
    rules leave them to the referee.
    """

    model_config = ConfigDict(extra="forbid", strict=False)

    rules: ShortText
    offence: ShortText
    points: int | None = Field(default=None, ge=0, le=1_000_000)
    offender_is_dealer: bool | None = None
    ready: tuple[str, ...] = Field(default=(), max_length=3)


class RulingRequest(CaseRequest):
    """A referee's ruling. `total` null: the standing score for a win, 0 otherwise."""

    outcome: Literal["win", "false_win", "void"]
    total: int | None = Field(default=None, ge=0, le=1_000_000)
    reason: Reason
    clause: ShortText = ""
    fine: FineRequest | None = None
    leave_open: LeaveOpen = False


class PlaceRequest(CaseRequest):
    """Where the hand was played and by whom; null leaves a field unchanged."""

    tournament: ShortText | None = None
    session: ShortText | None = None
    table: ShortText | None = None
    round: ShortText | None = None
    hand: ShortText | None = Field(default=None, description="Number of the hand in the session.")
    players: tuple[PlayerRecord, ...] | None = Field(default=None, max_length=4)
    winner: Seat | None = None
    discarder: Seat | None = None


class NoteRequest(CaseRequest):
    """A remark."""

    text: Reason


class StateRequest(CaseRequest):
    """Close or reopen a case."""

    closed: bool
    reason: Reason
    leave_open: LeaveOpen = False


class CasePhotoOut(BaseModel):
    """A photo of the case, and what was read on it."""

    photo: PhotoRecord
    seq: int
    time: str
    author: Author
    read: PhotoRead | None


class DifferenceOut(BaseModel):
    """One difference between two results, in English and Chinese."""

    en: str
    zh: str


class CaseCorrection(BaseModel):
    """A proposal; `number` is what a decision refers to, `differences` is the change in words."""

    number: int
    time: str
    author: Author
    proposal: CorrectionProposed
    decision: CorrectionDecided | None
    decided_by: Author | None
    decided_at: str | None
    differences: list[DifferenceOut]


class ClaimOut(BaseModel):
    """A claim."""

    seq: int
    time: str
    author: Author
    claim: Claimed


class ObjectionOut(BaseModel):
    """An objection; `answered` if there is a later ruling."""

    number: int
    time: str
    author: Author
    objection: Objected
    answered: bool


class SignerOut(BaseModel):
    """A key that signs the case: of the installation, or of `holder`."""

    fingerprint: str
    holder: str
    from_entry: int
    follows: str | None = Field(description="Fingerprint of the key that it follows.")
    lost: bool = Field(description="That key was lost and did not sign that this one follows.")


class RulingOut(BaseModel):
    """A ruling."""

    seq: int
    time: str
    author: Author
    ruling: Ruled
    fine_clause_zh: str = Field(
        description="The clause of the fine in Chinese; empty without a fine."
    )


class NoteOut(BaseModel):
    """A remark."""

    seq: int
    time: str
    author: Author
    note: Noted


class EventOut(BaseModel):
    """An entry of the log, without its content; `signer` is whose key signed it, empty for the
    installation's.
    """

    seq: int
    time: str
    author: Author
    kind: str
    hash: str
    signer: str


class CaseOut(BaseModel):
    """A case in its current state.

    `computed` is the score of the likeliest reading before any correction, `standing` the one with
    those that were accepted. `may` says what the caller may do now.
    """

    id: str
    title: str
    state: Literal["open", "ruled", "closed"]
    rules: RulesRecord
    circumstances: CircumstancesModel
    opened: str
    zone: str = Field(description="Time zone at the table; empty: not known.")
    place: PlayedAt
    author: Author
    head: str
    fingerprint: str = Field(description="Of the key that signs: SHA-256, hexadecimal.")
    photos: list[CasePhotoOut]
    photos_agree: bool
    computed: ResultRecord | None
    standing: ResultRecord | None
    corrections: list[CaseCorrection]
    claims: list[ClaimOut]
    objections: list[ObjectionOut]
    undecided: list[int] = Field(
        description="Numbers of corrections and objections that nobody decided on."
    )
    signers: list[SignerOut]
    rulings: list[RulingOut]
    notes: list[NoteOut]
    events: list[EventOut]
    you: Author
    may: dict[str, bool]


class CaseSummaryOut(BaseModel):
    """A case in the list."""

    id: str
    title: str
    rules: str
    state: Literal["open", "ruled", "closed"]
    author: str
    opened: str
    updated: str
    open_proposals: int
    events: int


class CaseListOut(BaseModel):
    """Cases, the newest first; `next` is the id to give as `before` for more, null at the end."""

    cases: list[CaseSummaryOut]
    next: str | None


class MissingOut(BaseModel):
    """What a hand lacked."""

    lack: Literal["count", "shape", "minimum", "rules", "unknown"]
    code: str
    message: str
    message_zh: str


class PaidOut(BaseModel):
    """What is paid to whom: `count` players get `amount` each."""

    payee: str
    count: int
    amount: int
    formula: str


class FineChoiceOut(BaseModel):
    """A fine to choose from; `fits` if the hand meets the clause. `points` null: the text
    leaves them to the referee.
    """

    offence: str
    name_en: str
    name_zh: str
    points: int | None
    clause: str
    clause_zh: str
    follows_en: str
    follows_zh: str
    fits: bool
    payments: list[PaidOut]


class FalseWinOut(BaseModel):
    """The standing hand under one rule set: what it lacked, and the fines. `to_ready` is how many
    tiles it was from being ready.
    """

    rules: str
    name_en: str
    name_zh: str
    wins: bool
    missing: list[MissingOut]
    to_ready: int | None
    choices: list[FineChoiceOut]


class FalseWinListOut(BaseModel):
    """One entry per rule set, that of the case first."""

    rules: list[FalseWinOut]


class SigningKeyOut(BaseModel):
    """The public key of this installation."""

    fingerprint: str
    pem: str
