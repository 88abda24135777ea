"""The base class of all rows, times in UTC, and ids that sort by age."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import JSON, DateTime, Dialect, MetaData
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """A time with its zone, stored and returned in UTC.

    SQLite has no zones, so there it is stored without.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to the database. A time without a zone is refused: its meaning is unknown."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored moment needs a time zone")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002 - SQLAlchemy gives it
    ) -> datetime | None:
        """Convert from the database."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Base class of all rows. Constraints have names, so that migrations can change them.

    Columns annotated ``datetime`` are `UtcDateTime`, ``dict[str, Any]`` and ``list[Any]`` are JSON
    as written (PostgreSQL's json, not jsonb: the order of members stays).
    """

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map = {datetime: UtcDateTime(), dict[str, Any]: JSON(), list[Any]: JSON()}  # noqa: RUF012


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


_last_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """Make a UUID of version 7 (RFC 9562) as text.

    It holds 48 bits of milliseconds, 12 of their fraction and 62 random ones.

    Ids of one process ascend strictly, those of several by the clock, so they sort by age.
    """
    global _last
    with _last_lock:
        # Counted in 1/4096 ms: the 12 bits after the milliseconds (RFC 9562, 6.2, method 3).
        ticks = max(time.time_ns() * 4096 // 1_000_000, _last + 1)
        _last = ticks
    milliseconds, fraction = divmod(ticks, 4096)
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    return str(UUID(int=(milliseconds << 80) | (7 << 76) | (fraction << 64) | (2 << 62) | random))
