"""Who may do what: which requests need a key, under which host names the service answers, and which
sources of broadcast tables a client may name.
"""

from __future__ import annotations

import socket
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from hupai.api.web.middleware.proxies import is_address, is_loopback
from hupai.api.web.settings import Settings

_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
"""Headers that reveal a reverse proxy: a request through one is not local."""


class AccessPolicy:
    """What the settings allow without a key."""

    def __init__(self, settings: Settings) -> None:
        self._keys_needed = settings.keys_needed
        self._admits_this_machine = settings.require_keys is None
        self._sources = settings.allowed_sources
        name = socket.gethostname().lower()
        public = urlsplit(settings.public_url).hostname or ""
        names = (name, f"{name.partition('.')[0]}.local", public, *settings.allowed_hosts)
        self._hosts = frozenset(one.lower() for one in names if one)

    def needs_key(self, scope: Scope, address: str) -> bool:
        """Return whether this request needs a key, by the client's address."""
        return self._keys_needed and not (
            self._admits_this_machine and is_from_this_machine(scope, address)
        )

    def knows_host(self, host: str) -> bool:
        """Return whether a Host header names this service.

        A page elsewhere can make its own host name resolve to this machine (DNS rebinding) and then
        read whatever is answered without a key. It cannot do so with an address, this machine's
        name or a name that the operator listed.
        """
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        name = name.rstrip(".").lower()
        return is_address(host) or is_loopback(name) or name in self._hosts

    def admits_source(self, source: str, scope: Scope, *, has_key: bool) -> bool:
        """Return whether a client may name this source of a broadcast table.

        The service opens it: an address in its network, a file or a camera of this machine.
        What comes through a proxy is not from this machine, whether or not the proxy is trusted.
        """
        return (
            source == "push"
            or has_key
            or is_from_this_machine(scope, scope["state"]["address"])
            or any(fnmatchcase(source, pattern) for pattern in self._sources)
        )


def is_from_this_machine(scope: Scope, address: str) -> bool:
    """Return whether a request comes from this machine itself and through no proxy."""
    peer = scope.get("client")
    headers = Headers(scope=scope)
    return (
        is_loopback(address)
        and peer is not None
        and is_loopback(peer[0])
        and not any(name in headers for name in _FORWARDED)
    )
