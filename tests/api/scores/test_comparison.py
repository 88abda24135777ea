"""Waits, comparisons and deals over HTTP say what the scoring package and the command line say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.contract import to_dict
from hupai.api.web import samples
from hupai.api.web.settings import Settings
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import FAMILIES, all_rules, get
from hupai.scoring.waits import waits as find_waits
from hupai.vision.types import Reading
from tests.api.hands.test_recognition import problem
from tests.api.service import MCR, RecordedReader, client_of

WON = "123456m111222p5s+5s"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False), RecordedReader(Reading()))) as client:
        yield client


def answer(client: httpx.Client, path: str, body: object) -> dict[str, Any]:
    """The JSON answer of a request that is fine."""
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_waits_are_those_of_the_scoring_package(client: httpx.Client) -> None:
    hand = "123456789m11p23s"
    body = answer(client, "/v1/waits", {"rules": MCR, "notation": hand})
    assert body == to_dict(find_waits(parse_hand(hand), get(MCR)))
    assert body["remaining"] == 8


def test_tiles_in_view_are_no_longer_waited_for(client: httpx.Client) -> None:
    body = answer(
        client,
        "/v1/waits",
        {"rules": MCR, "notation": "123456789m11p23s", "visible": ["1s", "1s", "1s", "4s"]},
    )
    assert {wait["tile"]: wait["remaining"] for wait in body["waits"]} == {"1s": 1, "4s": 3}


def test_a_fifth_tile_in_view_is_a_problem(client: httpx.Client) -> None:
    wanted = {"rules": MCR, "notation": "123456789m11p23s", "visible": ["1s"] * 5}
    body = answer(client, "/v1/waits", wanted)
    assert body["waits"] == []
    assert [problem["code"] for problem in body["problems"]] == ["five_of_a_kind"]


def test_a_hand_of_14_waits_for_nothing_and_says_why(client: httpx.Client) -> None:
    body = answer(client, "/v1/waits", {"rules": MCR, "notation": WON})
    assert body["waits"] == []
    assert body["problems"]


def test_a_hand_under_every_rule_set(client: httpx.Client) -> None:
    body = answer(
        client, "/v1/comparisons", {"notation": WON, "circumstances": {"self_drawn": True}}
    )
    assert [column["rules"] for column in body["columns"]] == [rules.id for rules in all_rules()]
    for column in body["columns"]:
        score = get(column["rules"]).score(parse_hand(WON), Circumstances(self_drawn=True))
        assert {
            key: value for key, value in column.items() if key not in ("notation", "verdict")
        } == to_dict(score)
        assert (column["verdict"] == "win") is score.legal
    pairs = [(one["left"], one["right"]) for one in body["differences"]]
    own = [family.rules for family in FAMILIES if family.compares_profiles]
    assert pairs == [(a.id, b.id) for rules in own for a, b in combinations(rules, 2)]


def test_rules_are_compared_in_the_order_asked_for(client: httpx.Client) -> None:
    body = answer(client, "/v1/comparisons", {"notation": WON, "rules": ["sichuan-2024", MCR]})
    assert [column["rules"] for column in body["columns"]] == ["sichuan-2024", MCR]
    assert body["differences"] == []


def test_a_deal_is_settled_with_every_payment(client: httpx.Client) -> None:
    body = answer(client, "/v1/deals", samples.DEAL_REQUESTS["deal"]["value"])
    assert body["net"] == {"A": 6, "B": 2, "C": -7, "D": -1}
    assert sum(body["net"].values()) == 0
    assert all(entry["clause"] and entry["why_zh"] for entry in body["ledger"])


@pytest.mark.parametrize(
    ("path", "body", "slug"),
    [
        ("/v1/waits", {"rules": "bridge", "notation": "123m"}, "unknown-rules"),
        ("/v1/waits", {"rules": MCR, "notation": "123x"}, "bad-notation"),
        ("/v1/waits", {"rules": MCR, "notation": "123m", "visible": ["9x"]}, "invalid-request"),
        ("/v1/comparisons", {"rules": ["bridge"], "notation": "123m"}, "unknown-rules"),
        ("/v1/comparisons", {"rules": [], "notation": "123m"}, "invalid-request"),
        ("/v1/comparisons", {"rules": [MCR]}, "invalid-request"),
        ("/v1/deals", [], "invalid-request"),
        ("/v1/deals", {}, "invalid-request"),
    ],
)
def test_request_errors_are_reported(
    client: httpx.Client, path: str, body: object, slug: str
) -> None:
    problem(client.post(path, json=body), 422, slug)


def test_a_wrong_event_is_named_by_its_place(client: httpx.Client) -> None:
    log = {
        "players": ["A", "B", "C", "D"],
        "events": [{"type": "kong", "player": "D", "kong": "golden"}],
    }
    errors = problem(client.post("/v1/deals", json=log), 422, "invalid-request")["errors"]
    assert errors[0]["field"] == "events[0].kong"  # type: ignore[index]
