"""Measures layout and reading on hands laid in other conventions.

    python -m benchmarks.conventions [--scenes 60] [--family NAME ...]
        [--out benchmarks/conventions.json]

Tables come from `benchmarks.conventions.families`, which shares nothing with
`hupai.datasets.synthetic`: neither spacing, nor places of melds, flowers and winning tile, nor
surroundings. All tiles are detected and classified correctly, with small errors of boxes and axes.
Counted for each family:

- groups: all groups are the true ones with their kinds, tile by tile;
- claims: the sources of the melds are right, too;
- hand: the faces of concealed tiles, melds with their sources, winning tile and flowers are right;
- certain: readings called certain;
- certain, wrong: those of them whose hand has wrong faces. Which of two equal tiles was the winning
  one does not count here: such a reading has other groups, but the same faces, melds and sources.

`benchmarks.layout.compare` defines the ground truth of a table. A run over all families is written
to benchmarks/conventions.json, one over only some of them where `--out` says.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table as Columns

from benchmarks.conventions.families import FAMILIES
from benchmarks.conventions.scene import table
from benchmarks.layout.compare import Outcome, examine

RESULTS = Path(__file__).parent.with_suffix(".json")
"""Where a run over all families is written."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of the tables of a family: how many were read, and what was right."""

    scenes: int
    groups: int
    claims: int
    hand: int
    certain: int
    certain_wrong: int


def certain_and_wrong(outcome: Outcome) -> bool:
    """Return whether a reading is certain although its faces are wrong."""
    return outcome.certain and not outcome.hand


def tally(outcomes: Iterable[Outcome]) -> Tally:
    """Count what was right."""
    rows = list(outcomes)
    return Tally(
        scenes=len(rows),
        groups=sum(row.groups for row in rows),
        claims=sum(row.claims for row in rows),
        hand=sum(row.hand for row in rows),
        certain=sum(row.certain for row in rows),
        certain_wrong=sum(certain_and_wrong(row) for row in rows),
    )


def shown(tallies: dict[str, Tally]) -> Columns:
    """Draw the table for the console."""
    columns = Columns()
    columns.add_column("family", no_wrap=True)
    for heading in ("scenes", "groups", "claims", "hand", "certain", "certain, wrong"):
        columns.add_column(heading, justify="right")
    for name, row in tallies.items():
        columns.add_row(name, *(str(count) for count in asdict(row).values()))
    return columns


def main() -> None:
    """Run the command line of this module."""
    meanings = "\n".join(f"  {name:<20}{family.meaning}" for name, family in FAMILIES.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"families:\n{meanings}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenes", type=int, default=60, help="tables of each family")
    parser.add_argument(
        "--family",
        nargs="+",
        choices=FAMILIES,
        default=list(FAMILIES),
        metavar="NAME",
        help="only these",
    )
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    jobs = [(family, seed) for family in args.family for seed in range(args.scenes)]
    outcomes: dict[str, list[Outcome]] = {family: [] for family in args.family}
    broken = []
    console = Console()
    for family, seed in track(jobs, "reading tables", console=console, transient=True):
        outcome, _ = examine(table(family, seed))
        outcomes[family].append(outcome)
        if certain_and_wrong(outcome):
            broken.append(f"{family} {seed}")
    tallies = {family: tally(rows) for family, rows in outcomes.items()}
    tallies["all"] = tally(row for rows in outcomes.values() for row in rows)
    console.print(shown(tallies))
    if broken:
        console.print("certain and wrong:", ", ".join(broken))
    out = args.out or (RESULTS if set(args.family) == set(FAMILIES) else None)
    if out is not None:
        out.write_text(
            json.dumps({name: asdict(row) for name, row in tallies.items()}, indent=1) + "\n",
            "utf-8",
        )


if __name__ == "__main__":
    main()
