"""``hupai keys``: make, list and revoke API keys, in the database of the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from hupai.api.auth.keys import BadKeyRequestError, KeyInfo, KeyStore
from hupai.api.auth.principal import SCOPES
from hupai.api.cli.opening import load_settings
from hupai.api.cli.options import JsonOption
from hupai.api.cli.terminal import Rows, bad_usage, fail, note, out, print_json, tell
from hupai.api.cli.typer_app import App
from hupai.api.storage import StorageError
from hupai.api.web.settings import TEMPORARY
from hupai.api.web.storage_access import storage_of

app = App("API keys: who may use the service, and for what.")


@app.add("add", "hupai keys add 'Club tablet' --scope player --days 90")
def add(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="Owner of the key; recorded with what they store.",
            show_default=False,
        ),
    ],
    scopes: Annotated[
        list[str],
        typer.Option(
            "--scope",
            "-s",
            metavar="SCOPE",
            help=f"{', '.join(SCOPES)}; may be repeated.",
            show_default=False,
            autocompletion=lambda: list(SCOPES),
        ),
    ],
    days: Annotated[
        int | None,
        typer.Option(min=1, max=3650, help="Days until it expires.", show_default="never"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and print it once: only its hash is stored.

    An operator or referee may also do what a player may. Other machines need a key unless
    HUPAI_REQUIRE_KEYS is false.
    """
    with _keys() as keys, bad_usage(BadKeyRequestError):
        text, info = keys.add(name, scopes, days)
    if as_json:
        print_json({"key": text, **_fields(info)})
        return
    typer.echo(text)
    note("Keep it now: it is not shown again. Send it as header  Authorization: Bearer KEY")


@app.add("list", "hupai keys list")
def list_keys(as_json: JsonOption = False) -> None:
    """List every key with its scopes and whether it is active, expired or revoked."""
    with _keys() as keys:
        infos = keys.all()
    table = Rows("id", "name", "scopes", "state", "made", "expires")
    for info in infos:
        if as_json:
            print_json(_fields(info))
        expires = info.expires_at.date().isoformat() if info.expires_at else "never"
        made = info.created_at.date().isoformat()
        table.add(info.id, info.name, " ".join(info.scopes), info.state, made, expires)
    if not as_json:
        out().print(table)


@app.add("revoke", "hupai keys revoke 'Club tablet'")
def revoke(
    which: Annotated[
        str, typer.Argument(metavar="NAME|ID", help="Name or id of the key.", show_default=False)
    ],
    as_json: JsonOption = False,
) -> None:
    """Revoke a key. A running service refuses it from the next request on."""
    with _keys() as keys:
        revoked = keys.revoke(which)
    for info in revoked:
        if as_json:
            print_json(_fields(info))
        else:
            tell(f"revoked {info.id} {info.name}")


@contextmanager
def _keys() -> Iterator[KeyStore]:
    """Open the keys of the database that the settings name."""
    settings = load_settings()
    if settings.data_dir == TEMPORARY and not settings.database_url:
        fail(
            f"HUPAI_DATA_DIR is {TEMPORARY}, which keeps nothing: "
            "a key made here would be gone at once."
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
    """Return a key as JSON: times in ISO 8601, UTC."""
    return {
        "id": info.id,
        "name": info.name,
        "scopes": list(info.scopes),
        "state": info.state,
        "created_at": info.created_at.isoformat(),
        "expires_at": info.expires_at.isoformat() if info.expires_at else None,
        "revoked_at": info.revoked_at.isoformat() if info.revoked_at else None,
    }
