"""Every module that defines tables, imported so that `Base.metadata` knows them all: for migrations and the test of them."""

from __future__ import annotations

import api.auth_keys
import api.dossier.tables
import api.overlay.rows
import api.storage.tables  # noqa: F401
from api.storage.base import Base

__all__ = ["Base"]
