"""Measures batch scoring of MCR hands against PyMahjongGB, and compares every total.

    python -m benchmarks.scoring.batch [--hands 100000] [--lot 5000] [--json FILE]

All hands are distinct, and the process has scored nothing before. Batches are scored alternately by
this project, from arrays and from `Hand` objects, and by PyMahjongGB, each with its input prepared,
so that other load affects all alike; processor time is measured. The ratio is that of the total
times, including the growth of internal tables; the time of the first call to build its tables is
reported separately.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
from MahjongGB import MahjongFanCalculator

from benchmarks.scoring.pymahjonggb import Arguments, arguments
from benchmarks.scoring.speed import never_twice
from hupai import HandArrays, score_many

T = TypeVar("T")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--hands", type=int, default=100_000)
    parser.add_argument("--lot", type=int, default=5000, help="hands scored in turn")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    chosen = parser.parse_args()
    figures = measure(chosen.hands, chosen.lot)
    print(f"{chosen.hands} hands never seen, lots of {chosen.lot}, {platform.machine()}, one core")
    for name in ("PyMahjongGB", "arrays", "Hand objects"):
        ratio = figures[f"{name} ratio"]
        slowest, middle = figures[f"{name} slowest lot"], figures[f"{name} median lot"]
        print(
            f"{name:14s} {figures[name]:10,.0f} hands/s   ratio {ratio:5.2f}   "
            f"median lot {middle:10,.0f}   slowest lot {slowest:10,.0f}"
        )
    print(f"tables of the first call: {figures['tables']:.2f} s")
    print(f"totals that differ from PyMahjongGB: {figures['differing']:.0f}")
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def measure(number: int, lot: int) -> dict[str, float]:
    """Score hands in all three ways; return hands a second, ratios and differing totals."""
    source = never_twice(suits_only=False)
    tables, _ = timed(lambda: score_many([]))
    spent: dict[str, list[float]] = {"PyMahjongGB": [], "arrays": [], "Hand objects": []}
    sizes: list[int] = []
    differing = 0
    while sum(sizes) < number:
        lot_of = list(islice(source, min(lot, number - sum(sizes))))
        sizes.append(len(lot_of))
        pairs = [(deal.hand, deal.circumstances) for deal in lot_of]
        arrays = HandArrays.from_hands(pairs)
        packed = [arguments(deal) for deal in lot_of]
        seconds, scores = timed(partial(score_many, arrays))
        spent["arrays"].append(seconds)
        seconds, theirs = timed(partial(ask_each, packed))
        spent["PyMahjongGB"].append(seconds)
        seconds, _ = timed(partial(score_many, pairs))
        spent["Hand objects"].append(seconds)
        totals = [sum(points * times for points, times, *_ in lines) for lines in theirs]
        differing += int(np.count_nonzero(scores.total != totals))
    figures = {"tables": tables, "differing": float(differing)}
    for name, seconds_of in spent.items():
        figures[name] = sum(sizes) / sum(seconds_of)
        rates = [size / seconds for size, seconds in zip(sizes, seconds_of, strict=True)]
        figures[f"{name} median lot"] = median(rates)
        figures[f"{name} slowest lot"] = min(rates)
    for name in spent:
        figures[f"{name} ratio"] = figures[name] / figures["PyMahjongGB"]
    return figures


def ask_each(packed: list[Arguments]) -> list[list[tuple[int, int, str, str]]]:
    """Ask PyMahjongGB about each hand."""
    return [MahjongFanCalculator(*one) for one in packed]


def timed(ask: Callable[[], T]) -> tuple[float, T]:
    """Return the processor time of a call, and its answer."""
    gc.collect()
    start = time.process_time()
    answer = ask()
    return time.process_time() - start, answer


if __name__ == "__main__":
    main()
