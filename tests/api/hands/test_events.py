"""Slow requests answered as a stream of events."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from hupai.vision.types import PhotoReading
from tests.api.hands.test_recognition import problem
from tests.api.hands.test_routes import new_photo
from tests.api.service import (
    MCR,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
    wait_until,
)

STREAM = {"accept": "text/event-stream"}


def events_of(answer: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """Name and data of each event."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in answer.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_a_reading_reports_its_stages_and_ends_with_the_answer() -> None:
    with client_of(
        create_app(Settings(preload=False), RecordedReader(recorded_reading()))
    ) as client:
        data = picture()
        *progress, (last, reading) = events_of(
            client.post("/v1/recognitions", files=photo_file(data), headers=STREAM)
        )
        assert progress == [
            ("progress", {"stage": stage}) for stage in ("decode", "detect", "layout", "read")
        ]
        assert last == "done"
        assert reading == client.post("/v1/recognitions", files=photo_file(data)).json()

        *progress, (last, hand) = events_of(
            client.post("/v1/hands", files=photo_file(data), data={"rules": MCR}, headers=STREAM)
        )
        assert [data["stage"] for _, data in progress] == [
            "decode",
            "detect",
            "layout",
            "read",
            "score",
            "store",
        ]
        assert client.get(f"/v1/hands/{hand['id']}").json() == hand


def test_an_error_in_a_stream_is_its_last_event() -> None:
    with client_of(
        create_app(Settings(preload=False), RecordedReader(recorded_reading()))
    ) as client:
        answer = client.post(
            "/v1/hands", files=photo_file(b"notes"), data={"rules": MCR}, headers=STREAM
        )
        name, body = events_of(answer)[-1]
        assert (name, body["type"], body["status"]) == ("problem", "/problems/not-a-picture", 415)
        assert body["request_id"] == answer.headers["x-request-id"]
        problem(
            client.post("/v1/hands", files=photo_file(b""), data={"rules": "none"}, headers=STREAM),
            422,
            "unknown-rules",
        )
        assert 'hupai_problems_total{type="not-a-picture"} 1.0' in client.get("/metrics").text


def test_a_waiting_photo_gets_its_position_and_a_full_queue_rejects_at_once() -> None:
    reader = RecordedReader(recorded_reading())
    with client_of(
        create_app(Settings(preload=False, concurrency=1, queue_length=2), reader)
    ) as client:
        answers: list[httpx.Response] = []

        def send() -> None:
            answers.append(
                client.post(
                    "/v1/hands", files=photo_file(new_photo()), data={"rules": MCR}, headers=STREAM
                )
            )

        threads = [threading.Thread(target=send) for _ in range(3)]
        with reader.held():
            for thread in threads:
                thread.start()
            wait_until(lambda: "hupai_queue_depth 3.0" in client.get("/metrics").text)
            refused = client.post(
                "/v1/hands", files=photo_file(new_photo()), data={"rules": MCR}, headers=STREAM
            )
            problem(refused, 429, "busy")
            assert int(refused.headers["retry-after"]) >= 1
        for thread in threads:
            thread.join()
    places = sorted(
        [data["position"] for name, data in events_of(answer) if data.get("stage") == "queued"]
        for answer in answers
    )
    assert places == [[], [1], [2, 1]]


def test_the_results_of_a_batch_come_as_they_are_ready() -> None:
    with client_of(
        create_app(Settings(preload=False), RecordedReader(recorded_reading()))
    ) as client:
        files = [("photos", ("a.png", new_photo())), ("photos", ("b.txt", b"notes"))]
        found = events_of(
            client.post("/v1/hands/batch", files=files, data={"rules": MCR}, headers=STREAM)
        )
        assert {data["index"] for name, data in found if name == "progress"} == {0, 1}
        results = [data for name, data in found if name == "result"]
        assert [item["name"] for item in results] == ["a.png", "b.txt"]
        assert found[-1] == ("done", {"results": results})


def test_a_hand_is_stored_even_if_its_client_disconnects() -> None:
    reader = RecordedReader(recorded_reading(), seconds=0.5)
    with client_of(create_app(Settings(preload=False), reader)) as client:
        data = new_photo()
        form = {"files": photo_file(data), "data": {"rules": MCR}}
        with client.stream("POST", "/v1/hands", headers=STREAM, **form) as answer:  # type: ignore[arg-type]
            next(answer.iter_raw())
        wait_until(lambda: client.get("/v1/hands").json()["hands"] != [])
        again = client.post("/v1/hands", **form)  # type: ignore[arg-type]
        assert again.headers["idempotency-replayed"] == "true"
        assert len(reader.calls) == 1


def test_requests_in_progress_are_stored_before_the_service_ends(tmp_path: Path) -> None:
    settings = Settings(preload=False, data_dir=str(tmp_path))
    with client_of(create_app(settings, RecordedReader(recorded_reading(), seconds=0.5))) as client:
        form = {"files": photo_file(new_photo()), "data": {"rules": MCR}}
        with client.stream("POST", "/v1/hands", headers=STREAM, **form) as answer:  # type: ignore[arg-type]
            next(answer.iter_raw())
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        assert len(client.get("/v1/hands").json()["hands"]) == 1


class CrashesOnSome(RecordedReader):
    """Fails, as no reader should, on photos with "crash" in their name."""

    def read_photo(self, data: bytes, name: str = "", *more: Any, **options: Any) -> PhotoReading:
        if "crash" in name:
            raise ZeroDivisionError("/secret/path/model.py line 3")
        return super().read_photo(data, name, *more, **options)


def test_a_crash_on_one_photo_of_a_batch_leaves_the_others_their_hands() -> None:
    files = [("photos", (name, new_photo())) for name in ("a.png", "crash.png", "b.png")]
    reader = CrashesOnSome(recorded_reading())
    with client_of(create_app(Settings(preload=False), reader)) as client:
        answer = client.post("/v1/hands/batch", files=files, data={"rules": MCR})
        assert answer.status_code == 200, answer.text
        first, crashed, third = answer.json()["results"]
        assert crashed["hand"] is None
        assert crashed["problem"]["type"] == "/problems/internal"
        assert "secret" not in answer.text
        assert client.get(f"/v1/hands/{first['hand']['id']}").json() == first["hand"]
        assert third["problem"] is None


def test_a_stored_hand_is_streamed_again_while_the_queue_is_full() -> None:
    reader = RecordedReader(recorded_reading())
    settings = Settings(preload=False, concurrency=1, queue_length=0, rate_limit=0)
    data, form = new_photo(), {"rules": MCR}
    headers = {**STREAM, "idempotency-key": "table-3-hand-7"}
    app = create_app(settings, reader)
    with client_of(app) as client, ThreadPoolExecutor(1) as threads:
        _, hand = events_of(
            client.post("/v1/hands", files=photo_file(data), data=form, headers=headers)
        )[-1]
        with reader.held():
            other = threads.submit(
                client.post, "/v1/hands", files=photo_file(new_photo()), data=form
            )
            wait_until(lambda: len(reader.calls) == 2)
            again = client.post("/v1/hands", files=photo_file(data), data=form, headers=headers)
            assert events_of(again) == [("done", hand)]
            new = client.post("/v1/hands", files=photo_file(new_photo()), data=form, headers=STREAM)
            problem(new, 429, "busy")
        assert other.result().is_success
