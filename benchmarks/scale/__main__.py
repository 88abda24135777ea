"""``python -m benchmarks.scale [--photos N] [--ways WAY ...] [--readers 1 2] [--json FILE]``.

First it reads example photos with the bare pipeline (one process, one thread), then through
`hupai bulk`, `hupai serve` and, where Ray is installed, Ray Data and Ray Serve, each with one and
two readers and by the command that a user gives. The services are asked to read alone, as the bare
pipeline does, and to score and store too. A row has the rate, its share of what as many processes
with the bare pipeline read at the same time (measured before and after), the processor time of a
photo in all processes and in the readers alone, the time to start, and the memory of each reader.
The service without Ray reads on every core in each of its processes. Then
it simulates, with the measured times, what given loads need, and computes the core hours of a
million photos, and their cost on machines whose price is given: ``--core-hour NAME=PRICE``, the
price of one core for an hour.

``--read SECONDS`` skips the measurement and uses the given time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.scale.archives import through_bulk
from benchmarks.scale.bare import Bare, Read, bare_pipeline
from benchmarks.scale.capacity import Costs, Load, needs
from benchmarks.scale.services import Served, through_service

ROOT = Path(__file__).resolve().parents[2]
RATES = (0.1, 1.0, 10.0, 12.0, 100.0, 1000.0, 10000.0)
READ, STORE = "/v1/recognitions", "/v1/hands"
"""What a photo is posted to: to be read, as by the bare pipeline; to be scored and stored too."""
BARE_PHOTOS = 90
"""Photos that the bare pipeline reads before and after each way."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the first table.

    Attributes:
        what, readers: the way of reading, and its number of readers.
        photos, seconds, rate: photos read, the time this took, photos a second.
        of_bare: `rate` as a share of that of as many bare pipelines at the same time.
        cpu, reader_cpu: milliseconds of processor time of a photo: of all processes, of readers.
        bare_cpu: the same of the bare pipeline before and after.
        ready: seconds from the start to the first answer, or for the whole command on one photo.
        memory: resident MiB of each reader.
    """

    what: str
    readers: int
    photos: int
    seconds: float
    rate: float
    of_bare: float
    cpu: float
    reader_cpu: float
    bare_cpu: float
    ready: float = 0.0
    memory: tuple[float, ...] = ()


def main() -> None:
    """Measure and simulate."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--photos", type=int, default=320)
    parser.add_argument("--ways", nargs="*", choices=list(_ways(0)), default=list(_ways(0)))
    parser.add_argument("--readers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rates", type=float, nargs="*", default=RATES)
    parser.add_argument("--read", type=float)
    parser.add_argument("--core-hour", metavar="NAME=PRICE", nargs="*", type=_price, default=())
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    rows: list[Row] = []
    costs = Costs()
    if wanted.read is None:
        rows, times = measured(wanted.photos, wanted.ways, wanted.readers)
        read, spread = float(times.mean()), float(times.std() / times.mean())
        costs = Costs(read, spread, app=_app_seconds(rows) or costs.app)
    else:
        costs = Costs(read=wanted.read)
    needed = [needs(Load(rate), costs) for rate in wanted.rates]
    print(f"\na photo takes a reader {costs.read:.3f} s, spread {costs.spread:.2f}")
    hours = 1e6 * costs.read / 3600
    print(f"a million photos take {hours:.1f} hours of a core")
    for name, price in wanted.core_hour:
        print(f"  {name}: {hours * price:.2f}")
    print("photos/s    peak  readers  p95 wait  429   apps  connections  commits  GB/day  limit")
    for one in needed:
        print(
            f"{one.rate:8g} {one.peak:7.1f} {one.readers:8} {one.waits.p95:8.2f}s "
            f"{one.waits.refused:5.1%} {one.apps:5} {one.connections:12} {one.commits_share:7.0%} "
            f"{one.gigabytes_a_day:8.0f}  {one.first}"
        )
    if wanted.json is not None:
        document = {
            "load_average": os.getloadavg()[0],
            "rows": [asdict(row) for row in rows],
            "costs": asdict(costs),
            "needs": [asdict(one) for one in needed],
        }
        wanted.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _price(text: str) -> tuple[str, float]:
    """Parse the name of a machine and what an hour of one of its cores costs."""
    name, _, price = text.partition("=")
    return name, float(price)


Way = Callable[[Path, Path, int], Served]
"""Reads the photos of one folder with a number of readers; the other folder is for its files."""


