"""The work of each process: fetch, read and score some photos, write them as one part."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any

import cv2

from hupai.api.bulk.parts import Table
from hupai.api.bulk.photo_rows import died_row, row_of
from hupai.api.bulk.sources import Entry, fetch
from hupai.api.facade.arguments import rules_of
from hupai.api.facade.tile_set import with_tile_set
from hupai.api.storage import StorageError
from hupai.models import registry
from hupai.scoring.result import RuleSet
from hupai.vision.pipeline.recogniser import Recogniser


@dataclass(frozen=True, slots=True)
class Job:
    """How photos are read and where rows are written; the same for all photos of a run.

    Attributes:
        out: folder or URL of the table.
        model, tile_set: as `hupai read` has them.
        rules: ids of rule sets, or paths of house rules.
        threads: threads of ONNX Runtime and of OpenCV, for each process.
        providers: what runs the networks, as ``HUPAI_PROVIDERS``.
    """

    out: str
    model: str = "default"
    tile_set: str = "auto"
    rules: tuple[str, ...] = ()
    threads: int = 1
    providers: str = "cpu"


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome for some photos.

    Attributes:
        rows: photos that have a row now.
        hands, certain, errors: how many of them show a hand, are certain, could not be read.
        unfetched: name and reason of photos whose bytes could not be had; they have no row.
        seconds: time spent reading.
    """

    rows: int = 0
    hands: int = 0
    certain: int = 0
    errors: int = 0
    unfetched: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


def begin_worker(job: Job) -> None:
    """Tie this process to a run: it ends with the run, and the next run waits for its end."""
    Table(job.out).join()
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def read_part(job: Job, entries: Sequence[Entry]) -> Written:
    """Read photos and write their rows as one part."""
    recogniser, rules = _tools(job)
    started = perf_counter()
    rows, unfetched = [], []
    for entry in entries:
        try:
            data = fetch(entry)
        except (OSError, StorageError) as error:
            unfetched.append((entry.name, str(error) or type(error).__name__))
            continue
        rows.append(row_of(entry, data, recogniser, rules))
    if rows:
        Table(job.out).write_part(rows)
    return Written(
        rows=len(rows),
        hands=sum(row["hand"] is not None for row in rows),
        certain=sum(row["certain"] for row in rows),
        errors=sum(row["error"] is not None for row in rows),
        unfetched=tuple(unfetched),
        seconds=perf_counter() - started,
    )


def write_died(job: Job, entry: Entry) -> Written:
    """Write the row of a photo whose reader process died."""
    Table(job.out).write_part([died_row(entry)])
    return Written(rows=1, errors=1)


@cache
def _tools(job: Job) -> tuple[Recogniser, tuple[RuleSet, ...]]:
    """Open the model once for each process."""
    os.environ.setdefault("OMP_NUM_THREADS", str(job.threads))
    # By default OpenCV takes all cores in each process, and waits for those that others use.
    cv2.setNumThreads(job.threads)
    detector = registry.load(job.model, job.threads, job.providers)
    recogniser = Recogniser(with_tile_set(detector, job.tile_set))
    return recogniser, tuple(map(rules_of, job.rules))
