"""Stored hands in the database: insert once, append corrections, list, delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, load_only, selectinload

from hupai.api.hands.photo_work.scored_reading import Outcome
from hupai.api.storage.base import new_id, now
from hupai.api.storage.rows import (
    CorrectionRow,
    HandPhotoRow,
    HandRow,
    IdempotencyRow,
    PhotoRow,
)
from hupai.api.storage.storage import Storage
from hupai.scoring.errors import HupaiError

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Draft:
    """A hand about to be stored: photos as (name, bytes), the reading's JSON, the outcome as
    read.
    """

    author: str
    photos: tuple[tuple[str, bytes], ...]
    reading: dict[str, Any]
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Filter:
    """Which hands a list shows; None does not restrict. Times are of creation: from `since` on,
    before `until`.
    """

    author: str | None = None
    rules: str | None = None
    certain: bool | None = None
    legal: bool | None = None
    corrected: bool | None = None
    photo: str | None = None
    min_total: int | None = None
    since: datetime | None = None
    until: datetime | None = None


class HandInUseError(HupaiError):
    """Something else, such as a case, refers to the hand; it was not deleted."""


class HandChangedError(HupaiError):
    """The hand has another version than the one to delete; it was not deleted.

    Attributes:
        version: the one it has.
    """

    def __init__(self, version: int) -> None:
        super().__init__(f"the hand is at version {version}")
        self.version = version


def insert(
    storage: Storage, draft: Draft, key: str, fingerprint: str, *, kept: bool = False
) -> HandRow | None:
    """Store a hand with its photos, in one transaction; when this returns it is on disk.

    `kept` means that the photos are written already, by `Storage.keep_photo`.

    Returns:
        The row; None if the author has stored a hand under this key meanwhile, see `replayed`.
    """
    photos = [data for _, data in draft.photos]
    try:
        with (
            storage.kept_photos([] if kept else photos),
            storage.database.session() as session,
        ):
            certain = bool(draft.reading["certain"])
            hand = HandRow(
                id=new_id(), author=draft.author, reading=draft.reading, certain=certain, version=1
            )
            _set_outcome(hand, draft.outcome)
            used = {
                data: session.get_one(PhotoRow, storage.use_photo(session, data))
                for data in sorted(set(photos), key=_hash)
            }
            hand.photos = [
                HandPhotoRow(position=i, name=name, photo=used[data])
                for i, (name, data) in enumerate(draft.photos)
            ]
            hand.corrections = [_correction(0, draft.author, "", {}, draft.outcome)]
            session.add(hand)
            session.flush()
            session.add(
                IdempotencyRow(
                    author=draft.author, key=key, fingerprint=fingerprint, hand_id=hand.id
                )
            )
            session.flush()
            return hand
    except IntegrityError:
        with storage.database.session(write=False) as session:
            if replayed(session, draft.author, key) is None:
                raise
        storage.forget_photos(photos)  # the other request may have come with others
        return None


def replayed(session: Session, author: str, key: str) -> IdempotencyRow | None:
    """What the author stored under this key."""
    return session.get(IdempotencyRow, (author, key))


def find(session: Session, hand_id: str) -> HandRow | None:
    """The hand with its photos and corrections."""
    return _loaded(session, hand_id)


def append(
    session: Session,
    hand_id: str,
    version: int,
    author: str,
    reason: str,
    change: dict[str, Any],
    outcome: Outcome,
) -> HandRow | None:
    """Append a correction to a hand that is at `version`; None if it no longer is, or is gone. Of
    what is stored, only the current state of the hand changes.
    """
    locked = session.scalar(_locked_version(hand_id))
    hand = _loaded(session, hand_id)
    if locked != version or hand is None:
        return None
    hand.corrections.append(_correction(len(hand.corrections), author, reason, change, outcome))
    _set_outcome(hand, outcome)
    _touch(hand)
    session.flush()  # gives the correction its time
    return hand


def share(session: Session, hand_id: str, token: str | None) -> HandRow | None:
    """Give the hand this share token unless it has one; with None take back the one it has."""
    session.scalar(_locked_version(hand_id))
    hand = _loaded(session, hand_id)
    if hand is not None and (hand.share_token is None) != (token is None):
        hand.share_token = token
        _touch(hand)
    return hand


def page(session: Session, wanted: Filter, limit: int, before: str | None) -> Sequence[HandRow]:
    """At most `limit` hands, newest first, older than the id `before`; without readings, results
    and corrections.
    """
    columns = load_only(
        HandRow.id, HandRow.version, HandRow.created_at, HandRow.updated_at, HandRow.author,
        HandRow.rules, HandRow.notation,
        HandRow.total, HandRow.unit, HandRow.complete, HandRow.legal, HandRow.certain,
    )  # fmt: skip
    query = (
        select(HandRow).options(columns, selectinload(HandRow.photos)).where(*_conditions(wanted))
    )
    if before is not None:
        query = query.where(HandRow.id < before)
    return session.scalars(query.order_by(HandRow.id.desc()).limit(limit)).all()


def remove(
    storage: Storage, hand_id: str, expected: Callable[[int], bool] = lambda _version: True
) -> bool:
    """Delete a hand, its corrections, and its photos where nothing else needs them. Returns whether
    there was one.

    `expected` says whether a hand of this version may be deleted; it cannot change meanwhile.

    Raises:
        HandInUseError: if something refers to it; it stays whole.
        HandChangedError: if it may not be deleted at its version; it stays whole.
    """

    def job(session: Session) -> tuple[list[str], bool]:
        names = list(
            session.scalars(select(HandPhotoRow.sha256).where(HandPhotoRow.hand_id == hand_id))
        )
        storage.release_photos(session, names)
        version = session.scalar(_locked_version(hand_id))
        if version is not None and not expected(version):
            raise HandChangedError(version)
        gone = session.execute(delete(HandRow).where(HandRow.id == hand_id).returning(HandRow.id))
        return names, bool(gone.all())

    try:
        names, gone = storage.database.delete(job)
    except IntegrityError as error:
        raise HandInUseError(hand_id) from error
    storage.sweep(timedelta(0), names)
    return gone


@dataclass(frozen=True, slots=True)
class Pruned:
    """What a retention run did: hands deleted, and those kept because something refers to them."""

    deleted: int
    kept: tuple[str, ...]


def prune(storage: Storage, before: datetime, *, dry_run: bool = False) -> Pruned:
    """Delete every hand created before a moment, a hundred at a time; each is deleted whole or not
    at all.
    """
    deleted, kept = 0, []
    last = ""
    while True:
        with storage.database.session(write=False) as session:
            query = (
                select(HandRow.id)
                .where(HandRow.created_at < before, HandRow.id > last)
                .order_by(HandRow.id)
                .limit(_BATCH)
            )
            ids = list(session.scalars(query))
        if not ids:
            break
        last = ids[-1]
        for hand_id in ids:
            if dry_run:
                deleted += 1
                continue
            try:
                deleted += remove(storage, hand_id)
            except HandInUseError:
                kept.append(hand_id)
    return Pruned(deleted, tuple(kept))


def _hash(data: bytes) -> str:
    """The key by which rows of several photos are sorted, so that they are locked in one order."""
    return sha256(data).hexdigest()


def _conditions(wanted: Filter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    for column, value in (
        (HandRow.author, wanted.author),
        (HandRow.rules, wanted.rules),
        (HandRow.certain, wanted.certain),
        (HandRow.legal, wanted.legal),
    ):
        if value is not None:
            conditions.append(column == value)
    if wanted.min_total is not None:
        conditions.append(HandRow.total >= wanted.min_total)
    if wanted.since is not None:
        conditions.append(HandRow.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(HandRow.created_at < wanted.until)
    if wanted.photo is not None:
        conditions.append(
            exists().where(HandPhotoRow.hand_id == HandRow.id, HandPhotoRow.sha256 == wanted.photo)
        )
    if wanted.corrected is not None:
        corrected = exists().where(CorrectionRow.hand_id == HandRow.id, CorrectionRow.position > 0)
        conditions.append(corrected if wanted.corrected else ~corrected)
    return conditions


def _locked_version(hand_id: str) -> Select[int]:
    """Select the version of a hand, which nothing else can change until the transaction ends."""
    return select(HandRow.version).where(HandRow.id == hand_id).with_for_update()


def _loaded(session: Session, hand_id: str) -> HandRow | None:
    parts = (
        selectinload(HandRow.photos).joinedload(HandPhotoRow.photo),
        selectinload(HandRow.corrections),
    )
    return session.scalar(
        select(HandRow)
        .where(HandRow.id == hand_id)
        .options(*parts)
        .execution_options(populate_existing=True)
    )


def _correction(
    position: int, author: str, reason: str, change: dict[str, Any], outcome: Outcome
) -> CorrectionRow:
    return CorrectionRow(
        position=position,
        author=author,
        reason=reason,
        change=change,
        rules=outcome.rules,
        circumstances=outcome.circumstances,
        notation=outcome.notation,
        result=outcome.result,
    )


def _set_outcome(hand: HandRow, outcome: Outcome) -> None:
    hand.rules, hand.circumstances = outcome.rules, outcome.circumstances
    hand.notation, hand.result = outcome.notation, outcome.result
    score = (outcome.result or {}).get("score") or {}
    hand.total, hand.unit = score.get("total"), score.get("unit")
    hand.complete, hand.legal = score.get("complete"), score.get("legal")


def _touch(hand: HandRow) -> None:
    hand.version += 1
    hand.updated_at = now()
