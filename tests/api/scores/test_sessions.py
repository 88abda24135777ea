"""POST /v1/sessions: JSON, CSV and a page, by Accept."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.web import samples
from hupai.api.web.settings import Settings
from hupai.vision.types import Reading
from tests.api.service import RecordedReader, client_of


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False), RecordedReader(Reading()))) as client:
        yield client


@pytest.mark.parametrize("name", samples.SESSION_REQUESTS)
def test_a_session_is_settled(client: httpx.Client, name: str) -> None:
    answer = client.post("/v1/sessions", json=samples.SESSION_REQUESTS[name]["value"])
    assert answer.status_code == 200
    body = answer.json()
    fined = sum(place["fined"] for place in body["standings"])
    assert sum(body["totals"].values()) == -fined
    assert body["deals"][-1]["running"].keys() == body["totals"].keys()


def test_csv_and_page_by_accept(client: httpx.Client) -> None:
    log = samples.SESSION_REQUESTS["sichuan"]["value"]
    table = client.post("/v1/sessions", json=log, headers={"Accept": "text/csv"})
    assert table.headers["content-type"].startswith("text/csv")
    assert "副数 deal" in table.text
    page = client.post("/v1/sessions", json=log, headers={"Accept": "text/html"})
    assert page.headers["content-type"].startswith("text/html")
    assert "记分表" in page.text
    refused = client.post("/v1/sessions", json=log, headers={"Accept": "image/png"})
    assert refused.status_code == 406


def test_what_cannot_be_read_names_the_field(client: httpx.Client) -> None:
    answer = client.post(
        "/v1/sessions", json={"rules": "kc-2.5", "players": [*"ABCD"], "deals": [{"type": "x"}]}
    )
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].endswith("deals[0].type")


@pytest.mark.parametrize("name", ["\u202eAnna", "Anna\u200b", "Ben\u2066", "a\tb"])
def test_a_name_with_invisible_characters_is_refused(client: httpx.Client, name: str) -> None:
    players = [name, "Anna", "小明", "👨\u200d👩\u200d👧"]
    log = {"rules": "mcr-1998", "players": players, "deals": []}
    answer = client.post("/v1/sessions", json=log)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "players"
    players[0] = "Dana"
    assert client.post("/v1/sessions", json=log).status_code == 200
