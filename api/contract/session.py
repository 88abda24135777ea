"""A session's sheet as JSON. Meaning of the fields: `hupai.scoring.sessions.sheet`."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from hupai.api.contract.values import JSON
from hupai.scoring.result import Problem
from hupai.scoring.sessions.sheet import (
    EventPlace,
    EventSheet,
    Sheet,
    SheetEntry,
    SheetFine,
    SheetPlace,
    SheetRow,
)


class RowOut(BaseModel):
    """A deal of a session."""

    deal: int
    dealer: str | None
    round: int | None
    winners: tuple[str, ...]
    net: dict[str, int] = Field(description="What each player gains or loses, fines taken off.")
    running: dict[str, int] = Field(description="The sums after this deal.")
    entries: tuple[Annotated[SheetEntry, JSON], ...]

    @classmethod
    def of(cls, row: SheetRow) -> RowOut:
        """Write a row."""
        return cls(
            deal=row.deal,
            dealer=row.dealer,
            round=row.round,
            winners=row.winners,
            net=dict(row.net),
            running=dict(row.running),
            entries=row.entries,
        )


class StandingOut(BaseModel):
    """A player's place in a session."""

    player: str
    rank: int
    score: int
    fined: int
    standard: float | None
    decided_by: str
    clause: str

    @classmethod
    def of(cls, place: SheetPlace) -> StandingOut:
        """Write a place."""
        standard = None if place.standard is None else float(place.standard)
        return cls(
            player=place.player,
            rank=place.rank,
            score=place.score,
            fined=place.fined,
            standard=standard,
            decided_by=place.decided_by,
            clause=place.clause,
        )


class SessionOut(BaseModel):
    """A session: its deals, fines and places."""

    rules: str
    players: tuple[str, ...]
    deals: list[RowOut]
    totals: dict[str, int] = Field(description="Each player's score, fines taken off.")
    fines: tuple[Annotated[SheetFine, JSON], ...]
    standings: list[StandingOut] = Field(description="The ranking, best first.")
    next_dealer: str | None
    problems: tuple[Annotated[Problem, JSON], ...]

    @classmethod
    def of(cls, sheet: Sheet) -> SessionOut:
        """Write a session."""
        scores = {place.player: place.score for place in sheet.places}
        return cls(
            rules=sheet.rules,
            players=sheet.players,
            deals=[RowOut.of(row) for row in sheet.rows],
            totals={player: scores[player] for player in sheet.players},
            fines=sheet.fines,
            standings=[StandingOut.of(place) for place in sheet.places],
            next_dealer=sheet.next_dealer,
            problems=sheet.problems,
        )


class EventPlaceOut(BaseModel):
    """A place over all sessions of an event."""

    name: str
    rank: int
    standard: float
    score: int
    sessions: list[float]

    @classmethod
    def of(cls, place: EventPlace) -> EventPlaceOut:
        """Write a place."""
        return cls(
            name=place.name,
            rank=place.rank,
            standard=float(place.standard),
            score=place.score,
            sessions=[float(points) for points in place.sessions],
        )


class EventOut(BaseModel):
    """Several sessions with the final ranking of players and teams."""

    rules: str
    sessions: list[SessionOut]
    players: list[EventPlaceOut]
    teams: list[EventPlaceOut]
    problems: tuple[Annotated[Problem, JSON], ...]

    @classmethod
    def of(cls, event: EventSheet) -> EventOut:
        """Write an event."""
        return cls(
            rules=event.rules,
            sessions=[SessionOut.of(sheet) for sheet in event.sessions],
            players=[EventPlaceOut.of(place) for place in event.players],
            teams=[EventPlaceOut.of(place) for place in event.teams],
            problems=event.problems,
        )
