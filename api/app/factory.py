"""The HTTP service: `create_app` puts it together."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib.metadata import version

from fastapi import APIRouter, FastAPI
from starlette.datastructures import State
from starlette.routing import BaseRoute

from hupai.api.app import (
    example_routes,
    health_routes,
    openapi,
    page_routes,
    source_routes,
)
from hupai.api.auth.access import AccessPolicy
from hupai.api.auth.keys import KeyStore
from hupai.api.auth.middleware import CORS, GuardMiddleware
from hupai.api.auth.rate_limit import rate_limiter
from hupai.api.dossier import routes as case_routes
from hupai.api.dossier import view_routes
from hupai.api.dossier.service import CaseService
from hupai.api.dossier.tournament import routes as tournament_routes
from hupai.api.hands import batch_routes, recognition_routes
from hupai.api.hands import routes as hand_routes
from hupai.api.hands.photo_pictures import routes as picture_routes
from hupai.api.hands.photo_work.readers import PhotoReader
from hupai.api.hands.recognition import ReadingService
from hupai.api.hands.service import HandService
from hupai.api.hands.under_way import requests_under_way
from hupai.api.learning import routes as learning_routes
from hupai.api.learning.drift import CheckedHands
from hupai.api.overlay import live_routes
from hupai.api.overlay import routes as table_routes
from hupai.api.overlay.log import routes as log_routes
from hupai.api.overlay.pages import own_files
from hupai.api.overlay.service import OverlayService
from hupai.api.readers.pool import ProcessReader, ReaderProcesses
from hupai.api.scores import comparison_routes, deal_routes, session_routes, tile_routes
from hupai.api.scores import routes as score_routes
from hupai.api.sessions import routes as stored_session_routes
from hupai.api.tile_sets import routes as tile_set_routes
from hupai.api.tile_sets.store import store_in
from hupai.api.tracing.setup import tracing_of
from hupai.api.web import logs, sse, storage_access
from hupai.api.web.metrics import Metrics
from hupai.api.web.middleware import problem_handlers
from hupai.api.web.middleware.cross_origin import CrossOriginMiddleware
from hupai.api.web.middleware.language import LanguageMiddleware
from hupai.api.web.middleware.requests import RequestMiddleware
from hupai.api.web.middleware.shutdown import Stopping
from hupai.api.web.page_files import PAGE_DIR, PageFiles
from hupai.api.web.problems import ApiProblem
from hupai.api.web.settings import Settings
from hupai.api.web.storage_access import storage_of

_DESCRIPTION = """\
Reads a photo of a revealed mahjong hand and says what it scores, and why.

Errors are RFC 9457 problems, see [/problems](/problems). A hand that is illegal, or a photo that
shows none, is no error: the answer lists what is wrong.
"""
_TAGS = [
    {"name": "photos", "description": "What is on a photo."},
    {"name": "hands", "description": "Photos and hands, scored."},
    {"name": "rules", "description": "Rule sets and what to ask for."},
    {"name": "tiles", "description": "The 43 faces."},
    {"name": "tile sets", "description": "Tile sets that the service was taught."},
    {"name": "learning", "description": "What may be learnt from corrections."},
    {"name": "tables", "description": "Broadcast tables: cameras, proposals, what is on air."},
    {
        "name": "cases",
        "description": "Disputes: photos, corrections, claims, rulings, as a signed log.",
    },
    {"name": "operation", "description": "For those who run the service."},
]


_ROUTERS = (
    recognition_routes.router,
    hand_routes.router,
    batch_routes.router,
    picture_routes.router,
    learning_routes.router,
    score_routes.router,
    comparison_routes.router,
    deal_routes.router,
    session_routes.router,
    stored_session_routes.router,
    tile_routes.router,
    tile_set_routes.router,
    case_routes.router,
    tournament_routes.router,
    view_routes.router,
    example_routes.router,
    table_routes.router,
    live_routes.router,
    log_routes.router,
    health_routes.router,
    page_routes.router,
    source_routes.router,
    own_files.pages,
    live_routes.pages,
    view_routes.pages,
)
"""Every router, in the order of the OpenAPI document."""


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return the routes that all apps of a process share.

    FastAPI analyses an included router at the first request, which takes 0.2 s. Apps that share
    what is included here share that too.
    """
    together = APIRouter()
    for router in _ROUTERS:
        together.include_router(router)
    return tuple(together.routes)


