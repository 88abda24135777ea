"""Tables of the overlay: broadcast tables, their seats, and the events that are or will be on air.

overlay_tables 1 ── n overlay_seats
               1 ── n overlay_events
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from hupai.api.overlay.schemas import Auto, EventKind, Language
from hupai.api.storage.base import Base, new_id, now

_NOTHING_IS_NULL = JSON(none_as_null=True)


class TableRow(Base):
    """A table on air. `version` counts changes of its settings, `last_number` the events that went
    on air; `board` holds title, round, winds and scores.

    The process named by `lease_owner` reads the table's frames until `lease_until`; it renews the
    lease before that.
    """

    __tablename__ = "overlay_tables"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    rules: Mapped[str] = mapped_column(String(64))
    source: Mapped[str] = mapped_column(Text)
    auto: Mapped[Auto] = mapped_column(String(10))
    delay_ms: Mapped[int]
    theme: Mapped[str] = mapped_column(String(40))
    language: Mapped[Language] = mapped_column(String(4))
    version: Mapped[int] = mapped_column(default=1)
    last_number: Mapped[int] = mapped_column(default=0)
    board: Mapped[dict[str, Any] | None] = mapped_column(_NOTHING_IS_NULL)
    lease_owner: Mapped[str | None] = mapped_column(String(36))
    lease_until: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)


class SeatRow(Base):
    """A player's place at a table. `proposal` waits for the operator, `on_air` is what viewers
    see; while `frozen`, only an operator changes it.
    """

    __tablename__ = "overlay_seats"

    table_id: Mapped[str] = mapped_column(
        ForeignKey("overlay_tables.id", ondelete="CASCADE"), primary_key=True
    )
    seat: Mapped[str] = mapped_column(String(20), primary_key=True)
    position: Mapped[int]
    player: Mapped[str] = mapped_column(String(80))
    region: Mapped[list[Any]]
    circumstances: Mapped[dict[str, Any]]
    proposals: Mapped[int] = mapped_column(default=0)
    proposal: Mapped[dict[str, Any] | None] = mapped_column(_NOTHING_IS_NULL)
    on_air: Mapped[dict[str, Any] | None] = mapped_column(_NOTHING_IS_NULL)
    frozen: Mapped[bool] = mapped_column(default=False)


class EventRow(Base):
    """A change of what is on air. It gets its `number` when it goes out, at `due_at` or soon
    after.
    """

    __tablename__ = "overlay_events"

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    table_id: Mapped[str] = mapped_column(ForeignKey("overlay_tables.id", ondelete="CASCADE"))
    number: Mapped[int | None]
    seat: Mapped[str | None] = mapped_column(String(20))
    kind: Mapped[EventKind] = mapped_column(String(10))
    data: Mapped[dict[str, Any]]
    due_at: Mapped[datetime]
    author: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(default=now)

    __table_args__ = (
        UniqueConstraint("table_id", "number"),
        Index(None, "number", "due_at"),
    )
