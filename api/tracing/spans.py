"""Spans of a trace. Where tracing is off they cost a comparison, and nothing is imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import time_ns
from typing import Any

_tracer: Any = None
"""The tracer of this process; None if tracing is off."""


def use(tracer: Any) -> None:
    """Send spans to a tracer of OpenTelemetry from now on; None ends that."""
    global _tracer
    _tracer = tracer


@contextmanager
def span(name: str, **attributes: str | int | bool) -> Iterator[None]:
    """Record how long the block takes, as part of the span around it; an exception marks it.

    Outside of a request nothing is recorded.
    """
    if not _within():
        yield
        return
    with _tracer.start_as_current_span(name, attributes=attributes):
        yield


def add_past(milliseconds: Mapping[str, float]) -> None:
    """Add spans that follow each other and end now, by their names."""
    if not _within():
        return
    begin = time_ns() - int(sum(milliseconds.values()) * 1e6)
    for name, length in milliseconds.items():
        end = begin + int(length * 1e6)
        _tracer.start_span(name, start_time=begin).end(end_time=end)
        begin = end


def carried() -> dict[str, str]:
    """Write the current span down for another process; see `continued`."""
    carrier: dict[str, str] = {}
    if _tracer is not None:
        from opentelemetry import propagate  # noqa: PLC0415 - the extra `tracing` is optional

        propagate.inject(carrier)
    return carrier


@contextmanager
def continued(carrier: Mapping[str, str], name: str) -> Iterator[None]:
    """Record the block as part of a span of another process."""
    if _tracer is None:
        yield
        return
    from opentelemetry import propagate  # noqa: PLC0415

    with _tracer.start_as_current_span(name, context=propagate.extract(carrier)):
        yield


def _within() -> bool:
    """Whether there is a span that another would be part of."""
    if _tracer is None:
        return False
    from opentelemetry import trace  # noqa: PLC0415

    return bool(trace.get_current_span().get_span_context().is_valid)
