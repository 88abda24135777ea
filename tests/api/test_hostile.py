"""Whatever is uploaded or written into a request, the answer is a reading or a known problem, soon
and in little memory.
"""

from __future__ import annotations

import errno
import io
import re
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from hupai.api.app.factory import create_app
from hupai.api.web.problem_types import TYPES
from hupai.api.web.settings import Settings
from tests.api import hostile
from tests.api.hostile import Specimen
from tests.api.service import (
    MCR,
    NOTATION,
    RecordedReader,
    client_of,
    photo_file,
    picture,
    recorded_reading,
)

pytestmark = [
    # What Pillow has to say about a damaged EXIF block goes to the log; the photo is read all the
    # same.
    pytest.mark.filterwarnings("ignore::UserWarning:PIL"),
    # Of a form that breaks off Starlette leaves the spooled file to the garbage collector, which
    # closes it at once.
    pytest.mark.filterwarnings(
        "ignore:.*SpooledTemporaryFile:pytest.PytestUnraisableExceptionWarning"
    ),
]
MEBI = 1024 * 1024
REFUSALS = {"empty-upload", "not-a-picture", "unreadable-picture", "bad-picture-size"}
LEAKS = re.compile(
    r"Traceback|\.py\b|site-packages|/home/|/root/|/tmp/|/usr/|PIL\.|0x[0-9a-f]{8}|libjpeg|libheif|libpng",
    re.I,
)


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    settings = Settings(preload=False, rate_limit=0, max_upload_bytes=2 * MEBI)
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        yield client


