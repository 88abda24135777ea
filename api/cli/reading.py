"""Photos as commands read them, with the model and tile set that the options name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hupai.api.cli.opening import load_settings
from hupai.api.cli.photo_files import (
    annotated_names,
    read_files,
    read_together,
    write_annotated,
)
from hupai.api.cli.photo_tables import reading_view
from hupai.api.cli.score_tables import problem_lines
from hupai.api.cli.terminal import (
    ExitCode,
    bad_usage,
    err,
    fail,
    note,
    os_reason,
    out,
    print_json,
)
from hupai.api.facade.tile_set import with_tile_set
from hupai.models import registry
from hupai.models.learning.library import Library
from hupai.scoring.result import RuleSet
from hupai.vision.enrolment.store import UnknownTileSetError
from hupai.vision.photo.decode import PointOutsidePhotoError
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.protocols import TileDetector
from hupai.vision.types import PhotoReading


@dataclass(frozen=True, slots=True)
class HowToRead:
    """What the options say about reading photos."""

    model: str
    tile_set: str
    annotate: Path | None = None
    rules: RuleSet | None = None
    point: tuple[float, float] | None = None


def user_library() -> Library:
    """Return the user's own weights, in the data folder."""
    return Library.of_data_folder(load_settings().data_folder)


def open_model(name: str) -> TileDetector:
    """Open the model of this name; ``default`` is what `hupai models use` chose."""
    try:
        with bad_usage(registry.UnknownWeightsError):
            return registry.load(user_library().resolve(name))
    except OSError as error:
        fail(f"The model {name!r} cannot be opened: {os_reason(error)}")


def show_reading(reading: PhotoReading, as_json: bool = False) -> None:
    """Print a reading; what is wrong with a file that is not a photo goes to standard error."""
    if as_json:
        print_json(reading)
    elif reading.photo.width:
        out().print(reading_view(reading))
    else:
        err().print(problem_lines(reading.reading.problems), soft_wrap=True)


def read_each(photos: list[Path], how: HowToRead) -> Iterator[PhotoReading]:
    """Read photos one by one, the model loaded once, and write annotated ones if requested."""
    recogniser = _recogniser(how)
    files = read_files(
        lambda data, name: recogniser.read_photo(data, name, how.rules, how.point),
        recogniser.model,
        photos,
    )
    with bad_usage(PointOutsidePhotoError):
        for reading, name in zip(files, annotated_names(photos), strict=True):
            _annotate(reading, how.annotate, name)
            yield reading


def read_merged(photos: list[Path], how: HowToRead) -> PhotoReading:
    """Read photos of one hand as one, and write each annotated if requested."""
    recogniser = _recogniser(how)
    reading = read_together(
        lambda read: recogniser.read_photos(read, how.rules), recogniser.model, photos
    )
    shown = [Path(info.path) for info in reading.photos or (reading.photo,)]
    for number, name in enumerate(annotated_names(shown)):
        _annotate(reading, how.annotate, name, number)
    return reading


def read_one(photos: list[Path], how: HowToRead, merge: bool) -> PhotoReading:
    """Read the photo, or with `merge` the photos, of one hand."""
    if len(photos) == 1:
        return next(read_each(photos, how))
    if not merge:
        fail(
            "Several photos: give --merge if they show one hand, else score them one by one.",
            ExitCode.BAD_USAGE,
        )
    if how.point is not None:
        fail("--at names a place on one photo: give one photo.", ExitCode.BAD_USAGE)
    return read_merged(photos, how)


def _recogniser(how: HowToRead) -> Recogniser:
    detector = open_model(how.model)
    with bad_usage(UnknownTileSetError):
        return Recogniser(with_tile_set(detector, how.tile_set))


def _annotate(reading: PhotoReading, folder: Path | None, name: str, photo: int = 0) -> None:
    if folder is not None and reading.photo.width:
        try:
            write_annotated(reading, folder / name, photo)
        except OSError as error:
            fail(f"cannot write {folder / name}: {os_reason(error)}")
        note(f"wrote {folder / name}")
