"""The OpenAPI document, the problem types, headers, health and the page's files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import jsonschema  # type: ignore[import-untyped]
import pytest

from hupai.api.app.factory import create_app
from hupai.api.web.page_files import PAGE_DIR
from hupai.api.web.problem_types import TYPES
from hupai.api.web.reference.problems_page import as_markdown
from hupai.api.web.settings import Settings
from hupai.api.web.settings import as_markdown as settings_markdown
from tests.api.hands.test_recognition import problem
from tests.api.service import (
    MCR,
    NOTATION,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
)

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def document(client: httpx.Client) -> dict[str, Any]:
    body: dict[str, Any] = client.get("/openapi.json").json()
    return body


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every operation."""
    return [
        (path, m, item[m]) for path, item in document["paths"].items() for m in item if m in METHODS
    ]


def test_every_operation_is_described_with_examples(document: dict[str, Any]) -> None:
    found = operations(document)
    assert {path for path, _, _ in found} == {
        "/v1/recognitions",
        "/v1/pictures",
        "/v1/hands",
        "/v1/hands/batch",
        "/v1/hands/{hand_id}",
        "/v1/hands/{hand_id}/photo",
        "/v1/hands/{hand_id}/annotated",
        "/v1/hands/{hand_id}/share",
        "/v1/hands/{hand_id}/consent",
        "/v1/cases/{case_id}/consent",
        "/v1/learning/consent",
        "/v1/learning/drift",
        "/v1/learning/suggestions",
        "/v1/scores",
        "/v1/waits",
        "/v1/comparisons",
        "/v1/deals",
        "/v1/sessions",
        "/v1/sessions/{session_id}",
        "/v1/sessions/{session_id}/code",
        "/v1/cases",
        "/v1/cases/{case_id}",
        "/v1/cases/{case_id}/photos",
        "/v1/cases/{case_id}/photos/{sha256}",
        "/v1/cases/{case_id}/corrections",
        "/v1/cases/{case_id}/corrections/{number}/decision",
        "/v1/cases/{case_id}/claims",
        "/v1/cases/{case_id}/objections",
        "/v1/cases/{case_id}/place",
        "/v1/tournament",
        "/v1/tournament/bundles",
        "/v1/cases/{case_id}/rulings",
        "/v1/cases/{case_id}/notes",
        "/v1/cases/{case_id}/state",
        "/v1/cases/{case_id}/false-win",
        "/v1/cases/{case_id}/bundle",
        "/v1/cases/{case_id}/report",
        "/v1/dossier-key",
        "/v1/tables",
        "/v1/tables/{table}",
        "/v1/tables/{table}/air",
        "/v1/tables/{table}/commands",
        "/v1/tables/{table}/events",
        "/v1/tile-sets",
        "/v1/tile-sets/{name}",
        "/v1/tile-sets/{name}/faces/{code}",
        "/v1/tables/{table}/frames",
        "/v1/tables/{table}/log",
        "/v1/tables/{table}/picture",
        "/v1/rules",
        "/v1/tiles",
        "/v1/tiles/{code}.svg",
        "/healthz",
        "/readiness",
        "/metrics",
    }
    for path, _, operation in found:
        assert operation["summary"], path
        assert operation["description"], path
        assert operation["tags"], path
        for status, response in operation["responses"].items():
            for media, content in response.get("content", {}).items():
                if media in ("application/json", "application/problem+json"):
                    assert content["examples"], (path, status)


def test_every_example_fits_its_schema(document: dict[str, Any]) -> None:
    checked = 0
    for path, _, operation in operations(document):
        parts = [*operation["responses"].values(), operation.get("requestBody", {})]
        for content in (
            c for part in parts for m, c in part.get("content", {}).items() if "json" in m
        ):
            for name, example in content.get("examples", {}).items():
                schema = {**content["schema"], "components": document["components"]}
                jsonschema.validate(example["value"], schema), (path, name)
                checked += 1
    assert checked > 20


