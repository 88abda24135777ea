"""Messages between the app and a process that reads photos, see `hupai.api.readers.child`.

They are pickled: only these two processes hold the socket, and they run the same code.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from hupai.api.hands.photo_work.scored_reading import ReadingScorer, ScoredReading
from hupai.api.readers.photo_request import PhotoRequest
from hupai.api.web.settings import Settings
from hupai.vision.types import PhotoReading


@dataclass(frozen=True, slots=True)
class Start:
    """The first message to a process; not answered.

    Attributes:
        settings: settings of the service.
        folder: its data folder.
        threads: numbers of threads to open the weights with, see `hupai.models.registry.load`:
            first the one for a photo read alone, last the one for a photo read beside others.
    """

    settings: Settings
    folder: Path
    threads: Sequence[int]


@dataclass(frozen=True, slots=True)
class OpenWeights:
    """Open the weights at this path; answered with `Opened` or `Failed`."""

    path: str


@dataclass(frozen=True, slots=True)
class Opened:
    """The weights are open; their name and version."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class ReadPhotos:
    """Read one hand; answered with `Read`, a `RefusedPhoto` or `Failed`.

    Attributes:
        request: its photos.
        alone: nothing else is being read, so that all threads are free for it.
        scorer: scores the reading; None if only the reading is wanted.
    """

    request: PhotoRequest
    alone: bool
    scorer: ReadingScorer | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """A hand as it was read, and scored if a scorer was sent.

    Attributes:
        reading: what is on the photos.
        scored: the score; None if no scorer was sent.
        processor: processor time of the process since its last answer, seconds.
    """

    reading: PhotoReading
    scored: ScoredReading | None
    processor: float


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of reading begins.

    Attributes:
        name: name of the stage.
        waits: whether the process waits for `GO_ON`, because it decodes only in its turn.
    """

    name: str
    waits: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """What was asked raised an exception of this kind; `trace` is its traceback as text."""

    kind: str
    message: str
    trace: str


GO_ON = "go on"
"""The answer to `Stage`."""


def send(connection: Connection, message: object) -> None:
    """Send a message.

    Raises:
        OSError: if the other process is gone.
    """
    connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(connection: Connection) -> Any:
    """Wait for a message.

    Raises:
        EOFError, OSError: if the other process is gone.
    """
    return pickle.loads(connection.recv_bytes())
