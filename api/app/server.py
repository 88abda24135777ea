"""The HTTP server: the app in this process, or in several that share one address."""

from __future__ import annotations

import asyncio
import gc
import logging
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from hupai.api.web.middleware.connections import timed_protocol
from hupai.api.web.settings import TEMPORARY, Settings
from hupai.scoring.errors import HupaiError

if TYPE_CHECKING:
    from fastapi import FastAPI

_NOT_STARTED = (
    "The service did not start, the lines above say why; "
    "`hupai doctor` checks weights, storage and database."
)
_HEALTHCHECK_SECONDS = 10
"""How long a worker may leave a health check unanswered before it is replaced."""


class StartupError(HupaiError):
    """The service cannot start; the message says why, or what to look at."""


class Server(uvicorn.Server):
    """Uvicorn's server; when it ends, no connection stays open.

    Uvicorn asks connections to close once, as the shutdown begins. One that is accepted after that
    moment, or whose client does not take its answer, would outlive the event loop.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down as Uvicorn does, then drop the connections that are left."""
        await super().shutdown(sockets)
        for connection in self.server_state.connections.copy():
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)  # the loop closes an aborted connection in its next round


def listen(host: str, port: int) -> socket.socket:
    """Bind a socket before the service starts, so that the address printed is the one in use.

    Raises:
        OSError: if the address cannot be used.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def serve(
    settings: Settings, listener: socket.socket, tls: tuple[Path, Path] | None = None
) -> None:
    """Serve with ``settings.workers`` processes until told to end (SIGTERM, SIGINT).

    Args:
        settings: settings of the service.
        listener: the socket, see `listen`.
        tls: files of a certificate and its key, for HTTPS.

    Raises:
        StartupError: if the service does not start.
    """
    if settings.workers == 1:
        run(_make_app(settings), settings, listener, tls)
        return
    if settings.data_dir == TEMPORARY:
        listener.close()
        raise StartupError(
            f"Several processes need a data folder they share: HUPAI_DATA_DIR is {TEMPORARY}."
        )
    config = _config(partial(_worker_app, settings), settings, tls)
    # The parent says which worker died and that another is started; workers log warnings only.
    logging.getLogger("uvicorn.error").setLevel(logging.INFO)
    supervisor = Multiprocess(config, sockets=[listener])
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise StartupError(_NOT_STARTED)


def run(
    app: FastAPI,
    settings: Settings,
    listener: socket.socket,
    tls: tuple[Path, Path] | None = None,
) -> None:
    """Serve the app from this process until it is told to end (SIGTERM, SIGINT).

    The service then takes no new requests, and answers those in progress within
    ``shutdown_seconds``.

    Raises:
        StartupError: if the app does not start.
    """
    # Uvicorn raises the signal anew when it is done. Taken as an interrupt, both signals end the
    # process with exit code 0.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = Server(_config(lambda: app, settings, tls))
    with suppress(KeyboardInterrupt, SystemExit):
        server.run(sockets=[listener])
    if not server.started:
        raise StartupError(_NOT_STARTED)


def _config(
    factory: Callable[[], FastAPI], settings: Settings, tls: tuple[Path, Path] | None
) -> uvicorn.Config:
    """Configure Uvicorn; `proxies.ProxyTrust` finds the client's address."""
    return uvicorn.Config(
        factory,
        factory=True,
        http=timed_protocol(settings),
        workers=settings.workers,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=settings.shutdown_seconds,
        timeout_worker_healthcheck=_HEALTHCHECK_SECONDS,
        ssl_certfile=tls[0] if tls else None,
        ssl_keyfile=tls[1] if tls else None,
    )


def _worker_app(settings: Settings) -> FastAPI:
    """Make the app of a worker, which ends when its parent process is gone."""
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    return _make_app(settings)


def _make_app(settings: Settings) -> FastAPI:
    """Make the app without collecting garbage, and leave what is loaded out of later collections.

    Nearly all of it lives as long as the process. While the modules load, collections take a sixth
    of the time; later, one of all generations would stop the event loop for 0.2 s.
    """
    gc.disable()
    try:
        # Imported here, so that a worker answers its first health check before these seconds pass.
        from hupai.api.app.factory import create_app  # noqa: PLC0415

        return create_app(settings)
    finally:
        gc.freeze()
        gc.enable()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
