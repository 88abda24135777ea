"""What the overlay keeps, and the rules by which a reading becomes a proposal, and a proposal goes
on air.

Every change is one transaction. Nothing gets a number, and so goes on air, but through
`OverlayStore.release_due`; nothing is queued for it but by an operator's command, or by a reading
where the table's `auto` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.overlay.rows import EventRow, SeatRow, TableRow
from hupai.api.overlay.schemas import (
    Card,
    EventOut,
    Proposal,
    Queued,
    SeatIn,
    SeatOut,
    SeatState,
    Snapshot,
    TableIn,
    TableOut,
    TableSettings,
    TableState,
)
from hupai.api.storage import Database
from hupai.api.storage.base import now
from hupai.vision.video.sources import shown

RING = 200
"""Events of a table that are kept after they went on air; who lags further behind gets a
snapshot.
"""
PIPELINE = "reader"
"""Author of what goes on air by itself."""


class UnknownTableError(LookupError):
    """No table has this id."""


class UnknownSeatError(LookupError):
    """The table has no such seat."""


class TableExistsError(ValueError):
    """A table has this id already."""


class StaleProposalError(ValueError):
    """The proposal meant is no longer the seat's newest: another reading came in between."""


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
        """What the reader depends on: it begins anew when this changes, and for nothing else."""
        return (
            self.rules,
            self.source,
            tuple((seat.seat, tuple(map(tuple, seat.region))) for seat in self.seats),
        )


