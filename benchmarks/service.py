"""The HTTP service under load: requests a second and waiting times at 1, 4 and 16 clients, beside the raw model, and its memory.

``python -m benchmarks.service [--seconds 10] [--json FILE]`` starts ``hupai serve`` as it ships, with a queue long enough that none
is turned away, and sends it an example scene and a hand in notation. Load comes from this process, so both share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
import numpy as np

from models import registry
from vision.recogniser import Recogniser

ROOT = Path(__file__).resolve().parent.parent
SCENE = ROOT / "examples" / "seven-pairs.jpg"
SCORE = {"rules": "mcr-1998", "notation": "23m55pEEE[567m,1](9999s)1h+1m", "circumstances": {"self_drawn": True}}
CLIENTS = (1, 4, 16)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; times in milliseconds, memory of the service in MiB after the run."""

    route: str
    clients: int
    requests: int
    per_second: float
    p50: float
    p95: float
    p99: float
    memory: float


def raw_model(photo: bytes, times: int = 10) -> float:
    """Median milliseconds of one reading in this process, without HTTP."""
    recogniser = Recogniser(registry.load())
    recogniser.read_photo(photo, SCENE.name)
    return float(np.median([recogniser.read_photo(photo, SCENE.name).timing.total for _ in range(times)]))


def start() -> tuple[subprocess.Popen[str], str]:
    """A service on a free port, once its model is open, and its address."""
    settings = {"HUPAI_QUEUE_LENGTH": "1000", "HUPAI_TIMEOUT_SECONDS": "600"}
    command = [sys.executable, "-m", "api.cli", "serve", "--port", "0"]
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    found = re.search(r"http://\S+?(?=/)", process.stdout.readline())
    if found is None:
        raise SystemExit("the service did not start; see `hupai serve`")
    with httpx.Client(base_url=found[0]) as client:
        while not _is_ready(client):
            time.sleep(0.1)
    return process, found[0]


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readiness").status_code == 200
    except httpx.ConnectError:
        return False


def drive(address: str, clients: int, seconds: float, send: Callable[[httpx.Client], httpx.Response]) -> list[float]:
    """Milliseconds of each request that `clients` threads send one after another for some seconds."""
    times: list[float] = []
    until = time.monotonic() + seconds

    def work() -> None:
        with httpx.Client(base_url=address, timeout=600) as client:
            while time.monotonic() < until:
                started = time.perf_counter()
                send(client).raise_for_status()
                times.append((time.perf_counter() - started) * 1000)

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def memory(process: int) -> float:
    """Resident memory of a process in MiB; NaN where the system does not tell."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return float("nan")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else float("nan")


def main() -> None:
    """Print the table, and write it as JSON where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each line runs")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    photo = SCENE.read_bytes()
    routes: dict[str, Callable[[httpx.Client], httpx.Response]] = {
        "recognitions": lambda client: client.post("/v1/recognitions", files={"photo": (SCENE.name, photo)}),
        "scores": lambda client: client.post("/v1/scores", json=SCORE),
    }
    model = raw_model(photo)
    print(f"raw model: {model:.0f} ms a photo, {1000 / model:.1f} photos a second in one process, {os.cpu_count()} cores")
    print(f"{'route':14}{'clients':>8}{'requests':>10}{'per s':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'MiB':>7}")
    process, address = start()
    rows = []
    try:
        for route, send in routes.items():
            for clients in CLIENTS:
                started = time.monotonic()
                times = drive(address, clients, options.seconds, send)
                passed = time.monotonic() - started
                p50, p95, p99 = (float(p) for p in np.percentile(times, (50, 95, 99)))
                row = Row(route, clients, len(times), len(times) / passed, p50, p95, p99, memory(process.pid))
                rows.append(row)
                print(
                    f"{route:14}{clients:8}{row.requests:10}{row.per_second:8.1f}{p50:9.1f}{p95:9.1f}{p99:9.1f}{row.memory:7.0f}",
                    flush=True,
                )
    finally:
        process.terminate()
        process.wait(30)
    if options.json:
        figures = {"raw_model_ms": model, "cores": os.cpu_count(), "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