def create_app(settings: Settings | None = None, recogniser: PhotoReader | None = None) -> FastAPI:
    """Make the service as an ASGI app.

    Args:
        settings: by default from the environment.
        recogniser: what reads photos; by default the registry's model named in the settings, opened
            once.
    """
    settings = settings or Settings()
    app = FastAPI(
        title="Hupai",
        version=version("hupai"),
        summary="Photo of a mahjong hand to its score",
        description=_DESCRIPTION,
        license_info={"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        openapi_tags=_TAGS,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    _make_services(app.state, settings, recogniser)
    problem_handlers.install(app, page_routes.nothing_here)
    storage_access.install(app)
    app.router.routes.extend(_routes())
    app.mount("/page", PageFiles(directory=PAGE_DIR), name="page")
    _add_middleware(app, settings)
    openapi.install(app)
    app.state.tracing = tracing_of(settings.tracing_url, "app")
    if app.state.tracing is not None:
        app.state.tracing.install(app)
    return app


def _make_services(state: State, settings: Settings, recogniser: PhotoReader | None) -> None:
    """Create the objects in ``app.state`` that routes use; nothing is opened yet."""
    state.settings = settings
    state.access = AccessPolicy(settings)
    state.stopping = Stopping()
    state.metrics = Metrics()
    state.storage = storage_of(settings)
    count = settings.photos_at_once
    processes = None
    if recogniser is None and settings.separate_readers and count > 1 and os.name == "posix":
        spent = state.metrics.readers_processor.inc
        processes = ProcessReader(ReaderProcesses(settings, state.storage.folder, count, spent))
    state.reading = ReadingService(settings, state.metrics, recogniser, processes)
    state.reading.tile_sets = store_in(state.storage.folder, settings.photos_url)
    under_way = requests_under_way(settings.redis_url, settings.timeout_seconds)
    state.hands = HandService(state.storage, state.reading, under_way)
    state.hands.on_appended = CheckedHands(state.metrics)
    state.cases = CaseService(state.storage, state.reading.decoding)
    state.overlay = OverlayService(settings, state.storage)
    state.limiter = rate_limiter(settings.rate_limit, settings.redis_url)


def _add_middleware(app: FastAPI, settings: Settings) -> None:
    """Put middleware around the routes, the innermost first."""
    app.add_middleware(
        GuardMiddleware,
        settings=settings,
        policy=app.state.access,
        keys=lambda: KeyStore(app.state.storage.database),
        limiter=app.state.limiter,
    )
    app.add_middleware(LanguageMiddleware)
    app.add_middleware(
        RequestMiddleware,
        max_body=settings.max_upload_bytes,
        body_seconds=settings.upload_seconds,
        metrics=app.state.metrics,
    )
    if settings.cors_origins:
        app.add_middleware(CrossOriginMiddleware, allow_origins=settings.cors_origins, **CORS)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open storage and model, serve, then finish requests in progress before storage closes."""
    state = app.state
    logs.configure(state.settings)
    await asyncio.to_thread(state.storage.open)
    opening = asyncio.create_task(_open_model(state.reading)) if state.settings.preload else None
    await state.overlay.start()
    with state.stopping.on_signals():
        yield
    await state.overlay.stop()
    if opening is not None:
        await opening
    await sse.settle(state.settings.shutdown_seconds)
    if state.limiter is not None:
        await state.limiter.close()
    await state.hands.under_way.close()
    for service in (state.reading, state.hands, state.storage):
        await asyncio.to_thread(service.close)
    if state.tracing is not None:
        await asyncio.to_thread(state.tracing.close)


async def _open_model(reading: ReadingService) -> None:
    """Open the model while the service already answers.

    A failure is logged, and /readiness reports it.
    """
    with suppress(ApiProblem):
        await asyncio.to_thread(reading.load)
