"""Stored hands as the routes see them: read a photo and keep it, correct a hand, and give it as
JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from hupai.api.answers.face_doubts import Doubt, doubts_of
from hupai.api.answers.open_questions import (
    Standing,
    answer_standing,
    left,
    of_hand,
    standing_of,
    won_by,
)
from hupai.api.answers.score import answer_reading, hand_of_notation, rule_set
from hupai.api.auth.principal import Principal
from hupai.api.contract.from_json import corrected_reading, reading_of_json
from hupai.api.contract.hand import CircumstancesModel, HandModel
from hupai.api.contract.reading import ReadingOut
from hupai.api.contract.score import DoubtModel, ScoreAnswer
from hupai.api.hands import store as stored
from hupai.api.hands.pictures import Pictures
from hupai.api.hands.recognition import ReadingService
from hupai.api.hands.schemas import (
    CorrectionOut,
    HandChange,
    HandSummary,
    OutcomeOut,
    StoredHand,
    StoredPhoto,
    TileIds,
)
from hupai.api.storage import PhotoStore, Storage
from hupai.api.storage.base import now
from hupai.api.storage.photos import media_type
from hupai.api.storage.rows import CorrectionRow, HandRow
from hupai.api.web.problem_types import (
    IDEMPOTENCY_KEY_REUSED,
    INVALID,
    NOT_FOUND,
    PRECONDITION_FAILED,
    STORAGE_UNAVAILABLE,
)
from hupai.api.web.problems import ApiProblem
from hupai.api.web.work_queue import Watch
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.types import PhotoReading, Reading

T = TypeVar("T")
_TRIES = 30
"""How often a change is worked out anew because another came first."""


@dataclass(frozen=True, slots=True)
class HandForm:
    """A photo to read, `more` of the same hand, the rules and circumstances to score it under, and
    whether to keep it.
    """

    data: bytes
    name: str
    rules: RuleSet
    circumstances: CircumstancesModel
    winning_tile: Tile | None = None
    store: bool = True
    tile_set: str = "auto"
    more: tuple[tuple[bytes, str], ...] = ()

    @property
    def photos(self) -> tuple[tuple[bytes, str], ...]:
        """Bytes and name of every photo."""
        return ((self.data, self.name), *self.more)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all that decides the answer."""
        parts = {
            "photo": sha256(self.data).hexdigest(),
            **({"more": [sha256(data).hexdigest() for data, _ in self.more]} if self.more else {}),
            "rules": self.rules.id,
            "circumstances": self.circumstances.model_dump(),
            "winning_tile": None if self.winning_tile is None else self.winning_tile.code,
            "tile_set": self.tile_set,
        }
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class HandService:
    """Reads, keeps and corrects hands.

    Args:
        storage: where they are kept.
        reading: what reads photos and scores.

    Attributes:
        photos: the bytes of photos.
        pictures: makes pictures of them.
    """

    def __init__(self, storage: Storage, reading: ReadingService) -> None:
        self._storage = storage
        self._reading = reading
        self.photos: PhotoStore = storage.photos
        self.pictures = Pictures(reading.limits)

    def close(self) -> None:
        """End the threads that draw."""
        self.pictures.close()

    async def submit(
        self,
        form: HandForm,
        who: Principal,
        key: str | None,
        watch: Watch | None = None,
        *,
        patient: bool = False,
    ) -> tuple[StoredHand, bool]:
        """Read a photo, score the likeliest hand and keep both, unless the same was asked before.

        While the queue is full a patient caller waits for a place, as long as a photo may take.

        Returns:
            The stored hand as it stands now, and whether it was there already.

        Raises:
            ApiProblem: as for reading a photo, and ``idempotency-key-reused``.
        """
        fingerprint = form.fingerprint
        kept_under = f"key:{key}" if key else f"photo:{fingerprint}"
        if form.store:
            known = await run_in_threadpool(self._replay, who.name, kept_under, fingerprint)
            if known is not None:
                return known, True
        answer = await self._reading.read_together(
            form.photos, form.rules, watch, form.tile_set, patient=patient
        )
        if watch is not None:
            watch("score", 0)
        outcome = await self._reading.compute(lambda: _as_read(form, answer))
        files = tuple((name, data) for data, name in form.photos)
        draft = stored.Draft(
            who.name, files, answer_reading(answer).model_dump(mode="json"), outcome
        )
        if not form.store:
            return _unkept(draft), False
        if watch is not None:
            watch("store", 0)
        row = await run_in_threadpool(stored.insert, self._storage, draft, kept_under, fingerprint)
        if row is not None:
            return hand_out(row), False
        # The same request, sent twice at once: the other was first.
        known = await run_in_threadpool(self._replay, who.name, kept_under, fingerprint)
        if known is None:
            raise ApiProblem(
                STORAGE_UNAVAILABLE,
                "The hand was deleted while it was being stored.",
                headers={"Retry-After": "1"},
            )
        return known, True

    async def change(
        self, hand_id: str, who: Principal, change: HandChange, expected: Callable[[int], bool]
    ) -> StoredHand:
        """Append a correction and score anew. A change that changes nothing appends nothing.

        Args:
            hand_id: the hand.
            who: its author, or a referee.
            change: what is different.
            expected: whether the hand may be at this version.

        Raises:
            ApiProblem: ``not-found``, ``precondition-failed``, or what is wrong with the change.
        """
        for _ in range(_TRIES):
            row = await run_in_threadpool(self.find, hand_id, who)
            if not expected(row.version):
                raise ApiProblem(
                    PRECONDITION_FAILED,
                    f"The hand is at version {row.version}.",
                    f"手牌当前为第 {row.version} 版。",
                    headers={"ETag": f'"{row.version}"'},
                    extra={"version": row.version},
                )
            outcome = await self._reading.compute(lambda row=row: _changed(row, change))  # type: ignore[misc]
            if _same(row, outcome, change):
                return hand_out(row)
            document = change.model_dump(mode="json", exclude_unset=True)
            appended = await run_in_threadpool(
                self._append, row, who.name, change.reason, document, outcome
            )
            if appended is not None:
                return appended
        raise ApiProblem(
            STORAGE_UNAVAILABLE,
            "The hand is being changed by others all the time.",
            headers={"Retry-After": "1"},
        )

    async def share(self, hand_id: str, who: Principal, token: str | None) -> str:
        """Give the hand this share token unless it has one, or with None take it back. Returns the
        token it has then, or "".
        """

        def work() -> str:
            self.find(hand_id, who)
            with self._storage.database.session() as session:
                row = stored.share(session, hand_id, token)
                if row is None:
                    raise not_found(hand_id)
                return row.share_token or ""

        return await run_in_threadpool(work)

    @staticmethod
    def photo_of(row: HandRow, index: int) -> StoredPhoto:
        """What is known of one of a hand's photos.

        Raises:
            ApiProblem: ``not-found``.
        """
        if index >= len(row.photos):
            raise ApiProblem(
                NOT_FOUND,
                f"The hand has {len(row.photos)} photos; the first is index 0.",
                "没有这张照片。",
            )
        return _photo_out(row, index)

    @staticmethod
    def reading_of(row: HandRow, *, corrected: bool) -> Reading:
        """The reading of a hand, as the model gave it or with what was corrected since."""
        reading = reading_of_json(row.reading)
        if corrected:
            for one in _standing_corrections(row):
                if "tile_ids" in one.change and one.result is not None:
                    hand = HandModel.model_validate(one.result["hand"]).to_hand()
                    reading = corrected_reading(
                        reading, hand, TileIds.model_validate(one.change["tile_ids"])
                    )
        return reading

    def find(self, hand_id: str, who: Principal, share: str | None = None) -> HandRow:
        """The row of a hand, with photos and corrections; `share` is a token that lets anybody see
        it. Blocks.

        Raises:
            ApiProblem: ``not-found``, also for a hand that this principal may not see.
        """
        with self._storage.database.session(write=False) as session:
            row = stored.find(session, hand_id)
        by_link = bool(
            share and row is not None and row.share_token and compare_digest(row.share_token, share)
        )
        if row is None or not (by_link or may_see(who, row.author)):
            raise not_found(hand_id)
        return row

    def _replay(self, author: str, key: str, fingerprint: str) -> StoredHand | None:
        with self._storage.database.session(write=False) as session:
            known = stored.replayed(session, author, key)
            if known is None:
                return None
            if known.fingerprint != fingerprint:
                raise ApiProblem(
                    IDEMPOTENCY_KEY_REUSED,
                    "This Idempotency-Key was sent with another photo or form before.",
                    "此 Idempotency-Key 之前用于其他照片或表单。",
                )
            row = stored.find(session, known.hand_id)
            return None if row is None else hand_out(row)

    def _append(
        self,
        row: HandRow,
        author: str,
        reason: str,
        change: dict[str, Any],
        outcome: stored.Outcome,
    ) -> StoredHand | None:
        with self._storage.database.session() as session:
            appended = stored.append(session, row.id, row.version, author, reason, change, outcome)
            return None if appended is None else hand_out(appended)


