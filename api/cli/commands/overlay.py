"""``hupai overlay``: the demonstration without a camera, and broadcast tables from the command
line.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hupai.api.cli.common import ExitCode, fail, note, out

if TYPE_CHECKING:
    from hupai.api.overlay.store.overlay_store import OverlayStore
    from hupai.api.web.settings import Settings

app = typer.Typer(
    no_args_is_help=True,
    help="The broadcast overlay: hand, waits and score over the video. 直播叠加画面。",
)
DEMO = "demo"


@app.command()
def demo(
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
) -> None:
    """Play a short rendered video of hands being revealed through model, video and overlay, and
    print where to watch it.
    """
    from hupai.api.app.factory import create_app
    from hupai.api.app.server import StartupError, listen, run
    from hupai.api.overlay.demo.clip import make_clip

    settings = _settings()
    folder = (
        Path(tempfile.gettempdir()) / "hupai-demo"
        if settings.data_dir.startswith(":")
        else Path(settings.data_dir) / DEMO
    )
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    # Tables, events and photos of its own: the demonstration leaves nothing among those of the
    # service.
    settings = settings.model_copy(
        update={
            **given,
            "data_dir": str(folder),
            "database_url": "",
            "photos_url": "",
            "redis_url": "",
        }
    )
    note("Drawing the video, once …") if not (folder / "hands.mp4").is_file() else None
    try:
        make_clip(folder / "hands.mp4")
        listener = listen(settings.host, settings.port)
    except OSError as error:
        fail(
            f"The demonstration cannot start: {error.strerror or error}. Try another --port, or another HUPAI_DATA_DIR."
        )
    with _store(settings) as store:
        _set_up_demo(store, folder / "hands.mp4")
    address, bound = listener.getsockname()[:2]
    base = f"http://{f'[{address}]' if ':' in address else address}:{bound}/overlay/{DEMO}"
    for what, path in (
        ("over the video", "?video=1"),
        ("for OBS, transparent", ""),
        ("operator", "/operator"),
    ):
        out().print(f"{what:22}{base}{path}", markup=False, soft_wrap=True)
    note("Stop with Ctrl+C.")
    try:
        run(create_app(settings), settings, listener)
    except StartupError as error:
        fail(str(error))


@app.command("add")
def add(
    table: Annotated[
        str, typer.Argument(help="Id of the table, e.g. final; it stands in addresses.")
    ],
    source: Annotated[
        str,
        typer.Option(help="camera:0, an RTSP, RTMP or HTTP URL, file:PATH, loop:PATH, or push."),
    ] = "push",
    seat: Annotated[
        list[str] | None,
        typer.Option(help="A seat, NAME or NAME=PLAYER; several times for several."),
    ] = None,
    rules: Annotated[str, typer.Option("--rules", "-r", help="Rule set.")] = "mcr-1998",
    auto: Annotated[
        str, typer.Option(help="off, certain or all: what goes on air without approval.")
    ] = "off",
    delay: Annotated[float, typer.Option(help="Seconds between approval and air.")] = 0.0,
) -> None:
    """Set up a broadcast table. Where each seat lies is drawn on the operator's page."""
    from pydantic import ValidationError

    from hupai.api.overlay.schemas import TableIn
    from hupai.api.overlay.store.errors import TableExistsError
    from hupai.scoring import rule_sets as rule_sets

    try:
        rule_sets.get(rules)
        seats = [
            {"seat": name, "player": player}
            for name, _, player in (one.partition("=") for one in seat or ["1"])
        ]
        wanted = TableIn.model_validate(
            {
                "id": table,
                "name": table,
                "source": source,
                "rules": rules,
                "auto": auto,
                "delay_seconds": delay,
                "seats": seats,
            }
        )
    except rule_sets.UnknownRuleSetError as error:
        fail(str(error), ExitCode.BAD_USAGE)
    except ValidationError as error:
        told = "; ".join(
            f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()
        )
        fail(told, ExitCode.BAD_USAGE)
    with _store(_settings()) as store:
        try:
            store.create(wanted)
        except TableExistsError:
            fail(f"There is a table {table!r} already; `hupai overlay remove {table}` forgets it.")
    out().print(f"overlay   /overlay/{table}\noperator  /overlay/{table}/operator", markup=False)


@app.command("list")
def list_tables() -> None:
    """The broadcast tables."""
    with _store(_settings()) as store:
        for table in store.tables():
            seats = ", ".join(
                seat.seat + (f"={seat.player}" if seat.player else "") for seat in table.seats
            )
            settings = f"{table.source or 'no source'}  {table.rules}  auto {table.auto}  delay {table.delay_seconds:g} s"
            out().print(f"{table.id}  {settings}  {seats}", markup=False, soft_wrap=True)


@app.command()
def remove(table: Annotated[str, typer.Argument(help="Id of the table.")]) -> None:
    """Forget a broadcast table with its events."""
    from hupai.api.overlay.store.errors import UnknownTableError

    with _store(_settings()) as store:
        try:
            store.remove(table)
        except UnknownTableError:
            fail(f"There is no table {table!r}; `hupai overlay list` names those there are.")


def _set_up_demo(store: OverlayStore, clip: Path) -> None:
    from hupai.api.overlay.demo.clip import REGIONS
    from hupai.api.overlay.schemas import SeatIn, TableIn
    from hupai.api.overlay.store.errors import UnknownTableError

    with suppress(UnknownTableError):
        store.remove(DEMO)
    players = {"near": "Lin Yue 林月", "far": "Chen Hao 陈浩"}
    seats = [
        SeatIn(seat=seat, player=players[seat], region=[list(corner) for corner in region])
        for seat, region in REGIONS.items()
    ]
    store.create(
        TableIn(
            id=DEMO,
            name="Demo",
            rules="mcr-1998",
            source=f"loop:{clip}",
            auto="all",
            delay_seconds=0.0,
            seats=seats,
        )
    )


def _settings() -> Settings:
    from pydantic import ValidationError

    from hupai.api.web.settings import Settings

    try:
        return Settings()
    except ValidationError as error:
        fail("; ".join(f"HUPAI_{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors()))


@contextmanager
def _store(settings: Settings) -> Iterator[OverlayStore]:
    from hupai.api.overlay.store.overlay_store import OverlayStore
    from hupai.api.storage import StorageError
    from hupai.api.web.storage_access import storage_of

    storage = storage_of(settings)
    try:
        storage.open()
        yield OverlayStore(storage.database)
    except StorageError as error:
        fail(str(error))
    finally:
        storage.close()
