"""Stored sessions in the database: begin, change, list, delete."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, selectinload

from hupai.api.sessions.rows import SessionChangeRow, SessionRow
from hupai.api.storage.base import now
from hupai.api.storage.storage import Storage
from hupai.scoring.errors import HupaiError


@dataclass(frozen=True, slots=True)
class State:
    """What a client has of a session after a change; JSON as it came."""

    log: dict[str, Any]
    hands: list[Any]


@dataclass(frozen=True, slots=True)
class Head:
    """What a poll needs of a session: who may see it, and its version."""

    author: str
    token: str
    version: int


class KeyReusedError(HupaiError):
    """An Idempotency-Key that came with another change before."""


def find(session: Session, session_id: str) -> SessionRow | None:
    """The session with its changes."""
    return session.scalar(
        select(SessionRow)
        .where(SessionRow.id == session_id)
        .options(selectinload(SessionRow.changes))
        .execution_options(populate_existing=True)
    )


def head(session: Session, session_id: str) -> Head | None:
    """The session without its log."""
    row = session.execute(
        select(SessionRow.author, SessionRow.token, SessionRow.version).where(
            SessionRow.id == session_id
        )
    ).one_or_none()
    return None if row is None else Head(row.author, row.token, row.version)


def begin(
    storage: Storage, session_id: str, author: str, state: State, key: str | None
) -> SessionRow | None:
    """Store a new session; None if the id is taken."""
    try:
        with storage.database.session() as session:
            if session.get(SessionRow, session_id) is not None:
                return None
            row = SessionRow(
                id=session_id,
                author=author,
                token=secrets.token_urlsafe(32),
                version=1,
                log=state.log,
                hands=state.hands,
                changes=[SessionChangeRow(version=1, key=key, author=author)],
            )
            session.add(row)
            session.flush()
            return find(session, session_id)
    except IntegrityError:  # begun by another process meanwhile
        return None


def change(
    storage: Storage,
    session_id: str,
    expected: Callable[[int], bool],
    author: str,
    state: State,
    key: str | None,
) -> tuple[SessionRow | None, bool]:
    """Update a session if its version is an expected one.

    What changes nothing makes no version, and a key that was used before changes nothing: the
    request may be repeated.

    Raises:
        KeyReusedError: the key made the newest version, which is not as this request wants it.

    Returns:
        The current session, None if it is gone; and whether it is as the request wants
        it, or was.
    """
    with storage.database.session() as session:
        session.scalar(
            select(SessionRow.version).where(SessionRow.id == session_id).with_for_update()
        )
        row = find(session, session_id)
        if row is None:
            return None, False
        made = next((one for one in row.changes if key is not None and one.key == key), None)
        if made is not None:
            # Of older versions nothing is kept that the request could be compared with.
            if made.version == row.version and (row.log, row.hands) != (state.log, state.hands):
                raise KeyReusedError(key)
            return row, True
        if not expected(row.version):
            return row, False
        if (row.log, row.hands) != (state.log, state.hands):
            row.log, row.hands = state.log, state.hands
            row.version += 1
            row.updated_at = now()
            row.changes.append(SessionChangeRow(version=row.version, key=key, author=author))
            session.flush()
        return row, True


def of_author(session: Session, author: str | None, limit: int) -> Sequence[SessionRow]:
    """The newest sessions of an author, or of everybody."""
    query = select(SessionRow)
    if author is not None:
        query = query.where(SessionRow.author == author)
    return session.scalars(
        query.order_by(SessionRow.created_at.desc(), SessionRow.id).limit(limit)
    ).all()


def remove(session: Session, session_id: str) -> None:
    """Delete a session with its changes."""
    session.execute(delete(SessionRow).where(SessionRow.id == session_id))


def prune(storage: Storage, before: datetime, *, dry_run: bool = False) -> int:
    """Delete the sessions that were last changed before a moment. Returns how many."""
    is_old = SessionRow.updated_at < before
    if dry_run:
        with storage.database.session(write=False) as session:
            found = session.scalar(select(func.count()).select_from(SessionRow).where(is_old))
            return found or 0
    gone = delete(SessionRow).where(is_old).returning(SessionRow.id)
    return storage.database.delete(lambda session: len(session.scalars(gone).all()))
