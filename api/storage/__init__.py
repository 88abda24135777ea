"""Where the service stores rows (in a database) and photos (by their SHA-256)."""

from __future__ import annotations

from hupai.api.storage.base import Base, UtcDateTime, new_id
from hupai.api.storage.database import Database
from hupai.api.storage.errors import StorageError, StorageFullError, StorageUnavailableError
from hupai.api.storage.photos import PhotoMissingError, PhotoStore
from hupai.api.storage.storage import Storage

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
