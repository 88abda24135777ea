"""How many requests a client may make: a token bucket for each key or address, in bounded memory.

One process counts for itself: with several workers a client may make up to that many times as many
requests.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from math import ceil
from time import monotonic

MOST_CLIENTS = 20_000
"""Buckets kept; past that the client not seen for longest is forgotten. About 5 MB."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left to a client.

    Attributes:
        granted: whether this request may pass.
        remaining: whole requests left now.
        seconds: until one more is allowed where none is left, else until the bucket is full again.
    """

    granted: bool
    remaining: int
    seconds: int


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled: float


class RateLimiter:
    """Token buckets: `per_minute` requests a minute, of which a whole minute's worth may come at
    once.

    Used from the event loop only, so it takes no lock.
    """

    def __init__(self, per_minute: int, most_clients: int = MOST_CLIENTS) -> None:
        self.per_minute = per_minute
        self._per_second = per_minute / 60
        self._most = most_clients
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, client: str, cost: int = 1) -> Allowance:
        """Take `cost` tokens from the client's bucket, or none where it holds fewer."""
        now = monotonic()
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = _Bucket(self.per_minute, now)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(client)
            bucket.tokens = min(
                self.per_minute, bucket.tokens + (now - bucket.filled) * self._per_second
            )
            bucket.filled = now
        cost = min(cost, self.per_minute)
        if bucket.tokens < cost:
            return Allowance(False, 0, max(1, ceil((cost - bucket.tokens) / self._per_second)))
        bucket.tokens -= cost
        return Allowance(
            True, int(bucket.tokens), ceil((self.per_minute - bucket.tokens) / self._per_second)
        )
