"""Stored hands: kept once, corrected without a new upload, listed, shown, shared, deleted."""

from __future__ import annotations

import io
import threading
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from PIL import Image as Pillow

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from hupai.vision.types import Reading
from tests.api.hands.test_recognition import problem
from tests.api.service import (
    MCR,
    WON_HOW,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    question_about,
    questions,
    recorded_reading,
)


@pytest.fixture(scope="module")
def reader() -> RecordedReader:
    return RecordedReader(recorded_reading())


@pytest.fixture(scope="module")
def client(reader: RecordedReader) -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False, batch_photos=4), reader)) as client:
        yield client


def new_photo() -> bytes:
    """A photo that nobody sent before."""
    return picture(form="PNG") + uuid.uuid4().bytes


def send(client: httpx.Client, data: bytes, key: str | None = None, **form: str) -> httpx.Response:
    """POST /v1/hands."""
    headers = {} if key is None else {"idempotency-key": key}
    return client.post(
        "/v1/hands",
        files=photo_file(data),
        data={"rules": MCR, "circumstances": WON_HOW, **form},
        headers=headers,
    )


def stored(client: httpx.Client, **form: str) -> dict[str, Any]:
    """A new stored hand."""
    answer = send(client, new_photo(), **form)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_a_hand_is_kept_with_its_photo_and_found_by_its_address(client: httpx.Client) -> None:
    data = new_photo()
    answer = send(client, data)
    hand = answer.json()
    assert answer.headers["location"] == f"/v1/hands/{hand['id']}"
    assert uuid.UUID(hand["id"]).version == 7
    assert (hand["author"], hand["version"], hand["corrections"], hand["shared"]) == (
        "local",
        1,
        [],
        False,
    )
    sha256 = hand["reading"]["photo"]["sha256"]
    assert hand["photos"] == [
        {"sha256": sha256, "name": "hand.jpg", "media_type": "image/png", "size": len(data)}
    ]
    again = client.get(answer.headers["location"])
    assert again.json() == hand
    photo = client.get(f"/v1/hands/{hand['id']}/photo")
    assert photo.content == data
    assert photo.headers["content-type"] == "image/png"


def test_the_same_photo_and_form_are_read_once(
    client: httpx.Client, reader: RecordedReader
) -> None:
    data = new_photo()
    first, before = send(client, data), len(reader.calls)
    second = send(client, data)
    assert second.json() == first.json()
    assert (
        first.headers.get("idempotency-replayed"),
        second.headers.get("idempotency-replayed"),
    ) == (None, "true")
    assert len(reader.calls) == before
    other = send(client, data, circumstances="{}")
    assert other.json()["id"] != first.json()["id"]


def test_a_key_decides_alone_whether_a_request_is_a_repetition(
    client: httpx.Client, reader: RecordedReader
) -> None:
    data, key = new_photo(), uuid.uuid4().hex
    first, before = send(client, data, key), len(reader.calls)
    assert send(client, data, key).json() == first.json()
    assert len(reader.calls) == before
    assert send(client, data, uuid.uuid4().hex).json()["id"] != first.json()["id"]
    problem(send(client, new_photo(), key), 422, "idempotency-key-reused")
    problem(send(client, data, key, rules="mcr-2006"), 422, "idempotency-key-reused")
    problem(send(client, data, "two words"), 422, "invalid-request")
    problem(send(client, data, "x" * 256), 422, "invalid-request")


