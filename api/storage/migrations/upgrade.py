"""Runs the migrations with Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import Connection

from hupai.api.storage.errors import StorageUnavailableError


def upgrade(connection: Connection) -> None:
    """Bring the schema to the newest revision, in the transaction of the connection.

    Raises:
        StorageUnavailableError: if the schema has a revision that this version does not know.
    """
    try:
        command.upgrade(alembic_config(connection), "head")
    except CommandError as error:
        raise StorageUnavailableError(f"migration: {error}") from error


def alembic_config(connection: Connection | None) -> Config:
    """Configure Alembic for the migrations of this package, on an open connection."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