class OverlayStore:
    """Tables, proposals and events in the service's database. Synchronous; may be shared between
    threads.
    """

    def __init__(self, database: Database) -> None:
        """Keep everything in this database."""
        self._database = database

    # Tables

    def create(self, table: TableIn) -> TableOut:
        """A new table.

        Raises:
            TableExistsError: when the id is taken.
        """
        with self._database.session() as session:
            if session.get(TableRow, table.id) is not None:
                raise TableExistsError(table.id)
            row = TableRow(
                id=table.id, name=table.id, rules="mcr-1998", source="", auto="off", delay_ms=0, theme="jade", language="both",
                version=0, last_number=0,
            )  # fmt: skip
            session.add(row)
            session.flush()
            _change(
                session, row, table.model_copy(update={"seats": table.seats or [SeatIn(seat="1")]})
            )
            return _table_out(row, _seats(session, table.id))

    def change(self, table: str, settings: TableSettings, author: str) -> TableOut:
        """Change a table's settings; what viewers' pages need of it goes out at once.

        Raises:
            UnknownTableError: when there is none.
        """
        with self._database.session() as session:
            row = _table(session, table)
            looks = (row.name, row.theme, row.language)
            _change(session, row, settings)
            if looks != (row.name, row.theme, row.language):
                data = {"name": row.name, "theme": row.theme, "language": row.language}
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
            return _table_out(row, _seats(session, table))

    def remove(self, table: str) -> None:
        """Forget a table with all that belongs to it.

        Raises:
            UnknownTableError: when there is none.
        """
        with self._database.session() as session:
            session.delete(_table(session, table))

    def tables(self) -> list[TableOut]:
        """All tables by id."""
        with self._database.session(write=False) as session:
            return [
                _table_out(row, _seats(session, row.id))
                for row in session.scalars(select(TableRow).order_by(TableRow.id))
            ]

    def state(self, table: str) -> TableState:
        """A table as the operator sees it.

        Raises:
            UnknownTableError: when there is none.
        """
        with self._database.session(write=False) as session:
            row = _table(session, table)
            seats = _seats(session, table)
            return TableState(
                table=_table_out(row, seats), seats=[_seat_state(seat) for seat in seats], queue=_queue(session, table),
                number=row.last_number,
            )  # fmt: skip

    # Proposals and what becomes of them

    def propose(self, table: str, seat: str, proposal: Proposal, auto: bool = False) -> Proposal:
        """Put a proposal before the operator in place of the seat's last one; its `number` is given
        here.

        Args:
            table, seat: whose it is.
            proposal: what was read or entered.
            auto: it was read, so it is queued at once where the table's `auto` allows it.

        Raises:
            UnknownTableError, UnknownSeatError: when there is none.
        """
        with self._database.session() as session:
            row, place = _table(session, table), _seat(session, table, seat)
            place.proposals += 1
            numbered = proposal.model_copy(update={"number": place.proposals})
            place.proposal = numbered.model_dump(mode="json")
            if auto and (
                row.auto == "all"
                or (row.auto == "certain" and (proposal.certain or proposal.empty))
            ):
                _put_on_air(session, row, place, numbered, PIPELINE)
            return numbered

    def approve(self, table: str, seat: str, number: int, author: str) -> None:
        """Queue a proposal for the air.

        Raises:
            UnknownTableError, UnknownSeatError: when there is none.
            StaleProposalError: when it is not the seat's newest.
        """
        with self._database.session() as session:
            row, place = _table(session, table), _seat(session, table, seat)
            _put_on_air(session, row, place, _newest(place, number), author)

    def reject(self, table: str, seat: str, number: int) -> None:
        """Forget a proposal; raises as `approve`."""
        with self._database.session() as session:
            place = _seat(session, table, seat)
            _newest(place, number)
            place.proposal = None

    def set_circumstances(self, table: str, seat: str, circumstances: CircumstancesModel) -> None:
        """Keep how the seat's hand was won.

        Raises:
            UnknownSeatError: when there is none.
        """
        with self._database.session() as session:
            _seat(session, table, seat).circumstances = circumstances.model_dump(
                mode="json", exclude_defaults=True
            )

    def set_player(self, table: str, seat: str, player: str) -> None:
        """Name the player; the card that is proposed bears the name from the next reading on.

        Raises:
            UnknownSeatError: when there is none.
        """
        with self._database.session() as session:
            place = _seat(session, table, seat)
            place.player = player
            if place.proposal is not None:
                place.proposal = {
                    **place.proposal,
                    "card": {**place.proposal["card"], "player": player},
                }

    def hide(self, table: str, seat: str | None, author: str) -> None:
        """Take a seat, or all seats, off the air at once, and drop what is queued for it.

        All seats: `auto` is switched off too, so that nothing comes back by itself.

        Raises:
            UnknownTableError, UnknownSeatError: when there is none.
        """
        with self._database.session() as session:
            row = _table(session, table)
            places = _seats(session, table) if seat is None else [_seat(session, table, seat)]
            if seat is None:
                row.auto = "off"
            for place in places:
                _drop_queued(session, table, place.seat)
                if place.on_air is not None:
                    session.add(
                        EventRow(
                            table_id=table,
                            seat=place.seat,
                            kind="hide",
                            data={},
                            due_at=now(),
                            author=author,
                        )
                    )

    def hurry(self, table: str, seat: str | None) -> None:
        """Let what is queued for a seat, or for all, go on air now.

        Raises:
            UnknownTableError: when there is none.
        """
        with self._database.session() as session:
            _table(session, table)
            for event in session.scalars(_queued(table)):
                if seat is None or event.seat == seat:
                    event.due_at = now()

    def replace_on_air(self, table: str, cards: Iterable[Card], author: str) -> None:
        """Put changed cards of seats on air that have nothing else queued, without delay: the tiles
        they tell of are on air.
        """
        with self._database.session() as session:
            row = _table(session, table)
            waiting = {event.seat for event in session.scalars(_queued(table))}
            for card in cards:
                place = _seat(session, table, card.seat)
                if (
                    place.on_air is not None
                    and card.seat not in waiting
                    and place.on_air != card.model_dump(mode="json")
                ):
                    _enqueue(session, row, card.seat, "hand", card, author, delay_ms=0)

    # Events

    def release_due(self) -> tuple[list[tuple[str, EventOut]], datetime | None]:
        """Give numbers to the events whose time has come; returns them with their tables, and when
        the next one is due.
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
                    released += [(table, event) for event in _release(session, row)]
            return released, session.scalar(waiting)

    def events_after(self, table: str, number: int) -> list[EventOut]:
        """Events that went on air after the one with this number, as far as they are kept.

        Raises:
            UnknownTableError: when there is no such table.
        """
        with self._database.session(write=False) as session:
            _table(session, table)
            wanted = (
                select(EventRow)
                .where(EventRow.table_id == table, EventRow.number > number)
                .order_by(EventRow.number)
            )
            return [_event_out(row) for row in session.scalars(wanted)]

    def snapshot(self, table: str) -> Snapshot:
        """All that is on air now.

        Raises:
            UnknownTableError: when there is no such table.
        """
        with self._database.session(write=False) as session:
            row = _table(session, table)
            cards = [
                Card.model_validate(seat.on_air)
                for seat in _seats(session, table)
                if seat.on_air is not None
            ]
            return Snapshot(
                number=row.last_number, table=table, name=row.name, theme=row.theme, language=row.language, on_air=cards  # type: ignore[arg-type]
            )  # fmt: skip

    # Who reads frames

    def lease(self, owner: str, seconds: float) -> tuple[Lease, ...]:
        """Take or keep the tables with a source that no other process reads; each is this process's
        for so many seconds.
        """
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
            return tuple(
                Lease(
                    row.id,
                    row.version,
                    row.rules,
                    row.source,
                    tuple(_seat_in(seat) for seat in _seats(session, row.id)),
                )
                for row in rows
            )

    def end_leases(self, owner: str) -> None:
        """Let other processes take this one's tables."""
        with self._database.session() as session:
            for row in session.scalars(select(TableRow).where(TableRow.lease_owner == owner)):
                row.lease_owner = row.lease_until = None