def known(answer: httpx.Response) -> str:
    """The type of the problem answered, or nothing where all went well. Fails where the answer is
    neither, or tells too much.
    """
    assert answer.status_code < 500, answer.text
    assert not LEAKS.search(
        answer.text if "image/" not in answer.headers.get("content-type", "") else ""
    ), answer.text
    if answer.status_code < 400:
        return ""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    body: dict[str, Any] = answer.json()
    slug = str(body["type"]).removeprefix("/problems/")
    assert TYPES[slug].status == answer.status_code == body["status"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    return slug


def sent(client: httpx.Client, specimen: Specimen) -> httpx.Response:
    """The answer to a specimen, which is decoded and encoded anew."""
    return client.post("/v1/pictures", files=photo_file(specimen.data, f"{specimen.name}.jpg"))


@pytest.mark.parametrize("specimen", hostile.readable(), ids=str)
def test_odd_pictures_are_read(client: httpx.Client, specimen: Specimen) -> None:
    answer = sent(client, specimen)
    assert known(answer) == ""
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.content.startswith(b"\xff\xd8\xff")
    assert b"<script" not in answer.content, "what was hidden in the file came back"


@pytest.mark.parametrize("specimen", hostile.refused(), ids=str)
def test_files_that_are_not_photos_are_refused(client: httpx.Client, specimen: Specimen) -> None:
    assert known(sent(client, specimen)) in REFUSALS
    # The route that reads goes the same way.
    answer = client.post("/v1/recognitions", files=photo_file(specimen.data), data={"rules": MCR})
    assert known(answer) in REFUSALS


def test_pictures_that_carry_a_bomb_are_read_or_refused(client: httpx.Client) -> None:
    for specimen in hostile.bombs_beside_pixels():
        assert known(sent(client, specimen)) in {"", *REFUSALS}, specimen.name


def test_damaged_pictures_are_read_or_refused(client: httpx.Client) -> None:
    answers = [known(sent(client, specimen)) for specimen in hostile.damaged(seed=20, count=150)]
    assert set(answers) <= {"", *REFUSALS}
    assert answers.count("") > 15, (
        "hardly one can be read: the damage is too great to tell anything"
    )
    assert answers.count("unreadable-picture") > 15


DECODE_ALL = """
import resource, sys
from pathlib import Path
from hupai.vision.photo.decode import Limits, PhotoError, decode

resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        decode(path.read_bytes(), path.name, Limits(bytes=20 * 2**20, pixels=50_000_000), ENOUGH)
    except PhotoError:
        pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


# A process starts with the peak of the one that started it, and the test runner's is large: a small
# one stands between.
BETWEEN = (
    "import subprocess, sys; sys.exit(subprocess.run([sys.executable, *sys.argv[1:]]).returncode)"
)


def decode_all(
    root: Path, folder: Path, enough: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Decode every file of a folder in a process of its own, which prints by how many MiB its peak
    grew.
    """
    program = DECODE_ALL.replace("ENOUGH", str(enough))
    command = [sys.executable, "-c", BETWEEN, "-W", "ignore", "-c", program, str(folder)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_no_file_of_the_corpus_takes_much_memory_or_time(root: Path, tmp_path: Path) -> None:
    every = [
        *hostile.readable(),
        *hostile.refused(),
        *hostile.bombs_beside_pixels(),
        *hostile.damaged(seed=21, count=300),
    ]
    for number, specimen in enumerate(every):
        (tmp_path / f"{number:04}").write_bytes(specimen.data)
    done = decode_all(root, tmp_path)
    assert done.returncode == 0, done.stderr or "more than 40 s of processor time"
    assert float(done.stdout) < 120, "MiB"


def test_a_photo_of_the_largest_size_is_read_within_bounds(root: Path, tmp_path: Path) -> None:
    # 49 megapixels with transparency are 196 MB; what is read of them is reduced strip by strip.
    rgba = io.BytesIO()
    Image.new("RGBA", (7000, 7000), (200, 30, 30, 128)).save(rgba, "PNG")
    tmp_path.joinpath("a").write_bytes(rgba.getvalue())
    done = decode_all(root, tmp_path, enough=1600)
    assert done.returncode == 0, done.stderr
    assert 100 < float(done.stdout) < 350, "MiB"


def test_a_photo_of_the_largest_size_is_decoded_within_bounds(root: Path, tmp_path: Path) -> None:
    # 49 megapixels of RGB are 147 MB; turning them upright takes as much again.
    tmp_path.joinpath("a").write_bytes(picture(7000, 7000, exif=hostile.exif_turning()))
    done = decode_all(root, tmp_path)
    assert done.returncode == 0, done.stderr
    assert 100 < float(done.stdout) < 700, "MiB"


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/passwd",
        "C:\\windows\\win.ini",
        "a\0b.jpg",
        "x" * 5000,
        "\u202egpj.exe",
        "<i>.jpg",
        "'; --",
        "📷.heic",
        "",
    ],
)
def test_names_of_files_do_no_harm(client: httpx.Client, name: str) -> None:
    answer = client.post("/v1/recognitions", files={"photo": (name, picture(), "image/jpeg")})
    assert known(answer) in ("", "invalid-request", "bad-request")
    if answer.status_code == 200:
        shown = answer.json()["photo"]["path"]
        assert len(shown) <= 100
        assert not set(shown) & set("/\\\0\u202e")


def form(*parts: bytes, boundary: bytes = b"b") -> dict[str, Any]:
    """A multipart body made by hand."""
    body = (
        b"".join(b"--" + boundary + b"\r\n" + part + b"\r\n" for part in parts)
        + b"--"
        + boundary
        + b"--\r\n"
    )
    return {
        "content": body,
        "headers": {"content-type": f"multipart/form-data; boundary={boundary.decode()}"},
    }


FILE = b'Content-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n' + picture()
RULES = b'Content-Disposition: form-data; name="rules"\r\n\r\n'


