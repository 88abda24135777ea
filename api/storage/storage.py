"""Database and photos together, and when a photo may be deleted."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hupai.api.storage.base import now
from hupai.api.storage.database import Database
from hupai.api.storage.errors import StorageError, StorageFullError
from hupai.api.storage.photos import media_type, open_store
from hupai.api.storage.rows import PhotoRow

log = logging.getLogger("hupai.storage")
GRACE = timedelta(hours=1)
"""How long a photo that nothing refers to is left alone: a request that brought it may still be on
its way.
"""


class Storage:
    """What the service stores.

    A photo comes with `keep_photo` or `kept_photos` before the transaction that needs it, and
    `use_photo` inside it.
    Other parts' tables refer to ``photos.sha256`` by foreign key; what deletes such a row calls
    `release_photos` inside the transaction and `sweep` after it.

    Nothing is touched before `open`.

    Args:
        folder: the data folder; None for one that is forgotten when the storage is closed.
        database_url: ``sqlite:///file`` or ``postgresql://…``; empty for SQLite in the folder.
        photos_url: a folder or a URL of fsspec; empty for ``photos`` in the folder.

    Attributes:
        folder: the data folder.
        database: rows.
        photos: the bytes of photos.
    """

    def __init__(self, folder: Path | None, database_url: str = "", photos_url: str = "") -> None:
        self._temporary = folder is None
        self.folder = (
            folder.absolute() if folder else Path(tempfile.gettempdir()) / f"hupai-{uuid4().hex}"
        )
        self.database = Database(database_url or f"sqlite:///{self.folder / 'hupai.sqlite3'}")
        self.photos = open_store(photos_url or str(self.folder / "photos"))

    def open(self) -> None:
        """Bring the database to the newest schema, and open and tidy the photo store.

        On a full disk the space set aside for deletions is given up for this.

        Raises:
            StorageError: if either cannot be opened.
        """
        try:
            self._open()
        except StorageFullError:
            if not self.database.release_reserve():
                raise
            self._open()
        self.sweep()
        self.database.set_aside()

    def _open(self) -> None:
        self.database.migrate()
        self.photos.open()

    def close(self) -> None:
        """Close connections; temporary storage is deleted."""
        self.database.close()
        self.photos.close()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def check(self) -> None:
        """Make one round trip to the database.

        Raises:
            StorageError: if there is no answer.
        """
        self.database.ping()

    def keep_photo(self, data: bytes) -> str:
        """Write a photo and return its SHA-256.

        It stays for `GRACE` unless a transaction makes it used.

        Its row is committed first: should the process end before the photo is used, `sweep` finds
        it.
        """
        name = sha256(data).hexdigest()
        with self.database.session() as session:
            self._put_row(session, name, data, unused=True)
        self.photos.put(data)
        with self.database.session() as session:
            row = select(PhotoRow.sha256).where(PhotoRow.sha256 == name).with_for_update()
            if session.scalar(row) is None:  # a sweep was faster: without a row, no other finds it
                self._put_row(session, name, data, unused=True)
        return name

    @contextmanager
    def kept_photos(self, photos: Sequence[bytes]) -> Iterator[None]:
        """Write photos, and use them inside the block; if it raises, they are deleted again."""
        try:
            for data in photos:
                self.keep_photo(data)
            yield
        except BaseException:
            self.forget_photos(photos)
            raise

    def forget_photos(self, photos: Iterable[bytes]) -> None:
        """Delete photos that were kept, unless something refers to them.

        If the storage fails, the sweep at the next start finds them.
        """
        with suppress(StorageError):
            self.sweep(timedelta(0), [sha256(data).hexdigest() for data in photos])

    def use_photo(self, session: Session, data: bytes) -> str:
        """Make sure, inside the transaction that refers to a photo, that its row and file stay.

        Several are used in the order of their SHA-256: it locks their rows, and in other orders two
        transactions could wait for each other.

        Returns its SHA-256.
        """
        name = sha256(data).hexdigest()
        self._put_row(session, name, data, unused=False)
        # Its row is locked now. Where another request deleted the photo since `keep_photo`, it is
        # written again.
        if not self.photos.exists(name):
            self.photos.put(data)
        return name

    def release_photos(self, session: Session, names: list[str]) -> None:
        """Let `sweep` check these photos, inside a transaction that deletes what refers to them.

        Call it before the deletion: `sweep` too locks the photo's row first and then looks at what
        refers to it; in the other order the two could wait for each other.
        """
        if names:
            session.execute(
                select(PhotoRow.sha256)
                .where(PhotoRow.sha256.in_(names))
                .order_by(PhotoRow.sha256)
                .with_for_update()
            )
            session.execute(
                update(PhotoRow).where(PhotoRow.sha256.in_(names)).values(unused_since=now())
            )

    def sweep(self, grace: timedelta = GRACE, names: list[str] | None = None) -> int:
        """Delete photos that nothing has referred to for `grace`, all or those of `names`.

        Returns how many.
        """
        wanted = select(PhotoRow.sha256).where(PhotoRow.unused_since <= now() - grace)
        if names is not None:
            wanted = wanted.where(PhotoRow.sha256.in_(names))
        with self.database.session(write=False) as session:
            candidates = list(session.scalars(wanted))
        return sum(self._delete_unused(name) for name in candidates)

    def _delete_unused(self, name: str) -> bool:
        """Delete a photo unless something refers to it; the foreign keys of all tables decide."""

        def job(session: Session) -> bool:
            row = session.scalar(select(PhotoRow).where(PhotoRow.sha256 == name).with_for_update())
            if row is None or row.unused_since is None:
                return False
            try:
                with session.begin_nested():
                    session.delete(row)
                    session.flush()
            except IntegrityError:
                session.execute(
                    update(PhotoRow).where(PhotoRow.sha256 == name).values(unused_since=None)
                )
                return False
            self.photos.delete(name)
            return True

        try:
            return self.database.delete(job)
        except StorageError:
            log.exception("photo %s could not be deleted; the next sweep tries again", name)
            return False

    def _put_row(self, session: Session, name: str, data: bytes, *, unused: bool) -> None:
        """Insert the photo's row or lock the existing one.

        A photo in use is never marked unused by this.
        """
        values = {
            "sha256": name,
            "size": len(data),
            "media_type": media_type(data),
            "stored_at": now(),
            "unused_since": now() if unused else None,
        }
        insert = sqlite.insert if self.database.is_sqlite else postgresql.insert
        statement = insert(PhotoRow).values(values)
        if unused:
            # An unused photo's time starts anew; one in use stays in use.
            later = {"unused_since": values["unused_since"]}
            unused_yet = PhotoRow.unused_since.is_not(None)
            session.execute(
                statement.on_conflict_do_update(
                    index_elements=["sha256"], set_=later, where=unused_yet
                )
            )
        else:
            session.execute(
                statement.on_conflict_do_update(
                    index_elements=["sha256"], set_={"unused_since": None}
                )
            )