def test_errors_are_documented_as_problems_only(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        for status, response in operation["responses"].items():
            if status >= "400":
                assert list(response["content"]) == ["application/problem+json"], (path, status)
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_answers_fit_the_documented_schemas(client: httpx.Client, document: dict[str, Any]) -> None:
    answers = {
        ("/v1/scores", "post"): client.post(
            "/v1/scores", json={"rules": MCR, "notation": NOTATION}
        ),
        ("/v1/recognitions", "post"): client.post("/v1/recognitions", files=photo_file(picture())),
        ("/v1/hands", "post"): client.post(
            "/v1/hands", files=photo_file(picture()), data={"rules": MCR}
        ),
        ("/v1/rules", "get"): client.get("/v1/rules"),
        ("/v1/tiles", "get"): client.get("/v1/tiles"),
        ("/healthz", "get"): client.get("/healthz"),
        ("/readiness", "get"): client.get("/readiness"),
    }
    for (path, method), answer in answers.items():
        assert answer.status_code == 200, path
        schema = document["paths"][path][method]["responses"]["200"]["content"]["application/json"][
            "schema"
        ]
        jsonschema.validate(answer.json(), {**schema, "components": document["components"]})


def test_the_page_for_people_shows_every_operation_and_loads_no_script(
    client: httpx.Client, document: dict[str, Any]
) -> None:
    page = client.get("/docs").text
    assert "<script" not in page
    for path, method, operation in operations(document):
        assert f"<code>{method.upper()} {path}</code>" in page
        assert operation["summary"] in page


def test_every_documented_problem_exists_and_each_type_has_a_page(
    client: httpx.Client, document: dict[str, Any]
) -> None:
    for _, _, operation in operations(document):
        for response in operation["responses"].values():
            for slug in (
                response.get("content", {}).get("application/problem+json", {}).get("examples", {})
            ):
                assert slug in TYPES
    for kind in TYPES.values():
        page = client.get(kind.uri)
        assert page.headers["content-type"].startswith("text/html")
        assert kind.title_zh in page.text
        assert kind.advice_zh in page.text
    problem(client.get("/problems/none"), 404, "not-found")


def test_the_problems_page_of_the_docs_is_up_to_date(root: Path) -> None:
    assert (root / "docs" / "problems.md").read_text(encoding="utf-8") == as_markdown(), (
        "run: python -m hupai.api.web.reference.problems_page > docs/problems.md"
    )


def test_the_settings_page_of_the_docs_is_up_to_date(root: Path) -> None:
    written = (root / "docs" / "settings.md").read_text(encoding="utf-8")
    assert written == settings_markdown(), (
        "run: python -m hupai.api.web.settings > docs/settings.md"
    )


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUPAI_MAX_UPLOAD_BYTES", "2048")
    monkeypatch.setenv("HUPAI_CORS_ORIGINS", '["https://club.example"]')
    settings = Settings()
    assert (settings.max_upload_bytes, settings.cors_origins) == (2048, ("https://club.example",))


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/v1",
        "/v1/nothing",
        "/page/nothing.js",
        "/page/../app",
        "/page/%2e%2e/settings",
        "/examples/x",
    ],
)
def test_unknown_paths(client: httpx.Client, path: str) -> None:
    problem(client.get(path), 404, "not-found")


def test_wrong_methods_name_the_right_ones(client: httpx.Client) -> None:
    for method, path, allowed in (
        ("GET", "/v1/scores", "POST"),
        ("POST", "/v1/rules", "GET"),
        ("DELETE", "/", "GET"),
    ):
        answer = client.request(method, path)
        problem(answer, 405, "method-not-allowed")
        assert allowed in answer.headers["allow"]


def test_every_answer_has_an_id_and_is_safe_to_show(client: httpx.Client) -> None:
    for path in ("/", "/v1/rules", "/nothing", "/page/js/main.js"):
        headers = client.get(path, headers={"x-request-id": "bad id\t!"}).headers
        assert re.fullmatch(r"[0-9a-f]{32}", headers["x-request-id"])
        assert headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]


@pytest.mark.parametrize(
    ("headers", "sent"),
    [
        ({"host": "127.0.0.1:8000"}, True),
        ({"host": "[::1]:8000"}, True),
        ({"host": "localhost"}, True),
        ({"host": "192.168.1.5:8000"}, False),
        ({"host": "192.168.1.5:8000", "x-forwarded-proto": "https"}, True),
        ({"host": "localhost.example"}, False),
    ],
)
def test_the_opener_policy_is_sent_where_browsers_apply_it(
    client: httpx.Client, headers: dict[str, str], sent: bool
) -> None:
    answer = client.get("/healthz", headers=headers)
    assert ("cross-origin-opener-policy" in answer.headers) is sent


def test_other_origins_are_let_in_only_by_setting() -> None:
    asked = {"origin": "https://club.example"}
    for origins, expected in (((), None), (("https://club.example",), "https://club.example")):
        settings = Settings(preload=False, cors_origins=origins)
        with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
            assert (
                client.get("/v1/rules", headers=asked).headers.get("access-control-allow-origin")
                == expected
            )


