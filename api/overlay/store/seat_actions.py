"""Actions on a seat that is or was on air: hide, undo, freeze, release now; and the log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from hupai.api.overlay.rows import EventRow
from hupai.api.overlay.schemas import Card, EventOut
from hupai.api.overlay.store.errors import NothingToUndoError
from hupai.api.overlay.store.event_queue import drop_queued, enqueue, queued_events, shown_events
from hupai.api.overlay.store.row_values import (
    event_value,
    locked_table,
    require_seat,
    require_table,
    seats_of,
)
from hupai.api.storage import Database
from hupai.api.storage.base import now

PIPELINE = "reader"
"""Author of changes that go on air automatically."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """A change that went on air, and who caused it."""

    event: EventOut
    author: str


class SeatActions:
    """The part of `OverlayStore` that acts on seats which are or were on air."""

    def __init__(self, database: Database) -> None:
        """Keep everything in this database."""
        self._database = database

    def hide(self, table: str, seat: str | None, author: str) -> None:
        """Take a seat, or all seats, off the air at once, and drop what is queued for it.

        For all seats `auto` is switched off too, so that nothing comes back automatically.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
        """
        with self._database.session() as session:
            row = locked_table(session, table)
            places = (
                seats_of(session, table) if seat is None else [require_seat(session, table, seat)]
            )
            if seat is None:
                row.auto = "off"
            for place in places:
                drop_queued(session, table, place.seat)
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

    def retire(self, table: str, seat: str, replaced: bool) -> bool:
        """Take a hand that the camera no longer sees off air, after the table's delay.

        Args:
            table, seat: whose hand it is.
            replaced: whether something else was accepted at the seat since; then the hand on air
                stays if it shows the newest proposal.

        Returns:
            Whether a hand was taken off air.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
        """
        with self._database.session() as session:
            row, place = locked_table(session, table), require_seat(session, table, seat)
            queued = session.scalars(queued_events(table).where(EventRow.seat == seat)).all()
            last = queued[-1] if queued else None
            shown = place.on_air if last is None else last.data if last.kind == "hand" else None
            if shown is None or place.frozen:
                return False
            proposed = None if place.proposal is None else place.proposal["card"]
            if replaced and proposed is not None and _same_tiles(shown, proposed):
                return False
            enqueue(session, row, seat, "hide", None, PIPELINE)
            return True

    def undo(self, table: str, seat: str, author: str) -> None:
        """Restore what was on air at a seat before its last change, without delay.

        What is queued for the seat is dropped. Undoing twice restores what was undone.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
            NothingToUndoError: if nothing of the seat has been on air, as far as events are kept.
        """
        with self._database.session() as session:
            row, place = locked_table(session, table), require_seat(session, table, seat)
            shown = iter(session.scalars(shown_events(table, seat)).all())
            newest = next(shown, None)
            if newest is None:
                raise NothingToUndoError(seat)
            drop_queued(session, table, place.seat)
            before = next((event for event in shown if not _shows_the_same(event, newest)), None)
            if before is None or before.kind == "hide":
                enqueue(session, row, seat, "hide", None, author, delay_ms=0)
            else:
                card = Card.model_validate(before.data)
                enqueue(session, row, seat, "hand", card, author, delay_ms=0)

    def freeze(self, table: str, seat: str, frozen: bool) -> None:
        """Freeze what is on air at a seat regardless of readings, or unfreeze it. Freezing drops
        what is queued.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
        """
        with self._database.session() as session:
            locked_table(session, table)
            require_seat(session, table, seat).frozen = frozen
            if frozen:
                drop_queued(session, table, seat)

    def log(self, table: str) -> list[LoggedEvent]:
        """List what went on air, oldest first, as far as it is kept, with its authors.

        Raises:
            UnknownTableError: if there is none.
        """
        with self._database.session(write=False) as session:
            require_table(session, table)
            wanted = (
                select(EventRow)
                .where(EventRow.table_id == table, EventRow.number.is_not(None))
                .order_by(EventRow.number)
            )
            return [LoggedEvent(event_value(row), row.author) for row in session.scalars(wanted)]

    def release_now(self, table: str, seat: str | None) -> None:
        """Put what is queued for a seat, or for all seats, on air now.

        Raises:
            UnknownTableError, UnknownSeatError: if there is none.
        """
        with self._database.session() as session:
            locked_table(session, table)
            if seat is not None:
                require_seat(session, table, seat)
            for event in session.scalars(queued_events(table)):
                if seat is None or event.seat == seat:
                    event.due_at = now()

    def replace_on_air(self, table: str, cards: Iterable[Card], author: str) -> None:
        """Replace cards on air, without delay, for seats that have nothing else queued: the tiles
        from which the changes follow are already on air.
        """
        with self._database.session() as session:
            row = locked_table(session, table)
            waiting = {event.seat for event in session.scalars(queued_events(table))}
            for card in cards:
                place = require_seat(session, table, card.seat)
                if (
                    place.on_air is not None
                    and card.seat not in waiting
                    and place.on_air != card.model_dump(mode="json")
                ):
                    enqueue(session, row, card.seat, "hand", card, author, delay_ms=0)


def _shows_the_same(one: EventRow, other: EventRow) -> bool:
    """Return whether two events show the same, but for the player's name and for waits, which are
    counted anew when other seats change.
    """
    varying = {"player", "waits"}
    return one.kind == other.kind and all(
        one.data.get(name) == other.data.get(name)
        for name in (one.data.keys() | other.data.keys()) - varying
    )


def _same_tiles(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two cards show the same tiles in the same sets."""
    return all(
        one[name] == other[name] for name in ("concealed", "melds", "winning_tile", "flowers")
    )
