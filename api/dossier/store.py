"""Stores cases in the database: append-only logs and their photos."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from hupai.api.dossier.bundle.pack import pack
from hupai.api.dossier.case import Case
from hupai.api.dossier.chain import log as logs
from hupai.api.dossier.chain.canonical import digest
from hupai.api.dossier.chain.events import Author, Body, KeyCertificate, KeyChanged
from hupai.api.dossier.chain.key_ring import KeyLostError, PersonalKey
from hupai.api.dossier.chain.keys import PublicKey, SigningKey
from hupai.api.dossier.chain.log import BrokenLogError, Log
from hupai.api.dossier.chain.signers import installation_key, introduction, path_to
from hupai.api.dossier.rows import CaseEventRow, CasePhotoRow, CaseRow
from hupai.api.storage import Storage, new_id
from hupai.api.storage.base import now
from hupai.scoring.errors import HupaiError

_PROGRAM = Author(name="hupai", role="operator")
"""Author of events that announce a changed or certified key."""


class CaseMissingError(HupaiError):
    """There is no case with this id."""


class CaseMovedError(HupaiError):
    """The log has grown since the caller read it; `head` is its current last hash."""

    def __init__(self, head: str) -> None:
        self.head = head
        super().__init__(head)


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """A case in a list."""

    id: str
    title: str
    rules: str
    state: str
    author: str
    opened_at: datetime
    updated_at: datetime
    open_proposals: int
    events: int


class CaseStore:
    """The cases of an installation.

    Args:
        storage: database and photos.
        key: signs what is appended.
        certificates: which keys it followed.
    """

    def __init__(
        self, storage: Storage, key: SigningKey, certificates: Sequence[KeyCertificate] = ()
    ) -> None:
        self._storage = storage
        self.key = key
        self._certificates = certificates

    def open(
        self,
        bodies: Sequence[Body],
        author: Author,
        photos: Sequence[bytes],
        signer: PersonalKey | None = None,
    ) -> Log:
        """Open a case with these events and photos; the installation's key signs the first event,
        a person's key the others where one is given.

        Raises:
            hupai.api.dossier.case.LogError: an event is not allowed at its place.
            StorageError: nothing was stored.
        """
        log = logs.begin(new_id(), bodies[:1], author, self.key, now())
        log = self._signed(log, bodies[1:], author, signer)
        with self._storage.kept_photos(photos), self._storage.database.session() as session:
            session.add(_row(log.case))
            session.flush()
            self._append(session, log, 0, photos)
        return log

    def read(self, case: str) -> Log:
        """Return the log of a case, checked.

        Raises:
            CaseMissingError: there is none.
            hupai.api.dossier.chain.log.BrokenLogError: it was changed behind the program's back.
        """
        with self._storage.database.session(write=False) as session:
            return _read(session, case)

    def author(self, case: str) -> str | None:
        """Return the name of the key that opened a case; None if there is no such case."""
        with self._storage.database.session(write=False) as session:
            return session.scalar(select(CaseRow.author).where(CaseRow.id == case))

    def extend(
        self,
        case: str,
        make: Callable[[Case], Sequence[Body]],
        author: Author,
        photos: Sequence[bytes] = (),
        head: str | None = None,
        signer: PersonalKey | None = None,
    ) -> Log:
        """Append the events that `make` builds from the current case; one writer at a time.

        Args:
            case: id of the case.
            make: the events; what it raises leaves the log as it was.
            author: who.
            photos: the bytes of photos that the events add.
            head: hash of the last event that the caller saw; the log must still end there. None: it
                may end anywhere.
            signer: a person's key, which signs in place of the installation's.

        Raises:
            CaseMissingError: there is no such case.
            KeyLostError: the case was signed by a key that does not lead to the one at hand.
            CaseMovedError: the log does not end at `head`.
            hupai.api.dossier.chain.log.BrokenLogError: it was changed behind the program's back.
            hupai.api.dossier.case.LogError: an event is not allowed there.
            StorageError: nothing was stored.
        """
        with self._storage.kept_photos(photos), self._storage.database.session() as session:
            row = session.scalar(select(CaseRow).where(CaseRow.id == case).with_for_update())
            if row is None:
                raise CaseMissingError(case)
            before = _read(session, case)
            if head is not None and head != before.case.head:
                raise CaseMovedError(before.case.head)
            after = self._signed(before, make(before.case), author, signer)
            self._append(session, after, len(before.events), photos)
            _update(row, after.case)
        return after

    def list(
        self,
        limit: int = 50,
        before: str | None = None,
        state: str | None = None,
        author: str | None = None,
    ) -> tuple[CaseSummary, ...]:
        """List cases, the newest first.

        Args:
            limit: maximum number of cases.
            before: only those older than the case with this id.
            state: only those that are open, ruled or closed.
            author: only those opened with the key of this name.
        """
        wanted = select(CaseRow).order_by(CaseRow.id.desc()).limit(limit)
        if before is not None:
            wanted = wanted.where(CaseRow.id < before)
        if state is not None:
            wanted = wanted.where(CaseRow.state == state)
        if author is not None:
            wanted = wanted.where(CaseRow.author == author)
        with self._storage.database.session(write=False) as session:
            return tuple(_summary(row) for row in session.scalars(wanted))

    def photo(self, sha256: str) -> bytes:
        """Return the bytes of a photo.

        Raises:
            hupai.api.storage.PhotoMissingError: it is not there.
        """
        return self._storage.photos.get(sha256)

    def export(self, case: str) -> bytes:
        """Return the bundle of a case.

        Raises:
            CaseMissingError: there is none.
            hupai.api.dossier.chain.log.BrokenLogError: its log does not hold.
            hupai.api.storage.PhotoMissingError: a photo is gone.
        """
        log = self.read(case)
        photos = {one.record.sha256: self.photo(one.record.sha256) for one in log.case.photos}
        path: tuple[KeyCertificate, ...] = ()
        if all(one.key != self.key.public for one in log.case.signers):
            path = path_to(self._certificates, installation_key(log.case.signers), self.key.public)
        return pack(log, photos, self.key, path)

    @staticmethod
    def newest_key(storage: Storage) -> PublicKey | None:
        """Return the installation's key that signs the newest case; None if there is none."""
        return next(_keys(storage), None)

    @staticmethod
    def keys(storage: Storage) -> frozenset[PublicKey]:
        """Return the installation's keys that sign the cases now, one log after another."""
        return frozenset(_keys(storage))

    def _signed(
        self, log: Log, bodies: Sequence[Body], author: Author, signer: PersonalKey | None
    ) -> Log:
        """Return the log with these events, after any events that announce their key."""
        case, at = log.case, now()
        if all(one.key != self.key.public for one in case.signers):
            path = path_to(self._certificates, installation_key(case.signers), self.key.public)
            if not path:
                raise KeyLostError(
                    f"the case was signed by {installation_key(case.signers).fingerprint}, and "
                    "nothing says that the key at hand follows it: run hupai dossier key --lost"
                )
            log = logs.extend(log, [KeyChanged(certificates=path)], _PROGRAM, self.key, at)
        if signer is None:
            return logs.extend(log, bodies, author, self.key, at)
        if all(one.key != signer.key.public for one in case.signers):
            known = introduction(case.id, signer.name, signer.key)
            log = logs.extend(log, [known], _PROGRAM, self.key, at)
        return logs.extend(log, bodies, author, signer.key, at)

    def _append(self, session: Session, log: Log, first: int, photos: Sequence[bytes]) -> None:
        for event in log.events[first:]:
            session.add(
                CaseEventRow(
                    case_id=log.case.id,
                    seq=event.event.seq,
                    hash=event.hash,
                    line=event.line.decode(),
                )
            )
        for data in sorted(photos, key=digest):
            session.add(
                CasePhotoRow(case_id=log.case.id, sha256=self._storage.use_photo(session, data))
            )


