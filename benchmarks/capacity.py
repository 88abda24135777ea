"""Measures the throughput of the service relative to the bare pipeline; rejections, memory,
restarts.

``python -m benchmarks.capacity [--photos FOLDER] [--seconds 20] [--rounds 1] [--requests 2000]
[--json FILE]`` starts ``hupai serve`` with its default settings but without the rate limit. 1, 4,
16 and 64 clients send photos of a folder (the example scenes) in turn to ``POST /v1/hands``.
Different bytes are appended to each photo, so that each is read, scored and stored. A rejected
client waits for Retry-After and sends the same request again. Before and after each line the bare
pipeline reads the same photos in this process, and the line is compared with the mean of the two,
so that other load on the machine affects both. With several rounds the lines alternate, and each is
the sum of its rounds. Then ``--requests`` requests of all kinds are sent while memory is recorded
(``--requests 20000`` is the full measurement), and the service is restarted on the folder that it
filled. The load comes from this process, so both share the machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import numpy as np

from benchmarks import service
from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser

CLIENTS = (1, 4, 16, 64)
RETRY_TOLERANCE = 1.5
"""A retry is in time if it is accepted within this multiple of Retry-After, or within Retry-After
plus one second, whichever is longer.
"""

RESTARTS = 5
"""Number of restarts; the median is reported."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Attributes:
        clients: number of concurrent clients.
        photos: number of photos read.
        per_second: photos a second of the service.
        bare: photos a second of the pipeline alone, before and after.
        processor: processor time of the service for each photo, rejections included, milliseconds.
        bare_processor: processor time of the pipeline alone for each photo, milliseconds.
        p50, p95: latency of a photo that was read, milliseconds.
        refused: number of rejected requests.
        refusal_p95: latency of a rejection, milliseconds; None without any.
        retry_after: median Retry-After, seconds.
        honest: share of rejected requests whose retry was accepted in time, see `RETRY_TOLERANCE`.
        memory: resident memory of the service afterwards, MiB.
    """

    clients: int
    photos: int
    per_second: float
    bare: float
    processor: float
    bare_processor: float
    p50: float
    p95: float
    refused: int
    refusal_p95: float | None
    retry_after: float | None
    honest: float | None
    memory: float


class _Tally:
    """Results of the clients of one line over all rounds; shared between their threads.

    Attributes:
        read, refused: latency of each photo that was read, of each rejection, milliseconds.
        retry_after: each Retry-After, seconds.
        accepted_in_time: for each rejected request, whether its retry was accepted in time.
        seconds: how long the clients sent.
        processor: processor time of the service while the clients sent, seconds.
        bare: rates of the bare pipeline, before and after each round.
        memory: resident MiB of the service after the last round.
    """

    def __init__(self) -> None:
        self.read: list[float] = []
        self.refused: list[float] = []
        self.retry_after: list[float] = []
        self.accepted_in_time: list[bool] = []
        self.seconds = 0.0
        self.processor = 0.0
        self.bare: list[BareRate] = []
        self.memory = 0.0


@dataclass(frozen=True, slots=True)
class BareRate:
    """What the pipeline manages without a service.

    Attributes:
        per_second: photos a second.
        processor: processor time of a photo, milliseconds.
    """

    per_second: float
    processor: float


def bare_rate(recogniser: Recogniser, photos: Sequence[bytes], seconds: float) -> BareRate:
    """Read all photos equally often without a service, for at least `seconds`."""
    started, spent, times = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() < started + seconds:
        for photo in photos:
            recogniser.read_photo(photo)
        times += len(photos)
    passed, spent = time.perf_counter() - started, time.process_time() - spent
    return BareRate(times / passed, 1000 * spent / times)


def longest_wait(promised: float) -> float:
    """Return the seconds after a rejection up to which an accepted retry is in time."""
    return max(RETRY_TOLERANCE * promised, promised + 1)


def _client(address: str, photos: Iterator[bytes], until: float, tally: _Tally) -> None:
    refused_at, promised, photo = None, 0.0, b""
    with httpx.Client(base_url=address, timeout=600) as client:
        while not photo or time.monotonic() < until:  # at least once, however slow the machine
            started = time.monotonic()
            if refused_at is None:
                photo = next(photos) + uuid4().bytes
            files = {"photo": ("photo.jpg", photo)}
            answer = client.post("/v1/hands", files=files, data={"rules": service.RULES})
            took = 1000 * (time.monotonic() - started)
            if answer.status_code != 429:
                answer.raise_for_status()
                tally.read.append(took)
                if refused_at is not None:
                    tally.accepted_in_time.append(started - refused_at <= longest_wait(promised))
                refused_at = None
                continue
            tally.refused.append(took)
            wait = float(answer.headers["retry-after"])
            tally.retry_after.append(wait)
            if refused_at is None:
                refused_at, promised = time.monotonic(), wait
            time.sleep(min(wait, max(0.0, until - time.monotonic())))
        if refused_at is not None and time.monotonic() - refused_at > longest_wait(promised):
            tally.accepted_in_time.append(False)


def measure(
    clients: int,
    seconds: float,
    address: str,
    photos: Sequence[bytes],
    process: int,
    bare: Recogniser,
    tally: _Tally,
) -> None:
    """Add one round of a line to its tally."""
    tally.bare.append(bare_rate(bare, photos, seconds / 4))
    turns = _RoundRobin(photos)
    started, spent = time.monotonic(), service.processor_time(process)
    threads = [
        threading.Thread(target=_client, args=(address, turns, started + seconds, tally))
        for _ in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tally.seconds += time.monotonic() - started
    tally.processor += service.processor_time(process) - spent
    tally.bare.append(bare_rate(bare, photos, seconds / 4))


class _RoundRobin(Iterator[bytes]):
    """A thread-safe endless iterator over the photos."""

    def __init__(self, photos: Sequence[bytes]) -> None:
        self._photos = itertools.cycle(photos)
        self._lock = threading.Lock()

    def __next__(self) -> bytes:
        """Return the next photo."""
        with self._lock:
            return next(self._photos)


def line(clients: int, tally: _Tally) -> Line:
    """Make a line of the table."""
    p50, p95 = (float(p) for p in np.percentile(tally.read, (50, 95)))
    return Line(
        clients,
        len(tally.read),
        len(tally.read) / tally.seconds,
        float(np.mean([one.per_second for one in tally.bare])),
        1000 * tally.processor / len(tally.read),
        float(np.mean([one.processor for one in tally.bare])),
        p50,
        p95,
        len(tally.refused),
        float(np.percentile(tally.refused, 95)) if tally.refused else None,
        float(np.median(tally.retry_after)) if tally.retry_after else None,
        float(np.mean(tally.accepted_in_time)) if tally.accepted_in_time else None,
        tally.memory,
    )


def _text(value: float | None, form: str = ".0f") -> str:
    return "-" if value is None else format(value, form)


def _measured_lines(
    options: argparse.Namespace,
    photos: Sequence[bytes],
    bare: Recogniser,
    address: str,
    process: int,
) -> Iterator[Line]:
    """Measure with each number of clients, round by round, and print the table."""
    print(
        f"{'clients':>8}{'photos':>8}{'per s':>8}{'bare':>7}{'ratio':>7}{'cpu ms':>8}{'bare':>6}"
        f"{'p50 ms':>9}{'p95 ms':>9}"
        f"{'refused':>9}{'p95 ms':>8}{'wait s':>8}{'honest':>8}{'MiB':>7}"
    )
    tallies = {clients: _Tally() for clients in CLIENTS}
    for _, (clients, tally) in itertools.product(range(options.rounds), tallies.items()):
        measure(clients, options.seconds, address, photos, process, bare, tally)
        tally.memory = service.memory(process)
    for clients, tally in tallies.items():
        one = line(clients, tally)
        print(
            f"{one.clients:8}{one.photos:8}{one.per_second:8.2f}{one.bare:7.2f}"
            f"{one.per_second / one.bare:7.2f}{one.processor:8.1f}{one.bare_processor:6.1f}"
            f"{one.p50:9.0f}{one.p95:9.0f}{one.refused:9}"
            f"{_text(one.refusal_p95):>8}{_text(one.retry_after):>8}"
            f"{_text(one.honest, '.2f'):>8}{one.memory:7.0f}",
            flush=True,
        )
        yield one


def _seconds_to_start(folder: Path, settings: argparse.Namespace) -> float:
    """Return how long a service takes until it is ready, the median of `RESTARTS` starts."""
    starts = []
    for _ in range(RESTARTS):
        started = time.monotonic()
        with service.running(folder, settings, as_shipped=True):
            starts.append(time.monotonic() - started)
    each = ", ".join(f"{one:.1f}" for one in starts)
    print(f"restart to ready: median {np.median(starts):.1f} s of {each}")
    return float(np.median(starts))


def main() -> None:
    """Print the tables, and write them as JSON if requested."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--photos", type=Path, default=service.SCENE.parent, help="folder of JPEGs to send"
    )
    parser.add_argument("--seconds", type=float, default=20.0, help="how long a round of a line is")
    parser.add_argument("--rounds", type=int, default=1, help="rounds of each line")
    parser.add_argument("--requests", type=int, default=2000, help="requests of the memory run")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    photos = [path.read_bytes() for path in sorted(options.photos.rglob("*.jpg"))]
    if not photos:
        raise SystemExit(f"{options.photos} holds no *.jpg")
    bare = Recogniser(registry.load())
    bare_rate(bare, photos, 0.1)
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load before {load:.1f}; a busy machine makes all rates lower")
    held: list[service.Held] = []
    settings = argparse.Namespace(threads=0, concurrency=0, workers=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with service.running(folder, settings, as_shipped=True) as (process, address):
            lines = list(_measured_lines(options, photos, bare, address, process.pid))
            if options.requests:
                sends = service.routes(address, photos[0])
                held = service.memory_over(options.requests, sends, address, process.pid, 4)
                print(service.memory_line(held))
        ready = _seconds_to_start(folder, settings)
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
