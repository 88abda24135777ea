"""One request at a time under one idempotency key, across all processes that share a Redis.

A phone that loses its connection sends the same photo again, and behind a balancer the repetition
reaches another process. It then waits for the first request and is answered with the hand that this
one stored, instead of reading the photo a second time. Without Redis nobody waits: the database
still keeps one hand (`hupai.api.hands.store.insert`), but the photo is read twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import sha256
from typing import Any, Protocol

log = logging.getLogger("hupai.api")

LEASE_SECONDS = 6.0
"""How long others wait for a process that died while it read the photo."""
_RENEW_SECONDS = LEASE_SECONDS / 3
_LOOK_SECONDS = 0.05
"""How often a waiting request checks whether its turn has come."""
_REDIS_SECONDS = 2.0
"""How long Redis may take to answer."""


class RequestsUnderWay(Protocol):
    """Lets requests that are the same follow each other."""

    def turn(self, author: str, key: str) -> AbstractAsyncContextManager[bool]:
        """Wait until no other request of this author is in progress under this key.

        The value says whether there may have been another one, whose hand must then be looked for.

        It raises nothing itself, and never waits longer than a photo may take.
        """
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


class NobodyWaits:
    """One process, or several without Redis: the database alone decides."""

    @asynccontextmanager
    async def turn(self, author: str, key: str) -> AsyncIterator[bool]:  # noqa: ARG002 - see Protocol
        """Begin at once."""
        yield False

    async def close(self) -> None:
        """Nothing is open."""


class RedisTurns:
    """Turns by a lock in Redis, renewed while the request lasts.

    While Redis does not answer nobody waits.

    Args:
        url: ``redis://host:6379/0``.
        most_seconds: how long to wait for a turn; then the request begins all the same.
    """

    def __init__(self, url: str, most_seconds: float) -> None:
        from redis.asyncio import Redis  # noqa: PLC0415 - the extra `redis` is optional
        from redis.exceptions import RedisError  # noqa: PLC0415

        self._redis = Redis.from_url(
            url, socket_timeout=_REDIS_SECONDS, socket_connect_timeout=_REDIS_SECONDS
        )
        self._errors = (RedisError, OSError)
        self._most_seconds = most_seconds

    @asynccontextmanager
    async def turn(self, author: str, key: str) -> AsyncIterator[bool]:
        """See `RequestsUnderWay.turn`."""
        name = sha256(f"{author}\0{key}".encode()).hexdigest()
        lock = self._redis.lock(
            f"hupai:under-way:{name}", timeout=LEASE_SECONDS, sleep=_LOOK_SECONDS
        )
        try:
            held = await lock.acquire(blocking_timeout=self._most_seconds)
        except self._errors as error:
            log.warning("Redis does not keep equal requests apart: %s", error)
            held = False
        if not held:
            yield True
            return
        renewing = asyncio.create_task(self._renew(lock))
        try:
            yield True
        finally:
            renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewing
            with contextlib.suppress(*self._errors):  # it ends by itself
                await lock.release()

    async def _renew(self, lock: Any) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with contextlib.suppress(*self._errors):
                await lock.reacquire()

    async def close(self) -> None:
        """Close the connections to Redis."""
        await self._redis.aclose()


def requests_under_way(redis_url: str, most_seconds: float) -> RequestsUnderWay:
    """Make what the settings ask for."""
    return RedisTurns(redis_url, most_seconds) if redis_url else NobodyWaits()
