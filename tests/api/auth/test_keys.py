"""Keys, scopes, rate limits and pages of other origins, against the service."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import httpx
import pytest
from fastapi import Depends, FastAPI, WebSocket
from sqlalchemy import text
from typer.testing import CliRunner
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from hupai.api.app.factory import create_app
from hupai.api.auth import keys as auth_keys
from hupai.api.auth.keys import BadKeyRequestError, KeyStore
from hupai.api.auth.principal import SCOPES, Principal, needs
from hupai.api.cli.main import app as command
from hupai.api.storage.base import now
from hupai.api.storage.database import Database
from hupai.api.web.settings import Settings
from tests.api.hands.test_recognition import problem
from tests.api.service import MCR, NOTATION, RecordedReader, client_of, recorded_reading

SCORE = {"rules": MCR, "notation": NOTATION}
_ID = "01890000-0000-7000-8000-000000000000"
PLACES = {
    "hand_id": _ID,
    "case_id": _ID,
    "session_id": "0" * 32,
    "sha256": "0" * 64,
    "number": "1",
}
"""What stands in a path where only the right form leads anywhere."""
OPEN = {("get", "/v1/rules"), ("get", "/v1/tiles"), ("get", "/v1/tiles/{code}.svg")}
"""Operations under /v1 that ask for no key."""


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"authorization": f"Bearer {key}"}


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[KeyStore]:
    """An empty store of keys in a database of its own."""
    database = Database(f"sqlite:///{tmp_path / 'keys.sqlite3'}")
    database.migrate()
    yield KeyStore(database)
    database.close()


def test_a_key_is_found_until_it_is_revoked(keys: KeyStore) -> None:
    text, info = keys.add("club", ["player"])
    assert keys.find(text) == Principal("club", frozenset({"player"}))
    assert keys.revoke(info.id)[0].state == "revoked"
    assert keys.find(text) is None
    with pytest.raises(BadKeyRequestError, match="hupai keys list"):
        keys.revoke("club")


def test_operators_and_referees_may_do_what_players_may(keys: KeyStore) -> None:
    for scope in SCOPES:
        found = keys.find(keys.add(scope, [scope])[0])
        assert found is not None
        assert found.scopes == {scope, "player"}


def test_a_key_expires(keys: KeyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = keys.add("guest", ["player"], days=1)
    assert keys.find(text) is not None
    later = now() + timedelta(days=1, seconds=1)
    monkeypatch.setattr(auth_keys, "now", lambda: later)
    assert keys.find(text) is None
    assert [info.state for info in keys.all()] == ["expired"]
    keys.add("guest", ["player"])


@pytest.mark.parametrize(
    ("name", "scopes"),
    [
        ("", ["player"]),
        ("x" * 61, ["player"]),
        ("a\nb", ["player"]),
        ("local", ["player"]),
        ("reader", ["operator"]),  # the author of what goes on air by itself
        ("phones", ["referee"]),  # the name of every paired phone
        ("anna ", ["player"]),
        (" local", ["player"]),
        ("a", []),
        ("a", ["god"]),
    ],
)
def test_invalid_keys_are_not_created(keys: KeyStore, name: str, scopes: list[str]) -> None:
    with pytest.raises(BadKeyRequestError):
        keys.add(name, scopes)
    assert keys.all() == ()


def test_the_secret_is_not_stored(tmp_path: Path, keys: KeyStore) -> None:
    first, second = keys.add("a", ["player"])[0], keys.add("b", ["player"])[0]
    with keys._database.session(write=False) as session:
        rows = session.execute(text("select salt, digest from api_keys")).all()
    assert len({row.salt for row in rows}) == 2
    assert {len(row.salt) for row in rows} == {16}
    assert {len(row.digest) for row in rows} == {32}
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for key in (first, second):
        assert key.split("_", 2)[2].encode() not in stored
        assert len(key) == len("hupai_") + 8 + 1 + 43


def test_a_key_altered_at_any_position_is_refused(keys: KeyStore) -> None:
    text, _ = keys.add("a", ["player"])
    for at in range(len(text)):
        assert keys.find(text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :]) is None
    for other in (
        "",
        "hupai_",
        text + "a",
        text[:-1],
        text.upper(),
        f" {text}",
        "'; drop table api_keys; --",
    ):
        assert keys.find(other) is None


@pytest.fixture(scope="module")
def locked(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[httpx.Client, dict[str, str], FastAPI]]:
    """A service that asks for keys, and a key for each scope."""
    settings = Settings(
        preload=False,
        require_keys=True,
        rate_limit=0,
        data_dir=str(tmp_path_factory.mktemp("data")),
    )
    app = create_app(settings, RecordedReader(recorded_reading()))
    with client_of(app) as client:
        store = KeyStore(app.state.storage.database)
        yield client, {scope: store.add(scope, [scope])[0] for scope in SCOPES}, app


Locked = tuple[httpx.Client, dict[str, str], FastAPI]


def test_without_a_key_only_the_open_routes_answer(locked: Locked) -> None:
    client, _, _ = locked
    for path in (
        "/",
        "/docs",
        "/openapi.json",
        "/healthz",
        "/readiness",
        "/problems",
        "/examples",
        "/v1/rules",
        "/v1/tiles/E.svg",
    ):
        assert client.get(path).status_code == 200, path
    answer = client.post("/v1/scores", json=SCORE)
    problem(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    problem(client.get("/metrics"), 401, "unauthenticated")


def test_every_operation_under_v1_asks_for_a_key_but_the_open_ones(locked: Locked) -> None:
    client, _, _ = locked
    document = client.get("/openapi.json").json()
    checked = 0
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if not path.startswith("/v1/") or (method, path) in OPEN:
                assert path == "/metrics" or not operation.get("security"), (method, path)
                continue
            checked += 1
            (needed,) = operation["security"]
            assert needed.keys() <= set(SCOPES), (method, path)
            assert {"401", "403", "429"} <= operation["responses"].keys(), (method, path)
            filled = re.sub(r"{(\w+)}", lambda name: PLACES.get(name[1], "x"), path)
            for headers in (
                {},
                bearer("hupai_00000000_" + "a" * 43),
                {"authorization": "Basic dTpw"},
            ):
                answer = client.request(method, filled, headers=headers)
                problem(answer, 401, "unauthenticated")
    assert checked > 20


def test_a_key_opens_what_its_scopes_cover(locked: Locked) -> None:
    client, keys, _ = locked
    for scope, key in keys.items():
        assert client.post("/v1/scores", json=SCORE, headers=bearer(key)).status_code == 200
        assert client.get("/metrics", headers=bearer(key)).status_code == (
            200 if scope == "operator" else 403
        )
    refused = client.get("/metrics", headers=bearer(keys["referee"]))
    assert problem(refused, 403, "forbidden")["scope"] == "operator"
    assert "'referee'" in refused.json()["detail"]


def test_a_key_in_the_address_is_taken_only_where_a_browser_cannot_send_headers(
    locked: Locked,
) -> None:
    client, keys, _ = locked
    address = f"/v1/scores?key={keys['player']}"
    problem(client.post(address, json=SCORE), 401, "unauthenticated")
    assert (
        client.post(address, json=SCORE, headers={"accept": "text/event-stream"}).status_code == 200
    )


def test_a_revoked_key_is_refused_at_once(locked: Locked) -> None:
    client, _, app = locked
    store = KeyStore(app.state.storage.database)
    key, info = store.add("short", ["player"])
    assert client.post("/v1/scores", json=SCORE, headers=bearer(key)).status_code == 200
    store.revoke(info.id)
    problem(client.post("/v1/scores", json=SCORE, headers=bearer(key)), 401, "unauthenticated")


def test_a_wrong_key_is_refused_even_if_none_is_required() -> None:
    with client_of(
        create_app(Settings(preload=False), RecordedReader(recorded_reading()))
    ) as client:
        assert client.post("/v1/scores", json=SCORE).status_code == 200
        problem(
            client.post("/v1/scores", json=SCORE, headers=bearer("hupai_wrong")),
            401,
            "unauthenticated",
        )
        problem(client.get("/v1/rules", headers=bearer("hupai_wrong")), 401, "unauthenticated")


def test_strange_credentials_are_refused_and_crash_nothing(locked: Locked) -> None:
    client, _, _ = locked
    for value in ("Bearer", "Bearer é", "Bearer " + "a" * 5000, "Digest x", "Bearer a b c"):
        answer = client.post("/v1/scores", json=SCORE, headers=[(b"authorization", value.encode())])
        problem(answer, 401, "unauthenticated")
    many = "&".join(f"a{number}=1" for number in range(500))
    problem(client.post(f"/v1/scores?{many}&key=x", json=SCORE), 401, "unauthenticated")


@pytest.fixture
def streaming(tmp_path: Path) -> Iterator[tuple[httpx.Client, str]]:
    """A service that asks for keys, with a WebSocket and a page that OBS opens; and an operator's
    key.
    """
    app = create_app(
        Settings(preload=False, require_keys=True, data_dir=str(tmp_path)),
        RecordedReader(recorded_reading()),
    )

    @app.websocket("/v1/echo")
    async def echo(
        socket: WebSocket, who: Annotated[Principal, Depends(needs("operator"))]
    ) -> None:
        await socket.accept()
        await socket.send_text(who.name)
        await socket.close()

    @app.get("/scene")
    def scene(
        who: Annotated[Principal, Depends(needs("operator", query_key=True))],
    ) -> dict[str, str]:
        return {"name": who.name}

    with client_of(app) as client:
        yield client, KeyStore(app.state.storage.database).add("obs", ["operator"])[0]


def test_websockets_and_scenes_take_the_key_from_the_address(
    streaming: tuple[httpx.Client, str],
) -> None:
    client, key = streaming
    address = str(client.base_url).replace("http", "ws", 1).rstrip("/") + "/v1/echo"
    for connected in (
        connect(f"{address}?key={key}"),
        connect(address, additional_headers=bearer(key)),
    ):
        with connected as socket:
            assert socket.recv() == "obs"
    assert client.get(f"/scene?key={key}").json() == {"name": "obs"}
    assert client.get("/scene?key=wrong").status_code == 401
    for refused in ("", "?key=wrong"):
        with pytest.raises(InvalidStatus) as caught, connect(address + refused):
            pass
        assert caught.value.response.status_code == 401
        assert b"/problems/unauthenticated" in caught.value.response.body
    with (
        pytest.raises(InvalidStatus) as caught,
        connect(address, origin=Origin("https://evil.example")),
    ):
        pass
    assert caught.value.response.status_code == 403


@pytest.mark.nightly
def test_the_openapi_document_mentions_keys_only_if_they_are_required() -> None:
    expectations: tuple[tuple[bool, list[dict[str, list[str]]]], ...] = (
        (True, [{"player": []}]),
        (False, [{"player": []}, {}]),
    )
    for required, expected in expectations:
        document = create_app(Settings(preload=False, require_keys=required)).openapi()
        assert document["paths"]["/v1/scores"]["post"]["security"] == expected
        assert document["components"]["securitySchemes"]["player"]["scheme"] == "bearer"


def test_requests_past_the_limit_are_refused_until_retry_after(locked: Locked) -> None:
    settings = Settings(preload=False, rate_limit=5)
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        answers = [client.post("/v1/scores", json=SCORE) for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        left = [answer.headers["ratelimit"].split(";")[1] for answer in answers]
        assert left == ["r=4", "r=3", "r=2", "r=1", "r=0", "r=0", "r=0"]
        assert answers[0].headers["ratelimit-policy"] == '"requests";q=5;w=60'
        problem(answers[-1], 429, "rate-limited")
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 12
        assert client.get("/v1/rules").status_code == 200, "what every page loads is not counted"
        assert client.get("/").status_code == 200
        # Without a trusted proxy nobody is believed to be somebody else.
        spoofed = client.post("/v1/scores", json=SCORE, headers={"x-forwarded-for": "203.0.113.9"})
        assert spoofed.status_code == 429
        assert 'hupai_problems_total{type="rate-limited"} 3.0' in client.get("/metrics").text


def test_behind_a_trusted_proxy_each_client_has_its_own_limit(tmp_path: Path) -> None:
    settings = Settings(
        preload=False, rate_limit=2, trusted_proxies=("127.0.0.1",), data_dir=str(tmp_path)
    )
    app = create_app(settings, RecordedReader(recorded_reading()))
    with client_of(app) as client:

        def status(**headers: str) -> int:
            return client.post("/v1/scores", json=SCORE, headers=headers).status_code

        for address in ("203.0.113.9", "203.0.113.10"):
            sent = {"x-forwarded-for": f"198.51.100.1, {address}"}
            assert [status(**sent) for _ in range(3)] == [200, 200, 429]
        key = KeyStore(app.state.storage.database).add("club", ["player"])[0]
        assert [
            status(authorization=f"Bearer {key}", **{"x-forwarded-for": "203.0.113.9"})
            for _ in range(3)
        ] == [200, 200, 429]
        # Guessing keys costs the address its requests: a new guess is no new client.
        guesses = [f"Bearer hupai_0000000{n}_{'a' * 43}" for n in range(3)]
        guessed = [
            status(authorization=guess, **{"x-forwarded-for": "203.0.113.11"}) for guess in guesses
        ]
        assert guessed == [401, 401, 429]


def test_pages_of_other_origins_may_not_change_anything_without_a_key() -> None:
    settings = Settings(preload=False, cors_origins=("https://club.example",))
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        own = str(client.base_url).rstrip("/")
        for origin in (own, "https://club.example"):
            assert (
                client.post("/v1/scores", json=SCORE, headers={"origin": origin}).status_code == 200
            ), origin
        for origin, status in (("https://evil.example", 403), ("null", 403), ("http://[", 403)):
            assert (
                client.post("/v1/scores", json=SCORE, headers={"origin": origin}).status_code
                == status
            ), origin
        problem(
            client.post("/v1/scores", json=SCORE, headers={"origin": "https://evil.example"}),
            403,
            "cross-origin",
        )
        assert (
            client.get("/v1/rules", headers={"origin": "https://evil.example"}).status_code == 200
        )


def test_allowed_origins_may_send_and_see_what_the_api_needs() -> None:
    settings = Settings(preload=False, cors_origins=("https://club.example",), rate_limit=1)
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            asked = {
                "origin": "https://club.example",
                "access-control-request-method": method,
                "access-control-request-headers": "authorization,content-type,idempotency-key,"
                "if-match",
            }
            answer = client.options("/v1/hands", headers=asked)
            assert answer.status_code == 200
            assert method in answer.headers["access-control-allow-methods"]
            assert "authorization" in answer.headers["access-control-allow-headers"]
        refused = client.options("/v1/hands", headers={**asked, "origin": "https://evil.example"})
        assert "access-control-allow-origin" not in refused.headers
        origin = {"origin": "https://club.example"}
        answers = [client.post("/v1/scores", json=SCORE, headers=origin) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 429]
        for answer in answers:
            assert answer.headers["access-control-allow-origin"] == "https://club.example"
            assert "Retry-After" in answer.headers["access-control-expose-headers"]
            assert "access-control-allow-credentials" not in answer.headers


def run(*arguments: str) -> Any:
    """`hupai keys` with these arguments."""
    return CliRunner().invoke(command, ["keys", *arguments])


def test_the_command_makes_lists_and_revokes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path))
    made = run("add", "王 club", "--scope", "player", "--scope", "referee", "--days", "30")
    assert made.exit_code == 0, made.output
    key = made.stdout.strip()
    assert re.fullmatch(r"hupai_[0-9a-f]{8}_[\w-]{43}", key)
    listed = run("list", "--json")
    (row,) = [json.loads(line) for line in listed.stdout.splitlines()]
    assert (row["name"], row["scopes"], row["state"]) == (
        "王 club",
        ["player", "referee"],
        "active",
    )
    assert key.split("_", 2)[2] not in listed.stdout + run("list").stdout
    again = run("add", "王 club", "--scope", "player")
    assert again.exit_code == 2
    assert "revoke it first" in again.stderr
    assert run("revoke", row["id"]).exit_code == 0
    assert "revoked" in run("list").stdout
    assert run("revoke", "王 club").exit_code == 1
    assert run("add", "x", "--scope", "god").exit_code == 2


def test_keys_are_not_created_with_temporary_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_DATA_DIR", ":temporary:")
    made = run("add", "club", "--scope", "player")
    assert made.exit_code == 1
    assert "keeps nothing" in made.stderr
