"""How many photos the service reads, beside the bare pipeline; refusals, memory and restarts.

``python -m benchmarks.capacity [--seconds 20] [--requests 2000] [--json FILE]`` starts ``hupai
serve`` as it ships, without the limit a minute, and lets 1, 4, 16 and 64 clients send photos to
``POST /v1/hands`` that were never sent before, so that each is read, scored and stored. A client
that is refused waits as long as Retry-After says. Before and after each line the bare pipeline
reads in this process as the service does, and the line is compared with the mean of the two, so
that what else the machine does weighs on both. Then so many requests of all kinds are sent while
memory is noted (``--requests 20000`` is the whole measurement), and the service is started again
on the folder that it filled. Load comes from this process, so both share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import numpy as np

from benchmarks import service
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser

CLIENTS = (1, 4, 16, 64)
PATIENCE = 1.5
"""A refusal is honest where the request that follows it is taken within so many times the seconds
of Retry-After, or one second more."""


RESTARTS = 5
"""Starts of which the median is told."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Attributes:
        clients: how many sent at once.
        photos: how many were read.
        per_second: photos a second of the service.
        bare: photos a second of the pipeline alone, before and after.
        p50, p95: milliseconds of a photo that was read.
        refused: how many requests were refused.
        refusal_p95: milliseconds of a refusal; None without any.
        retry_after: median of what refusals said, seconds.
        honest: share of refusals after which the next request was taken in time.
        memory: resident MiB of the service afterwards.
    """

    clients: int
    photos: int
    per_second: float
    bare: float
    p50: float
    p95: float
    refused: int
    refusal_p95: float | None
    retry_after: float | None
    honest: float | None
    memory: float


class _Tally:
    """What the clients of one line met; they share it."""

    def __init__(self) -> None:
        self.read: list[float] = []
        self.refused: list[float] = []
        self.told: list[float] = []
        self.kept: list[bool] = []


def bare_rate(recogniser: Recogniser, photo: bytes, seconds: float) -> float:
    """Read for so many seconds without a service; return photos a second."""
    started, times = time.perf_counter(), 0
    while time.perf_counter() < started + seconds:
        recogniser.read_photo(photo, service.SCENE.name)
        times += 1
    return times / (time.perf_counter() - started)


def _client(address: str, photo: bytes, until: float, tally: _Tally) -> None:
    refused_at, promised, begun = None, 0.0, False
    with httpx.Client(base_url=address, timeout=600) as client:
        while not begun or time.monotonic() < until:  # once at least, on a machine however slow
            started, begun = time.monotonic(), True
            files = {"photo": (service.SCENE.name, photo + uuid4().bytes)}
            answer = client.post("/v1/hands", files=files, data={"rules": service.RULES})
            took = 1000 * (time.monotonic() - started)
            if answer.status_code != 429:
                answer.raise_for_status()
                tally.read.append(took)
                if refused_at is not None:
                    in_time = max(PATIENCE * promised, promised + 1)
                    tally.kept.append(started - refused_at <= in_time)
                refused_at = None
                continue
            tally.refused.append(took)
            wait = float(answer.headers["retry-after"])
            tally.told.append(wait)
            if refused_at is None:
                refused_at, promised = time.monotonic(), wait
            time.sleep(min(wait, max(0.0, until - time.monotonic())))
        if refused_at is not None and time.monotonic() - refused_at > PATIENCE * promised + 1:
            tally.kept.append(False)


def line(
    clients: int, seconds: float, address: str, process: int, photo: bytes, bare: Recogniser
) -> Line:
    """Measure one line of the table."""
    before = bare_rate(bare, photo, seconds / 4)
    tally = _Tally()
    started = time.monotonic()
    threads = [
        threading.Thread(target=_client, args=(address, photo, started + seconds, tally))
        for _ in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = time.monotonic() - started
    after = bare_rate(bare, photo, seconds / 4)
    p50, p95 = (float(p) for p in np.percentile(tally.read, (50, 95)))
    return Line(
        clients,
        len(tally.read),
        len(tally.read) / passed,
        (before + after) / 2,
        p50,
        p95,
        len(tally.refused),
        float(np.percentile(tally.refused, 95)) if tally.refused else None,
        float(np.median(tally.told)) if tally.told else None,
        float(np.mean(tally.kept)) if tally.kept else None,
        service.memory(process),
    )


def _text(value: float | None, form: str = ".0f") -> str:
    return "-" if value is None else format(value, form)


def _end(process: subprocess.Popen[str]) -> None:
    """End the service, by force where it takes more than a minute."""
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> None:
    """Print the tables, and write them as JSON where asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each line runs")
    parser.add_argument("--requests", type=int, default=2000, help="requests of the memory run")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    photo = service.SCENE.read_bytes()
    bare = Recogniser(registry.load())
    bare.read_photo(photo, service.SCENE.name)
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load before {load:.1f}; a busy machine makes all rates lower")
    print(
        f"{'clients':>8}{'photos':>8}{'per s':>8}{'bare':>7}{'ratio':>7}{'p50 ms':>9}{'p95 ms':>9}"
        f"{'refused':>9}{'p95 ms':>8}{'wait s':>8}{'honest':>8}{'MiB':>7}"
    )
    lines, held = [], []
    with tempfile.TemporaryDirectory() as folder:
        settings = argparse.Namespace(threads=0, concurrency=1, workers=1)
        process, address = service.start(Path(folder), settings, as_shipped=True)
        try:
            for clients in CLIENTS:
                one = line(clients, options.seconds, address, process.pid, photo, bare)
                lines.append(one)
                print(
                    f"{one.clients:8}{one.photos:8}{one.per_second:8.2f}{one.bare:7.2f}"
                    f"{one.per_second / one.bare:7.2f}{one.p50:9.0f}{one.p95:9.0f}{one.refused:9}"
                    f"{_text(one.refusal_p95):>8}{_text(one.retry_after):>8}"
                    f"{_text(one.honest, '.2f'):>8}{one.memory:7.0f}",
                    flush=True,
                )
            if options.requests:
                sends = service.routes(address, photo)
                held = service.memory_over(options.requests, sends, address, process.pid, 4)
                told = ", ".join(f"{one.memory:.0f} after {one.requests}" for one in held)
                print(f"memory, MiB: {told}")
        finally:
            _end(process)
        starts = []
        for _ in range(RESTARTS):
            started = time.monotonic()
            process, _ = service.start(Path(folder), settings, as_shipped=True)
            starts.append(time.monotonic() - started)
            _end(process)
        ready = float(np.median(starts))
        told = ", ".join(f"{one:.1f}" for one in starts)
        print(f"restart to ready: median {ready:.1f} s of {told}")
    if options.json:
        written = {
            "cores": os.cpu_count(),
            "load_before": load,
            "lines": [asdict(one) for one in lines],
            "memory": [asdict(one) for one in held],
            "restart_s": ready,
        }
        options.json.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
