"""How many requests a client may make: a token bucket for each key or address.

A bucket is stored as the one moment at which it will be full again (the generic cell rate
algorithm, ITU-T I.371). One process keeps them in bounded memory; if several processes share a
Redis, they share the buckets too.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from math import ceil
from time import monotonic
from typing import Protocol

WINDOW = 60.0
"""Seconds in which an empty bucket fills."""
MOST_CLIENTS = 20_000
"""Buckets kept; past that the client not seen for longest is forgotten. About 3 MB."""
_REDIS_SECONDS = 0.5
"""How long Redis may take to answer."""
_AWAY_SECONDS = 5.0
"""How long a process counts for itself after Redis failed."""

log = logging.getLogger("hupai.api")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left to a client.

    Attributes:
        granted: whether this request may pass.
        remaining: whole requests left now.
        seconds: seconds until the next request is allowed if none is left, otherwise until the
            bucket is full.
    """

    granted: bool
    remaining: int
    seconds: int


class RateLimiter(Protocol):
    """Counts requests of clients.

    Attributes:
        per_minute: requests a minute, of which a whole minute's worth may come at once.
    """

    per_minute: int

    async def take(self, client: str) -> Allowance:
        """Take one request from the client's bucket, or none where it is empty."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


def rate_limiter(per_minute: int, redis_url: str) -> RateLimiter | None:
    """Make the limiter that the settings ask for; None if `per_minute` is 0."""
    if not per_minute:
        return None
    own = MemoryLimiter(per_minute)
    return RedisLimiter(redis_url, own) if redis_url else own


def _allowance(per_minute: int, granted: bool, empty_for: float) -> Allowance:
    """Say what is left in a bucket that takes `empty_for` seconds to be full again."""
    if granted:
        left = int((WINDOW - empty_for) * per_minute / WINDOW + 1e-6)
        return Allowance(True, left, ceil(empty_for))
    return Allowance(False, 0, max(1, ceil(empty_for + WINDOW / per_minute - WINDOW)))


class MemoryLimiter:
    """Buckets of one process, used from its event loop only, so without a lock."""

    def __init__(self, per_minute: int, most_clients: int = MOST_CLIENTS) -> None:
        self.per_minute = per_minute
        self._most = most_clients
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full_at)

    async def take(self, client: str) -> Allowance:
        """Take one request from the client's bucket, or none where it is empty."""
        now = monotonic()
        empty_for = max(0.0, self._full_at.pop(client, now) - now)
        after = empty_for + WINDOW / self.per_minute
        granted = after <= WINDOW + 1e-6
        if granted:
            empty_for = after
        self._full_at[client] = now + empty_for
        if len(self._full_at) > self._most:
            self._full_at.popitem(last=False)
        return _allowance(self.per_minute, granted, empty_for)

    async def close(self) -> None:
        """Do nothing: nothing is open."""


_TAKE = """
local now = redis.call('TIME')
now = now[1] + now[2] / 1e6
local cost, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local empty_for = math.max(0, tonumber(redis.call('GET', KEYS[1]) or now) - now)
local granted = empty_for + cost <= window + 1e-6
if granted then
  empty_for = empty_for + cost
  local full_at = string.format('%.6f', now + empty_for)
  redis.call('SET', KEYS[1], full_at, 'PX', math.ceil(empty_for * 1000))
end
return {granted and 1 or 0, tostring(empty_for)}
"""
"""The same as `MemoryLimiter.take`, run by Redis with its clock."""


class RedisLimiter:
    """Buckets in Redis, shared by all processes that use it.

    While Redis does not answer, the process counts for itself.

    Args:
        url: ``redis://host:6379/0``.
        own: counts while Redis does not answer.
    """

    def __init__(self, url: str, own: MemoryLimiter) -> None:
        # An optional dependency, needed only with this setting.
        from redis.asyncio import Redis  # noqa: PLC0415 - the extra `redis` is optional
        from redis.exceptions import RedisError  # noqa: PLC0415

        self.per_minute = own.per_minute
        self._own = own
        self._errors = (RedisError, OSError)
        self._redis = Redis.from_url(
            url, socket_timeout=_REDIS_SECONDS, socket_connect_timeout=_REDIS_SECONDS
        )
        self._script = self._redis.register_script(_TAKE)
        self._away_until = 0.0

    async def take(self, client: str) -> Allowance:
        """Take one request from the client's bucket, or none where it is empty."""
        if monotonic() >= self._away_until:
            try:
                granted, empty_for = await self._script(
                    [f"hupai:rate:{client}"], [WINDOW / self.per_minute, WINDOW]
                )
            except self._errors as error:
                log.warning("Redis does not count requests, this process does: %s", error)
                self._away_until = monotonic() + _AWAY_SECONDS
            else:
                return _allowance(self.per_minute, bool(granted), float(empty_for))
        return await self._own.take(client)

    async def close(self) -> None:
        """Close the connections to Redis."""
        await self._redis.aclose()
