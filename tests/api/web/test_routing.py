"""HEAD beside GET: the same answer without a body, on every route that has an end."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts

from hupai.api.app.factory import create_app
from hupai.api.web.routing.route_classes import Route
from hupai.api.web.settings import Settings
from tests.api.service import (
    MCR,
    WON_HOW,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
)

STREAMS = {"/v1/tables/{table}/events", "/v1/tables/{table}/video"}
"""The GET routes whose answer has no end."""
OF_ITS_OWN = {"date", "x-request-id", "ratelimit"}
"""Headers that differ from one answer to the next."""


@pytest.fixture(scope="module")
def app() -> FastAPI:
    settings = Settings(preload=False, data_dir=":temporary:")
    return create_app(settings, RecordedReader(recorded_reading()))


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[httpx.Client]:
    with client_of(app) as client:
        yield client


@pytest.fixture(scope="module")
def hand(client: httpx.Client) -> str:
    """Where a stored hand is found."""
    answer = client.post(
        "/v1/hands", files=photo_file(picture()), data={"rules": MCR, "circumstances": WON_HOW}
    )
    return f"/v1/hands/{answer.json()['id']}"


def test_every_get_route_but_the_streams_answers_head(app: FastAPI) -> None:
    got = [
        route
        for route in iter_route_contexts(app.routes)
        if isinstance(route.original_route, APIRoute) and "GET" in (route.methods or ())
    ]
    assert len(got) > 50
    silent = {
        route.path for route in got if not isinstance(route.original_route, Route) and route.path
    }
    assert silent == STREAMS


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/docs",
        "/healthz",
        "/openapi.json",
        "/page/js/main.js",
        "/problems/busy",
        "/v1/rules",
        "/v1/tiles/5m.svg",
        "/v1/tiles/zz.svg",
        "/v1/hands?limit=0",
        "/v1/hands?limit=5",
        "/v1/cases",
        "/nothing",
        "{hand}",
        "{hand}/photo",
        "{hand}/annotated?side=100",
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_head_has_the_headers_of_get(
    client: httpx.Client, hand: str, path: str, language: str
) -> None:
    address = path.replace("{hand}", hand)
    headers = {"accept-language": language}
    got, head = client.get(address, headers=headers), client.head(address, headers=headers)
    assert head.status_code == got.status_code
    assert head.content == b""
    assert {name: value for name, value in head.headers.items() if name not in OF_ITS_OWN} == {
        name: value for name, value in got.headers.items() if name not in OF_ITS_OWN
    }
    assert int(head.headers["content-length"]) == len(got.content) > 0


def test_head_confirms_what_the_client_has(client: httpx.Client, hand: str) -> None:
    tag = client.head(hand).headers["etag"]
    assert client.head(hand, headers={"if-none-match": tag}).status_code == 304


def test_head_is_allowed_where_get_is(client: httpx.Client, hand: str) -> None:
    for path in (hand, "/v1/rules", "/docs"):
        allowed = client.request("PROPFIND", path).headers["allow"].split(", ")
        assert {"GET", "HEAD"} <= set(allowed), path


@pytest.mark.parametrize("path", ["/v1/tables/t/events", "/v1/tables/t/video", "/v1/scores"])
def test_head_is_refused_by_streams_and_where_nothing_is_got(
    client: httpx.Client, path: str
) -> None:
    answer = client.head(path)
    assert answer.status_code == 405
    assert "HEAD" not in answer.headers["allow"].split(", ")
