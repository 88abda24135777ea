"""Stored hands as the API shows them."""

from __future__ import annotations

from hashlib import sha256

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.reading import ReadingOut
from hupai.api.contract.score import ScoreAnswer
from hupai.api.hands.schemas import (
    CorrectionOut,
    HandSummary,
    OutcomeOut,
    StoredHand,
    StoredPhoto,
)
from hupai.api.hands.store import Draft
from hupai.api.storage.base import now
from hupai.api.storage.photos import media_type
from hupai.api.storage.rows import CorrectionRow, HandRow


def hand_out(row: HandRow) -> StoredHand:
    """A stored hand as JSON."""
    first, *corrections = row.corrections
    return StoredHand(
        id=row.id,
        version=row.version,
        created=row.created_at,
        updated=row.updated_at,
        author=row.author,
        photos=[photo_out(row, index) for index in range(len(row.photos))],
        rules=row.rules,
        circumstances=CircumstancesModel.model_validate(row.circumstances),
        reading=ReadingOut.model_validate(row.reading),
        as_read=_outcome_out(first),
        corrections=[
            CorrectionOut(
                position=one.position,
                author=one.author,
                created=one.created_at,
                reason=one.reason,
                change=one.change,
                **_outcome_out(one).model_dump(),
            )
            for one in corrections
        ],
        result=None if row.result is None else ScoreAnswer.model_validate(row.result),
        shared=row.share_token is not None,
    )


def summary_out(row: HandRow) -> HandSummary:
    """A line of the list."""
    return HandSummary(
        id=row.id,
        version=row.version,
        created=row.created_at,
        updated=row.updated_at,
        author=row.author,
        certain=row.certain,
        photos=[photo.sha256 for photo in row.photos],
        rules=row.rules,
        notation=row.notation,
        total=row.total,
        unit=row.unit,
        complete=row.complete,
        legal=row.legal,
    )


def _outcome_out(row: CorrectionRow) -> OutcomeOut:
    score = (row.result or {}).get("score") or {}
    found = {name: score.get(name) for name in ("total", "unit", "complete", "legal")}
    return OutcomeOut(rules=row.rules, notation=row.notation, **found)


def photo_out(row: HandRow, index: int) -> StoredPhoto:
    """Return what is known of one of a hand's photos."""
    photo = row.photos[index]
    return StoredPhoto(
        sha256=photo.sha256,
        name=photo.name,
        media_type=photo.photo.media_type,
        size=photo.photo.size,
    )


def unkept_out(draft: Draft) -> StoredHand:
    """The answer for a hand that is not to be stored."""
    outcome, moment = draft.outcome, now()
    row = CorrectionRow(rules=outcome.rules, notation=outcome.notation, result=outcome.result)
    return StoredHand(
        id=None,
        version=0,
        created=moment,
        updated=moment,
        author=draft.author,
        photos=[
            StoredPhoto(
                sha256=sha256(data).hexdigest(),
                name=name,
                media_type=media_type(data),
                size=len(data),
            )
            for name, data in draft.photos
        ],
        rules=outcome.rules,
        circumstances=CircumstancesModel.model_validate(outcome.circumstances),
        reading=ReadingOut.model_validate(draft.reading),
        as_read=_outcome_out(row),
        corrections=[],
        result=None if outcome.result is None else ScoreAnswer.model_validate(outcome.result),
        shared=False,
    )
