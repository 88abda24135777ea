"""``python -m benchmarks.scale [--photos N] [--rates 1 10 ...] [--read SECONDS] [--json FILE]``.

First it reads example photos with one process and one thread, then through `hupai bulk` with one
and two processes and, where Ray is installed and ``--ray`` is given, with Ray Data. Each row says
how much of the first row's rate, times its processes on as many cores as there are, it comes to.
Then it says what loads need, by simulation with the time a photo took here.

``--read`` leaves the measuring out and takes this time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.scale.capacity import Costs, Load, needs
from hupai.api.bulk.on_ray import on_ray
from hupai.api.bulk.run import Readers, in_processes, run
from hupai.api.bulk.worker import Job
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser

ROOT = Path(__file__).resolve().parents[2]
RATES = (0.1, 1.0, 10.0, 12.0, 100.0, 1000.0, 10000.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the first table."""

    what: str
    processes: int
    photos: int
    seconds: float
    rate: float
    of_bare: float


def main() -> None:
    """Measure and simulate."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("--photos", type=int, default=64)
    parser.add_argument("--rates", type=float, nargs="*", default=RATES)
    parser.add_argument("--read", type=float)
    parser.add_argument("--ray", action="store_true")
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
        print(f"{row.what:28} {row.processes:3} {row.rate:8.2f}/s {row.of_bare:8.2f}")
    print(f"\na photo takes a reader {costs.read:.2f} s, spread {costs.spread:.2f}")
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


def measured(photos: int, ray: bool) -> tuple[list[Row], np.ndarray]:
    """Read photos in each way; also the seconds that each took the bare pipeline."""
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="hupai-scale-") as folder:
        source = Path(folder, "photos")
        names = _copies(source, photos)
        recogniser = Recogniser(registry.load("default", 1))
        recogniser.read_photo(names[0])
        times = []
        for name in names:
            started = perf_counter()
            recogniser.read_photo(name)
            times.append(perf_counter() - started)
        rows = [_row("bare pipeline", 1, photos, sum(times), 0.0, cores)]
        bare = rows[0].rate
        ways: list[tuple[str, int, Readers]] = [
            ("hupai bulk", count, in_processes(count)) for count in (1, 2)
        ]
        if ray:
            ways += [("hupai bulk --ray", count, on_ray(count)) for count in (1, 2)]
        for number, (what, count, readers) in enumerate(ways):
            started = perf_counter()
            job = Job(str(Path(folder, f"table-{number}")))
            progress = run(str(source), job, readers, part=8)
            assert progress.read == photos
            rows.append(_row(what, count, photos, perf_counter() - started, bare, cores))
    return rows, np.array(times)


def _copies(folder: Path, count: int) -> list[Path]:
    """Make so many photos, copies of the examples."""
    folder.mkdir()
    scenes = sorted((ROOT / "examples").glob("*.jpg"))
    for number in range(count):
        shutil.copyfile(scenes[number % len(scenes)], folder / f"{number:05}.jpg")
    return sorted(folder.iterdir())


def _row(what: str, count: int, photos: int, seconds: float, bare: float, cores: int) -> Row:
    rate = photos / seconds
    return Row(what, count, photos, seconds, rate, rate / (bare * min(count, cores)) if bare else 1)


if __name__ == "__main__":
    main()
