"""Reads a whole archive, in local processes or on a Ray cluster; may be killed at any moment.

The rows of a part appear together when it is written. What was being read when the run was killed
has no row and is read by the next run; what has a row is never read again.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice
from math import ceil

from hupai.api.bulk.parts import Done, Table, arrow
from hupai.api.bulk.sources import Entry, Unreadable, photos_of
from hupai.api.bulk.worker import Job, Written, begin_worker, read_part, write_died
from hupai.models import registry

_AHEAD = 2
"""Parts handed out for each process, so that none waits."""
_LEAST = 8
"""Photos in the smallest part at the end of an archive."""

Part = tuple[Entry, ...]
Read = Callable[[Job, Sequence[Entry]], Written]
"""Reads one part and writes its rows."""
Readers = Callable[[Job, Iterable[Part]], Iterator[Written]]
"""Reads parts and yields what became of each, in any order."""


@dataclass
class Progress:
    """The progress of a run.

    Attributes:
        skipped: photos that had a row before.
        read: photos that got one.
        hands, certain, errors: how many of those show a hand, are certain, could not be read.
        unfetched: name and reason of what could not be fetched.
        seconds: reading time of all processes together.
    """

    skipped: int = 0
    read: int = 0
    hands: int = 0
    certain: int = 0
    errors: int = 0
    unfetched: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, part: Written) -> None:
        """Count a part."""
        self.read += part.rows
        self.hands += part.hands
        self.certain += part.certain
        self.errors += part.errors
        self.unfetched += part.unfetched
        self.seconds += part.seconds


def run(
    source: str,
    job: Job,
    readers: Readers,
    part: int = 64,
    on_part: Callable[[Progress], None] = lambda _: None,
    at_once: int = 1,
) -> Progress:
    """Read every photo of a source that has no row yet.

    Args:
        source: folder, tar file or URL.
        job: how to read.
        readers: `in_processes`, or `hupai.api.bulk.on_ray.on_ray`.
        part: maximum number of photos per part.
        on_part: called after each part.
        at_once: how many parts `readers` reads at the same time.

    Raises:
        hupai.api.bulk.sources.SourceError: if the source is not there.
        hupai.api.bulk.parts.BulkError: if the table cannot be written or continued.
        hupai.api.storage.StorageError: if the table's place does not answer.
    """
    arrow()
    table = Table(job.out)
    with table.opened(_about(source, job)):
        progress = Progress()
        photos = _left(photos_of(source), table.done(), progress)
        for written in readers(job, _parts(photos, part, at_once)):
            progress.add(written)
            on_part(progress)
        table.write_errors(progress.unfetched)
    return progress


def _about(source: str, job: Job) -> dict[str, object]:
    """Return the values that must be the same for all rows of a table."""
    entry = next((one for one in registry.available() if one.name == job.model), None)
    weights = job.model if entry is None else f"{entry.name} {entry.version}"
    return {"source": source, "weights": weights, "rules": list(job.rules)}


def _left(photos: Iterable[Entry | Unreadable], done: Done, progress: Progress) -> Iterator[Entry]:
    for photo in photos:
        name = photo.name.encode("utf-8", "backslashreplace").decode()
        if isinstance(photo, Unreadable):
            progress.unfetched.append((name, photo.reason))
        elif name != photo.name:
            progress.unfetched.append((name, "its name is not UTF-8: rename it"))
        elif photo.name in done:
            progress.skipped += 1
        else:
            yield photo


def _parts(photos: Iterator[Entry], most: int, at_once: int) -> Iterator[Part]:
    """Divide photos into parts of `most`, and the last of them into ever smaller ones.

    So all readers end at nearly the same time: with parts of 64 to the end, one of two would read
    the last 64 photos alone.
    """
    waiting: deque[Entry] = deque()
    while True:
        waiting.extend(islice(photos, _AHEAD * at_once * most - len(waiting)))
        if not waiting:
            return
        share = ceil(len(waiting) / (_AHEAD * at_once))
        size = min(most, max(_LEAST, share), len(waiting))
        yield tuple(waiting.popleft() for _ in range(size))


def in_processes(count: int, read: Read = read_part) -> Readers:
    """Read with processes of this machine.

    One that ends (out of memory, a fault of a library) is replaced. The parts in progress are then
    read again, photo by photo; a photo at which the process ends again gets a row that says so.

    Args:
        count: number of processes.
        read: what each does with a part; a function of a module.
    """

    def readers(job: Job, parts: Iterable[Part]) -> Iterator[Written]:
        waiting = iter(parts)
        while True:
            broken: list[Part] = []
            yield from _until_broken(count, read, job, waiting, broken)
            if not broken:
                return
            # A process may have died after writing its part and before reporting it.
            done = Table(job.out).done()
            under_way = [photo for part in broken for photo in part]
            yield Written(rows=sum(photo.name in done for photo in under_way))
            left = [photo for photo in under_way if photo.name not in done]
            yield from _one_by_one(read, job, left)

    return readers


def _pool(count: int, job: Job) -> ProcessPoolExecutor:
    # A fork server with the libraries loaded starts each process quickly and without threads.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["hupai.api.bulk.worker"])
    return ProcessPoolExecutor(count, context, initializer=begin_worker, initargs=(job,))


def _until_broken(
    count: int, read: Read, job: Job, waiting: Iterator[Part], broken: list[Part]
) -> Iterator[Written]:
    """Read parts until none is left, or a process ends; `broken` then gets those in progress."""
    under_way: dict[Future[Written], Part] = {}
    with _pool(count, job) as pool:
        try:
            while True:
                while len(under_way) < _AHEAD * count and (part := next(waiting, None)):
                    try:
                        under_way[pool.submit(read, job, part)] = part
                    except BrokenProcessPool:
                        broken.append(part)
                        break
                if not under_way or broken:
                    break
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    part = under_way.pop(future)
                    try:
                        yield future.result()
                    except BrokenProcessPool:
                        broken.append(part)
        finally:
            for future in under_way:
                future.cancel()
        for future, part in under_way.items():
            try:
                yield future.result()
            except (BrokenProcessPool, CancelledError):
                broken.append(part)


def _one_by_one(read: Read, job: Job, part: Sequence[Entry]) -> Iterator[Written]:
    left = list(part)
    while left:
        with _pool(1, job) as pool:
            while left:
                try:
                    yield pool.submit(read, job, (left[0],)).result()
                except BrokenProcessPool:
                    yield write_died(job, left.pop(0))
                    break
                left.pop(0)
