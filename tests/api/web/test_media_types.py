"""The media types of requests and answers."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import Request

from hupai.api.web.dependencies import wanted_type
from hupai.api.web.middleware.requests import _is_trustworthy
from hupai.api.web.problems import ApiProblem
from tests.api.hands.test_recognition import problem

JSON, EVENTS = "application/json", "text/event-stream"


def request(name: str, value: str | None) -> Request:
    """A request with one header, or with none."""
    headers = [] if value is None else [(name.encode(), value.encode())]
    return Request({"type": "http", "scheme": "http", "headers": headers})


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("text/html, */*;q=0.8", JSON),
        ("text/*", EVENTS),
        ("Text/Event-Stream", EVENTS),
        ("application/json;q=0.5, text/event-stream;q=0.9", EVENTS),
        # The more specific range decides, whatever a wider one says.
        ("application/json;q=0.1, text/event-stream;q=0.5, */*;q=0.9", EVENTS),
        ("application/json;q=0, */*", EVENTS),
        ("*/*, application/json;q=0", EVENTS),
        ("application/*;q=0.2, */*;q=0.5", EVENTS),
        # Of equal qualities, that of a type which is named.
        ("*/*, text/event-stream", EVENTS),
        ("text/event-stream, application/json", JSON),
        ("application/json; charset=utf-8; q=0.3, text/event-stream; q=nan", JSON),
    ],
)
def test_the_preferred_type_is_answered(accepted: str | None, chosen: str) -> None:
    assert wanted_type(request("accept", accepted), (JSON, EVENTS)) == chosen


@pytest.mark.parametrize(
    "accepted", ["text/csv", "application/json;q=0", "*/*;q=0", "application/json;q=none"]
)
def test_what_is_not_wanted_is_not_answered(accepted: str) -> None:
    with pytest.raises(ApiProblem):
        wanted_type(request("accept", accepted), (JSON,))


def test_the_type_of_a_body_may_be_written_in_capitals(client: httpx.Client) -> None:
    boundary = "b0undary"
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="{{}}"{{}}\r\n\r\n'
    body = (
        part.format("rules", "").encode()
        + b"mcr-1998\r\n"
        + part.format("photo", '; filename="a.jpg"').encode()
        + b"no photo" * 12_500
        + f"\r\n--{boundary}--\r\n".encode()
    )
    headers = {"content-type": f"Multipart/Form-Data; boundary={boundary}"}
    problem(client.post("/v1/hands", content=body, headers=headers), 415, "not-a-picture")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost:8000", True),
        ("LOCALHOST.", True),
        ("hupai.localhost", True),
        ("127.0.0.2:8000", True),
        ("[::1]:8000", True),
        ("::1", True),
        ("192.168.1.5:8000", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_browsers_trust_loopback_without_tls(host: str, expected: bool) -> None:
    scope: Any = request("host", host).scope
    assert _is_trustworthy(scope) is expected
