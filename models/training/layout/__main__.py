"""Fits the layout weights on recorded cases, or evaluates given weights.

    python -m hupai.models.training.layout --cases FILE [FILE ...] --out FOLDER
        [--rounds 4] [--leave-out FAMILY] [--version V] [--start WEIGHTS]
    python -m hupai.models.training.layout --cases FILE [FILE ...] --measure

Cases come from ``python -m benchmarks.layout.record``. FOLDER gets weights/layout.json and its
entry in registry.toml. Cases of the family that is left out are evaluated afterwards; cases of
which only the faces are known are not used. With ``--rounds 0`` only the limits are measured, see
`hupai.models.training.layout.limits`; with ``--measure`` nothing is fitted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hupai.models import registry
from hupai.models.registry_writer import write_layout
from hupai.models.training.layout.cases import Case, load, with_waiting_hands
from hupai.models.training.layout.fit import Decoded, decode, right, rounds
from hupai.models.training.layout.limits import limits
from hupai.vision.layout.weights import SHIPPED, LayoutWeights

ABOUT = "log-linear weights by which layout chooses the tiles of the hand"


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--cases", type=Path, nargs="+", required=True)
    add("--out", type=Path, default=registry.FOLDER, help="folder of the registry")
    add("--rounds", type=int, default=4, help="how often decoding and fitting take turns")
    add("--leave-out", default="", metavar="FAMILY", help="fit without these, then measure them")
    add("--version", default="", help="of the weights")
    add("--start", type=Path, default=SHIPPED, help="weights to start from and to stay near")
    add("--measure", action="store_true", help="fit nothing")
    args = parser.parse_args()
    cases = (case for path in args.cases for case in with_waiting_hands(load(path)))
    known = [case for case in cases if case.tiles and not case.missing]
    weights = LayoutWeights.load(args.start)
    if not args.measure:
        used = [case for case in known if case.family != args.leave_out]
        version = args.version or weights.version
        weights, shares = rounds(used, weights, args.rounds, version)
        weights = replace(weights, version=version, limits=limits(used, weights))
        print("right at the beginning of each round:", *(f"{share:.3f}" for share in shares))
        (args.out / "weights").mkdir(parents=True, exist_ok=True)
        weights.save(args.out / "weights" / SHIPPED.name)
        write_layout(args.out, version, ABOUT)
        known = [case for case in known if case.family == args.leave_out]
    report(known, weights)


def report(cases: Sequence[Case], weights: LayoutWeights) -> None:
    """Print by family how many cases are decoded correctly."""
    families: dict[str, list[Decoded]] = {}
    for case in cases:
        families.setdefault(case.family, []).append(decode(case, weights, known=False))
    for family, rows in sorted(families.items()):
        print(f"{family:<10}{len(rows):>6} cases{right(rows):>8.3f} right")


if __name__ == "__main__":
    main()
