"""The HTTP service: `create_app` puts it together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.staticfiles import StaticFiles

from hupai.api.app import auth_docs, example_routes, health_routes, page_routes
from hupai.api.auth.keys import KeyStore
from hupai.api.auth.middleware import CORS, GuardMiddleware
from hupai.api.contract.hand import ProblemDetails
from hupai.api.dossier import routes as case_routes
from hupai.api.dossier import view_routes
from hupai.api.dossier.service import CaseService
from hupai.api.hands import batch_routes, picture_routes, recognition_routes
from hupai.api.hands import routes as hand_routes
from hupai.api.hands.recognition import PhotoReader, ReadingService
from hupai.api.hands.service import HandService
from hupai.api.overlay import live_routes
from hupai.api.overlay import routes as table_routes
from hupai.api.overlay.service import OverlayService
from hupai.api.scores import comparison_routes, deal_routes, tile_routes
from hupai.api.scores import routes as score_routes
from hupai.api.tile_sets import routes as tile_set_routes
from hupai.api.tile_sets.store import store_in
from hupai.api.web import logs, problems, samples, sse
from hupai.api.web.metrics import Metrics
from hupai.api.web.page_files import PAGE_DIR
from hupai.api.web.problems import ApiProblem
from hupai.api.web.request_middleware import RequestMiddleware
from hupai.api.web.settings import Settings
from hupai.api.web.shutdown import Stopping
from hupai.api.web.storage_access import install as install_storage_problems
from hupai.api.web.storage_access import storage_of

log = logging.getLogger("hupai.api")

_DESCRIPTION = """\
Reads a photo of a revealed mahjong hand and says what it scores, and why.

Errors are RFC 9457 problems, see [/problems](/problems). A hand that is illegal, or a photo that shows none, is no error: the
answer lists what is wrong.
"""
_TAGS = [
    {"name": "photos", "description": "What is on a photo."},
    {"name": "hands", "description": "Photos and hands, scored."},
    {"name": "rules", "description": "Rule sets and what to ask for."},
    {"name": "tiles", "description": "The 43 faces."},
    {"name": "tile sets", "description": "Tile sets that the service was taught."},
    {"name": "tables", "description": "Broadcast tables: cameras, proposals, what is on air."},
    {
        "name": "cases",
        "description": "Disputes: photos, corrections, claims, rulings, as a signed log.",
    },
    {"name": "operation", "description": "For those who run the service."},
]


def create_app(settings: Settings | None = None, recogniser: PhotoReader | None = None) -> FastAPI:
    """The service as an ASGI app.

    Args:
        settings: by default from the environment.
        recogniser: what reads photos; by default the registry's model named in the settings, opened
            once.
    """
    chosen = settings or Settings()
    metrics = Metrics()
    reading = ReadingService(chosen, metrics, recogniser)
    storage = storage_of(chosen)
    reading.tile_sets = store_in(storage.folder)
    hands = HandService(storage, reading)
    overlay = OverlayService(chosen, storage)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        logs.configure(chosen)
        await asyncio.to_thread(storage.open)
        opening = asyncio.create_task(_open_model(reading)) if chosen.preload else None
        await overlay.start()
        with app.state.stopping.on_signals():
            yield
        await overlay.stop()
        if opening is not None:
            await opening
        await sse.settle(chosen.shutdown_seconds)
        await asyncio.to_thread(reading.close)
        await asyncio.to_thread(hands.close)
        await asyncio.to_thread(storage.close)

    app = FastAPI(
        title="Hupai",
        version=_version(),
        summary="Photo of a mahjong hand to its score",
        description=_DESCRIPTION,
        license_info={"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        openapi_tags=_TAGS,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.settings = chosen
    app.state.metrics = metrics
    app.state.reading = reading
    app.state.storage = storage
    app.state.hands = hands
    app.state.cases = CaseService(storage, reading.limits)
    app.state.overlay = overlay
    app.state.stopping = Stopping()
    problems.install(app)
    install_storage_problems(app)
    for module in (
        recognition_routes,
        hand_routes,
        batch_routes,
        picture_routes,
        score_routes,
        comparison_routes,
        deal_routes,
        tile_routes,
        tile_set_routes,
        case_routes,
        view_routes,
        example_routes,
        table_routes,
        live_routes,
        health_routes,
        page_routes,
    ):
        app.include_router(module.router)
    app.include_router(live_routes.pages)
    app.include_router(view_routes.pages)
    app.mount("/page", StaticFiles(directory=PAGE_DIR), name="page")
    app.add_middleware(GuardMiddleware, settings=chosen, keys=lambda: KeyStore(storage.database))
    app.add_middleware(
        RequestMiddleware,
        max_body=chosen.max_upload_bytes,
        body_seconds=chosen.upload_seconds,
        metrics=metrics,
    )
    if chosen.cors_origins:
        app.add_middleware(CORSMiddleware, allow_origins=chosen.cors_origins, **CORS)
    _complete_document(app)
    return app


async def _open_model(reading: ReadingService) -> None:
    """Open the model while the service already answers; a failure is logged and shown by
    /readiness.
    """
    with suppress(ApiProblem):
        await asyncio.to_thread(reading.load)


def _complete_document(app: FastAPI) -> None:
    """Put into the OpenAPI document what FastAPI cannot: recorded examples, the problems' schema;
    and take out its own errors.
    """
    original = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document: dict[str, Any] = samples.fill(original())
            schemas = document["components"]["schemas"]
            schemas["ProblemDetails"] = ProblemDetails.model_json_schema(
                ref_template="#/components/schemas/{model}"
            )
            schemas.update(schemas["ProblemDetails"].pop("$defs", {}))
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            for operation in (
                operation for item in document["paths"].values() for operation in item.values()
            ):
                if "application/json" in operation["responses"].get("422", {}).get("content", {}):
                    del operation["responses"]["422"]
            auth_docs.complete(app, document)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _version() -> str:
    try:
        return version("hupai")
    except PackageNotFoundError:
        return "0"
