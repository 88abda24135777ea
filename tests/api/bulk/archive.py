"""What tests of bulk reading share: archives of a few real photos and many that are none, and
readers without a model.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import sleep
from typing import Any

from hupai.api.bulk.parts import BulkError, Table
from hupai.api.bulk.run import Part
from hupai.api.bulk.sources import Entry, fetch
from hupai.api.bulk.worker import Job, Written, read_part
from tests.shared import ROOT


def archive(folder: Path, count: int, photos: int = 2) -> list[str]:
    """Make a folder of so many files in three folders, the first of them real photos; returns their
    names.
    """
    real = sorted((ROOT / "examples").glob("*.jpg"))
    names = []
    for number in range(count):
        path = folder / f"day-{number % 3}" / f"{number:04}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        if number < photos:
            shutil.copyfile(real[number % len(real)], path)
        else:
            path.write_bytes(b"no photo, number %d" % number)
        names.append(str(path))
    return sorted(names)


def packed(folder: Path, tar: Path, mode: str) -> list[str]:
    """Put a folder into a tar file; returns the names that its photos have in the table."""
    with tarfile.open(tar, mode) as file:  # type: ignore[call-overload]
        for path in sorted(folder.rglob("*.jpg")):
            file.add(path, str(path.relative_to(folder)))
    return [f"{tar}!{path.relative_to(folder)}" for path in sorted(folder.rglob("*.jpg"))]


def here(job: Job, parts: Iterable[Part]) -> Iterator[Written]:
    """Read in this process."""
    for part in parts:
        yield read_part(job, part)


def rows_of(out: str, *columns: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    return [row for rows in Table(out).batches(*columns) for row in rows]


def names_of(out: str) -> list[str]:
    """The photos of a table, sorted; one that is there twice stands twice."""
    return sorted(row["photo"] for row in rows_of(out, "photo"))


def size_of_photo(job: Job, part: Sequence[Entry]) -> Written:
    """Instead of reading a photo, note how large it is. The process ends at one called deadly."""
    rows = []
    for entry in part:
        data = fetch(entry)
        if "deadly" in entry.name:
            os._exit(9)
        sleep(0.01)
        rows.append({"photo": entry.name, "source": entry.source, "width": len(data)})
    Table(job.out).write_part(rows)
    return Written(rows=len(rows))


def size_some(job: Job, part: Sequence[Entry]) -> Written:
    """The same, but wait once the table has as many parts as HUPAI_TEST_MOST_PARTS says."""
    while len(list(Path(job.out).glob("part-*"))) >= int(os.environ["HUPAI_TEST_MOST_PARTS"]):
        sleep(0.05)
    return size_of_photo(job, part)


def written_and_dead(job: Job, part: Sequence[Entry]) -> Written:
    """The same, but the process ends the first time it has written a part of several photos."""
    written = size_of_photo(job, part)
    marker = Path(job.out, ".died")
    if len(part) > 1 and not marker.exists():
        marker.touch()
        os._exit(9)
    return written


def without_room(job: Job, part: Sequence[Entry]) -> Written:
    """Find no room for the rows."""
    raise BulkError("no room")
