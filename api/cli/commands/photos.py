"""``hupai read``: what is on photos."""

from __future__ import annotations

import sys

from hupai.api.cli.options import (
    AnnotateOption,
    AtOption,
    JsonOption,
    MergeOption,
    ModelOption,
    PhotosArgument,
    RulesInPlayOption,
    TileSetOption,
)
from hupai.api.cli.progress import tracked
from hupai.api.cli.reading import HowToRead, read_each, read_merged, show_reading
from hupai.api.cli.terminal import ExitCode, fail, finish, note, serious
from hupai.api.cli.typer_app import App

app = App()


@app.add(
    "read",
    "hupai read hand.jpg",
    "hupai read *.jpg --json > hands.jsonl",
    "hupai read left.jpg right.jpg --merge --annotate drawn",
    "hupai read table.jpg --at 512,640",
    exits="0 every photo shows a hand without problems, 1 some photo has problems or cannot be "
    "read, 2 bad usage",
)
def read(
    photos: PhotosArgument,
    rules: RulesInPlayOption = None,
    at: AtOption = None,
    merge: MergeOption = False,
    as_json: JsonOption = False,
    annotate: AnnotateOption = None,
    model: ModelOption = "default",
    tile_set: TileSetOption = "auto",
) -> None:
    """Show what photos contain: tiles, sets, the likeliest hands, problems."""
    if at is not None and len(photos) > 1:
        fail("--at names a place on one photo: give one photo.", ExitCode.BAD_USAGE)
    how = HowToRead(model, tile_set, annotate, rules, at)
    found = iter([read_merged(photos, how)]) if merge else read_each(photos, how)
    if not sys.stdout.isatty():
        found = tracked(found, len(photos), "Photos")
    hands = certain = unreadable = 0
    problems = False
    for reading in found:
        show_reading(reading, as_json)
        hands += bool(reading.reading.hands)
        certain += reading.reading.certain
        unreadable += not reading.photo.width
        problems |= not reading.reading.hands or serious(reading.reading.problems)
    if len(photos) > 1 and not merge:
        failed = f", {unreadable} could not be read" if unreadable else ""
        note(f"{len(photos)} photos: {hands} with a hand, {certain} of them certain{failed}")
    finish(problems)
