"""Processor time and memory of all processes of a program, found by a mark in their environment.

Ray's processes are not children of the command that starts them, and those of `hupai bulk` are
children of a fork server; but they inherit the environment of the command.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

_NAME = "HUPAI_BENCHMARK_MARK"
_TICKS = os.sysconf("SC_CLK_TCK")
_CPU_FIELDS = slice(11, 13)
"""utime and stime in /proc/PID/stat, counted after the name (proc(5)). The fields for children are
left out: they hold all the time of a child that ended, including that before the measurement.
"""

_READERS = ("Recogniser", "PartReader")
"""Names in the command lines of those of Ray's workers that read photos."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one process has used.

    Attributes:
        name: its command line; Ray's workers say there what they do.
        cpu: seconds of processor time.
        memory: resident MiB.
    """

    name: str
    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class Spent:
    """What the processes of a program used between two moments.

    Attributes:
        cpu: seconds of processor time of all.
        readers: seconds of processor time and resident MiB of those that read.
        others: seconds of processor time of the rest, by command line, most first.
    """

    cpu: float
    readers: tuple[tuple[float, float], ...]
    others: tuple[tuple[str, float], ...]


class Marked:
    """The processes that inherit one environment."""

    def __init__(self) -> None:
        """Choose a mark that no other process has."""
        self._mark = uuid4().hex

    def environment(self, **settings: str) -> dict[str, str]:
        """Return the environment for the first process: this one's, these settings, the mark."""
        return {**os.environ, **settings, _NAME: self._mark}

    def usage(self) -> dict[int, Usage]:
        """Return what each process has used by now."""
        wanted = f"{_NAME}={self._mark}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = _usage(folder)
        return found


def total(usage: dict[int, Usage]) -> float:
    """Return the seconds of processor time of all processes."""
    return sum(one.cpu for one in usage.values())


def spent(before: dict[int, Usage], after: dict[int, Usage], readers: int) -> Spent:
    """Return what was used between two calls of `Marked.usage`.

    Args:
        before, after: their results.
        readers: number of processes that read photos: on Ray those that say so, elsewhere those
            that used most.
    """
    cpu = {
        process: usage.cpu - (before[process].cpu if process in before else 0.0)
        for process, usage in after.items()
    }

    def rank(process: int) -> tuple[bool, float]:
        return any(word in after[process].name for word in _READERS), cpu[process]

    ranked = sorted(cpu, key=rank, reverse=True)
    others = sorted(ranked[readers:], key=cpu.__getitem__, reverse=True)
    return Spent(
        sum(cpu.values()),
        tuple((cpu[process], after[process].memory) for process in ranked[:readers]),
        tuple((after[process].name, cpu[process]) for process in others),
    )


def _usage(folder: Path) -> Usage:
    after_name = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    pages = int((folder / "statm").read_text(encoding="ascii").split()[1])
    name = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return Usage(
        name.strip(),
        sum(map(int, after_name[_CPU_FIELDS])) / _TICKS,
        pages * resource.getpagesize() / 2**20,
    )
