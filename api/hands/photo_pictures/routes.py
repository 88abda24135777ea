"""The photos of a stored hand as images, annotated too; and its share link."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from hupai.api.hands.outcomes import reading_of
from hupai.api.hands.routes import HandId, Hands, Player, Seer, Share
from hupai.api.hands.schemas import ShareOut
from hupai.api.web.dependencies import (
    BINARY,
    NOT_MODIFIED,
    PICTURES,
    app_settings,
    has_current,
    problem_docs,
    sample_docs,
    wanted_type,
)
from hupai.api.web.problem_types import (
    INVALID,
    NOT_ACCEPTABLE,
    NOT_FOUND,
    STORAGE_FULL,
    STORAGE_UNAVAILABLE,
)
from hupai.api.web.routing.route_classes import MediaRoute
from hupai.api.web.settings import Settings

router = APIRouter(prefix="/v1", tags=["hands"], route_class=MediaRoute)

_FOREVER = "private, max-age=31536000, immutable"
_PROBLEMS = problem_docs(NOT_FOUND, INVALID, NOT_ACCEPTABLE, STORAGE_UNAVAILABLE)
Index = Annotated[int, Query(ge=0, le=100, description="Which photo of the hand.")]


@router.get(
    "/hands/{hand_id}/photo",
    summary="The photo of a stored hand",
    response_class=Response,
    responses={
        200: {
            "description": "The bytes as they were sent; with `side` the photo upright, scaled "
            "down, as JPEG or PNG.",
            "content": dict.fromkeys(
                ("image/jpeg", "image/png", "image/webp", "image/heic"), BINARY
            ),
        },
        **NOT_MODIFIED,
        **_PROBLEMS,
    },
)
async def photo(
    request: Request,
    hand_id: HandId,
    who: Seer,
    hands: Hands,
    index: Index = 0,
    side: Annotated[
        int | None,
        Query(ge=64, le=8192, description="Longest side, pixels; without it the original bytes."),
    ] = None,
    share: Share = None,
) -> Response:
    """The evidence itself, byte for byte, or a picture of it that any browser shows. It never
    changes, so it may be kept.
    """
    row = await run_in_threadpool(hands.find, hand_id, who, share)
    kept = hands.photo_of(row, index)
    media = kept.media_type if side is None else wanted_type(request, tuple(PICTURES))
    tag = (
        f'"{kept.sha256[:40]}"' if side is None else f'"{kept.sha256[:40]}-{side}{PICTURES[media]}"'
    )
    headers = _headers(tag, _FOREVER)
    if has_current(request, tag):
        return Response(status_code=304, headers=headers)
    if side is None:
        return Response(
            await run_in_threadpool(hands.photos.get, kept.sha256),
            media_type=media,
            headers=headers,
        )
    picture = await hands.pictures.make(
        tag, lambda: hands.photos.get(kept.sha256), kept.name, PICTURES[media], side, None
    )
    return Response(picture, media_type=media, headers=headers)


@router.get(
    "/hands/{hand_id}/annotated",
    summary="The photo of a stored hand with boxes and names",
    response_class=Response,
    responses={
        200: {
            "description": "The photo, drawn upon.",
            "content": dict.fromkeys(PICTURES, BINARY),
        },
        **NOT_MODIFIED,
        **_PROBLEMS,
    },
)
async def annotated(
    request: Request,
    hand_id: HandId,
    who: Seer,
    hands: Hands,
    limits: Annotated[Settings, Depends(app_settings)],
    as_read: Annotated[
        bool, Query(description="What the model read, without the corrections.")
    ] = False,
    photo: Annotated[int, Query(ge=0, description="Which of the hand's photos, from 0.")] = 0,
    side: Annotated[
        int | None,
        Query(ge=64, le=8192, description="Longest side, pixels; else the service's setting."),
    ] = None,
    share: Share = None,
) -> Response:
    """Every tile with box, face and group, as it stands after the corrections that say which tile
    is which (`tile_ids`).
    """
    row = await run_in_threadpool(hands.find, hand_id, who, share)
    kept = hands.photo_of(row, photo)
    media = wanted_type(request, tuple(PICTURES))
    longest = side or limits.annotated_side
    state = "read" if as_read else str(row.version)
    tag = f'"{hand_id}-{photo}-{state}-{longest}{PICTURES[media]}"'
    headers = _headers(tag, "private, no-cache")
    if has_current(request, tag):
        return Response(status_code=304, headers=headers)
    drawn = reading_of(row, corrected=not as_read).on_photo(photo)
    picture = await hands.pictures.make(
        tag, lambda: hands.photos.get(kept.sha256), kept.name, PICTURES[media], longest, drawn
    )
    return Response(picture, media_type=media, headers=headers)


@router.put(
    "/hands/{hand_id}/share",
    summary="Make a share link",
    response_model=ShareOut,
    responses={
        **sample_docs("share"),
        **problem_docs(NOT_FOUND, STORAGE_FULL, STORAGE_UNAVAILABLE),
    },
)
async def share_hand(hand_id: HandId, who: Player, hands: Hands) -> ShareOut:
    """A token with which anybody may look at this hand and its photos, without a key; the same one
    until it is taken back.
    """
    token = await hands.share(hand_id, who, secrets.token_urlsafe(32))
    return ShareOut(token=token, path=f"/v1/hands/{hand_id}?share={token}")


@router.delete(
    "/hands/{hand_id}/share",
    summary="Take a share link back",
    status_code=204,
    response_class=Response,
    responses={
        204: {"description": "There is no link any more."},
        **problem_docs(NOT_FOUND, STORAGE_FULL, STORAGE_UNAVAILABLE),
    },
)
async def unshare_hand(hand_id: HandId, who: Player, hands: Hands) -> Response:
    """The link stops working at once."""
    await hands.share(hand_id, who, None)
    return Response(status_code=204)


def _headers(tag: str, cache: str) -> dict[str, str]:
    return {"ETag": tag, "Cache-Control": cache, "Vary": "Accept"}
