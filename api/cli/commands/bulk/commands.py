"""``hupai bulk``: an archive of photos to a table of hands and scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from time import monotonic
from typing import Annotated, Any

import typer
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from hupai.api.bulk.on_ray import on_ray
from hupai.api.bulk.report import Tally, report_of
from hupai.api.bulk.run import Progress, in_processes, run
from hupai.api.bulk.worker import Job
from hupai.api.cli.chinese.translate import in_chinese
from hupai.api.cli.options import (
    JsonOption,
    ModelOption,
    TileSetOption,
    complete_rules,
    known_rules,
    parse_rules,
)
from hupai.api.cli.reading import user_library
from hupai.api.cli.terminal import Rows, err, finish, note, out, print_json, tell
from hupai.api.cli.typer_app import App, Group

_EVERY = 10.0
"""Seconds between two lines of progress if there is no terminal."""
_SHOWN = 20
"""Rows of each table of the report."""


class _BulkGroup(Group):
    """`hupai bulk SOURCE` is short for `hupai bulk read SOURCE`."""

    default_command = "read"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the command if none is named."""
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = [self.default_command, *args]
        rest: list[str] = super().parse_args(ctx, args)
        return rest


app = App(
    "Read an archive of photos into a table of hands and scores: hupai bulk SOURCE --out DIR."
)
app.info.cls = _BulkGroup


@app.add(
    "read",
    "hupai bulk read photos/ --out table --rules mcr-1998",
    "hupai bulk 2016.tar --out table --rules mcr-2006 --rules sichuan-2024",
    "hupai bulk s3://archive/2025 --out s3://tables/2025 --ray --workers 64",
    "hupai bulk report table",
    exits="0 every photo has a row and could be read, 1 some could not, 2 bad usage",
)
def read(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Folder, tar file, or URL such as s3://bucket/prefix.",
            show_default=False,
        ),
    ],
    table: Annotated[
        str,
        typer.Option(
            "--out", metavar="DIR|URL", help="Where the Parquet files go.", show_default=False
        ),
    ],
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            "-r",
            metavar="ID",
            autocompletion=complete_rules,
            help=f"Rule set to score under; repeat for several: {known_rules()}, or a .toml file.",
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=0, help="Photos read at the same time; 0: one for each core.")
    ] = 0,
    ray: Annotated[
        bool, typer.Option("--ray", help="On a Ray cluster (RAY_ADDRESS), else on this machine.")
    ] = False,
    gpus: Annotated[
        float, typer.Option(min=0.0, help="With --ray: share of a GPU that each worker needs.")
    ] = 0.0,
    part: Annotated[
        int, typer.Option(min=1, help="Maximum number of photos in a Parquet file.")
    ] = 64,
    model: ModelOption = "default",
    tile_set: TileSetOption = "auto",
) -> None:
    """Read every photo that has no row yet; started again, it continues where it stopped."""
    for one in rules or ():
        parse_rules(one)
    job = Job(
        table,
        user_library().resolve(model),
        tile_set,
        tuple(rules or ()),
        providers=os.environ.get("HUPAI_PROVIDERS", "cpu"),
    )
    count = workers or len(os.sched_getaffinity(0))
    readers = on_ray(count, gpus=gpus) if ray else in_processes(count)
    started = monotonic()
    with _shown() as on_part:
        progress = run(source, job, readers, part, on_part, count)
    seconds = max(monotonic() - started, 1e-9)
    before = f", {progress.skipped} had a row before" if progress.skipped else ""
    note(
        f"{progress.read} photos read in {seconds:.0f} s, {progress.read / seconds:.2f}/s{before}: "
        f"{progress.hands} with a hand, {progress.certain} of them certain"
    )
    if progress.errors or progress.unfetched:
        note(
            f"{progress.errors} could not be read, {len(progress.unfetched)} not be fetched: see "
            f"{table.rstrip('/')}/errors.jsonl; run the command again to try the latter again"
        )
    finish(bool(progress.errors or progress.unfetched))


@contextmanager
def _shown() -> Iterator[Callable[[Progress], None]]:
    """Show progress and rate on standard error: live on a terminal, else a line now and then."""
    console = err()
    started = last = monotonic()

    def words(progress: Progress) -> str:
        rate = progress.read / max(monotonic() - started, 1e-9)
        skipped = f" · {progress.skipped} before" if progress.skipped else ""
        return (
            f"{progress.read} photos · {rate:.2f}/s · {progress.certain} certain · "
            f"{progress.errors + len(progress.unfetched)} errors{skipped}"
        )

    if console.is_terminal:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Bar(*columns, console=console, transient=True) as bar:
            task = bar.add_task(in_chinese("opening the model"))
            yield lambda progress: bar.update(task, description=in_chinese(words(progress)))
        return

    def line(progress: Progress) -> None:
        nonlocal last
        if monotonic() - last >= _EVERY:
            last = monotonic()
            note(words(progress))

    yield line


@app.add("report", "hupai bulk report table", "hupai bulk report s3://tables/2025 --json")
def report(
    table: Annotated[
        str, typer.Argument(metavar="DIR|URL", help="What `hupai bulk` wrote.", show_default=False)
    ],
    as_json: JsonOption = False,
) -> None:
    """Summarise a table: how many are certain, which problems, by day and by source."""
    found = report_of(table)
    if as_json:
        print_json(asdict(found))
        return
    total = found.total
    tell(
        f"{total.photos} photos, {found.distinct} different: {total.hands} with a hand, "
        f"{total.certain} certain, {total.errors} unreadable, {found.twice} twice; "
        f"{found.mean_ms:.0f} ms a photo; {found.weights}"
    )
    for title, tallies in (("day", found.by_day), ("source", found.by_source)):
        out().print(_grid(title, tallies))
    counts = Rows("problem", "photos", "share")
    for code, number in list(found.problems.items())[:_SHOWN]:
        counts.add(code, str(number), f"{number / total.photos:.1%}")
    out().print(counts)
    for rules, number in sorted(found.wins.items()):
        tell(f"{number} hands win under {rules}")


def _grid(title: str, tallies: dict[str, Tally]) -> Rows:
    grid = Rows(title, "photos", "hands", "certain", "unreadable")
    for name in sorted(tallies)[:_SHOWN]:
        one = tallies[name]
        numbers = (one.photos, one.hands, one.certain, one.errors)
        grid.add(name, *map(str, numbers))
    if len(tallies) > _SHOWN:
        grid.add(in_chinese(f"… {len(tallies) - _SHOWN} more: --json"), "", "", "", "")
    return grid
