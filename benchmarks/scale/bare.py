"""The bare pipeline, one thread in a separate process, as a measure for every other way.

``python -m benchmarks.scale.bare PHOTO...`` reads the photos in turn. For each line with a number
on standard input, it reads that many and answers with a line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from time import perf_counter, process_time

import cv2

from hupai.models import registry
from hupai.vision.pipeline.recogniser import Recogniser


@dataclass(frozen=True, slots=True)
class Read:
    """Photos that the bare pipeline read.

    Attributes:
        rate: photos a second, of all processes together.
        times: seconds of each photo.
        cpu: processor time of a photo, seconds.
        memory: resident MiB of one process.
    """

    rate: float
    times: tuple[float, ...]
    cpu: float
    memory: float


class Bare:
    """Processes with the bare pipeline, started once and used between the other measurements."""

    def __init__(self, processes: Sequence[subprocess.Popen[str]]) -> None:
        """Use these processes, which are ready."""
        self._processes = processes

    def read(self, photos: int, count: int = 1) -> Read:
        """Read photos with `count` processes at the same time, `photos` with each."""
        used = self._processes[:count]
        for process in used:
            _say(process, str(photos))
        answers = [json.loads(_heard(process)) for process in used]
        times = tuple(seconds for answer in answers for seconds in answer["times"])
        return Read(
            sum(len(answer["times"]) / sum(answer["times"]) for answer in answers),
            times,
            sum(answer["cpu"] for answer in answers) / len(times),
            max(answer["memory"] for answer in answers),
        )


@contextmanager
def bare_pipeline(photos: Sequence[Path], count: int) -> Iterator[Bare]:
    """Start `count` processes that read these photos."""
    command = [sys.executable, "-m", "benchmarks.scale.bare", *map(str, photos)]
    processes = [
        subprocess.Popen(
            command,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    try:
        for process in processes:
            _heard(process)
        yield Bare(processes)
    finally:
        for process in processes:
            process.communicate()


def _say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None  # it was started with a pipe
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def _heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None  # it was started with a pipe
    line = process.stdout.readline()
    if not line:
        raise SystemExit("the bare pipeline ended")
    return line


def main() -> None:
    """Read as many photos as standard input asks for."""
    cv2.setNumThreads(1)
    photos = [Path(name) for name in sys.argv[1:]]
    recogniser = Recogniser(registry.load("default", 1))
    for photo in photos:
        recogniser.read_photo(photo)
    print("ready", flush=True)
    following = cycle(photos)
    for line in sys.stdin:
        times, begun = [], process_time()
        for _ in range(int(line)):
            started = perf_counter()
            recogniser.read_photo(next(following))
            times.append(perf_counter() - started)
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        answer = {
            "times": times,
            "cpu": process_time() - begun,
            "memory": pages * os.sysconf("SC_PAGESIZE") / 2**20,
        }
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
