"""Rows of stored hands and their photos.

photos 1 ── n hand_photos n ── 1 hands 1 ── n corrections
                                 hands 1 ── n idempotency_keys
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from hupai.api.storage.base import Base, new_id, now


class PhotoRow(Base):
    """A photo in the store. While a row of another feature refers to it, the photo stays.

    `unused_since` is set while nothing is known to refer to it: between its writing and the commit
    of what needs it, and after the last such row is deleted. Housekeeping looks only at these, so
    it never touches a file that this database does not know.
    """

    __tablename__ = "photos"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    media_type: Mapped[str] = mapped_column(String(64))
    stored_at: Mapped[datetime] = mapped_column(default=now)
    unused_since: Mapped[datetime | None] = mapped_column(index=True)


class HandRow(Base):
    """A hand in its current state.

    `reading` is what the model saw and never changes; the rest follows from it and the corrections.

    `version` counts changes from 1. `result` is the whole score answer, null if no legal hand
    was read; `total`, `unit`, `complete` and `legal` repeat parts of it for lists, null while a
    question is open.
    """

    __tablename__ = "hands"

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    author: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(default=now)
    updated_at: Mapped[datetime] = mapped_column(default=now)
    version: Mapped[int] = mapped_column(default=1)
    rules: Mapped[str] = mapped_column(String(64))
    circumstances: Mapped[dict[str, Any]]
    reading: Mapped[dict[str, Any]]
    certain: Mapped[bool]
    notation: Mapped[str | None] = mapped_column(Text)
    result: Mapped[dict[str, Any] | None]
    total: Mapped[int | None]
    unit: Mapped[str | None] = mapped_column(String(16))
    complete: Mapped[bool | None]
    legal: Mapped[bool | None]
    share_token: Mapped[str | None] = mapped_column(String(43), unique=True)

    photos: Mapped[list[HandPhotoRow]] = relationship(
        order_by="HandPhotoRow.position", cascade="all, delete-orphan"
    )
    corrections: Mapped[list[CorrectionRow]] = relationship(
        order_by="CorrectionRow.position", cascade="all, delete-orphan"
    )

    __table_args__ = (
        Index("ix_hands_author_id", "author", "id"),
        Index("ix_hands_rules_id", "rules", "id"),
    )


class HandPhotoRow(Base):
    """Which photos show a hand; the first is the one that was read."""

    __tablename__ = "hand_photos"

    hand_id: Mapped[str] = mapped_column(
        ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(ForeignKey("photos.sha256"), index=True)
    name: Mapped[str] = mapped_column(String(100))

    photo: Mapped[PhotoRow] = relationship()


class CorrectionRow(Base):
    """One change to a hand: what was asked for, and the hand and its score after it.

    Rows are added, never changed; a trigger enforces this. Position 0 is the hand as it was read.
    `change` holds the fields of the request as given.
    """

    __tablename__ = "corrections"

    hand_id: Mapped[str] = mapped_column(
        ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)
    author: Mapped[str] = mapped_column(String(100))
    reason: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    change: Mapped[dict[str, Any]]
    rules: Mapped[str] = mapped_column(String(64))
    circumstances: Mapped[dict[str, Any]]
    notation: Mapped[str | None] = mapped_column(Text)
    result: Mapped[dict[str, Any] | None]


class IdempotencyRow(Base):
    """A request that stored a hand: the same one again is answered with that hand.

    `key` is ``key:`` and the client's Idempotency-Key, which a batch hashes, or ``photo:`` and the
    hash of photo and form if it sent none. `fingerprint` distinguishes a repetition from another
    request under the same key.
    """

    __tablename__ = "idempotency_keys"

    author: Mapped[str] = mapped_column(String(100), primary_key=True)
    key: Mapped[str] = mapped_column(String(261), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    hand_id: Mapped[str] = mapped_column(ForeignKey("hands.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
