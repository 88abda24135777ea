"""Liveness, readiness and metrics, for operators."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from hupai.api.auth.principal import needs
from hupai.api.hands.dependencies import Reader
from hupai.api.storage import Storage
from hupai.api.web.dependencies import problem_docs
from hupai.api.web.metrics import Metrics
from hupai.api.web.problem_types import MODEL_UNAVAILABLE, STORAGE_UNAVAILABLE
from hupai.api.web.problems import ApiProblem
from hupai.api.web.routing.route_classes import Route
from hupai.api.web.storage_access import storage

router = APIRouter(tags=["operation"], route_class=Route)


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """Photos can be read; `queue` is how many are being read or wait."""

    ready: bool
    model: str
    queue: int


@router.get(
    "/healthz",
    summary="Alive?",
    responses={
        200: {"content": {"application/json": {"examples": {"ok": {"value": {"status": "ok"}}}}}}
    },
)
async def healthz() -> Health:
    """Answer 200 while the process runs."""
    return Health()


@router.get(
    "/readiness",
    summary="Ready to read photos?",
    responses={
        200: {
            "content": {
                "application/json": {
                    "examples": {
                        "ready": {"value": {"ready": True, "model": "default", "queue": 0}}
                    }
                }
            }
        },
        **problem_docs(MODEL_UNAVAILABLE, STORAGE_UNAVAILABLE),
    },
)
async def readiness(reader: Reader, store: Annotated[Storage, Depends(storage)]) -> Readiness:
    """Answer 200 once the model is open and the database responds, else 503."""
    if not reader.ready:
        detail = (
            "The model does not open; see the log."
            if reader.failure
            else "The model is not open yet."
        )
        raise ApiProblem(MODEL_UNAVAILABLE, detail, "识别模型尚未就绪。")
    await run_in_threadpool(store.check)
    return Readiness(ready=True, model=reader.model_name, queue=reader.queue.depth)


@router.get(
    "/metrics",
    summary="Prometheus metrics",
    dependencies=[Depends(needs("operator"))],
    response_class=Response,
    responses={
        200: {
            "description": "Text exposition format.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }
    },
)
async def metrics(request: Request) -> Response:
    """Report requests, latency, stages, problems by type and queue depth."""
    registry = request.app.state.metrics
    assert isinstance(registry, Metrics)
    return Response(registry.render(), media_type=CONTENT_TYPE_LATEST)
