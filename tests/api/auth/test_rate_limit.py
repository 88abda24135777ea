"""Token buckets, in memory and in Redis."""

from __future__ import annotations

import asyncio
import socket
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.api.auth import rate_limit
from hupai.api.auth.rate_limit import Allowance, MemoryLimiter, RateLimiter, RedisLimiter
from tests.api import redis_server


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def take(limiter: RateLimiter, client: str) -> Allowance:
    """Take one request, which in memory waits for nothing."""
    taking = limiter.take(client)
    with pytest.raises(StopIteration) as taken:
        taking.send(None)
    allowance = taken.value.value
    assert isinstance(allowance, Allowance)
    return allowance


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rate_limit, "monotonic", clock)
    return clock


def test_a_burst_of_a_minutes_worth_is_allowed_then_one_a_second(clock: Clock) -> None:
    limiter = MemoryLimiter(60)
    taken = [take(limiter, "a") for _ in range(61)]
    assert [one.granted for one in taken] == [True] * 60 + [False]
    assert [one.remaining for one in taken[:3]] == [59, 58, 57]
    assert (taken[-1].remaining, taken[-1].seconds) == (0, 1)
    clock.now += 1.0
    assert take(limiter, "a").granted
    assert not take(limiter, "a").granted


def test_waiting_for_retry_after_is_enough(clock: Clock) -> None:
    limiter = MemoryLimiter(7)
    while (refused := take(limiter, "a")).granted:
        pass
    clock.now += refused.seconds
    assert take(limiter, "a").granted


def test_one_client_does_not_use_up_another_s(clock: Clock) -> None:
    limiter = MemoryLimiter(1)
    assert take(limiter, "a").granted
    assert take(limiter, "b").granted
    assert not take(limiter, "a").granted


def test_more_tokens_than_a_bucket_holds_are_never_saved_up(clock: Clock) -> None:
    limiter = MemoryLimiter(10)
    take(limiter, "a")
    clock.now += 3600
    assert sum(take(limiter, "a").granted for _ in range(30)) == 10


def test_a_refused_request_costs_nothing(clock: Clock) -> None:
    limiter = MemoryLimiter(60)
    for _ in range(500):
        take(limiter, "a")
    clock.now += 2.0
    assert sum(take(limiter, "a").granted for _ in range(10)) == 2


def test_memory_is_bounded_and_the_least_recently_seen_client_is_dropped(clock: Clock) -> None:
    limiter = MemoryLimiter(2, most_clients=100)
    for _ in range(2):
        take(limiter, "steady")
    for number in range(1000):
        take(limiter, f"client {number}")
        assert not take(limiter, "steady").granted, (
            "a crowd of addresses gave a busy client its requests back"
        )
    assert len(limiter) == 100
    assert sys.getsizeof(limiter._full_at) < 100_000


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 5), st.integers(1, 3)), max_size=60),
    st.integers(1, 30),
)
def test_never_more_than_the_rate_allows(steps: list[tuple[str, float, int]], rate: int) -> None:
    clock, limiter = Clock(), MemoryLimiter(rate)
    granted = {"a": 0, "b": 0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_limit, "monotonic", clock)
        for client, pause, count in steps:
            clock.now += pause
            granted[client] += sum(take(limiter, client).granted for _ in range(count))
    passed = clock.now - 1000.0
    for count in granted.values():
        assert count <= rate + rate * passed / 60 + 1e-6


def test_a_limit_of_zero_counts_nothing() -> None:
    assert rate_limit.rate_limiter(0, "") is None


@pytest.mark.skipif(not redis_server.INSTALLED, reason=redis_server.MISSING)
def test_processes_with_one_redis_share_the_requests_of_a_client() -> None:
    async def shared(url: str) -> None:
        limiters = [RedisLimiter(url, MemoryLimiter(4)) for _ in range(2)]
        taken = [await limiters[number % 2].take("a") for number in range(6)]
        assert [one.granted for one in taken] == [True] * 4 + [False] * 2
        assert [one.remaining for one in taken] == [3, 2, 1, 0, 0, 0]
        assert 1 <= taken[-1].seconds <= 15
        assert (await limiters[0].take("b")).granted
        for limiter in limiters:
            await limiter.close()

    with redis_server.running() as server:
        asyncio.run(shared(server.url))


@pytest.mark.skipif(not redis_server.INSTALLED, reason=redis_server.MISSING)
def test_waiting_for_retry_after_is_enough_with_redis() -> None:
    async def waits(url: str) -> None:
        limiter = RedisLimiter(url, MemoryLimiter(60))
        while (refused := await limiter.take("a")).granted:
            pass
        await asyncio.sleep(refused.seconds)
        assert (await limiter.take("a")).granted
        await limiter.close()

    with redis_server.running() as server:
        asyncio.run(waits(server.url))


def test_a_process_counts_for_itself_while_redis_is_away(caplog: pytest.LogCaptureFixture) -> None:
    async def alone() -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            limiter = RedisLimiter(f"redis://127.0.0.1:{free.getsockname()[1]}/0", MemoryLimiter(2))
            assert [(await limiter.take("a")).granted for _ in range(3)] == [True, True, False]
            await limiter.close()

    asyncio.run(alone())
    assert caplog.text.count("Redis does not count requests") == 1
