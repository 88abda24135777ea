"""The service's storage: made from settings, given to routes, its failures as problems."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from hupai.api.storage import Storage, StorageError, StorageFullError
from hupai.api.web.problem_types import STORAGE_FULL, STORAGE_UNAVAILABLE
from hupai.api.web.problems import problem_response
from hupai.api.web.settings import Settings

log = logging.getLogger("hupai.storage")


def storage_of(settings: Settings) -> Storage:
    """Make the storage that the settings name; nothing is touched before `Storage.open`."""
    return Storage(settings.data_folder, settings.database_url, settings.photos_url)


def install(app: FastAPI) -> None:
    """Answer every `StorageError` that a route lets through."""
    app.add_exception_handler(StorageError, _on_storage_error)


def storage(request: Request) -> Storage:
    """Return the app's storage."""
    found = request.app.state.storage
    assert isinstance(found, Storage)
    return found


def storage_problem(request: Request, error: StorageError) -> JSONResponse:
    """Answer a failure of storage; the log has the reason."""
    log.error("request %s: %s", getattr(request.state, "request_id", ""), error, exc_info=error)
    if isinstance(error, StorageFullError):
        return problem_response(
            request,
            STORAGE_FULL,
            "There is no room to store this; nothing was stored.",
            "空间不足，未保存。",
        )
    headers = {"Retry-After": "5"}
    return problem_response(
        request,
        STORAGE_UNAVAILABLE,
        "The storage does not answer; nothing was stored.",
        "存储无响应，未保存。",
        headers=headers,
    )


async def _on_storage_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, StorageError)
    return storage_problem(request, error)
