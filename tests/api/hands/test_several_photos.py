"""Several photos of one hand: on the command line and over HTTP."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from PIL import Image as Pillow
from typer.testing import CliRunner, Result

from hupai.api.app.factory import create_app
from hupai.api.cli.main import app
from hupai.api.web.settings import Settings
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import Detections, Image, ModelInfo
from tests.api.service import MCR, WON_HOW, RecordedReader, client_of, picture, recorded_reading
from tests.vision.pictures import Placed, detections, table

HAND = table("1m2m3m4m5m6m7m8m9m1p1p4p4p4p")


class CutDetector:
    """Sees the left or the right part of one row; which one, the photo says by its height."""

    info = ModelInfo("fake", "1", "f" * 64)
    parts: dict[int, list[Placed]] = {240: HAND[:11], 241: HAND[3:]}  # noqa: RUF012 - a table

    def detect(self, image: Image) -> Detections:
        return detections(self.parts.get(image.shape[0], []))


def jpeg(height: int) -> bytes:
    file = io.BytesIO()
    Pillow.fromarray(np.full((height, 500, 3), 80, np.uint8)).save(file, "JPEG")
    return file.getvalue()


@pytest.fixture
def photos(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """Two files, the hand cut on each, and a detector that sees them so."""
    monkeypatch.setattr(registry, "load", lambda name="default", threads=0: CutDetector())
    paths = [tmp_path / "left.jpg", tmp_path / "right.jpg"]
    for path, height in zip(paths, (240, 241), strict=True):
        path.write_bytes(jpeg(height))
    return paths


def hupai(*arguments: object) -> Result:
    return CliRunner().invoke(
        app, [str(argument) for argument in arguments], env={"COLUMNS": "200"}
    )


def test_read_merge_gives_one_reading(photos: list[Path]) -> None:
    result = hupai("read", "--merge", "--json", *photos)
    (line,) = result.stdout.splitlines()
    answer = json.loads(line)
    assert answer["hands"][0]["notation"].replace(" ", "") == "123456789m11444p"
    assert [photo["path"] for photo in answer["photos"]] == [str(path) for path in photos]
    assert answer["photo"] == answer["photos"][0]
    held = [tile for tile in answer["tiles"] if tile["in_hand"]]
    assert {tile.get("photo", 0) for tile in held} == {0, 1}
    assert sum(bool(tile.get("elsewhere")) for tile in held) == 8
    apart = hupai("read", "--json", *photos)
    assert [len(json.loads(line)["tiles"]) for line in apart.stdout.splitlines()] == [11, 11]


def test_one_photo_has_no_fields_of_several(photos: list[Path]) -> None:
    answer = json.loads(hupai("read", "--json", photos[0]).stdout)
    assert "photos" not in answer
    assert all({"photo", "elsewhere"}.isdisjoint(tile) for tile in answer["tiles"])
    merged = json.loads(hupai("read", "--merge", "--json", photos[0]).stdout)
    assert merged["hands"] == answer["hands"]


def test_a_file_that_is_not_a_photo_is_left_out_and_reported(
    photos: list[Path], tmp_path: Path
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("not a picture", "utf-8")
    result = hupai("read", "--merge", "--json", photos[0], text, photos[1])
    answer = json.loads(result.stdout)
    assert answer["hands"][0]["notation"].replace(" ", "") == "123456789m11444p"
    assert answer["problems"][0]["code"] == "not_a_photo"
    assert result.exit_code == 1
    alone = json.loads(hupai("read", "--merge", "--json", text).stdout)
    assert [problem["code"] for problem in alone["problems"]] == ["not_a_photo"]


def test_each_photo_is_annotated_with_what_it_shows(photos: list[Path], tmp_path: Path) -> None:
    result = hupai("read", "--merge", "--annotate", tmp_path / "out", *photos)
    drawn = [cv2.imread(str(tmp_path / "out" / f"{path.stem}-read.jpg")) for path in photos]
    assert result.output.count("wrote") == 2
    assert all(image is not None and np.asarray(image).std() > 5 for image in drawn)


def test_photo_scores_the_merged_hand(photos: list[Path]) -> None:
    options = ("--rules", MCR, "--win", "4p", "--self-drawn", "--seat", "E", "--round", "E")
    result = hupai("photo", "--json", "--merge", *options, *photos)
    answer = json.loads(result.stdout)
    assert "清龙" in {fan["zh"] for fan in answer["result"]["score"]["fans"]}
    assert len(answer["reading"]["photos"]) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "give --merge"),
        (("--merge", "--at", "10,10"), "--at names a place on one photo"),
    ],
)
def test_photo_takes_one_photo_by_default(
    photos: list[Path], options: tuple[str, ...], says: str
) -> None:
    result = hupai("photo", "--rules", MCR, *options, *photos)
    assert result.exit_code == 2
    assert says in result.output


@pytest.fixture(scope="module")
def recorded() -> RecordedReader:
    return RecordedReader(recorded_reading())


@pytest.fixture(scope="module")
def client(recorded: RecordedReader) -> Iterator[httpx.Client]:
    with client_of(create_app(Settings(preload=False), recorded)) as client:
        yield client


def several(*heights: int) -> list[tuple[str, tuple[str, bytes, str]]]:
    return [("photo", (f"{height}.jpg", picture(640, height), "image/jpeg")) for height in heights]


def test_repeated_photo_fields_are_read_as_one(client: httpx.Client) -> None:
    answer = client.post("/v1/recognitions", files=several(360, 380), data={"rules": MCR})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert [photo["height"] for photo in body["photos"]] == [360, 380]
    assert [tile.get("photo", 0) for tile in body["tiles"]][-2:] == [0, 1]
    single = client.post("/v1/recognitions", files=several(360), data={"rules": MCR}).json()
    assert "photos" not in single


def test_two_parts_make_one_hand_over_http() -> None:
    files = [("photo", (f"{height}.jpg", jpeg(height), "image/jpeg")) for height in (240, 241)]
    with client_of(create_app(Settings(preload=False), Recogniser(CutDetector()))) as client:
        body = client.post("/v1/recognitions", files=files).json()
        drawn = client.post("/v1/recognitions", files=files, headers={"Accept": "image/png"})
    assert body["hands"][0]["notation"].replace(" ", "") == "123456789m11444p"
    assert drawn.headers["content-type"] == "image/png"


def test_a_stored_hand_keeps_all_its_photos(client: httpx.Client) -> None:
    form = {"rules": MCR, "circumstances": WON_HOW}
    hand = client.post("/v1/hands", files=several(360, 400), data=form).json()
    assert len(hand["photos"]) == 2
    assert len(hand["reading"]["photos"]) == 2
    again = client.post("/v1/hands", files=several(360, 400), data=form)
    assert again.json()["id"] == hand["id"]
    assert client.post("/v1/hands", files=several(360), data=form).json()["id"] != hand["id"]
    heights = []
    for number in (0, 1):
        drawn = client.get(
            f"/v1/hands/{hand['id']}/annotated",
            params={"photo": number},
            headers={"Accept": "image/png"},
        )
        heights.append(Pillow.open(io.BytesIO(drawn.content)).height)
    assert heights == [360, 400]
    assert client.get(f"/v1/hands/{hand['id']}/annotated", params={"photo": 2}).status_code == 404


def test_too_many_photos_are_refused(client: httpx.Client) -> None:
    answer = client.post("/v1/recognitions", files=several(*range(360, 367)))
    assert answer.status_code == 422
