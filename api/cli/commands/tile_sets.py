"""``hupai tile-sets``: teach the reader one's own tile set from photos of its faces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table

from hupai.api.cli.commands.photos import ModelOption, open_model
from hupai.api.cli.common import ExitCode, JsonOption, fail, note, out
from hupai.api.contract.serialise import json_line

if TYPE_CHECKING:
    from hupai.scoring.tiles import Tile
    from hupai.vision.enrolment.label_faces import Shown
    from hupai.vision.enrolment.store import TileSetStore

app = typer.Typer(
    name="tile-sets", help="Tile sets that the reader was shown.", no_args_is_help=True
)


class Faces(StrEnum):
    """How many faces a set has."""

    PLAIN = "34"
    FLOWERS = "42"


PhotosArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="PHOTO...", help="All faces, each one to four times.", show_default=False
    ),
]
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="What the set is called.", show_default=False)
]


@app.command("add")
def add(
    name: NameArgument,
    photos: PhotosArgument,
    faces: Annotated[
        Faces | None,
        typer.Option("--faces", help="34 without flowers, 42 with them; else as the photos show."),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(
            "--order",
            metavar="TILES",
            help="Guided: what a photo shows in reading order, e.g. 123456789m; once a photo.",
        ),
    ] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--is",
            metavar="PHOTO:TILE=CODE",
            help="What a tile is that was asked for, e.g. 1:17=6s; `-`: leave it out.",
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a set of this name.")] = False,
    as_json: JsonOption = False,
    model: ModelOption = "default",
) -> None:
    """Learn a tile set from photos of its faces, in any order or, with --order, as told.

    Faces that stay in doubt are asked for: run the command again with --is for each of them.
    """
    from hupai.api.tile_sets.store import shown_json, tile_set_json
    from hupai.vision.detection.two_stage import TwoStageDetector
    from hupai.vision.enrolment.enrol import IncompleteSetError, TileSetNameError, enrol

    store = open_store()
    detector = open_model(model)
    assert isinstance(detector, TwoStageDetector)
    named = None if not order else [_codes(text) for text in order]
    if named is not None and len(named) != len(photos):
        fail(f"--order was given {len(named)} times for {len(photos)} photos", ExitCode.BAD_USAGE)
    said = dict(_answer(text, len(photos)) for text in answers or ())
    count: Literal[34, 42] | None = None if faces is None else 34 if faces is Faces.PLAIN else 42
    with _problems():
        try:
            if not replace and name in store.names():
                fail(
                    f"there is a tile set called {name!r} already: take another name, or --replace",
                    ExitCode.BAD_USAGE,
                )
            tiles, shown = enrol(
                name,
                [_read(path) for path in photos],
                detector,
                faces=count,
                order=named,
                answers=said,
            )
        except TileSetNameError as error:
            fail(str(error), ExitCode.BAD_USAGE)
        except IncompleteSetError as error:
            if as_json:
                typer.echo(json_line({"problem": str(error), **shown_json(error.shown)}))
            else:
                _print_doubts(error.shown)
            fail(f"not learnt: {error}")
        store.put(tiles, replace)
        store.fitted(name, detector)
    if as_json:
        typer.echo(json_line(tile_set_json(tiles)))
    else:
        right = sum(tile.before[0] is tile.face for tile in shown.tiles)
        out().print(
            f"{name}: {len(tiles.known)} faces from {len(tiles.faces)} tiles on {tiles.photos} photos",
            markup=False,
        )
        note(f"{right} of {len(shown.tiles)} tiles were read right before")


@app.command("list")
def list_sets(as_json: JsonOption = False) -> None:
    """Name the sets."""
    from hupai.api.tile_sets.store import tile_set_json

    store = open_store()
    with _problems():
        rows = [tile_set_json(store.get(name)) for name in store.names()]
    if as_json:
        for row in rows:
            typer.echo(json_line(row))
        return
    if not rows:
        note("there are no tile sets yet: hupai tile-sets add NAME PHOTO...")
        return
    table = Table()
    for heading in ("name", "faces", "tiles", "photos", "since"):
        table.add_column(heading)
    for row in rows:
        known = row["faces"]
        assert isinstance(known, list)
        table.add_row(
            str(row["name"]),
            str(len(known)),
            str(row["tiles"]),
            str(row["photos"]),
            str(row["created"]),
        )
    out().print(table)


@app.command("show")
def show(
    name: NameArgument,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture", metavar="FILE", dir_okay=False, help="Write all its faces as PNG or JPEG."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell which faces a set has, and draw them where wanted."""
    from hupai.api.tile_sets.pictures import faces_picture
    from hupai.api.tile_sets.store import tile_set_json

    store = open_store()
    with _problems():
        tiles = store.get(name)
    row = tile_set_json(tiles)
    if as_json:
        typer.echo(json_line(row))
    else:
        known = row["faces"]
        assert isinstance(known, list)
        out().print(
            f"{name}: {' '.join(known)}; {row['tiles']} tiles on {row['photos']} photos, {row['created']}",
            markup=False,
        )
    if picture is not None:
        import cv2

        try:
            written = cv2.imwrite(str(picture), faces_picture(tiles)[..., ::-1])
        except cv2.error:
            written = False
        if not written:
            fail(
                f"cannot write {picture}: take a name that ends in .png or .jpg, in a folder that exists",
                ExitCode.BAD_USAGE,
            )
        note(f"wrote {picture}")


