"""Reads a folder of photos by ``hupai bulk``, as users start it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet

from benchmarks.scale.processes import Marked, spent, total
from benchmarks.scale.services import Served


def through_bulk(source: Path, out: Path, readers: int, *options: str) -> Served:
    """Read the photos of a folder with `readers` processes.

    Archives are long, so the rate is measured from the moment at which every reader has written a
    part. The start is measured on its own, as the whole command for a single photo.
    """
    photo = min(source.iterdir())
    alone = time.perf_counter()
    subprocess.run(
        _command(photo, out.with_suffix(".one"), readers, options),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ready = time.perf_counter() - alone
    marked = Marked()
    command = _command(source, out, readers, options)
    log = out.with_suffix(".log")
    with log.open("wb") as file:
        process = subprocess.Popen(command, env=marked.environment(), stdout=file, stderr=file)
    begun = ended = 0.0
    before = after = marked.usage()
    known = warm = 0
    while process.poll() is None:
        now = len(list(out.glob("part-*.parquet")))
        moment, usage = time.perf_counter(), marked.usage() if now > known else {}
        # At the end readers are gone, and what they used with them.
        if now > known and total(usage) >= total(after):
            if known <= readers < now:
                begun, before, warm = moment, usage, now
            ended, after, known = moment, usage, now
        time.sleep(0.01)
    if process.returncode:
        raise SystemExit(f"hupai bulk failed:\n{log.read_text()[-2000:]}")
    parts = sorted(out.glob("part-*.parquet"), key=lambda path: path.stat().st_mtime_ns)
    photos = sum(pyarrow.parquet.read_metadata(path).num_rows for path in parts[warm:known])
    return Served(photos, ended - begun, ready, spent(before, after, readers))


def _command(source: Path, out: Path, readers: int, options: Sequence[str]) -> list[str]:
    command = [sys.executable, "-m", "hupai.api.cli.main", "bulk", str(source), "--out", str(out)]
    return [*command, "--workers", str(readers), *options]
