"""Who needs a key, under which names the service is asked, which sources may be named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.auth.access import AccessPolicy
from hupai.api.auth.keys import PAIRED, KeyStore
from hupai.api.web.settings import Settings
from tests.api.hands.test_recognition import problem
from tests.api.service import RecordedReader, client_of, recorded_reading

REMOTE = "203.0.113.7"
TABLE: dict[str, Any] = {"id": "t", "source": "http://127.0.0.1:1/inside"}


def scope(client: str, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http", "client": (client, 1), "headers": list(headers)}


@pytest.mark.parametrize(
    ("host", "required", "client", "headers", "needed"),
    [
        ("127.0.0.1", None, "127.0.0.1", (), False),
        ("0.0.0.0", None, "127.0.0.1", (), False),
        ("0.0.0.0", None, REMOTE, (), True),
        ("0.0.0.0", None, "127.0.0.1", ((b"x-forwarded-for", REMOTE.encode()),), True),
        ("192.168.1.5", None, "::1", (), False),
        ("0.0.0.0", False, REMOTE, (), False),
        ("127.0.0.1", True, "127.0.0.1", (), True),
    ],
)
def test_who_needs_a_key(
    host: str,
    required: bool | None,
    client: str,
    headers: tuple[tuple[bytes, bytes], ...],
    needed: bool,
) -> None:
    policy = AccessPolicy(Settings(host=host, require_keys=required))
    assert policy.needs_key(scope(client, *headers), client) is needed


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("localhost", True),
        ("LOCALHOST.:8000", True),
        ("hupai.localhost:8000", True),
        ("192.168.1.5:8000", True),
        ("club.example", True),
        ("named.example:443", True),
        ("evil.example", False),
        ("evil.example:8000", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
    ],
)
def test_which_host_names_are_known(host: str, known: bool) -> None:
    settings = Settings(public_url="https://club.example/x", allowed_hosts=("Named.example",))
    assert AccessPolicy(settings).knows_host(host) is known


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A service on this machine whose proxy, this machine, tells who asks."""
    settings = Settings(
        preload=False,
        rate_limit=0,
        trusted_proxies=("127.0.0.1",),
        allowed_sources=("rtmp://127.0.0.1/*",),
        data_dir=str(tmp_path_factory.mktemp("data")),
    )
    app = create_app(settings, RecordedReader(recorded_reading()))
    with client_of(app) as served:
        key, _ = KeyStore(app.state.storage.database).add("desk", ["operator"])
        served.headers["x-test-key"] = f"Bearer {key}"
        yield served


def test_another_host_name_is_refused_without_a_key(client: httpx.Client) -> None:
    for path in ("/v1/hands", "/v1/rules", "/"):
        problem(client.get(path, headers={"host": "evil.example"}), 421, "unknown-host")
    headers = {"host": "evil.example", "authorization": client.headers["x-test-key"]}
    assert client.get("/v1/hands", headers=headers).status_code == 200


def test_a_wrong_key_is_refused_everywhere(client: httpx.Client) -> None:
    for path in ("/v1/hands", "/v1/rules", "/v1/tiles", "/metrics"):
        answer = client.get(path, headers={"authorization": "Bearer hupai_x"})
        problem(answer, 401, "unauthenticated")


def test_another_machine_names_no_source_without_a_key(client: httpx.Client) -> None:
    remote = {"x-forwarded-for": REMOTE}
    for source in (
        "http://127.0.0.1:1/inside",
        "file:/etc/passwd",
        "camera:0",
        "rtmp://10.0.0.1/x",
        "rtmp://127.0.0.1/cam + file:/etc/passwd",
    ):
        answer = client.post("/v1/tables", json={"id": "t", "source": source}, headers=remote)
        problem(answer, 403, "source-not-allowed")
    pushed = {"id": "pushed", "source": "push"}
    assert client.post("/v1/tables", json=pushed, headers=remote).status_code == 201
    listed = {"id": "listed", "source": "rtmp://127.0.0.1/cam"}
    assert client.post("/v1/tables", json=listed, headers=remote).status_code == 201
    both = {"id": "both", "source": "rtmp://127.0.0.1/cam + rtmp://127.0.0.1/other"}
    assert client.post("/v1/tables", json=both, headers=remote).status_code == 201
    for change in (
        client.patch("/v1/tables/listed", json={"source": "camera:0"}, headers=remote),
        client.post(
            "/v1/tables/listed/commands",
            json={"do": "settings", "settings": {"source": "camera:0"}},
            headers=remote,
        ),
    ):
        problem(change, 403, "source-not-allowed")
    with_key = {**remote, "authorization": client.headers["x-test-key"]}
    assert client.post("/v1/tables", json=TABLE, headers=with_key).status_code == 201


@pytest.mark.parametrize("header", ["forwarded", "x-forwarded-for", "x-real-ip"])
def test_what_comes_through_a_proxy_that_is_not_trusted_is_not_from_this_machine(
    tmp_path: Path, header: str
) -> None:
    settings = Settings(preload=False, require_keys=False, data_dir=str(tmp_path))
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        asked = {"id": "t", "source": "file:/etc/passwd"}
        answer = client.post("/v1/tables", json=asked, headers={header: REMOTE})
        problem(answer, 403, "source-not-allowed")
        assert client.post("/v1/tables", json=asked).status_code == 201


def test_this_machine_may_name_any_source(client: httpx.Client) -> None:
    answer = client.post("/v1/tables", json={**TABLE, "id": "here"})
    assert answer.status_code == 201


def test_stored_files_are_readable_only_by_their_owner(tmp_path: Path) -> None:
    folder = tmp_path / "club" / "data"
    settings = Settings(preload=False, data_dir=str(folder))
    with client_of(create_app(settings, RecordedReader(recorded_reading()))):
        assert (folder / "hupai.sqlite3").stat().st_mode & 0o777 == 0o600
        assert (folder / "photos").stat().st_mode & 0o777 == 0o700
        assert folder.stat().st_mode & 0o777 == 0o700


def test_paired_phones_share_a_name_and_are_revoked_together(tmp_path: Path) -> None:
    settings = Settings(preload=False, host="0.0.0.0", data_dir=str(tmp_path))
    app = create_app(settings, RecordedReader(recorded_reading()))
    with client_of(app):
        keys = KeyStore(app.state.storage.database)
        first, second = keys.pair()[0], keys.pair()[0]
        holders = [keys.find(key) for key in (first, second)]
        assert [one and (one.name, set(one.scopes)) for one in holders] == [
            (PAIRED, {"player"}),
            (PAIRED, {"player"}),
        ]
        assert len(keys.revoke(PAIRED)) == 2
        assert keys.find(first) is keys.find(second) is None
