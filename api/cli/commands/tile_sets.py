"""``hupai tile-sets``: teach the reader one's own tile set from photos of its faces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import cv2
import typer

from hupai.api.cli.opening import load_settings
from hupai.api.cli.options import JsonOption, ModelOption, complete_tile_sets
from hupai.api.cli.reading import open_model
from hupai.api.cli.terminal import (
    ExitCode,
    Rows,
    bad_usage,
    err,
    fail,
    note,
    os_reason,
    out,
    print_json,
    tell,
)
from hupai.api.cli.typer_app import App
from hupai.api.tile_sets.pictures import faces_picture
from hupai.api.tile_sets.store import shown_json, store_in, tile_set_json
from hupai.scoring.tiles import Tile, UnknownTileError
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.enrolment.discriminant import TileSet
from hupai.vision.enrolment.enrol import IncompleteSetError, TileSetNameError, enrol
from hupai.vision.enrolment.label_faces import Shown
from hupai.vision.enrolment.store import TileSetStore, UnknownTileSetError

app = App("Enrolled tile sets.")


class Faces(StrEnum):
    """How many faces a set has."""

    PLAIN = "34"
    FLOWERS = "42"


PhotosArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="PHOTO",
        readable=False,
        help="All faces, each one to four times: face up, in one row or several, seen from above.",
        show_default=False,
    ),
]
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the set.", show_default=False)
]
KnownNameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="Name of the set.",
        show_default=False,
        autocompletion=complete_tile_sets,
    ),
]


@app.add(
    "add",
    "hupai tile-sets add club row1.jpg row2.jpg row3.jpg",
    "hupai tile-sets add club row1.jpg --order 123456789m --is 1:10=-",
    exits="0 learnt, 1 faces are missing or in doubt, or a photo cannot be read, 2 bad usage",
)
def add(
    name: NameArgument,
    photos: PhotosArgument,
    faces: Annotated[
        Faces | None,
        typer.Option(
            "--faces", help="34 without flowers, 42 with them; by default, what the photos show."
        ),
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
            help="Answer for a tile in doubt, e.g. 1:17=6s; 1:17=- if it is not a tile.",
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a set of this name.")] = False,
    as_json: JsonOption = False,
    model: ModelOption = "default",
) -> None:
    """Learn a tile set from photos of its faces, in any order or, with --order, in that order.

    Tiles in doubt are listed: run the command again with --is for each of them.
    """
    store = open_store()
    detector = open_model(model)
    assert isinstance(detector, TwoStageDetector)
    named = None if not order else [_codes(text) for text in order]
    if named is not None and len(named) != len(photos):
        fail(f"--order was given {len(named)} times for {len(photos)} photos", ExitCode.BAD_USAGE)
    stated = dict(_answer(text, len(photos)) for text in answers or ())
    count: Literal[34, 42] | None = None if faces is None else 34 if faces is Faces.PLAIN else 42
    if not replace and name in store.names():
        fail(
            f"there is a tile set called {name!r} already: take another name, or --replace",
            ExitCode.BAD_USAGE,
        )
    files = [_read(path) for path in photos]
    try:
        with bad_usage(TileSetNameError), _file_errors():
            tiles, shown = enrol(name, files, detector, faces=count, order=named, answers=stated)
            store.put(tiles, replace)
            store.fitted(name, detector)
    except IncompleteSetError as error:
        if as_json:
            print_json({"problem": str(error), **shown_json(error.shown)})
        else:
            _print_doubts(error.shown)
        fail(f"not learnt: {error}")
    if as_json:
        print_json(tile_set_json(tiles))
        return
    counts = f"{len(tiles.known)} faces from {len(tiles.faces)} tiles on {tiles.photos} photos"
    tell(f"{name}: {counts}")
    right = sum(tile.before[0] is tile.face for tile in shown.tiles)
    note(f"{right} of {len(shown.tiles)} tiles were read right before")


@app.add("list", "hupai tile-sets list")
def list_sets(as_json: JsonOption = False) -> None:
    """List the tile sets."""
    store = open_store()
    with _file_errors():
        sets = [store.get(name) for name in store.names()]
    if not sets and not as_json:
        note("there are no tile sets yet: hupai tile-sets add NAME PHOTO...")
        return
    table = Rows("name", "faces", "tiles", "photos", "since")
    for tiles in sets:
        if as_json:
            print_json(tile_set_json(tiles))
        table.add(tiles.name, len(tiles.known), len(tiles.faces), tiles.photos, tiles.created)
    if not as_json:
        out().print(table)


@app.add("show", "hupai tile-sets show club --picture club.png")
def show(
    name: KnownNameArgument,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture", metavar="FILE", dir_okay=False, help="Write all its faces as PNG or JPEG."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which faces a set has; with --picture also draw them."""
    tiles = _get(open_store(), name)
    if as_json:
        print_json(tile_set_json(tiles))
    else:
        known = " ".join(tile.code for tile in tiles.known)
        counts = f"{len(tiles.faces)} tiles on {tiles.photos} photos, {tiles.created}"
        tell(f"{name}: {known}; {counts}")
    if picture is not None:
        _write_picture(tiles, picture)


