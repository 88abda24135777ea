"""Summarises a table: how many photos are certain, which problems, by day and by source."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from hupai.api.bulk.parts import BulkError, Table, photo_id


@dataclass
class Tally:
    """Photos counted: all, with a hand, certain, unreadable."""

    photos: int = 0
    hands: int = 0
    certain: int = 0
    errors: int = 0

    def add(self, *, hand: bool, certain: bool, error: bool) -> None:
        """Count a photo."""
        self.photos += 1
        self.hands += hand
        self.certain += certain
        self.errors += error


@dataclass
class Report:
    """A summary of a table.

    Attributes:
        total: tally of all photos.
        distinct: photos with different bytes.
        twice: rows of a photo that has another row; 0 if the table was written by one run at a
            time.
        by_day, by_source: the same for each day and source.
        problems: photos that have each problem.
        wins: by rule set, photos whose hand wins.
        mean_ms: mean milliseconds of a photo that could be read.
        weights: the weights that read them.
    """

    total: Tally = field(default_factory=Tally)
    distinct: int = 0
    twice: int = 0
    by_day: dict[str, Tally] = field(default_factory=dict)
    by_source: dict[str, Tally] = field(default_factory=dict)
    problems: dict[str, int] = field(default_factory=dict)
    wins: dict[str, int] = field(default_factory=dict)
    mean_ms: float = 0.0
    weights: str = ""


_COLUMNS = (
    "photo",
    "source", "sha256", "taken_at", "error", "certain", "hand", "problems", "scores", "total_ms",
)  # fmt: skip


def report_of(where: str) -> Report:
    """Summarise a table.

    Raises:
        BulkError: if there is no table.
    """
    table = Table(where)
    about = table.about()
    if about is None:
        raise BulkError(f"{where} contains no table of `hupai bulk`")
    report = Report(weights=str(about["weights"]))
    problems: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    digests, names = array("Q"), array("Q")
    milliseconds = 0.0
    for rows in table.batches(*_COLUMNS):
        for row in rows:
            what = {
                "hand": row["hand"] is not None,
                "certain": row["certain"],
                "error": row["error"] is not None,
            }
            day = row["taken_at"].date().isoformat()
            for tally in (
                report.total,
                report.by_day.setdefault(day, Tally()),
                report.by_source.setdefault(row["source"], Tally()),
            ):
                tally.add(**what)
            problems.update(set(row["problems"]))
            wins.update(score["rules"] for score in row["scores"] if score["legal"])
            milliseconds += row["total_ms"]
            digests.append(int(row["sha256"][:16] or "0", 16))
            names.append(int.from_bytes(photo_id(row["photo"])[:8], "big"))
    report.problems, report.wins = dict(problems.most_common()), dict(wins)
    report.distinct = _different(digests)
    report.twice = len(names) - _different(names)
    read = report.total.photos - report.total.errors
    report.mean_ms = milliseconds / read if read else 0.0
    return report


def _different(numbers: array[int]) -> int:
    return len(np.unique(np.frombuffer(numbers, np.uint64))) if numbers else 0
