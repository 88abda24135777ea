"""What is said of wrong fields: in both languages, without Python names, and never at length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, Field, ValidationError

from hupai.api.app.factory import create_app
from hupai.api.web.field_errors import LONGEST, field_error
from hupai.api.web.settings import Settings
from tests.api.hands.test_recognition import problem
from tests.api.service import RecordedReader, client_of, recorded_reading


class _Wanted(BaseModel, extra="forbid"):
    seat: str = Field(pattern="^[ESWN]$")
    count: int = Field(ge=1, le=4)


def said(value: dict[str, Any]) -> dict[str, tuple[str, str]]:
    with pytest.raises(ValidationError) as caught:
        _Wanted.model_validate(value)
    errors = [field_error(item) for item in caught.value.errors()]
    return {one.field: (one.message, one.message_zh) for one in errors}


def test_each_language_gives_the_reason() -> None:
    assert said({"count": 7, "x": 1}) == {
        "seat": ("Field required", "缺少此项"),
        "count": ("Input should be less than or equal to 4", "应不大于 4"),
        "x": ("Extra inputs are not permitted", "没有这一项"),
    }
    assert said({"seat": "Q", "count": "many"})["seat"][1] == "格式应为 ^[ESWN]$"


def test_messages_of_the_service_are_also_in_chinese() -> None:
    raised = {
        "loc": ("query", "since"),
        "type": "value_error",
        "msg": "two seats have the same name",
        "ctx": {"zh": "两个座位的姓名相同"},
    }
    assert field_error(raised).message_zh == "两个座位的姓名相同"


def test_a_message_that_quotes_a_long_input_is_cut() -> None:
    long = {"loc": ("body", "a" * 5000), "type": "value_error", "msg": "Value error, " + "b" * 5000}
    found = field_error(long)
    assert len(found.field) == len(found.message) == len(found.message_zh) == LONGEST


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    settings = Settings(preload=False, rate_limit=0)
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as served:
        yield served


def test_a_long_input_is_not_sent_back(client: httpx.Client) -> None:
    hand = {"concealed": ["1m"], "winning_tile": "x" * 60_000}
    answer = client.post("/v1/scores", json={"rules": "mcr-1998", "hand": hand})
    assert answer.status_code == 422
    assert len(answer.content) < 4000


def test_a_photo_field_without_a_file_is_reported_plainly(client: httpx.Client) -> None:
    answer = client.post("/v1/hands", files={"photo": (None, "text")}, data={"rules": "mcr-1998"})
    body = problem(answer, 422, "invalid-request")
    assert "class" not in str(body["detail"])
    assert "文件" in str(body["detail_zh"])


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/hands", {"GET", "HEAD", "POST"}),
        ("POST", "/v1/tables/t", {"DELETE", "GET", "HEAD", "PATCH"}),
        ("PUT", "/v1/hands/batch", {"POST"}),
    ],
)
def test_allow_names_every_method(
    client: httpx.Client, method: str, path: str, allowed: set[str]
) -> None:
    answer = client.request(method, path)
    problem(answer, 405, "method-not-allowed")
    assert allowed == set(answer.headers["allow"].split(", "))


def test_a_bare_number_is_not_a_time(client: httpx.Client) -> None:
    for value in ("0.5", "1", "-3"):
        problem(client.get("/v1/hands", params={"until": value}), 422, "invalid-request")
    assert client.get("/v1/hands", params={"until": "2026-11-23T12:00:00Z"}).status_code == 200


def test_a_form_with_too_large_or_too_many_fields_is_too_large(client: httpx.Client) -> None:
    photo = {"photo": ("hand.jpg", b"x", "image/jpeg")}
    large = client.post("/v1/hands", files=photo, data={"rules": "x" * 2_000_000})
    assert "as files" in str(problem(large, 413, "too-large")["advice"])
    many = client.post("/v1/hands", files=photo, data={f"f{i}": "x" for i in range(1200)})
    assert "fewer" in str(problem(many, 413, "too-large")["advice"])


def test_the_advice_for_a_body_that_is_too_large_fits_what_was_sent(client: httpx.Client) -> None:
    long = client.post("/v1/scores", json={"rules": "mcr-1998", "notation": "1m" * 40_000})
    body = problem(long, 413, "too-large")
    assert body["max_bytes"] == 64 * 1024
    assert str(body["advice"]).startswith("Send less at once: a body of JSON")
    assert "JSON" in str(body["advice_zh"])
    form = client.post("/v1/hands", files={"photo": ("a.jpg", b" " * 21 * 2**20, "image/jpeg")})
    assert "Scale the photo down" in str(problem(form, 413, "too-large")["advice"])
