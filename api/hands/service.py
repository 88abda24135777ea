"""Read a photo and keep the hand, correct a stored hand, and find one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hmac import compare_digest
from typing import Any

from starlette.concurrency import run_in_threadpool

from hupai.api.auth.principal import Principal
from hupai.api.hands import store as stored
from hupai.api.hands.forms import HandForm
from hupai.api.hands.outcomes import (
    after_change,
    as_stored,
    changes_nothing,
    repeats_last,
    without_repeats,
)
from hupai.api.hands.photo_pictures.rendering import Pictures
from hupai.api.hands.photo_work.keeping import Keeping
from hupai.api.hands.photo_work.scored_reading import Outcome, ScoredReading
from hupai.api.hands.recognition import ReadingService
from hupai.api.hands.schemas import HandChange, StoredHand, StoredPhoto
from hupai.api.hands.under_way import NobodyWaits, RequestsUnderWay
from hupai.api.hands.views import hand_out, photo_out, unkept_out
from hupai.api.storage import PhotoStore, Storage
from hupai.api.storage.rows import HandRow
from hupai.api.web.dependencies import etag
from hupai.api.web.problem_types import (
    HAND_IN_USE,
    IDEMPOTENCY_KEY_REUSED,
    NOT_FOUND,
    PRECONDITION_FAILED,
    STORAGE_UNAVAILABLE,
)
from hupai.api.web.problems import ApiProblem
from hupai.api.web.work_queue import Watch

_TRIES = 30
"""How often a change is computed again because another one came first."""


class HandService:
    """Reads, keeps and corrects hands.

    Args:
        storage: where they are kept.
        reading: what reads photos and scores.
        under_way: lets equal requests follow each other, see `hupai.api.hands.under_way`.

    Attributes:
        photos: the bytes of photos.
        pictures: makes pictures of them.
        on_appended: called with each hand after a correction, inside its transaction.
    """

    def __init__(
        self,
        storage: Storage,
        reading: ReadingService,
        under_way: RequestsUnderWay | None = None,
    ) -> None:
        self._storage = storage
        self._reading = reading
        self.under_way = under_way or NobodyWaits()
        self.photos: PhotoStore = storage.photos
        self.pictures = Pictures(reading.decoding)
        self._keepers = ThreadPoolExecutor(2, thread_name_prefix="keeper")
        self.on_appended: Callable[[HandRow], None] = lambda _row: None

    def close(self) -> None:
        """End the threads that draw and write."""
        self.pictures.close()
        self._keepers.shutdown(wait=True)

    async def submit(
        self,
        form: HandForm,
        who: Principal,
        key: str | None,
        watch: Watch | None = None,
        *,
        patient: bool = False,
    ) -> tuple[StoredHand, bool]:
        """Read a photo, score the likeliest hand and keep both, unless this request came before.

        While the queue is full, a patient caller waits for a place, as long as a photo may take.

        Returns:
            The stored hand in its current state, and whether it existed before.

        Raises:
            ApiProblem: as for reading a photo, and ``idempotency-key-reused``.
        """
        if not form.store:
            scored = await self._scored(form, watch, patient=patient)
            return unkept_out(_draft(form, who.name, scored)), False
        asked = await run_in_threadpool(_Asked.of, form, who, key)
        known = await run_in_threadpool(self._replay, asked)
        if known is not None:
            return known, True
        async with self.under_way.turn(asked.author, asked.kept_under) as waited:
            if waited:
                known = await run_in_threadpool(self._replay, asked)
                if known is not None:
                    return known, True
            return await self._read_and_keep(form, asked, watch, patient=patient)

    async def known(self, form: HandForm, who: Principal, key: str | None) -> StoredHand | None:
        """Return the hand that the same request stored before, in its current state, if any.

        Raises:
            ApiProblem: ``idempotency-key-reused``.
        """
        if not form.store:
            return None
        return await run_in_threadpool(lambda: self._replay(_Asked.of(form, who, key)))

    async def _scored(self, form: HandForm, watch: Watch | None, *, patient: bool) -> ScoredReading:
        """Read the photos of a form and score the hand; raises as `submit` does."""
        scored = await self._reading.read_and_score(
            form.hand_photos, form.scorer, watch, patient=patient
        )
        scored.check()
        return scored

    async def _read_and_keep(
        self, form: HandForm, asked: _Asked, watch: Watch | None, *, patient: bool
    ) -> tuple[StoredHand, bool]:
        """Read a photo that was not known when the request came, and keep it; else as `submit`."""
        keeping = Keeping(self._storage, self._keepers, form.photos, watch)
        try:
            scored = await self._scored(form, keeping.watch, patient=patient)
            if watch is not None:
                watch("store", 0)
            draft = _draft(form, asked.author, scored)
            insert = partial(stored.insert, self._storage, draft, kept=await keeping.done())
            row = await run_in_threadpool(insert, asked.kept_under, asked.fingerprint)
        except BaseException:
            keeping.undo()
            raise
        if row is not None:
            return hand_out(row), False
        # The same request, sent twice at once: the other was first.
        known = await run_in_threadpool(self._replay, asked)
        if known is None:
            raise ApiProblem(
                STORAGE_UNAVAILABLE,
                "The hand was deleted while it was being stored.",
                "手牌在保存时被删除。",
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
                raise _changed_since(row.version)
            if await self._reading.compute(partial(repeats_last, row, change)):
                return hand_out(row)
            new = await self._reading.compute(partial(without_repeats, row, change))
            outcome = await self._reading.compute(partial(after_change, row, new))
            if changes_nothing(row, outcome, new):
                return hand_out(row)
            appended = await run_in_threadpool(
                self._append, row, who.name, new.reason, as_stored(new), outcome
            )
            if appended is not None:
                return appended
        raise ApiProblem(
            STORAGE_UNAVAILABLE,
            "The hand is being changed by others all the time.",
            "手牌正不断被他人更改。",
            headers={"Retry-After": "1"},
        )

    async def delete(self, hand_id: str, who: Principal, expected: Callable[[int], bool]) -> None:
        """Delete a hand, and its photos where nothing else needs them; arguments as for `change`.

        Raises:
            ApiProblem: ``not-found``, ``precondition-failed`` or ``hand-in-use``.
        """

        def work() -> None:
            self.find(hand_id, who)
            if not stored.remove(self._storage, hand_id, expected):
                raise not_found(hand_id)

        try:
            await run_in_threadpool(work)
        except stored.HandChangedError as error:
            raise _changed_since(error.version) from None
        except stored.HandInUseError:
            raise ApiProblem(
                HAND_IN_USE,
                f"Something that is kept refers to hand {hand_id}.",
                f"保留的内容仍在引用手牌 {hand_id}。",
            ) from None

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
                f"The hand has no photo {index}; its last one is {len(row.photos) - 1}.",
                f"这手牌没有照片 {index}，最后一张为 {len(row.photos) - 1}。",
            )
        return photo_out(row, index)

    def find(self, hand_id: str, who: Principal, share: str | None = None) -> HandRow:
        """The row of a hand, with photos and corrections; `share` is a token that lets anybody see
        it. Blocks.

        Raises:
            ApiProblem: ``not-found``, also for a hand that this principal may not see.
        """
        with self._storage.database.session(write=False) as session:
            row = stored.find(session, hand_id)
        by_link = bool(
            share
            and row is not None
            and row.share_token
            and compare_digest(row.share_token.encode(), share.encode())
        )
        if row is None or not (by_link or may_see(who, row.author)):
            raise not_found(hand_id)
        return row

    def _replay(self, asked: _Asked) -> StoredHand | None:
        """Return the hand that this request stored, in its current state, if any. Blocks."""
        with self._storage.database.session(write=False) as session:
            known = stored.replayed(session, asked.author, asked.kept_under)
            if known is None:
                return None
            if known.fingerprint != asked.fingerprint:
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
        outcome: Outcome,
    ) -> StoredHand | None:
        with self._storage.database.session() as session:
            appended = stored.append(session, row.id, row.version, author, reason, change, outcome)
            if appended is None:
                return None
            self.on_appended(appended)
            return hand_out(appended)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What identifies a request, so that a repetition is recognised.

    Attributes:
        author: name of the key that it came with.
        kept_under: the client's Idempotency-Key, or without one photo and form.
        fingerprint: hash of photo and form.
    """

    author: str
    kept_under: str
    fingerprint: str

    @classmethod
    def of(cls, form: HandForm, who: Principal, key: str | None) -> _Asked:
        """Hash the photos of a form; blocks meanwhile."""
        fingerprint = form.fingerprint
        return cls(who.name, f"key:{key}" if key else f"photo:{fingerprint}", fingerprint)


def _draft(form: HandForm, author: str, scored: ScoredReading) -> stored.Draft:
    photos = tuple((name, data) for data, name in form.photos)
    return stored.Draft(author, photos, scored.reading, scored.outcome)


def _changed_since(version: int) -> ApiProblem:
    """The problem for a hand that is at another version than the request names."""
    return ApiProblem(
        PRECONDITION_FAILED,
        f"The hand is at version {version}.",
        f"手牌当前为第 {version} 版。",
        headers={"ETag": etag(version)},
        extra={"version": version},
    )


def may_see(who: Principal, author: str) -> bool:
    """Whether this principal may see, correct and delete hands of that author: the author and
    referees may.
    """
    return who.name == author or "referee" in who.scopes


def not_found(hand_id: str) -> ApiProblem:
    """The problem for a hand that does not exist, or that this principal may not see; both get the
    same answer.
    """
    return ApiProblem(NOT_FOUND, f"There is no hand {hand_id}.", "没有这手牌。")
