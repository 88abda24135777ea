"""Bodies of requests: JSON and forms that give each value once, in text that can be stored."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fastapi import Request
from starlette.datastructures import FormData

from hupai.api.web.field_errors import FieldError, shortened
from hupai.api.web.problem_types import BAD_REQUEST
from hupai.api.web.problems import ApiProblem, invalid


class StrictRequest(Request):
    """A request whose JSON and form give each value once; in other respects it is `request`.

    Otherwise the last value would count, and a client that sends two by mistake would not learn
    which was taken.

    Args:
        request: whose body has not been read.
        fields: names of the form fields, and whether each may come several times.
    """

    def __init__(self, request: Request, fields: Mapping[str, bool]) -> None:
        super().__init__(request.scope, request.receive)
        self._fields = fields

    async def json(self) -> Any:
        """Parse the body, see `strict_json`."""
        return strict_json(await self.body())

    async def form(self, **limits: Any) -> FormData:  # type: ignore[override]  # is only awaited
        """Parse the form.

        Raises:
            ApiProblem: ``invalid-request``, naming the fields that the form does not have, or those
                that come twice and may not.
        """
        form = await super().form(**limits)
        counted = Counter(name for name, _ in form.multi_items())
        unknown = [name for name in counted if name not in self._fields]
        twice = [name for name in counted if counted[name] > 1 and not self._fields.get(name)]
        if unknown or twice:
            await form.close()
            raise not_known(unknown, self._fields) if unknown else given_twice(twice)
        return form


def strict_json(body: bytes) -> Any:
    """Parse the JSON of a body.

    Raises:
        ApiProblem: ``bad-request`` for text that cannot be stored, ``invalid-request`` naming the
            keys that an object holds twice.
        json.JSONDecodeError: if it is not JSON.
    """
    check_text(body)
    try:
        return json.loads(body, object_pairs_hook=_object)
    except _TwiceError:
        raise given_twice(keys_twice(body)) from None


def keys_twice(text: str | bytes, path: str = "") -> list[str]:
    """List the keys that some object of this JSON holds twice, as paths below `path`.

    Raises:
        json.JSONDecodeError: if it is not JSON.
    """
    return list(_keys_twice(json.loads(text, object_pairs_hook=_Pairs), path))


class _TwiceError(Exception):
    """An object holds a key twice."""


class _Pairs(list[tuple[str, Any]]):
    """Keys and values of an object, as they stand in the JSON."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


def _keys_twice(value: object, path: str) -> Iterator[str]:
    within = f"{path}." if path else ""
    if isinstance(value, _Pairs):
        counted = Counter(name for name, _ in value)
        yield from (f"{within}{name}" for name in counted if counted[name] > 1)
        for name, inner in value:
            yield from _keys_twice(inner, f"{within}{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _keys_twice(inner, f"{within}{number}")


def given_twice(fields: Iterable[str]) -> ApiProblem:
    """Make the problem for fields that came twice, of which one would be dropped."""
    return invalid(
        [FieldError(shortened(name), "is given more than once", "重复") for name in fields]
    )


def not_known(names: Iterable[str], known: Iterable[str]) -> ApiProblem:
    """Make the problem for form fields or query parameters that a route does not have.

    Otherwise they would be ignored, and a misspelt name would go unnoticed.
    """
    listed = sorted(known)
    message, message_zh = "Extra inputs are not permitted", "没有这一项"
    if listed:
        message += f"; known are {', '.join(listed)}"
        message_zh += f"，可用：{'、'.join(listed)}"
    return invalid([FieldError(shortened(name) or "body", message, message_zh) for name in names])


_ESCAPED = re.compile(rb"\\u(?:[dD][89a-fA-F]|0000)")


def check_text(body: bytes) -> None:
    """Refuse JSON whose text cannot be stored: half a character (a lone surrogate), or a NUL.

    So that these can be found, JSON is taken in UTF-8 alone (RFC 8259, 8.1).

    Raises:
        ApiProblem: ``bad-request``. What is no JSON at all is left to the parser.
    """
    encoding = json.detect_encoding(body)
    if encoding not in ("utf-8", "utf-8-sig"):
        raise ApiProblem(
            BAD_REQUEST,
            f"The body is in {encoding.upper()}; send JSON in UTF-8.",
            f"请求体的编码是 {encoding.upper()}；JSON 请用 UTF-8 发送。",
        )
    if _ESCAPED.search(body) is None:
        return
    try:
        texts = list(_texts(json.loads(body)))
    except (ValueError, RecursionError):
        return
    if any("\0" in text or any("\ud800" <= char <= "\udfff" for char in text) for text in texts):
        detail = "The body holds a text with half a character (a lone surrogate) or a NUL."
        raise ApiProblem(BAD_REQUEST, detail, "请求体的文本含有不完整的字符或空字符。")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