def _ways(photos: int) -> dict[str, Way]:
    """Return the ways of reading `photos` photos, by name."""

    def service(route: str, *options: str) -> Way:
        return lambda source, out, readers: through_service(
            route, source, out, readers, photos, *options, "--workers", str(readers)
        )

    def archive(*options: str) -> Way:
        return lambda source, out, readers: through_bulk(source, out, readers, *options)

    ways = {
        "bulk": archive(),
        "serve, read": service(READ),
        "serve, store": service(STORE),
    }
    if find_spec("ray") is not None:
        ways |= {
            "bulk --ray": archive("--ray"),
            "serve --ray, read": service(READ, "--ray"),
            "serve --ray, store": service(STORE, "--ray"),
        }
    return ways


def beside(name: str, readers: int, cores: int) -> int:
    """Return with how many processes the bare pipeline reads before and after a way.

    Without Ray each process of the service reads on every core.
    """
    return cores if name.startswith("serve,") else min(readers, cores)


def measured(photos: int, names: list[str], counts: list[int]) -> tuple[list[Row], np.ndarray]:
    """Read photos in each way; also return the seconds that each took the bare pipeline.

    The bare pipeline reads before and after each way, because other load on the machine varies, and
    on as many cores as the way can use.
    """
    cores = len(os.sched_getaffinity(0))
    each = [(name, readers, beside(name, readers, cores)) for name in names for readers in counts]
    rows: list[Row] = []
    times: list[float] = []
    scenes = sorted((ROOT / "examples").glob("*.jpg"))
    with (
        tempfile.TemporaryDirectory(prefix="hupai-scale-") as folder,
        bare_pipeline(scenes, max([2, *(busy for *_, busy in each)])) as bare,
    ):
        source = Path(folder, "photos")
        _copies(source, scenes, photos)
        before = bare.read(BARE_PHOTOS)
        times += before.times
        rows.append(_bare_row(bare, before))
        _show(rows[-1])
        for number, (name, readers, busy) in enumerate(each):
            before = bare.read(BARE_PHOTOS, busy)
            served = _ways(photos)[name](source, Path(folder, f"out-{number}"), readers)
            after = bare.read(BARE_PHOTOS, busy)
            rows.append(_row(name, readers, served, (before, after)))
            _show(rows[-1])
            times += after.times
    return rows, np.array(times)


def _bare_row(bare: Bare, alone: Read) -> Row:
    """Read with two bare processes at once: what the machine itself loses by that."""
    both, again = bare.read(BARE_PHOTOS, 2), bare.read(BARE_PHOTOS)
    share = both.rate / (alone.rate + again.rate)
    bare_cpu = (alone.cpu + again.cpu) / 2 * 1000
    return Row(
        "bare pipeline",
        2,
        2 * BARE_PHOTOS,
        2 * BARE_PHOTOS / both.rate,
        both.rate,
        share,
        both.cpu * 1000,
        both.cpu * 1000,
        bare_cpu,
        memory=(both.memory, both.memory),
    )


def _row(name: str, readers: int, served: Served, bare: tuple[Read, Read]) -> Row:
    rate = served.photos / served.seconds
    spent = served.spent
    return Row(
        name,
        readers,
        served.photos,
        served.seconds,
        rate,
        rate / (sum(one.rate for one in bare) / 2),
        spent.cpu / served.photos * 1000,
        sum(cpu for cpu, _ in spent.readers) / served.photos * 1000,
        sum(one.cpu for one in bare) / 2 * 1000,
        served.ready,
        tuple(memory for _, memory in spent.readers),
    )


def _app_seconds(rows: list[Row]) -> float:
    """Return the processor time of a photo besides the reader, 0 if that was not measured."""
    stored = [row for row in rows if row.what == "serve --ray, store"]
    return max((row.cpu - row.reader_cpu) / 1000 for row in stored) if stored else 0.0


def _show(row: Row) -> None:
    memory = " ".join(f"{one:.0f}" for one in row.memory)
    print(
        f"{row.what:18} {row.readers} {row.rate:6.2f}/s, {row.of_bare:4.2f} of bare; "
        f"processor time {row.cpu:5.1f} ms, readers {row.reader_cpu:5.1f}, "
        f"bare {row.bare_cpu:5.1f}; ready in {row.ready:.1f} s; {memory} MiB",
        flush=True,
    )


def _copies(folder: Path, scenes: list[Path], count: int) -> None:
    """Copy the examples until there are `count` photos."""
    folder.mkdir()
    for number in range(count):
        shutil.copyfile(scenes[number % len(scenes)], folder / f"{number:05}.jpg")


if __name__ == "__main__":
    main()
