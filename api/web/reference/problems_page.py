"""The page docs/problems.md: what the service and the commands say is wrong, by stable names.

python -m hupai.api.web.reference.problems_page > docs/problems.md
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator

from hupai.api.contract.problem import ProblemDetails
from hupai.api.web.problem_types import TYPES
from hupai.scoring.checks.catalogue import CODES
from hupai.vision.photo.decode import PhotoError
from hupai.vision.photo.files import PhotoNotReadableError
from hupai.vision.reading.problem_catalogue import WORDINGS

_INTRODUCTION = """\
# Problems

Every error of the service is an RFC 9457 problem, `application/problem+json`. Programs
should check `type`, which is stable. `detail` says what is wrong with this request and
`advice` what to do; `title_zh`, `detail_zh` and `advice_zh` say the same in Chinese.
`request_id` (also the header `X-Request-ID`) identifies the request in the server's log.
This page is generated (`python -m hupai.api.web.reference.problems_page`); a test compares the two.
"""
_MEMBERS = """\

Some types have further members:
"""
_READINGS = """\

## Problems of a reading

A hand that is doubtful or cannot be read is not an error of the request. The reading lists in
`problems` what is wrong: each has a stable `code`, a `severity` (with `error` the hand cannot be
scored as read), `message` and `message_zh`, and the ids of the `tiles` concerned. `…` stands for a
detail.
"""
_HANDS = """\

## Problems of a hand

The `problems` of a score, of waits, deals and sessions have the same form; their `tiles` are tile
codes. The severity is the usual one.
"""
_PHOTOS = """\

## Files that are not photos

This is the `code` of the problem that refuses such a file. `hupai read` prints it, with `--json` in
`problems`.
"""


def as_markdown() -> str:
    """Write the page."""
    types = (
        (f"`{p.uri}`", str(p.status), f"{p.title} · {p.title_zh}", p.meaning, p.advice)
        for p in TYPES.values()
    )
    members = (
        (f"`{name}`", field.description)
        for name, field in ProblemDetails.model_fields.items()
        if field.description
    )
    readings = (
        (f"`{code}`", one.severity.value, _sentence(one.en.replace("{}", "…")))
        for code, one in WORDINGS.items()
    )
    hands = ((f"`{code}`", one.severity.value, one.en) for code, one in CODES.items())
    photos = ((f"`{one.code}`", _meaning(one)) for one in _kinds(PhotoError))
    return "".join(
        (
            _INTRODUCTION,
            _table(("type", "status", "title", "meaning", "what to do"), types),
            _MEMBERS,
            _table(("member", "of which type, and what"), members),
            _READINGS,
            _table(("code", "severity", "message"), readings),
            _HANDS,
            _table(("code", "severity", "meaning"), hands),
            _PHOTOS,
            _table(("code", "meaning"), photos),
        )
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    ruled = "".join(
        f"|{'|'.join(line)}|\n" if line[0] == "---" else f"| {' | '.join(line)} |\n"
        for line in lines
    )
    return f"\n{ruled}"


def _kinds(kind: type[PhotoError]) -> Iterator[type[PhotoError]]:
    """Yield the subclasses of an error in the order of the module, each before its own."""
    for one in kind.__subclasses__():
        yield one
        yield from _kinds(one)


def _meaning(kind: type[PhotoError]) -> str:
    """Return the docstring of an error without the names of limits."""
    text = re.sub(r" \(`Limits\.\w+`\)", "", inspect.cleandoc(kind.__doc__ or ""))
    if issubclass(kind, PhotoNotReadableError):  # the service takes no paths
        return f"{text.removesuffix('.')} (commands alone)."
    return text


def _sentence(text: str) -> str:
    """Make a message a sentence of a table."""
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    print(as_markdown(), end="")
