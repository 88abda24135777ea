"""Rows of stored sessions.

sessions 1 ── n session_changes
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from hupai.api.storage.base import Base, now


class SessionRow(Base):
    """A session in its current state.

    `id` is the client's choice, so that beginning a session can be repeated. `log` is what
    ``POST /v1/sessions`` settles, `hands` what was won in each deal, and `version` counts changes
    from 1. Who has `token` may see and continue the session.
    """

    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    author: Mapped[str] = mapped_column(String(100))
    token: Mapped[str] = mapped_column(String(43))
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)
    version: Mapped[int] = mapped_column(default=1)
    log: Mapped[dict[str, Any]]
    hands: Mapped[list[Any]]

    changes: Mapped[list[SessionChangeRow]] = relationship(
        order_by="SessionChangeRow.version", cascade="all, delete-orphan"
    )

    __table_args__ = (Index("ix_sessions_author_created_at", "author", "created_at"),)


class SessionChangeRow(Base):
    """A change: the version that it made, and the Idempotency-Key of its request if it had one."""

    __tablename__ = "session_changes"

    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True
    )
    version: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str | None] = mapped_column(String(255))
    author: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(default=now)

    __table_args__ = (UniqueConstraint("session_id", "key"),)
