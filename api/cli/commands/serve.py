"""``hupai serve``: the HTTP service and its page."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated

import typer

from hupai.api.app.certificate import fingerprint, own_certificate
from hupai.api.app.server import listen
from hupai.api.app.server import serve as serve_until_told
from hupai.api.app.welcome import lan_address, welcome
from hupai.api.cli.chinese.translate import in_chinese
from hupai.api.cli.opening import load_settings
from hupai.api.cli.options import HostOption, PortOption
from hupai.api.cli.terminal import ExitCode, fail, os_reason, tell
from hupai.api.cli.typer_app import App
from hupai.api.web.settings import TEMPORARY, Settings

app = App()


_EVERYWHERE = "0.0.0.0"
"""The address that means all addresses of this machine."""


@app.add(
    "serve",
    "hupai serve --port 8500",
    "hupai serve --lan",
    "hupai serve --lan --https",
    "hupai serve --ray",
)
def serve(
    host: HostOption = None,
    port: PortOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, max=64, help="Processes that serve; HUPAI_WORKERS, else 1.", show_default=False
        ),
    ] = None,
    lan: Annotated[
        bool,
        typer.Option("--lan", help="Allow phones on this network; prints a code that pairs them."),
    ] = False,
    ray: Annotated[
        bool,
        typer.Option(
            "--ray",
            help="Run on Ray Serve (RAY_ADDRESS, else on this machine): --workers is then the "
            "number of readers.",
        ),
    ] = False,
    https: Annotated[
        bool,
        typer.Option(
            "--https", help="Encrypt with a self-made certificate, so that phones allow the camera."
        ),
    ] = False,
) -> None:
    """Start the service: the page at /, the API under /v1.

    The API is documented at /docs. The settings come from the environment. Other machines need a
    key unless HUPAI_REQUIRE_KEYS is false.
    """
    given = {"host": host or (_EVERYWHERE if lan else None), "port": port, "workers": workers}
    settings = load_settings().model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
    if ray:
        _serve_on_ray(settings, workers, https)
        return
    try:
        listener = listen(settings.host, settings.port)
    except OSError as error:
        fail(
            f"Cannot listen on {settings.host} port {settings.port}: {os_reason(error)}. Choose "
            f"another with --port or --host, or with `HUPAI_PORT={settings.port + 1} make run`."
        )
    address, bound = listener.getsockname()[:2]
    tls = _certificate(settings) if https else None
    for line in welcome(settings, address, bound, "https" if tls else "http"):
        typer.echo(in_chinese(line))
    if tls:
        tell(
            "A browser warns of the certificate once; its SHA-256 fingerprint is "
            f"{fingerprint(tls[0])}"
        )
    serve_until_told(settings, listener, tls)
    tell("Hupai has stopped.")


def _serve_on_ray(settings: Settings, workers: int | None, https: bool) -> None:
    """Serve on Ray until told to end."""
    if https:
        fail("--https does not go with --ray: put a proxy in front.", ExitCode.BAD_USAGE)
    # Imported here: the other ways of serving do not need it.
    from hupai.api.scale.application import Arguments  # noqa: PLC0415
    from hupai.api.scale.serving import start, stop, wait_until_told  # noqa: PLC0415

    start(settings, Arguments(replicas=workers))
    for line in welcome(settings, settings.host, settings.port, "http"):
        typer.echo(in_chinese(line))
    wait_until_told()
    stop()
    tell("Hupai has stopped.")


def _certificate(settings: Settings) -> tuple[Path, Path]:
    """Return certificate and key of this machine, kept in the data folder."""
    if settings.data_folder is None:
        fail(f"HUPAI_DATA_DIR is {TEMPORARY}: name a folder where the certificate is kept.")
    hosts = ["localhost", "127.0.0.1", socket.gethostname(), lan_address() or "127.0.0.1"]
    try:
        return own_certificate(settings.data_folder / "tls", hosts)
    except OSError as error:
        fail(f"The certificate cannot be written: {os_reason(error)}.")
