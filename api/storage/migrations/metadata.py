"""Every module that defines tables, imported so that `Base.metadata` knows them all: for migrations
and the test of them.
"""

from __future__ import annotations

import hupai.api.auth.keys
import hupai.api.dossier.rows
import hupai.api.overlay.rows
import hupai.api.storage.rows  # noqa: F401
from hupai.api.storage.base import Base

__all__ = ["Base"]
