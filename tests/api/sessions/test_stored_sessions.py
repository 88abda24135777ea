"""Sessions that the service keeps: several phones continue one, and none overwrites another."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import numpy as np
import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from hupai.api.app.factory import create_app
from hupai.api.auth.keys import KeyStore
from hupai.api.sessions import routes
from hupai.api.sessions.store import prune
from hupai.api.storage import Storage
from hupai.api.storage.base import now
from hupai.api.web.settings import Settings
from hupai.vision.types import Reading
from tests.api.service import RecordedReader, client_of
from tests.qr_codes import read_qr_code

ID = "8d1f0c5e2b7a4936a0c4e9b3d7f61285"
PATH = f"/v1/sessions/{ID}"


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False), RecordedReader(Reading()))) as client:
        yield client


def change(*fans: int, **more: Any) -> dict[str, Any]:
    """A session in which B won hands of these fan from D."""
    deals = [{"type": "win", "player": "B", "fan": fan, "from": "D"} for fan in fans]
    return {"log": {"rules": "mcr-1998", "players": [*"ABCD"], "deals": deals}, **more}


def put(client: httpx.Client, body: dict[str, Any], version: int | None = None, key: str = "",
        **query: str) -> httpx.Response:  # fmt: skip
    headers = {} if version is None else {"If-Match": f'"{version}"'}
    if key:
        headers["Idempotency-Key"] = key
    return client.put(PATH, json=body, headers=headers, params=query)


def test_a_session_is_begun_continued_and_deleted(client: httpx.Client) -> None:
    begun = put(client, change())
    assert begun.status_code == 201
    assert begun.headers["ETag"] == '"1"'
    hand = {"player": "B", "from": "D", "total": 24, "unit": "fan", "tiles": ["E", "", "1m"]}
    changed = put(client, change(24, hands=[[hand]]), 1)
    assert changed.status_code == 200
    body = changed.json()
    assert body["version"] == 2
    assert body["sheet"]["totals"] == {"A": -8, "B": 48, "C": -8, "D": -32}
    assert body["hands"] == [[{**hand, "entry": None, "hand": None}]]
    read = client.get(PATH)
    assert read.json() == body
    assert client.get(PATH, headers={"If-None-Match": '"2"'}).status_code == 304
    assert client.get(PATH, headers={"If-None-Match": '"1"'}).status_code == 200
    assert "副数 deal" in client.get(PATH, headers={"Accept": "text/csv"}).text
    [line] = client.get("/v1/sessions").json()["sessions"]
    assert (line["id"], line["deals"], line["version"]) == (ID, 1, 2)
    assert client.delete(PATH).status_code == 204
    assert client.get(PATH).status_code == 404
    assert put(client, change(24), 2).status_code == 404


def riichi(*worth: tuple[int, int]) -> dict[str, Any]:
    """A session in which B won hands of these han and fu from D."""
    deals = [{"type": "win", "player": "B", "from": "D", "han": h, "fu": f} for h, f in worth]
    return {"log": {"rules": "riichi-ema", "players": [*"ABCD"], "deals": deals}}


def test_a_new_deal_with_han_and_fu_that_no_hand_has_is_refused(client: httpx.Client) -> None:
    assert put(client, riichi((1, 20))).status_code == 422
    put(client, riichi((1, 30))).raise_for_status()
    answer = put(client, riichi((1, 30), (1, 25)), 1)
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid-request")
    (error,) = answer.json()["errors"]
    assert error["field"] == "log.deals"
    assert "Deal 2: B's win on a discard cannot have 1 han and 25 fu" in error["message"]
    assert "1翻25符" in error["message_zh"]
    assert client.get(PATH).json()["version"] == 1


def test_a_stored_deal_with_han_and_fu_that_no_hand_has_stays(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:  # as versions did that knew no such pairs
        earlier.setattr(routes, "_REFUSED", frozenset())
        put(client, riichi((1, 20), (1, 30)), key="begun").raise_for_status()
    shown = client.get(PATH).json()
    assert shown["sheet"]["totals"]["B"] > 0
    assert [one["code"] for one in shown["sheet"]["problems"]] == ["session_han_fu"]
    assert "副数 deal" in client.get(PATH, headers={"Accept": "text/csv"}).text
    again = put(client, riichi((1, 20), (1, 30)), key="begun")
    assert (again.status_code, again.json()["version"]) == (200, 1)
    continued = put(client, riichi((1, 20), (1, 30), (2, 30)), 1)
    assert (continued.status_code, continued.json()["version"]) == (200, 2)
    assert put(client, riichi((1, 20), (1, 30), (2, 30), (1, 20)), 2).status_code == 422
    assert put(client, riichi((1, 20)), 2).status_code == 200
    settled = client.post("/v1/sessions", json=riichi((1, 20))["log"])
    assert [one["code"] for one in settled.json()["problems"]] == ["session_han_fu"]


def test_each_form_of_a_session_has_its_own_tag(client: httpx.Client) -> None:
    put(client, change(24)).raise_for_status()
    forms = ("application/json", "text/csv", "text/html")
    tags = [client.get(PATH, headers={"Accept": form}).headers["ETag"] for form in forms]
    assert tags[0] == '"1"'
    assert len(set(tags)) == 3
    for form in forms:
        answers = [
            client.get(PATH, headers={"Accept": form, "If-None-Match": tag}).status_code
            for tag in tags
        ]
        assert answers == [304 if form == other else 200 for other in forms]


def test_a_poll_that_brings_nothing_new_does_not_load_the_log(client: httpx.Client) -> None:
    put(client, change(24)).raise_for_status()
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        asked.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert client.get(PATH, headers={"If-None-Match": '"1"'}).status_code == 304
        polled = [one for one in asked if "FROM sessions" in one]
        asked.clear()
        assert client.get(PATH, headers={"If-None-Match": '"0"'}).status_code == 200
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert polled
    assert not [one for one in polled if "sessions.log" in one]
    assert [one for one in asked if "sessions.log" in one]


def test_a_change_made_on_an_older_version_overwrites_nothing(client: httpx.Client) -> None:
    put(client, change())
    assert put(client, change(24), 1).status_code == 200
    late = put(client, change(8), 1)
    assert late.status_code == 412
    problem = late.json()
    assert problem["type"] == "/problems/session-moved"
    assert problem["version"] == 2
    assert problem["session"] == client.get(PATH).json()
    assert problem["session"]["log"]["deals"] == change(24)["log"]["deals"]
    assert late.headers["ETag"] == '"2"'
    blind = put(client, change(8))
    assert blind.status_code == 428
    assert client.get(PATH).json()["version"] == 2


def test_a_request_whose_answer_was_lost_is_sent_again(client: httpx.Client) -> None:
    put(client, change(), key="begin")
    assert put(client, change(), key="begin").headers["Idempotency-Replayed"] == "true"
    put(client, change(24), 1, "deal-1")
    put(client, change(24, 8), 2, "deal-2")
    again = put(client, change(24), 1, "deal-1")
    assert again.status_code == 200
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(again.json()["log"]["deals"]) == 2  # as it stands now
    assert [one["key"] for one in again.json()["changes"]] == ["begin", "deal-1", "deal-2"]
    assert put(client, change(24, 8), 3).json()["version"] == 3  # changes nothing


def test_of_concurrent_changes_one_wins_and_every_deal_arrives(client: httpx.Client) -> None:
    """Eight phones add a deal each, and repeat it on the newest state where they were late."""
    put(client, change())
    late: list[int] = []

    def phone(fan: int) -> None:
        with httpx.Client(base_url=client.base_url, timeout=60) as own:
            session = own.get(PATH).json()
            while True:
                fans = [deal["fan"] for deal in session["log"]["deals"]]
                answer = put(own, change(*fans, fan), session["version"], f"phone-{fan}")
                if answer.status_code == 200:
                    return
                late.append(fan)
                session = answer.json()["session"]

    phones = [threading.Thread(target=phone, args=(8 + i,)) for i in range(8)]
    for one in phones:
        one.start()
    for one in phones:
        one.join()
    session = client.get(PATH).json()
    assert sorted(deal["fan"] for deal in session["log"]["deals"]) == list(range(8, 16))
    assert session["version"] == 9
    assert [one["version"] for one in session["changes"]] == list(range(1, 10))


def test_a_key_used_for_another_change_does_not_lose_that_change_unseen(
    client: httpx.Client,
) -> None:
    put(client, change())
    assert put(client, change(24), 1, "deal-1").status_code == 200
    other = put(client, change(24, 8), 2, "deal-1")
    assert other.status_code == 422
    assert other.json()["type"] == "/problems/idempotency-key-reused"
    assert client.get(PATH).json()["version"] == 2
    again = put(client, change(24), 1, "deal-1")
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (200, "true")


@pytest.mark.parametrize("other", ["Ana ", " Ana", "Ana\u0303", "Ａna", "Ana\u00a0"])
def test_two_players_whose_names_look_the_same_are_refused(
    client: httpx.Client, other: str
) -> None:
    first = "Anã" if other == "Ana\u0303" else "Ana"
    body = {"log": {"rules": "mcr-1998", "players": [first, other, "C", "D"], "deals": []}}
    refused = client.put(PATH, json=body)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "log.players"
    assert "看起来相同" in refused.json()["errors"][0]["message_zh"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"log": {"rules": "mcr-1998", "players": [*"ABC"], "deals": []}}, "players"),
        (change(5), "deals"),
        (change(hands=[[]]), "hands"),
        (change(24, hands=[[{"player": "B", "colour": "red"}]]), "colour"),
        (change(24, hands=[[{"player": "B", "total": 2**40}]]), "total"),
        ({"log": []}, "log"),
        ({}, "log"),
        (change(24, other=1), "other"),
    ],
)
def test_what_cannot_be_settled_is_not_stored(
    client: httpx.Client, body: dict[str, Any], field: str
) -> None:
    refused = client.put(PATH, json=body)
    assert refused.status_code == 422
    assert field in refused.text
    assert client.get(PATH).status_code == 404


def test_nan_and_malformed_ids_are_refused(client: httpx.Client) -> None:
    text = '{"log":{"rules":"mcr-1998","players":["A","B","C","D"],"deals":[],"id":NaN}}'
    headers = {"Content-Type": "application/json"}
    assert client.put(PATH, content=text, headers=headers).status_code == 422
    assert client.put("/v1/sessions/me", json=change()).status_code == 404


def test_the_link_gives_access_and_strangers_are_refused(tmp_path: Path) -> None:
    settings = Settings(preload=False, require_keys=True, data_dir=str(tmp_path))
    app = create_app(settings, RecordedReader(Reading()))
    with client_of(app) as client:
        keys = KeyStore(app.state.storage.database)
        anna, ben = (
            {"Authorization": f"Bearer {keys.add(name, ['player'])[0]}"} for name in ("anna", "ben")
        )
        assert client.put(PATH, json=change()).status_code == 401
        assert client.put(PATH, json=change(), params={"share": "x"}).status_code == 404
        begun = client.put(PATH, json=change(), headers=anna).json()
        link = {"share": begun["share"]}
        for who in ({}, ben):
            assert client.get(PATH, headers=who, params={"share": "x" * 43}).status_code == 404
        assert client.get(PATH, headers=ben).status_code == 404
        assert client.put(PATH, json=change(8), headers=ben).status_code == 404
        assert client.get("/v1/sessions", headers=ben).json() == {"sessions": []}
        assert len(client.get("/v1/sessions", headers=anna).json()["sessions"]) == 1
        assert client.get(PATH, params=link).json() == begun
        assert put(client, change(8), 1, **link).json()["version"] == 2
        assert client.delete(PATH, params=link).status_code == 401  # a link does not delete
        assert client.delete(PATH, params=link, headers=ben).status_code == 404
        assert client.post("/v1/scores", json={}, params=link).status_code == 401
        assert client.delete(PATH, headers=anna).status_code == 204


def test_the_qr_code_contains_the_link(client: httpx.Client) -> None:
    begun = put(client, change()).json()
    drawn = client.get(f"{PATH}/code")
    assert drawn.headers["content-type"] == "image/svg+xml"
    link = scanned(drawn.text)
    assert link.startswith(f"{client.base_url}/#".replace("//#", "/#"))
    said = parse_qs(urlsplit(link).fragment)
    assert said == {"session": [ID], "share": [begun["share"]]}


def scanned(svg: str) -> str:
    """Read a QR code that segno drew: runs of dark modules, m and h of its path."""
    path = svg.rpartition(' d="')[2].partition('"')[0]
    lines: list[tuple[int, int, int]] = []
    x = y = 0.0
    for letter, numbers in _steps(path):
        if letter == "M":
            x, y = numbers
        elif letter == "m":
            x, y = x + numbers[0], y + numbers[1]
        else:
            lines.append((int(x), int(y), int(numbers[0])))
            x += numbers[0]
    size = max(row for _, row, _ in lines) + 5
    seen = np.full((size, size), 255, np.uint8)
    for left, row, length in lines:
        seen[row, left : left + length] = 0
    return read_qr_code(seen)


def _steps(path: str) -> Iterator[tuple[str, list[float]]]:
    for letter, numbers in re.findall(r"([Mmh])([-\d. ]+)", path):
        yield letter, [float(one) for one in numbers.split()]


def test_old_sessions_are_pruned(tmp_path: Path) -> None:
    settings = Settings(preload=False, data_dir=str(tmp_path))
    app = create_app(settings, RecordedReader(Reading()))
    with client_of(app) as client:
        put(client, change(24))
        storage: Storage = app.state.storage
        assert prune(storage, now() - timedelta(days=1)) == 0
        later = now() + timedelta(days=1)
        assert prune(storage, later, dry_run=True) == 1
        assert client.get(PATH).status_code == 200
        assert prune(storage, later) == 1
        assert client.get(PATH).status_code == 404
