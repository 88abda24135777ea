"""What is refused is told with its reason, in both languages."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.service import MCR, RecordedReader, client_of, picture, recorded_reading
from tests.api.test_hostile import FILE, known


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    settings = Settings(preload=False, rate_limit=0, data_dir=":temporary:")
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        yield client


JSON = {"content-type": "application/json"}
SCORE = '{"rules": "mcr-1998", "notation": "1m"}'


@pytest.mark.parametrize(
    ("path", "content", "headers", "said", "said_zh"),
    [
        ("scores", SCORE.encode("utf-16"), JSON, "send JSON in UTF-8", "请用 UTF-8 发送"),
        ("scores", SCORE.encode("utf-32-be"), JSON, "in UTF-32-BE", "UTF-32-BE"),
        ("tables", '{"id": "t", "name": "\\u0000"}'.encode("utf-16-le"), JSON, "UTF-16", "UTF-16"),
        ("scores", '{"rules": "é"}'.encode("latin-1"), JSON, "no JSON in UTF-8", "嵌套太深"),
        ("scores", b"[" * 20_000, JSON, "nests too deeply", "嵌套太深"),
        ("scores", b'{"rules": ' + b"9" * 5000 + b"}", JSON, "too long", "数字太长"),
        (
            "scores",
            gzip.compress(SCORE.encode()),
            {**JSON, "content-encoding": "gzip"},
            "Content-Encoding gzip",
            "请不要压缩",
        ),
        (
            "hands",
            b"--b\r\nContent-Dispo\r\n",
            {"content-type": "multipart/form-data; boundary=b"},
            "breaks off",
            "表单不完整",
        ),
        (
            "hands",
            b"--b\r\n" + FILE + b"\r\n--b--\r\n",
            {"content-type": "multipart/form-data; boundary=other"},
            "boundary",
            "boundary",
        ),
    ],
    ids=range(9),
)
def test_a_body_that_cannot_be_parsed_is_told_why_in_both_languages(
    client: httpx.Client,
    path: str,
    content: bytes,
    headers: dict[str, str],
    said: str,
    said_zh: str,
) -> None:
    answer = client.post(f"/v1/{path}", content=content, headers=headers)
    assert known(answer) == "bad-request"
    assert said in answer.json()["detail"]
    assert said_zh in answer.json()["detail_zh"]


ENGLISH = re.compile(r"\b(?:or|and|the|must|be|is|no|got|None|Input|Invalid)\b")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("scores", {"rules": MCR, "notation": "1x"}),
        ("tables", {"id": "t", "language": "fr"}),
        ("tables", {"id": "t", "source": "http://[::1"}),
        ("tables", {"id": "t", "source": "camera:" + "9" * 300}),
        ("tables", {"id": "t", "source": "rtsp://\x01"}),
        ("tables", {"id": "t", "seats": [{"seat": "a", "region": [[0, 0]] * 4}]}),
        ("deals", {"rules": "sichuan-2024"}),
        ("sessions", {"rules": MCR, "players": ["a", "b", "c", "\u202e"], "deals": []}),
        ("scores", {"rules": MCR, "notation": "1m" * 40_000}),
    ],
    ids=range(9),
)
def test_what_is_refused_is_told_in_chinese_alone(
    client: httpx.Client, path: str, body: dict[str, Any]
) -> None:
    answer = client.post(f"/v1/{path}", json=body)
    assert known(answer)
    problem = answer.json()
    told = [problem["detail_zh"], *(one["message_zh"] for one in problem.get("errors", ()))]
    for text in told:
        assert re.search(r"[\u4e00-\u9fff]", text)
        assert not ENGLISH.search(text), text


@pytest.mark.parametrize(
    ("path", "content", "fields"),
    [
        ("/v1/scores", '{"rules": "mcr-1998", "rules": "kc-2.5", "notation": "1m"}', ["rules"]),
        (
            "/v1/scores",
            '{"rules": "mcr-1998", "circumstances": {"self_drawn": true, "self_drawn": false}, '
            '"hand": {"concealed": [], "melds": [{}, {"kind": "chow", "kind": "pung"}]}}',
            ["circumstances.self_drawn", "hand.melds.1.kind"],
        ),
        (
            "/v1/deals",
            '{"players": ["A", "B", "C", "D"], "events": [{"a": 1, "\\u0061": 2}]}',
            ["events.0.a"],
        ),
    ],
)
def test_a_key_that_comes_twice_is_named(
    client: httpx.Client, path: str, content: str, fields: list[str]
) -> None:
    answer = client.post(path, content=content, headers=JSON)
    assert known(answer) == "invalid-request"
    errors = answer.json()["errors"]
    assert [error["field"] for error in errors] == fields
    assert {error["message"] for error in errors} == {"is given more than once"}
    assert {error["message_zh"] for error in errors} == {"重复"}


PHOTO = ("photo", ("hand.jpg", picture(), "image/jpeg"))


@pytest.mark.parametrize(
    ("path", "items", "fields"),
    [
        ("/v1/hands", [PHOTO, ("rules", MCR), ("rules", "kc-2.5")], ["rules"]),
        ("/v1/hands", [PHOTO, ("rules", MCR), ("store", "no"), ("store", "no")], ["store"]),
        ("/v1/pictures", [PHOTO, PHOTO], ["photo"]),
        (
            "/v1/hands",
            [
                PHOTO,
                ("rules", MCR),
                ("circumstances", '{"self_drawn": true, "self_drawn": false}'),
            ],
            ["circumstances.self_drawn"],
        ),
    ],
)
def test_a_form_field_that_comes_twice_is_named(
    client: httpx.Client, path: str, items: list[tuple[str, Any]], fields: list[str]
) -> None:
    parts = [(name, (None, value) if isinstance(value, str) else value) for name, value in items]
    answer = client.post(path, files=parts)
    assert known(answer) == "invalid-request"
    assert [error["field"] for error in answer.json()["errors"]] == fields


def test_several_photos_of_one_hand_may_come(client: httpx.Client) -> None:
    another = ("photo", ("more.jpg", picture(600), "image/jpeg"))
    answer = client.post("/v1/hands", files=[PHOTO, another, ("rules", (None, MCR))])
    assert known(answer) == ""
    assert len(answer.json()["photos"]) == 2


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/hands", "circumstance"),
        ("/v1/hands", "self_drawn"),
        ("/v1/hands/batch", "winning_tile"),
        ("/v1/recognitions", "circumstances"),
        ("/v1/pictures", "rules"),
        ("/v1/cases", "colour"),
    ],
)
def test_a_form_field_that_a_route_does_not_have_is_named(
    client: httpx.Client, path: str, field: str
) -> None:
    answer = client.post(path, files=[(field, (None, "true"))])
    assert known(answer) == "invalid-request"
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert error["message"].startswith("Extra inputs are not permitted; known are ")
    assert "photo" in error["message"]
    assert error["message_zh"].startswith("没有这一项，可用：")


def test_no_form_or_query_of_the_api_takes_what_is_not_described(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    forms = queries = 0
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if not path.startswith("/v1/"):
                continue
            address = path.replace("{", "").replace("}", "")
            (media,) = operation.get("requestBody", {}).get("content", {None: None})
            if media == "multipart/form-data":
                forms += 1
                (described,) = operation["requestBody"]["content"].values()
                form = described["schema"]["$ref"].rpartition("/")[2]
                assert document["components"]["schemas"][form]["additionalProperties"] is False
                answer = client.request(method, address, files=[("colour", (None, "red"))])
                assert [error["field"] for error in answer.json()["errors"]] == ["colour"], path
            queries += 1
            headers = {"content-type": f"{media}; boundary=b"} if media else {}
            answer = client.request(method, f"{address}?colour=red", headers=headers)
            assert [error["field"] for error in answer.json()["errors"]] == ["colour"], path
    assert forms > 6
    assert queries > 60


def test_a_query_parameter_is_named_with_those_there_are(client: httpx.Client) -> None:
    answer = client.get("/v1/hands", params={"rulez": "1"})
    assert known(answer) == "invalid-request"
    (error,) = answer.json()["errors"]
    assert error["field"] == "rulez"
    assert ", rules," in error["message"]
    assert known(client.get("/v1/rules", params={"key": ""})) == "", "every route may be sent a key"
    assert client.get("/", params={"colour": "red"}).is_success, "a page is no route of the API"


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("hands?limit=5&limit=7", ["limit"]),
        ("hands?rules=mcr-1998&certain=true&rules=mcr-1998&certain=true", ["rules", "certain"]),
        ("hands?share=a&share=b", ["share"]),
        ("cases/x/false-win?ready=other:4&ready=other:8", []),
        ("tables/t/events?after=1&after=2", ["after"]),
    ],
)
def test_a_query_parameter_that_comes_twice_is_named(
    client: httpx.Client, query: str, fields: list[str]
) -> None:
    body = client.get(f"/v1/{query}").json()
    assert [error["field"] for error in body.get("errors", ())] == fields
    for error in body.get("errors", ()):
        assert (error["message"], error["message_zh"]) == ("is given more than once", "重复")


def test_hands_are_not_sought_under_rules_that_do_not_exist(client: httpx.Client) -> None:
    assert known(client.get("/v1/hands", params={"rules": "zzz"})) == "unknown-rules"
    assert known(client.get("/v1/hands", params={"rules": MCR})) == ""


@pytest.mark.parametrize(
    ("method", "path", "said", "said_zh"),
    [
        ("GET", "/v1/nothing", "nothing at /v1/nothing", "/v1/nothing 处没有内容"),
        ("PUT", "/v1/scores", "PUT is not allowed", "/v1/scores 不支持 PUT"),
        ("PUT", "/v1/sessions/monday", "32 hexadecimal digits", "32 位小写十六进制数字"),
    ],
)
def test_addresses_that_are_none_are_told_in_both_languages(
    client: httpx.Client, method: str, path: str, said: str, said_zh: str
) -> None:
    log = {"log": {"rules": MCR, "players": list("ABCD"), "deals": []}}
    body = client.request(method, path, json=log if method == "PUT" else None).json()
    assert said in body["detail"]
    assert said_zh in body["detail_zh"]


def test_a_photo_that_a_hand_does_not_have_is_named(client: httpx.Client) -> None:
    form = {"files": {"photo": ("a.jpg", picture())}, "data": {"rules": MCR}}
    hand = client.post("/v1/hands", **form).json()["id"]  # type: ignore[arg-type]
    body = client.get(f"/v1/hands/{hand}/photo?index=5").json()
    assert body["detail"] == "The hand has no photo 5; its last one is 0."
    assert "没有照片 5" in body["detail_zh"]


def test_a_preflight_request_is_answered_like_any_other() -> None:
    settings = Settings(
        preload=False, data_dir=":temporary:", cors_origins=("https://club.example",)
    )
    asked = {"Access-Control-Request-Method": "POST", "X-Request-ID": "mine-1"}
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        refused = client.options("/v1/scores", headers={**asked, "Origin": "https://else.example"})
        taken = client.options("/v1/scores", headers={**asked, "Origin": "https://club.example"})
        shown = client.get("/v1/rules", headers={"Origin": "https://club.example"}).headers
    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == "/problems/cross-origin"
    assert refused.json()["request_id"] == refused.headers["x-request-id"] == "mine-1"
    assert "access-control-allow-origin" not in refused.headers
    assert taken.status_code == 200
    assert taken.headers["access-control-allow-origin"] == "https://club.example"
    assert taken.headers["x-request-id"] == "mine-1"
    assert "Idempotency-Replayed" in shown["access-control-expose-headers"]
