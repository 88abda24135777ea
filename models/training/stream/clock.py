"""A training whose length is a time, not a number of steps."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator


class Clock:
    """Counts the seconds of a training, over interruptions."""

    def __init__(self, seconds: float, elapsed: float = 0.0) -> None:
        """Set the length of the training and the time that has already passed, both in seconds."""
        self._seconds, self._begun = seconds, time.perf_counter() - elapsed

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self._begun

    def steps(self) -> Iterator[int]:
        """Count steps until time is up."""
        step = 0
        while self.elapsed < self._seconds:
            yield step
            step += 1

    def rate(self, warm: float = 0.03, least: float = 0.01) -> float:
        """Return the learning rate as a share of its peak: a ramp, then a cosine.

        Args:
            warm: share of the time that the ramp takes.
            least: share of the peak at the end.
        """
        done = min(1.0, self.elapsed / self._seconds)
        cosine = (1 + math.cos(math.pi * done)) / 2
        return min(done / warm + 0.01, least + (1 - least) * cosine)


class Every:
    """Signals each time that an interval has passed."""

    def __init__(self, seconds: float) -> None:
        """Start."""
        self._seconds, self._last = seconds, time.perf_counter()

    def due(self) -> bool:
        """Return whether the interval has passed since this was last true."""
        if time.perf_counter() - self._last < self._seconds:
            return False
        self._last = time.perf_counter()
        return True