def _keys(storage: Storage) -> Iterator[PublicKey]:
    """Yield the installation's key of each case, the newest first; broken logs are left out."""
    with storage.database.session(write=False) as session:
        for case in session.scalars(select(CaseRow.id).order_by(CaseRow.id.desc())).all():
            with suppress(BrokenLogError):
                yield installation_key(_read(session, case).case.signers)


def _read(session: Session, case: str) -> Log:
    lines = session.scalars(
        select(CaseEventRow.line).where(CaseEventRow.case_id == case).order_by(CaseEventRow.seq)
    ).all()
    if not lines:
        raise CaseMissingError(case)
    return logs.read([line.encode() for line in lines])


def _row(case: Case) -> CaseRow:
    row = CaseRow(
        id=case.id,
        opened_at=datetime.fromisoformat(case.opened.time),
        author=case.opened.author.name,
        title=case.opening.title,
        rules=case.opening.rules.id,
    )
    _update(row, case)
    return row


def _update(row: CaseRow, case: Case) -> None:
    """Set what changes with each event."""
    row.updated_at = datetime.fromisoformat(case.last.time)
    row.state = case.state.value
    row.open_proposals = len(case.undecided)
    row.events, row.head = case.events, case.head


def _summary(row: CaseRow) -> CaseSummary:
    return CaseSummary(
        row.id,
        row.title,
        row.rules,
        row.state,
        row.author,
        row.opened_at,
        row.updated_at,
        row.open_proposals,
        row.events,
    )
