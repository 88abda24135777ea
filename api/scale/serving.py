"""``hupai serve --ray``: the application on the cluster of ``RAY_ADDRESS``, or on this machine."""

from __future__ import annotations

import os
import signal
import threading
from math import ceil

from hupai.api.scale.application import APP, Arguments, assemble, ray_modules
from hupai.api.web.settings import Settings

_STORE_BYTES = 256 * 1024 * 1024
"""Ray's object store memory, if this command starts Ray."""


def start(settings: Settings, arguments: Arguments) -> None:
    """Start the application; returns once it answers.

    Raises:
        hupai.api.scale.application.RayMissingError: if Ray is not installed.
        RuntimeError: if the application does not start; the lines above say why.
    """
    ray, serve = ray_modules()
    if not ray.is_initialized():
        options = {"logging_level": "warning", "log_to_driver": True}
        if os.environ.get("RAY_ADDRESS"):
            ray.init(**options)
        else:
            # Allow as many readers as requested, even with fewer cores.
            cores = max(os.cpu_count() or 1, ceil((arguments.replicas or 1) * arguments.cpus))
            ray.init(
                num_cpus=cores,
                include_dashboard=False,
                object_store_memory=_STORE_BYTES,
                **options,
            )
    serve.start(
        proxy_location="EveryNode",
        http_options={"host": settings.host, "port": settings.port},
        logging_config={"log_level": "WARNING"},
    )
    serve.run(assemble(arguments, settings), name=APP, route_prefix="/")


def stop() -> None:
    """Stop the application after requests in progress, and Ray if this process started it."""
    ray, serve = ray_modules()
    serve.delete(APP)
    serve.shutdown()
    ray.shutdown()


def wait_until_told() -> None:
    """Block until SIGTERM or SIGINT."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    while not stopped.wait(1.0):
        pass
