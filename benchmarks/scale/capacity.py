"""Capacity planning by simulation: the readers, app processes, connections and bytes a load needs.

Photos arrive as a Poisson process, and a tournament adds bursts: a round ends at all tables at
once, so that a share of a period's photos comes within seconds. A photo waits for a free reader,
first come, first served; if the queue is full, it is rejected with 429. Reading times are
log-normal with the measured mean and spread. The other resources (app process, database, object
store) take their measured time each; they are either far from their limits or the bottleneck, so
only their mean utilisation counts.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

MAX_ARRIVALS = 60_000
"""Maximum number of photos in one simulation; with more it covers less time."""
MAX_WAIT_SECONDS = 2.0
"""Target for the 95th percentile of the waiting time, seconds."""
MAX_REJECTED = 0.01
"""Target for the share of rejected photos."""
MAX_UTILISATION = 0.7
"""Greatest utilisation of any resource except the readers."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a photo; times in seconds.

    Measured on two cores (docs/scale.md): `read` and `spread` on photos from phones, `app` on Ray
    Serve, `database` with PostgreSQL on the same machine. The others are assumptions.

    Attributes:
        read: mean time of a reader.
        spread: standard deviation of that time, as a share of the mean.
        app: processor time besides the reader: receiving, handing on, scoring, storing, answering.
        database: time for which a database connection is held.
        commits: commits that a database can make per second.
        put: time of the object store.
        photo_bytes: size of a photo.
        row_bytes: size of its rows.
    """

    read: float = 0.092
    spread: float = 0.64
    app: float = 0.05
    database: float = 0.016
    commits: float = 2000.0
    put: float = 0.03
    photo_bytes: float = 2.5e6
    row_bytes: float = 20e3


@dataclass(frozen=True, slots=True)
class Load:
    """The arrival of photos.

    Attributes:
        rate: mean number of photos per second.
        burst_share: share of them that arrives in bursts.
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
    """The result of a simulation.

    Attributes:
        p95: 95th percentile of the waiting time of accepted photos, seconds.
        refused: share of rejected photos.
    """

    p95: float
    refused: float

    @property
    def good(self) -> bool:
        """Whether the targets are met."""
        return self.p95 <= MAX_WAIT_SECONDS and self.refused <= MAX_REJECTED


@dataclass(frozen=True, slots=True)
class Needs:
    """The resources a load needs; `first` is the bottleneck: what reaches its limit first."""

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
    """Draw arrival times, ascending."""
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
    """Simulate the queue of photos for readers, first come, first served.

    Args:
        times: arrival times, ascending.
        services: reading time of each photo, seconds.
        readers: number of readers.
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
    """Find the smallest number of readers that meets the targets, and the other resources."""
    random = np.random.default_rng(seed)
    seconds = min(2 * load.period, max(load.burst * 1.5, MAX_ARRIVALS / load.peak))
    times = arrivals(load, seconds, random)
    sigma = np.sqrt(np.log1p(costs.spread**2))
    services = random.lognormal(np.log(costs.read) - sigma**2 / 2, sigma, len(times))

    def waits_with(readers: int) -> Waits:
        # A rejection is better than a wait longer than the target.
        queue = max(8, ceil(readers * MAX_WAIT_SECONDS / costs.read))
        return simulate(times, services, readers, queue)

    low, high = 0, max(1, ceil(load.peak * costs.read * 1.5) + 2)
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if waits_with(middle).good:
            high = middle
        else:
            low = middle
    apps = max(2, ceil(load.peak * costs.app / MAX_UTILISATION))
    connections = ceil(load.peak * costs.database / MAX_UTILISATION)
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
        waits_with(high),
        apps,
        connections,
        commits,
        load.rate * 86400 * (costs.photo_bytes + costs.row_bytes) / 1e9,
        "database commits" if commits >= MAX_UTILISATION else max(limits, key=limits.__getitem__),
    )
