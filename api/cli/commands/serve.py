"""``hupai serve``: the HTTP service and its page."""

from __future__ import annotations

from typing import Annotated

import typer

from hupai.api.app.server import listen
from hupai.api.app.server import serve as serve_until_told
from hupai.api.cli.opening import load_settings
from hupai.api.cli.options import HostOption, PortOption
from hupai.api.cli.terminal import fail, os_reason
from hupai.api.cli.typer_app import App

app = App()


@app.add("serve", "hupai serve --port 8500", "hupai serve --host 0.0.0.0 --workers 4")
def serve(
    host: HostOption = None,
    port: PortOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=64, help="Processes that serve; HUPAI_WORKERS, else 1.", show_default=False
        ),
    ] = None,
) -> None:
    """Start the service: the page at /, the API under /v1.

    Its description is at /docs. The settings come from the environment.
    """
    given = {"host": host, "port": port, "workers": workers}
    settings = load_settings().model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
    try:
        listener = listen(settings.host, settings.port)
    except OSError as error:
        fail(
            f"Cannot listen on {settings.host} port {settings.port}: {os_reason(error)}. Choose "
            f"another with --port or --host, or with `HUPAI_PORT={settings.port + 1} make run`."
        )
    address, bound = listener.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    typer.echo(f"Hupai is at http://{shown}:{bound}/  (stop with Ctrl+C)")
    serve_until_told(settings, listener)
    typer.echo("Hupai has stopped.")
