"""Tile sets over HTTP and on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest
from typer.testing import CliRunner

from hupai.api.app.factory import create_app
from hupai.api.cli.main import app
from hupai.api.tile_sets.store import store_in
from hupai.api.web.settings import Settings
from hupai.models import registry
from hupai.scoring.tiles import PLAYABLE, Tile
from hupai.vision.pipeline.recogniser import Recogniser
from tests.api.service import client_of
from tests.api.tile_sets.test_mirror import tiles
from tests.vision.enrolment.tile_sets import Rings, photo

SHUFFLED = [PLAYABLE[i] for i in np.random.default_rng(5).permutation(34)]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    settings = Settings(preload=False, data_dir=str(tmp_path / "data"))
    reader = Recogniser(Rings(blind=[Tile.S9, Tile.GREEN], hint=False))
    with client_of(create_app(settings, reader)) as client:
        yield client


def photos(*shown: list[Tile]) -> list[tuple[str, tuple[str, bytes, str]]]:
    return [("photo", (f"{i}.png", photo(faces), "image/png")) for i, faces in enumerate(shown)]


def teach(client: httpx.Client, name: str = "club", **form: Any) -> httpx.Response:
    return client.post("/v1/tile-sets", files=photos(SHUFFLED), data={"name": name, **form})


def test_a_set_is_taught_with_answers_used_and_forgotten(client: httpx.Client) -> None:
    first = teach(client)
    assert first.status_code == 422
    problem = first.json()
    assert problem["type"] == "/problems/tile-set-incomplete"
    assert problem["photos"][0]["tiles"] == 34
    asked = [tile for tile in problem["tiles"] if tile["asked"]]
    assert asked
    assert client.get("/v1/tile-sets").json() == {"tile_sets": []}
    answers = [
        {"photo": t["photo"], "tile": t["tile"], "face": SHUFFLED[t["tile"]].code} for t in asked
    ]
    learnt = teach(client, answers=json.dumps(answers))
    assert learnt.status_code == 201, learnt.text
    body = learnt.json()
    assert body["faces"] == [tile.code for tile in PLAYABLE]
    assert body["missing"] == [f"{n}h" for n in range(1, 9)]
    before = [row["before"]["tile"] == row["face"] for row in body["before_after"]]
    assert sum(before) == 32
    unknown = [row for row in body["before_after"] if row["face"] in ("9s", "F")]
    assert all(row["after"]["confidence"] < row["before"]["confidence"] for row in unknown), (
        "1m is less sure now"
    )

    assert [row["name"] for row in client.get("/v1/tile-sets").json()["tile_sets"]] == ["club"]
    assert client.get("/v1/tile-sets/club").json()["tiles"] == 34
    face = client.get("/v1/tile-sets/club/faces/9s")
    assert face.headers["content-type"] == "image/jpeg"
    assert (
        client.get(
            "/v1/tile-sets/club/faces/9s", headers={"If-None-Match": face.headers["etag"]}
        ).status_code
        == 304
    )

    file = photos(SHUFFLED)
    for choice, used in (("club", "club"), ("none", None)):
        reading = client.post("/v1/recognitions", files=file, data={"tile_set": choice}).json()
        assert reading["model"]["tile_set"] == used
    assert client.delete("/v1/tile-sets/club").status_code == 204
    assert client.get("/v1/tile-sets/club").status_code == 404


def test_a_stored_hand_read_with_another_set_is_another_hand(client: httpx.Client) -> None:
    file = photos([*PLAYABLE[:13], PLAYABLE[0]])
    forms = [{"rules": "mcr-1998", "tile_set": way} for way in ("auto", "none", "auto")]
    ids = [client.post("/v1/hands", files=file, data=form).json()["id"] for form in forms]
    assert ids[0] == ids[2] != ids[1]


@pytest.mark.parametrize(
    ("form", "status", "slug"),
    [
        ({"name": "../club"}, 422, "invalid-request"),
        ({"name": "auto"}, 422, "invalid-request"),
        ({"name": "club", "order": "[]"}, 422, "invalid-request"),
        ({"name": "club", "order": '[["1m", "?"]]'}, 422, "invalid-request"),
        ({"name": "club", "order": "nonsense"}, 422, "invalid-request"),
        (
            {"name": "club", "answers": '[{"photo": 0, "tile": 1, "face": "0m"}]'},
            422,
            "invalid-request",
        ),
        ({"name": "club", "faces": "36"}, 422, "invalid-request"),
        ({"name": "club", "order": '[["1m", "2m"]]'}, 422, "tile-set-incomplete"),
    ],
)
def test_request_errors_are_reported(
    client: httpx.Client, form: dict[str, str], status: int, slug: str
) -> None:
    answer = client.post("/v1/tile-sets", files=photos(SHUFFLED), data=form)
    assert (answer.status_code, answer.json()["type"]) == (status, f"/problems/{slug}"), answer.text


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": "../club"}, "最多 40 个字母"),
        ({"name": "club", "order": '[["1m", "2m"]]'}, "第 1 张照片的牌数与填写的不符"),
        ({"name": "club"}, "照片上没有"),
    ],
)
def test_errors_are_explained_in_chinese_too(
    client: httpx.Client, form: dict[str, str], said: str
) -> None:
    nearly_all = photos([tile for tile in SHUFFLED if tile != Tile.M1])
    answer = client.post("/v1/tile-sets", files=nearly_all, data=form)
    assert said in answer.json()["detail_zh"]


def test_the_file_that_is_not_a_photo_is_named(client: httpx.Client) -> None:
    files = [*photos(SHUFFLED), ("photo", ("notes.txt", b"notes", "text/plain"))]
    answer = client.post("/v1/tile-sets", files=files, data={"name": "club"})
    assert answer.status_code == 415
    assert answer.json()["photo"] == 1


def test_a_set_that_does_not_exist(client: httpx.Client) -> None:
    for way in (client.get, client.delete):
        assert way("/v1/tile-sets/home").status_code == 404
    answer = client.post("/v1/recognitions", files=photos(SHUFFLED), data={"tile_set": "home"})
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/unknown-tile-set"
    assert answer.json()["known"] == []


def test_the_answers_fit_the_document(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    order = json.dumps([[tile.code for tile in SHUFFLED]])
    answer = teach(client, order=order)
    assert answer.status_code == 201, answer.text
    for path, method, status, body in (
        ("/v1/tile-sets", "post", "201", answer.json()),
        ("/v1/tile-sets", "get", "200", client.get("/v1/tile-sets").json()),
    ):
        schema = document["paths"][path][method]["responses"][status]["content"][
            "application/json"
        ]["schema"]
        jsonschema.validate(body, {**schema, "components": document["components"]})
    assert teach(client, order=order).status_code == 409
    assert teach(client, order=order, replace="true").status_code == 201


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(registry, "load", lambda *_: Rings(blind=[Tile.S9, Tile.GREEN], hint=False))
    (tmp_path / "all.png").write_bytes(photo(SHUFFLED))
    return tmp_path


def hupai(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


def test_the_command_line_asks_learns_reads_and_forgets(here: Path) -> None:
    file = here / "all.png"
    code, text = hupai("tile-sets", "add", "club", file)
    assert code == 1
    assert "in doubt" in text
    code, text = hupai("tile-sets", "add", "club", file, "--json")
    asked = [tile for tile in json.loads(text.splitlines()[0])["tiles"] if tile["asked"]]
    said = [
        word for t in asked for word in ("--is", f"1:{t['tile'] + 1}={SHUFFLED[t['tile']].code}")
    ]
    code, text = hupai("tile-sets", "add", "club", file, *said)
    assert code == 0, text
    assert "34 faces" in text
    assert hupai("tile-sets", "add", "club", file, *said)[0] == 2
    assert hupai("tile-sets", "add", "club", file, *said, "--replace")[0] == 0
    assert json.loads(hupai("tile-sets", "list", "--json")[1])["name"] == "club"
    code, text = hupai("tile-sets", "show", "club", "--picture", here / "faces.png")
    assert code == 0
    assert (here / "faces.png").stat().st_size > 1000
    for choice, used in (("club", "club"), ("none", None)):
        assert (
            json.loads(hupai("read", file, "--json", "--tile-set", choice)[1])["model"]["tile_set"]
            == used
        )
    assert hupai("tile-sets", "remove", "club")[0] == 0
    assert hupai("tile-sets", "show", "club")[0] == 2
    assert hupai("read", file, "--tile-set", "club")[0] == 2


@pytest.mark.parametrize(
    "words",
    [
        ["add", "club", "missing.png"],
        ["add", "../club", "all.png"],
        ["add", "club", "all.png", "--is", "nonsense"],
        ["add", "club", "all.png", "--is", "2:1=6s"],
        ["add", "club", "all.png", "--is", "1:1=0s"],
        ["add", "club", "all.png", "--order", "123m", "--order", "456m"],
        ["add", "club", "all.png", "--order", "12x"],
        ["remove", "home"],
    ],
)
def test_bad_usage_is_reported(here: Path, words: list[str]) -> None:
    code, text = hupai(
        "tile-sets", *[here / word if word.endswith(".png") else word for word in words]
    )
    assert code in (1, 2)
    assert "Traceback" not in text
    assert text.strip()


def test_a_set_that_is_forgotten_meanwhile_is_left_out_of_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(preload=False, data_dir=str(tmp_path))
    app = create_app(settings, Recogniser(Rings()))
    app.state.reading.tile_sets.put(tiles("club"))
    monkeypatch.setattr(app.state.reading.tile_sets, "names", lambda: ("club", "gone"))
    with client_of(app) as client:
        answer = client.get("/v1/tile-sets")
    assert answer.status_code == 200, answer.text
    assert [one["name"] for one in answer.json()["tile_sets"]] == ["club"]


def test_the_command_keeps_sets_where_the_service_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"memory://{tmp_path.name}/photos"
    store_in(tmp_path / "service", url).put(tiles("club"))
    monkeypatch.setenv("HUPAI_DATA_DIR", str(tmp_path / "command"))
    monkeypatch.setenv("HUPAI_PHOTOS_URL", url)
    listed = CliRunner().invoke(app, ["tile-sets", "list", "--json"])
    assert listed.exit_code == 0, listed.output
    assert json.loads(listed.stdout)["name"] == "club"
