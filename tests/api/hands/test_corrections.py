"""What a stored hand keeps of its form and its corrections: statements, marks, unusual bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.contract.reading import TileIds
from hupai.api.hands import store
from hupai.api.hands.corrected_reading import corrected_reading
from hupai.api.web.settings import Settings
from hupai.scoring.tiles import Tile
from tests.api.hands.test_recognition import problem
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


def test_a_change_with_marks_may_be_sent_again(client: httpx.Client) -> None:
    """Its answer may have been lost, and more may have been done since."""
    path = stored(client)
    hand = client.get(path).json()["result"]["hand"]
    added = [{"id": 90, "tile": "6h", "quad": QUAD}]
    change = {
        "hand": hand | {"flowers": ["6h"]},
        "tile_ids": FITTING | {"flowers": [90]},
        "added_tiles": added,
        "no_tiles": [15],
    }
    further = {
        "hand": hand | {"flowers": ["6h", "7h"]},
        "tile_ids": FITTING | {"flowers": [90, 91]},
        "added_tiles": [*added, {"id": 91, "tile": "7h", "quad": QUAD}],
        "no_tiles": [15],
    }
    for version, body in ((2, change), (3, further)):
        first, again = client.patch(path, json=body), client.patch(path, json=body)
        assert (first.status_code, first.json()["version"]) == (200, version), first.text
        assert (again.status_code, again.json()) == (200, first.json())
    changes = [one["change"] for one in client.get(path).json()["corrections"]]
    assert [[tile["id"] for tile in one["added_tiles"]] for one in changes] == [[90], [91]]
    assert [one["no_tiles"] for one in changes] == [[15], []]
    assert client.get(f"{path}/annotated").status_code == 200


@pytest.mark.parametrize(
    "other",
    [
        {"tile": "6m"},
        {"quad": [[2, 1], [20, 1], [20, 30], [1, 30]]},
    ],
)
def test_another_tile_under_an_id_that_was_added_is_refused(
    client: httpx.Client, other: dict[str, Any]
) -> None:
    path = stored(client)
    added = {"id": 99, "tile": "5m", "quad": QUAD}
    assert client.patch(path, json={"added_tiles": [added]}).json()["version"] == 2
    assert client.patch(path, json={"added_tiles": [added | other]}).status_code == 422
    assert client.patch(path, json={"confirmed": True}).json()["version"] == 3
    again = client.patch(path, json={"added_tiles": [added]})
    assert (again.status_code, again.json()["version"]) == (200, 3)


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
    for ids in ({"concealed": [*range(7)]}, {"flowers": [15, *[None] * 8]}):
        answer = client.patch(path, json={"hand": hand, "tile_ids": ids})
        assert answer.status_code == 200, answer.text
        assert client.get(f"{path}/annotated").status_code == 200


FITTING: dict[str, Any] = {
    "concealed": [0, 1, 2, 3, 4, 5, 6],
    "melds": [[7, 8, 9], [10, 11, 12, 13]],
    "winning_tile": 14,
    "flowers": [15],
}
"""Which tile of the reading each tile of the hand is."""


@pytest.mark.parametrize(
    ("ids", "field", "said", "said_zh"),
    [
        ({"concealed": [0]}, "concealed", "give 7 ids", "7 个编号"),
        ({"concealed": [*range(7), None]}, "concealed", "leave it out", "省略"),
        ({"melds": [[7, 8, 9]]}, "melds", "give 2 lists", "2 个列表"),
        ({"melds": [[7, 8, 9], [10, 11, 12]]}, "melds.1", "give 4 ids", "4 个编号"),
        ({"flowers": [15, None]}, "flowers", "give 1 ids", "1 个编号"),
        ({"concealed": [0, 0, 2, 3, 4, 5, 6]}, "", "tile 0 is named more than once", "0 重复"),
        ({"winning_tile": 6}, "", "tile 6 is named more than once", "6 重复"),
        ({"flowers": [99]}, "", "the photo has no tile 99", "99 的牌"),
    ],
)
@pytest.mark.parametrize("stated", ["hand", "notation", "nothing"])
def test_ids_that_do_not_fit_the_hand_are_refused(
    client: httpx.Client, stated: str, ids: dict[str, Any], field: str, said: str, said_zh: str
) -> None:
    path = stored(client)
    before = client.get(path).json()
    hand = {"hand": before["result"]["hand"], "notation": NOTATION}
    body = {name: hand[name] for name in hand if name == stated}
    answer = client.patch(path, json={**body, "tile_ids": FITTING | ids})
    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == "/problems/invalid-request"
    (error,) = answer.json()["errors"]
    assert error["field"] == ".".join(filter(None, ("tile_ids", field)))
    assert said in error["message"]
    assert said_zh in error["message_zh"]
    assert client.get(path).json() == before
    assert client.patch(path, json={**body, "tile_ids": FITTING}).status_code == 200


def test_ids_of_a_winning_tile_need_one(client: httpx.Client) -> None:
    path = stored(client)
    hand = client.get(path).json()["result"]["hand"]
    won, ids = hand["winning_tile"], {**FITTING, "concealed": []}
    body = {"hand": {**hand, "winning_tile": None}, "tile_ids": ids}
    for more, field in (({}, "tile_ids.winning_tile"), ({"winning_tile": won}, "winning_tile")):
        (error,) = client.patch(path, json=body | more).json()["errors"]
        assert error["field"] == field
        assert "in `hand`" in error["message"]
        assert "hand" in error["message_zh"]


def test_a_tile_that_was_struck_out_may_come_back(client: httpx.Client) -> None:
    """The page names it where striking it out was undone before that was stored."""
    path = stored(client)
    hand = client.get(path).json()["result"]["hand"]
    without = {"hand": {**hand, "flowers": []}, "tile_ids": {**FITTING, "flowers": []}}
    both = client.patch(path, json={"hand": hand, "tile_ids": FITTING, "no_tiles": [15]})
    assert both.json()["errors"][0]["field"] == "tile_ids"
    for body in ({**without, "no_tiles": [15]}, {"hand": hand, "tile_ids": FITTING}):
        assert client.patch(path, json=body).status_code == 200


def test_ids_stored_before_they_were_checked_can_be_read(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(client)
    hand = client.get(path).json()["result"]["hand"]
    ids = {"concealed": [0, 0, 99], "melds": [[7]], "winning_tile": 14, "flowers": [14]}
    with monkeypatch.context() as before:
        before.setattr("hupai.api.hands.outcomes.misfits", lambda *_: [])
        assert client.patch(path, json={"hand": hand, "tile_ids": ids}).status_code == 200
    assert client.get(path).json()["corrections"][0]["change"]["tile_ids"] == ids
    assert client.get(f"{path}/annotated").status_code == 200
    assert client.patch(path, json={"hand": hand, "tile_ids": FITTING}).status_code == 200
    assert client.patch(path, json={"back_to": 1}).status_code == 200


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


def test_a_correction_made_during_a_deletion_is_not_lost(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(client)
    tag = client.get(path).headers["etag"]
    remove = store.remove

    def corrected_first(*arguments: Any) -> bool:
        client.patch(path, json={"reason": "looked again"}).raise_for_status()
        return remove(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(store, "remove", corrected_first)
        late = client.delete(path, headers={"if-match": tag})
    assert problem(late, 412, "precondition-failed")["version"] == 2
    now = client.get(path)
    assert late.headers["etag"] == now.headers["etag"]
    assert [one["reason"] for one in now.json()["corrections"]] == ["looked again"]
    assert client.get(f"{path}/photo").status_code == 200
    assert client.delete(path, headers={"if-match": now.headers["etag"]}).status_code == 204
