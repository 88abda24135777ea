"""Stores the overlay's tables, turns readings into proposals and puts proposals on air.

Every change is one transaction. Only `OverlayStore.release_due` numbers an event and thereby puts
it on air. An event is queued only by an operator's command, or by a reading if the table's `auto`
allows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.overlay.rows import EventRow, SeatRow, TableRow
from hupai.api.overlay.schemas import (
    Card,
    EventOut,
    Proposal,
    SeatIn,
    Snapshot,
    TableIn,
    TableOut,
    TableSettings,
    TableState,
)
from hupai.api.overlay.store.errors import TableExistsError
from hupai.api.overlay.store.event_queue import (
    drop_queued,
    put_on_air,
    queue_of,
    release,
)
from hupai.api.overlay.store.row_values import (
    board_of,
    event_value,
    locked_table,
    newest_proposal,
    rename,
    require_seat,
    require_table,
    seat_settings,
    seat_state,
    seats_by_table,
    seats_of,
    table_value,
)
from hupai.api.overlay.store.seat_actions import PIPELINE, SeatActions
from hupai.api.storage.base import now


@dataclass(frozen=True, slots=True)
class Lease:
    """A table whose frames this process reads."""

    table: str
    version: int
    rules: str
    source: str
    seats: tuple[SeatIn, ...]

    @property
    def reading(self) -> tuple[object, ...]:
        """The settings that the reader depends on: it restarts only when they change."""
        return (
            self.rules,
            self.source,
            tuple((seat.seat, tuple(map(tuple, seat.region))) for seat in self.seats),
        )


class OverlayStore(SeatActions):
    """Tables, proposals and events in the service's database. Synchronous; may be shared between
    threads.
    """

    # Tables

    def create(self, table: TableIn) -> TableOut:
        """Create a table.

        Raises:
            TableExistsError: if the id is taken.
        """
        with self._database.session() as session:
            if session.get(TableRow, table.id) is not None:
                raise TableExistsError(table.id)
            row = TableRow(
                id=table.id,
                name=table.id,
                rules="mcr-1998",
                source="",
                auto="off",
                delay_ms=0,
                theme="jade",
                language="both",
                version=0,
                last_number=0,
            )
            session.add(row)
            try:
                session.flush()
            except IntegrityError:  # made by another process meanwhile
                raise TableExistsError(table.id) from None
            _change(
                session, row, table.model_copy(update={"seats": table.seats or [SeatIn(seat="1")]})
            )
            return table_value(row, seats_of(session, table.id))

    def change(self, table: str, settings: TableSettings, author: str) -> TableOut:
        """Change a table's settings; what viewers' pages show of them goes out at once.

        Raises:
            UnknownTableError: if there is none.
        """
        with self._database.session() as session:
            row = locked_table(session, table)
            before = _appearance(session, row)
            _change(session, row, settings)
            data = _appearance(session, row)
            if data != before:
                session.add(
                    EventRow(
                        table_id=table,
                        seat=None,
                        kind="table",
                        data=data,
                        due_at=now(),
                        author=author,
                    )
                )
            return table_value(row, seats_of(session, table))

    def remove(self, table: str) -> None:
        """Delete a table with all that belongs to it.

        Raises:
            UnknownTableError: if there is none.
        """
        self._database.delete(lambda session: session.delete(locked_table(session, table)))

    def tables(self) -> list[TableOut]:
        """All tables by id."""
        with self._database.session(write=False) as session:
            rows = session.scalars(select(TableRow).order_by(TableRow.id)).all()
            seats = seats_by_table(session, [row.id for row in rows])
            return [table_value(row, seats[row.id]) for row in rows]

    def state(self, table: str) -> TableState:
        """Return a table as the operator sees it.

        Raises:
            UnknownTableError: if there is none.
        """
        with self._database.session(write=False) as session:
            row = require_table(session, table)
            seats = seats_of(session, table)
            return TableState(
                table=table_value(row, seats),
                seats=[seat_state(seat) for seat in seats],
                queue=queue_of(session, table),
                number=row.last_number,
            )

    # Proposals

    def propose(
        self,
        table: str,
        seat: str,
        proposal: Proposal,
        auto: bool = False,
        instead_of: int | None = None,
    ) -> Proposal:
        """Replace the seat's proposal; its `number` is assigned here.

        Args:
            table, seat: the seat it belongs to.
            proposal: what was read or entered.
            auto: whether it was read, not entered; then it is queued at once if the table's `auto`
                allows it.
            instead_of: number of the proposal that this one was made from; None for any.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
            StaleProposalError: if `instead_of` is not the seat's newest.
        """
        with self._database.session() as session:
            row, place = locked_table(session, table), require_seat(session, table, seat)
            if instead_of is not None:
                newest_proposal(place, instead_of)
            place.proposals += 1
            numbered = proposal.model_copy(update={"number": place.proposals})
            place.proposal = numbered.model_dump(mode="json")
            allowed = row.auto == "all" or (
                row.auto == "certain" and (proposal.certain or proposal.empty)
            )
            if auto and allowed and not place.frozen:
                put_on_air(session, row, place, numbered, PIPELINE)
            return numbered

    def approve(self, table: str, seat: str, number: int, author: str) -> None:
        """Queue a proposal for the air.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
            StaleProposalError: if it is not the seat's newest.
        """
        with self._database.session() as session:
            row, place = locked_table(session, table), require_seat(session, table, seat)
            put_on_air(session, row, place, newest_proposal(place, number), author)

    def reject(self, table: str, seat: str, number: int) -> None:
        """Discard a proposal; raises as `approve`."""
        with self._database.session() as session:
            locked_table(session, table)
            place = require_seat(session, table, seat)
            newest_proposal(place, number)
            place.proposal = None

    def set_circumstances(self, table: str, seat: str, circumstances: CircumstancesModel) -> None:
        """Store the circumstances of the seat's hand.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
        """
        with self._database.session() as session:
            locked_table(session, table)
            require_seat(session, table, seat).circumstances = circumstances.model_dump(
                mode="json", exclude_defaults=True
            )

    def set_player(self, table: str, seat: str, player: str, author: str) -> None:
        """Set the name of the player, on air at once and in the proposal.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
        """
        with self._database.session() as session:
            row, place = locked_table(session, table), require_seat(session, table, seat)
            rename(place, player)
            session.flush()
            session.add(
                EventRow(
                    table_id=table,
                    seat=None,
                    kind="table",
                    data=_appearance(session, row),
                    due_at=now(),
                    author=author,
                )
            )

    # Events

    def release_due(self) -> tuple[list[tuple[str, EventOut]], datetime | None]:
        """Number the events that are due; return them with their tables, and when the next one is
        due.
        """
        waiting = select(func.min(EventRow.due_at)).where(EventRow.number.is_(None))
        with self._database.session(write=False) as session:
            next_due = session.scalar(waiting)
        if next_due is None or next_due > now():
            return [], next_due
        released: list[tuple[str, EventOut]] = []
        with self._database.session() as session:
            due = (
                select(EventRow.table_id)
                .where(EventRow.number.is_(None), EventRow.due_at <= now())
                .distinct()
            )
            for table in sorted(session.scalars(due)):
                row = session.scalar(select(TableRow).where(TableRow.id == table).with_for_update())
                if row is not None:
                    released += [(table, event) for event in release(session, row)]
            return released, session.scalar(waiting)

    def newest_numbers(self) -> dict[str, int]:
        """Return the number of the newest event on air of each table; 0 if there is none."""
        with self._database.session(write=False) as session:
            rows = session.execute(select(TableRow.id, TableRow.last_number))
            return {row.id: row.last_number for row in rows}

    def events_after(self, table: str, number: int) -> list[EventOut]:
        """Return the events that went on air after the one with this number, as far as they are
        kept.

        Raises:
            UnknownTableError: if there is no such table.
        """
        with self._database.session(write=False) as session:
            require_table(session, table)
            wanted = (
                select(EventRow)
                .where(EventRow.table_id == table, EventRow.number > number)
                .order_by(EventRow.number)
            )
            return [event_value(row) for row in session.scalars(wanted)]

    def snapshot(self, table: str) -> Snapshot:
        """Return all that is on air now.

        Raises:
            UnknownTableError: if there is no such table.
        """
        with self._database.session(write=False) as session:
            row = require_table(session, table)
            cards = [
                Card.model_validate(seat.on_air)
                for seat in seats_of(session, table)
                if seat.on_air is not None
            ]
            return Snapshot(
                number=row.last_number,
                table=table,
                name=row.name,
                theme=row.theme,
                language=row.language,
                board=board_of(row),
                players=_players(session, table),
                on_air=cards,
            )

    # Leases: which process reads a table's frames

    def lease(self, owner: str, seconds: float) -> tuple[Lease, ...]:
        """Lease, or renew the lease of, all tables with a source that no other process reads."""
        moment = now()
        with self._database.session(write=False) as session:
            if (
                session.scalar(
                    select(func.count()).select_from(TableRow).where(TableRow.source != "")
                )
                == 0
            ):
                return ()
        with self._database.session() as session:
            free = or_(
                TableRow.lease_owner.is_(None),
                TableRow.lease_owner == owner,
                TableRow.lease_until < moment,
            )
            rows = list(
                session.scalars(
                    select(TableRow)
                    .where(TableRow.source != "", free)
                    .order_by(TableRow.id)
                    .with_for_update()
                )
            )
            for row in rows:
                row.lease_owner, row.lease_until = owner, moment + timedelta(seconds=seconds)
            seats = seats_by_table(session, [row.id for row in rows])
            return tuple(
                Lease(
                    row.id, row.version, row.rules, row.source,
                    tuple(map(seat_settings, seats[row.id])),
                )
                for row in rows
            )  # fmt: skip

    def end_leases(self, owner: str) -> None:
        """Release this process's leases."""
        with self._database.session() as session:
            for row in session.scalars(select(TableRow).where(TableRow.lease_owner == owner)):
                row.lease_owner = row.lease_until = None


