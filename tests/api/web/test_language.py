"""`Accept-Language`: the sentences of an answer in the language asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, ValidationError

from hupai.api.app.factory import create_app
from hupai.api.web.field_errors import field_error
from hupai.api.web.middleware.language import in_chinese, prefers_chinese
from hupai.api.web.problem_types import TYPES
from hupai.api.web.settings import Settings
from hupai.vision.types import Reading
from tests.api.service import RecordedReader, client_of
from tests.shared import ROOT

BELOW = {"rules": "mcr-1998", "notation": "123m456p789s11s234m +4m"}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False), RecordedReader(Reading()))) as client:
        yield client


@pytest.mark.parametrize(
    ("accepted", "chinese"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", True),
        ("zh", True),
        ("en-GB,zh;q=0.5", False),
        ("en;q=0.4, zh-TW;q=0.6", True),
        ("*", False),
        ("*, zh;q=0.1", False),
        ("zh;q=0", False),
        ("zh;q=x", False),
        ("", False),
        ("de,fr;q=0.9", False),
    ],
)
def test_the_preferred_language_is_understood(accepted: str, chinese: bool) -> None:
    assert prefers_chinese(accepted) is chinese


def test_only_what_has_a_chinese_text_beside_it_changes() -> None:
    given = {
        "message": "Yes",
        "message_zh": "是",
        "zh": "平和",
        "en": "All Chows",
        "n": [{"a": "b"}],
    }
    assert in_chinese(given) == {**given, "message": "是"}


def test_a_score_lists_its_problems_in_chinese(client: httpx.Client) -> None:
    answer = client.post("/v1/scores", json=BELOW, headers={"Accept-Language": "zh-CN"})
    english = client.post("/v1/scores", json=BELOW, headers={"Accept-Language": "en"})
    assert answer.headers["content-language"] == "zh"
    assert "Accept-Language" in answer.headers["vary"]
    for chinese_answer, other in zip(
        answer.json()["score"]["problems"], english.json()["score"]["problems"], strict=True
    ):
        assert chinese_answer["message"] == other["message_zh"] != other["message"]
    assert "content-language" not in english.headers


def test_an_error_is_reported_in_chinese(client: httpx.Client) -> None:
    wrong = {"rules": "mcr-1998", "notation": "123x"}
    answer = client.post("/v1/scores", json=wrong, headers={"Accept-Language": "zh"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    for name in ("title", "detail"):
        assert any("一" <= character <= "鿿" for character in body[name]), body
    assert client.post("/v1/scores", json=wrong).json()["title"] != body["title"]


@pytest.mark.parametrize(
    ("path", "body", "english", "chinese"),
    [
        (
            "/v1/deals",
            {"players": [*"ABCD"], "evnts": []},
            "is no field of a deal: did you mean 'events'?",
            "不是一副牌的字段：是否想写'events'？",
        ),
        (
            "/v1/deals",
            {"players": [*"ABCD"], "events": [{"type": "win", "player": "A"}]},
            "event 1: say from whom the tile came, or set self_drawn",
            "第1项：请写明牌来自哪一家，或设 self_drawn",
        ),
        (
            "/v1/deals",
            {"players": [*"ABCD"], "events": [{"type": "pung", "player": "A", "tile": "zzz"}]},
            "event 1: 'z' is no tile",
            "第1项：没有“z”这种牌",
        ),
        (
            "/v1/sessions",
            {
                "rules": "mcr-1998",
                "players": [*"ABCD"],
                "deals": [{"type": "win", "player": "A", "from": "B", "hand": "123m +1m"}],
            },
            "deal 1: is worth 0 and does not win: The hand counts 4 tiles",
            "第1副：值0，不能和：手牌共 4 张",
        ),
        (
            "/v1/sessions",
            {
                "rules": "sichuan-2024",
                "players": [*"ABCD"],
                "deals": [],
                "standard_points": [4, 3],
            },
            "must be 4 numbers, got 2",
            "应为4个数，现为2个",
        ),
        (
            "/v1/scores",
            {"rules": "mcr-1998"},
            "give the hand either as notation or as hand",
            "手牌请用 notation 或 hand 给出",
        ),
    ],
)
def test_a_refused_log_is_explained_in_chinese(
    client: httpx.Client, path: str, body: dict[str, object], english: str, chinese: str
) -> None:
    chinese_answer = client.post(path, json=body, headers={"Accept-Language": "zh"})
    assert chinese_answer.status_code == 422
    assert chinese in chinese_answer.json()["errors"][0]["message"]
    assert chinese in chinese_answer.json()["detail"]
    other = client.post(path, json=body).json()["errors"][0]
    assert english in other["message"]
    assert chinese in other["message_zh"]


def test_the_pages_own_requests_and_signed_cases_are_not_translated(client: httpx.Client) -> None:
    own = {"Accept-Language": "zh", "Sec-Fetch-Site": "same-origin"}
    problems = client.post("/v1/scores", json=BELOW, headers=own).json()["score"]["problems"]
    assert all(one["message"] != one["message_zh"] for one in problems)
    listed = client.get("/v1/cases", headers={"Accept-Language": "zh"})
    assert "content-language" not in listed.headers
    missing = client.get("/v1/cases/nothing", headers={"Accept-Language": "zh"})
    assert missing.status_code >= 400
    assert any("一" <= character <= "鿿" for character in missing.json()["title"])


def test_other_kinds_of_answer_pass_through(client: httpx.Client) -> None:
    zh = {"Accept-Language": "zh"}
    assert client.get("/v1/tiles/1m.svg", headers=zh).text.startswith("<svg")
    assert client.get("/healthz", headers=zh).status_code == 200


def is_chinese(text: str) -> bool:
    return any("一" <= character <= "鿿" for character in text)


def test_every_type_of_problem_has_its_chinese() -> None:
    for kind in TYPES.values():
        assert is_chinese(kind.title_zh), kind.slug
        assert is_chinese(kind.advice_zh), kind.slug


def test_every_problem_that_is_raised_has_its_chinese() -> None:
    """Without one the title of its type would be all that is said in Chinese."""
    missing, seen = [], 0
    for path in sorted((ROOT / "api").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name not in ("ApiProblem", "FieldError", "wrong", "refusal"):
                continue
            assert isinstance(node, ast.Call)
            seen += 1
            english = {"refusal": 0}.get(name, 1)
            named = [key.value for key in node.keywords if key.arg == "detail_zh"]
            found = [*node.args[english + 1 :], *named]
            written = ast.unparse(found[0]) if found else ""
            if not found or (isinstance(found[0], ast.Constant) and not is_chinese(written)):
                missing.append(f"{path.name}:{node.lineno}")
    assert seen > 100
    assert not missing, missing


def test_every_wrong_value_of_a_request_is_explained_in_chinese() -> None:
    """Values of every kind in every field that any request of the API may have."""
    requests = [
        one
        for one in all_models(BaseModel)
        if one.__module__.startswith("hupai.api.")
        and one is not Settings
        and not one.__name__.endswith(("Out", "Answer", "Record"))
    ]
    assert len(requests) > 50
    values: tuple[Any, ...] = (
        None, "x", "", -(10**9), 10**30, "9" * 5000, 1.5, float("nan"), [], {}, [[]], [{}], [None],
        [5] * 50, {"x": 1}, True, "x" * 10_000, "2020-01-01",
    )  # fmt: skip
    missing = {}
    for model, value in product(requests, values):
        for name, field in model.model_fields.items():
            try:
                model.model_validate({field.alias or name: value})
            except ValidationError as error:
                for item in map(field_error, error.errors()):
                    if not is_chinese(item.message_zh):
                        missing[item.message] = f"{model.__name__}.{item.field}"
    assert not missing, missing


def all_models(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in base.__subclasses__():
        yield one
        yield from all_models(one)
