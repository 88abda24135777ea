"""What an operator sees: metrics, and log lines that belong to a request."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.web import logs
from hupai.api.web.logs import JsonFormatter, RequestIdFilter
from hupai.api.web.settings import Settings
from tests.api.service import (
    MCR,
    NOTATION,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
    wait_until,
)


@pytest.fixture
def lines() -> Iterator[StringIO]:
    """What the service logs, as `HUPAI_LOG_FORMAT=json` writes it."""
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(RequestIdFilter())
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("hupai")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield written
    logger.removeHandler(handler)
    logger.setLevel(before)


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    settings = Settings(preload=False, trusted_proxies=("127.0.0.1",))
    with client_of(create_app(settings, RecordedReader(recorded_reading(doubtful=True)))) as client:
        yield client


def logged(lines: StringIO, count: int) -> list[dict[str, Any]]:
    """The lines, once there are so many: a request's line is written when its answer is on the way
    already.
    """
    wait_until(lambda: lines.getvalue().count("\n") >= count)
    found = [json.loads(one) for one in lines.getvalue().splitlines()]
    assert len(found) == count, found
    return found


def value(client: httpx.Client, name: str) -> float:
    """One figure of /metrics."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    assert found, name
    return float(found[1])


def test_metrics_cover_stages_readings_problems_and_the_process(client: httpx.Client) -> None:
    for _ in range(2):
        assert client.post("/v1/recognitions", files=photo_file(picture())).status_code == 200
    client.post("/v1/recognitions", files=photo_file(b"no photo"))
    for stage in ("decode", "detect", "layout", "read"):
        assert value(client, f'hupai_stage_seconds_count{{stage="{stage}"}}') == 2
    assert value(client, 'hupai_reading_problems_total{code="doubtful_tile"}') == 2
    assert value(client, 'hupai_readings_total{certain="false",hand="true"}') == 2
    assert value(client, 'hupai_problems_total{type="not-a-picture"}') == 1
    assert (
        value(client, 'hupai_requests_total{method="POST",route="/v1/recognitions",status="415"}')
        == 1
    )
    assert value(client, "hupai_queue_depth") == 0
    assert value(client, "process_resident_memory_bytes") > 10_000_000


def test_each_request_is_one_line_with_its_id_and_without_its_query(
    client: httpx.Client, lines: StringIO
) -> None:
    client.get(
        "/v1/rules?key=hupai_secret&share=token",
        headers={"x-request-id": "match-7", "x-forwarded-for": "203.0.113.9"},
    )
    (line,) = logged(lines, 1)
    assert (line["request_id"], line["method"], line["path"], line["status"]) == (
        "match-7",
        "GET",
        "/v1/rules",
        401,  # a wrong key
    )
    assert line["address"] == "203.0.113.9"
    assert line["ms"] >= 0
    assert "secret" not in lines.getvalue()
    assert "token" not in lines.getvalue()


def test_polling_requests_are_not_logged(client: httpx.Client, lines: StringIO) -> None:
    for path in ("/healthz", "/readiness", "/metrics"):
        assert client.get(path).status_code in (200, 503)
    client.get(
        "/v1/rules"
    )  # a connection's requests are taken one after another, so that theirs would be written before
    assert [line["path"] for line in logged(lines, 1)] == ["/v1/rules"]


def test_lines_of_other_loggers_carry_the_request_s_id(lines: StringIO) -> None:
    token = logs.request_id_var.set("match-8")
    try:
        logging.getLogger("hupai.storage").warning("the disk is slow")
    finally:
        logs.request_id_var.reset(token)
    logging.getLogger("hupai.storage").warning("nobody asked")
    first, second = (json.loads(one) for one in lines.getvalue().splitlines())
    assert (first["request_id"], first["message"]) == ("match-8", "the disk is slow")
    assert "request_id" not in second
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", first["time"])


def test_a_line_break_in_a_path_makes_no_second_line(client: httpx.Client, lines: StringIO) -> None:
    client.get("/nothing%0a2026-01-01 INFO forged")
    client.post("/v1/scores", json={"rules": MCR, "notation": NOTATION})
    assert [line["path"] for line in logged(lines, 2)] == [
        "/nothing\n2026-01-01 INFO forged",
        "/v1/scores",
    ]
