"""Bulk reading on a Ray cluster: Ray Data hands the same parts to the same code."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterable, Iterator
from itertools import islice

from hupai.api.bulk.parts import BulkError
from hupai.api.bulk.run import Part, Readers
from hupai.api.bulk.worker import Job, Written, begin_worker, read_part
from hupai.scoring.errors import HupaiError

_WINDOW = 1000
"""Parts whose names are held in memory at a time."""


class PartReader:
    """Reads parts in an actor of Ray, the model opened once.

    Rows hold pickled objects, as Arrow has no column for them.
    """

    def __init__(self, job: Job) -> None:
        """Read with this job; the next run on this machine waits for the end of this process."""
        begin_worker(job)
        self._job = job

    def __call__(self, row: dict[str, bytes]) -> dict[str, bytes]:
        """Read the part in ``part``; ``outcome`` is a `Written`, or why nothing can be written."""
        outcome: Written | str
        try:
            outcome = read_part(self._job, pickle.loads(row["part"]))
        except HupaiError as error:
            # Ray Data would only pass on that something failed.
            outcome = str(error)
        return {"outcome": pickle.dumps(outcome)}


def on_ray(workers: int, gpus: float = 0.0) -> Readers:
    """Read on the cluster that Ray finds, such as that of ``RAY_ADDRESS``, or on this machine.

    A worker that ends is replaced by Ray, which hands its part to another: a part is one file with
    a unique name, written last, so one that was not finished leaves nothing.

    Args:
        workers: number that read at the same time; each needs a core.
        gpus: GPUs that each needs.

    Raises:
        BulkError: if Ray is not installed.
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
            ray.init(
                logging_level="warning",
                log_to_driver=False,
                include_dashboard=False,
            )
        # Ray Data would log each of its steps; failures are raised.
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        waiting = iter(parts)
        try:
            while window := list(islice(waiting, _WINDOW)):
                rows = ray.data.from_items(
                    [{"part": pickle.dumps(part)} for part in window],
                    override_num_blocks=len(window),
                )
                read = rows.map(
                    PartReader,
                    fn_constructor_args=(job,),
                    num_cpus=1,
                    num_gpus=gpus or None,
                    compute=ray.data.ActorPoolStrategy(size=workers),
                )
                for row in read.iter_rows():
                    outcome = pickle.loads(row["outcome"])
                    if isinstance(outcome, str):
                        raise BulkError(outcome)
                    yield outcome
        finally:
            if started:
                ray.shutdown()

    return readers
