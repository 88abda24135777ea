"""What a head referee asks for: the cases of a tournament, figures, and all of them as one file."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO

from hupai.api.dossier.service import CaseService
from hupai.api.dossier.tournament.overview import Waiting, in_order, waiting
from hupai.api.web.problems import ApiProblem

_PAGE = 200
_IN_MEMORY = 64 * 2**20
"""Larger files of all cases are kept on the disk while they are sent."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which cases are meant; empty fields leave all."""

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


class TournamentDesk:
    """The cases of an installation seen together. A log that did not grow is not read twice."""

    def __init__(self, cases: CaseService) -> None:
        self._cases = cases
        self._known: dict[str, tuple[int, Waiting]] = {}

    def chosen(self, wanted: Chosen) -> tuple[Waiting, ...]:
        """Return the cases that are meant, those that wait first; broken ones are left out."""
        return in_order(one for one in self._lines() if one in wanted)

    def export(self, wanted: Chosen) -> IO[bytes]:
        """Return a zip file with the bundle of each case that is meant; its caller closes it."""
        file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for one in self.chosen(wanted):
                archive.writestr(f"{file_name(one)}", self._cases.export(one.id))
        file.seek(0)
        return file

    def _lines(self) -> Iterator[Waiting]:
        before: str | None = None
        while True:
            page = self._cases.list(_PAGE, before, None, None)
            for one in page:
                known = self._known.get(one.id)
                if known is None or known[0] != one.events:
                    try:
                        known = (one.events, waiting(self._cases.read(one.id).case))
                    except ApiProblem:
                        continue
                    self._known[one.id] = known
                yield known[1]
            if len(page) < _PAGE:
                return
            before = page[-1].id


def file_name(one: Waiting) -> str:
    """Return the name of a case's bundle: its session and table if they are plain, and its id."""
    place = (("session", one.session), ("table", one.table))
    words = [f"{name}-{value}" for name, value in place if value.isascii() and value.isalnum()]
    return "-".join([*words, one.id]) + ".zip"