@app.add("remove", "hupai tile-sets remove club")
def remove(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="Names of the sets.",
            show_default=False,
            autocompletion=complete_tile_sets,
        ),
    ],
) -> None:
    """Delete tile sets."""
    store = open_store()
    with bad_usage(UnknownTileSetError), _file_errors():
        for name in names:
            store.remove(name)
            note(f"removed {name}")


def open_store() -> TileSetStore:
    """Open the sets that the service knows; stops where the settings keep nothing."""
    settings = load_settings()
    folder = settings.data_folder
    if folder is None:
        fail("HUPAI_DATA_DIR keeps nothing: name a folder in it", ExitCode.BAD_USAGE)
    return store_in(folder, settings.photos_url)


def _get(store: TileSetStore, name: str) -> TileSet:
    with bad_usage(UnknownTileSetError), _file_errors():
        return store.get(name)


@contextmanager
def _file_errors() -> Iterator[None]:
    """Stop with the reason if the system refuses a file."""
    try:
        yield
    except OSError as error:
        fail(str(error))


def _write_picture(tiles: TileSet, path: Path) -> None:
    try:
        written = cv2.imwrite(str(path), faces_picture(tiles)[..., ::-1])
    except cv2.error:
        written = False
    if not written:
        fail(
            f"cannot write {path}: take a name that ends in .png or .jpg, in a folder that exists",
            ExitCode.BAD_USAGE,
        )
    note(f"wrote {path}")


def _read(path: Path) -> tuple[str, bytes]:
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        fail(f"cannot read {path}: {os_reason(error)}")


def _codes(text: str) -> list[Tile]:
    """Return the tiles of a row such as 123m, ESWN or 1h2h; stop if it cannot be read."""
    codes: list[str] = []
    for digits, suit, honour in re.findall(r"([1-9]+)([mpsh])|([ESWNCFP])|\S", text):
        codes += [digit + suit for digit in digits] if suit else [honour]
    try:
        return [Tile.from_code(code) for code in codes]
    except UnknownTileError:
        fail(
            f"{text!r} names no tiles: write runs as 123456789m, honours as ESWNCFP, "
            "flowers as 12345678h",
            ExitCode.BAD_USAGE,
        )


def _answer(text: str, photos: int) -> tuple[tuple[int, int], Tile | None]:
    """Return place and face of ``1:17=6s``, photos and tiles counted from 1."""
    match = re.fullmatch(r"(\d+):(\d+)=(\S+)", text)
    if match is None or not 1 <= int(match[1]) <= photos or int(match[2]) < 1:
        fail(f"{text!r} is not an answer: write PHOTO:TILE=CODE, e.g. 1:17=6s", ExitCode.BAD_USAGE)
    with bad_usage(UnknownTileError):
        face = None if match[3] == "-" else Tile.from_code(match[3])
    return (int(match[1]) - 1, int(match[2]) - 1), face


def _print_doubts(shown: Shown) -> None:
    """Print the tiles in doubt, with the words that answer them, beside the reason that follows."""
    for number, one in enumerate(shown.photos, 1):
        for extra in one.extra:
            answer = f"--is {number}:{extra + 1}=-"
            note(f"If tile {extra + 1} of {one.name} is not a tile of the set: {answer}")
    if not shown.doubtful:
        return
    table = Rows("answer", "where", "probability", "or", title="in doubt", right=("probability",))
    for tile in shown.doubtful:
        photo, number = tile.place
        x0, y0, x1, y1 = tile.box
        table.add(
            f"--is {photo + 1}:{number + 1}={tile.face.code}",
            f"{shown.photos[photo].name} at {(x0 + x1) / 2:.0f}, {(y0 + y1) / 2:.0f}",
            f"{tile.confidence:.2f}",
            ", ".join(f"{face.code} {chance:.2f}" for face, chance in tile.alternatives),
        )
    err().print(table)
    photo, number = shown.doubtful[0].place
    note(
        "Give the right code for each. Where it is not a tile of the set, such as a reflection, "
        f"answer with a hyphen: --is {photo + 1}:{number + 1}=-"
    )
