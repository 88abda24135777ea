"""``hupai storage``: retention, deletion on request, a check of every photo, backup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import select

from hupai.api.app.backup import back_up
from hupai.api.app.backup import restore as restore_to
from hupai.api.cli.opening import load_settings, opened_storage
from hupai.api.cli.options import JsonOption
from hupai.api.cli.terminal import ExitCode, fail, finish, note, print_json, tell
from hupai.api.cli.typer_app import App
from hupai.api.hands import store as hands
from hupai.api.sessions import store as sessions
from hupai.api.storage import PhotoMissingError, Storage
from hupai.api.storage.base import now
from hupai.api.storage.rows import PhotoRow
from hupai.api.web.settings import TEMPORARY, Settings

app = App("Stored hands and photos: retention, deletion, a check of what is there, backup.")
_UNITS = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "y": timedelta(days=365),
}


def _parse_age(text: str) -> timedelta:
    found = re.fullmatch(r"(\d{1,5})([hdwy])", text.strip().lower())
    if found is None:
        raise typer.BadParameter(f"{text!r} is not an age: write 12h, 90d, 8w or 2y")
    return int(found[1]) * _UNITS[found[2]]


@app.add("prune", "hupai storage prune --older-than 90d --dry-run")
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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print how many.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete hands stored longer ago than an age, with their corrections and photos, and sessions
    that were last changed longer ago.

    May run while the service runs, e.g. every night. What a case or other kept data refers to is
    not deleted.
    """
    with _storage() as store:
        pruned = hands.prune(store, now() - older_than, dry_run=dry_run)
        over = sessions.prune(store, now() - older_than, dry_run=dry_run)
        photos = 0 if dry_run else store.sweep()
    if as_json:
        kept = list(pruned.kept)
        counts = {"deleted": pruned.deleted, "sessions": over, "photos_swept": photos}
        print_json({**counts, "kept": kept, "dry_run": dry_run})
        return
    tell(f"{pruned.deleted} hands {'would be' if dry_run else 'were'} deleted.")
    if over:
        tell(f"{over} sessions {'would be' if dry_run else 'were'} deleted.")
    if pruned.kept:
        note(f"{len(pruned.kept)} stay because something refers to them: {' '.join(pruned.kept)}")


@app.add("delete", "hupai storage delete 0192f3a0-…")
def delete(
    ids: Annotated[
        list[str], typer.Argument(metavar="ID", help="Ids of hands.", show_default=False)
    ],
) -> None:
    """Delete hands on request, with their corrections and photos, at once and for good."""
    problems = False
    with _storage() as store:
        for hand_id in ids:
            try:
                gone = hands.remove(store, hand_id)
            except hands.HandInUseError:
                note(f"{hand_id}: not deleted, a case or other kept data refers to it")
                problems = True
                continue
            if gone:
                tell(f"{hand_id}: deleted")
            else:
                note(f"{hand_id}: there is no such hand")
                problems = True
    finish(problems)


@app.add("check", "hupai storage check")
def check(as_json: JsonOption = False) -> None:
    """Compare every stored photo with its SHA-256; list those missing or changed."""
    wrong = []
    with _storage() as store:
        with store.database.session(write=False) as session:
            kept = select(PhotoRow.sha256).where(PhotoRow.unused_since.is_(None))
            names = list(session.scalars(kept.order_by(PhotoRow.sha256)))
        for name in names:
            try:
                store.photos.get(name)
            except PhotoMissingError as error:
                wrong.append(name)
                note(str(error))
    if as_json:
        print_json({"photos": len(names), "wrong": wrong})
    else:
        tell(f"{len(names)} photos, {len(names) - len(wrong)} intact.")
    finish(bool(wrong))


@app.add("backup", "hupai storage backup /mnt/backup/hupai")
def backup(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Copy all stored data to a folder: rows, photos, tile sets, keys, weights.

    May run while the service runs. A later backup into the same folder copies only new photos.
    The folder contains the key that signs cases.
    """
    made = back_up(_kept(), folder)
    if as_json:
        print_json(asdict(made))
    else:
        tell(f"{made.photos} photos and {made.database} are in {folder}.")
    for name in made.missing:
        note(f"photo {name} is gone from the store")
    finish(bool(made.missing))


@app.add("restore", "hupai storage restore /mnt/backup/hupai")
def restore(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Write a backup to an empty database, photo store and data folder.

    These are the ones that HUPAI_DATABASE_URL, HUPAI_PHOTOS_URL and HUPAI_DATA_DIR name.
    """
    done = restore_to(_kept(), folder)
    if as_json:
        print_json(asdict(done))
    else:
        tell(f"{done.photos} photos and the rows of {done.created} are restored.")


def _kept() -> Settings:
    """Load settings that keep something."""
    settings = load_settings()
    if settings.data_dir == TEMPORARY:
        fail(
            f"HUPAI_DATA_DIR is {TEMPORARY}, which keeps nothing: name a folder.",
            ExitCode.BAD_USAGE,
        )
    return settings


@contextmanager
def _storage() -> Iterator[Storage]:
    """Open the storage of the settings, which must keep something."""
    with opened_storage(load_settings(), lasting=True) as store:
        yield store