def _change(session: Session, row: TableRow, settings: TableSettings) -> None:
    for name in ("name", "rules", "source", "auto", "theme", "language"):
        value = getattr(settings, name)
        if value is not None:
            setattr(row, name, value)
    if settings.delay_seconds is not None:
        row.delay_ms = round(settings.delay_seconds * 1000)
    if settings.seats is not None:
        _set_seats(session, row.id, settings.seats)
    row.version += 1


def _set_seats(session: Session, table: str, seats: Sequence[SeatIn]) -> None:
    before = {place.seat: place for place in _seats(session, table)}
    for gone in before.keys() - {seat.seat for seat in seats}:
        _drop_queued(session, table, gone)
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
        place.position, place.player, place.region = position, seat.player, seat.region
        place.circumstances = seat.circumstances.model_dump(mode="json", exclude_defaults=True)
    session.flush()


def _put_on_air(
    session: Session, row: TableRow, place: SeatRow, proposal: Proposal, author: str
) -> None:
    if proposal.empty:
        if place.on_air is not None or _has_queued(session, row.id, place.seat):
            _enqueue(session, row, place.seat, "hide", None, author)
        return
    _enqueue(session, row, place.seat, "hand", proposal.card, author)


def _enqueue(
    session: Session,
    row: TableRow,
    seat: str,
    kind: str,
    card: Card | None,
    author: str,
    delay_ms: int | None = None,
) -> None:
    """Queue a change with the table's delay, but not before what is queued already: the order
    stays.
    """
    last = session.scalar(
        select(func.max(EventRow.due_at)).where(
            EventRow.table_id == row.id, EventRow.number.is_(None)
        )
    )
    due = now() + timedelta(milliseconds=row.delay_ms if delay_ms is None else delay_ms)
    data = {} if card is None else card.model_dump(mode="json")
    session.add(
        EventRow(
            table_id=row.id,
            seat=seat,
            kind=kind,
            data=data,
            due_at=max(due, last) if last else due,
            author=author,
        )
    )


