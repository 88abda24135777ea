"""No route depends on which process answers: two app processes, each request to the next one."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from hupai.scoring.tiles import tiles_from_codes
from tests.api.overlay.service import READY, Events, drawn, entered, make_table
from tests.api.redis_server import Redis
from tests.api.scale.conftest import Cluster
from tests.api.scale.round_robin import AppProcess
from tests.api.service import MCR, WON_HOW, photo_file, picture, wait_until

pytestmark = pytest.mark.nightly


@pytest.fixture
def client(cluster: Cluster) -> Iterator[httpx.Client]:
    """A client whose every request is a connection of its own, so that the next process gets it."""
    with unkept(cluster.balancer.address) as one:
        yield one


def unkept(address: str) -> httpx.Client:
    return httpx.Client(
        base_url=address, timeout=30, limits=httpx.Limits(max_keepalive_connections=0)
    )


def new_photo() -> bytes:
    return picture(form="PNG") + uuid.uuid4().bytes


def send(client: httpx.Client, photo: bytes, key: str | None = None) -> httpx.Response:
    return client.post(
        "/v1/hands",
        files=photo_file(photo),
        data={"rules": MCR, "circumstances": WON_HOW},
        headers={} if key is None else {"idempotency-key": key},
    )


def photos_read(cluster: Cluster) -> float:
    """How many photos both processes have read."""
    total = 0.0
    for app in cluster.apps:
        text = httpx.get(f"{app.address}/metrics", timeout=10).text
        lines = (line for line in text.splitlines() if line.startswith("hupai_readings_total"))
        total += sum(float(line.rpartition(" ")[2]) for line in lines)
    return total


@pytest.mark.nightly
def test_the_balancer_gives_each_process_its_share(cluster: Cluster, client: httpx.Client) -> None:
    before = dict(cluster.balancer.taken)
    for _ in range(4):
        assert client.get("/healthz").is_success
    assert [n - before[a] for a, n in cluster.balancer.taken.items()] == [2, 2]


def test_a_hand_is_the_same_whichever_process_is_asked(
    cluster: Cluster, client: httpx.Client
) -> None:
    photo = new_photo()
    made = send(client, photo).json()
    path = f"/v1/hands/{made['id']}"
    for _ in range(2):
        answer = client.get(path)
        assert answer.json() == made
        assert client.get(f"{path}/photo").content == photo
    change = {"notation": "19m19p19sESWNCFP+1m", "reason": "looked again"}
    changed = client.patch(path, json=change, headers={"if-match": answer.headers["etag"]})
    assert changed.status_code == 200, changed.text
    stale = client.patch(path, json=change, headers={"if-match": answer.headers["etag"]})
    assert stale.status_code == 412
    assert {client.get(path).json()["version"] for _ in range(2)} == {2}
    assert client.delete(path).status_code == 204
    assert {client.get(path).status_code for _ in range(2)} == {404}


def test_a_repeated_request_has_one_effect(cluster: Cluster, client: httpx.Client) -> None:
    photo, key = new_photo(), uuid.uuid4().hex
    before = photos_read(cluster)
    answers = [send(client, photo, key) for _ in range(4)]
    assert {answer.json()["id"] for answer in answers} == {answers[0].json()["id"]}
    assert [answer.headers.get("idempotency-replayed") for answer in answers] == [
        None,
        "true",
        "true",
        "true",
    ]
    other = send(client, new_photo(), key)
    assert (other.status_code, other.json()["type"].rpartition("/")[2]) == (
        422,
        "idempotency-key-reused",
    )
    assert photos_read(cluster) - before == 1


def test_a_request_repeated_while_in_progress_waits_for_the_first(
    cluster: Cluster, client: httpx.Client
) -> None:
    photo, key = new_photo(), uuid.uuid4().hex
    before = photos_read(cluster)
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: send(client, photo, key), range(6)))
    assert {answer.is_success for answer in answers} == {True}, [one.text for one in answers]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert photos_read(cluster) - before == 1, "the photo was read twice"


def test_events_are_resumed_at_the_other_process(cluster: Cluster, client: httpx.Client) -> None:
    one, two = (app.address for app in cluster.apps)
    make_table(client, "resumed")
    first = Events(one, "resumed")
    assert first.next().name == "snapshot"
    entered(client, table="resumed", approve=True)
    seen = first.next()
    entered(client, "west", READY, table="resumed", approve=True)
    entered(client, notation=READY, table="resumed", approve=True)
    resumed = Events(two, "resumed", last=seen.number)
    assert [resumed.next().number, resumed.next().number] == [2, 3]
    assert [first.next().number, first.next().number] == [2, 3]
    through = Events(cluster.balancer.address, "resumed", last=2)
    assert through.next().number == 3


def test_operators_at_both_processes_see_and_do_the_same(
    cluster: Cluster, client: httpx.Client
) -> None:
    make_table(client, "operated")
    where = [f"{app.address.replace('http', 'ws')}/v1/tables/operated" for app in cluster.apps]
    with connect(f"{where[0]}/operator") as one, connect(f"{where[1]}/operator") as two:
        lines = (one, two)
        for line in lines:
            assert until(line, "state")["state"]["seats"][0]["proposal"] is None
        command = {"do": "player", "seat": "east", "player": "Wu"}
        one.send(json.dumps({"id": 1, "command": command}))
        for line in lines:
            state = until(
                line, "state", lambda message: message["state"]["seats"][0]["player"] == "Wu"
            )
            assert state["state"]["seats"][0]["player"] == "Wu"


def until(line: Any, kind: str, wanted: Any = lambda _: True) -> dict[str, Any]:
    """The next message of a kind that is as wanted."""
    while True:
        message: dict[str, Any] = json.loads(line.recv(timeout=60))
        if message["type"] == kind and wanted(message):
            return message


def test_the_picture_of_a_table_comes_from_whichever_process_reads_it(
    cluster: Cluster, client: httpx.Client
) -> None:
    make_table(client, "seen", source="push", auto="all", seats=[{"seat": "east"}])
    frame = drawn(tiles_from_codes("5p6p7p"))

    def taken() -> bool:
        answer = client.post("/v1/tables/seen/frames", files={"photo": ("f.png", frame)})
        return answer.status_code == 202

    wait_until(lambda: taken() and taken(), 60)  # once through each process
    for app in cluster.apps:
        where = f"{app.address}/v1/tables/seen/picture"
        wait_until(partial(is_there, where), 60)
        answer = httpx.get(where, timeout=20)
        assert answer.headers["content-type"] == "image/jpeg"


def is_there(where: str) -> bool:
    return httpx.get(where, timeout=20).status_code == 200


@pytest.mark.nightly
def test_both_processes_count_requests_together(cluster: Cluster, redis: Redis) -> None:
    limited = [
        AppProcess(
            {
                **cluster.environment,
                "HUPAI_DATA_DIR": str(app.log.with_suffix(".limited")),
                "HUPAI_RATE_LIMIT": "20",
            },
            app.log.with_suffix(".limited.log"),
        )
        for app in cluster.apps
    ]
    try:
        for app in limited:
            app.wait()
        with unkept(limited[0].address) as one, unkept(limited[1].address) as other:
            begun = time.monotonic()
            codes = [client.get("/v1/hands").status_code for client in [one, other] * 20]
            seconds = time.monotonic() - begun
    finally:
        for app in limited:
            app.kill()
    assert codes[:20] == [200] * 20
    assert set(codes) == {200, 429}
    come_anew = seconds * 20 / 60
    assert codes.count(200) <= 21 + come_anew, "each process counted for itself"
