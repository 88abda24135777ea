"""Hands to store."""

from __future__ import annotations

from uuid import uuid4

from hupai.api.hands.photo_work.scored_reading import Outcome
from hupai.api.hands.store import Draft, insert
from hupai.api.storage import (
    Storage,
)
from hupai.api.storage.rows import HandRow
from tests.api.service import MCR


def draft(*photos: bytes) -> Draft:
    """A hand to store."""
    outcome = Outcome(MCR, {}, "11m+1m", {"score": {"total": 8}})
    return Draft("anna", tuple(("a.jpg", photo) for photo in photos), {"certain": True}, outcome)


def keep(storage: Storage, *photos: bytes) -> HandRow:
    """A stored hand."""
    row = insert(storage, draft(*photos), f"key:{uuid4()}", "0" * 64)
    assert row is not None
    return row
