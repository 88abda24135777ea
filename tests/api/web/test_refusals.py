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
from tests.api.service import MCR, RecordedReader, client_of, recorded_reading
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
