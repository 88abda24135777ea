"""Requests of the client: how they are sent, and what comes of their answers. The operations beside
this file are generated.
"""

from __future__ import annotations

import json as _json
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import quote

import httpx

Json = dict[str, Any]
File = str | Path | bytes
"""A file: its path, or its bytes."""


class Problem(Exception):
    """What the service answers instead: an RFC 9457 problem. `type` is stable, `body` the whole of
    it.
    """

    def __init__(self, status: int, body: Json) -> None:
        self.status = status
        self.type = str(body.get("type", "about:blank"))
        self.body = body
        super().__init__(
            f"{status} {self.type}: {body.get('detail', '')} {body.get('advice', '')}".rstrip()
        )


class Group:
    """Operations that belong together."""

    def __init__(self, client: Transport) -> None:
        self._client = client


class Transport:
    """Sends requests to the service at `address`, with `key` where it asks for one.

    A request that the service has no time for (429, 503) is sent again after the time it names, at
    most `retries` times.
    """

    def __init__(
        self,
        address: str = "http://127.0.0.1:8000",
        key: str | None = None,
        retries: int = 3,
        timeout: float = 90,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(base_url=address, headers=headers, timeout=timeout)
        self._retries = retries

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def any(self, method: str, path: str, **parts: Any) -> Any:
        """Send a request; the answer as JSON, or as bytes where it is something else."""
        answer = self._send(method, path, **parts)
        return (
            answer.json()
            if answer.headers.get("content-type", "").startswith("application/json")
            else answer.content
        )

    def json(self, method: str, path: str, **parts: Any) -> Json:
        """Send a request; the answer as JSON."""
        return cast(Json, self._send(method, path, **parts).json())

    def bytes(self, method: str, path: str, **parts: Any) -> bytes:
        """Send a request; the bytes of the answer."""
        return self._send(method, path, **parts).content

    def text(self, method: str, path: str, **parts: Any) -> str:
        """Send a request; the answer as text."""
        return self._send(method, path, **parts).text

    def none(self, method: str, path: str, **parts: Any) -> None:
        """Send a request that answers nothing."""
        self._send(method, path, **parts)

    def events(self, method: str, path: str, **parts: Any) -> Iterator[tuple[str, Json]]:
        """Follow a stream of events: their names and data, as they come."""
        options = _options(parts)
        options["headers"]["Accept"] = "text/event-stream"
        with self._http.stream(method, path, **options) as answer:
            if answer.is_error:
                answer.read()
                raise Problem(answer.status_code, _body(answer))
            name = "message"
            for line in answer.iter_lines():
                if line.startswith("event:"):
                    name = line[6:].strip()
                elif line.startswith("data:"):
                    yield name, _json.loads(line[5:])
                    name = "message"

    def _send(self, method: str, path: str, **parts: Any) -> httpx.Response:
        for attempt in range(self._retries + 1):
            answer = self._http.request(method, path, **_options(parts))
            if (
                answer.status_code not in (429, 503)
                or "retry-after" not in answer.headers
                or attempt == self._retries
            ):
                break
            time.sleep(min(60, int(answer.headers["retry-after"])))
        if answer.is_error:
            raise Problem(answer.status_code, _body(answer))
        return answer


def _options(parts: Json) -> Json:
    """What httpx takes; whatever is None is left out."""
    given = {
        name: {field: value for field, value in fields.items() if value is not None}
        for name, fields in parts.items()
    }
    headers = {name: str(value) for name, value in given.get("header", {}).items()}
    options: Json = {"params": given.get("query", {}), "headers": headers}
    if "json" in given:
        options["json"] = given["json"]
    if "form" in given or "files" in given:
        options["data"] = {name: _field(value) for name, value in given.get("form", {}).items()}
        named = given.get("files", {}).items()
        several = [
            (name, one)
            for name, value in named
            for one in (value if isinstance(value, list) else [value])
        ]
        options["files"] = [(name, _file(one)) for name, one in several] or None
    return options


def _field(value: Any) -> Any:
    return value if isinstance(value, str) else _json.dumps(value, ensure_ascii=False)


def _file(value: File) -> tuple[str, bytes]:
    return (
        ("photo", value)
        if isinstance(value, bytes)
        else (Path(value).name, Path(value).read_bytes())
    )


def _body(answer: httpx.Response) -> Json:
    try:
        return cast(Json, answer.json())
    except ValueError:
        return {"detail": answer.text[:200]}


def quoted(value: object) -> str:
    """A value as one segment of a path."""
    return quote(str(value), safe="")
