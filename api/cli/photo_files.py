"""Photos as files: read one by one, a file that is not a photo included, and written back with what
was read.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2

from hupai.scoring.result import Severity
from hupai.vision.photo.decode import PhotoError, PointOutsidePhotoError, decode
from hupai.vision.photo.files import PhotoNotReadableError, read_file
from hupai.vision.pipeline.annotate import annotate
from hupai.vision.types import ModelInfo, PhotoInfo, PhotoProblem, PhotoReading, Reading


def read_files(
    read_photo: Callable[[bytes, str], PhotoReading], model: ModelInfo, paths: Iterable[Path]
) -> Iterator[PhotoReading]:
    """A reading for each file, in the order given. A file that cannot be read has one without
    tiles; its problem says why.

    Args:
        read_photo: reads the bytes of a photo; its second argument is the path.
        model: which weights it reads with.
        paths: the files.

    Raises:
        PointOutsidePhotoError: if `read_photo` does; the fault is not the file's.
    """
    for path in paths:
        try:
            data = read_file(path)
        except PhotoNotReadableError as error:
            yield _unreadable(path, b"", model, error)
            continue
        try:
            yield read_photo(data, str(path))
        except PointOutsidePhotoError:
            raise
        except PhotoError as error:
            yield _unreadable(path, data, model, error)


def read_together(
    read_photos: Callable[[Sequence[tuple[bytes, str]]], PhotoReading],
    model: ModelInfo,
    paths: Sequence[Path],
) -> PhotoReading:
    """One reading of several photos of one hand. What cannot be read is left out, with a problem;
    else as `read_files`.
    """
    photos: list[tuple[bytes, str]] = []
    unreadable: list[PhotoReading] = []

    def take(data: bytes, name: str) -> PhotoReading:
        decode(data, name)
        photos.append((data, name))
        return _NOTHING

    for reading in read_files(take, model, paths):
        if reading is not _NOTHING:
            unreadable.append(reading)
    if not photos:
        return unreadable[0]
    answer = read_photos(photos)
    problems = tuple(problem for reading in unreadable for problem in reading.reading.problems)
    return replace(
        answer, reading=replace(answer.reading, problems=(*problems, *answer.reading.problems))
    )


_NOTHING = PhotoReading(PhotoInfo("", "", 0, 0), ModelInfo("", "", ""), Reading())


def _unreadable(path: Path, data: bytes, model: ModelInfo, error: PhotoError) -> PhotoReading:
    """The reading of what is not a photo; `sha256` is empty if not even bytes could be read."""
    sha256 = hashlib.sha256(data).hexdigest() if data else ""
    problem = PhotoProblem(error.code, Severity.ERROR, str(error), error.message_zh)
    return PhotoReading(PhotoInfo(str(path), sha256, 0, 0), model, Reading(problems=(problem,)))


def write_annotated(reading: PhotoReading, target: Path, photo: int = 0) -> None:
    """Write the photo with boxes, names and groups as a JPEG; `photo` is the number of one of
    several that were read as one.

    Raises:
        OSError: if the photo is gone or the target cannot be written.
    """
    path = Path((reading.photos or (reading.photo,))[photo].path)
    image = annotate(decode(path.read_bytes(), str(path)).image, reading.reading.on_photo(photo))
    done, encoded = cv2.imencode(
        ".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 92]
    )
    if not done:
        raise OSError(f"{path}: OpenCV could not encode the annotated photo")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(encoded.tobytes())


def annotated_names(paths: Iterable[Path]) -> list[str]:
    """File names for the annotated photos, ``<name>-read.jpg``; where two photos share a name the
    later gets a number.
    """
    seen: Counter[str] = Counter()
    names = []
    for path in paths:
        seen[path.stem] += 1
        number = "" if seen[path.stem] == 1 else f"-{seen[path.stem]}"
        names.append(f"{path.stem}-read{number}.jpg")
    return names
