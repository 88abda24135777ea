"""Photos of an exported set whose consent was taken back, or whose hand was deleted, since."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from sqlalchemy import select

from hupai.api.dossier.rows import CaseRow
from hupai.api.learning.consent import Consents, case_subject, consents, hand_subject
from hupai.api.storage import Storage
from hupai.api.storage.rows import HandRow
from hupai.datasets.from_hands.write import MANIFEST
from hupai.datasets.real.labels import LabelError

_SUBJECTS: Mapping[str, Callable[[str], str]] = {"hand": hand_subject, "case": case_subject}


def withdrawn(storage: Storage, folder: Path) -> tuple[str, ...]:
    """Name the photos of a set of `hupai datasets from-hands` that may no longer be used.

    Photos about which this deployment was never asked come from another one and are not named.

    Raises:
        LabelError: the folder has no manifest of such a set.
    """
    sources = _sources(folder)
    with storage.database.session(write=False) as session:
        said = consents(session)
        there = {_SUBJECTS["hand"](one) for one in session.scalars(select(HandRow.id))}
        there |= {_SUBJECTS["case"](one) for one in session.scalars(select(CaseRow.id))}
    return tuple(photo for photo, subject in sources.items() if _is_withdrawn(subject, said, there))


def _is_withdrawn(subject: str, said: Consents, there: set[str]) -> bool:
    asked = subject in said.given | said.refused
    return asked and (bool(said.refusal(subject)) or subject not in there)


def _sources(folder: Path) -> dict[str, str]:
    """Read the subject of consent of each photo."""
    try:
        written: dict[str, str] = json.loads((folder / MANIFEST).read_text("utf-8"))["sources"]
        split = {photo: source.split(" ", 1) for photo, source in written.items()}
        return {photo: _SUBJECTS[origin](which) for photo, (origin, which) in split.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabelError(
            f"{folder} is not a set of `hupai datasets from-hands`: {MANIFEST} ({error})"
        ) from None
