"""Reads photos on remote replicas, with the interface of a local reader."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import ceil
from threading import Lock
from time import perf_counter, sleep
from typing import Any, Protocol

from hupai.api.readers.photo_request import Answer, PhotoRequest, ReaderElsewhere, RefusedPhoto
from hupai.api.web.problem_types import BUSY, MODEL_UNAVAILABLE, TIMEOUT
from hupai.api.web.problems import ApiProblem
from hupai.vision.types import PhotoReading

log = logging.getLogger("hupai.scale")
TRIES = 4
"""How often a photo is handed to another replica because its replica died."""
FAILURES = 2
"""How often a photo may fail: where the second replica fails too, the photo may be the reason."""
_BETWEEN = 0.3
"""Seconds before the next attempt."""


class ReplicaBusyError(Exception):
    """All replicas are busy and the queue is full."""


class ReplicaGoneError(Exception):
    """The replica died before it answered; another may read the photo."""


class ReplicaFailedError(Exception):
    """The replica failed on the photo and lives on; its cause tells why."""


class ReplicaLateError(Exception):
    """No answer came in time."""


class Replicas(Protocol):
    """The transport of requests to replicas."""

    def ask(self, request: PhotoRequest, seconds: float) -> Answer:
        """Return a replica's answer; called from several threads.

        Raises:
            ReplicaBusyError, ReplicaGoneError, ReplicaFailedError, ReplicaLateError: see their
                docstrings.
        """
        ...


class RemoteReader(ReaderElsewhere):
    """A `hupai.api.hands.photo_work.readers.PhotoReader` in front of replicas.

    Args:
        replicas: the transport to the replicas.
        seconds: longest time for one photo.
        tile_set: name of the tile set in use.
    """

    def __init__(self, replicas: Replicas, seconds: float, tile_set: str = "auto") -> None:
        super().__init__(tile_set)
        self._replicas, self._seconds = replicas, seconds
        self._mean = _Mean()

    def with_tile_set(self, choice: str) -> RemoteReader:
        """Return a reader with a tile set in use."""
        other = RemoteReader(self._replicas, self._seconds, choice)
        other._mean = self._mean
        return other

    def answer(self, request: PhotoRequest, on_stage: Callable[[str], None] | None) -> PhotoReading:
        """Have a replica read; `on_stage` is only called when the request is handed out.

        Raises:
            hupai.vision.photo.decode.PhotoError: if the bytes cannot be decoded.
            ApiProblem: ``busy``, ``timeout``, or ``model-unavailable`` where replicas keep ending
                or two fail on the photo.
        """
        if on_stage is not None:
            on_stage("detect")
        started = perf_counter()
        answer = self._asked(request)
        if isinstance(answer, RefusedPhoto):
            raise answer.error()
        self._mean.add(perf_counter() - started)
        return answer

    def _asked(self, request: PhotoRequest) -> Answer:
        failures = 0
        for left in reversed(range(TRIES)):
            try:
                return self._replicas.ask(request, self._seconds)
            except ReplicaBusyError:
                wait = str(max(1, ceil(self._mean.seconds)))
                raise ApiProblem(
                    BUSY,
                    f"All readers are busy and their queue is full; try again in {wait} s.",
                    f"识别器繁忙，请 {wait} 秒后再试。",
                    headers={"Retry-After": wait},
                ) from None
            except ReplicaLateError:
                detail = f"The photo was not read within {self._seconds:g} s."
                raise ApiProblem(
                    TIMEOUT, detail, "照片识别超时。", headers={"Retry-After": "5"}
                ) from None
            except ReplicaGoneError as error:
                log.warning("a replica ended while it read a photo: %s", error)
                if left:
                    sleep(_BETWEEN)
            except ReplicaFailedError:
                log.exception("a replica failed on a photo")
                failures += 1
                if failures == FAILURES:
                    break
                sleep(_BETWEEN)
        raise ApiProblem(
            MODEL_UNAVAILABLE,
            "The readers of photos keep failing; nothing was stored.",
            "识别模型无法打开。",
            headers={"Retry-After": "5"},
        )


class _Mean:
    """Running mean of the seconds per photo; thread-safe."""

    def __init__(self) -> None:
        self.seconds = 1.0
        self._lock = Lock()

    def add(self, seconds: float) -> None:
        with self._lock:
            self.seconds += 0.2 * (seconds - self.seconds)


class ServedReplicas:
    """Replicas of Ray Serve.

    Args:
        handle: handle of the deployment, with the method ``read``.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def ask(self, request: PhotoRequest, seconds: float) -> Answer:
        """See `Replicas.ask`.

        What the replica raises arrives as it is over gRPC, and as a `RayTaskError` that is also of
        its class through Ray's object store. Another replica may have more memory than one in which
        it ran out.
        """
        # The extra `ray` is optional, and brings gRPC.
        from grpc import RpcError  # noqa: PLC0415
        from ray.exceptions import RayError, RayTaskError  # noqa: PLC0415
        from ray.serve.exceptions import BackPressureError, RayServeException  # noqa: PLC0415

        response = self._handle.read.remote(request)
        try:
            answer: Answer = response.result(timeout_s=seconds)
        except BackPressureError as error:
            raise ReplicaBusyError from error
        except TimeoutError as error:
            response.cancel()
            raise ReplicaLateError from error
        except MemoryError as error:
            raise ReplicaGoneError("no memory") from error
        except RayTaskError as error:
            raise ReplicaFailedError(type(error).__name__) from error
        except (RayError, RayServeException, RpcError) as error:
            raise ReplicaGoneError(type(error).__name__) from error
        except Exception as error:
            raise ReplicaFailedError(type(error).__name__) from error
        return answer
