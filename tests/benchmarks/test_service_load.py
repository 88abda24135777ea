"""The load tests of the service: what counts as honest, and short memory runs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest

from benchmarks import capacity, service


class Full:
    """A client of a service that always asks to come back after ten seconds."""

    def __init__(self, **_: object) -> None: ...

    def __enter__(self) -> Full:
        return self

    def __exit__(self, *_: object) -> None: ...

    def post(self, *_: object, **__: object) -> httpx.Response:
        return httpx.Response(429, headers={"retry-after": "10"})


@pytest.mark.parametrize(("until", "found"), [(14.5, []), (15.5, [False])])
def test_a_retry_that_is_still_rejected_when_it_should_be_accepted_counts(
    monkeypatch: pytest.MonkeyPatch, until: float, found: list[bool]
) -> None:
    now = [0.0]

    def slept(seconds: float) -> None:
        now[0] += seconds

    def photos() -> Iterator[bytes]:
        while True:
            yield b"photo"

    monkeypatch.setattr(httpx, "Client", Full)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", slept)
    tally = capacity._Tally()
    capacity._client("http://test", photos(), until, tally)
    assert tally.accepted_in_time == found


def test_few_requests_are_enough_for_a_memory_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "memory", lambda _: 1.0)
    request = httpx.Request("GET", "http://test")

    def send(_: httpx.Client) -> httpx.Response:
        return httpx.Response(200, request=request)

    held = service.memory_over(5, {"hands": send, "list": send}, "http://test", 1, clients=1)
    assert [one.requests for one in held] == [0, 1, 2, 3, 4, 5]