def test_the_same_request_sent_at_once_is_one_hand() -> None:
    reader = RecordedReader(recorded_reading(), seconds=0.3)
    data, answers = new_photo(), []
    with client_of(create_app(Settings(preload=False, concurrency=4), reader)) as client:
        threads = [
            threading.Thread(target=lambda: answers.append(send(client, data, "tap")))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert len(client.get("/v1/hands").json()["hands"]) == 1


def test_with_store_false_a_hand_is_answered_and_not_stored(client: httpx.Client) -> None:
    data = new_photo()
    hand = send(client, data, store="false").json()
    assert (hand["id"], hand["version"]) == (None, 0)
    assert hand["result"]["score"]["legal"] is True
    sha = hand["photos"][0]["sha256"]
    assert client.get("/v1/hands", params={"photo": sha}).json() == {"hands": [], "next": None}


def test_a_correction_is_appended_and_rescored(client: httpx.Client) -> None:
    hand = stored(client)
    path = f"/v1/hands/{hand['id']}"
    changed = client.patch(
        path, json={"notation": "234m55pEEE[567m,1](9999s)1h+1m", "reason": "The 4m was cut off."}
    )
    assert changed.status_code == 200, changed.text
    body = changed.json()
    alone = {
        "rules": MCR,
        "notation": "234m55pEEE[567m,1](9999s)1h+1m",
        "circumstances": body["circumstances"],
    }
    assert body["result"]["score"] == client.post("/v1/scores", json=alone).json()["score"]
    assert body["reading"] == hand["reading"], "a correction changed what was read"
    assert body["version"] == 2
    (correction,) = body["corrections"]
    assert (correction["position"], correction["author"], correction["reason"]) == (
        1,
        "local",
        "The 4m was cut off.",
    )
    assert correction["change"] == {
        "notation": "234m55pEEE[567m,1](9999s)1h+1m",
        "reason": "The 4m was cut off.",
    }
    assert body["as_read"]["total"] == hand["result"]["score"]["total"]

    under_other = client.patch(path, json={"rules": "mcr-2006", "circumstances": {}}).json()
    assert [one["rules"] for one in under_other["corrections"]] == [MCR, "mcr-2006"]
    assert under_other["corrections"][0] == correction
    assert under_other["result"]["notation"] == body["result"]["notation"]
    assert under_other["circumstances"]["self_drawn"] is False
    assert client.get(path).json() == under_other


def test_a_change_that_changes_nothing_may_be_repeated(client: httpx.Client) -> None:
    hand = stored(client)
    path = f"/v1/hands/{hand['id']}"
    change = {"circumstances": {"seat_wind": "S"}, "reason": "He sat south."}
    once = client.patch(path, json=change).json()
    assert client.patch(path, json=change).json() == once
    assert client.patch(path, json={"rules": MCR}).json() == once
    assert len(once["corrections"]) == 1


def test_the_question_which_tile_won_is_answered_by_a_change(
    client: httpx.Client, reader: RecordedReader
) -> None:
    reader.reading, known = recorded_reading(winning_known=False), reader.reading
    try:
        hand = stored(client)
    finally:
        reader.reading = known
    assert hand["result"]["score"] is None
    assert (
        client.get("/v1/hands", params={"photo": hand["photos"][0]["sha256"]}).json()["hands"][0][
            "total"
        ]
        is None
    )
    question = question_about(hand["result"], "winning_tile")
    patched = client.patch(f"/v1/hands/{hand['id']}", json={"winning_tile": "1m"}).json()
    named = next(option for option in question["options"] if option["value"] == "1m")
    assert patched["result"]["score"]["total"] in [one["total"] for one in named["outcomes"]]
    assert "winning_tile" not in [one["about"] for one in questions(patched["result"])]


def test_doubts_are_asked_about_until_the_hand_is_corrected(
    client: httpx.Client, reader: RecordedReader
) -> None:
    reader.reading, known = recorded_reading(doubtful=True), reader.reading
    try:
        hand = stored(client)
    finally:
        reader.reading = known
    path = f"/v1/hands/{hand['id']}"
    asked = client.patch(path, json={"circumstances": {}}).json()
    assert question_about(asked["result"], "tile")["tiles"] == [14]
    settled = client.patch(
        path, json={"hand": asked["result"]["hand"], "reason": "It is a 1m."}
    ).json()
    assert "tile" not in [one["about"] for one in questions(settled["result"])]
    drawn = client.patch(path, json={"circumstances": {"self_drawn": True}}).json()
    assert "tile" not in [one["about"] for one in questions(drawn["result"])]


def test_a_photo_without_a_hand_is_stored_and_the_hand_entered_later(
    client: httpx.Client, reader: RecordedReader
) -> None:
    reader.reading, known = Reading(), reader.reading
    try:
        hand = stored(client)
    finally:
        reader.reading = known
    assert hand["result"] is None
    path = f"/v1/hands/{hand['id']}"
    assert client.patch(path, json={"rules": "mcr-2006"}).json()["result"] is None
    patched = client.patch(path, json={"notation": "23m55pEEE[567m,1](9999s)1h+1m"}).json()
    assert patched["result"]["score"]["complete"] is True
    assert patched["as_read"]["notation"] is None


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        ({}, "invalid-request"),
        ({"notation": "12"}, "bad-notation"),
        ({"rules": "riichi"}, "unknown-rules"),
        ({"notation": "11m+1m", "hand": {"concealed": ["1m"]}}, "invalid-request"),
        ({"winning_tile": "0m"}, "invalid-request"),
        ({"author": "somebody else"}, "invalid-request"),
        ({"tile_ids": {"concealed": ["a"]}}, "invalid-request"),
    ],
)
def test_wrong_changes_are_refused_and_change_nothing(
    client: httpx.Client, change: dict[str, Any], slug: str
) -> None:
    hand = stored(client)
    path = f"/v1/hands/{hand['id']}"
    problem(client.patch(path, json=change), 422, slug)
    assert client.get(path).json() == hand


