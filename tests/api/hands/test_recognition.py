"""Photos in: readings, pictures, both in one; and every kind of upload that is no photo."""

from __future__ import annotations

import io
import random
import struct
import threading
import zlib
from collections.abc import Callable, Iterator

import httpx
import numpy as np
import pytest
from PIL import Image as Pillow

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from hupai.scoring.result import RuleSet
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import PhotoReading, Reading
from tests.api.service import (
    MCR,
    NOTATION,
    WON_HOW,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    question_about,
    recorded_reading,
    wait_until,
)
from tests.vision.pipeline.test_recogniser import TILES, Remembered

SETTINGS = Settings(preload=False, max_upload_bytes=300_000, max_pixels=2_000_000)


@pytest.fixture(scope="module")
def reader() -> RecordedReader:
    return RecordedReader(recorded_reading())


@pytest.fixture(scope="module")
def client(reader: RecordedReader) -> Iterator[httpx.Client]:
    with client_of(create_app(SETTINGS, reader)) as client:
        yield client


def problem(response: httpx.Response, status: int, slug: str) -> dict[str, object]:
    """The response as the expected problem."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, object] = response.json()
    assert body["type"] == f"/problems/{slug}"
    assert body["status"] == status
    assert body["request_id"] == response.headers["x-request-id"]
    for member in ("title", "title_zh", "detail", "detail_zh", "advice", "advice_zh"):
        assert body[member], member
    assert "Traceback" not in response.text
    assert ".py" not in response.text
    return body


def test_a_photo_is_read_in_the_contract_form(client: httpx.Client, reader: RecordedReader) -> None:
    answer = client.post(
        "/v1/recognitions",
        files=photo_file(picture(800, 450), "../../etc/table 3.jpg"),
        data={"rules": MCR},
    )
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert list(body) == [
        "photo",
        "model",
        "tiles",
        "groups",
        "hands",
        "certain",
        "problems",
        "timing_ms",
    ]
    assert body["photo"]["path"] == "table 3.jpg"
    assert (body["photo"]["width"], body["photo"]["height"]) == (800, 450)
    assert body["hands"][0]["notation"].replace(" ", "") == NOTATION
    assert reader.calls[-1] == ("table 3.jpg", MCR)


@pytest.mark.parametrize(("media", "form"), [("image/jpeg", "JPEG"), ("image/png", "PNG")])
def test_the_annotated_photo_comes_as_a_picture(
    client: httpx.Client, media: str, form: str
) -> None:
    data = picture(800, 450)
    answer = client.post(
        "/v1/recognitions?side=400", files=photo_file(data), headers={"accept": media}
    )
    assert answer.headers["content-type"] == media
    with Pillow.open(io.BytesIO(answer.content)) as drawn:
        assert drawn.format == form
        assert drawn.size == (400, 225)
        assert np.ptp(np.asarray(drawn.convert("RGB"))[:, :, 0]) > 100, "nothing was drawn"


def test_an_answer_in_another_form_is_not_acceptable(client: httpx.Client) -> None:
    answer = client.post(
        "/v1/recognitions", files=photo_file(picture()), headers={"accept": "text/csv"}
    )
    problem(answer, 406, "not-acceptable")


def test_a_rotated_photo_comes_back_upright(client: httpx.Client) -> None:
    exif = Pillow.Exif()
    exif[0x0112] = 6
    answer = client.post("/v1/pictures", files=photo_file(picture(640, 360, exif=exif)))
    assert answer.headers["content-type"] == "image/jpeg"
    with Pillow.open(io.BytesIO(answer.content)) as upright:
        assert upright.size == (360, 640)


def test_photo_and_score_in_one(client: httpx.Client) -> None:
    answer = client.post(
        "/v1/hands", files=photo_file(picture()), data={"rules": MCR, "circumstances": WON_HOW}
    )
    assert answer.status_code == 200, answer.text
    result = answer.json()["result"]
    alone = client.post(
        "/v1/scores",
        json={"rules": MCR, "notation": NOTATION, "circumstances": result["circumstances"]},
    ).json()
    assert result["score"] == alone["score"]
    assert result["score"]["legal"] is True
    assert result["verdict"]["unit"] == "fan"


def test_the_winning_tile_is_asked_for(client: httpx.Client, reader: RecordedReader) -> None:
    reader.reading, known = recorded_reading(winning_known=False), reader.reading
    try:
        answer = client.post(
            "/v1/hands",
            files=photo_file(picture(650)),
            data={"rules": MCR, "circumstances": WON_HOW},
        ).json()
        answered = client.post(
            "/v1/hands",
            files=photo_file(picture(650)),
            data={"rules": MCR, "circumstances": WON_HOW, "winning_tile": "1m"},
        ).json()
    finally:
        reader.reading = known
    result = answer["result"]
    assert result["score"] is None
    question = question_about(result, "winning_tile")
    assert {option["value"] for option in question["options"]} == {"1m", "2m", "3m", "5p", "E"}
    by_tile = {option["value"]: option for option in question["options"]}
    totals = {outcome["total"] for outcome in by_tile["1m"]["outcomes"]}
    assert answered["result"]["score"]["total"] in totals
    again = client.post(
        "/v1/scores",
        json={"rules": MCR, "notation": NOTATION, "circumstances": result["circumstances"]},
    )
    assert again.json()["score"]["total"] == answered["result"]["score"]["total"]


def test_a_doubtful_face_is_asked_about_with_what_each_would_score(
    client: httpx.Client, reader: RecordedReader
) -> None:
    reader.reading, known = recorded_reading(doubtful=True), reader.reading
    try:
        answer = client.post(
            "/v1/hands",
            files=photo_file(picture(660)),
            data={"rules": MCR, "circumstances": WON_HOW},
        ).json()
    finally:
        reader.reading = known
    question = question_about(answer["result"], "tile")
    assert [(option["value"], option["probability"]) for option in question["options"]] == [
        ("1m", 0.75),
        ("4m", 0.25),
    ]
    assert question["tiles"] == [14]
    assert answer["result"]["score"]["complete"] is True
    assert question["bits"] > 0
    likeliest = [option["outcomes"][0]["total"] for option in question["options"]]
    assert likeliest[0] != likeliest[1]


def test_a_photo_without_a_hand_has_no_result(client: httpx.Client, reader: RecordedReader) -> None:
    reader.reading, known = Reading(), reader.reading
    try:
        answer = client.post(
            "/v1/hands", files=photo_file(picture(670)), data={"rules": MCR}
        ).json()
    finally:
        reader.reading = known
    assert answer["result"] is None
    assert answer["reading"]["hands"] == []


def test_rules_that_do_not_exist_are_named_with_those_that_do(
    client: httpx.Client, reader: RecordedReader
) -> None:
    before = len(reader.calls)
    for path in ("/v1/hands", "/v1/recognitions"):
        answer = client.post(path, files=photo_file(picture()), data={"rules": "riichi"})
        assert MCR in problem(answer, 422, "unknown-rules")["known"]  # type: ignore[operator]
    assert len(reader.calls) == before, "the photo was read all the same"


@pytest.mark.parametrize(
    ("circumstances", "field"),
    [
        ('{"self_drawn": "perhaps"}', "circumstances.self_drawn"),
        ('{"seat_wind": "X"}', "circumstances.seat_wind"),
        ('{"selfdrawn": true}', "circumstances.selfdrawn"),
        ("{not json", "circumstances"),
        ("[]", "circumstances"),
    ],
)
def test_wrong_circumstances_name_the_field(
    client: httpx.Client, circumstances: str, field: str
) -> None:
    answer = client.post(
        "/v1/hands",
        files=photo_file(picture()),
        data={"rules": MCR, "circumstances": circumstances},
    )
    errors = problem(answer, 422, "invalid-request")["errors"]
    assert field in [error["field"] for error in errors]  # type: ignore[attr-defined]


def png_claiming(width: int, height: int) -> bytes:
    """A PNG whose header claims a size that its few bytes do not hold."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + header
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("name", "data", "status", "slug"),
    [
        (
            "notes.jpg",
            b"these are my notes about the evening, no photo at all\n" * 10,
            415,
            "not-a-picture",
        ),
        ("page.jpg", b"<html><script>alert(1)</script></html>", 415, "not-a-picture"),
        ("film.gif", b"GIF89a" + b"\0" * 100, 415, "not-a-picture"),
        ("empty.jpg", b"", 422, "empty-upload"),
        ("cut.jpg", picture(1200, 900, quality=95)[:2000], 422, "unreadable-picture"),
        ("damaged.png", picture(form="PNG")[:60] + b"\xff" * 200, 422, "unreadable-picture"),
        ("bomb.png", png_claiming(60_000, 60_000), 422, "bad-picture-size"),
        ("large.png", png_claiming(1500, 1500), 422, "bad-picture-size"),
        ("dot.png", picture(8, 8, form="PNG"), 422, "bad-picture-size"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/pictures"])
def test_files_that_are_not_photos_have_distinct_problems(
    client: httpx.Client, path: str, name: str, data: bytes, status: int, slug: str
) -> None:
    problem(client.post(path, files=photo_file(data, name)), status, slug)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "HEIF"])
