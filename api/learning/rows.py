"""Who allowed what to be used as labels, and who took it back."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from hupai.api.storage.base import Base, new_id, now


class ConsentRow(Base):
    """One consent or refusal. Rows are appended, never changed; the last one for a subject counts.

    `subject` is ``deployment``, ``hand:ID`` or ``case:ID``.
    """

    __tablename__ = "consents"

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    subject: Mapped[str] = mapped_column(String(50))
    given: Mapped[bool]
    author: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(default=now)

    __table_args__ = (Index("ix_consents_subject_id", "subject", "id"),)