def _release(session: Session, row: TableRow) -> list[EventOut]:
    due = select(EventRow).where(
        EventRow.table_id == row.id, EventRow.number.is_(None), EventRow.due_at <= now()
    )
    events = []
    for event in session.scalars(due.order_by(EventRow.due_at, EventRow.id)):
        row.last_number += 1
        event.number = row.last_number
        if event.seat is not None and event.kind != "table":
            place = session.get(SeatRow, (row.id, event.seat))
            if place is not None:
                place.on_air = event.data if event.kind == "hand" else None
        events.append(_event_out(event))
    session.execute(
        delete(EventRow).where(
            EventRow.table_id == row.id, EventRow.number <= row.last_number - RING
        )
    )
    return events


def _newest(place: SeatRow, number: int) -> Proposal:
    if place.proposal is None or place.proposal["number"] != number:
        raise StaleProposalError(f"proposal {number}")
    return Proposal.model_validate(place.proposal)


def _queued(table: str):  # type: ignore[no-untyped-def]
    return (
        select(EventRow)
        .where(EventRow.table_id == table, EventRow.number.is_(None))
        .order_by(EventRow.due_at, EventRow.id)
    )


def _has_queued(session: Session, table: str, seat: str) -> bool:
    return any(event.seat == seat for event in session.scalars(_queued(table)))


def _drop_queued(session: Session, table: str, seat: str) -> None:
    session.execute(
        delete(EventRow).where(
            EventRow.table_id == table, EventRow.number.is_(None), EventRow.seat == seat
        )
    )


def _queue(session: Session, table: str) -> list[Queued]:
    return [
        Queued(
            id=event.id, seat=event.seat, kind=event.kind, due_at=event.due_at,
            card=Card.model_validate(event.data) if event.kind == "hand" else None,
        )
        for event in session.scalars(_queued(table))
    ]  # fmt: skip


def _table(session: Session, table: str) -> TableRow:
    row = session.get(TableRow, table)
    if row is None:
        raise UnknownTableError(table)
    return row


def _seat(session: Session, table: str, seat: str) -> SeatRow:
    row = session.get(SeatRow, (table, seat))
    if row is None:
        raise UnknownSeatError(seat)
    return row


def _seats(session: Session, table: str) -> list[SeatRow]:
    return list(
        session.scalars(select(SeatRow).where(SeatRow.table_id == table).order_by(SeatRow.position))
    )


def _seat_in(row: SeatRow) -> SeatIn:
    circumstances = CircumstancesModel.model_validate(row.circumstances)
    return SeatIn(seat=row.seat, player=row.player, region=row.region, circumstances=circumstances)


def _seat_state(row: SeatRow) -> SeatState:
    return SeatState(
        seat=row.seat, player=row.player, region=row.region,
        circumstances=CircumstancesModel.model_validate(row.circumstances),
        proposal=None if row.proposal is None else Proposal.model_validate(row.proposal),
        on_air=None if row.on_air is None else Card.model_validate(row.on_air),
    )  # fmt: skip


def _table_out(row: TableRow, seats: list[SeatRow]) -> TableOut:
    return TableOut(
        id=row.id, name=row.name, rules=row.rules, source=shown(row.source), auto=row.auto,  # type: ignore[arg-type]
        delay_seconds=row.delay_ms / 1000, theme=row.theme, language=row.language,  # type: ignore[arg-type]
        seats=[
            SeatOut(
                seat=seat.seat, player=seat.player, region=seat.region,
                circumstances=CircumstancesModel.model_validate(seat.circumstances),
            )
            for seat in seats
        ],
    )  # fmt: skip


def _event_out(row: EventRow) -> EventOut:
    assert row.number is not None
    data = row.data
    return EventOut(
        number=row.number, kind=row.kind, seat=row.seat, at=row.due_at,  # type: ignore[arg-type]
        card=Card.model_validate(data) if row.kind == "hand" else None,
        theme=data.get("theme"), language=data.get("language"), name=data.get("name") if row.kind == "table" else None,
    )  # fmt: skip
