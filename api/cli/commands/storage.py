"""``hupai storage``: what the service keeps, looked after: retention, deletion on request, and a
check of every photo.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from hupai.api.cli.common import ExitCode, JsonOption, fail, finish, note, out

if TYPE_CHECKING:
    from hupai.api.storage import Storage

app = typer.Typer(
    help="Stored hands and photos: retention, deletion on request, a check of what is there.",
    no_args_is_help=True,
)
_UNITS = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "y": timedelta(days=365),
}


def _parse_age(text: str) -> timedelta:
    found = re.fullmatch(r"(\d{1,5})([hdwy])", text.strip().lower())
    if found is None:
        raise typer.BadParameter(f"{text!r} is no age: write 12h, 90d, 8w or 2y")
    return int(found[1]) * _UNITS[found[2]]


@app.command()
def prune(
    older_than: Annotated[
        timedelta,
        typer.Option(
            "--older-than",
            parser=_parse_age,
            metavar="AGE",
            help="12h, 90d, 8w or 2y.",
            show_default=False,
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete hands stored longer ago than an age, with their corrections and photos. May run beside
    the service, e.g. every night.

    What a case or something else that is kept refers to stays.
    """
    from hupai.api.hands import store as hands
    from hupai.api.storage.base import now

    with storage() as store:
        pruned = hands.prune(store, now() - older_than, dry_run=dry_run)
        photos = 0 if dry_run else store.sweep()
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "deleted": pruned.deleted,
                    "kept": list(pruned.kept),
                    "photos_swept": photos,
                    "dry_run": dry_run,
                }
            )
        )
        return
    out().print(
        f"{pruned.deleted} hands {'would be' if dry_run else 'were'} deleted.", highlight=False
    )
    if pruned.kept:
        note(f"{len(pruned.kept)} stay because something refers to them: {' '.join(pruned.kept)}")


@app.command()
def delete(
    ids: Annotated[
        list[str], typer.Argument(metavar="ID...", help="Ids of hands.", show_default=False)
    ],
) -> None:
    """Delete hands on request, with their corrections and photos, at once and for good."""
    from hupai.api.hands import store as hands

    problems = False
    with storage() as store:
        for hand_id in ids:
            try:
                gone = hands.remove(store, hand_id)
            except hands.HandInUseError:
                note(f"{hand_id}: not deleted, a case or something else that is kept refers to it")
                problems = True
                continue
            if not gone:
                note(f"{hand_id}: there is no such hand")
            problems |= not gone
            if gone:
                out().print(f"{hand_id}: deleted", highlight=False)
    finish(problems)


@app.command()
def check(as_json: JsonOption = False) -> None:
    """Read every stored photo and compare it with its SHA-256; name those that are missing or
    changed.
    """
    from sqlalchemy import select

    from hupai.api.storage import PhotoMissingError
    from hupai.api.storage.rows import PhotoRow

    with storage() as store:
        with store.database.session(write=False) as session:
            names = list(
                session.scalars(
                    select(PhotoRow.sha256)
                    .where(PhotoRow.unused_since.is_(None))
                    .order_by(PhotoRow.sha256)
                )
            )
        wrong = []
        for name in names:
            try:
                store.photos.get(name)
            except PhotoMissingError as error:
                wrong.append(name)
                note(str(error))
    if as_json:
        typer.echo(json.dumps({"photos": len(names), "wrong": wrong}))
    else:
        out().print(f"{len(names)} photos, {len(names) - len(wrong)} whole.", highlight=False)
    finish(bool(wrong))


@contextmanager
def storage() -> Iterator[Storage]:
    """The service's storage, by its settings; ends the command where it does not open or fails."""
    from pydantic import ValidationError

    from hupai.api.storage import StorageError
    from hupai.api.web.settings import TEMPORARY, Settings
    from hupai.api.web.storage_access import storage_of

    try:
        settings = Settings()
    except ValidationError as error:
        fail("; ".join(f"HUPAI_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))
    if settings.data_dir == TEMPORARY and not settings.database_url:
        fail("HUPAI_DATA_DIR is :temporary:, so there is nothing that stays.", ExitCode.BAD_USAGE)
    try:
        store = storage_of(settings)
        store.open()
    except StorageError as error:
        fail(str(error))
    try:
        yield store
    except StorageError as error:
        fail(str(error))
    finally:
        store.close()
