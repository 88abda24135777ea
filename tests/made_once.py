"""What takes long and is always the same is made once in each process of the tests: the shipped
networks are opened, and the schema of a new SQLite database is made.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hupai.api.storage.database import Database
from hupai.api.storage.privacy import make_private_folder
from hupai.vision.detection import onnx_session
from tests.shared import ROOT


def opened_once(open_session: Callable[[Path, int, str], Any]) -> Callable[[Path, int, str], Any]:
    """Open the networks of the checkout once; threads may share a session."""
    opened = cache(open_session)

    def session(path: Path, threads: int, provider: str) -> Any:
        shipped = Path(path).resolve().is_relative_to(ROOT / "models")
        return (opened if shipped else open_session)(path, threads, provider)

    return session


def migrated_once(migrate: Callable[[Database], None], folder: Path) -> Callable[[Database], None]:
    """Begin new SQLite databases as a copy of the first one that was migrated."""
    whole = folder / "migrated.sqlite3"

    def copied(database: Database) -> None:
        path = Path(database.url.database or "") if database.is_sqlite else None
        if path and path.name and not path.exists():
            if not whole.exists():
                first = Database(f"sqlite:///{whole}")
                migrate(first)
                first.close()
            with suppress(OSError):
                make_private_folder(path.parent)
                copy = Path(shutil.copyfile(whole, f"{path}.{os.getpid()}"))
                copy.chmod(0o600)
                with suppress(FileExistsError):  # another thread was here first
                    path.hardlink_to(copy)
                copy.unlink()
        migrate(database)

    return copied


@contextmanager
def made_once(folder: Path) -> Iterator[None]:
    """Make these things once; `folder` is for what is kept of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx_session, "_session", opened_once(onnx_session._session))
        patch.setattr(Database, "migrate", migrated_once(Database.migrate, folder))
        yield