def _players(session: Session, table: str) -> dict[str, str]:
    return {place.seat: place.player for place in seats_of(session, table)}


def _appearance(session: Session, row: TableRow) -> dict[str, Any]:
    """Return what viewers' pages show of a table besides its hands."""
    return {
        "name": row.name,
        "theme": row.theme,
        "language": row.language,
        "board": board_of(row).model_dump(mode="json"),
        "players": _players(session, row.id),
    }


def _change(session: Session, row: TableRow, settings: TableSettings) -> None:
    for name in ("name", "rules", "source", "auto", "theme", "language"):
        value = getattr(settings, name)
        if value is not None:
            setattr(row, name, value)
    if settings.delay_seconds is not None:
        row.delay_ms = round(settings.delay_seconds * 1000)
    if settings.board is not None:
        row.board = settings.board.model_dump(mode="json", exclude_defaults=True)
    if settings.seats is not None:
        _set_seats(session, row.id, settings.seats)
    row.version += 1


def _set_seats(session: Session, table: str, seats: Sequence[SeatIn]) -> None:
    before = {place.seat: place for place in seats_of(session, table)}
    kept = {seat.seat for seat in seats}
    for gone in (seat for seat in before if seat not in kept):
        drop_queued(session, table, gone)
        if before[gone].on_air is not None:
            session.add(
                EventRow(
                    table_id=table, seat=gone, kind="hide", data={}, due_at=now(), author=PIPELINE
                )
            )
        session.delete(before[gone])
    for position, seat in enumerate(seats):
        place = before.get(seat.seat)
        if place is None:
            place = SeatRow(table_id=table, seat=seat.seat, proposals=0)
            session.add(place)
        rename(place, seat.player)
        place.position, place.region = position, seat.region
        place.circumstances = seat.circumstances.model_dump(mode="json", exclude_defaults=True)
    session.flush()
