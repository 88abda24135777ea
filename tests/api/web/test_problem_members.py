"""Problems hold what docs/problems.md and the OpenAPI document say of them, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.contract.problem import FieldError, ProblemDetails
from hupai.api.web.settings import Settings
from tests.api.service import (
    MCR,
    NOTATION,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
)


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    settings = Settings(preload=False, rate_limit=0, data_dir=":temporary:")
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        yield client


@pytest.fixture(scope="module")
def hand(client: httpx.Client) -> str:
    answer = client.post("/v1/hands", files=photo_file(picture()), data={"rules": MCR})
    return f"/v1/hands/{answer.json()['id']}"


@pytest.fixture(scope="module")
def case(client: httpx.Client) -> str:
    answer = client.post("/v1/cases", files=photo_file(picture()), data={"rules": MCR})
    return f"/v1/cases/{answer.json()['id']}"


@pytest.fixture(scope="module")
def table(client: httpx.Client) -> str:
    client.post("/v1/tables", json={"id": "t", "rules": MCR, "source": "push"})
    return "/v1/tables/t"


def members(answer: httpx.Response) -> dict[str, Any]:
    """Return a problem, each member of which is described."""
    body: dict[str, Any] = answer.json()
    assert answer.headers["content-type"] == "application/problem+json", body
    assert body.keys() <= ProblemDetails.model_fields.keys()
    for one in body.get("errors", ()):
        assert one.keys() == FieldError.model_fields.keys()
    return body


def fields_of(answer: httpx.Response) -> list[str]:
    """Return the fields that an ``invalid-request`` lists, each told in Chinese too."""
    body = members(answer)
    assert (answer.status_code, body["type"]) == (422, "/problems/invalid-request"), body
    for one in body["errors"]:
        assert any("一" <= char <= "鿿" for char in one["message_zh"]), one
    return [one["field"] for one in body["errors"]]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"back_to": 7}, "back_to"),
        ({"answer": {"about": "tile", "tiles": [0], "value": "9p"}}, "answer"),
        ({"no_tiles": [999]}, "no_tiles"),
        ({"winning_tile": "F"}, "winning_tile"),
        (
            {"added_tiles": [{"id": 0, "tile": "1m", "quad": [[0, 0], [9, 0], [9, 9], [0, 9]]}]},
            "added_tiles",
        ),
        (
            {"added_tiles": [{"id": 99, "tile": "1m", "quad": [[9000, 0]] * 4}]},
            "added_tiles",
        ),
    ],
)
def test_a_refused_change_of_a_hand_names_its_field(
    client: httpx.Client, hand: str, change: dict[str, Any], field: str
) -> None:
    assert fields_of(client.patch(hand, json=change)) == [field]


def test_a_refused_request_about_a_case_names_its_field(client: httpx.Client, case: str) -> None:
    def opened(**form: str) -> httpx.Response:
        return client.post("/v1/cases", files=photo_file(picture()), data={"rules": MCR, **form})

    assert fields_of(opened(zone="Mars/Olympus")) == ["zone"]
    assert fields_of(client.get(f"{case}/report?zone=Mars")) == ["zone"]
    assert fields_of(client.get(f"{case}/false-win?ready=B")) == ["ready"]
    fine = {"rules": MCR, "offence": "x", "ready": ["B"]}
    ruling = {"outcome": "false_win", "reason": "x", "fine": fine}
    assert fields_of(client.post(f"{case}/rulings", json=ruling)) == ["fine.ready"]
    many = [("photo", ("a.jpg", picture()))] * 30
    assert fields_of(client.post("/v1/cases", files=many, data={"rules": MCR})) == ["photo"]


def test_a_refused_tile_set_names_its_field(client: httpx.Client) -> None:
    def taught(photos: int = 1, **form: str) -> list[str]:
        files = [("photo", ("a.jpg", picture()))] * photos
        return fields_of(client.post("/v1/tile-sets", files=files, data={"name": "club", **form}))

    assert taught(photos=21) == ["photo"]
    assert taught(order="[]") == ["order"]
    assert taught(order='[["1z"]]') == ["order"]
    assert taught(order='[["?"]]') == ["order"]


@pytest.mark.parametrize(
    ("command", "field"),
    [
        ({"do": "nothing"}, "do"),
        ({}, "do"),
        ({"do": "hide", "colour": "red"}, "colour"),
        ({"do": "circumstances", "seat": "1", "circumstances": {"x": 1}}, "circumstances.x"),
        ({"do": "settings", "settings": {"delay_seconds": -1}}, "settings.delay_seconds"),
        ({"do": "settings", "settings": {"source": "gopher:x"}}, "settings.source"),
        ({"do": "scores", "session": {}}, "session.rules"),
        (
            {"do": "scores", "session": {"rules": MCR, "players": list("ABCD"), "deals": []}},
            "session.players",
        ),
    ],
)
def test_a_refused_command_of_a_table_names_its_field(
    client: httpx.Client, table: str, command: dict[str, Any], field: str
) -> None:
    assert fields_of(client.post(f"{table}/commands", json=command)) == [field]


def test_a_time_zone_that_a_log_does_not_know_is_named(client: httpx.Client, table: str) -> None:
    assert fields_of(client.get(f"{table}/log?zone=Mars")) == ["zone"]


def test_a_log_without_rules_is_told_that_they_are_missing(client: httpx.Client) -> None:
    answer = client.post("/v1/sessions", json={})
    assert fields_of(answer) == ["rules"]
    assert answer.json()["errors"][0]["message"].startswith("is missing: use mcr-1998")


def test_a_tile_that_does_not_exist_is_told_in_codes_alone(client: httpx.Client) -> None:
    body = {"rules": MCR, "hand": {"concealed": ["四万"]}}
    answer = client.post("/v1/scores", json=body)
    assert fields_of(answer) == ["hand.concealed.0"]
    told = answer.json()["errors"][0]
    assert "?" not in told["message"]
    assert "牌名" not in told["message_zh"]


def test_members_of_single_types_are_described(client: httpx.Client, hand: str, case: str) -> None:
    def score(**body: Any) -> httpx.Response:
        return client.post("/v1/scores", json=body)

    assert MCR in members(score(rules="none", notation=NOTATION))["known"]
    assert members(score(rules=MCR, notation="12x"))["position"] == 0
    assert members(score(rules=MCR, notation="1" * 70_000))["max_bytes"] == 65_536
    broken = client.post("/v1/recognitions", files=photo_file(b"\xff\xd8\xff"))
    assert members(broken)["code"] == "photo_truncated"
    changed = client.patch(hand, json={"confirmed": True}, headers={"If-Match": '"77"'})
    assert members(changed)["version"] >= 1
    wanted = {"by": "B", "what": "x", "reason": "y", "entry": 99}
    assert 1 in members(client.post(f"{case}/objections", json=wanted))["entries"]
    noted = client.post(f"{case}/notes", json={"text": "x", "head": "0" * 64})
    assert len(members(noted)["head"]) == 64
    log = {"rules": MCR, "players": list("ABCD"), "deals": []}
    session = f"/v1/sessions/{'5' * 32}"
    client.put(session, json={"log": log})
    moved = client.put(session, json={"log": log}, headers={"If-Match": '"9"'})
    assert members(moved)["session"] == client.get(session).json()


def test_a_batch_tells_all_of_a_problem(client: httpx.Client) -> None:
    files = [("photos", ("a.jpg", b"text")), ("photos", ("b.jpg", b""))]
    answer = client.post("/v1/hands/batch", files=files, data={"rules": MCR}).json()
    alone = [
        client.post("/v1/hands", files={"photo": file}, data={"rules": MCR}).json()
        for _, file in files
    ]
    for one, other in zip(answer["results"], alone, strict=True):
        assert {**one["problem"], "request_id": ""} == {**other, "request_id": ""}
        assert one["problem"]["code"]
