"""Traces: the spans of a request, also where a photo is read elsewhere, and what reaches a
collector.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.readers.photo_request import Answer, PhotoRequest
from hupai.api.scale.recogniser_replica import RecogniserReplica
from hupai.api.scale.remote_reader import RemoteReader
from hupai.api.tracing import setup, spans
from hupai.api.web.settings import Settings
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading
from tests.shared import ROOT

REASON = "no OpenTelemetry here: pip install 'hupai[tracing]'"
pytest.importorskip("opentelemetry.instrumentation.fastapi", reason=REASON)
pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason=REASON)

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: E402
    ExportTraceServiceRequest,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (  # noqa: E402
    InMemorySpanExporter,
)

URL = "http://127.0.0.1:9"


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What the service would send, in memory."""
    kept = InMemorySpanExporter()
    made = setup.Tracing
    monkeypatch.setattr(setup, "Tracing", lambda url, part: made(url, part, kept))
    yield kept
    spans.use(None)


def send(client: httpx.Client) -> httpx.Response:
    return client.post(
        "/v1/hands?share=token",
        files=photo_file(picture()),
        data={"rules": MCR},
        headers={"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
    )


def by_name(kept: InMemorySpanExporter) -> dict[str, Any]:
    return {span.name: span for span in kept.get_finished_spans()}


def test_a_request_is_one_trace_down_to_the_database(
    exporter: InMemorySpanExporter, tmp_path: Path
) -> None:
    settings = Settings(
        preload=False, data_dir=str(tmp_path), photos_url="memory://photos", tracing_url=URL
    )
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        assert send(client).is_success
        assert client.get("/healthz").is_success
    found = by_name(exporter)
    request, photo, read = found["POST /v1/hands"], found["photo"], found["read"]
    assert f"{request.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c", (
        "the trace of the client goes on"
    )
    assert photo.parent.span_id == request.context.span_id
    assert read.parent.span_id == photo.context.span_id
    stages = [found[name] for name in ("decode", "detect", "layout")]
    for stage in stages:
        assert stage.parent.span_id == read.context.span_id
        assert stage.start_time <= stage.end_time <= read.end_time
    everything = exporter.get_finished_spans()
    assert {span.context.trace_id for span in everything} == {request.context.trace_id}
    assert {"database", "photo store"} <= found.keys()
    assert not [name for name in found if "healthz" in name]
    assert "token" not in str([dict(span.attributes) for span in found.values()])
    assert request.resource.attributes["service.name"] == "hupai-app"


class InThisProcess:
    """Replicas that are one in this process."""

    def __init__(self, settings: Settings) -> None:
        self.replica = RecogniserReplica(settings, 1, lambda run: run)  # type: ignore[arg-type,return-value]

    def ask(self, request: PhotoRequest, seconds: float) -> Answer:
        return asyncio.run(self.replica.read(request))


def test_a_photo_read_elsewhere_is_part_of_the_same_trace(
    exporter: InMemorySpanExporter, tmp_path: Path
) -> None:
    settings = Settings(
        preload=False, data_dir=str(tmp_path), threads=1, tracing_url=URL, shutdown_seconds=1
    )
    reader = RemoteReader(InThisProcess(settings), 60)
    photo = (ROOT / "examples" / "pungs.jpg").read_bytes()
    with client_of(create_app(settings, reader)) as client:
        answer = client.post("/v1/hands", files=photo_file(photo), data={"rules": MCR})
        assert answer.is_success, answer.text
    found = by_name(exporter)
    replica = found["replica"]
    assert replica.context.trace_id == found["POST /v1/hands"].context.trace_id
    assert found["detect"].parent.span_id == replica.context.span_id
    names = [span.name for span in exporter.get_finished_spans()]
    assert names.count("detect") == 1, "each stage is reported once, by the process that ran it"


def test_spans_reach_a_collector(tmp_path: Path) -> None:
    came: list[ExportTraceServiceRequest] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.path == "/v1/traces"
            came.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        settings = Settings(
            preload=False,
            data_dir=str(tmp_path),
            tracing_url=f"http://127.0.0.1:{server.server_port}/",
        )
        with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
            assert send(client).is_success
        server.shutdown()
        thread.join()
    names = {
        span.name
        for request in came
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
    assert {"POST /v1/hands", "photo", "read", "database"} <= names


def test_without_tracing_nothing_is_recorded_or_imported(tmp_path: Path) -> None:
    app = create_app(Settings(preload=False, data_dir=str(tmp_path)))
    assert app.state.tracing is None
    with spans.span("a"), spans.continued({}, "b"):
        spans.add_past({"c": 1.0})
        assert spans.carried() == {}


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(setup.TracingMissingError, match=r"hupai\[tracing\]"):
        setup.Tracing(URL, "app")
