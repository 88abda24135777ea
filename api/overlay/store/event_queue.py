"""The queue of on-air events: queued with the table's delay, numbered when they are due."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from hupai.api.overlay.rows import EventRow, SeatRow, TableRow
from hupai.api.overlay.schemas import Card, EventKind, EventOut, Proposal, Queued
from hupai.api.overlay.store.row_values import event_value
from hupai.api.storage.base import now

KEPT_EVENTS = 2000
"""Events kept per table after they went on air, enough for a long day of play. A viewer who has
missed more gets a snapshot, and the log starts with the oldest one kept.
"""


def put_on_air(
    session: Session, row: TableRow, place: SeatRow, proposal: Proposal, author: str
) -> None:
    """Queue a proposal: its card, or hiding the seat if the proposal is empty."""
    if proposal.empty:
        if place.on_air is not None or has_queued(session, row.id, place.seat):
            enqueue(session, row, place.seat, "hide", None, author)
        return
    enqueue(session, row, place.seat, "hand", proposal.card, author)


def enqueue(
    session: Session,
    row: TableRow,
    seat: str,
    kind: EventKind,
    card: Card | None,
    author: str,
    delay_ms: int | None = None,
) -> None:
    """Queue a change with the table's delay, but never before events that are already queued.

    If `delay_ms` is given, it replaces that delay, and only events of the seat come first.
    """
    waiting = select(func.max(EventRow.due_at)).where(
        EventRow.table_id == row.id, EventRow.number.is_(None)
    )
    last = session.scalar(waiting if delay_ms is None else waiting.where(EventRow.seat == seat))
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


def release(session: Session, row: TableRow) -> list[EventOut]:
    """Number the due events of a table, apply them to its seats, and delete the oldest ones."""
    due = select(EventRow).where(
        EventRow.table_id == row.id, EventRow.number.is_(None), EventRow.due_at <= now()
    )
    events = []
    for event in session.scalars(due.order_by(EventRow.due_at, EventRow.id)):
        row.last_number += 1
        event.number = row.last_number
        if event.seat is not None and event.kind != "table":
            place = session.get(SeatRow, (row.id, event.seat))
            if place is not None and event.kind == "hand":
                # The player may have been named anew since the hand was queued.
                event.data = {**event.data, "player": place.player}
            if place is not None:
                place.on_air = event.data if event.kind == "hand" else None
        events.append(event_value(event))
    session.execute(
        delete(EventRow).where(
            EventRow.table_id == row.id, EventRow.number <= row.last_number - KEPT_EVENTS
        )
    )
    return events


def queued_events(table: str) -> Select[EventRow]:
    """Select the events of a table that are not yet on air, in the order they will be."""
    return (
        select(EventRow)
        .where(EventRow.table_id == table, EventRow.number.is_(None))
        .order_by(EventRow.due_at, EventRow.id)
    )


def shown_events(table: str, seat: str) -> Select[EventRow]:
    """Select the events of a seat that went on air, newest first."""
    return (
        select(EventRow)
        .where(EventRow.table_id == table, EventRow.number.is_not(None), EventRow.seat == seat)
        .order_by(EventRow.number.desc())
    )


def has_queued(session: Session, table: str, seat: str) -> bool:
    """Return whether anything is queued for a seat."""
    return session.scalar(queued_events(table).where(EventRow.seat == seat).limit(1)) is not None


def drop_queued(session: Session, table: str, seat: str) -> None:
    """Delete what is queued for a seat."""
    session.execute(
        delete(EventRow).where(
            EventRow.table_id == table, EventRow.number.is_(None), EventRow.seat == seat
        )
    )


def queue_of(session: Session, table: str) -> list[Queued]:
    """List what is queued for the seats of a table.

    Changes of the table itself are left out: they are due at once, and a line that appears for a
    moment would move the buttons of the others.
    """
    return [
        Queued(
            id=event.id,
            seat=event.seat,
            kind=event.kind,
            due_at=event.due_at,
            card=Card.model_validate(event.data) if event.kind == "hand" else None,
        )
        for event in session.scalars(queued_events(table).where(EventRow.kind != "table"))
    ]
