"""Reads recorded cases and compares the readings with the truth, without a network.

    python -m benchmarks.layout.recorded FILE.npz ... [--out FILE] [--before FILE] [--every N]

For each file (``python -m benchmarks.layout.record``) it prints how many hands have the right
tiles, how many are right in groups and claims as well, how many readings are certain and how many
of these wrong, and the median processor time of layout and reading by number of tiles. ``--out``
keeps the outcome of each case; ``--before`` lists the cases lost and won since such a file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from time import process_time

from hupai.models.training.layout.cases import Case, load
from hupai.models.training.layout.certainty import judge
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read

_SIZES = ((20, 40), (81, 120))
"""Numbers of tiles on a photo for which times are reported."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case was read.

    Attributes:
        tiles: whether the tiles are those of the hand.
        right: whether faces, groups and claims are right as well, as far as they are known.
        certain: whether the reading is certain.
        count: confident detections.
        ms: processor time of layout and reading, milliseconds.
    """

    tiles: bool
    right: bool
    certain: bool
    count: int
    ms: float


def outcome(case: Case) -> Outcome:
    """Read a case and compare the reading with the truth."""
    begin = process_time()
    layout = replace(arrange(case.detections, case.size), examined=True)
    certain = read(layout).certain
    spent = 1000 * (process_time() - begin)
    judged = judge(case, layout)
    return Outcome(judged.tiles, judged.right, certain, len(case.detections), round(spent, 2))


def report(name: str, rows: Sequence[Outcome]) -> str:
    """Describe the outcomes of a file in one line."""
    times = [
        f"{low}-{high}: {median([r.ms for r in rows if low <= r.count <= high] or [0]):.1f}"
        for low, high in _SIZES
    ]
    certain = [row for row in rows if row.certain]
    return (
        f"{name:<12}{len(rows):>5} cases{sum(r.tiles for r in rows):>6} tiles"
        f"{sum(r.right for r in rows):>6} right{len(certain):>6} certain"
        f"{sum(not r.right for r in certain):>4} wrong   ms {', '.join(times)}"
    )


def changes(rows: Sequence[Outcome], before: Sequence[Outcome]) -> Iterator[str]:
    """Describe which cases were lost and won, by their number in the file."""
    for name in ("tiles", "right", "certain"):
        pairs = [(getattr(a, name), getattr(b, name)) for a, b in zip(rows, before, strict=True)]
        lost = [k for k, (now, then) in enumerate(pairs) if then and not now]
        won = [k for k, (now, then) in enumerate(pairs) if now and not then]
        if lost or won:
            yield f"    {name}: lost {lost}, won {won}"


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("cases", type=Path, nargs="+")
    add("--out", type=Path)
    add("--before", type=Path)
    add("--every", type=int, default=1, help="read every n-th case only")
    args = parser.parse_args()
    known = json.loads(args.before.read_text()) if args.before else {}
    kept = {}
    for file in args.cases:
        rows = [outcome(case) for case in load(file)[:: args.every]]
        kept[file.stem] = [asdict(row) for row in rows]
        print(report(file.stem, rows), flush=True)
        if file.stem in known:
            print(*changes(rows, [Outcome(**row) for row in known[file.stem]]), sep="\n")
    if args.out:
        args.out.write_text(json.dumps(kept))


if __name__ == "__main__":
    main()