def test_metrics_count_requests_problems_and_stages(client: httpx.Client) -> None:
    client.post("/v1/recognitions", files=photo_file(picture()))
    client.get("/nowhere-to-be-counted")
    text = client.get("/metrics").text
    assert 'hupai_requests_total{method="POST",route="/v1/recognitions",status="200"}' in text
    assert 'hupai_problems_total{type="not-found"}' in text
    assert 'hupai_stage_seconds_count{stage="detect"}' in text
    assert "nowhere-to-be-counted" not in text, "a path of a client's choice became a label"


@pytest.mark.nightly
def test_the_page_loads_nothing_that_is_not_there(client: httpx.Client) -> None:
    html = client.get("/").text
    assert "<style" not in html
    assert " style=" not in html
    assert not re.search(r"<script(?![^>]*src=)", html)
    referred = set(re.findall(r'(?:href|src)="(/[^"#]*)', html))
    for file in (PAGE_DIR / "js").rglob("*.js"):
        for name in re.findall(r'from "(\.[\w./]+)"', file.read_text(encoding="utf-8")):
            target = (file.parent / name).resolve().relative_to(PAGE_DIR.resolve())
            referred.add(f"/page/{target.as_posix()}")
    assert len(referred) > 15
    for path in referred:
        assert client.get(path).status_code == 200, path
    assert client.get("/sw.js").headers["content-type"].startswith("text/javascript")


def test_the_page_has_words_for_both_languages() -> None:
    words = (PAGE_DIR / "js" / "shell" / "words.js").read_text(encoding="utf-8")
    known = set(re.findall(r"^  (\w+): \[", words, re.MULTILINE))
    used = set(
        re.findall(
            r'data-i18n(?:-label)?="(\w+)"', (PAGE_DIR / "index.html").read_text(encoding="utf-8")
        )
    )
    for file in PAGE_DIR.glob("js/*.js"):
        used |= set(re.findall(r'\bt\("(\w+)"', file.read_text(encoding="utf-8")))
    assert used - known == set()


def test_examples_are_listed_from_the_folder_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "first-scene.jpg").write_bytes(picture())
    (tmp_path / "first-scene.json").write_text(
        '{"title_en": "First", "title_zh": "第一", "rules": "mcr-1998"}', encoding="utf-8"
    )
    (tmp_path / "notes.txt").write_text("private", encoding="utf-8")
    reader = RecordedReader(recorded_reading())
    settings = Settings(preload=False, examples_dir=tmp_path)
    with client_of(create_app(settings, reader)) as client:
        (scene,) = client.get("/examples").json()["examples"]
        assert (scene["title_zh"], scene["rules"]) == ("第一", "mcr-1998")
        assert client.get(scene["url"]).headers["content-type"] == "image/jpeg"
        problem(client.get("/examples/notes.txt"), 404, "not-found")
    with client_of(
        create_app(Settings(preload=False, examples_dir=tmp_path / "none"), reader)
    ) as client:
        assert client.get("/examples").json() == {"examples": []}


def test_descriptions_speak_of_json_and_not_of_python(document: dict[str, Any]) -> None:
    schemas: dict[str, dict[str, Any]] = document["components"]["schemas"]
    texts = {
        f"{name}.{field}": one.get("description", "")
        for name, schema in schemas.items()
        for field, one in {"": schema, **schema.get("properties", {})}.items()
    }
    python = re.compile(r"``|\b(None|True|False)\b|hupai\.|Tile\.|Attributes:|\(\(")
    assert {name: text for name, text in texts.items() if python.search(text)} == {}
    assert schemas["Waiting"]["properties"]["claimed"]["description"].endswith(
        "null where nothing was."
    )


def test_schemas_are_used_and_named_for_what_they_are(document: dict[str, Any]) -> None:
    used = set(re.findall(r"#/components/schemas/([^']+)'", str(document)))
    assert used == set(document["components"]["schemas"])
    assert [name for name in used if "hupai__" in name] == []


def test_what_any_route_may_answer_is_in_the_document(
    client: httpx.Client, document: dict[str, Any]
) -> None:
    for path, method, operation in operations(document):
        statuses = {"400", "421"} | ({"422"} if path.startswith("/v1/") else set())
        assert statuses <= set(operation["responses"]), (method, path)
        if method == "get" and "{" not in path:
            answer = client.get(path, params={"surely_unknown": "1"})
            assert str(answer.status_code) in operation["responses"], path
            answer = client.get(path, headers={"Host": "elsewhere.example"})
            assert answer.status_code == 421, path
    for path in ("/v1/rules", "/v1/tiles", "/v1/tiles/5m.svg"):
        tag = client.get(path).headers["etag"]
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
        described = document["paths"][path.replace("5m", "{code}")]["get"]
        assert "304" in described["responses"]
