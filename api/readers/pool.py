"""Processes that read photos beside the app: neither waits for the other's interpreter lock.

One photo is read by one process. If a process ends while it reads, another is started and the photo
is given to it; if that ends too, the photo may be the reason, and it is refused.
"""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Condition, Thread
from time import monotonic

from hupai.api.hands.photo_work.scored_reading import ReadingScorer, ScoredReading
from hupai.api.readers.messages import (
    GO_ON,
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
from hupai.api.readers.photo_request import PhotoRequest, ReaderElsewhere, RefusedPhoto
from hupai.api.web.problem_types import MODEL_UNAVAILABLE, TIMEOUT
from hupai.api.web.problems import ApiProblem
from hupai.api.web.settings import Settings
from hupai.models.registry import WeightsError
from hupai.scoring.errors import HupaiError
from hupai.scoring.result import RuleSet
from hupai.vision.enrolment.enrol import TileSetError
from hupai.vision.types import PhotoReading

log = logging.getLogger("hupai.readers")
TRIES = 2
"""How many processes may end over one photo."""
_OPENING_SECONDS = 60.0
"""How long a process may take to start and to open weights."""
_ENDING_SECONDS = 5.0
"""How long a process may take to end once its connection is closed."""


class ReadingFailedError(HupaiError):
    """A process raised an exception that is a fault of the program; the message has its trace."""


class _GoneError(Exception):
    """The process ended."""


class _LateError(Exception):
    """The process did not answer in time."""


class _Process:
    """One process and the connection to it; one thread uses it at a time.

    Attributes:
        weights: path of the weights it has open.

    Raises:
        _GoneError: the process ended as it began.
    """

    def __init__(self, start: Start) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "hupai.api.readers.child", str(number)],
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
            )
        self._connection = Connection(ours.detach())
        self.weights = ""
        try:
            self._tell(start)
        except _GoneError:
            self.end(at_once=True)
            raise

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def open(self, weights: str) -> Opened:
        """Open weights; if they do not open, the earlier ones stay open.

        Raises:
            WeightsError: if they do not open.
            _GoneError, _LateError: the process can no longer be used.
        """
        answer = self.ask(OpenWeights(weights), _OPENING_SECONDS)
        if isinstance(answer, Failed):
            raise WeightsError(f"{answer.kind}: {answer.message}")
        assert isinstance(answer, Opened)
        self.weights = weights
        return answer

    def ask(
        self, message: object, seconds: float, on_stage: Callable[[str], None] | None = None
    ) -> object:
        """Send a message and return the answer; `on_stage` is called with each stage until then.

        Raises:
            _GoneError, _LateError: the process can no longer be used.
        """
        due = monotonic() + seconds
        self._tell(message)
        while isinstance(answer := self._heard(due), Stage):
            if on_stage is not None:
                on_stage(answer.name)
            if answer.waits:
                self._tell(GO_ON)
        return answer

    def _tell(self, message: object) -> None:
        try:
            send(self._connection, message)
        except OSError as error:
            raise _GoneError(self.pid) from error

    def _heard(self, due: float) -> object:
        try:
            if not self._connection.poll(max(0.0, due - monotonic())):
                raise _LateError
            return receive(self._connection)
        except (EOFError, OSError) as error:
            raise _GoneError(self.pid) from error

    def end(self, *, at_once: bool = False) -> None:
        """Close the connection and wait for the process to end."""
        self._connection.close()
        if at_once:
            self._process.kill()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class ReaderProcesses:
    """Processes that read photos for the service, as many at the same time as there are processes.

    Args:
        settings: settings of the service.
        folder: its data folder.
        count: number of processes.
        on_spent: called with the processor time that a hand took, seconds.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        count: int,
        on_spent: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        self._settings, self._folder, self._on_spent = settings, folder, on_spent
        self._processes: list[_Process | None] = [None] * count
        self._busy = [False] * count
        self._changed = Condition()
        self._weights = ""
        self._closed = False

    @property
    def pids(self) -> list[int]:
        """Process ids of those that are running."""
        return [process.pid for process in self._processes if process is not None]

    def open(self, weights: str) -> Opened:
        """Have photos read with these weights from now on; returns once the first process has them.

        The others open them next, unless a photo needs them sooner.

        Raises:
            WeightsError: they do not open; the earlier ones stay in use.
        """
        for _ in range(TRIES):
            with self._one() as number:
                try:
                    opened = self._running(number).open(weights)
                except (_GoneError, _LateError):
                    self._end(number, at_once=True)
                    continue
            self._weights = weights
            self._open_in_background()
            return opened
        raise WeightsError(f"the process that opens {weights!r} ends")

    def read(
        self, request: PhotoRequest, on_stage: Callable[[str], None] | None = None
    ) -> PhotoReading:
        """Read one hand; arguments and exceptions are those of `read_and_score`."""
        return self.read_and_score(request, on_stage).reading

    def read_and_score(
        self,
        request: PhotoRequest,
        on_stage: Callable[[str], None] | None = None,
        scorer: ReadingScorer | None = None,
    ) -> Read:
        """Read one hand, and with a `scorer` score it in the same process.

        `on_stage` is called as each stage begins, and delays decoding until it returns.

        Raises:
            hupai.vision.photo.decode.PhotoError: if the bytes cannot be decoded.
            TileSetError: if the tile set cannot be used.
            ApiProblem: ``timeout``, or ``model-unavailable`` where processes end over it.
            ReadingFailedError: for a fault of the program.
        """
        for _ in range(TRIES):
            with self._one() as number:
                try:
                    process = self._ready(number)
                    message = ReadPhotos(request, sum(self._busy) == 1, scorer)
                    answer = process.ask(message, 2 * self._settings.timeout_seconds, on_stage)
                except _GoneError:
                    log.warning("a process that reads photos ended; another is started")
                    self._end(number)
                    self._open_in_background()
                    continue
                except _LateError:
                    log.warning("a process that read a photo for too long was ended")
                    self._end(number, at_once=True)
                    raise ApiProblem(
                        TIMEOUT, "The photo took too long to read.", "照片识别超时。"
                    ) from None
                except BaseException:
                    self._end(number, at_once=True)  # it waits for an answer that will not come
                    raise
            found = _read(answer)
            self._on_spent(found.processor)
            return found
        raise ApiProblem(
            MODEL_UNAVAILABLE,
            "The processes that read photos end over this one; nothing was stored.",
            "识别进程意外结束，这张照片没有保存。",
            headers={"Retry-After": "5"},
        )

    def close(self) -> None:
        """End all processes."""
        with self._changed:
            self._closed = True
        for number in range(len(self._processes)):
            self._end(number)

    @contextmanager
    def _one(self, number: int | None = None) -> Iterator[int]:
        """Hold a process during the block: this one, or the first free one that runs."""
        wanted = range(len(self._busy)) if number is None else [number]
        with self._changed:
            self._changed.wait_for(lambda: not all(self._busy[one] for one in wanted))
            free = [one for one in wanted if not self._busy[one]]
            held = min(free, key=lambda one: self._processes[one] is None)
            self._busy[held] = True
        try:
            yield held
        finally:
            with self._changed:
                self._busy[held] = False
                self._changed.notify_all()

    def _running(self, number: int) -> _Process:
        """The process of this number, started if there is none.

        Raises:
            _GoneError: it ends as it begins, or all are being closed.
        """
        process = self._processes[number]
        if process is None:
            if self._closed:
                raise _GoneError
            process = self._processes[number] = _Process(self._start(number))
            if self._closed:  # `close` may have come before it started
                self._end(number, at_once=True)
                raise _GoneError
        return process

    def _ready(self, number: int) -> _Process:
        """The process of this number with the newest weights open."""
        process = self._running(number)
        if process.weights != self._weights:
            try:
                process.open(self._weights)
            except WeightsError:
                if not process.weights:
                    raise _GoneError from None
                log.exception("weights do not open in every process")
        return process

    def _open_in_background(self) -> None:
        """Start processes that do not run, and open the newest weights where they are not open."""
        Thread(target=self._open_all, name="open-weights", daemon=True).start()

    def _open_all(self) -> None:
        for number in range(len(self._processes)):
            with self._one(number):
                if self._closed:
                    return
                try:
                    self._ready(number)
                except (_GoneError, _LateError):
                    self._end(number, at_once=True)  # the next photo starts it again

    def _start(self, number: int) -> Start:
        """The first message to a process: only the first process ever reads a photo alone."""
        threads = self._settings.threads
        choices = [threads] if threads else [0, 1] if number == 0 else [1]
        return Start(self._settings, self._folder, choices)

    def _end(self, number: int, *, at_once: bool = False) -> None:
        process, self._processes[number] = self._processes[number], None
        if process is not None:
            process.end(at_once=at_once)


class ProcessReader(ReaderElsewhere):
    """A `hupai.api.hands.photo_work.readers.PhotoReader` in front of processes.

    Args:
        processes: those that read.
        tile_set: name of the tile set in use.
    """

    def __init__(self, processes: ReaderProcesses, tile_set: str = "auto") -> None:
        super().__init__(tile_set)
        self._processes = processes

    def open(self, weights: str) -> tuple[str, str]:
        """Read with these weights from now on; return their name and version.

        Raises:
            WeightsError: they do not open; the earlier ones stay in use.
        """
        opened = self._processes.open(weights)
        return opened.name, opened.version

    def with_tile_set(self, choice: str) -> ProcessReader:
        """Return a reader with a tile set in use."""
        return ProcessReader(self._processes, choice)

    def read_and_score(
        self,
        photos: Sequence[tuple[bytes, str]],
        rules: RuleSet | None,
        point: tuple[float, float] | None,
        on_stage: Callable[[str], None] | None,
        scorer: ReadingScorer,
    ) -> tuple[PhotoReading, ScoredReading]:
        """Read photos of one hand and score it; raises as `ReaderProcesses` does."""
        request = self.request(photos, rules, point)
        read = self._processes.read_and_score(request, on_stage, scorer)
        assert read.scored is not None
        return read.reading, read.scored

    def close(self) -> None:
        """End the processes."""
        self._processes.close()

    def answer(self, request: PhotoRequest, on_stage: Callable[[str], None] | None) -> PhotoReading:
        """See `ReaderElsewhere.answer`; raises what `ReaderProcesses.read` does."""
        return self._processes.read(request, on_stage)


def _read(answer: object) -> Read:
    match answer:
        case Read():
            return answer
        case RefusedPhoto():
            raise answer.error()
        case Failed(kind="TileSetError"):
            raise TileSetError(answer.message)
        case Failed():
            raise ReadingFailedError(answer.trace)
    raise TypeError(f"{type(answer).__name__} is no answer")
