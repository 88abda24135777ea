"""Tracing switched on: where spans go, and a span for each request."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from hupai.api.tracing import spans
from hupai.scoring.errors import HupaiError

if TYPE_CHECKING:
    from fastapi import FastAPI

_QUIET = "healthz,readiness,metrics"
"""Paths that machines poll."""


class TracingMissingError(HupaiError):
    """The packages of the extra `tracing` are not installed."""


class Tracing:
    """Tracing of this process until `close`.

    Args:
        url: address of a collector that takes OTLP over HTTP, such as ``http://collector:4318``.
        part: what this process is, such as ``app`` or ``reader``.
        exporter: exporter of OpenTelemetry, in place of the one that sends to the URL.

    Raises:
        TracingMissingError: if OpenTelemetry is not installed.
    """

    def __init__(self, url: str, part: str, exporter: Any = None) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
                OTLPSpanExporter,
            )
            from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
            from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
            from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        except ImportError as error:
            raise TracingMissingError(
                "HUPAI_TRACING_URL needs the extra 'tracing': pip install 'hupai[tracing]'"
            ) from error
        about = {
            "service.name": f"hupai-{part}",
            "service.version": version("hupai"),
        }
        self.provider = TracerProvider(resource=Resource.create(about))
        target = exporter or OTLPSpanExporter(f"{url.rstrip('/')}/v1/traces")
        self.provider.add_span_processor(BatchSpanProcessor(target))
        spans.use(self.provider.get_tracer("hupai"))

    def install(self, app: FastAPI) -> None:
        """Record every request of the app but those that machines poll."""
        from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor  # noqa: PLC0415

        FastAPIInstrumentor.instrument_app(
            app,
            tracer_provider=self.provider,
            excluded_urls=_QUIET,
            exclude_spans=["receive", "send"],
            server_request_hook=_leave_query_out,
        )

    def close(self) -> None:
        """Send what is left."""
        spans.use(None)
        self.provider.shutdown()


def _leave_query_out(span: Any, scope: dict[str, Any]) -> None:
    """Keep only the path: the query is for the service only."""
    for name in ("http.url", "http.target"):
        span.set_attribute(name, scope.get("path", ""))


def tracing_of(url: str, part: str) -> Tracing | None:
    """Switch tracing on if a collector is named."""
    return Tracing(url, part) if url else None
