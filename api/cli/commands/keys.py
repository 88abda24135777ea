"""``hupai keys``: make, list and revoke API keys, in the database of the service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from hupai.api.auth.principal import SCOPES
from hupai.api.cli.common import ExitCode, JsonOption, fail, note, out

if TYPE_CHECKING:
    from hupai.api.auth.keys import KeyInfo, KeyStore

app = typer.Typer(help="API keys: who may use the service, and for what.", no_args_is_help=True)


@app.command("add")
def add(
    name: Annotated[
        str,
        typer.Argument(
            help="Who holds the key; it stands beside what they store.", show_default=False
        ),
    ],
    scopes: Annotated[
        list[str],
        typer.Option(
            "--scope", "-s", help=f"{', '.join(SCOPES)}; may be repeated.", show_default=False
        ),
    ],
    days: Annotated[
        int | None,
        typer.Option(min=1, max=3650, help="Days until it expires.", show_default="never"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and print it, this once: it is stored as a hash.

    An operator or referee may do what a player may. Keys are asked for where HUPAI_REQUIRE_KEYS is
    true.
    """
    from hupai.api.auth.keys import BadKeyRequestError

    with _keys() as keys:
        try:
            text, info = keys.add(name, scopes, days)
        except BadKeyRequestError as error:
            fail(str(error), ExitCode.BAD_USAGE)
    if as_json:
        typer.echo(json.dumps({"key": text, **_fields(info)}, ensure_ascii=False))
        return
    typer.echo(text)
    note("Keep it now: it is not shown again. Send it as header  Authorization: Bearer KEY")


@app.command("list")
def list_keys(as_json: JsonOption = False) -> None:
    """Every key with its scopes and whether it is active, expired or revoked."""
    from rich.table import Table

    with _keys() as keys:
        infos = keys.all()
    if as_json:
        for info in infos:
            typer.echo(json.dumps(_fields(info), ensure_ascii=False))
        return
    table = Table("id", "name", "scopes", "state", "made", "expires")
    for info in infos:
        expires = info.expires_at.date().isoformat() if info.expires_at else "never"
        table.add_row(
            info.id,
            info.name,
            " ".join(info.scopes),
            info.state,
            info.created_at.date().isoformat(),
            expires,
        )
    out().print(table)


@app.command("revoke")
def revoke(
    which: Annotated[
        str, typer.Argument(metavar="NAME|ID", help="Name or id of the key.", show_default=False)
    ],
    as_json: JsonOption = False,
) -> None:
    """Revoke a key. A running service refuses it from the next request on."""
    from hupai.api.auth.keys import BadKeyRequestError

    with _keys() as keys:
        try:
            revoked = keys.revoke(which)
        except BadKeyRequestError as error:
            fail(str(error))
    for info in revoked:
        typer.echo(
            json.dumps(_fields(info), ensure_ascii=False)
            if as_json
            else f"revoked {info.id} {info.name}"
        )


@contextmanager
def _keys() -> Iterator[KeyStore]:
    """The keys of the database that the settings name."""
    from pydantic import ValidationError

    from hupai.api.auth.keys import KeyStore
    from hupai.api.storage import StorageError
    from hupai.api.web.settings import TEMPORARY, Settings
    from hupai.api.web.storage_access import storage_of

    try:
        settings = Settings()
    except ValidationError as error:
        fail("; ".join(f"HUPAI_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))
    if settings.data_dir == TEMPORARY and not settings.database_url:
        fail(
            f"HUPAI_DATA_DIR is {TEMPORARY}, which keeps nothing: a key made here would be gone at once."
        )
    storage = storage_of(settings)
    try:
        storage.database.migrate()
        yield KeyStore(storage.database)
    except StorageError as error:
        fail(f"The database cannot be used: {error}. `hupai doctor` says more.")
    finally:
        storage.database.close()


def _fields(info: KeyInfo) -> dict[str, object]:
    """A key as JSON: times in ISO 8601, UTC."""
    return {
        "id": info.id,
        "name": info.name,
        "scopes": list(info.scopes),
        "state": info.state,
        "created_at": info.created_at.isoformat(),
        "expires_at": info.expires_at.isoformat() if info.expires_at else None,
        "revoked_at": info.revoked_at.isoformat() if info.revoked_at else None,
    }
