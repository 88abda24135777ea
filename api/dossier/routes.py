"""Cases: opened from photos, disputed by players, decided by referees."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Body, Depends, File, Form, Path, Query, Request, Response, UploadFile
from starlette.concurrency import run_in_threadpool

from hupai.api.answers.requests import rule_set
from hupai.api.auth.principal import Principal, needs
from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.score import RulesId
from hupai.api.dossier import samples
from hupai.api.dossier.case_json import case_out, false_win_out, list_out
from hupai.api.dossier.chain.events import Author, PlayedAt
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.false_win import READY_FORM_ZH, ready_players
from hupai.api.dossier.schemas import (
    CaseListOut,
    CaseOut,
    CaseRequest,
    ClaimRequest,
    CorrectionRequest,
    DecisionRequest,
    FalseWinListOut,
    Head,
    NoteRequest,
    ObjectionRequest,
    PlaceRequest,
    RulingRequest,
    SigningKeyOut,
    StateRequest,
)
from hupai.api.dossier.service import CaseService, author_of, unknown_case
from hupai.api.hands.dependencies import Reader
from hupai.api.hands.photo_work.hand_photos import HandPhotos
from hupai.api.web.dependencies import BINARY, form_json, problem_docs
from hupai.api.web.problem_types import (
    BAD_NOTATION,
    BAD_REQUEST,
    BAD_SIZE,
    BUSY,
    CASE_BROKEN,
    CASE_MOVED,
    CASE_REFUSED,
    EMPTY_UPLOAD,
    INVALID,
    MODEL_UNAVAILABLE,
    NOT_A_PICTURE,
    NOT_FOUND,
    SIGNING_KEY,
    STORAGE_FULL,
    STORAGE_UNAVAILABLE,
    TIMEOUT,
    TOO_LARGE,
    UNKNOWN_RULES,
    UNREADABLE_PICTURE,
    UNSUPPORTED_MEDIA_TYPE,
    ProblemType,
)
from hupai.api.web.problems import invalid_field
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.api.web.samples import sample
from hupai.api.web.uploads import display_name
from hupai.vision.types import PhotoReading

router = APIRouter(prefix="/v1", tags=["cases"], route_class=MediaRoute)

_CASE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST_PHOTOS = 8
R = TypeVar("R", bound=CaseRequest)
F = TypeVar("F", bound=Callable[..., Any])


def case_service(request: Request) -> CaseService:
    """Return the case service of this app."""
    service = request.app.state.cases
    assert isinstance(service, CaseService)
    return service


Cases = Annotated[CaseService, Depends(case_service)]
Player = Annotated[Principal, Depends(needs("player"))]
Referee = Annotated[Principal, Depends(needs("referee"))]


async def visible_case(
    case_id: Annotated[str, Path(description="Id of the case.")], who: Player, cases: Cases
) -> str:
    """Check the id in the path; a malformed id, and a case that the caller may not see, are unknown
    cases.
    """
    if not _CASE_ID.fullmatch(case_id):
        raise unknown_case()
    await run_in_threadpool(cases.check_access, case_id, who)
    return case_id


CaseId = Annotated[str, Depends(visible_case)]
StatedField = Annotated[
    str, Form(max_length=200, description="Your name, where the key is shared.")
]

KEPT = (CASE_BROKEN, SIGNING_KEY, STORAGE_UNAVAILABLE)
_WRITTEN = (
    BAD_REQUEST,
    NOT_FOUND,
    CASE_MOVED,
    CASE_REFUSED,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    INVALID,
    STORAGE_FULL,
    *KEPT,
)
_PHOTO = (
    NOT_A_PICTURE,
    EMPTY_UPLOAD,
    UNREADABLE_PICTURE,
    BAD_SIZE,
    BUSY,
    TIMEOUT,
    UNKNOWN_RULES,
    MODEL_UNAVAILABLE,
)


def documented(name: str, *problems: ProblemType) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI entries of an answer with its recorded example, and of the problems."""
    return {
        200: {"content": {"application/json": {"examples": {name: {"value": sample(name)}}}}},
        **problem_docs(*problems),
    }


async def _answer(cases: CaseService, you: Author, act: Callable[[], Log]) -> CaseOut:
    """Run an action in a thread and answer with the resulting case."""
    return await run_in_threadpool(lambda: case_out(act(), you, cases.store.key.public))


@dataclass(frozen=True, slots=True)
class _Desk:
    """The case of a request, and the service that keeps it."""

    case_id: str
    cases: CaseService

    async def act(
        self, who: Principal, wanted: R, act: Callable[[CaseService, str, Author, R], Log]
    ) -> CaseOut:
        """Perform the requested action, and answer with the resulting case."""
        you = author_of(who, wanted.stated)
        return await _answer(self.cases, you, lambda: act(self.cases, self.case_id, you, wanted))


def _desk(case_id: CaseId, cases: Cases) -> _Desk:
    return _Desk(case_id, cases)


Desk = Annotated[_Desk, Depends(_desk)]


