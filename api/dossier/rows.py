"""Tables of the cases.

    cases 1 ── n case_events
    cases 1 ── n case_photos n ── 1 photos

`case_events` is the log: triggers of the database refuse to change or delete a row. `cases` repeats
what lists need.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from hupai.api.storage.base import Base, now


class CaseRow(Base):
    """A case as lists show it; all of it follows from the log. Its row is locked while an event is
    appended.
    """

    __tablename__ = "cases"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    opened_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)
    author: Mapped[str] = mapped_column(String(200))
    title: Mapped[str] = mapped_column(String(200))
    rules: Mapped[str] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(16))
    open_proposals: Mapped[int] = mapped_column(default=0)
    events: Mapped[int] = mapped_column(default=0)
    head: Mapped[str] = mapped_column(String(64))

    __table_args__ = (Index("ix_cases_state_id", "state", "id"),)


class CaseEventRow(Base):
    """An event: its line of the log, byte for byte."""

    __tablename__ = "case_events"

    case_id: Mapped[str] = mapped_column(ForeignKey("cases.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    line: Mapped[str] = mapped_column(Text)


class CasePhotoRow(Base):
    """A photo of a case: keeps the photo's file while the case is there."""

    __tablename__ = "case_photos"

    case_id: Mapped[str] = mapped_column(ForeignKey("cases.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(ForeignKey("photos.sha256"), primary_key=True, index=True)
