"""Load test of the HTTP service: requests a second and latency with 1, 4 and 16 clients, and
memory.

``python -m benchmarks.service [--seconds 10] [--requests 10000] [--threads N] [--concurrency N]
[--workers N] [--json FILE]`` starts ``hupai serve`` with its default settings, but a queue long
enough that no request is rejected and a new data folder, and sends it:

- ``recognitions``: an example scene, read and not stored;
- ``hands``: the same scene with different bytes appended each time, so that each is read, scored
  and stored;
- ``replay``: one of them again, answered from storage;
- ``hand``: a stored hand; ``correct``: a correction of it, scored again; ``photo``: a thumbnail of
  it; ``list``: the newest thirty;
- ``scores``: a hand in notation.

Then 16 clients send ``--requests`` more, of which every `NEW_PHOTO_EVERY`-th reads and stores a new
photo and the rest are of the other kinds in turn, while the memory of the service is recorded. The
load comes from this process, so both share the machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import numpy as np

from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser

ROOT = Path(__file__).resolve().parent.parent
SCENE = ROOT / "examples" / "seven-pairs.jpg"
RULES = "mcr-1998"
SCORE = {
    "rules": RULES,
    "notation": "23m55pEEE[567m,1](9999s)1h+1m",
    "circumstances": {"self_drawn": True},
}
CLIENTS = (1, 4, 16)
NEW_PHOTO_EVERY = 20
"""In the memory run, one of this many requests reads and stores a new photo."""
Send = Callable[[httpx.Client], httpx.Response]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; times in milliseconds, memory of the service in MiB after the run.

    `model` is the median reading time that the answers report, None if nothing was read. What p50
    has beyond it is time in the queue, in HTTP and in storage.
    """

    route: str
    clients: int
    requests: int
    per_second: float
    p50: float
    p95: float
    p99: float
    model: float | None
    memory: float


@dataclass(frozen=True, slots=True)
class Held:
    """Memory of the service, in MiB, after a number of requests."""

    requests: int
    memory: float


def raw_model(photo: bytes, threads: int, times: int = 10) -> float:
    """Measure the median milliseconds of one reading in this process, without HTTP."""
    recogniser = Recogniser(registry.load(threads=threads))
    recogniser.read_photo(photo, SCENE.name)
    return float(
        np.median([recogniser.read_photo(photo, SCENE.name).timing.total for _ in range(times)])
    )