@pytest.mark.parametrize(
    "request_options",
    [
        form(*[b'Content-Disposition: form-data; name="x"\r\n\r\ny'] * 3000),
        form(*[FILE] * 1200),
        form(FILE, RULES + b"x" * 1_200_000),
        form(FILE, RULES + b"\xff\xfe\xfd"),
        form(FILE, RULES + b"a\0b"),
        form(
            b'Content-Disposition: form-data; name="photo"; filename="a.jpg"'
            + b"\r\nx: y" * 5000
            + b"\r\n\r\nx"
        ),
        form(b"no header at all"),
        form(b"\r\n\r\n"),
        form(FILE[:200]),
        {
            "content": b"--b\r\n" + FILE,
            "headers": {"content-type": "multipart/form-data; boundary=b"},
        },
        {"content": FILE, "headers": {"content-type": "multipart/form-data; boundary="}},
        {
            "content": FILE,
            "headers": {"content-type": 'multipart/form-data; boundary="' + "b" * 5000 + '"'},
        },
        {"content": FILE, "headers": {"content-type": "multipart/mixed; boundary=b"}},
    ],
    ids=range(13),
)
def test_invalid_forms(client: httpx.Client, request_options: dict[str, Any]) -> None:
    assert known(client.post("/v1/recognitions", **request_options)) in {
        "bad-request",
        "invalid-request",
        "too-large",
        "unsupported-media-type",
        "unknown-rules",
        *REFUSALS,
    }


BODIES = [
    b"",
    b"{",
    b"[" * 60_000,
    b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    b'{"rules": "\\ud800", "notation": "1m"}',
    b'{"rules": "mcr-1998", "notation": "\\ud83d 1m"}',
    b'{"rules": "mcr-1998", "notation": "1m\\u0000"}',
    b'{"rules": "mcr-1998", "notation": "1m", "circumstances": {"seat_wind": "\\udfff"}}',
    b'{"rules": "mcr-1998", "\\ud800": 1}',
    b'{"players": ["\\ud800", "B", "C", "D"], "events": []}',
    b'{"players": ["A", "B", "C", "D"], "events": [{"type": "\\ud800"}]}',
    b'{"players": ["\\ud800", "B", "C", "D"], '
    b'"events": [{"type": "win", "player": "\\ud800", "base_points": 2, "from": "D"}]}',
    b'{"players": ["a\\u0000", "B", "C", "D"], '
    b'"events": [{"type": "win", "player": "a\\u0000", "base_points": 2, "from": "D"}]}',
    b"\xff\xfe{}",
    b"\xef\xbb\xbf{}",
    b'{"rules": 1e400}',
    b'{"rules": ' + b"9" * 6000 + b"}",
    b'{"rules": NaN, "notation": -Infinity}',
    b'{"rules": "mcr-1998", "rules": "x", "notation": "1m"}',
    b"null",
    b"[]",
    b'"text"',
    b"17",
    b'{"rules": "mcr-1998", "notation": "' + b"1m" * 5000 + b'"}',
    '{"rules": "mcr-1998", "notation": "１２３ｍ 東東 🀀🀀"}'.encode(),
]


@pytest.mark.parametrize("path", ["/v1/scores", "/v1/waits", "/v1/comparisons", "/v1/deals"])
@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_json_that_is_strange(client: httpx.Client, path: str, body: bytes) -> None:
    answer = client.post(path, content=body, headers={"content-type": "application/json"})
    assert known(answer) in {
        "",
        "bad-request",
        "invalid-request",
        "bad-notation",
        "unknown-rules",
        "too-large",
    }
    assert answer.status_code != 200 or path == "/v1/deals" or b"notation" in body


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/v1/tiles/%00.svg", {}),
        ("/v1/tiles/%ff%fe.svg", {}),
        ("/v1/tiles/..%2f..%2fapp.py.svg", {}),
        ("/page/..%2f..%2fapi/settings.py", {}),
        ("/page/%00", {}),
        ("/page/" + "a/" * 2000, {}),
        ("/examples/..%2f..%2fpyproject.toml", {}),
        ("/examples/%00.jpg", {}),
        ("/problems/%f0%9f%80%80", {}),
        ("/v1/rules?a=%00&b=%ff", {}),
        ("/v1/rules?" + "a=1&" * 3000, {}),
        ("/v1/rules", {"if-none-match": "," * 5000}),
        ("/v1/rules", {"accept": "," * 5000}),
        ("/v1/rules", {"x-request-id": "a" * 5000}),
        ("/v1/rules", {"host": "evil.example"}),
        ("/v1/rules", {"x-forwarded-for": "," * 5000}),
        ("/v1/rules", {"range": "bytes=0-"}),
        ("/page/js/main.js", {"range": "bytes=" + ",".join(["0-0"] * 500)}),
        ("/page/js/main.js", {"range": "bytes=-" + "9" * 500}),
        ("/page/js/main.js", {"if-modified-since": "yesterday"}),
    ],
)
def test_paths_and_headers_that_are_strange(
    client: httpx.Client, path: str, headers: dict[str, str]
) -> None:
    answer = client.get(path, headers=headers)
    assert answer.status_code < 500
    assert "[project]" not in answer.text, "a file beside the page was sent"
    if answer.status_code >= 400:
        shown = answer.text.replace(answer.request.url.path, "")
        assert not LEAKS.search(shown), shown


