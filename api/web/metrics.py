"""Prometheus metrics of one app, in a separate registry."""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from hupai.api.web.problem_types import TYPES
from hupai.vision.types import Reading, Timing

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counters of one service.

    Attributes:
        requests: answered requests by method, route template and status.
        latency: seconds from first byte to answer, by route template.
        stages: seconds per stage of reading a photo (decode, detect, layout, read).
        problems: problem answers by type.
        readings: photos read, by whether the reading was certain and whether it found a hand.
        reading_problems: problems of readings (a doubtful tile, a face cut off), by code.
        readers_processor: processor time of the processes that read photos, seconds; that of the
            serving process is ``process_cpu_seconds_total``.
        queue_depth: photos being read or waiting.
        rejected: photos turned away because the queue was full.
        model_ready: 1 once the model is loaded.
        tiles_checked, tiles_corrected, groups_checked, groups_corrected: of hands that people
            checked, by enrolled tile set and weights.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "hupai_requests",
            "Answered requests",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.latency = Histogram(
            "hupai_request_seconds",
            "Seconds per request",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.stages = Histogram(
            "hupai_stage_seconds",
            "Seconds per stage",
            ("stage",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.problems = Counter(
            "hupai_problems", "Problem answers", ("type",), registry=self.registry
        )
        self.readings = Counter(
            "hupai_readings", "Photos read", ("certain", "hand"), registry=self.registry
        )
        self.reading_problems = Counter(
            "hupai_reading_problems", "Problems found on photos", ("code",), registry=self.registry
        )
        self.readers_processor = Counter(
            "hupai_readers_cpu_seconds",
            "Processor time of the processes that read photos",
            registry=self.registry,
        )
        self.queue_depth = Gauge(
            "hupai_queue_depth", "Photos being read or waiting", registry=self.registry
        )
        self.rejected = Counter(
            "hupai_queue_rejected", "Photos turned away", registry=self.registry
        )
        self.model_ready = Gauge(
            "hupai_model_ready", "1 once the model is loaded", registry=self.registry
        )
        self.tiles_checked = self._checked("tiles_checked", "Tiles that people checked")
        self.tiles_corrected = self._checked("tiles_corrected", "Tiles that people corrected")
        self.groups_checked = self._checked("groups_checked", "Groups that people checked")
        self.groups_corrected = self._checked("groups_corrected", "Groups that people corrected")

        self._begin()

    def _begin(self) -> None:
        """Start series at 0: Prometheus would miss the first increase of a series that starts with
        it.
        """
        for kind in TYPES:
            self.problems.labels(kind)
        for certain, hand in (("true", "true"), ("false", "true"), ("false", "false")):
            self.readings.labels(certain, hand)

    def _checked(self, name: str, about: str) -> Counter:
        return Counter(f"hupai_{name}", about, ("tile_set", "model"), registry=self.registry)

    def observe_timing(self, timing: Timing) -> None:
        """Record the stages of one reading."""
        for stage, milliseconds in timing.stages.items():
            self.stages.labels(stage).observe(milliseconds / 1000)

    def observe_reading(self, reading: Reading) -> None:
        """Count one reading, and each kind of problem it has."""
        self.readings.labels(str(reading.certain).lower(), str(bool(reading.hands)).lower()).inc()
        for code in {problem.code for problem in reading.problems}:
            self.reading_problems.labels(code).inc()

    def render(self) -> bytes:
        """Write the text exposition format."""
        return generate_latest(self.registry)
