"""Reads a folder of photos by ``hupai bulk``, as users start it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet

from benchmarks.scale.processes import Marked, spent
from benchmarks.scale.services import Served

PART = 8
"""Photos in a Parquet file: few, because rates are taken from when the files appear."""


def through_bulk(source: Path, out: Path, readers: int, *options: str) -> Served:
    """Read the photos of a folder with `readers` processes.

    An archive is long: what counts is the rate once every reader has written a part. The rest of
    the time is that of the start.
    """
    marked = Marked()
    command = [sys.executable, "-m", "hupai.api.cli.main", "bulk", str(source), "--out", str(out)]
    command += ["--workers", str(readers), "--part", str(PART), *options]
    started = time.perf_counter()
    log = out.with_suffix(".log")
    with log.open("wb") as file:
        process = subprocess.Popen(command, env=marked.environment(), stdout=file, stderr=file)
    first = begun = ended = 0.0
    before = after = marked.usage()
    known = warm = 0
    while process.poll() is None:
        now = len(list(out.glob("part-*.parquet")))
        if now > known:
            ended, after = time.perf_counter(), marked.usage()
            first = first or ended
            if known <= readers < now:
                begun, before, warm = ended, after, now
            known = now
        time.sleep(0.01)
    if process.returncode:
        raise SystemExit(f"hupai bulk failed:\n{log.read_text()[-2000:]}")
    parts = sorted(out.glob("part-*.parquet"), key=lambda path: path.stat().st_mtime_ns)
    photos = sum(pyarrow.parquet.read_metadata(path).num_rows for path in parts[warm:])
    return Served(photos, ended - begun, first - started, spent(before, after, readers))
