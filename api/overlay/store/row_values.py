"""From rows of the database to the values of the contract."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.overlay.rows import EventRow, SeatRow, TableRow
from hupai.api.overlay.schemas import (
    Board,
    Card,
    EventOut,
    Proposal,
    SeatIn,
    SeatOut,
    SeatState,
    TableOut,
)
from hupai.api.overlay.store.errors import StaleProposalError, UnknownSeatError, UnknownTableError
from hupai.vision.video.several_cameras import without_passwords


def newest_proposal(place: SeatRow, number: int) -> Proposal:
    """Return the newest proposal of a seat.

    Raises:
        StaleProposalError: its number is another one.
    """
    if place.proposal is None or place.proposal["number"] != number:
        raise StaleProposalError(f"proposal {number}")
    return Proposal.model_validate(place.proposal)


def require_table(session: Session, table: str) -> TableRow:
    """Return the row of a table.

    Raises:
        UnknownTableError: there is none.
    """
    row = session.get(TableRow, table)
    if row is None:
        raise UnknownTableError(table)
    return row


def locked_table(session: Session, table: str) -> TableRow:
    """Return the row of a table that this transaction changes.

    Others who change the table wait until the transaction ends. Otherwise two of them could both
    build on the same state: two proposals would get one number, and a name or a hand would be lost.

    Raises:
        UnknownTableError: there is none.
    """
    row = session.get(TableRow, table, with_for_update=True)
    if row is None:
        raise UnknownTableError(table)
    return row


def require_seat(session: Session, table: str, seat: str) -> SeatRow:
    """Return the row of a seat.

    Raises:
        UnknownSeatError: there is none.
    """
    row = session.get(SeatRow, (table, seat))
    if row is None:
        raise UnknownSeatError(seat)
    return row


def rename(place: SeatRow, player: str) -> None:
    """Name the player of a seat, on air and in the proposal too; what is queued gets the name when
    it goes on air.
    """
    place.player = player
    if place.proposal is not None:
        card = {**place.proposal["card"], "player": player}
        place.proposal = {**place.proposal, "card": card}
    if place.on_air is not None:
        place.on_air = {**place.on_air, "player": player}


def seats_of(session: Session, table: str) -> list[SeatRow]:
    """List the seats of a table in their order."""
    return seats_by_table(session, [table])[table]


def seats_by_table(session: Session, tables: Sequence[str]) -> dict[str, list[SeatRow]]:
    """List the seats of each of these tables in their order, with one query."""
    found: dict[str, list[SeatRow]] = {table: [] for table in tables}
    query = select(SeatRow).where(SeatRow.table_id.in_(tables)).order_by(SeatRow.position)
    for seat in session.scalars(query):
        found[seat.table_id].append(seat)
    return found


def seat_settings(row: SeatRow) -> SeatIn:
    """Return the settings of a seat."""
    circumstances = CircumstancesModel.model_validate(row.circumstances)
    return SeatIn(seat=row.seat, player=row.player, region=row.region, circumstances=circumstances)


def seat_state(row: SeatRow) -> SeatState:
    """Return a seat as the operator sees it."""
    return SeatState(
        seat=row.seat,
        player=row.player,
        region=row.region,
        circumstances=CircumstancesModel.model_validate(row.circumstances),
        proposal=None if row.proposal is None else Proposal.model_validate(row.proposal),
        on_air=None if row.on_air is None else Card.model_validate(row.on_air),
        frozen=row.frozen,
    )


def board_of(row: TableRow) -> Board:
    """Return the scoreboard of a table."""
    return Board() if row.board is None else Board.model_validate(row.board)


def table_value(row: TableRow, seats: list[SeatRow]) -> TableOut:
    """Return a table with its seats; passwords in its source are masked."""
    return TableOut(
        id=row.id,
        name=row.name,
        rules=row.rules,
        source=without_passwords(row.source),
        auto=row.auto,
        delay_seconds=row.delay_ms / 1000,
        theme=row.theme,
        language=row.language,
        board=board_of(row),
        seats=[
            SeatOut(
                seat=seat.seat,
                player=seat.player,
                region=seat.region,
                circumstances=CircumstancesModel.model_validate(seat.circumstances),
            )
            for seat in seats
        ],
    )


def event_value(row: EventRow) -> EventOut:
    """Return an event that has been on air.

    The row must have a number.
    """
    assert row.number is not None
    data = row.data
    return EventOut(
        number=row.number,
        kind=row.kind,
        seat=row.seat,
        at=row.due_at,
        card=Card.model_validate(data) if row.kind == "hand" else None,
        theme=data.get("theme"),
        language=data.get("language"),
        name=data.get("name") if row.kind == "table" else None,
        board=data.get("board"),
        players=data.get("players"),
    )