@app.command("remove")
def remove(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Which sets.", show_default=False)
    ],
) -> None:
    """Forget sets."""
    store = open_store()
    with _problems():
        for name in names:
            store.remove(name)
            note(f"removed {name}")


def open_store() -> TileSetStore:
    """The sets of the data folder; stops with a message where the settings keep nothing or are
    wrong.
    """
    from pydantic import ValidationError

    from hupai.api.tile_sets.store import configured_store

    try:
        store = configured_store()
    except ValidationError as error:
        fail("; ".join(f"HUPAI_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))
    if store is None:
        fail("HUPAI_DATA_DIR keeps nothing: name a folder in it", ExitCode.BAD_USAGE)
    return store


@contextmanager
def _problems() -> Iterator[None]:
    """Stop with the message of an error of tile sets or files."""
    from hupai.vision.enrolment.enrol import TileSetError
    from hupai.vision.enrolment.store import UnknownTileSetError

    try:
        yield
    except UnknownTileSetError as error:
        fail(str(error), ExitCode.BAD_USAGE)
    except (TileSetError, OSError) as error:
        fail(str(error))


def _read(path: Path) -> tuple[str, bytes]:
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror or error}")


def _codes(text: str) -> list[Tile]:
    """Tiles of a row such as 123m, ESWN or 1h2h; stops where it cannot be read."""
    from hupai.scoring.tiles import Tile, UnknownTileError

    codes: list[str] = []
    for digits, suit, honour in re.findall(r"([1-9]+)([mpsh])|([ESWNCFP])|\S", text):
        codes += [digit + suit for digit in digits] if suit else [honour]
    try:
        return [Tile.from_code(code) for code in codes]
    except UnknownTileError:
        fail(
            f"{text!r} names no tiles: write runs as 123456789m, honours as ESWNCFP, flowers as 12345678h",
            ExitCode.BAD_USAGE,
        )


def _answer(text: str, photos: int) -> tuple[tuple[int, int], Tile | None]:
    """``1:17=6s``, photos and tiles counted from 1."""
    from hupai.scoring.tiles import Tile, UnknownTileError

    match = re.fullmatch(r"(\d+):(\d+)=(\S+)", text)
    if match is None or not 1 <= int(match[1]) <= photos or int(match[2]) < 1:
        fail(f"{text!r} is no answer: write PHOTO:TILE=CODE, e.g. 1:17=6s", ExitCode.BAD_USAGE)
    try:
        face = None if match[3] == "-" else Tile.from_code(match[3])
    except UnknownTileError as error:
        fail(str(error), ExitCode.BAD_USAGE)
    return (int(match[1]) - 1, int(match[2]) - 1), face


def _print_doubts(shown: Shown) -> None:
    """The tiles in doubt, with the words that answer them."""
    if not shown.doubtful:
        return
    table = Table(title="in doubt")
    for heading in ("answer", "where", "probability", "or"):
        table.add_column(heading)
    for tile in shown.doubtful:
        photo, number = tile.place
        x0, y0, x1, y1 = tile.box
        others = ", ".join(f"{face.code} {chance:.2f}" for face, chance in tile.alternatives)
        where = f"{shown.photos[photo].name} at {(x0 + x1) / 2:.0f}, {(y0 + y1) / 2:.0f}"
        table.add_row(
            f"--is {photo + 1}:{number + 1}={tile.face.code}",
            where,
            f"{tile.confidence:.2f}",
            others,
        )
    out().print(table)
