"""How many readers, app processes, connections and bytes a load needs, by simulation.

Photos arrive as a Poisson process, and a tournament adds bursts: a round ends at all tables at
once, so that a share of a period's photos comes within seconds. A photo waits for a free reader,
first come, first served; where more wait than the queue holds, it is turned away with 429. Reading
times are log-normal with the measured mean and spread. What else a photo needs (app process,
database, object store) takes its measured time each; these are far from their limits or the
bottleneck, so that their mean use is what counts.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

MOST_ARRIVALS = 60_000
"""Photos of one simulation; past that it covers less time."""
WAIT_SECONDS = 2.0
"""Longest wait that 95 of 100 photos may have."""
REFUSED = 0.01
"""Largest share of photos that may be turned away."""
BUSY = 0.7
"""Share of its time that anything else than a reader may be busy."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a photo takes, measured; times in seconds.

    Attributes:
        read: mean of a reader's time.
        spread: standard deviation of that time, as a share of the mean.
        app: of an app process: receiving, scoring, answering.
        database: a connection is held for.
        commits: that a database makes in a second.
        put: the object store takes for a photo.
        photo_bytes: of a photo.
        row_bytes: of its rows.
    """

    read: float = 0.5
    spread: float = 0.5
    app: float = 0.008
    database: float = 0.01
    commits: float = 2000.0
    put: float = 0.03
    photo_bytes: float = 2.5e6
    row_bytes: float = 20e3


@dataclass(frozen=True, slots=True)
class Load:
    """What comes.

    Attributes:
        rate: photos a second in the mean.
        burst_share: share of them that comes in bursts.
        period: seconds between bursts.
        burst: seconds that a burst lasts.
    """

    rate: float
    burst_share: float = 0.3
    period: float = 300.0
    burst: float = 20.0

    @property
    def peak(self) -> float:
        """Photos a second within a burst."""
        return self.rate * (1 - self.burst_share) + (
            self.rate * self.burst_share * self.period / self.burst
        )


@dataclass(frozen=True, slots=True)
class Waits:
    """How photos fared.

    Attributes:
        p95: seconds that 95 of 100 of those taken waited at most.
        refused: share turned away.
    """

    p95: float
    refused: float

    @property
    def good(self) -> bool:
        """Whether that is good enough."""
        return self.p95 <= WAIT_SECONDS and self.refused <= REFUSED


@dataclass(frozen=True, slots=True)
class Needs:
    """What a load needs; `first` is what comes to its limit first when the load grows."""

    rate: float
    peak: float
    readers: int
    waits: Waits
    apps: int
    connections: int
    commits_share: float
    gigabytes_a_day: float
    first: str


def arrivals(load: Load, seconds: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Draw the times of arrival, ascending."""
    steady = random.poisson(load.rate * (1 - load.burst_share) * seconds)
    times = [random.uniform(0, seconds, steady)]
    for begin in np.arange(0.0, seconds, load.period):
        share = min(1.0, (seconds - begin) / load.burst)
        many = random.poisson(load.rate * load.burst_share * load.period * share)
        times.append(begin + random.uniform(0, load.burst * share, many))
    return np.sort(np.concatenate(times))


def simulate(
    times: NDArray[np.float64], services: NDArray[np.float64], readers: int, queue: int
) -> Waits:
    """Let photos queue for readers, first come, first served.

    Args:
        times: of arrival, ascending.
        services: seconds that each takes.
        readers: how many read.
        queue: photos that may wait.
    """
    free = [0.0] * readers
    begins: deque[float] = deque()
    waits = []
    refused = 0
    for at, service in zip(times.tolist(), services.tolist(), strict=True):
        while begins and begins[0] <= at:
            begins.popleft()
        begin = max(at, free[0])
        if begin > at and len(begins) >= queue:
            refused += 1
            continue
        heapq.heapreplace(free, begin + service)
        if begin > at:
            begins.append(begin)
        waits.append(begin - at)
    p95 = float(np.percentile(waits, 95)) if waits else 0.0
    return Waits(p95, refused / max(1, len(times)))


def needs(load: Load, costs: Costs, seed: int = 1) -> Needs:
    """Find the fewest readers with which photos wait short enough, and what goes with them."""
    random = np.random.default_rng(seed)
    seconds = min(2 * load.period, max(load.burst * 1.5, MOST_ARRIVALS / load.peak))
    times = arrivals(load, seconds, random)
    sigma = np.sqrt(np.log1p(costs.spread**2))
    services = random.lognormal(np.log(costs.read) - sigma**2 / 2, sigma, len(times))

    def fares(readers: int) -> Waits:
        # Whoever waits longer than allowed had better come again.
        queue = max(8, ceil(readers * WAIT_SECONDS / costs.read))
        return simulate(times, services, readers, queue)

    low, high = 0, max(1, ceil(load.peak * costs.read * 1.5) + 2)
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if fares(middle).good:
            high = middle
        else:
            low = middle
    apps = max(2, ceil(load.peak * costs.app / BUSY))
    connections = ceil(load.peak * costs.database / BUSY)
    # Photo kept, hand stored: two commits a photo.
    commits = 2 * load.peak / costs.commits
    limits = {
        "readers": load.peak * costs.read / high,
        "database commits": commits,
        "app processes": load.peak * costs.app / apps,
    }
    return Needs(
        load.rate,
        load.peak,
        high,
        fares(high),
        apps,
        connections,
        commits,
        load.rate * 86400 * (costs.photo_bytes + costs.row_bytes) / 1e9,
        "database commits" if commits >= BUSY else max(limits, key=limits.__getitem__),
    )
