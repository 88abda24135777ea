"""``hupai overlay``: the demonstration without a camera, and broadcast tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from hupai.api.app.factory import create_app
from hupai.api.app.server import listen, run
from hupai.api.cli.opening import load_settings, opened_storage
from hupai.api.cli.options import HostOption, PortOption, complete_rules
from hupai.api.cli.terminal import ExitCode, bad_usage, fail, note, os_reason, tell
from hupai.api.cli.typer_app import App
from hupai.api.overlay.demo.clip import REGIONS, make_clip
from hupai.api.overlay.schemas import SeatIn, TableIn
from hupai.api.overlay.store.errors import TableExistsError, UnknownTableError
from hupai.api.overlay.store.overlay_store import OverlayStore
from hupai.api.web.settings import Settings
from hupai.scoring import rule_sets

app = App("The broadcast overlay: hand, waits and score over the video. 直播叠加画面。")
DEMO = "demo"
"""Id of the table of the demonstration."""


@app.add("demo", "hupai overlay demo --port 8500")
def demo(host: HostOption = None, port: PortOption = None) -> None:
    """Play a rendered video of hands being revealed, and print where to watch it.

    It goes through model, tracking and overlay like video from a camera.
    """
    settings = load_settings()
    folder = (
        Path(tempfile.gettempdir()) / "hupai-demo"
        if settings.data_dir.startswith(":")
        else Path(settings.data_dir) / DEMO
    )
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    # A separate store: the demonstration leaves no tables, events or photos among those of the
    # service.
    own = {"data_dir": str(folder), "database_url": "", "photos_url": "", "redis_url": ""}
    settings = settings.model_copy(update=given | own)
    clip = folder / "hands.mp4"
    if not clip.is_file():
        note("Drawing the video, once …")
    try:
        make_clip(clip)
        listener = listen(settings.host, settings.port)
    except OSError as error:
        fail(
            f"The demonstration cannot start: {os_reason(error)}. "
            "Try another --port, or another HUPAI_DATA_DIR."
        )
    with _store(settings) as store:
        set_up_demo(store, clip)
    address, bound = listener.getsockname()[:2]
    base = f"http://{f'[{address}]' if ':' in address else address}:{bound}/overlay/{DEMO}"
    for what, path in (
        ("over the video", "?video=1"),
        ("for OBS, transparent", ""),
        ("operator", "/operator"),
    ):
        tell(f"{what:22}{base}{path}")
    note("Stop with Ctrl+C.")
    run(create_app(settings), settings, listener)


@app.add("add", "hupai overlay add final --source camera:0 --seat east='Lin Yue' --rules mcr-1998")
def add(
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="Id of the table, e.g. final; part of its addresses."),
    ],
    source: Annotated[
        str,
        typer.Option(
            help="camera:0, an RTSP, RTMP or HTTP URL, file:PATH, loop:PATH, or push; "
            "'camera:0 + camera:1' for several cameras."
        ),
    ] = "push",
    seat: Annotated[
        list[str] | None,
        typer.Option(metavar="SEAT", help="A seat, NAME or NAME=PLAYER; may be repeated."),
    ] = None,
    rules: Annotated[
        str,
        typer.Option(
            "--rules", "-r", metavar="ID", help="Rule set.", autocompletion=complete_rules
        ),
    ] = "mcr-1998",
    auto: Annotated[
        str, typer.Option(help="off, certain or all: what goes on air without approval.")
    ] = "off",
    delay: Annotated[float, typer.Option(help="Seconds between approval and air.")] = 0.0,
) -> None:
    """Set up a broadcast table. Draw the places of the seats on the operator's page."""
    with bad_usage(rule_sets.UnknownRuleSetError):
        rule_sets.get(rules)
    seats = [
        {"seat": name, "player": player}
        for name, _, player in (one.partition("=") for one in seat or ["1"])
    ]
    wanted = {"id": table, "name": table, "source": source, "rules": rules, "seats": seats}
    try:
        request = TableIn.model_validate(wanted | {"auto": auto, "delay_seconds": delay})
    except ValidationError as error:
        wrong = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        fail("; ".join(wrong), ExitCode.BAD_USAGE)
    with _store(load_settings()) as store:
        try:
            store.create(request)
        except TableExistsError:
            fail(f"There is a table {table!r} already; `hupai overlay remove {table}` deletes it.")
    tell(f"overlay   /overlay/{table}\noperator  /overlay/{table}/operator")


@app.add("list", "hupai overlay list")
def list_tables() -> None:
    """List the broadcast tables."""
    with _store(load_settings()) as store:
        for table in store.tables():
            seats = ", ".join(
                seat.seat + (f"={seat.player}" if seat.player else "") for seat in table.seats
            )
            settings = (
                f"{table.source or 'no source'}  {table.rules}  "
                f"auto {table.auto}  delay {table.delay_seconds:g} s"
            )
            tell(f"{table.id}  {settings}  {seats}")


@app.add("remove", "hupai overlay remove final")
def remove(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Id of the table.")],
) -> None:
    """Delete a broadcast table and its events."""
    with _store(load_settings()) as store:
        try:
            store.remove(table)
        except UnknownTableError:
            fail(f"There is no table {table!r}; `hupai overlay list` lists the tables.")


def set_up_demo(store: OverlayStore, clip: Path) -> None:
    """Make the table of the demonstration anew, with the two seats of its video."""
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


@contextmanager
def _store(settings: Settings) -> Iterator[OverlayStore]:
    """Open the tables in the storage that the settings name."""
    with opened_storage(settings) as storage:
        yield OverlayStore(storage.database)
