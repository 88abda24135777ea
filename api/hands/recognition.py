"""The recogniser inside the service: loaded once, run in worker threads behind a queue."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TypeVar

import cv2
import numpy as np

from hupai.api.hands.photo_work.decoding import Decoding
from hupai.api.hands.photo_work.hand_photos import HandPhotos
from hupai.api.hands.photo_work.limits import photo_limits
from hupai.api.hands.photo_work.readers import OpensWeights, PhotoReader, ReadsTileSets
from hupai.api.hands.photo_work.scored_reading import ReadingScorer, ScoredReading
from hupai.api.tracing.spans import add_past, span
from hupai.api.web.metrics import Metrics
from hupai.api.web.problem_types import MODEL_UNAVAILABLE, UNKNOWN_TILE_SET
from hupai.api.web.problems import ApiProblem
from hupai.api.web.settings import Settings
from hupai.api.web.uploads import photo_problem
from hupai.api.web.work_queue import Watch, WorkQueue
from hupai.models import registry
from hupai.models.learning.library import Library
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.enrolment.enrol import TileSetError
from hupai.vision.enrolment.store import TileSetStore, UnknownTileSetError, with_choice
from hupai.vision.photo.decode import PhotoError
from hupai.vision.pipeline.annotate import annotate
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import Image, PhotoReading

T = TypeVar("T")
log = logging.getLogger("hupai.api")
_DOES_NOT_OPEN = (registry.WeightsError, OSError, ValueError, RuntimeError)
"""What is raised for weights that do not open."""


class ReadingService:
    """Reads photos for the routes.

    Args:
        settings: limits, concurrency and the model's name.
        metrics: where stages and readings are counted.
        recogniser: the reader to use; by default the registry's model, opened when first needed.
        processes: read with the registry's model in place of this process.

    Attributes:
        limits: which photos are accepted.
        tile_sets: the sets it was taught; the app puts its own store here.
        queue: where photos wait.
        decoding: lets one photo be decoded at a time.
        failure: the kind of error with which the model did not open; empty otherwise.
    """

    def __init__(
        self,
        settings: Settings,
        metrics: Metrics,
        recogniser: PhotoReader | None = None,
        processes: OpensWeights | None = None,
    ) -> None:
        self._settings = settings
        self._metrics = metrics
        self.limits = photo_limits(settings)
        self._reader = recogniser
        self._processes = processes
        self._beside: Recogniser | None = None
        self._own: Recogniser | None = None
        self.tile_sets = TileSetStore(Path(settings.data_dir) / "tile-sets")
        self._lock = Lock()
        self._given = recogniser is not None
        self._open_path = self._own_path = self._refused = ""
        self.failure = ""
        self.queue = WorkQueue(
            settings.photos_at_once, settings.queue_length, settings.timeout_seconds, metrics
        )
        self.decoding = Decoding(self.limits)
        self._scoring = ThreadPoolExecutor(2, thread_name_prefix="scorer")
        metrics.model_ready.set(recogniser is not None)

    @property
    def ready(self) -> bool:
        """True once the model is open."""
        return self._reader is not None

    @property
    def model_name(self) -> str:
        """The registry's name of the model that reads."""
        return self._settings.model

    def load(self) -> PhotoReader:
        """The recogniser, opened by the first call, and again after other weights were chosen.

        While new weights open, requests are read with the current ones; if the new ones do not
        open, the current ones stay. A reading in progress keeps the weights it began with.

        Raises:
            ApiProblem: ``model-unavailable``; the log has the reason.
        """
        if self._given:
            return self._opened()
        wanted = self._wanted()
        reader = self._reader
        if reader is not None and wanted in (self._open_path, self._refused):
            return reader
        if reader is not None and not self._lock.acquire(blocking=False):
            return reader
        if reader is None:
            self._lock.acquire()
        try:
            if self._reader is None or wanted not in (self._open_path, self._refused):
                self._open(wanted)
        finally:
            self._lock.release()
        return self._opened()

    def _opened(self) -> PhotoReader:
        assert self._reader is not None
        return self._reader

    def _wanted(self) -> str:
        """What `hupai.models.registry.load` takes for the model of the settings, as it is now."""
        return Library.of_data_folder(self._settings.data_folder).resolve(self._settings.model)

    def _open(self, path: str) -> None:
        """Open weights in place of the current ones, if any.

        Raises:
            ApiProblem: ``model-unavailable``, if there are none to continue with.
        """
        try:
            name, version = (
                self._open_here(path) if self._processes is None else self._processes.open(path)
            )
        except _DOES_NOT_OPEN as error:
            if self._reader is not None:
                self._refused = path
                log.exception("model %r does not open; the one before it reads on", path)
                return
            self.failure = type(error).__name__
            raise _unavailable(path) from error
        self._reader = self._processes or self._reader
        self._open_path, self._refused, self.failure = path, "", ""
        self._metrics.model_ready.set(1)
        log.info("model %s %s reads", name, version)

    def _open_here(self, path: str) -> tuple[str, str]:
        """Open weights in this process; return their name and version."""
        detector = registry.load(path, self._settings.threads, self._settings.providers)
        beside = self._open_beside(path)
        reader = Recogniser(detector, limits=self.limits)
        if self._settings.preload:
            for opened in filter(None, (reader, beside)):
                opened.warm_up()
        self._reader, self._beside = reader, beside
        return detector.info.name, detector.info.version

    def _open_beside(self, path: str) -> Recogniser | None:
        """Open the same weights with one thread, for photos that are read beside others: threads of
        several photos that share the processors take a third more of their time together. None
        where the settings name the threads, or one photo is read at a time.
        """
        if self._settings.threads or self._settings.photos_at_once == 1:
            return None
        detector = registry.load(path, 1, self._settings.providers)
        return Recogniser(detector, limits=self.limits)

    def _opened_here(self) -> Recogniser:
        """The weights in use, opened in this process, where photos are read elsewhere.

        Raises:
            ApiProblem: ``model-unavailable``; the log has the reason.
        """
        path = self._open_path or self._wanted()
        with self._lock:
            if self._own is None or self._own_path != path:
                settings = self._settings
                try:
                    detector = registry.load(path, settings.threads, settings.providers)
                except _DOES_NOT_OPEN as error:
                    raise _unavailable(path) from error
                self._own, self._own_path = Recogniser(detector, limits=self.limits), path
            return self._own

    async def read(
        self, hand: HandPhotos, watch: Watch | None = None, *, patient: bool = False
    ) -> PhotoReading:
        """Read the photos of one hand; `watch` is called with each stage.

        While the queue is full, a patient caller waits for a place.

        Raises:
            ApiProblem: ``unreadable-picture``, ``busy``, ``timeout``, ``model-unavailable`` or
                ``unknown-tile-set``.
        """
        return await self._queued(lambda: self._read(hand, watch), hand, watch, patient)

    async def read_and_score(
        self,
        hand: HandPhotos,
        scorer: ReadingScorer,
        watch: Watch | None = None,
        *,
        patient: bool = False,
    ) -> ScoredReading:
        """Read the photos of one hand and score it, in the process that reads if there is one; else
        as `read`.
        """
        if self._processes is None:
            answer = await self.read(hand, watch, patient=patient)
            _stage(watch, "score")
            return await self.compute(lambda: scorer(answer))
        return await self._queued(
            lambda: self._read_and_score(hand, scorer, watch), hand, watch, patient
        )

    async def _queued(
        self, job: Callable[[], T], hand: HandPhotos, watch: Watch | None, patient: bool
    ) -> T:
        """Run a job that reads these photos when it is its turn."""
        size = sum(len(data) for data, _ in hand.photos)
        with span("photo", photos=len(hand.photos), bytes=size):
            name = await asyncio.to_thread(lambda: hand.request_name)
            return await self.queue.run(job, watch, patient=patient, request=name)

    def two_stage(self) -> TwoStageDetector:
        """The detector, which can learn tile sets.

        Raises:
            ApiProblem: ``model-unavailable``, also where another reader is in use.
        """
        reader = self.load()
        if isinstance(reader, ReadsTileSets):
            reader = self._opened_here()
        if isinstance(reader, Recogniser) and isinstance(reader.detector, TwoStageDetector):
            return reader.detector
        raise ApiProblem(
            MODEL_UNAVAILABLE,
            "The reader in use cannot learn tile sets.",
            "当前识别器不能学习牌组。",
        )

    async def annotated(self, hand: HandPhotos, extension: str, side: int) -> bytes:
        """The first photo with boxes, names and groups, at most `side` pixels long; `extension` is
        .jpg or .png.

        Further photos of the same hand help to read it.
        """

        def job() -> bytes:
            reading = self._read(hand, None)
            picture = self.decoding.decoded(*hand.photos[0])
            return encode(annotate(picture, reading.reading.on_photo(0)), extension, side)

        return await self.queue.run(job)

    async def upright(self, data: bytes, name: str, extension: str, side: int) -> bytes:
        """The photo itself, turned upright, at most `side` pixels long."""

        def job() -> bytes:
            return encode(self.decoding.decoded(data, name, side), extension, side)

        return await self.queue.run(job)

    async def compute(self, job: Callable[[], T]) -> T:
        """Pure scoring work off the event loop; milliseconds, so it has no queue."""
        return await asyncio.get_running_loop().run_in_executor(self._scoring, job)

    def close(self) -> None:
        """End the worker threads, letting what runs finish."""
        self.queue.close()
        if self._processes is not None:
            self._processes.close()
        self._scoring.shutdown(wait=True, cancel_futures=True)

    def _using(self, tile_set: str) -> PhotoReader:
        """The reader with the tile set of this name, or with those it may recognise."""
        reader: PhotoReader = self.load()
        if self._beside is not None and self.queue.depth > 1:
            reader = self._beside
        try:
            if isinstance(reader, Recogniser):
                return reader.using(with_choice(reader.detector, tile_set, self.tile_sets))
            if tile_set not in ("auto", "none"):
                self.tile_sets.get(tile_set)
            if isinstance(reader, ReadsTileSets):
                return reader.with_tile_set(tile_set)
        except UnknownTileSetError as error:
            known = list(error.known)
            raise ApiProblem(
                UNKNOWN_TILE_SET,
                f"There is no tile set called {tile_set[:50]!r}.",
                "没有这个牌组。",
                extra={"known": known},
            ) from None
        except TileSetError as error:
            raise ApiProblem(MODEL_UNAVAILABLE, str(error), "牌组无法使用。") from None
        return reader

    def _read(self, hand: HandPhotos, watch: Watch | None) -> PhotoReading:
        reader = self._using(hand.tile_set)

        def read(on_stage: Callable[[str], None]) -> PhotoReading:
            if len(hand.photos) > 1:
                return reader.read_photos(hand.photos, hand.rules, on_stage)
            (photo,) = hand.photos
            return reader.read_photo(*photo, hand.rules, point=hand.point, on_stage=on_stage)

        return self._counted(watch, read)

    def _read_and_score(
        self, hand: HandPhotos, scorer: ReadingScorer, watch: Watch | None
    ) -> ScoredReading:
        reader = self._using(hand.tile_set)
        assert isinstance(reader, OpensWeights)
        scored: list[ScoredReading] = []

        def read(on_stage: Callable[[str], None]) -> PhotoReading:
            reading, found = reader.read_and_score(
                hand.photos, hand.rules, hand.point, on_stage, scorer
            )
            scored.append(found)
            return reading

        self._counted(watch, read)
        return scored[0]

    def _counted(
        self, watch: Watch | None, read: Callable[[Callable[[str], None]], PhotoReading]
    ) -> PhotoReading:
        with span("read"), self.decoding.one_at_a_time(partial(_stage, watch)) as on_stage:
            try:
                reading = read(on_stage)
            except PhotoError as error:
                raise photo_problem(error) from error
            except TileSetError as error:
                raise ApiProblem(MODEL_UNAVAILABLE, str(error), "牌组无法使用。") from None
            if not isinstance(self._reader, ReadsTileSets):  # otherwise the reader elsewhere tells
                add_past(reading.timing.stages)
        self._metrics.observe_timing(reading.timing)
        self._metrics.observe_reading(reading.reading)
        return reading


def _unavailable(path: str) -> ApiProblem:
    """Log the error in progress; return the problem for weights that do not open."""
    log.exception("model %r does not open", path)
    return ApiProblem(
        MODEL_UNAVAILABLE, "The model that reads photos cannot be opened.", "识别模型无法打开。"
    )


def _stage(watch: Watch | None, stage: str) -> None:
    if watch is not None:
        watch(stage, 0)


def encode(image: Image, extension: str, side: int) -> bytes:
    """An RGB image as .jpg or .png, scaled down so that its longer side has at most `side`
    pixels.
    """
    height, width = image.shape[:2]
    scale = side / max(height, width)
    if scale < 1:
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    options = [cv2.IMWRITE_JPEG_QUALITY, 88] if extension == ".jpg" else []
    done, buffer = cv2.imencode(extension, cv2.cvtColor(image, cv2.COLOR_RGB2BGR), options)
    if not done:
        raise RuntimeError(f"OpenCV could not encode {extension}")
    return buffer.tobytes()