@pytest.mark.parametrize("method", ["TRACE", "PROPFIND", "OPTIONS", "HEAD", "get", "X" * 200])
def test_methods_that_are_strange(client: httpx.Client, method: str) -> None:
    for path in ("/", "/v1/rules", "/v1/scores", "/nothing"):
        answer = client.request(method, path)
        assert answer.status_code in (200, 404, 405)
    text = client.get("/metrics").text
    assert "XXXX" not in text, "a method of a client's choice became a label"


POST = b"POST /v1/scores HTTP/1.1\r\nHost: x\r\n"


def raw(client: httpx.Client, data: bytes) -> bytes:
    """What the service answers to these bytes on a connection of their own.

    It may refuse and close before it has read them all.
    """
    answer = b""
    with socket.create_connection(
        (client.base_url.host, client.base_url.port or 80), timeout=30
    ) as connection:
        with closed_by_peer():
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        with closed_by_peer():
            while block := connection.recv(65536):
                answer += block
    return answer


@contextmanager
def closed_by_peer() -> Iterator[None]:
    """End the block where the other end has closed the connection; a timeout is an error still."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN):
            raise


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 20_000 + b"\r\n",
        POST + b"Content-Length: -5\r\n\r\n",
        POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        POST
        + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        + b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
        POST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        POST
        + b"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500\r\n\r\n--b\r\n",
    ],
    ids=range(9),
)
def test_malformed_http(client: httpx.Client, data: bytes) -> None:
    answer = raw(client, data)
    assert not answer or answer.startswith(b"HTTP/1.1 ")
    assert b"HTTP/1.1 500" not in answer
    assert (
        not LEAKS.search(answer.decode("latin-1").partition("<script")[0]) or b"text/html" in answer
    )
    assert client.get("/healthz").status_code == 200


def test_a_body_that_never_arrives_times_out() -> None:
    settings = Settings(preload=False, upload_seconds=0.4)
    with client_of(create_app(settings, RecordedReader(recorded_reading()))) as client:
        with socket.create_connection(
            (client.base_url.host, client.base_url.port or 80), timeout=30
        ) as connection:
            connection.sendall(
                b"POST /v1/recognitions HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: multipart/form-data; boundary=b\r\n"
                b"Content-Length: 5000\r\n\r\n--b\r\n"
            )
            answer = b""
            while block := connection.recv(65536):
                answer += block
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"/problems/upload-timeout" in answer
        assert (
            client.post("/v1/scores", json={"rules": MCR, "notation": NOTATION}).status_code == 200
        )


def test_refused_uploads_do_not_increase_memory(client: httpx.Client) -> None:
    def peak() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    bomb = next(
        specimen for specimen in hostile.refused() if specimen.name == "png bomb of 400 megapixels"
    )
    sent(client, bomb)
    before = peak()
    for _ in range(40):
        assert known(sent(client, bomb)) == "bad-picture-size"
    assert peak() - before < 60
