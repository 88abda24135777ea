"""What can go wrong with storage.

StorageError
├── StorageFullError         no space: disk, quota or file size limit
└── StorageUnavailableError  database or photo store cannot be opened, or is locked too long
    └── PhotoMissingError    a photo that was recorded is gone (hupai.api.storage.photos)
"""

from __future__ import annotations

import errno
import sqlite3

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from hupai.scoring.errors import HupaiError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_PG_FULL = "53100"
_SQLITE_FULL = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
)
"""SQLite reports a full disk as FULL, a quota or file size limit as a failed write, and no space
for the index of its log as SHMSIZE.
"""


class StorageError(HupaiError):
    """Something could not be kept or fetched; nothing was changed."""


class StorageFullError(StorageError):
    """There is no space left. What was stored before stays intact."""


class StorageUnavailableError(StorageError):
    """The database or the photos cannot be reached."""


def of_os_error(error: OSError, what: str) -> StorageError:
    """Convert an operating system error; `what` says what was being done."""
    reason = error.strerror or type(error).__name__
    if error.errno in _FULL:
        return StorageFullError(f"{what}: {reason}")
    return StorageUnavailableError(f"{what}: {reason}")


def of_database_error(error: DBAPIError) -> StorageError | None:
    """Convert a database error; None for a fault of the program, such as a violated constraint."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        if getattr(cause, "sqlite_errorcode", None) in _SQLITE_FULL:
            return StorageFullError("the database's disk takes no more")
        faulty = (
            isinstance(cause, sqlite3.OperationalError)
            and getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
        )
        broken = isinstance(cause, sqlite3.OperationalError) or type(cause) is sqlite3.DatabaseError
        return StorageUnavailableError(f"database: {cause}") if broken and not faulty else None
    if getattr(cause, "sqlstate", None) == _PG_FULL:
        return StorageFullError("the database's disk is full")
    if error.connection_invalidated or isinstance(error, OperationalError | InterfaceError):
        return StorageUnavailableError(f"database: {type(cause).__name__}")
    return None
