"""All labels of a deployment: what its database and its photo store hold, as consent allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from hupai.api.dossier.chain import log as logs
from hupai.api.dossier.chain.log import BrokenLogError
from hupai.api.dossier.rows import CaseEventRow, CaseRow
from hupai.api.learning.case_labels import case_labels
from hupai.api.learning.consent import Consents, case_subject, consents, hand_subject
from hupai.api.learning.hand_labels import hand_label
from hupai.api.storage import PhotoMissingError, Storage
from hupai.api.storage.rows import HandPhotoRow, HandRow
from hupai.datasets.from_hands.labels import HandLabel, LeftOut

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Collected:
    """Labels, and what gave none."""

    labels: tuple[HandLabel, ...]
    left_out: tuple[LeftOut, ...]


def collect(storage: Storage) -> Collected:
    """Read the labels of all hands and cases whose author and deployment agreed.

    Several services that share one database and one photo store share their labels too.

    Raises:
        StorageError: if the database cannot be read.
    """
    with storage.database.session(write=False) as session:
        allowed = consents(session)
    labels: list[HandLabel] = []
    left_out: list[LeftOut] = []
    for one in (*_hands(storage, allowed), *_cases(storage, allowed)):
        if isinstance(one, LeftOut):
            left_out.append(one)
        elif not _there(storage, one.photo):
            left_out.append(LeftOut(one.id, f"photo {one.photo[:12]} is missing or damaged"))
        else:
            labels.append(one)
    return Collected(tuple(labels), tuple(left_out))


def _there(storage: Storage, sha256: str) -> bool:
    try:
        storage.photos.get(sha256)
    except PhotoMissingError:
        return False
    return True


def _hands(storage: Storage, allowed: Consents) -> Iterator[HandLabel | LeftOut]:
    """Yield what each stored hand gives, the oldest first."""
    for row in stored_hands(storage):
        refusal = allowed.refusal(hand_subject(row.id))
        yield LeftOut(row.id, refusal) if refusal else hand_label(row, storage.photos.get)


def stored_hands(storage: Storage) -> Iterator[HandRow]:
    """Yield every stored hand with photos and corrections, the oldest first, in batches."""
    last = ""
    while True:
        with storage.database.session(write=False) as session:
            rows = session.scalars(
                select(HandRow)
                .where(HandRow.id > last)
                .options(
                    selectinload(HandRow.photos).joinedload(HandPhotoRow.photo),
                    selectinload(HandRow.corrections),
                )
                .order_by(HandRow.id)
                .limit(_BATCH)
            ).all()
        yield from rows
        if len(rows) < _BATCH:
            return
        last = rows[-1].id


def _cases(storage: Storage, allowed: Consents) -> Iterator[HandLabel | LeftOut]:
    """Yield what each case gives, the oldest first; a log that does not hold gives nothing."""
    with storage.database.session(write=False) as session:
        ids = list(session.scalars(select(CaseRow.id).order_by(CaseRow.id)))
    for case_id in ids:
        refusal = allowed.refusal(case_subject(case_id))
        if refusal:
            yield LeftOut(case_id, refusal)
            continue
        with storage.database.session(write=False) as session:
            lines = session.scalars(
                select(CaseEventRow.line)
                .where(CaseEventRow.case_id == case_id)
                .order_by(CaseEventRow.seq)
            ).all()
        try:
            case = logs.read([line.encode() for line in lines]).case
        except BrokenLogError as error:
            yield LeftOut(case_id, str(error))
            continue
        yield from case_labels(case, storage.photos.get)
