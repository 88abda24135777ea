"""A replica that reads photos: one model, several photos concurrently, batched runs."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import monotonic

from hupai.api.hands.photo_work.limits import photo_limits
from hupai.api.readers.photo_request import Answer, PhotoRequest, RefusedPhoto
from hupai.api.scale.shared_runs import Arrays, Run, SharedNetwork, run_together
from hupai.api.tile_sets.store import store_in
from hupai.api.tracing.setup import tracing_of
from hupai.api.tracing.spans import add_past, continued
from hupai.api.web.settings import Settings
from hupai.models import registry
from hupai.models.learning.library import Library
from hupai.scoring import rule_sets
from hupai.scoring.errors import HupaiError
from hupai.vision.detection.onnx_session import Network
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.enrolment.store import with_choice
from hupai.vision.photo.decode import PhotoError
from hupai.vision.pipeline.recogniser import Recogniser

log = logging.getLogger("hupai.scale")
Batcher = Callable[[tuple[Network, Run]], Awaitable[Arrays]]
"""Batches runs, each with its network, and returns the result of each."""
_BATCHES_KEPT = 1000
"""Number of the latest batches whose size is kept."""
_NO_MEMORY = ("bad_alloc", "bad allocation", "allocate memory", "Insufficient memory", "new thread")
"""Out-of-memory messages of OpenCV, ONNX Runtime and Python's threads."""
MOST_FAILED = 3
"""Photos that may fail in a row before the replica is replaced. It answers sooner than those that
read, so Ray Serve would give it most photos.
"""


class FailingError(HupaiError):
    """So many photos have failed in a row that the replica must be replaced."""


class StuckError(HupaiError):
    """A photo has taken so long that the replica must be replaced."""


def out_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out."""
    return isinstance(error, MemoryError) or any(word in str(error) for word in _NO_MEMORY)


class RecogniserReplica:
    """Reads photos for the app; `hupai.api.scale.application` makes a deployment of it.

    Args:
        settings: limits, model, threads and providers of the service.
        photos_at_once: photos read at the same time; with more than one their runs are shared.
        batched: makes the batcher of what runs several inputs at once.
    """

    def __init__(
        self,
        settings: Settings,
        photos_at_once: int,
        batched: Callable[
            [Callable[[list[tuple[Network, Run]]], Awaitable[list[Arrays]]]], Batcher
        ],
    ) -> None:
        self._settings = settings
        tracing_of(settings.tracing_url, "reader")
        self._limits = photo_limits(settings)
        folder = settings.data_folder or Path(tempfile.mkdtemp(prefix="hupai-"))
        self._tile_sets = store_in(folder, settings.photos_url)
        self._threads = ThreadPoolExecutor(photos_at_once, thread_name_prefix="reader")
        self._share = photos_at_once > 1
        self._batcher = batched(self._run_batch)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._numbers = count()
        self._began: dict[int, float] = {}
        self.batch_sizes: deque[int] = deque(maxlen=_BATCHES_KEPT)
        self.model = ""
        self._recogniser: Recogniser | None = None
        self._spent = False
        self._failed = 0
        if settings.model:
            self.take_weights(settings.model)

    def take_weights(self, model: str) -> None:
        """Switch weights without losing a photo: those being read finish with the old weights."""
        if model == self.model:
            return
        self._recogniser = self._opened(model)
        if self.model:
            log.warning("photos are read with %s from now on", model)
        self.model = model

    async def read(self, request: PhotoRequest) -> Answer:
        """Read one hand.

        Raises:
            MemoryError: if there is not enough memory; the replica is then not healthy.
        """
        self._loop = asyncio.get_running_loop()
        number = next(self._numbers)
        self._began[number] = monotonic()
        try:
            answer = await self._loop.run_in_executor(self._threads, self._read, request)
        except Exception as error:
            if not out_of_memory(error):
                self._failed += 1
                raise
            self._spent = True
            raise MemoryError(str(error)) from None
        else:
            self._failed = 0
            return answer
        finally:
            del self._began[number]

    def check(self) -> None:
        """Check that no photo is stuck, and that photos are read.

        Raises:
            FailingError: if `MOST_FAILED` photos have failed and none was read since.
            StuckError: if one has been in progress for twice the longest time allowed.
            MemoryError: if one was not read for want of memory.
        """
        if self._spent:
            raise MemoryError("a photo was not read for want of memory")
        if self._failed >= MOST_FAILED:
            raise FailingError(f"{self._failed} photos have failed in a row")
        most = 2 * self._settings.timeout_seconds
        if self._began and monotonic() - min(self._began.values()) > most:
            raise StuckError(f"a photo has been under way for more than {most:g} s")

    def _opened(self, model: str) -> Recogniser:
        path = Library.of_data_folder(self._settings.data_folder).resolve(model)
        detector = registry.load(path, self._settings.threads, self._settings.providers)
        if self._share and isinstance(detector, TwoStageDetector):
            detector = detector.through(self._shared)
        return Recogniser(detector, limits=self._limits)

    def _shared(self, network: Network) -> Network:
        def batcher(run: Run) -> Awaitable[Arrays]:
            return self._batcher((network, run))

        return SharedNetwork(network, batcher, self._running_loop)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None  # a network runs for a photo, which came through `read`
        return self._loop

    async def _run_batch(self, runs: list[tuple[Network, Run]]) -> list[Arrays]:
        """Run one batch: the runs of each network together."""
        self.batch_sizes.append(len(runs))
        places: dict[int, list[int]] = {}
        for at, (network, _) in enumerate(runs):
            places.setdefault(id(network), []).append(at)
        answers: dict[int, Arrays] = {}
        for same in places.values():
            together = [runs[at][1] for at in same]
            found = await asyncio.to_thread(run_together, runs[same[0]][0], together)
            answers.update(zip(same, found, strict=True))
        return [answers[at] for at in range(len(runs))]

    def _read(self, request: PhotoRequest) -> Answer:
        reader = self._recogniser
        assert reader is not None  # `take_weights` comes before the first photo
        reader = reader.using(with_choice(reader.detector, request.tile_set, self._tile_sets))
        rules = None if request.rules is None else rule_sets.get(request.rules)
        with continued(request.trace, "replica"):
            try:
                if len(request.photos) == 1:
                    read = reader.read_photo(*request.photos[0], rules, request.point)
                else:
                    read = reader.read_photos(list(request.photos), rules)
            except PhotoError as error:
                return RefusedPhoto.of(error)
            add_past(read.timing.stages)
        return replace(read, detections=None)
