"""Hands in, scores out: what is illegal is data, what is malformed is a problem."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.contract import to_dict
from hupai.api.contract.circumstances import DESCRIPTIONS
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.web.settings import Settings
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from hupai.scoring.rule_sets import all_rules, get
from hupai.scoring.tiles import CODES, Tile
from hupai.vision.types import Reading
from tests.api.hands.test_recognition import problem
from tests.api.service import MCR, NOTATION, RecordedReader, client_of, questions


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False), RecordedReader(Reading()))) as client:
        yield client


def score(client: httpx.Client, **request: Any) -> dict[str, Any]:
    """The answer of POST /v1/scores."""
    answer = client.post("/v1/scores", json={"rules": MCR, **request})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.parametrize("rules", [rules.id for rules in all_rules()])
def test_every_rule_set_answers_as_the_scoring_package_does(
    client: httpx.Client, rules: str
) -> None:
    notation = "123456m111222p5s+5s"
    body = score(client, rules=rules, notation=notation, circumstances={"self_drawn": True})
    assert body["score"] == to_dict(
        get(rules).score(parse_hand(notation), Circumstances(self_drawn=True))
    )


def test_five_of_a_tile_is_reported_with_every_other_problem_at_once(client: httpx.Client) -> None:
    hand = {"concealed": ["1m"] * 5 + ["E"] * 6, "winning_tile": "9p", "flowers": ["1h", "1h"]}
    codes = {p["code"] for p in score(client, hand=hand)["score"]["problems"]}
    assert {"five_of_a_kind", "wrong_count", "duplicate_flower"} <= codes


def test_a_hand_of_13_is_answered_with_its_waits(client: httpx.Client) -> None:
    body = score(client, notation="123456789m11p23s", circumstances={"seat_wind": "E"})
    assert body["score"]["complete"] is False
    assert [wait["tile"] for wait in body["waits"]] == ["1s", "4s"]
    discard = next(way for way in body["waits"][0]["ways"] if way["way"] == "discard")
    won = score(client, notation="123456789m11p23s+1s", circumstances={"seat_wind": "E"})
    assert discard["total"] == won["score"]["total"]
    assert won["waits"] == []


def test_what_is_not_stated_is_asked_only_where_that_is_wanted(client: httpx.Client) -> None:
    whole = {"notation": "123456789m11p23s+1s"}
    assumed = score(client, **whole)
    assert (questions(assumed), assumed["verdict"]["unknown"]) == ([], [])
    asked = score(client, **whole, ask=True)
    assert asked["score"] == assumed["score"]
    drawn = next(one for one in questions(asked) if one["name"] == "self_drawn")
    totals = {option["value"]: option["outcomes"][0]["total"] for option in drawn["options"]}
    for value, self_drawn in (("false", False), ("true", True)):
        stated = score(client, **whole, circumstances={"self_drawn": self_drawn}, ask=True)
        assert stated["score"]["total"] == totals[value]
        assert "self_drawn" not in [one["name"] for one in questions(stated)]
    implied = score(client, **whole, circumstances={"kong_replacement": True}, ask=True)
    assert implied["circumstances"]["self_drawn"] is True


def test_a_hand_that_no_tile_completes_is_reported_instead_of_asking(client: httpx.Client) -> None:
    body = score(client, notation="147m258p369s13579p")
    assert questions(body) == []
    assert body["score"]["complete"] is False


def test_contradictory_flags_are_a_problem_of_the_hand(client: httpx.Client) -> None:
    body = score(
        client, notation=NOTATION, circumstances={"self_drawn": True, "robbing_kong": True}
    )
    assert "contradictory_flags" in {p["code"] for p in body["score"]["problems"]}
    assert body["score"]["legal"] is False


def test_a_doubt_that_changes_the_score_is_asked_about(client: httpx.Client) -> None:
    hand = {"concealed": list_of("23m55p") + ["E"] * 3 + list_of("567m999s"), "winning_tile": "1m"}
    doubt = {
        "id": 7,
        "part": "winning_tile",
        "confidence": 0.6,
        "alternatives": [["4m", 0.3], ["9p", 0.1]],
    }
    won = {"self_drawn": True, "seat_wind": "E", "round_wind": "E"}
    (question,) = questions(score(client, hand=hand, doubts=[doubt], circumstances=won))
    assert question["about"] == "tile"
    assert question["tiles"] == [7]
    wins = {one["value"]: one["outcomes"][0]["complete"] for one in question["options"]}
    assert wins == {"1m": True, "4m": True, "9p": False}


def list_of(codes: str) -> list[str]:
    """Codes of a run, e.g. 23m55p."""
    return [tile.code for tile in parse_hand(codes).all_tiles]


def test_a_doubt_about_a_tile_that_is_not_there_is_ignored(client: httpx.Client) -> None:
    hand = {"concealed": list_of("123456789m11p23s"), "winning_tile": "1s"}
    doubts = [
        {
            "id": 1,
            "part": "meld",
            "index": 3,
            "position": 2,
            "confidence": 0.5,
            "alternatives": [["4m", 0.3]],
        }
    ]
    assert questions(score(client, hand=hand, doubts=doubts)) == []


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_a_face_of_probability_zero_is_not_an_alternative(
    client: httpx.Client, confidence: float
) -> None:
    melds = [
        {"claimed_from": "left", "kind": "chow", "tiles": ["5m", "6m", "7m"]},
        {"kind": "concealed_kong", "tiles": ["9s"] * 4},
    ]
    hand = {"concealed": list_of("23m55pEEE"), "melds": melds, "winning_tile": "1m"}
    doubt = {"id": 0, "part": "meld", "confidence": confidence, "alternatives": [["C", 0.0]]}
    body = score(client, hand=hand, doubts=[doubt])
    assert len(body["verdict"]["hands"]) == 1


def test_a_doubt_about_a_pung_changes_all_its_tiles(client: httpx.Client) -> None:
    hand = {
        "concealed": list_of("123456789m1p"),
        "melds": [{"kind": "pung", "tiles": ["2s"] * 3}],
        "winning_tile": "1p",
    }
    doubts = [
        {
            "id": at + 5,
            "part": "meld",
            "index": 0,
            "position": at,
            "confidence": 0.5 + at / 10,
            "alternatives": [["3s", 0.4]],
        }
        for at in range(2)
    ]
    body = score(client, hand=hand, doubts=doubts)
    assert [one["notation"] for one in body["verdict"]["hands"]] == [
        "123456789m1p [222s] +1p",
        "123456789m1p [333s] +1p",
    ], "one set, one question"


@pytest.mark.parametrize(
    ("request_body", "field"),
    [
        ({}, "rules"),
        ({"rules": MCR}, "body"),
        ({"rules": MCR, "notation": NOTATION, "hand": {"concealed": []}}, "body"),
        ({"rules": 5, "notation": NOTATION}, "rules"),
        (
            {"rules": MCR, "notation": NOTATION, "circumstances": {"flowers": 99}},
            "circumstances.flowers",
        ),
        (
            {"rules": MCR, "notation": NOTATION, "circumstances": {"self_drawn": "maybe"}},
            "circumstances.self_drawn",
        ),
        ({"rules": MCR, "notation": NOTATION, "misspelt": 1}, "misspelt"),
        ({"rules": MCR, "hand": {"concealed": ["0m"]}}, "hand.concealed.0"),
        ({"rules": MCR, "hand": {"concealed": ["?"]}}, "hand.concealed.0"),
        ({"rules": MCR, "hand": {"concealed": "1m"}}, "hand.concealed"),
        ({"rules": MCR, "hand": {"concealed": ["1m"] * 100}}, "hand.concealed"),
        (
            {"rules": MCR, "hand": {"concealed": [], "melds": [{"kind": "quad", "tiles": ["1m"]}]}},
            "hand.melds.0.kind",
        ),
        ([1, 2], "body"),
    ],
)
def test_wrong_fields_are_named(client: httpx.Client, request_body: object, field: str) -> None:
    errors = problem(client.post("/v1/scores", json=request_body), 422, "invalid-request")["errors"]
    assert field in [error["field"] for error in errors]  # type: ignore[attr-defined]


def test_unknown_rules_and_bad_notation(client: httpx.Client) -> None:
    unknown = problem(
        client.post("/v1/scores", json={"rules": "bridge", "notation": NOTATION}),
        422,
        "unknown-rules",
    )
    assert unknown["known"] == [rules.id for rules in all_rules()]
    bad = problem(
        client.post("/v1/scores", json={"rules": MCR, "notation": "123m4x"}), 422, "bad-notation"
    )
    assert isinstance(bad["position"], int)


@pytest.mark.parametrize(
    ("options", "status", "slug"),
    [
        (
            {"content": b"{broken", "headers": {"content-type": "application/json"}},
            400,
            "bad-request",
        ),
        (
            {"content": b"\xff\xfe{", "headers": {"content-type": "application/json"}},
            400,
            "bad-request",
        ),
        (
            {"content": b"{}", "headers": {"content-type": "text/plain"}},
            415,
            "unsupported-media-type",
        ),
        ({"content": b"{}"}, 415, "unsupported-media-type"),
        ({"content": b"", "headers": {"content-type": "application/json"}}, 422, "invalid-request"),
    ],
)
def test_bodies_that_are_not_json(
    client: httpx.Client, options: dict[str, Any], status: int, slug: str
) -> None:
    problem(client.post("/v1/scores", **options), status, slug)


def test_a_body_far_too_large_for_a_hand_is_refused(client: httpx.Client) -> None:
    body = {"rules": MCR, "hand": {"concealed": ["1m"] * 20_000}}
    problem(client.post("/v1/scores", json=body), 413, "too-large")


def test_rules_are_listed_with_what_to_ask_for(client: httpx.Client) -> None:
    listed = client.get("/v1/rules").json()["rules"]
    assert [item["id"] for item in listed] == [rules.id for rules in all_rules()]
    for item, rules in zip(listed, all_rules(), strict=True):
        assert [c["name"] for c in item["circumstances"]] == list(rules.circumstances)
        assert set(item["tiles"]) == {tile.code for tile in rules.tiles}
        assert item["name_zh"] == rules.name_zh


def test_every_circumstance_is_described_and_accepted() -> None:
    names = {field.name for field in fields(Circumstances)}
    assert set(DESCRIPTIONS) == names
    assert set(CircumstancesModel.model_fields) == names
    assert CircumstancesModel().to_circumstances() == Circumstances()
    default = Circumstances()
    for name, item in DESCRIPTIONS.items():
        assert item.default == getattr(default, name), name
        assert item.label_en, name
        assert item.label_zh, name
        assert set(item.needs) <= names


def test_lists_are_not_sent_twice(client: httpx.Client) -> None:
    for path in ("/v1/rules", "/v1/tiles", "/v1/tiles/5m.svg"):
        first = client.get(path)
        again = client.get(path, headers={"if-none-match": first.headers["etag"]})
        assert (first.status_code, again.status_code) == (200, 304), path
        assert again.content == b""


def test_every_tile_has_names_and_a_drawing(client: httpx.Client) -> None:
    tiles = client.get("/v1/tiles").json()["tiles"]
    assert [tile["code"] for tile in tiles] == list(CODES)
    assert len({tile["name_en"] for tile in tiles}) == len(Tile)
    for tile in (tiles[4], tiles[-1]):
        drawing = client.get(tile["svg"])
        assert drawing.headers["content-type"].startswith("image/svg+xml")
        assert "<svg" in drawing.text
    problem(client.get("/v1/tiles/0m.svg"), 404, "not-found")


@pytest.mark.parametrize(
    "notation",
    ["23m55pEEE ??? (9999s) +1m", "?", "[???,1]", "11112222333344445555666677778888999m +5m"],
)
def test_face_down_tiles_and_more_than_exist_are_answered_with_problems(
    client: httpx.Client, notation: str
) -> None:
    answer = client.post("/v1/scores", json={"rules": "mcr-1998", "notation": notation})
    assert answer.status_code == 200
    codes = {problem["code"] for problem in answer.json()["score"]["problems"]}
    assert codes & {"face_down_tile", "five_of_a_kind", "wrong_count"}
