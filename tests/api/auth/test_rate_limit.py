"""Token buckets."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.api.auth import rate_limit
from hupai.api.auth.rate_limit import RateLimiter


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rate_limit, "monotonic", clock)
    return clock


def test_a_minute_s_worth_may_come_at_once_and_then_one_a_second(clock: Clock) -> None:
    limiter = RateLimiter(60)
    taken = [limiter.take("a") for _ in range(61)]
    assert [one.granted for one in taken] == [True] * 60 + [False]
    assert [one.remaining for one in taken[:3]] == [59, 58, 57]
    assert (taken[-1].remaining, taken[-1].seconds) == (0, 1)
    clock.now += 1.0
    assert limiter.take("a").granted
    assert not limiter.take("a").granted


def test_waiting_as_long_as_told_is_enough(clock: Clock) -> None:
    limiter = RateLimiter(7)
    while (refused := limiter.take("a")).granted:
        pass
    clock.now += refused.seconds
    assert limiter.take("a").granted


def test_one_client_does_not_use_up_another_s(clock: Clock) -> None:
    limiter = RateLimiter(1)
    assert limiter.take("a").granted
    assert limiter.take("b").granted
    assert not limiter.take("a").granted


def test_more_tokens_than_a_bucket_holds_are_never_saved_up(clock: Clock) -> None:
    limiter = RateLimiter(10)
    limiter.take("a")
    clock.now += 3600
    assert sum(limiter.take("a").granted for _ in range(30)) == 10


def test_a_refused_request_costs_nothing(clock: Clock) -> None:
    limiter = RateLimiter(60)
    for _ in range(500):
        limiter.take("a")
    clock.now += 2.0
    assert sum(limiter.take("a").granted for _ in range(10)) == 2


def test_memory_is_bounded_and_the_client_not_seen_for_longest_is_forgotten(clock: Clock) -> None:
    limiter = RateLimiter(2, most_clients=100)
    for _ in range(2):
        limiter.take("steady")
    for number in range(1000):
        limiter.take(f"client {number}")
        assert not limiter.take("steady").granted, (
            "a crowd of addresses gave a busy client its requests back"
        )
    assert len(limiter) == 100
    assert sys.getsizeof(limiter._buckets) < 100_000


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 5), st.integers(1, 3)), max_size=60),
    st.integers(1, 30),
)
def test_never_more_than_the_rate_allows(steps: list[tuple[str, float, int]], rate: int) -> None:
    clock, limiter = Clock(), RateLimiter(rate)
    granted = {"a": 0, "b": 0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rate_limit, "monotonic", clock)
        for client, pause, cost in steps:
            clock.now += pause
            if limiter.take(client, cost).granted:
                granted[client] += min(cost, rate)
    passed = clock.now - 1000.0
    for count in granted.values():
        assert count <= rate + rate * passed / 60 + 1e-6
