"""The simulation agrees with what queueing theory says, and needs grow with the load."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from benchmarks.scale.capacity import Costs, Load, arrivals, needs, simulate


def erlang_c(load: float, servers: int) -> float:
    """The probability that a customer waits (Erlang, 1917)."""
    top = load**servers / factorial(servers) * servers / (servers - load)
    return top / (sum(load**k / factorial(k) for k in range(servers)) + top)


def test_waits_are_those_of_erlang() -> None:
    random = np.random.default_rng(3)
    times = np.cumsum(random.exponential(1.0, 60_000))
    services = random.exponential(3.2, len(times))
    waits = simulate(times, services, readers=4, queue=10**9)
    assert waits.refused == 0
    # P(wait > t) = C exp(-(c - a) t / s): solved for 5 %.
    expected = np.log(erlang_c(3.2, 4) / 0.05) * 3.2 / (4 - 3.2)
    assert waits.p95 == pytest.approx(expected, rel=0.12)


def test_a_full_queue_rejects_as_erlang_predicts() -> None:
    random = np.random.default_rng(4)
    times = np.cumsum(random.exponential(1.0, 60_000))
    services = random.exponential(3.0, len(times))
    loss = (3.0**4 / factorial(4)) / sum(3.0**k / factorial(k) for k in range(5))
    assert simulate(times, services, 4, queue=0).refused == pytest.approx(loss, rel=0.05)


def test_bursts_are_added_to_the_arrivals() -> None:
    load = Load(10.0)
    times = arrivals(load, 600.0, np.random.default_rng(5))
    assert len(times) == pytest.approx(6000, rel=0.05)
    assert bool((np.diff(times) >= 0).all())
    in_burst = ((times % 300) < 20).sum() / 40
    assert in_burst == pytest.approx(load.peak, rel=0.1)


def test_ten_times_the_load_needs_about_ten_times_the_readers() -> None:
    few, many = (needs(Load(rate), Costs()) for rate in (10.0, 100.0))
    assert few.waits.good
    assert many.waits.good
    assert 6 <= many.readers / few.readers <= 10.5
    assert many.gigabytes_a_day == pytest.approx(10 * few.gigabytes_a_day)
