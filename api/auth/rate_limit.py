"""How many requests a client may make: a token bucket for each key or address, in bounded memory.

One process counts for itself: with several workers a client may make up to that many times as many
requests.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from math import ceil
from time import monotonic

from starlette.datastructures import Headers
from starlette.types import Scope

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


class ProxyTrust:
    """Whose word about the client's address is believed.

    Args:
        trusted: addresses or networks of reverse proxies, e.g. ``127.0.0.1`` or ``10.0.0.0/8``;
            ``unix`` for a local socket.

    Raises:
        ValueError: where one is neither.
    """

    def __init__(self, trusted: Sequence[str]) -> None:
        self._unix = "unix" in trusted
        self._networks = [ip_network(one, strict=False) for one in trusted if one != "unix"]

    def address(self, scope: Scope) -> str:
        """The client's address: the peer's, or what a trusted proxy says, read from the right up to
        the first that is not trusted.

        What a client writes into X-Forwarded-For itself stands further left and is never reached.
        """
        peer = scope.get("client")
        here = peer[0] if peer else "unix"
        if not self._trusts(here):
            return here
        for hop in reversed(",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")):
            claimed = _parsed(hop)
            if claimed is None:
                return here
            here = str(claimed)
            if not self._trusts(here):
                return here
        return here

    def _trusts(self, address: str) -> bool:
        parsed = _parsed(address)
        if parsed is None:
            return self._unix
        return any(
            parsed.version == network.version and parsed in network for network in self._networks
        )


def bucket_of(address: str) -> str:
    """The address as far as one client holds it alone: an IPv6 client has a whole /64 to itself."""
    parsed = _parsed(address)
    return (
        str(IPv6Network((parsed, 64), strict=False))
        if isinstance(parsed, IPv6Address)
        else str(parsed or address)
    )


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """An address, perhaps with a port or in brackets; IPv4 written as IPv6 becomes IPv4."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        parsed = ip_address(text)
    except ValueError:
        return None
    return (parsed.ipv4_mapped or parsed) if isinstance(parsed, IPv6Address) else parsed
