"""The examples in the OpenAPI document are what the service answers. ``RECORD_SAMPLES=1`` writes them anew."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api import samples
from api.app import create_app
from api.settings import Settings
from tests.api.service import MCR, WON_HOW, RecordedReader, client_of, photo_file, picture, recorded_reading

FILE = Path(samples.__file__).with_name("samples.json")
RECORD = os.environ.get("RECORD_SAMPLES") == "1"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False), RecordedReader(recorded_reading()))) as client:
        yield client


@pytest.fixture(scope="module")
def live(client: httpx.Client) -> dict[str, Any]:
    """Every recorded example as the service answers it now."""
    form = photo_file(picture(640, 360, form="PNG"), "table.png")
    hand = client.post("/v1/hands", files=form, data={"rules": MCR, "circumstances": WON_HOW})
    reading = client.post("/v1/recognitions", files=form)
    score = client.post("/v1/scores", json=samples.SCORE_REQUESTS["notation"]["value"])
    rules = client.get("/v1/rules").json()["rules"][:1]
    tiles = client.get("/v1/tiles").json()["tiles"][:2]
    waits = client.post("/v1/waits", json=samples.WAITS_REQUESTS["waits"]["value"])
    comparison = client.post("/v1/comparisons", json=samples.COMPARISON_REQUESTS["two"]["value"])
    deal = client.post("/v1/deals", json=samples.DEAL_REQUESTS["deal"]["value"])
    found = {
        "reading": shortened(reading.json()),
        "hand_answer": {**hand.json(), "reading": shortened(hand.json()["reading"])},
        "score_answer": score.json(),
        "rules": {"rules": rules},
        "tiles": {"tiles": tiles},
        "waits": waits.json(),
        "comparison": comparison.json(),
        "deal": deal.json(),
    }
    if RECORD:
        FILE.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return found


def shortened(reading: dict[str, Any]) -> dict[str, Any]:
    """A reading with its first three tiles."""
    return {**reading, "tiles": reading["tiles"][:3]}


@pytest.mark.parametrize("name", ["reading", "hand_answer", "score_answer", "rules", "tiles", "waits", "comparison", "deal"])
def test_the_example_is_what_the_service_answers(live: dict[str, Any], name: str) -> None:
    assert json.loads(FILE.read_text(encoding="utf-8"))[name] == live[name]


def test_notation_and_structured_request_mean_the_same_hand(client: httpx.Client) -> None:
    answers = [client.post("/v1/scores", json=samples.SCORE_REQUESTS[name]["value"]).json() for name in ("notation", "structured")]
    assert answers[0] == answers[1]


def test_the_documented_question_is_asked(client: httpx.Client) -> None:
    answer = client.post("/v1/scores", json=samples.SCORE_REQUESTS["question"]["value"]).json()
    assert [question["code"] for question in answer["questions"]] == ["which_winning_tile"]
