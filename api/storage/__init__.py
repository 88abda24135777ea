"""Where the service keeps things: rows in a database, photos by their SHA-256."""

from __future__ import annotations

from api.storage.base import Base, UtcDateTime, new_id
from api.storage.database import Database
from api.storage.errors import StorageError, StorageFullError, StorageUnavailableError
from api.storage.photos import PhotoMissingError, PhotoStore
from api.storage.storage import Storage

__all__ = [
    "Base",
    "Database",
    "PhotoMissingError",
    "PhotoStore",
    "Storage",
    "StorageError",
    "StorageFullError",
    "StorageUnavailableError",
    "UtcDateTime",
    "new_id",
]
