"""``python -m benchmarks.scale [--photos N] [--rates 1 10 ...] [--read SECONDS] [--json FILE]``.

First it reads example photos with one process and one thread, then through `hupai serve`, through
`hupai bulk` with one and two processes and, where Ray is installed and ``--ray`` is given, through
Ray Serve and Ray Data. Each row gives its rate as a share of the bare pipeline's (measured before
and after) times the number of readers, at most that of cores; the time to start; and the memory of
each reader. Then it simulates, with the measured time of a photo, what given loads need, and
computes the core hours of a million photos, and their cost on machines whose price is given:
``--core-hour NAME=PRICE``, the price of one core for an hour.

``--read`` skips the measurement and uses the given time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.scale.capacity import Costs, Load, needs
from benchmarks.scale.services import Served, through_ray, through_service
from hupai.api.bulk.on_ray import on_ray
from hupai.api.bulk.run import Progress, Readers, in_processes, run
from hupai.api.bulk.worker import Job
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser

ROOT = Path(__file__).resolve().parents[2]
RATES = (0.1, 1.0, 10.0, 12.0, 100.0, 1000.0, 10000.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the first table.

    Attributes:
        what, processes: the way of reading, and its number of readers.
        photos, seconds, rate: photos read, the time this took, photos a second.
        of_bare: `rate` as a share of the bare pipeline's times the cores that read.
        ready: seconds from the start to the first answer, or the first photos of an archive.
        memory: resident MiB of each reader.
    """

    what: str
    processes: int
    photos: int
    seconds: float
    rate: float
    of_bare: float
    ready: float = 0.0
    memory: tuple[float, ...] = ()


def main() -> None:
    """Measure and simulate."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--photos", type=int, default=64)
    parser.add_argument("--rates", type=float, nargs="*", default=RATES)
    parser.add_argument("--read", type=float)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--core-hour", metavar="NAME=PRICE", nargs="*", type=_price, default=())
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    rows: list[Row] = []
    costs = Costs()
    if wanted.read is None:
        rows, times = measured(wanted.photos, wanted.ray)
        costs = Costs(read=float(times.mean()), spread=float(times.std() / times.mean()))
    else:
        costs = Costs(read=wanted.read)
    needed = [needs(Load(rate), costs) for rate in wanted.rates]
    for row in rows:
        memory = " ".join(f"{one:.0f} MiB" for one in row.memory)
        ready = f"ready in {row.ready:.0f} s" if row.ready else ""
        rate = f"{row.rate:7.2f}/s {row.of_bare:5.2f}"
        print(f"{row.what:20} {row.processes:2} {rate}  {ready} {memory}")
    print(f"\na photo takes a reader {costs.read:.2f} s, spread {costs.spread:.2f}")
    hours = 1e6 * costs.read / 3600
    print(f"a million photos take {hours:.0f} hours of a core")
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


def measured(photos: int, ray: bool) -> tuple[list[Row], np.ndarray]:
    """Read photos in each way; also return the seconds that each took the bare pipeline.

    The bare pipeline reads before and after each way, because other load on the machine varies.
    """
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="hupai-scale-") as folder:
        source = Path(folder, "photos")
        names = _copies(source, photos)
        recogniser = Recogniser(registry.load("default", 1))
        recogniser.read_photo(names[0])
        times = _bare(recogniser, names)
        rows = [Row("bare pipeline", 1, photos, sum(times), photos / sum(times), 1.0)]
        bare = rows[0].rate
        for number, (what, count, way) in enumerate(_ways(ray)):
            served = way(source, Path(folder, f"out-{number}"))
            after = _bare(recogniser, names[: max(8, photos // 4)])
            now = len(after) / sum(after)
            rate = served.photos / served.seconds
            share = rate / ((bare + now) / 2 * min(count, cores))
            rows.append(
                Row(
                    what,
                    count,
                    served.photos,
                    served.seconds,
                    rate,
                    share,
                    served.ready,
                    served.memory,
                )
            )
            print(f"{what:20} {count} {rate:6.2f}/s {share:5.2f}", file=sys.stderr, flush=True)
            bare = now
            times += after
    return rows, np.array(times)


def _bare(recogniser: Recogniser, names: list[Path]) -> list[float]:
    """Return the seconds per photo of one process with one thread."""
    times = []
    for name in names:
        started = perf_counter()
        recogniser.read_photo(name)
        times.append(perf_counter() - started)
    return times


Way = Callable[[Path, Path], Served]
"""Reads the photos of one folder; the other is its own."""


def _ways(ray: bool) -> list[tuple[str, int, Way]]:
    """Return the ways of reading: name, number of readers, function."""

    def bulk(readers: Readers) -> Way:
        def way(source: Path, out: Path) -> Served:
            started = perf_counter()
            parts: list[tuple[float, int]] = []

            def on_part(progress: Progress) -> None:
                parts.append((perf_counter(), progress.read))

            run(str(source), Job(str(out)), readers, part=4, on_part=on_part)
            # Archives are long: what counts is the rate once the processes are there.
            (first, before), (last, after) = parts[0], parts[-1]
            return Served(after - before, last - first, first - started, ())

        return way

    def photos(source: Path) -> list[bytes]:
        return [path.read_bytes() for path in sorted(source.iterdir())]

    ways: list[tuple[str, int, Way]] = [
        ("hupai serve", 1, lambda source, out: through_service(out, photos(source))),
        ("hupai bulk", 1, bulk(in_processes(1))),
        ("hupai bulk", 2, bulk(in_processes(2))),
    ]
    if ray:
        ways += [
            ("hupai serve --ray", 1, lambda source, out: through_ray(out, photos(source), 1)),
            ("hupai serve --ray", 2, lambda source, out: through_ray(out, photos(source), 2)),
            ("hupai bulk --ray", 1, bulk(on_ray(1))),
            ("hupai bulk --ray", 2, bulk(on_ray(2))),
        ]
    return ways


def _copies(folder: Path, count: int) -> list[Path]:
    """Copy the examples until there are `count` photos."""
    folder.mkdir()
    scenes = sorted((ROOT / "examples").glob("*.jpg"))
    for number in range(count):
        shutil.copyfile(scenes[number % len(scenes)], folder / f"{number:05}.jpg")
    return sorted(folder.iterdir())


if __name__ == "__main__":
    main()
