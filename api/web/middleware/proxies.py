"""The address of a client: what a trusted reverse proxy says, and which addresses one client has.

Uvicorn's ProxyHeadersMiddleware is not suitable here. It does not recognise an IPv4 proxy that
connects to a socket for both families (``::ffff:127.0.0.1``), trusts no local socket, accepts a
forwarded text that is not an address, and takes a misspelt network for a host name.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import Scope


class ProxyTrust:
    """The proxies whose word about the client's address is trusted.

    Args:
        trusted: addresses or networks of reverse proxies, e.g. ``127.0.0.1`` or ``10.0.0.0/8``;
            ``unix`` for a local socket.

    Raises:
        ValueError: if one is neither.
    """

    def __init__(self, trusted: Sequence[str]) -> None:
        self._unix = "unix" in trusted
        self._networks = [ip_network(one, strict=False) for one in trusted if one != "unix"]

    def address(self, scope: Scope) -> str:
        """Return the client's address: the peer's, or the one that a trusted proxy names.

        X-Forwarded-For is read from the right up to the first address that is not trusted. What a
        client writes there itself is further left and is never reached.
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
    """Reduce an address to the part that belongs to one client: an IPv6 client has a whole /64."""
    parsed = _parsed(address)
    return (
        str(IPv6Network((parsed, 64), strict=False))
        if isinstance(parsed, IPv6Address)
        else str(parsed or address)
    )


def is_loopback(host: str) -> bool:
    """Return whether a host name or address, perhaps with a port, is that of this machine alone."""
    parsed = _parsed(host)
    if parsed is not None:
        return parsed.is_loopback
    name = host.partition(":")[0].rstrip(".").lower()
    return name == "localhost" or name.endswith(".localhost")


def is_address(host: str) -> bool:
    """Return whether a host, perhaps with a port, is written as an address."""
    return _parsed(host) is not None


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, perhaps with a port or in brackets; IPv4 written as IPv6 becomes IPv4."""
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