def start(
    folder: Path, options: argparse.Namespace, *, as_shipped: bool = False
) -> tuple[subprocess.Popen[str], str]:
    """Start a service on a free port; return it and its address once its model is open.

    `as_shipped` keeps the default queue length, so that requests are rejected under load.
    """
    patient = {"HUPAI_QUEUE_LENGTH": "1000", "HUPAI_TIMEOUT_SECONDS": "600"}
    settings = {
        **({} if as_shipped else patient),
        "HUPAI_RATE_LIMIT": "0",
        "HUPAI_DATA_DIR": str(folder),
        "HUPAI_THREADS": str(options.threads),
        "HUPAI_CONCURRENCY": str(options.concurrency),
        "HUPAI_WORKERS": str(options.workers),
    }
    command = [sys.executable, "-m", "hupai.api.cli.main", "serve", "--port", "0"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    found = re.search(r"http://\S+?(?=/)", process.stdout.readline())
    if found is None:
        raise SystemExit("the service did not start; see `hupai serve`")
    with httpx.Client(base_url=found[0], timeout=60) as client:
        while not _is_ready(client):
            time.sleep(0.1)
    return process, found[0]


def end(process: subprocess.Popen[str]) -> None:
    """Stop a service, by force after a minute."""
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def running(
    folder: Path, options: argparse.Namespace, *, as_shipped: bool = False
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a service as `start` does, and stop it at the end."""
    process, address = start(folder, options, as_shipped=as_shipped)
    try:
        yield process, address
    finally:
        end(process)


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readiness").status_code == 200
    except httpx.TransportError:
        return False


def routes(address: str, photo: bytes) -> dict[str, Send]:
    """Map the names of the rows to functions that send a request."""

    def hand(client: httpx.Client, data: bytes) -> httpx.Response:
        return client.post("/v1/hands", files={"photo": (SCENE.name, data)}, data={"rules": RULES})

    with httpx.Client(base_url=address, timeout=600) as client:
        path = hand(client, photo).raise_for_status().headers["location"]
        corrected = [
            hand(client, photo + uuid4().bytes).raise_for_status().headers["location"]
            for _ in range(40)
        ]
    winds = itertools.cycle("ESWN")
    which = itertools.cycle(corrected)

    def correct(client: httpx.Client) -> httpx.Response:
        return client.patch(next(which), json={"circumstances": {"seat_wind": next(winds)}})

    return {
        "recognitions": lambda client: client.post(
            "/v1/recognitions", files={"photo": (SCENE.name, photo)}
        ),
        "hands": lambda client: hand(client, photo + uuid4().bytes),
        "replay": lambda client: hand(client, photo),
        "hand": lambda client: client.get(path),
        "correct": correct,
        "photo": lambda client: client.get(f"{path}/photo?side=240"),
        "list": lambda client: client.get("/v1/hands"),
        "scores": lambda client: client.post("/v1/scores", json=SCORE),
    }


def drive(
    address: str,
    clients: int,
    more: Callable[[int], bool],
    send: Callable[[httpx.Client, int], httpx.Response],
) -> list[float]:
    """Send requests from `clients` threads until none are left; return the latency of each,
    milliseconds.

    `send` gets the number of the request.
    """
    times: list[float] = []
    numbers = itertools.count()

    def work() -> None:
        with httpx.Client(base_url=address, timeout=600) as client:
            while more(number := next(numbers)):
                started = time.perf_counter()
                send(client, number).raise_for_status()
                times.append((time.perf_counter() - started) * 1000)

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def _children(process: int) -> list[str]:
    """List the ids of the children of all threads of a process."""
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [child for thread in threads for child in thread.read_text(encoding="ascii").split()]


def memory(process: int) -> float:
    """Sum the resident memory of a process and its children, in MiB; NaN if it is unknown."""
    try:
        children = _children(process)
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return float("nan")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return (int(found[1]) / 1024 if found else 0.0) + sum(memory(int(child)) for child in children)


def processor_time(process: int) -> float:
    """Sum the processor time of a process and its living children, seconds; NaN if unknown."""
    try:
        children = _children(process)
        status = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return float("nan")
    fields = status.rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])  # utime, stime
    return ticks / os.sysconf("SC_CLK_TCK") + sum(processor_time(int(one)) for one in children)


def measured(
    name: str, clients: int, seconds: float, send: Send, address: str, process: int
) -> Row:
    """Measure one line of the table."""
    started = time.monotonic()
    read: list[float] = []

    def sent(client: httpx.Client, _number: int) -> httpx.Response:
        answer = send(client)
        if name in ("recognitions", "hands"):
            document = answer.json()
            read.append(document.get("reading", document)["timing_ms"]["total"])
        return answer

    times = drive(address, clients, lambda _number: time.monotonic() < started + seconds, sent)
    passed = time.monotonic() - started
    p50, p95, p99 = (float(p) for p in np.percentile(times, (50, 95, 99)))
    model = float(np.median(read)) if read else None
    return Row(
        name, clients, len(times), len(times) / passed, p50, p95, p99, model, memory(process)
    )


def memory_over(
    requests: int, sends: dict[str, Send], address: str, process: int, clients: int = max(CLIENTS)
) -> list[Held]:
    """Measure memory at the start and after each tenth of the requests of all kinds."""
    others = [send for name, send in sends.items() if name not in ("recognitions", "hands")]
    held = [Held(0, memory(process))]
    lock = threading.Lock()

    def send(client: httpx.Client, number: int) -> httpx.Response:
        answer = (
            sends["hands"](client)
            if number % NEW_PHOTO_EVERY == 0
            else others[number % len(others)](client)
        )
        if number and number % max(1, requests // 10) == 0:
            with lock:
                held.append(Held(number, memory(process)))
        return answer

    drive(address, clients, lambda number: number <= requests, send)
    return sorted(held, key=lambda one: one.requests)


def _measured_rows(sends: dict[str, Send], address: str, pid: int, seconds: float) -> Iterator[Row]:
    """Measure each of these routes with 1, 4 and 16 clients, and print the table."""
    print(
        f"{'route':14}{'clients':>8}{'requests':>10}{'per s':>8}"
        f"{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'model':>8}{'MiB':>7}"
    )
    for name, clients in itertools.product(sends, CLIENTS):
        row = measured(name, clients, seconds, sends[name], address, pid)
        print(
            f"{name:14}{clients:8}{row.requests:10}{row.per_second:8.1f}{row.p50:9.1f}"
            f"{row.p95:9.1f}{row.p99:9.1f}{row.model or 0:8.1f}{row.memory:7.0f}",
            flush=True,
        )
        yield row


def memory_line(held: Sequence[Held]) -> str:
    """Write how memory grew."""
    return "memory, MiB: " + ", ".join(f"{one.memory:.0f} after {one.requests}" for one in held)


def main() -> None:
    """Print the tables, and write them as JSON if requested."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each line runs")
    parser.add_argument(
        "--requests", type=int, default=10_000, help="requests of the memory run; 0 leaves it out"
    )
    parser.add_argument("--threads", type=int, default=0, help="HUPAI_THREADS")
    parser.add_argument("--concurrency", type=int, default=0, help="HUPAI_CONCURRENCY")
    parser.add_argument("--workers", type=int, default=1, help="HUPAI_WORKERS")
    parser.add_argument("--only", nargs="*", help="routes to measure; by default all")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    photo = SCENE.read_bytes()
    model = raw_model(photo, options.threads)
    load = os.getloadavg()[0]
    print(
        f"raw model: {model:.0f} ms a photo, {1000 / model:.1f} a second, "
        f"{os.cpu_count()} cores, load before {load:.1f}"
    )
    held = []
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), options) as (process, address),
    ):
        sends = routes(address, photo)
        chosen = {name: sends[name] for name in options.only or sends}
        rows = list(_measured_rows(chosen, address, process.pid, options.seconds))
        if options.requests:
            held = memory_over(options.requests, sends, address, process.pid)
            print(memory_line(held))
    after = raw_model(photo, options.threads)
    print(f"raw model afterwards: {after:.0f} ms a photo")
    if options.json:
        written = {
            "cores": os.cpu_count(),
            "load_before": load,
            "raw_model_ms": [model, after],
            "settings": {
                name: getattr(options, name)
                for name in ("threads", "concurrency", "workers", "seconds")
            },
            "rows": [asdict(row) for row in rows],
            "memory": [asdict(one) for one in held],
        }
        options.json.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
