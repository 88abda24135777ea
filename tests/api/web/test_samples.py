"""The examples in the OpenAPI document are what the service answers. ``RECORD_SAMPLES=1`` writes
them anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from hupai.api.web import samples
from tests.api.service import (
    MCR,
    WON_HOW,
    photo_file,
    picture,
)

NAMES = [
    "reading", "hand_answer", "hand_corrected", "hand_list", "batch", "share",
    "score_answer", "rules", "tiles", "waits", "comparison", "deal", "session",
    "stored_session", "session_list",
]  # fmt: skip
FILE = Path(samples.__file__).with_name("samples.json")
HAND_ID = "019a96ff-182b-7200-8abd-f13a7b7a502c"
SESSION_ID = "8d1f0c5e2b7a4936a0c4e9b3d7f61285"
MOMENT = "2026-11-21T14:30:00Z"
TOKEN = "dGhpcy1pcy1ubyByZWFsLXRva2VuLWJ1dC1vbmUtbGlr"
RECORD = os.environ.get("RECORD_SAMPLES") == "1"


@pytest.fixture(scope="module")
def live(client: httpx.Client) -> dict[str, Any]:
    """Every recorded example as the service answers it now."""
    form = photo_file(picture(640, 360, form="PNG"), "table.png")
    hand = client.post("/v1/hands", files=form, data={"rules": MCR, "circumstances": WON_HOW})
    corrected = client.patch(
        f"/v1/hands/{hand.json()['id']}", json=samples.HAND_CHANGES["tile"]["value"]
    )
    hand_list = client.get("/v1/hands")
    table = ("table.png", picture(640, 360, form="PNG"))
    photos: list[tuple[str, tuple[str, bytes]]] = [
        ("photos", table),
        ("photos", ("notes.txt", b"notes")),
    ]
    batch = client.post("/v1/hands/batch", files=photos, data={"rules": MCR})
    reading = client.post("/v1/recognitions", files=form)
    score = client.post("/v1/scores", json=samples.SCORE_REQUESTS["notation"]["value"])
    rules = client.get("/v1/rules").json()["rules"][:1]
    tiles = client.get("/v1/tiles").json()["tiles"][:2]
    waits = client.post("/v1/waits", json=samples.WAITS_REQUESTS["waits"]["value"])
    comparison = client.post("/v1/comparisons", json=samples.COMPARISON_REQUESTS["two"]["value"])
    deal = client.post("/v1/deals", json=samples.DEAL_REQUESTS["deal"]["value"])
    session = client.post("/v1/sessions", json=samples.SESSION_REQUESTS["mcr"]["value"])
    kept = f"/v1/sessions/{SESSION_ID}"
    stored_session = client.put(kept, json=samples.SESSION_CHANGES["mcr"]["value"])
    session_list = client.get("/v1/sessions")
    found = {
        "reading": shortened(reading.json()),
        "hand_answer": steady_hand(hand.json()),
        "hand_corrected": steady_hand(corrected.json()),
        "hand_list": steady({**hand_list.json(), "next": "AZqW_xgrcgCKvfE6e3pQLA"}),
        "batch": {"results": [steady_item(item) for item in batch.json()["results"]]},
        "share": {"token": TOKEN, "path": f"/v1/hands/{HAND_ID}?share={TOKEN}"},
        "score_answer": score.json(),
        "rules": {"rules": rules},
        "tiles": {"tiles": tiles},
        "waits": waits.json(),
        "comparison": comparison.json(),
        "deal": deal.json(),
        "session": session.json(),
        "stored_session": steady_session(stored_session.json()),
        "session_list": {
            "sessions": [steady_session(one) for one in session_list.json()["sessions"]]
        },
    }
    if RECORD:
        FILE.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return found


def steady(value: Any) -> Any:
    """A JSON value with the ids and moments that are new in every run replaced by the same ones."""
    if isinstance(value, dict):
        fixed = {
            "id": HAND_ID,
            "created": MOMENT,
            "updated": MOMENT,
            "at": MOMENT,
            "request_id": "0d7c3a4e5b6f4d0f8a1b2c3d4e5f6a7b",
        }
        return {
            key: fixed[key] if key in fixed and isinstance(part, str) else steady(part)
            for key, part in value.items()
        }
    return [steady(item) for item in value] if isinstance(value, list) else value


def steady_hand(hand: dict[str, Any]) -> dict[str, Any]:
    """A stored hand, always the same and short."""
    result: dict[str, Any] = steady({**hand, "reading": shortened(hand["reading"])})
    if result["result"] is not None:
        result["result"]["verdict"] |= {"further": []}
    return result


def steady_session(session: dict[str, Any]) -> dict[str, Any]:
    """A stored session, always the same."""
    result: dict[str, Any] = steady(session) | {"id": SESSION_ID, "share": TOKEN}
    return result


def steady_item(item: dict[str, Any]) -> dict[str, Any]:
    """An entry of a batch, always the same and short."""
    hand = item["hand"]
    result: dict[str, Any] = steady(item) | {"hand": None if hand is None else steady_hand(hand)}
    return result


def shortened(reading: dict[str, Any]) -> dict[str, Any]:
    """A reading with its first three tiles."""
    return {**reading, "tiles": reading["tiles"][:3]}


@pytest.mark.parametrize("name", NAMES)
def test_the_example_is_what_the_service_answers(live: dict[str, Any], name: str) -> None:
    assert json.loads(FILE.read_text(encoding="utf-8"))[name] == live[name]


def test_notation_and_structured_request_mean_the_same_hand(client: httpx.Client) -> None:
    answers = [
        client.post("/v1/scores", json=samples.SCORE_REQUESTS[name]["value"]).json()
        for name in ("notation", "structured")
    ]
    assert answers[0] == answers[1]


def test_the_documented_question_is_asked(client: httpx.Client) -> None:
    answer = client.post("/v1/scores", json=samples.SCORE_REQUESTS["question"]["value"]).json()
    assert answer["score"] is None
    assert answer["verdict"]["question"]["about"] == "winning_tile"
