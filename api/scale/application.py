"""The Ray Serve application: the service's own app as ingress, and a deployment of photo readers.

``deploy/ray/serve.yaml`` names `build`; ``hupai serve --ray`` runs the same on this machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
from pydantic import BaseModel, ConfigDict, Field

from hupai.api.readers.photo_request import Answer, PhotoRequest
from hupai.api.scale.recogniser_replica import RecogniserReplica
from hupai.api.scale.remote_reader import RemoteReader, ServedReplicas
from hupai.api.web.settings import TEMPORARY, Settings
from hupai.scoring.errors import HupaiError

APP = "hupai"
"""Name of the application."""
RECOGNISER = "Recogniser"
"""Name of the deployment that reads."""
MOST_UNDER_WAY = 64
"""Photos that one ingress process hands out at a time."""
RAY_SETTINGS = {
    # Photos go to readers by gRPC, past Ray's object store: 10 ms less processor time a photo.
    "RAY_SERVE_USE_GRPC_BY_DEFAULT": "1",
    "RAY_SERVE_REPLICA_GRPC_MAX_MESSAGE_LENGTH": str(2**31 - 1),  # the app limits the photos
    # By default Ray runs what it starts at niceness 15, below every other program of the machine.
    "RAY_worker_niceness": "0",
}
"""Environment of Ray, where the user has not set it."""
_NEEDS_RAY = "this needs the extra 'ray': pip install 'hupai[ray]'"


class RayMissingError(HupaiError):
    """The package `ray` is not installed."""


class Arguments(BaseModel):
    """Arguments of `build`; ``args`` in serve.yaml."""

    model_config = ConfigDict(extra="forbid")

    photos_at_once: int = Field(
        default=1, ge=1, le=64, description="Photos that one replica reads at a time; 1 on a core."
    )
    batch_runs: int = Field(
        default=8, ge=1, description="Most photos whose crops go into one run of the network."
    )
    batch_seconds: float = Field(
        default=0.005, ge=0, description="How long crops wait for those of other photos."
    )
    apps: int = Field(default=1, ge=1, description="Processes with the app.")
    replicas: int | None = Field(
        default=None, ge=1, description="Fixed number of readers; otherwise it follows the queue."
    )
    most_replicas: int = Field(default=4, ge=1, description="Most readers.")
    cpus: float = Field(default=1.0, ge=0, description="Cores of each reader.")
    gpus: float = Field(default=0.0, ge=0, description="GPUs of each reader.")
    queued: int = Field(default=32, ge=0, description="Photos that may wait; the next gets 429.")
    model: str = Field(default="", description="Weights of the readers; empty: HUPAI_MODEL.")


def ray_modules() -> tuple[Any, Any]:
    """Import ``ray`` and ``ray.serve``.

    Raises:
        RayMissingError: if they are not installed.
    """
    for name, value in RAY_SETTINGS.items():
        os.environ.setdefault(name, value)  # taken when Ray is imported
    try:
        import ray  # noqa: PLC0415 - the extra `ray` is optional
        from ray import serve  # noqa: PLC0415
    except ImportError as error:
        raise RayMissingError(_NEEDS_RAY) from error
    return ray, serve


def settings_for_ray(settings: Settings) -> Settings:
    """Return the settings for processes on other machines.

    Raises:
        HupaiError: if they keep nothing, as each process would forget what another stored.
    """
    if settings.data_dir == TEMPORARY and not (settings.database_url and settings.photos_url):
        raise HupaiError(f"Ray needs storage that processes share: HUPAI_DATA_DIR is {TEMPORARY}.")
    folder = settings.data_dir
    if folder != TEMPORARY:
        folder = str(Path(folder).absolute())
    return settings.model_copy(update={"data_dir": folder, "concurrency": MOST_UNDER_WAY})


def build(args: dict[str, Any]) -> Any:
    """Build the application for ``serve deploy``, with the settings of the environment.

    Ray Serve takes a function of one parameter and nothing else.

    Args:
        args: see `Arguments`.
    """
    return assemble(Arguments.model_validate(args), Settings())


def assemble(wanted: Arguments, settings: Settings) -> Any:
    """Build the application.

    Args:
        wanted: the arguments.
        settings: settings of the service.
    """
    shared = settings_for_ray(settings)
    _, serve = ray_modules()
    scaling: dict[str, Any] = {"num_replicas": wanted.replicas}
    if wanted.replicas is None:
        scaling = {
            "autoscaling_config": {
                "min_replicas": 1,
                "max_replicas": wanted.most_replicas,
                "target_ongoing_requests": 2.0 * wanted.photos_at_once,
                # Ray Serve averages over 30 s by default; by then a burst of photos is over.
                "metrics_interval_s": 1,
                "look_back_period_s": 5,
                "upscale_delay_s": 5,
                "downscale_delay_s": 300,
            }
        }
    # A replica holds one photo more than it reads, so that it never waits for the next.
    reader = serve.deployment(
        _reader_class(),
        name=RECOGNISER,
        max_ongoing_requests=wanted.photos_at_once + 1,
        max_queued_requests=wanted.queued,
        ray_actor_options={"num_cpus": wanted.cpus, "num_gpus": wanted.gpus},
        health_check_period_s=5,
        health_check_timeout_s=30,
        graceful_shutdown_timeout_s=shared.shutdown_seconds,
        user_config={"model": wanted.model or shared.model},
        **scaling,
        # The bound arguments do not depend on the weights: if they change, Ray Serve restarts the
        # readers; if only `user_config` changes, the readers open the new weights themselves.
    ).bind(
        shared.model_copy(
            update={"model": "", "threads": shared.threads or max(1, round(wanted.cpus))}
        ),
        wanted.model_copy(update={"model": ""}),
    )
    app = serve.deployment(
        _app_class(),
        name="App",
        num_replicas=wanted.apps,
        max_ongoing_requests=1000,
        max_queued_requests=-1,
        # It must be schedulable even if readers reserve every core.
        ray_actor_options={"num_cpus": 0},
        health_check_period_s=5,
        health_check_timeout_s=30,
        graceful_shutdown_timeout_s=shared.shutdown_seconds,
    )
    return app.bind(reader, shared)


def _reader_class() -> Callable[..., Any]:
    ray, serve = ray_modules()

    class Recogniser:
        """A reader of photos, see `RecogniserReplica`."""

        def __init__(self, settings: Settings, wanted: Arguments) -> None:
            # By default OpenCV takes all cores in each process, and waits for those in use.
            cv2.setNumThreads(settings.threads)
            batched = serve.batch(
                max_batch_size=wanted.batch_runs, batch_wait_timeout_s=wanted.batch_seconds
            )
            self._replica = RecogniserReplica(settings, wanted.photos_at_once, batched)

        def reconfigure(self, config: dict[str, Any]) -> None:
            """Load weights, at the start and when ``user_config`` changes."""
            self._replica.take_weights(str(config["model"]))

        async def read(self, request: PhotoRequest) -> Answer:
            """Read one hand."""
            return await self._replica.read(request)

        async def state(self) -> dict[str, Any]:
            """Return node, process, weights, and the number of runs in each batch."""
            return {
                "node": ray.get_runtime_context().get_node_id(),
                "pid": os.getpid(),
                "model": self._replica.model,
                "batches": list(self._replica.batch_sizes),
            }

        def check_health(self) -> None:
            """Raise if photos are stuck; Ray Serve then replaces the replica."""
            self._replica.check()

    return Recogniser


def _app_class() -> Callable[..., Any]:
    _, serve = ray_modules()

    class App:
        """The service's app."""

        def __init__(self, readers: Any, settings: Settings) -> None:
            self._readers, self._settings = readers, settings

        def __serve_build_asgi_app__(self) -> Any:
            """Create the ASGI app; called by Ray Serve."""
            from hupai.api.app.factory import create_app  # noqa: PLC0415 - in the replica only

            replicas = ServedReplicas(self._readers)
            return create_app(
                self._settings, RemoteReader(replicas, self._settings.timeout_seconds)
            )

    ingress: Callable[..., Any] = serve.ingress()(App)
    return ingress