def may_see(who: Principal, author: str) -> bool:
    """Whether this principal may see, correct and delete hands of that author: the author and
    referees may.
    """
    return who.name == author or "referee" in who.scopes


def not_found(hand_id: str) -> ApiProblem:
    """The problem for a hand that is not there or not for this principal; the two are not told
    apart.
    """
    return ApiProblem(NOT_FOUND, f"There is no hand {hand_id}.", "没有这手牌。")


def hand_out(row: HandRow) -> StoredHand:
    """A stored hand as JSON."""
    first, *corrections = row.corrections
    return StoredHand(
        id=row.id,
        version=row.version,
        created=row.created_at,
        updated=row.updated_at,
        author=row.author,
        photos=[_photo_out(row, index) for index in range(len(row.photos))],
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


def _photo_out(row: HandRow, index: int) -> StoredPhoto:
    photo = row.photos[index]
    return StoredPhoto(
        sha256=photo.sha256,
        name=photo.name,
        media_type=photo.photo.media_type,
        size=photo.photo.size,
    )


def _unkept(draft: stored.Draft) -> StoredHand:
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


def _as_read(form: HandForm, answer: PhotoReading) -> stored.Outcome:
    """The likely hands of a reading, scored; with `winning_tile` as the tile that won."""
    reading = answer.reading
    if not reading.hands:
        return stored.Outcome(form.rules.id, form.circumstances.model_dump(mode="json"), None, None)
    standing, doubts = standing_of(reading, form.circumstances), doubts_of(reading)
    if form.winning_tile is not None:
        standing, doubts = won_by(standing, form.winning_tile), ()
    return _scored(form.rules, standing, doubts)


def _scored(rules: RuleSet, standing: Standing, doubts: tuple[Doubt, ...]) -> stored.Outcome:
    result = answer_standing(rules, standing, doubts)
    circumstances = standing.circumstances.model_dump(mode="json")
    return stored.Outcome(rules.id, circumstances, result.notation, result.model_dump(mode="json"))


def _changed(row: HandRow, change: HandChange) -> stored.Outcome:
    """The hand after a change, scored under the rules and circumstances after it."""
    if change.back_to is not None:
        return _as_at(row, change.back_to)
    rules = rule_set(change.rules or row.rules)
    standing, doubts = _standing(row), tuple(Doubt.of_model(doubt) for doubt in change.doubts)
    if change.circumstances is not None:
        standing = standing_of(standing.reading, change.circumstances)
    told = (
        change.hand.to_hand()
        if change.hand
        else hand_of_notation(change.notation)
        if change.notation is not None
        else None
    )
    if change.answer is not None:
        standing = standing.answered(rules, change.answer)
        doubts = _open_doubts(row) if change.answer.about == "circumstance" else ()
    elif told is not None:
        standing = of_hand(told, doubts, standing.circumstances, standing.unknown)
    elif not standing.reading.hands:
        return stored.Outcome(rules.id, standing.circumstances.model_dump(mode="json"), None, None)
    else:
        doubts = _open_doubts(row)
    if change.winning_tile is not None:
        standing, doubts = won_by(standing, Tile.from_code(change.winning_tile)), ()
    return _scored(rules, standing, doubts)


def _as_at(row: HandRow, position: int) -> stored.Outcome:
    """The hand as it stood after the correction at this position.

    Raises:
        ApiProblem: ``invalid-request``, where there is no such correction.
    """
    if position >= len(row.corrections):
        last = len(row.corrections) - 1
        raise ApiProblem(
            INVALID,
            f"back_to: the last correction is at {last}.",
            f"back_to：最后一次更正为第 {last} 次。",
        )
    one = row.corrections[position]
    return stored.Outcome(one.rules, one.circumstances, one.notation, one.result)


def _standing_corrections(row: HandRow) -> list[CorrectionRow]:
    """The corrections that hold, in order: without those that a later one went back behind."""
    held: list[list[CorrectionRow]] = [[]]
    for one in row.corrections:
        to = one.change.get("back_to")
        held.append([*held[-1], one] if to is None else held[to + 1])
    return held[-1]


def _standing(row: HandRow) -> Standing:
    """How the hand stands after what was read, corrected and answered so far."""
    circumstances = CircumstancesModel.model_validate(row.circumstances)
    if row.result is None:
        return Standing(Reading(), circumstances, ())
    result = ScoreAnswer.model_validate(row.result)
    if result.verdict is None:
        return of_hand(result.hand.to_hand(), (), circumstances, ())
    corrections = _standing_corrections(row)
    told = next(
        (one for one in reversed(corrections) if {"hand", "notation"} & one.change.keys()), None
    )
    if told is None:
        return left(Standing(reading_of_json(row.reading), circumstances, ()), result.verdict)
    doubts = tuple(
        Doubt.of_model(DoubtModel.model_validate(doubt)) for doubt in told.change.get("doubts", ())
    )
    hand = (
        HandModel.model_validate(told.result["hand"]).to_hand()
        if told.result
        else result.hand.to_hand()
    )
    return left(of_hand(hand, doubts, circumstances, ()), result.verdict)


def _open_doubts(row: HandRow) -> tuple[Doubt, ...]:
    """What is still not sure about the hand as it stands: as last said by who corrected it, else by
    the reading.
    """
    for correction in reversed(_standing_corrections(row)):
        change = correction.change
        if "hand" in change:
            return tuple(
                Doubt.of_model(DoubtModel.model_validate(doubt))
                for doubt in change.get("doubts", ())
            )
        if (
            "notation" in change
            or "winning_tile" in change
            or change.get("answer", {}).get("about", "circumstance") != "circumstance"
        ):
            return ()
    return doubts_of(reading_of_json(row.reading))


def _same(row: HandRow, outcome: stored.Outcome, change: HandChange) -> bool:
    """Whether a change would leave everything as it is."""
    told = change.reason or change.tile_ids is not None
    before = stored.Outcome(row.rules, row.circumstances, row.notation, row.result)
    if told and row.corrections[-1].change == change.model_dump(mode="json", exclude_unset=True):
        told = False
    return not told and before == outcome
