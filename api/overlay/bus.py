"""How processes that serve the same tables tell each other what happened: nothing to do for one,
Redis for several.
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
CHANNEL = "hupai:overlay"
_AGAIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class News:
    """Something other processes should know.

    Attributes:
        kind: ``event`` (on air), ``state`` (for operators), ``status`` (of reading), ``frame``
            (pushed, for who reads), ``look`` (somebody wants to see frames), ``picture`` (one),
            ``queue`` (something is due).
        table: whose.
        body: JSON text of the event or status; a picture's bytes in base 64; empty where none is
            needed.
        sender: the process it comes from.
    """

    kind: str
    table: str
    body: str = ""
    sender: str = ""


Listener = Callable[[News], None]


class Bus(Protocol):
    """Carries news to all other processes. Used from any thread."""

    @property
    def is_shared(self) -> bool:
        """Whether there may be other processes at all."""
        ...

    @property
    def is_connected(self) -> bool:
        """Whether news gets through now."""
        ...

    def start(self, listener: Listener) -> None:
        """Begin to hand news of other processes to `listener`, in a thread of the bus."""
        ...

    def send(self, news: News) -> None:
        """Tell the others; never raises, never waits long. What is lost they find in the database a
        little later.
        """
        ...

    def stop(self) -> None:
        """End the bus's thread."""
        ...


class LocalBus:
    """One process: nobody else to tell."""

    is_shared = False
    is_connected = True

    def start(self, listener: Listener) -> None:
        """Nothing will ever come."""

    def send(self, news: News) -> None:
        """Nobody to tell."""

    def stop(self) -> None:
        """Nothing to end."""


class RedisBus:
    """Several processes: news goes through a channel of Redis and back to everybody but its sender.

    When Redis is gone the bus reconnects by itself; meanwhile each process still finds new events
    in the database by polling.
    """

    is_shared = True

    def __init__(self, url: str, channel: str = CHANNEL) -> None:
        """Use the Redis at this URL.

        Raises:
            RuntimeError: when the package `redis` is not installed, or the URL is none.
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
            raise RuntimeError(f"HUPAI_REDIS_URL is no URL of Redis: {error}") from None
        self._errors = (redis.RedisError, OSError)
        self._channel = channel
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

    def send(self, news: News) -> None:
        """See `Bus.send`."""
        if not self._connected.is_set():
            return
        try:
            self._redis.publish(self._channel, json.dumps({**asdict(news), "sender": self._sender}))
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
                channel.subscribe(self._channel)
                self._connected.set()
                while not self._stopping.is_set():
                    message = channel.get_message(timeout=0.5)
                    if message is not None:
                        self._hand_on(message["data"], listener)
            except self._errors as error:
                if not self._stopping.is_set():
                    log.warning("Redis: %s; trying again", type(error).__name__)
            finally:
                self._connected.clear()
                channel.close()
            self._stopping.wait(_AGAIN_SECONDS)

    def _hand_on(self, data: bytes, listener: Listener) -> None:
        try:
            news = News(**json.loads(data))
        except (ValueError, TypeError):
            log.warning("a message on %s is none of ours", self._channel)
            return
        if news.sender != self._sender:
            listener(news)


def packed(data: bytes) -> str:
    """Bytes as the body of news."""
    return base64.b64encode(data).decode()


def unpacked(body: str) -> bytes:
    """Decode what `packed` made."""
    return base64.b64decode(body)