def test_damaged_pictures_are_read_or_refused_and_never_crash_the_service(
    client: httpx.Client, form: str
) -> None:
    whole = picture(200, 120, form=form)
    chance = random.Random(7)
    statuses = set()
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 12)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.3:
            del data[chance.randrange(12, len(data)) :]
        statuses.add(client.post("/v1/pictures", files=photo_file(bytes(data))).status_code)
    assert statuses <= {200, 415, 422}
    assert 422 in statuses


def test_the_reader_s_own_refusal_is_a_problem_too(client: httpx.Client) -> None:
    for path in ("/v1/recognitions", "/v1/hands"):
        problem(
            client.post(path, files=photo_file(b"no photo", "a.jpg"), data={"rules": MCR}),
            415,
            "not-a-picture",
        )


def test_an_upload_that_is_too_large_is_refused(client: httpx.Client) -> None:
    answer = client.post("/v1/recognitions", files=photo_file(b"\xff\xd8\xff" + b"x" * 400_000))
    assert problem(answer, 413, "too-large")["max_bytes"] == 300_000


def test_a_large_upload_without_a_length_is_refused_while_it_comes(client: httpx.Client) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b'--b\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
        for _ in range(1000):
            sent += 50_000
            yield b"x" * 50_000

    try:
        answer = client.post(
            "/v1/recognitions",
            content=endless(),
            headers={"content-type": "multipart/form-data; boundary=b"},
        )
        problem(answer, 413, "too-large")
    except (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        pass  # the server may close the connection before the client has read the answer
    assert sent < 50_000 * 1000, "the whole body was taken"


@pytest.mark.parametrize(
    ("request_options", "status", "slug"),
    [
        ({"json": {"photo": "x"}}, 415, "unsupported-media-type"),
        ({"content": b"abc"}, 415, "unsupported-media-type"),
        ({"files": {"picture": ("a.jpg", b"x")}}, 422, "invalid-request"),
        ({"files": {"photo": (None, "just text")}}, 422, "invalid-request"),
        (
            {"content": b"garbage", "headers": {"content-type": "multipart/form-data"}},
            400,
            "bad-request",
        ),
    ],
)
def test_requests_of_the_wrong_kind(
    client: httpx.Client, request_options: dict[str, object], status: int, slug: str
) -> None:
    problem(client.post("/v1/recognitions", **request_options), status, slug)  # type: ignore[arg-type]


def test_a_full_queue_answers_with_retry_after() -> None:
    reader = RecordedReader(recorded_reading())
    settings = Settings(preload=False, concurrency=1, queue_length=1)
    answers: list[httpx.Response] = []
    with client_of(create_app(settings, reader)) as client:

        def send() -> None:
            answers.append(client.post("/v1/recognitions", files=photo_file(picture())))

        threads = [threading.Thread(target=send) for _ in range(5)]
        with reader.held():
            for thread in threads:
                thread.start()
            wait_until(lambda: len(answers) == 3)
            assert client.get("/healthz").status_code == 200, "reading blocks the event loop"
            assert len(reader.calls) == 1
        for thread in threads:
            thread.join()
        busy = [answer for answer in answers if answer.status_code == 429]
        assert len(busy) == 3
        assert int(busy[0].headers["retry-after"]) >= 1
        problem(busy[0], 429, "busy")
        assert sorted(answer.status_code for answer in answers)[:2] == [200, 200]
        metrics = client.get("/metrics").text
        assert "hupai_queue_rejected_total 3.0" in metrics
        assert "hupai_queue_depth 0.0" in metrics


def test_a_photo_that_takes_too_long_is_a_timeout() -> None:
    reader = RecordedReader(recorded_reading())
    with (
        client_of(create_app(Settings(preload=False, timeout_seconds=0.1), reader)) as client,
        reader.held(),
    ):
        problem(client.post("/v1/recognitions", files=photo_file(picture())), 503, "timeout")


class BrokenReader(RecordedReader):
    """Fails as no reader should."""

    def read_photo(
        self,
        data: bytes,
        name: str = "",
        rules: RuleSet | None = None,
        *,
        point: tuple[float, float] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        raise ZeroDivisionError("/secret/path/model.py line 3")


def test_a_crash_is_a_problem_without_a_trace(caplog: pytest.LogCaptureFixture) -> None:
    with client_of(create_app(SETTINGS, BrokenReader(Reading()))) as client:
        answer = client.post(
            "/v1/recognitions", files=photo_file(picture()), headers={"x-request-id": "match-7"}
        )
        body = problem(answer, 500, "internal")
    assert body["request_id"] == "match-7"
    assert "secret" not in answer.text
    assert any("match-7" in record.message and record.exc_info for record in caplog.records)


def test_without_weights_photos_are_refused_and_scores_still_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with client_of(create_app(Settings(model="no-such-model", preload=True))) as client:
        problem(client.get("/readiness"), 503, "model-unavailable")
        problem(
            client.post("/v1/recognitions", files=photo_file(picture())), 503, "model-unavailable"
        )
        assert (
            client.post("/v1/scores", json={"rules": MCR, "notation": NOTATION}).status_code == 200
        )


def test_a_point_selects_the_intended_hand() -> None:
    reader = RecordedReader(recorded_reading())
    with client_of(create_app(Settings(preload=False), reader)) as client:
        form = {"rules": "mcr-1998", "at": "120.5,88"}
        first = client.post("/v1/hands", files=photo_file(picture()), data={"rules": "mcr-1998"})
        other = client.post("/v1/hands", files=photo_file(picture()), data=form)
        assert other.json()["id"] != first.json()["id"]  # another hand of the same photo
        client.post("/v1/recognitions", files=photo_file(picture()), data={"at": "3,4"})
        drawn = {"accept": "image/jpeg"}
        client.post(
            "/v1/recognitions", files=photo_file(picture()), data={"at": "5,6"}, headers=drawn
        )
        assert reader.points == [(120.5, 88.0), (3.0, 4.0), (5.0, 6.0)]
        for wrong in ("left", "1", "1,2,3", "-1,2", "nan,1", "1e9,1"):
            answer = client.post(
                "/v1/recognitions", files=photo_file(picture()), data={"at": wrong}
            )
            body = problem(answer, 422, "invalid-request")
            assert "write x,y in pixels" in str(body["detail"])
            assert "请写 x,y" in str(body["detail_zh"])
            assert answer.json()["errors"][0]["field"] == "at"
        twice = [("photo", ("a.jpg", picture(), "image/jpeg"))] * 2
        answer = client.post("/v1/recognitions", files=twice, data={"at": "3,4"})
        problem(answer, 422, "invalid-request")
        (error,) = answer.json()["errors"]
        assert (error["field"], error["message_zh"]) == ("photo", "指定位置时只能有一张照片")


@pytest.mark.parametrize("path", ["/v1/recognitions", "/v1/hands"])
def test_a_point_outside_the_photo_is_refused(path: str) -> None:
    form = {"rules": MCR, "at": "400,361"}
    with client_of(create_app(SETTINGS, Recogniser(Remembered(TILES)))) as client:
        answer = client.post(path, files=photo_file(picture()), data=form)
        body = problem(answer, 422, "invalid-request")
    assert body["code"] == "point_outside_photo"
    assert "which has 640 x 360 pixels" in str(body["detail"])
    assert [error["field"] for error in answer.json()["errors"]] == ["at"]
