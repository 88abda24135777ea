"""Bulk reading on a Ray cluster: Ray Data hands the same parts to the same code."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

from hupai.api.bulk.parts import BulkError
from hupai.api.bulk.run import Part, Readers
from hupai.api.bulk.worker import Job, Written, read_part
from hupai.scoring.errors import HupaiError

_WINDOW = 1000
"""Parts whose names are held in memory at a time."""


class PartReader:
    """Reads parts in an actor of Ray, the model opened once."""

    def __init__(self, job: Job) -> None:
        """Read with this job."""
        self._job = job

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Read one part; what cannot be written is told in the row."""
        try:
            return {"written": asdict(read_part(self._job, row["item"])), "refused": ""}
        except HupaiError as error:
            # Ray Data would only pass on that something failed.
            return {"written": asdict(Written()), "refused": str(error)}


def on_ray(
    workers: int, cpus: float = 1.0, gpus: float = 0.0, address: str | None = None
) -> Readers:
    """Read on a cluster, or on this machine where there is none.

    A worker that ends is replaced by Ray, which hands its part to another: a part is one file under
    a name of its own, written last, so one that was not finished leaves nothing.

    Args:
        workers: how many read at the same time.
        cpus, gpus: that each needs.
        address: of the cluster, as `ray.init` has it.

    Raises:
        BulkError: where Ray is not installed.
    """
    # By default Ray runs what it starts at niceness 15, below every other program of the machine.
    os.environ.setdefault("RAY_worker_niceness", "0")
    try:
        import ray  # noqa: PLC0415 - the extra `ray` is optional
        import ray.data  # noqa: PLC0415
    except ImportError as error:
        raise BulkError("--ray needs the extra 'ray': pip install 'hupai[ray]'") from error

    def readers(job: Job, parts: Iterable[Part]) -> Iterator[Written]:
        started = not ray.is_initialized()
        if started:
            ray.init(address=address, logging_level="warning", log_to_driver=False)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        waiting = iter(parts)
        try:
            while window := list(islice(waiting, _WINDOW)):
                rows = ray.data.from_items(
                    [{"item": part} for part in window], override_num_blocks=len(window)
                )
                read = rows.map(
                    PartReader,
                    fn_constructor_args=(job,),
                    num_cpus=cpus,
                    num_gpus=gpus or None,
                    concurrency=workers,
                )
                for row in read.iter_rows():
                    if row["refused"]:
                        raise BulkError(row["refused"])
                    yield Written(**row["written"])
        finally:
            if started:
                ray.shutdown()

    return readers