def _acts(path: str, summary: str, example: str, *problems: ProblemType) -> Callable[[F], F]:
    """Register an action on a case, with the example of its answer."""
    return router.post(
        f"/cases/{{case_id}}/{path}",
        summary=summary,
        response_model=CaseOut,
        responses=documented(example, *_WRITTEN, *problems),
    )


@router.post(
    "/cases",
    summary="Open a case",
    response_model=CaseOut,
    responses=documented("case", *_WRITTEN, *_PHOTO),
)
async def open_case(
    photo: Annotated[
        list[UploadFile],
        File(description="One or several photos of the same hand, JPEG, PNG, WebP or HEIC."),
    ],
    who: Player,
    cases: Cases,
    reader: Reader,
    rules: Annotated[RulesId, Form()],
    circumstances: Annotated[
        str,
        Form(
            max_length=2000,
            description="A JSON object of circumstances.",
            examples=['{"self_drawn": true, "seat_wind": "E"}'],
        ),
    ] = "{}",
    title: Annotated[
        str, Form(max_length=200, description="What people call it: table, hand, date.")
    ] = "",
    stated: StatedField = "",
    place: Annotated[
        str,
        Form(
            max_length=4000,
            description="A JSON object: where the hand was played and by whom.",
            examples=['{"tournament": "Spring Open", "session": "2", "table": "3"}'],
        ),
    ] = "{}",
    zone: Annotated[
        str,
        Form(
            max_length=64,
            description="Time zone at the table, e.g. Europe/Paris or +08:00; the report gives "
            "its times in it.",
        ),
    ] = "",
) -> CaseOut:
    """Keeps the photos' bytes with hash and EXIF time, what the model saw on them, how that was
    read, and what it scores.
    """
    chosen = rule_set(rules)
    won_how = form_json(CircumstancesModel, circumstances, "circumstances")
    played_at = form_json(PlayedAt, place, "place")
    if len(photo) > _MOST_PHOTOS:
        raise invalid_field(
            "photo", f"at most {_MOST_PHOTOS} photos", f"最多 {_MOST_PHOTOS} 张照片"
        )
    you = author_of(who, stated)
    read: list[tuple[str, bytes, PhotoReading]] = []
    for upload in photo:
        data, name = await upload.read(), display_name(upload)
        read.append((name, data, await reader.read(HandPhotos([(data, name)], chosen))))
    return await _answer(
        cases,
        you,
        lambda: cases.open(you, title, chosen, won_how, read, place=played_at, zone=zone),
    )


@router.get(
    "/cases",
    summary="Cases",
    response_model=CaseListOut,
    responses=documented("cases", INVALID, SIGNING_KEY, STORAGE_UNAVAILABLE),
)
async def list_cases(
    who: Player,
    cases: Cases,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[
        str | None,
        Query(
            max_length=36,
            description="Only cases older than this one: `next` of the page before.",
            json_schema_extra={"pattern": f"^{_CASE_ID.pattern}$"},
        ),
    ] = None,
    state: Annotated[Literal["open", "ruled", "closed"] | None, Query()] = None,
) -> CaseListOut:
    """The newest first. Referees see all, players those that their key opened."""
    if before is not None and not _CASE_ID.fullmatch(before):
        raise invalid_field(
            "before",
            "no id of a case: take `next` of the page before",
            "不是案卷编号：请用上一页的 next",
        )
    author = None if "referee" in who.scopes else who.name
    found = await run_in_threadpool(lambda: cases.list(limit + 1, before, state, author))
    return list_out(found, limit)


@router.get(
    "/cases/{case_id}",
    summary="A case",
    response_model=CaseOut,
    responses=documented("case", NOT_FOUND, *KEPT),
)
async def get_case(case_id: CaseId, who: Player, cases: Cases) -> CaseOut:
    """All of it: photos, readings, corrections, claims, rulings, and what the caller may do. The
    log is checked each time. Open to the key that opened the case, referees and operators.
    """
    return await _answer(cases, author_of(who), lambda: cases.read(case_id))


@_acts("photos", "Add a photo", "case", *_PHOTO)
async def add_photo(
    case_id: CaseId,
    photo: Annotated[UploadFile, File(description="A further photo of the same hand.")],
    who: Player,
    cases: Cases,
    reader: Reader,
    stated: StatedField = "",
    head: Annotated[Head, Form()] = None,
) -> CaseOut:
    """Read like the first; the more certain reading gives the computed score."""
    known = await run_in_threadpool(cases.read, case_id)
    data, name = await photo.read(), display_name(photo)
    rules = known.case.opening.rules
    in_play = rule_set(rules.id) if rules.house is None else None  # readers know no house rules
    reading = await reader.read(HandPhotos([(data, name)], in_play))
    you = author_of(who, stated)
    return await _answer(
        cases, you, lambda: cases.add_photo(case_id, you, name, data, reading, head)
    )


@_acts("corrections", "Propose a correction", "case_disputed", BAD_NOTATION)
async def propose(
    who: Player,
    desk: Desk,
    wanted: Annotated[CorrectionRequest, Body(openapi_examples=samples.CORRECTIONS)],
) -> CaseOut:
    """Records the correction with author, time, reason, and the scores before and after. Nothing
    changes until a referee decides.
    """
    return await desk.act(who, wanted, CaseService.propose)


