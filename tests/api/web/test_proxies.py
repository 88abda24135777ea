"""The address of a client behind proxies."""

from __future__ import annotations

from typing import Any

import pytest

from hupai.api.web.middleware.proxies import ProxyTrust, bucket_of


def scope(peer: str | None, *forwarded: str) -> dict[str, Any]:
    """An ASGI scope with a peer and X-Forwarded-For headers."""
    return {
        "type": "http",
        "client": (peer, 1234) if peer is not None else None,
        "headers": [(b"x-forwarded-for", value.encode()) for value in forwarded],
    }


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "address"),
    [
        ((), "192.0.2.7", (), "192.0.2.7"),
        ((), "192.0.2.7", ("203.0.113.9",), "192.0.2.7"),
        (("127.0.0.1",), "127.0.0.1", ("203.0.113.9",), "203.0.113.9"),
        (("127.0.0.1",), "127.0.0.1", (), "127.0.0.1"),
        (("127.0.0.1",), "192.0.2.7", ("203.0.113.9",), "192.0.2.7"),
        # What the client wrote itself stands on the left: it is not believed.
        (("127.0.0.1",), "127.0.0.1", ("10.9.9.9, 203.0.113.9",), "203.0.113.9"),
        (("127.0.0.1",), "127.0.0.1", ("10.9.9.9", "203.0.113.9"), "203.0.113.9"),
        (("127.0.0.1", "10.0.0.0/8"), "127.0.0.1", ("203.0.113.9, 10.1.2.3",), "203.0.113.9"),
        (("127.0.0.1", "10.0.0.0/8"), "127.0.0.1", ("10.4.4.4, 10.1.2.3",), "10.4.4.4"),
        (("127.0.0.1",), "127.0.0.1", ("unknown",), "127.0.0.1"),
        (("127.0.0.1",), "127.0.0.1", ("203.0.113.9:55123",), "203.0.113.9"),
        (("127.0.0.1",), "127.0.0.1", ("[2001:db8::7]:55123",), "2001:db8::7"),
        (("127.0.0.1",), "::ffff:127.0.0.1", ("203.0.113.9",), "203.0.113.9"),
        (("::1",), "::1", ("203.0.113.9",), "203.0.113.9"),
        (("unix",), None, ("203.0.113.9",), "203.0.113.9"),
        ((), None, ("203.0.113.9",), "unix"),
    ],
)
def test_only_trusted_proxies_name_the_client(
    trusted: tuple[str, ...], peer: str | None, forwarded: tuple[str, ...], address: str
) -> None:
    assert ProxyTrust(trusted).address(scope(peer, *forwarded)) == address


def test_an_ipv6_network_is_one_client() -> None:
    assert (
        bucket_of("2001:db8:1:2::7")
        == bucket_of("2001:db8:1:2:ffff::9")
        != bucket_of("2001:db8:1:3::7")
    )
    assert bucket_of("192.0.2.7") != bucket_of("192.0.2.8")
    assert bucket_of("unix") == "unix"
