"""What a head referee asks for: the cases of a tournament, figures, and all of them as one file."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from tempfile import SpooledTemporaryFile
from typing import IO

from hupai.api.dossier.service import CaseService
from hupai.api.dossier.tournament.overview import Waiting, in_order, waiting
from hupai.api.web.problem_types import CASE_BROKEN, NOT_FOUND
from hupai.api.web.problems import ApiProblem

MANIFEST = "manifest.json"
"""The list in an export of all cases: what is in it, and what is missing."""
_PAGE = 200
_IN_MEMORY = 64 * 2**20
"""Larger files of all cases are kept on the disk while they are sent."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which cases are chosen; empty fields leave all."""

    tournament: str = ""
    session: str = ""
    table: str = ""
    state: str = ""

    def __contains__(self, one: Waiting) -> bool:
        asked = (
            (self.tournament, one.tournament),
            (self.session, one.session),
            (self.table, one.table),
            (self.state, one.state),
        )
        return all(not wanted or wanted == found for wanted, found in asked)


@dataclass(frozen=True, slots=True)
class Exported:
    """An exported case: its id, and the name of its bundle."""

    case: str
    file: str


@dataclass(frozen=True, slots=True)
class NotExported:
    """A case that could not be exported, and the problem that prevents it; `code` is its type."""

    case: str
    title: str
    code: str
    message: str
    message_zh: str


class TournamentDesk:
    """The cases of an installation seen together. A log that did not grow is not read twice."""

    def __init__(self, cases: CaseService) -> None:
        self._cases = cases
        self._known: dict[str, tuple[int, Waiting]] = {}

    def chosen(self, wanted: Chosen) -> tuple[Waiting, ...]:
        """Return the chosen cases, those that wait first; broken ones are left out."""
        return in_order(one for one in self._lines() if isinstance(one, Waiting) and one in wanted)

    def bundles(self, wanted: Chosen) -> Iterator[tuple[Exported | NotExported, bytes]]:
        """Export the chosen cases, one after the other, each with the bytes of its bundle.

        A case with a missing photo, or with a broken log, comes as `NotExported` and empty. Broken
        ones come whatever is chosen, because it is not known where they were played.
        """
        lines = list(self._lines())
        for one in in_order(one for one in lines if isinstance(one, Waiting) and one in wanted):
            try:
                yield Exported(one.id, file_name(one)), self._cases.export(one.id)
            except ApiProblem as problem:
                if problem.kind not in (NOT_FOUND, CASE_BROKEN):
                    raise
                yield _not_exported(one.id, one.title, problem), b""
        yield from ((one, b"") for one in lines if isinstance(one, NotExported))

    def export(self, wanted: Chosen) -> IO[bytes]:
        """Return a zip file with the bundle of each chosen case, and the list of them; the caller
        closes it.
        """
        file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            found: list[Exported | NotExported] = []
            for one, data in self.bundles(wanted):
                found.append(one)
                if isinstance(one, Exported):
                    archive.writestr(one.file, data)
            archive.writestr(MANIFEST, manifest(found))
        file.seek(0)
        return file

    def _lines(self) -> Iterator[Waiting | NotExported]:
        before: str | None = None
        while True:
            page = self._cases.list(_PAGE, before, None, None)
            for one in page:
                known = self._known.get(one.id)
                if known is None or known[0] != one.events:
                    try:
                        known = (one.events, waiting(self._cases.read(one.id).case))
                    except ApiProblem as problem:
                        yield _not_exported(one.id, one.title, problem)
                        continue
                    self._known[one.id] = known
                yield known[1]
            if len(page) < _PAGE:
                return
            before = page[-1].id


def manifest(found: Sequence[Exported | NotExported]) -> bytes:
    """Return the list of an export as JSON: the file of each case, and the cases that are missing,
    with the reason.
    """
    written = {
        "format": "hupai-cases/1",
        "cases": [asdict(one) for one in found if isinstance(one, Exported)],
        "missing": [asdict(one) for one in found if isinstance(one, NotExported)],
    }
    return json.dumps(written, ensure_ascii=False, indent=1).encode() + b"\n"


def _not_exported(case: str, title: str, problem: ApiProblem) -> NotExported:
    return NotExported(case, title, problem.kind.slug, problem.detail, problem.detail_zh)


def file_name(one: Waiting) -> str:
    """Return the name of a case's bundle: its session and table if they are plain, and its id."""
    place = (("session", one.session), ("table", one.table))
    words = [f"{name}-{value}" for name, value in place if value.isascii() and value.isalnum()]
    return "-".join([*words, one.id]) + ".zip"
