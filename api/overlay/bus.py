"""Messages between processes that serve the same tables: a no-op for one process, Redis for
several.
"""

from __future__ import annotations

import base64
import json
import logging
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Protocol
from uuid import uuid4

log = logging.getLogger("hupai.overlay")
_CHANNEL = "hupai:overlay"
_RECONNECT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class BusMessage:
    """A message to the other processes.

    Attributes:
        kind: ``event`` (on air), ``state`` (for operators), ``status`` (of reading), ``frame``
            (pushed, for the process that reads the table), ``look`` (a client wants to see
            frames), ``picture`` (such a frame).
        table: id of the table.
        body: JSON text of the event or status; a picture's bytes in base 64; empty if none is
            needed.
        sender: the sending process.
    """

    kind: str
    table: str
    body: str = ""
    sender: str = ""


Listener = Callable[[BusMessage], None]


class Bus(Protocol):
    """Carries messages to all other processes. Thread-safe."""

    @property
    def is_shared(self) -> bool:
        """Whether there may be other processes."""
        ...

    @property
    def is_connected(self) -> bool:
        """Whether messages can be sent now."""
        ...

    def start(self, listener: Listener) -> None:
        """Start to pass messages of other processes to `listener`, in a thread of the bus."""
        ...

    def send(self, message: BusMessage) -> None:
        """Send a message; never raises, never blocks for long. Other processes find what a lost
        message announced in the database a little later.
        """
        ...

    def stop(self) -> None:
        """End the bus's thread."""
        ...


class LocalBus:
    """One process: messages have no recipient."""

    is_shared = False
    is_connected = True

    def start(self, listener: Listener) -> None:
        """Do nothing: no message will ever arrive."""

    def send(self, message: BusMessage) -> None:
        """Do nothing: there is no recipient."""

    def stop(self) -> None:
        """Do nothing: there is no thread."""


class RedisBus:
    """Several processes: messages are published on a Redis channel; senders ignore their own.

    If Redis is unreachable the bus reconnects automatically; meanwhile each process finds new
    events by polling the database.
    """

    is_shared = True

    def __init__(self, url: str) -> None:
        """Use the Redis at this URL.

        Raises:
            RuntimeError: if the package `redis` is not installed, or the URL is invalid.
        """
        try:
            import redis  # noqa: PLC0415 - the extra `redis` is optional
        except ImportError as error:
            raise RuntimeError(
                "HUPAI_REDIS_URL needs the extra 'redis': pip install 'hupai[redis]'"
            ) from error
        try:
            self._redis: Any = redis.Redis.from_url(
                url, socket_connect_timeout=2, socket_timeout=10, health_check_interval=15
            )
        except ValueError as error:
            raise RuntimeError(f"HUPAI_REDIS_URL is not a Redis URL: {error}") from None
        self._errors = (redis.RedisError, OSError)
        self._sender = uuid4().hex
        self._stopping = threading.Event()
        self._connected = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_connected(self) -> bool:
        """Whether the channel is open."""
        return self._connected.is_set()

    def start(self, listener: Listener) -> None:
        """See `Bus.start`."""
        self._thread = threading.Thread(
            target=self._listen, args=(listener,), name="redis", daemon=True
        )
        self._thread.start()

    def send(self, message: BusMessage) -> None:
        """See `Bus.send`."""
        if not self._connected.is_set():
            return
        try:
            self._redis.publish(_CHANNEL, json.dumps({**asdict(message), "sender": self._sender}))
        except self._errors:
            log.warning("Redis does not answer; other processes find new events by polling")

    def stop(self) -> None:
        """See `Bus.stop`."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(5)
        self._redis.close()

    def _listen(self, listener: Listener) -> None:
        while not self._stopping.is_set():
            channel = self._redis.pubsub(ignore_subscribe_messages=True)
            try:
                channel.subscribe(_CHANNEL)
                self._connected.set()
                while not self._stopping.is_set():
                    message = channel.get_message(timeout=0.5)
                    if message is not None:
                        self._dispatch(message["data"], listener)
            except self._errors as error:
                if not self._stopping.is_set():
                    log.warning("Redis: %s; trying again", type(error).__name__)
            finally:
                self._connected.clear()
                channel.close()
            self._stopping.wait(_RECONNECT_SECONDS)

    def _dispatch(self, data: bytes, listener: Listener) -> None:
        try:
            message = BusMessage(**json.loads(data))
        except (ValueError, TypeError):
            log.warning("ignoring a foreign message on %s", _CHANNEL)
            return
        if message.sender == self._sender:
            return
        try:
            listener(message)
        except Exception:  # one message, perhaps of another version, must not end the thread
            log.exception("a message %r on %s could not be used", message.kind, _CHANNEL)


def packed(data: bytes) -> str:
    """Encode bytes as the body of a message."""
    return base64.b64encode(data).decode()


def unpacked(body: str) -> bytes:
    """Decode a body encoded by `packed`."""
    return base64.b64decode(body)