@_acts("corrections/{number}/decision", "Decide on a correction", "case_ruled")
async def decide(
    number: Annotated[int, Path(ge=0, le=1_000_000, description="`number` of the proposal.")],
    who: Referee,
    desk: Desk,
    wanted: Annotated[DecisionRequest, Body(openapi_examples=samples.DECISIONS)],
) -> CaseOut:
    """Accepts or rejects; an accepted correction becomes the standing result."""
    return await desk.act(
        who, wanted, lambda cases, case_id, you, body: cases.decide(case_id, you, number, body)
    )


@_acts("claims", "Claim a score", "case_disputed")
async def claim(
    who: Player,
    desk: Desk,
    wanted: Annotated[ClaimRequest, Body(openapi_examples=samples.CLAIMS)],
) -> CaseOut:
    """Records what a player says the hand scores."""
    return await desk.act(who, wanted, CaseService.claim)


@_acts("objections", "Object", "case_disputed")
async def object_to(
    who: Player,
    desk: Desk,
    wanted: Annotated[ObjectionRequest, Body(openapi_examples=samples.OBJECTIONS)],
) -> CaseOut:
    """Records who objects, to which entry, and why; open until a later ruling."""
    return await desk.act(who, wanted, CaseService.object)


@_acts("rulings", "Rule", "case_ruled", UNKNOWN_RULES)
async def rule(
    who: Referee,
    desk: Desk,
    wanted: Annotated[RulingRequest, Body(openapi_examples=samples.RULINGS)],
) -> CaseOut:
    """The referee's ruling, with the fine where the win was false. A later ruling takes an earlier
    one's place; both are kept.
    """
    return await desk.act(who, wanted, CaseService.rule)


@_acts("place", "Say where it was played", "case")
async def place(
    who: Player,
    desk: Desk,
    wanted: Annotated[PlaceRequest, Body(openapi_examples=samples.PLACES)],
) -> CaseOut:
    """Tournament, session, table, round and the players, as they stand on the report. Who opened
    the case may say it, and referees.
    """
    return await desk.act(who, wanted, CaseService.place)


@_acts("notes", "Add a remark", "case")
async def note(
    who: Player,
    desk: Desk,
    wanted: Annotated[NoteRequest, Body(openapi_examples=samples.NOTES)],
) -> CaseOut:
    """A remark, such as what a witness said."""
    return await desk.act(who, wanted, CaseService.note)


@_acts("state", "Close or reopen", "case_ruled")
async def set_state(
    who: Referee,
    desk: Desk,
    wanted: Annotated[StateRequest, Body(openapi_examples=samples.STATES)],
) -> CaseOut:
    """A closed case accepts no entries until it is reopened."""
    return await desk.act(who, wanted, CaseService.set_state)


@router.get(
    "/cases/{case_id}/false-win",
    summary="Help with a false win",
    response_model=FalseWinListOut,
    responses=documented("false_win", NOT_FOUND, INVALID, *KEPT),
)
async def false_win(
    case_id: CaseId,
    who: Player,
    cases: Cases,
    offender_is_dealer: Annotated[
        bool | None, Query(description="KC: whether who announced it deals.")
    ] = None,
    ready: Annotated[
        list[Annotated[str, Query(max_length=20)]] | None,
        Query(
            max_length=3,
            description="KC: others who were ready, each as `dealer:8` or `other:4` with the best "
            "multiplier.",
        ),
    ] = None,
) -> FalseWinListOut:
    """What the standing hand lacked under each rule set, and the fines a referee may choose from,
    with their clauses.
    """
    try:
        others = ready_players(ready or ())
    except ValueError as error:
        raise invalid_field("ready", str(error), READY_FORM_ZH) from None
    log = await run_in_threadpool(cases.read, case_id)
    return false_win_out(
        await run_in_threadpool(cases.false_win, log.case, offender_is_dealer, others)
    )


@router.get(
    "/dossier-key",
    summary="The key that signs cases",
    response_model=SigningKeyOut,
    responses=documented("dossier_key", SIGNING_KEY),
)
async def signing_key(who: Player, cases: Cases) -> SigningKeyOut:
    """The installation's public key: its fingerprint is what an exported case is verified
    against.
    """
    key = (await run_in_threadpool(lambda: cases.store)).key.public
    return SigningKeyOut(fingerprint=key.fingerprint, pem=key.pem.decode())


@router.get(
    "/cases/{case_id}/bundle",
    summary="Export a case",
    response_class=Response,
    responses={
        200: {
            "description": "Log, photos and key, signed.",
            "content": {"application/zip": BINARY},
        },
        **problem_docs(NOT_FOUND, *KEPT),
    },
)
async def export(who: Referee, case_id: CaseId, cases: Cases) -> Response:
    """One file that `hupai dossier verify` checks without a network."""
    data = await run_in_threadpool(cases.export, case_id)
    headers = {
        "Content-Disposition": f'attachment; filename="case-{case_id}.zip"',
        "Cache-Control": "no-store",
    }
    return Response(data, media_type="application/zip", headers=headers)
