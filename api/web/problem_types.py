"""The types of problems that the service answers, read from problem_types.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One kind of problem.

    Attributes:
        slug: ends the type URI ``/problems/<slug>``.
        status: status of the HTTP answer.
        title: what happened, in a few words.
        title_zh: the same in Chinese.
        meaning: when the service answers with it.
        advice: what to do.
        advice_zh: the same in Chinese.
    """

    slug: str
    status: int
    title: str
    title_zh: str
    meaning: str
    advice: str
    advice_zh: str

    @property
    def uri(self) -> str:
        """The ``type`` member, a reference relative to the service."""
        return f"/problems/{self.slug}"


TYPES: dict[str, ProblemType] = {
    slug: ProblemType(slug, **members)
    for slug, members in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}
"""Every problem type by slug; docs/problems.md is written from it."""

BAD_REQUEST = TYPES["bad-request"]
UNAUTHENTICATED = TYPES["unauthenticated"]
FORBIDDEN = TYPES["forbidden"]
CROSS_ORIGIN = TYPES["cross-origin"]
UNKNOWN_HOST = TYPES["unknown-host"]
SOURCE_NOT_ALLOWED = TYPES["source-not-allowed"]
NOT_FOUND = TYPES["not-found"]
METHOD_NOT_ALLOWED = TYPES["method-not-allowed"]
NOT_ACCEPTABLE = TYPES["not-acceptable"]
UPLOAD_TIMEOUT = TYPES["upload-timeout"]
TOO_LARGE = TYPES["too-large"]
NOT_A_PICTURE = TYPES["not-a-picture"]
UNSUPPORTED_MEDIA_TYPE = TYPES["unsupported-media-type"]
INVALID = TYPES["invalid-request"]
EMPTY_UPLOAD = TYPES["empty-upload"]
UNREADABLE_PICTURE = TYPES["unreadable-picture"]
BAD_SIZE = TYPES["bad-picture-size"]
UNKNOWN_RULES = TYPES["unknown-rules"]
BAD_NOTATION = TYPES["bad-notation"]
BUSY = TYPES["busy"]
RATE_LIMITED = TYPES["rate-limited"]
INTERNAL = TYPES["internal"]
MODEL_UNAVAILABLE = TYPES["model-unavailable"]
TIMEOUT = TYPES["timeout"]
HAND_IN_USE = TYPES["hand-in-use"]
PRECONDITION_FAILED = TYPES["precondition-failed"]
PRECONDITION_REQUIRED = TYPES["precondition-required"]
SESSION_MOVED = TYPES["session-moved"]
IDEMPOTENCY_KEY_REUSED = TYPES["idempotency-key-reused"]
TABLE_EXISTS = TYPES["table-exists"]
PROPOSAL_STALE = TYPES["proposal-stale"]
NO_FRAMES = TYPES["no-frames"]
TILE_SET_INCOMPLETE = TYPES["tile-set-incomplete"]
TILE_SET_EXISTS = TYPES["tile-set-exists"]
UNKNOWN_TILE_SET = TYPES["unknown-tile-set"]
STORAGE_FULL = TYPES["storage-full"]
STORAGE_UNAVAILABLE = TYPES["storage-unavailable"]
CASE_MOVED = TYPES["case-moved"]
CASE_REFUSED = TYPES["case-refused"]
CASE_BROKEN = TYPES["case-broken"]
SIGNING_KEY = TYPES["signing-key"]
