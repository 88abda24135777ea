"""A process that reads photos for the app: ``python -m hupai.api.readers.child NUMBER``.

`hupai.api.readers.pool` starts it and tells it what to do over the socket of that number. It ends
when the app does, however that ends.
"""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from time import process_time

from PIL import Image as Pillow

from hupai.api.hands.photo_work.limits import photo_limits
from hupai.api.readers.messages import (
    Failed,
    Opened,
    OpenWeights,
    Read,
    ReadPhotos,
    Stage,
    Start,
    receive,
    send,
)
from hupai.api.readers.photo_request import RefusedPhoto
from hupai.api.tile_sets.store import store_in
from hupai.api.tracing.setup import tracing_of
from hupai.api.tracing.spans import add_past, continued
from hupai.models import registry
from hupai.scoring import rule_sets
from hupai.vision.enrolment.enrol import TileSetError
from hupai.vision.enrolment.store import with_choice
from hupai.vision.photo.decode import PhotoError
from hupai.vision.pipeline.recogniser import Recogniser

_LARGE = 16_000_000
"""Number of pixels of a photo after which free memory is returned to the system."""


def _return_memory() -> None:
    """Return free memory to the system, where the C library can.

    Otherwise each process would hold up to 200 MB after it has read one of the largest photos.
    """
    Pillow.core.clear_cache(0)  # type: ignore[attr-defined]
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


class Reader:
    """Holds the weights and reads with them.

    Args:
        start: weights, threads and settings.
        on_stage: is told each stage as it begins; decoding begins when it returns.
    """

    def __init__(self, start: Start, on_stage: Callable[[str], None]) -> None:
        settings = start.settings
        self._threads, self._providers = start.threads, settings.providers
        self._on_stage = on_stage
        self._limits = photo_limits(settings)
        self._tile_sets = store_in(start.folder, settings.photos_url)
        self._recognisers: list[Recogniser] = []
        self._told = 0.0

    def open(self, path: str) -> Opened:
        """Open weights; if they do not open, the earlier ones stay in use.

        Raises:
            hupai.models.registry.WeightsError, OSError, ValueError, RuntimeError: as they fail.
        """
        opened = [
            Recogniser(registry.load(path, threads, self._providers), limits=self._limits)
            for threads in self._threads
        ]
        for recogniser in opened:
            recogniser.warm_up()
        self._recognisers = opened
        model = opened[0].model
        return Opened(model.name, model.version)

    def read(self, message: ReadPhotos) -> Read | RefusedPhoto:
        """Read one hand, and score it if requested.

        Raises:
            hupai.vision.enrolment.enrol.TileSetError: if the tile set cannot be used.
        """
        request = message.request
        chosen = self._recognisers[0 if message.alone else -1]
        reader = chosen.using(with_choice(chosen.detector, request.tile_set, self._tile_sets))
        rules = None if request.rules is None else rule_sets.get(request.rules)
        with continued(request.trace, "reader"):
            try:
                if len(request.photos) == 1:
                    photo = request.photos[0]
                    read = reader.read_photo(*photo, rules, request.point, self._on_stage)
                else:
                    read = reader.read_photos(list(request.photos), rules, self._on_stage)
            except PhotoError as error:
                return RefusedPhoto.of(error)
            add_past(read.timing.stages)
        if read.photo.width * read.photo.height > _LARGE:
            _return_memory()
        scored = None
        if message.scorer is not None:
            self._on_stage("score")
            scored = message.scorer(read)
        return Read(replace(read, detections=None), scored, self._spent())

    def _spent(self) -> float:
        """Return the processor time since the last call, or since the process began, seconds."""
        before, self._told = self._told, process_time()
        return self._told - before


class _AppGoneError(Exception):
    """The app has ended."""


def serve(connection: Connection) -> None:
    """Do what comes over the connection until the app closes it."""

    def on_stage(stage: str) -> None:
        try:
            waits = stage == "decode"
            send(connection, Stage(stage, waits))
            if waits:
                receive(connection)
        except (EOFError, OSError):
            raise _AppGoneError from None

    start: Start = receive(connection)
    tracing = tracing_of(start.settings.tracing_url, "reader")
    reader = Reader(start, on_stage)
    try:
        while True:
            message: OpenWeights | ReadPhotos = receive(connection)
            try:
                answer: object = (
                    reader.open(message.path)
                    if isinstance(message, OpenWeights)
                    else reader.read(message)
                )
            except _AppGoneError:
                return
            except TileSetError as error:
                answer = Failed(TileSetError.__name__, str(error), "")
            except Exception as error:  # noqa: BLE001 - the app raises it
                answer = Failed(type(error).__name__, str(error), traceback.format_exc())
            send(connection, answer)
    finally:
        if tracing is not None:
            tracing.close()


def main() -> None:
    """Serve the socket whose file descriptor is the argument."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # Terminals and service managers send these to the whole group. The app finishes what is
        # under way, for which it needs this process, and then closes the connection.
        signal.signal(number, signal.SIG_IGN)
    gc.freeze()  # What is loaded stays; collections during a reading need not go through it.
    try:
        serve(Connection(int(sys.argv[1])))
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main()
