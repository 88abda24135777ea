"""Measures scoring speed in hands a second, against the riichi package ``mahjong`` and PyMahjongGB.

    python -m benchmarks.scoring.speed [--hands 2000] [--rounds 5] [--only NAME] [--json FILE]

Each contender runs in its own process, so that none profits from another's caches. All hands in it
are distinct:

- *first*: the process has just started and has scored nothing; each of the first hands is scored
  once;
- *cold*: as many others have been scored since; again each new hand is scored once;
- *warm*: the same hands repeatedly, the best round counts; this shows the effect of caches.

The hands are scored in batches of 100, and the other calculator scores the same batch right after,
so that other load affects both. The ratio is the median over the batches, the speed the median of
the batches' speeds; processor time is measured. `mahjong` scores another game, and only hands that
exist in riichi too; it serves as a yardstick for one hand at a time in pure Python.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.scoring.contenders import (
    Contender,
    Task,
    contenders,
    fits_sichuan,
    mahjong,
    pymahjonggb,
)
from benchmarks.scoring.hands import Deal, deals

LOT = 100
Speeds = dict[str, float]
"""For each phase the hands a second, and under ``PHASE ratio`` the ratio to the other
calculator.
"""


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--hands", type=int, default=2000, help="hands of each phase, in lots of 100"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the warm phase")
    parser.add_argument("--only", default="", help="only those whose name contains this")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker:
        contender = next(one for one in contenders() if one.name == chosen.worker)
        print(json.dumps(measure(contender, chosen.hands, chosen.rounds)))
        return
    print(
        f"{chosen.hands} hands a phase, Python {platform.python_version()}; "
        "hands/s and (ratio to the other calculator)"
    )
    print(f"{'':34s} {'first':>16s} {'cold':>16s} {'warm':>16s}   beside")
    table = {}
    for contender in contenders():
        if chosen.only in contender.name:
            table[contender.name] = speeds = _in_a_process(
                contender.name, chosen.hands, chosen.rounds
            )
            cells = " ".join(
                f"{speeds[phase]:8,.0f} ({speeds[phase + ' ratio']:5.3f})"
                for phase in ("first", "cold", "warm")
            )
            other = "PyMahjongGB" if contender.batch else "mahjong"
            print(f"{contender.name:34s} {cells}   {other} {speeds['other']:,.0f}", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


def _in_a_process(name: str, hands: int, rounds: int) -> Speeds:
    options = ["--worker", name, "--hands", str(hands), "--rounds", str(rounds)]
    command = [sys.executable, "-m", "benchmarks.scoring.speed", *options]
    speeds: Speeds = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
    )
    return speeds


def measure(contender: Contender, hands: int, rounds: int) -> Speeds:
    """Measure the three phases of one contender, in a process that has scored nothing before."""
    source = never_twice(contender.suits_only)
    first, cold = (_lots(contender, list(islice(source, hands))) for _ in range(2))
    speeds: Speeds = {}
    for phase, lots in (("first", first), ("cold", cold)):
        ours, ratios = zip(*(_beside(lot, other) for lot, other in lots), strict=True)
        speeds |= {phase: median(ours), f"{phase} ratio": median(ratios)}
    warm, other = (
        max(_round([lot[which] for lot in cold]) for _ in range(rounds)) for which in (0, 1)
    )
    return speeds | {"warm": warm, "warm ratio": warm / other, "other": other}


def never_twice(suits_only: bool) -> Iterator[Deal]:
    """Yield endlessly many hands with distinct tiles."""
    seen = set()
    for deal in deals(seed=20261121, number=sys.maxsize):
        hand = deal.hand
        melds = tuple(sorted((meld.kind.value, meld.tiles) for meld in hand.melds))
        tiles = (tuple(sorted(hand.concealed)), melds, hand.winning_tile)
        if tiles not in seen and (not suits_only or fits_sichuan(deal)):
            seen.add(tiles)
            yield deal


def _lots(contender: Contender, hands: Sequence[Deal]) -> list[tuple[Task, Task]]:
    other = pymahjonggb if contender.batch else mahjong
    lots = [hands[start : start + LOT] for start in range(0, len(hands), LOT)]
    return [(contender.prepare(lot), other(lot)) for lot in lots]


def _beside(ours: Task, theirs: Task) -> tuple[float, float]:
    speed = _speed(ours)
    return speed, speed / _speed(theirs)


def _round(tasks: Sequence[Task]) -> float:
    return median(_speed(task) for task in tasks)


def _speed(task: Task) -> float:
    gc.collect()
    start = time.process_time()
    task.run()
    return task.hands / (time.process_time() - start)


if __name__ == "__main__":
    main()
