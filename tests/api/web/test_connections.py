"""Connections of which a request does not come, or whose client does not take the answer, are
closed; all others are left alone.
"""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import Response, StreamingResponse
from starlette.websockets import WebSocket
from websockets.sync.client import connect

from hupai.api.app.factory import create_app
from hupai.api.web.settings import Settings
from tests.api.app.test_shutdown import service
from tests.api.service import RecordedReader, recorded_reading, served

SHORT = 0.5
"""Seconds that headers are given here."""
ALIVE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


LARGE = 32 * 1024 * 1024
"""Bytes of an answer that the buffers of the system do not hold."""


def app_with(
    *, header_seconds: float = SHORT, upload_seconds: float = 60, download_seconds: float = 60
) -> FastAPI:
    """The service, with routes whose answers go on for longer than headers may take, and large
    ones.
    """
    settings = Settings(
        preload=False,
        header_seconds=header_seconds,
        upload_seconds=upload_seconds,
        download_seconds=download_seconds,
    )
    app = create_app(settings, RecordedReader(recorded_reading()))

    @app.get("/large")
    def large() -> Response:
        return Response(bytes(LARGE), media_type="application/octet-stream")

    @app.get("/large-in-parts")
    def large_in_parts() -> StreamingResponse:
        return StreamingResponse(bytes(65536) for _ in range(LARGE // 65536))

    @app.get("/slow")
    def slow() -> StreamingResponse:
        def ticks() -> Iterator[bytes]:
            for _ in range(4):
                time.sleep(SHORT / 2)
                yield b"tick\n"

        return StreamingResponse(ticks())

    @app.websocket("/echo")
    async def echo(connection: WebSocket) -> None:
        await connection.accept()
        await connection.send_text(await connection.receive_text())

    return app


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the service listens that waits half a second for headers."""
    with served(app_with()) as address:
        yield address


def opened(address: str) -> socket.socket:
    """A connection to the service."""
    url = httpx.URL(address)
    return socket.create_connection((url.host, url.port or 80), timeout=30)


def opened_by_a_slow_reader(address: str) -> socket.socket:
    """A connection of which the client's system takes little before the client reads."""
    url = httpx.URL(address)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(30)
    connection.connect((url.host, url.port or 80))
    return connection


def until_given_up(connection: socket.socket) -> None:
    """Wait, without reading, until the service resets the connection; fails where it does not."""
    waiting = select.poll()
    waiting.register(connection, select.POLLERR | select.POLLHUP)
    assert waiting.poll(30_000), "the connection is still open"


def until_closed(connection: socket.socket) -> bytes:
    """What the service sends before it closes the connection; fails where it does not."""
    answer = b""
    while True:
        try:
            block = connection.recv(65536)
        except ConnectionError:
            return answer
        if not block:
            return answer
        answer += block


def answered(connection: socket.socket) -> bytes:
    """The first answer that comes, up to the end of its body."""
    answer = b""
    while not answer.endswith(b'{"status":"ok"}'):
        block = connection.recv(65536)
        assert block, f"closed after {answer!r}"
        answer += block
    return answer


def trickle(connection: socket.socket, endless: bytes) -> bytes:
    """Send one piece after the other without end, until the service closes the connection."""
    connection.settimeout(0.05)
    answer = b""
    for _ in range(600):  # half a minute at least
        try:
            connection.sendall(endless)
            block = connection.recv(65536)
        except TimeoutError:
            continue
        except ConnectionError:
            return answer
        if not block:
            return answer
        answer += block
    pytest.fail("the connection is still open")


def test_headers_that_trickle_in_are_given_up_with_a_problem(address: str) -> None:
    with opened(address) as connection:
        connection.sendall(ALIVE)
        answer = trickle(connection, b"X-A: b\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert b"connection: close" in head.lower()
    assert b"application/problem+json" in head
    problem = json.loads(body)
    assert problem["type"] == "/problems/upload-timeout"
    assert problem["detail"] == "The headers did not come within 0.5 s."
    assert problem["detail_zh"] == "0.5 秒内没有收完请求头。"


@pytest.mark.nightly
def test_hupai_serve_gives_up_headers_that_trickle_in(root: Path) -> None:
    with (
        service(root, HUPAI_HEADER_SECONDS=str(SHORT)) as (_, client),
        opened(str(client.base_url)) as connection,
    ):
        connection.sendall(ALIVE)
        assert trickle(connection, b"X-A: b\r\n").startswith(b"HTTP/1.1 408 ")


def test_a_connection_on_which_nothing_comes_is_closed_in_silence(address: str) -> None:
    with opened(address) as connection:
        assert until_closed(connection) == b""


def test_a_second_request_has_as_long_as_the_first(address: str) -> None:
    with opened(address) as connection:
        connection.sendall(ALIVE + b"\r\n")
        assert answered(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(ALIVE)
        assert trickle(connection, b"X-A: b\r\n").startswith(b"HTTP/1.1 408")


def test_the_rest_of_a_body_that_nobody_reads_is_given_up() -> None:
    with served(app_with(upload_seconds=SHORT)) as address, opened(address) as connection:
        connection.sendall(ALIVE + b"Content-Length: 5000\r\n\r\n")
        assert trickle(connection, b"x").startswith(b"HTTP/1.1 200")


def test_the_rest_of_a_body_that_nobody_reads_may_take_longer_than_headers(address: str) -> None:
    with opened(address) as connection:
        connection.sendall(ALIVE + b"Content-Length: 8\r\n\r\n")
        assert answered(connection).startswith(b"HTTP/1.1 200")
        for _ in range(8):
            time.sleep(SHORT / 4)
            connection.sendall(b"x")
        connection.sendall(ALIVE + b"\r\n")
        assert answered(connection).startswith(b"HTTP/1.1 200")


def test_a_body_may_take_longer_than_headers(address: str) -> None:
    body = b'{"rules": "mcr-1998", "notation": "23m55pEEE[567m,1](9999s)1h+1m"}'

    def pieces() -> Iterator[bytes]:
        for at in range(0, len(body), 10):
            time.sleep(SHORT / 4)
            yield body[at : at + 10]

    headers = {"content-type": "application/json"}
    answer = httpx.post(f"{address}/v1/scores", content=pieces(), headers=headers, timeout=30)
    assert answer.status_code == 200


def test_answers_that_go_on_are_not_cut_off(address: str) -> None:
    assert httpx.get(f"{address}/slow", timeout=30).text == "tick\n" * 4


def test_websockets_stay_open(address: str) -> None:
    with connect(address.replace("http", "ws") + "/echo") as connection:
        time.sleep(2 * SHORT)
        connection.send("still here")
        assert connection.recv() == "still here"


def test_a_websocket_may_follow_a_request_on_its_connection(address: str) -> None:
    upgrade = (
        b"GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with opened(address) as connection:
        connection.sendall(ALIVE + b"\r\n")
        assert answered(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(upgrade)
        assert connection.recv(65536).startswith(b"HTTP/1.1 101")
        time.sleep(2 * SHORT)
        connection.sendall(b"\x81\x82\0\0\0\0hi")  # a text of two letters, masked with zeros
        assert connection.recv(65536) == b"\x81\x02hi"


def test_what_is_no_http_is_refused_in_both_languages(address: str) -> None:
    with opened(address) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")
        head, _, body = until_closed(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert json.loads(body)["detail_zh"] == "这不是 HTTP/1.1 请求，或请求头太长。"


@pytest.fixture(scope="module")
def impatient() -> Iterator[str]:
    """Where the service listens that gives a client half a second to take its answer."""
    with served(app_with(header_seconds=60, download_seconds=SHORT)) as address:
        yield address


@pytest.mark.parametrize("path", ["/large", "/large-in-parts"])
def test_an_answer_that_is_not_taken_is_given_up(impatient: str, path: str) -> None:
    with opened_by_a_slow_reader(impatient) as connection:
        connection.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())
        until_given_up(connection)


def test_answers_to_many_requests_at_once_are_given_up_too(impatient: str) -> None:
    get = b"GET /v1/rules HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with opened_by_a_slow_reader(impatient) as connection:
        connection.setblocking(False)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                connection.send(get * 50)
            except BlockingIOError:
                time.sleep(SHORT / 10)
            except ConnectionError:
                return
    pytest.fail("the connection is still open")


@pytest.mark.nightly
def test_an_answer_that_is_taken_slowly_is_sent_to_its_end() -> None:
    """It takes twice as long as each MiB of it may."""
    with served(app_with(download_seconds=4 * SHORT)) as address:
        received = 0
        with httpx.stream("GET", f"{address}/large", timeout=30) as answer:
            for block in answer.iter_raw(1024 * 1024):
                received += len(block)
                time.sleep(SHORT / 4)
    assert received == LARGE


def test_clients_that_wait_for_the_next_event_are_left_alone(impatient: str) -> None:
    assert httpx.get(f"{impatient}/slow", timeout=30).text == "tick\n" * 4
    with connect(impatient.replace("http", "ws") + "/echo") as connection:
        time.sleep(2 * SHORT)
        connection.send("still here")
        assert connection.recv() == "still here"


HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


@pytest.mark.parametrize(
    ("method", "changed", "wrong"),
    [
        ("GET", {"Sec-WebSocket-Key": None}, "Sec-WebSocket-Key is missing or wrong"),
        ("GET", {"Sec-WebSocket-Key": "short"}, "Sec-WebSocket-Key is missing or wrong"),
        ("GET", {"Sec-WebSocket-Version": "12"}, "Sec-WebSocket-Version is missing or wrong"),
        ("POST", {"Content-Length": "5"}, "it is no GET"),
        ("GET", {f"X-{number}": "x" for number in range(200)}, "headers are too many"),
    ],
)
def test_a_malformed_websocket_handshake_is_refused_in_both_languages(
    address: str, method: str, changed: dict[str, str | None], wrong: str
) -> None:
    headers = {"Host": "localhost", **HANDSHAKE, **changed}
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value)
    with opened(address) as connection:
        connection.sendall(f"{method} /echo HTTP/1.1\r\n{fields}\r\n".encode())
        head, _, body = until_closed(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    problem = json.loads(body)
    assert problem["type"] == "/problems/bad-request"
    assert wrong in problem["detail"]
    assert "握手请求" in problem["detail_zh"]