def test_versions_prevent_overwriting_and_save_transfers(client: httpx.Client) -> None:
    hand = stored(client)
    path = f"/v1/hands/{hand['id']}"
    tag = client.get(path).headers["etag"]
    fresh = client.get(path, headers={"if-none-match": f'"x", W/{tag}'})
    assert (fresh.status_code, fresh.content, fresh.headers["etag"]) == (304, b"", tag)
    changed = client.patch(path, json={"rules": "mcr-2006"}, headers={"if-match": tag})
    assert changed.headers["etag"] != tag
    assert client.get(path, headers={"if-none-match": tag}).status_code == 200
    stale = problem(
        client.patch(path, json={"rules": MCR}, headers={"if-match": tag}),
        412,
        "precondition-failed",
    )
    assert stale["version"] == 2
    weak = {"if-match": f"W/{changed.headers['etag']}"}
    problem(client.patch(path, json={"rules": MCR}, headers=weak), 412, "precondition-failed")
    problem(client.delete(path, headers={"if-match": tag}), 412, "precondition-failed")
    assert client.patch(path, json={"rules": MCR}, headers={"if-match": "*"}).json()["version"] == 3


def test_corrections_made_at_once_are_all_kept(client: httpx.Client) -> None:
    path = f"/v1/hands/{stored(client)['id']}"
    threads = [
        threading.Thread(
            target=client.patch, args=(path,), kwargs={"json": {"reason": f"witness {n}"}}
        )
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    corrections = client.get(path).json()["corrections"]
    assert [one["position"] for one in corrections] == [1, 2, 3, 4, 5, 6]
    assert {one["reason"] for one in corrections} == {f"witness {n}" for n in range(6)}


@pytest.mark.parametrize(
    "path",
    ["/v1/hands/none", "/v1/hands/01a1fe8a-e840-731d-832f-5314aa614787", "/v1/hands/..%2f..%2fetc"],
)
def test_missing_hands_are_not_found(client: httpx.Client, path: str) -> None:
    problem(client.get(path), 404, "not-found")
    problem(client.get(f"{path}/photo"), 404, "not-found")
    if "%" not in path:
        problem(client.delete(path), 404, "not-found")
        problem(client.patch(path, json={"rules": MCR}), 404, "not-found")


def test_pages_of_the_list_contain_every_hand_once_while_more_arrive() -> None:
    with client_of(
        create_app(Settings(preload=False, rate_limit=0), RecordedReader(recorded_reading()))
    ) as client:
        ids = [stored(client)["id"] for _ in range(7)]
        seen, cursor = [], None
        while True:
            page = client.get(
                "/v1/hands", params={"limit": 3} | ({"cursor": cursor} if cursor else {})
            ).json()
            seen += [hand["id"] for hand in page["hands"]]
            stored(client)
            cursor = page["next"]
            if cursor is None:
                break
        assert seen == ids[::-1]
        problem(client.get("/v1/hands", params={"cursor": "nonsense"}), 422, "invalid-request")
        problem(client.get("/v1/hands", params={"cursor": "我"}), 422, "invalid-request")


def test_the_list_is_filtered(client: httpx.Client) -> None:
    hand = stored(client, rules="mcr-2006", circumstances="{}")
    other = stored(client, rules="mcr-2006", circumstances="{}")
    client.patch(f"/v1/hands/{hand['id']}", json={"circumstances": {"self_drawn": True}})
    total = hand["result"]["score"]["total"]

    def ids(**wanted: object) -> set[str]:
        answer = client.get("/v1/hands", params={"limit": 100, **wanted})  # type: ignore[dict-item]
        assert answer.status_code == 200, answer.text
        return {line["id"] for line in answer.json()["hands"]}

    both = {hand["id"], other["id"]}
    assert both <= ids(rules="mcr-2006")
    assert not both & ids(rules=MCR)
    assert both & ids(corrected=True) == {hand["id"]}
    assert both & ids(corrected=False) == {other["id"]}
    assert both & ids(photo=other["photos"][0]["sha256"]) == {other["id"]}
    assert not both & ids(author="nobody")
    assert both <= ids(author="local", certain=True)
    assert both & ids(min_total=total + 1) <= {hand["id"]}
    assert both & ids(legal=hand["result"]["score"]["legal"]) >= {other["id"]}
    assert both <= ids(since=hand["created"])
    assert both & ids(until=other["created"]) == {hand["id"]}
    assert client.get("/v1/hands", params={"since": "2026-01-01T00:00:00"}).status_code == 422


def test_photos_are_shown_scaled_annotated_and_corrected(client: httpx.Client) -> None:
    answer = send(client, picture(800, 450, form="PNG"))
    path = answer.headers["location"]
    small = client.get(f"{path}/photo", params={"side": 200})
    with Pillow.open(io.BytesIO(small.content)) as image:
        assert (image.format, image.size) == ("JPEG", (200, 112))
    assert (
        client.get(
            f"{path}/photo", params={"side": 200}, headers={"if-none-match": small.headers["etag"]}
        ).status_code
        == 304
    )
    assert "immutable" in small.headers["cache-control"]
    drawn = client.get(f"{path}/annotated", headers={"accept": "image/png"})
    with Pillow.open(io.BytesIO(drawn.content)) as image:
        assert (image.format, image.size) == ("PNG", (800, 450))
    ids = {
        "concealed": [0, 1, 2, 3, 4, 5, 6],
        "melds": [[7, 8, 9], [10, 11, 12, 13]],
        "winning_tile": 14,
        "flowers": [15],
    }
    hand = {**answer.json()["result"]["hand"], "winning_tile": "4m"}
    changed = client.patch(path, json={"hand": hand, "tile_ids": ids})
    assert changed.status_code == 200, changed.text
    after = client.get(
        f"{path}/annotated", headers={"accept": "image/png", "if-none-match": drawn.headers["etag"]}
    )
    assert after.status_code == 200
    assert after.content != drawn.content
    assert (
        client.get(f"{path}/annotated?as_read=true", headers={"accept": "image/png"}).content
        == drawn.content
    )
    problem(client.get(f"{path}/photo?index=1"), 404, "not-found")
    problem(
        client.get(f"{path}/annotated", headers={"accept": "text/plain"}), 406, "not-acceptable"
    )


def test_deleting_a_hand_deletes_its_photo_unless_another_hand_needs_it(
    client: httpx.Client,
) -> None:
    data = new_photo()
    first, second = send(client, data), send(client, data, circumstances="{}")
    assert client.delete(first.headers["location"]).status_code == 204
    problem(client.get(first.headers["location"]), 404, "not-found")
    assert client.get(f"{second.headers['location']}/photo").content == data
    assert client.delete(second.headers["location"]).status_code == 204
    again = send(client, data)
    assert again.json()["id"] not in (first.json()["id"], second.json()["id"])
    assert client.get(f"{again.headers['location']}/photo").content == data


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "5"])
def test_an_invalid_time_is_refused(client: httpx.Client, moment: str) -> None:
    problem(client.get("/v1/hands", params={"since": moment}), 422, "invalid-request")
