"""What to check next, and how much was corrected."""

from __future__ import annotations

import cv2
import httpx
import numpy as np
import pytest
from fastapi import FastAPI

from hupai.api.learning.ranking import (
    WIDTH,
    Candidate,
    Doubt,
    Labelled,
    doubt_of,
    entropy,
    in_order,
)
from hupai.scoring.tiles import Tile
from tests.api.learning.test_export import app, client, corrected, ids_of, photo, stored
from tests.api.service import RecordedReader, recorded_reading

__all__ = ["app", "client"]


def torn(*pairs: tuple[Tile, Tile]) -> np.ndarray:
    """Tiles that may as well show one face as another: a bit of doubt each."""
    tiles = np.zeros((len(pairs), WIDTH), np.float32)
    for row, pair in zip(tiles, pairs, strict=True):
        row[list(pair)] = 0.5
    return tiles


DOTS, WINDS = (Tile.P1, Tile.P2), (Tile.EAST, Tile.SOUTH)


def test_the_uncertainty_of_a_reading_in_bits() -> None:
    assert entropy([0.5, 0.5]) == pytest.approx(1)
    assert entropy([1.0, 0.0]) == 0
    assert Doubt(torn(DOTS, WINDS)).by_tile.tolist() == pytest.approx([1, 1])
    assert doubt_of(recorded_reading(doubtful=True)).bits > doubt_of(recorded_reading()).bits


def test_doubts_unlike_those_with_labels_come_first() -> None:
    doubts = {"a": torn(DOTS, DOTS), "b": torn(DOTS, DOTS, DOTS), "c": torn(WINDS, WINDS)}

    def candidates() -> list[Candidate]:
        return [Candidate(key, None, Doubt(tiles)) for key, tiles in doubts.items()]

    chosen = in_order(candidates(), (), 3)
    assert [one.key for one in chosen] == ["b", "c", "a"], "b resolves the doubts of a"
    assert [one.value for one in chosen] == pytest.approx([5, 2, 0])
    chosen = in_order(candidates(), [Labelled(None, torn(DOTS))], 3)
    assert [one.key for one in chosen] == ["c", "b", "a"]
    assert [one.value for one in chosen] == pytest.approx([2, 0, 0], abs=1e-5)


def test_a_photo_that_stands_for_many_comes_before_a_more_doubtful_one() -> None:
    usual = [Candidate(f"usual {i}", None, Doubt(torn(DOTS))) for i in range(4)]
    odd = Candidate("odd", None, Doubt(torn(WINDS, (Tile.M1, Tile.M2))))
    chosen = in_order([odd, *usual], (), 2)
    assert [one.key for one in chosen] == ["usual 3", "odd"]


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
