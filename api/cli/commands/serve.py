"""``hupai serve``: the HTTP service and its page."""

from __future__ import annotations

from typing import Annotated

import typer

from hupai.api.cli.common import fail


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

    from hupai.api.app.server import StartupError, listen
    from hupai.api.app.server import serve as serve_until_told
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
            f"Cannot listen on {settings.host} port {settings.port}: {reason}. "
            f"Choose another with --port or --host, or with `HUPAI_PORT={settings.port + 1} make run`."
        )
    address, bound = listener.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    typer.echo(f"Hupai is at http://{shown}:{bound}/  (stop with Ctrl+C)")
    try:
        serve_until_told(settings, listener)
    except StartupError as error:
        fail(str(error))
    typer.echo("Hupai has stopped.")
