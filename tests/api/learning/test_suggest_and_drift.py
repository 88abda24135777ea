"""What to check next, and how much was corrected."""

from __future__ import annotations

import cv2
import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from hupai.api.learning.ranking import Candidate, Doubt, doubt_of, entropy, in_order
from hupai.scoring.tiles import Tile
from tests.api.learning.test_export import app, client, corrected, ids_of, photo, stored
from tests.api.service import RecordedReader, recorded_reading

__all__ = ["app", "client"]


def test_the_uncertainty_of_a_reading_in_bits() -> None:
    assert entropy([0.5, 0.5]) == pytest.approx(1)
    assert entropy([1.0, 0.0]) == 0
    assert doubt_of(recorded_reading(doubtful=True)).bits > doubt_of(recorded_reading()).bits


def test_doubts_about_faces_without_labels_come_first() -> None:
    dots = Doubt({Tile.P1: 3.0}, {Tile.P1: 3.0})
    winds = Doubt({Tile.EAST: 2.0}, {Tile.EAST: 3.0})
    names = {"a": dots, "b": dots, "c": winds}
    chosen = in_order([Candidate(key, None, one) for key, one in names.items()], (), 3)
    assert [one.key for one in chosen] == ["b", "c", "a"], "1p has three labels by then"
    labels = {Tile.P1: 2.0}
    chosen = in_order([Candidate(key, None, one) for key, one in names.items()], (), 1, labels)
    assert [(one.key, one.value) for one in chosen] == [("c", 2.0)]


def test_uncertain_and_dissimilar_photos_come_first(app: FastAPI, client: httpx.Client) -> None:
    reader = app.state.reading.load()
    assert isinstance(reader, RecordedReader)
    plain = stored(client, 60)
    reader.reading = recorded_reading(doubtful=True)
    doubtful = stored(client, 61)
    alike = client.post(
        "/v1/hands",
        files={"photo": ("again.jpg", _slightly_darker(61))},
        data={"rules": "mcr-1998"},
    ).json()
    found = client.get("/v1/learning/suggestions").json()["suggestions"]
    order = [one["hand"] for one in found]
    assert order[0] in (doubtful["id"], alike["id"])
    assert order[1] == plain["id"], "the copy of a suggested photo teaches nothing more"
    assert found[2]["novelty"] < 0.2
    corrected(client, doubtful, confirmed=True)
    left = [one["hand"] for one in client.get("/v1/learning/suggestions").json()["suggestions"]]
    assert left == [plain["id"], alike["id"]], "it resembles what is labelled now"


def _slightly_darker(seed: int) -> bytes:
    picture = cv2.imdecode(np.frombuffer(photo(seed), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return cv2.imencode(".jpg", (picture * 0.9).astype(np.uint8))[1].tobytes()


def test_shares_corrected(client: httpx.Client) -> None:
    right, wrong = stored(client, 70), stored(client, 71)
    stored(client, 72)
    corrected(client, right, confirmed=True)
    hand = dict(wrong["result"]["hand"])
    parts = {key: hand[key] for key in ("melds", "winning_tile", "flowers")}
    for first in ("4m", "5m"):  # corrected twice, counted once
        corrected(
            client,
            wrong,
            hand={**parts, "concealed": [first, *hand["concealed"][1:]]},
            tile_ids=ids_of(wrong),
        )
    (row,) = client.get("/v1/learning/drift").json()["rows"]
    assert (row["hands"], row["tiles"], row["tiles_corrected"]) == (2, 32, 1)
    assert (row["groups"], row["groups_corrected"], row["offer"]) == (10, 0, False)
    metrics = client.get("/metrics").text
    labels = '{model="recorded 1",tile_set="none"}'
    assert f"hupai_tiles_checked_total{labels} 32.0" in metrics
    assert f"hupai_tiles_corrected_total{labels} 1.0" in metrics
