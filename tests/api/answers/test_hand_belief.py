"""The verdict on a photographed hand over HTTP: what is asked, answered by PATCH, and what it comes
to then.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from hupai.api.answers.doubts import hands_by_doubts
from hupai.api.answers.hand_belief import HandBelief, WinningTileError
from hupai.api.app.factory import create_app
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.score import DoubtModel, ScoreAnswer
from hupai.api.hands.outcomes import belief_of
from hupai.api.storage.rows import HandRow
from hupai.api.web.settings import Settings
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import format_hand, parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from hupai.vision.types import LikelyHand, Reading
from tests.api.hands.test_recognition import problem
from tests.api.service import MCR, RecordedReader, client_of, photo_file, picture, recorded_reading
from tests.vision.pictures import detections, table

TABLES = {
    "tile": "1m2m3m4p5p6p2s3s4sEE5m6m _ 7m:4m40",
    "kong of unknown kind": "1m2m3m4p5p6p7s8s9sPP _ EEEE",
    "hidden kong": "1m2m3m4p5p6p7s8s9sP _ ???? _ P",
    "winning tile": "1m2m3m4p5p6p7s8s9sEEEPP",
    "pungs": "1m2m3m4p5p6p7s8s9sPPEE _ E:P40",
    "suits": "1m2m3m4p5p6p7p8p9p5p _ 7m7m7m _ 5p",
    "13 tiles": "1m2m3m4p5p6p7s8s9sEEEP",
}


@pytest.fixture(scope="module")
def reader() -> RecordedReader:
    return RecordedReader(Reading())


@pytest.fixture(scope="module")
def client(reader: RecordedReader) -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False), reader)) as client:
        yield client


def send(
    client: httpx.Client,
    reader: RecordedReader,
    table_text: str,
    rule_set: str = MCR,
    won: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """POST /v1/hands with a photo of that table."""
    reader.reading = read(arrange(detections(table(TABLES[table_text]))), rule_sets.get(rule_set))
    form = {"rules": rule_set, "circumstances": json.dumps(won or {})}
    answer = client.post(
        "/v1/hands", files=photo_file(picture(form="PNG") + uuid.uuid4().bytes), data=form
    )
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def patch(client: httpx.Client, hand: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    answer = client.patch(f"/v1/hands/{hand['id']}", json=change)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def shares(outcomes: list[dict[str, Any]]) -> dict[tuple[Any, ...], float]:
    return {
        (o["total"], o["legal"], o["winner_receives"]): o["probability"]
        for o in outcomes
        if o["legal"]
    }


@pytest.mark.parametrize(
    "table_text",
    [
        pytest.param("pungs", marks=pytest.mark.nightly),
        pytest.param("kong of unknown kind", marks=pytest.mark.nightly),
        "winning tile",
    ],
)
def test_each_answer_gives_the_predicted_score(
    client: httpx.Client, reader: RecordedReader, table_text: str
) -> None:
    won = {
        "last_tile": False,
        "last_of_kind": False,
        "robbing_kong": False,
        "kong_replacement": False,
    }
    question = send(client, reader, table_text, won=won)["result"]["verdict"]["question"]
    for option in question["options"][:3]:
        hand = send(client, reader, table_text, won=won)
        after = patch(client, hand, option["change"])
        got, said = shares(after["result"]["verdict"]["outcomes"]), shares(option["outcomes"])
        for outcome in {*got, *said}:
            assert got.get(outcome, 0) == pytest.approx(said.get(outcome, 0), abs=0.04)
        again = patch(client, hand, {"rules": MCR})
        assert again["result"] == after["result"], "what was answered stays answered"


@pytest.mark.parametrize(
    ("table_text", "rule_set"),
    [
        pytest.param("kong of unknown kind", MCR, marks=pytest.mark.nightly),
        ("tile", "mcr-2006"),
        pytest.param("suits", "sichuan-2024", marks=pytest.mark.nightly),
        pytest.param("winning tile", "kc-2.5", marks=pytest.mark.nightly),
    ],
)
def test_answering_all_questions_settles_the_score(
    client: httpx.Client, reader: RecordedReader, table_text: str, rule_set: str
) -> None:
    hand = send(client, reader, table_text, rule_set)
    asked = []
    while (question := hand["result"]["verdict"]["question"]) is not None:
        asked.append((question["about"], question["name"], tuple(question["tiles"])))
        assert len(asked) < 14
        hand = patch(client, hand, question["options"][0]["change"])
    assert len(asked) == len(set(asked))
    verdict = hand["result"]["verdict"]
    assert verdict["agreed"]
    outcome = verdict["outcomes"][0]
    assert str(outcome["total"]) in verdict["message"]
    assert str(outcome["total"]) in verdict["message_zh"]
    score = hand["result"]["score"]
    assert (score["total"], score["legal"], score["winner_receives"]) == (
        outcome["total"], outcome["legal"], outcome["winner_receives"],
    )  # fmt: skip


def test_a_kong_that_lies_face_down_is_asked_for(
    client: httpx.Client, reader: RecordedReader
) -> None:
    hand = send(client, reader, "hidden kong")
    result = hand["result"]
    assert result["hand"]["melds"] == [
        {"kind": "concealed_kong", "tiles": ["?"] * 4, "claimed_from": None}
    ]
    assert "face_down_tile" in [found["code"] for found in result["score"]["problems"]]
    question = result["verdict"]["question"]
    assert question["about"] == "kong"
    down = {tile["id"] for tile in hand["reading"]["tiles"] if tile["tile"] == "?"}
    assert set(question["tiles"]) == down
    option = next(option for option in question["options"] if option["value"] == "E")
    patched = patch(client, hand, {**option["change"], "reason": "He showed them."})
    assert patched["result"]["hand"]["melds"][0]["tiles"] == ["E"] * 4
    assert patched["result"]["score"]["total"] == option["outcomes"][0]["total"]
    assert patched["corrections"][0]["reason"] == "He showed them."


def test_the_kind_of_a_kong_is_asked_for(client: httpx.Client, reader: RecordedReader) -> None:
    verdict = send(client, reader, "kong of unknown kind")["result"]["verdict"]
    question = next(q for q in [verdict["question"], *verdict["further"]] if q["about"] == "melds")
    assert (question["about"], question["message"], question["message_zh"]) == (
        "melds", "Was the kong of E concealed or claimed?", "东的杠是暗杠还是明杠？",
    )  # fmt: skip
    labels = {
        option["value"]: (option["label_en"], option["label_zh"]) for option in question["options"]
    }
    assert labels == {"concealed_kong": ("concealed", "暗杠"), "kong": ("claimed", "明杠")}


def test_a_given_circumstance_is_not_unknown(client: httpx.Client, reader: RecordedReader) -> None:
    hand = send(client, reader, "tile", won={"self_drawn": False, "seat_wind": "E"})
    unknown = hand["result"]["verdict"]["unknown"]
    assert not {"self_drawn", "seat_wind"} & set(unknown)
    assert "last_tile" in unknown
    patched = patch(client, hand, {"circumstances": {"last_tile": True}})["result"]["verdict"][
        "unknown"
    ]
    assert "self_drawn" in patched, "circumstances are replaced as a whole"
    assert "last_tile" not in patched


def test_an_answer_to_an_unknown_question_is_a_problem(
    client: httpx.Client, reader: RecordedReader
) -> None:
    hand = send(client, reader, "tile")
    change = hand["result"]["verdict"]["question"]["options"][0]["change"]
    patch(client, hand, change)
    path = f"/v1/hands/{hand['id']}"
    problem(client.patch(path, json=change), 422, "invalid-request")
    problem(client.patch(path, json={**change, "rules": MCR}), 422, "invalid-request")


@pytest.mark.nightly
def test_undoing_an_answer_restores_what_it_ruled_out(
    client: httpx.Client, reader: RecordedReader
) -> None:
    hand = send(client, reader, "kong of unknown kind")
    patched = {"circumstances": {"self_drawn": False, "last_tile": False}}
    before = patch(client, hand, patched)
    questions = [before["result"]["verdict"]["question"], *before["result"]["verdict"]["further"]]
    kind = next(question for question in questions if question["about"] == "melds")
    answered = patch(client, hand, kind["options"][1]["change"])
    assert answered["result"] != before["result"]
    back = patch(client, hand, {"back_to": 1, "reason": "Tapped by mistake."})
    for name in ("rules", "circumstances", "result"):
        assert back[name] == before[name]
    assert [one["position"] for one in back["corrections"]] == [1, 2, 3]
    assert patch(client, hand, kind["options"][1]["change"])["result"] == answered["result"], (
        "it can be answered again"
    )
    assert patch(client, hand, {"back_to": 0})["result"] == hand["result"]
    assert patch(client, hand, patched)["result"] == before["result"]


def test_a_withdrawn_circumstance_is_unknown_again(
    client: httpx.Client, reader: RecordedReader
) -> None:
    hand = send(client, reader, "tile")
    patch(client, hand, {"notation": "123m456p234sEE56m+4m"})
    patch(client, hand, {"back_to": 0})
    question = next(
        q
        for q in [hand["result"]["verdict"]["question"], *hand["result"]["verdict"]["further"]]
        if q["about"] == "winning_tile"
    )
    assert patch(client, hand, question["options"][0]["change"])["result"]["score"] is not None
    path = f"/v1/hands/{hand['id']}"
    problem(client.patch(path, json={"back_to": 9}), 422, "invalid-request")
    problem(client.patch(path, json={"back_to": 0, "rules": MCR}), 422, "invalid-request")


def test_a_corrected_hand_is_the_only_hypothesis(
    client: httpx.Client, reader: RecordedReader
) -> None:
    hand = send(client, reader, "tile", won={"self_drawn": False, "last_tile": False})
    assert len(hand["result"]["verdict"]["hands"]) > 1
    patched = patch(client, hand, {"notation": "12356m456p234sEE+4m"})["result"]["verdict"]
    assert [one["notation"] for one in patched["hands"]] == ["12356m456p234sEE +4m"]
    assert patched["unknown"] == hand["result"]["verdict"]["unknown"]


def test_the_doubts_of_a_corrected_hand_are_weighed(
    client: httpx.Client, reader: RecordedReader
) -> None:
    hand = send(client, reader, "tile", won={"self_drawn": False})
    patched = {
        "concealed": ["1m", "2m", "3m", "5m", "6m", "4p", "5p", "6p", "2s", "3s", "4s", "E", "E"],
        "winning_tile": "7m",
    }
    doubt = {"id": 13, "part": "winning_tile", "confidence": 0.6, "alternatives": [["4m", 0.4]]}
    verdict = patch(client, hand, {"hand": patched, "doubts": [doubt]})["result"]["verdict"]
    assert [round(one["probability"], 6) for one in verdict["hands"]] == [0.6, 0.4]
    question = next(q for q in [verdict["question"], *verdict["further"]] if q["about"] == "tile")
    assert question["tiles"] == [13]
    assert {option["value"]: option["probability"] for option in question["options"]} == {
        "7m": 0.6,
        "4m": 0.4,
    }


def test_thirteen_tiles_are_answered_with_their_waits(
    client: httpx.Client, reader: RecordedReader
) -> None:
    verdict = send(client, reader, "13 tiles")["result"]["verdict"]
    assert verdict["question"] is None
    assert verdict["message"] == "not won, waits for P"
    assert verdict["outcomes"][0]["waits"][0][0] == "P"


def test_thirteen_tiles_whose_suits_bar_a_win_are_not_said_to_wait(client: httpx.Client) -> None:
    asked = {"rules": "sichuan-2024", "notation": "123456m2255p678s"}
    answer = client.post("/v1/scores", json=asked).json()
    assert [wait["tile"] for wait in answer["waits"]] == ["2p", "5p"]
    assert [bar["code"] for bar in answer["bars"]] == ["three_suits"]
    assert answer["verdict"]["outcomes"][0]["waits"] == []
    ready = client.post("/v1/scores", json=asked | {"notation": "123456789m2255p"}).json()
    assert ready["bars"] == []
    assert len(ready["verdict"]["outcomes"][0]["waits"]) == 2


def test_a_stated_hand_is_one_hypothesis_with_nothing_open(client: httpx.Client) -> None:
    answer = client.post("/v1/scores", json={"rules": MCR, "notation": "123m456p789sEEEP+P"}).json()
    verdict = answer["verdict"]
    assert (verdict["agreed"], verdict["question"], verdict["unknown"]) == (True, None, [])
    assert [one["notation"] for one in verdict["hands"]] == [answer["notation"]]
    assert verdict["outcomes"][0]["total"] == answer["score"]["total"]
    assert verdict["unit"] == answer["score"]["unit"] == "fan"


def test_a_winning_tile_that_changes_nothing_is_not_asked_for(client: httpx.Client) -> None:
    answer = client.post(
        "/v1/scores", json={"rules": "sichuan-2024", "notation": "22446688m22446p6p"}
    ).json()
    verdict, score = answer["verdict"], answer["score"]
    assert verdict["agreed"]
    assert (verdict["question"], verdict["further"]) == (None, [])
    assert answer["hand"]["winning_tile"] is None
    assert (score["total"], score["legal"]) == (verdict["outcomes"][0]["total"], True)
    assert [fan["id"] for fan in score["fans"]] == ["seven_pairs"]
    assert not any(part["has_winning_tile"] for part in score["split"])
    assert verdict["unit"] == "points"


def test_a_stored_result_with_the_older_question_field_can_be_opened(
    client: httpx.Client,
) -> None:
    request = {"rules": "sichuan-2024", "notation": "22446688m22446p6p"}
    answer = client.post("/v1/scores", json=request).json()
    option = {"tile": "2m", "total": 8, "unit": "points"}
    older = {
        **answer,
        "verdict": {name: value for name, value in answer["verdict"].items() if name != "unit"},
        "questions": [{"code": "which_winning_tile", "options": [option]}],
    }
    opened = ScoreAnswer.model_validate(older).model_dump(mode="json")
    assert opened == answer, "the older questions are ignored, the unit is theirs"


def test_a_hand_stored_before_verdicts_existed_can_be_corrected(
    client: httpx.Client, reader: RecordedReader
) -> None:
    """Its stored result has none, but the questions of that time."""
    reader.reading = recorded_reading()
    answer = client.post(
        "/v1/hands", files=photo_file(picture(form="PNG") + uuid.uuid4().bytes), data={"rules": MCR}
    ).json()
    result = {key: value for key, value in answer["result"].items() if key != "verdict"}
    result["questions"] = [{"code": "which_face", "tiles": [14], "matters": True, "options": []}]
    row = HandRow(
        rules=MCR, circumstances=answer["circumstances"], reading=answer["reading"], result=result
    )
    belief = belief_of(row)
    assert [likely.probability for likely in belief.reading.hands] == [1.0]
    assert belief.unknown == ()


def test_doubtful_tiles_give_only_possible_hands() -> None:
    hand = parse_hand("1111m23m456p55sEE +E")
    doubts = [
        DoubtModel(
            id=0,
            part="concealed",
            index=4,
            confidence=0.5,
            alternatives=[("1m", 0.3), ("4m", 0.2)],
        ),
        DoubtModel(id=1, part="winning_tile", confidence=0.9, alternatives=[("S", 0.1)]),
    ]
    likely = hands_by_doubts(hand, doubts)
    assert sum(one.probability for one in likely) == pytest.approx(1)
    assert all(one.hand.all_tiles.count(Tile.M1) <= 4 for one in likely)
    assert [round(one.probability, 4) for one in likely] == [0.6429, 0.2571, 0.0714, 0.0286]
    assert likely[0].hand == hand
    assert replace(likely[2].hand, winning_tile=Tile.EAST) == hand


def test_a_red_five_that_may_be_another_tile_is_red_only_as_a_five() -> None:
    rules = rule_sets.get("riichi-online")
    hand = parse_hand("12340m11p234567s[678s] +1p")
    place = hand.concealed.index(Tile.M5)
    doubt = DoubtModel(
        id=1, part="concealed", index=place, confidence=0.6, alternatives=[("7m", 0.4)]
    )
    five, seven = (one.hand for one in hands_by_doubts(hand, [doubt]))
    assert (five.all_red_fives, seven.all_red_fives) == ((Tile.M5,), ())
    codes = {one.code for one in rules.score(seven, Circumstances()).problems}
    assert "too_many_red_fives" not in codes
    meld = parse_hand("123m11p234567s[406m]")
    chow = DoubtModel(id=1, part="meld", position=1, confidence=0.6, alternatives=[("2m", 0.4)])
    assert [one.hand.all_red_fives for one in hands_by_doubts(meld, [chow])] == [(Tile.M5,), ()]


def test_a_winning_tile_chooses_a_likely_hand_that_holds_it() -> None:
    written = ("1133557m226688p+7m", 0.6), ("1133557m226689p+7m", 0.3), ("113355m2266899p+7m", 0.1)
    hands = tuple(LikelyHand(parse_hand(hand), probability) for hand, probability in written)
    belief = HandBelief(Reading(hands=hands), CircumstancesModel())
    left = belief.won_by(Tile.P9).reading.hands
    assert [format_hand(one.hand) for one in left] == ["11335577m22668p +9p", "1133557m226689p +9p"]
    with pytest.raises(WinningTileError, match=r"the hand 1133557m226688p \+7m has no 9s") as error:
        belief.won_by(Tile.S9)
    assert error.value.message_zh == "手牌 1133557m226688p +7m 没有 9s，其他可能的手牌也没有"


def test_a_winning_tile_that_no_likely_hand_holds_is_refused(
    client: httpx.Client, reader: RecordedReader
) -> None:
    reader.reading = recorded_reading()
    data = picture(form="PNG") + uuid.uuid4().bytes
    form = {"rules": MCR, "winning_tile": "9p"}
    refused = client.post("/v1/hands", files=photo_file(data), data=form)
    problem(refused, 422, "invalid-request")
    (error,) = refused.json()["errors"]
    assert error["field"] == "winning_tile"
    assert "(9999s) 1h +1m has no 9p" in error["message"]
    hand = client.post("/v1/hands", files=photo_file(data), data={"rules": MCR}).json()
    answer = client.patch(f"/v1/hands/{hand['id']}", json={"winning_tile": "9p"})
    assert problem(answer, 422, "invalid-request")["errors"] == [error]


def test_a_hand_of_13_is_completed_by_the_winning_tile(
    client: httpx.Client, reader: RecordedReader
) -> None:
    hand = send(client, reader, "13 tiles")
    result = patch(client, hand, {"winning_tile": "9p"})["result"]
    assert result["notation"] == "123m456p789sEEEP +9p"
