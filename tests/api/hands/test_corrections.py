"""What a stored hand keeps of its form and its corrections: statements, marks, unusual bodies."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.contract.reading import TileIds
from hupai.api.hands.corrected_reading import corrected_reading
from hupai.api.web.settings import Settings
from hupai.scoring.tiles import Tile
from tests.api.hands.test_routes import new_photo, send
from tests.api.service import (
    HAND,
    NOTATION,
    RecordedReader,
    client_of,
    question_about,
    recorded_reading,
)

QUAD = [[1, 1], [20, 1], [20, 30], [1, 30]]


def stored(client: httpx.Client, **form: str) -> str:
    """The path of a new hand."""
    return send(client, new_photo(), **form).headers["location"]


def test_a_circumstance_stated_as_by_default_makes_another_request(client: httpx.Client) -> None:
    data = new_photo()
    open_one = send(client, data, circumstances="{}").json()
    stated = send(client, data, circumstances='{"self_drawn": false}').json()
    assert open_one["id"] != stated["id"]
    assert "self_drawn" in open_one["result"]["verdict"]["unknown"]
    assert "self_drawn" not in stated["result"]["verdict"]["unknown"]
    assert send(client, data, circumstances='{"self_drawn": false}').json()["id"] == stated["id"]


def test_what_nobody_stated_is_asked_once_the_hand_is_known() -> None:
    reader = RecordedReader(replace(recorded_reading(), hands=()))
    with client_of(create_app(Settings(preload=False), reader)) as client:
        hand = stored(client, circumstances='{"seat_wind": "E"}')
        assert client.get(hand).json()["result"] is None
        assert client.get(hand).json()["circumstances"]["self_drawn"] is False
        corrected = client.patch(hand, json={"notation": NOTATION}).json()
    unknown = corrected["result"]["verdict"]["unknown"]
    assert "self_drawn" in unknown
    assert "seat_wind" not in unknown


def test_going_back_takes_marks_back_that_change_no_score(client: httpx.Client) -> None:
    hand = stored(client)
    added = {"added_tiles": [{"id": 99, "tile": "5m", "quad": QUAD}]}
    assert client.patch(hand, json=added).json()["version"] == 2
    assert client.patch(hand, json={"back_to": 0}).json()["version"] == 3
    assert client.patch(hand, json={"back_to": 0}).json()["version"] == 3, "may be repeated"
    again = client.patch(hand, json=added)
    assert again.status_code == 200, "the id is free again"


@pytest.mark.parametrize("name", ["tile_ids", "hand", "notation"])
def test_null_says_nothing(client: httpx.Client, name: str) -> None:
    hand = stored(client)
    assert client.patch(hand, json={name: None, "reason": "looked"}).status_code == 200
    assert client.get(f"{hand}/annotated").status_code == 200


def test_null_answers_no_question_about_a_tile() -> None:
    reader = RecordedReader(recorded_reading(doubtful=True))
    with client_of(create_app(Settings(preload=False), reader)) as client:
        hand = stored(client)
        asked = client.get(hand).json()["result"]
        for name in ("hand", "notation"):
            answer = client.patch(hand, json={name: None, "reason": f"no {name}"})
            assert question_about(answer.json()["result"], "tile") == question_about(asked, "tile")
        assert client.get(hand).json()["version"] == 3


def test_more_flowers_than_there_are_may_be_stated_with_ids(client: httpx.Client) -> None:
    path = stored(client)
    hand = client.get(path).json()["result"]["hand"] | {"flowers": ["1h"] * 9}
    answer = client.patch(path, json={"hand": hand, "tile_ids": {"concealed": [0]}})
    assert answer.status_code == 200, answer.text
    assert client.get(f"{path}/annotated").status_code == 200


def test_a_share_token_of_other_characters_opens_nothing(client: httpx.Client) -> None:
    hand = stored(client)
    client.put(f"{hand}/share")
    answer = client.get(hand, params={"share": "密"})
    assert answer.status_code == 404


def test_a_red_five_that_is_another_tile_is_red_no_longer() -> None:
    read = recorded_reading()
    red = replace(read, tiles=(replace(read.tiles[3], tile=Tile.P5, red=True),))
    ids = TileIds(concealed=[3])
    four = corrected_reading(red, replace(HAND, concealed=(Tile.P4,)), ids)
    five = corrected_reading(red, replace(HAND, concealed=(Tile.P5,)), ids)
    assert [tile.red for tile in (*four.tiles, *five.tiles)] == [False, True]
