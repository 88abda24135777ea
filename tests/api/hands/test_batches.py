"""Several photos in one request, one hand each."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import String, select

from hupai.api.app.factory import create_app
from hupai.api.storage.rows import IdempotencyRow
from hupai.api.web.settings import Settings
from tests.api.hands.test_recognition import problem
from tests.api.hands.test_routes import new_photo, send
from tests.api.service import (
    MCR,
    WON_HOW,
    RecordedReader,
    client_of,
    recorded_reading,
    wait_until,
)


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(Settings(preload=False, batch_photos=4), RecordedReader(recorded_reading()))


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[httpx.Client]:
    with client_of(app) as client:
        yield client


def test_a_batch_holds_a_hand_or_a_problem_for_each_photo(client: httpx.Client) -> None:
    good = new_photo()
    files = [
        ("photos", ("a.png", good)),
        ("photos", ("notes.txt", b"some notes")),
        ("photos", ("b.png", new_photo())),
    ]
    answer = client.post(
        "/v1/hands/batch", files=files, data={"rules": MCR, "circumstances": WON_HOW}
    )
    assert answer.status_code == 200, answer.text
    first, second, third = answer.json()["results"]
    assert [item["name"] for item in (first, second, third)] == ["a.png", "notes.txt", "b.png"]
    assert second["hand"] is None
    assert second["problem"]["type"] == "/problems/not-a-picture"
    assert first["problem"] is None
    assert client.get(f"/v1/hands/{third['hand']['id']}").json() == third["hand"]
    again = client.post(
        "/v1/hands/batch", files=files[:1], data={"rules": MCR, "circumstances": WON_HOW}
    ).json()["results"]
    assert (again[0]["replayed"], again[0]["hand"]["id"]) == (True, first["hand"]["id"])
    problem(
        client.post("/v1/hands/batch", files=files[:1] * 5, data={"rules": MCR}),
        422,
        "invalid-request",
    )
    problem(
        client.post("/v1/hands/batch", data={"rules": MCR}, files={"picture": ("a", b"a")}),
        422,
        "invalid-request",
    )


@pytest.mark.parametrize("streamed", [False, True])
def test_a_batch_waits_for_room_in_the_queue_however_many_single_photos_come(
    streamed: bool,
) -> None:
    reader = RecordedReader(recorded_reading())
    settings = Settings(preload=False, concurrency=1, queue_length=0, rate_limit=0)
    files = [("photos", (f"{n}.png", new_photo())) for n in range(3)]
    app = create_app(settings, reader)
    with client_of(app) as client, ThreadPoolExecutor(2) as threads:
        queued = threading.Event()

        def send_batch() -> list[dict[str, Any]]:
            headers = {"accept": "text/event-stream" if streamed else "application/json"}
            with client.stream(
                "POST", "/v1/hands/batch", files=files, data={"rules": MCR}, headers=headers
            ) as answer:
                last = ""
                for line in answer.iter_lines():
                    last = line or last
                    if '"queued", "position": 1' in line:
                        queued.set()
                assert answer.status_code == 200, last
                found: list[dict[str, Any]] = json.loads(last.removeprefix("data: "))["results"]
                return found

        with reader.held():
            single = threads.submit(send, client, new_photo())
            wait_until(lambda: len(reader.calls) == 1)
            batch = threads.submit(send_batch)
            if streamed:
                assert queued.wait(30), "the batch gets no queue position"
            wait_until(lambda: len(app.state.reading.queue._line) == 1)
            with pytest.raises(TimeoutError):
                batch.result(0.1)
            problem(send(client, new_photo()), 429, "busy")
        while not batch.done():
            send(client, new_photo())
        assert single.result().status_code == 200
        assert [item["problem"] for item in batch.result()] == [None, None, None]
    assert [name for name, _ in reader.calls if name != "hand.jpg"] == ["0.png", "1.png", "2.png"]


def send_batch(client: httpx.Client, key: str, *photos: bytes) -> list[dict[str, Any]]:
    """The results of a batch with an Idempotency-Key."""
    answer = client.post(
        "/v1/hands/batch",
        files=[("photos", (f"{n}.png", data)) for n, data in enumerate(photos)],
        data={"rules": MCR, "circumstances": WON_HOW},
        headers={"idempotency-key": key},
    )
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def test_a_batch_sent_again_with_its_key_is_answered_with_its_hands(client: httpx.Client) -> None:
    photos = new_photo(), new_photo()
    first, again = (send_batch(client, "round-1", *photos) for _ in range(2))
    assert [item["replayed"] for item in (*first, *again)] == [False, False, True, True]
    assert [item["hand"]["id"] for item in again] == [item["hand"]["id"] for item in first]
    (other,) = send_batch(client, "round-1", new_photo())
    assert other["problem"]["type"] == "/problems/idempotency-key-reused"


def test_the_longest_key_of_a_batch_fits_its_column(app: FastAPI, client: httpx.Client) -> None:
    send_batch(client, "k" * 255, *(new_photo() for _ in range(4)))
    with app.state.storage.database.session(write=False) as session:
        keys = session.scalars(select(IdempotencyRow.key)).all()
    # 10 photos and more have a digit more, and SQLite, unlike PostgreSQL, checks no length.
    column = IdempotencyRow.__table__.c.key.type
    assert isinstance(column, String)
    assert column.length is not None
    assert max(map(len, keys)) + 1 <= column.length


def test_the_key_of_a_batch_is_none_of_a_single_hand(client: httpx.Client) -> None:
    send_batch(client, "round-2", new_photo())
    for key in ("round-2", "round-2:0"):
        assert send(client, new_photo(), key).status_code == 200
