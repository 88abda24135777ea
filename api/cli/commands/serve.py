"""``hupai serve``: the HTTP service and its page."""

from __future__ import annotations

import signal
import socket
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from hupai.api.cli.common import fail

if TYPE_CHECKING:
    from fastapi import FastAPI

    from hupai.api.web.settings import Settings


def serve(
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on; HUPAI_HOST, else 127.0.0.1.", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port; HUPAI_PORT, else 8000. 0 takes a free one.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=64, help="Processes that serve; HUPAI_WORKERS, else 1.", show_default=False
        ),
    ] = None,
) -> None:
    """Start the service: the page at /, the API under /v1, its description at /docs."""
    from pydantic import ValidationError

    from hupai.api.app.factory import create_app
    from hupai.api.app.supervisor import supervise
    from hupai.api.web.settings import Settings

    try:
        settings = Settings()
    except ValidationError as error:
        fail("; ".join(f"HUPAI_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))
    given = {
        name: value
        for name, value in (("host", host), ("port", port), ("workers", workers))
        if value is not None
    }
    settings = settings.model_copy(update=given)
    try:
        listener = listen(settings.host, settings.port)
    except OSError as error:
        reason = error.strerror or str(error)
        fail(
            f"Cannot listen on {settings.host} port {settings.port}: {reason}. Choose another with --port or --host."
        )
    address, bound = listener.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    typer.echo(f"Hupai is at http://{shown}:{bound}/  (stop with Ctrl+C)")
    if settings.workers > 1:
        supervise(settings, listener)
        return
    run(create_app(settings), settings, listener)


def run(app: FastAPI, settings: Settings, listener: socket.socket) -> None:
    """Serve the app until the process is told to end.

    Told to end (SIGTERM, SIGINT), it takes no new requests, answers those under way within
    ``shutdown_seconds``, and streams hear of it by ``app.state.stopping``. The client's address is
    the app's own affair, see `hupai.api.auth.rate_limit.ProxyTrust`.
    """
    import uvicorn

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            app.state.stopping.set()
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=settings.shutdown_seconds,
    )
    # Uvicorn raises the signal anew when it is done: taken as an interrupt, both end the process
    # with exit code 0.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = Server(config)
    with suppress(KeyboardInterrupt, SystemExit):
        server.run(sockets=[listener])
    if not server.started:
        fail(
            "The service did not start, the lines above say why; `hupai doctor` checks weights, storage and database."
        )


def listen(host: str, port: int) -> socket.socket:
    """A socket bound before the service starts, so that the address printed is the one in use."""
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
