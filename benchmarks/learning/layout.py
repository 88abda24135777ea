"""Measures what corrected hands of one convention teach the weights that group the hand.

    python -m benchmarks.learning.layout --cases FILE... [--convention unmarked_tight ...]

FILE... are recordings of generator families by `benchmarks.layout.record`, one for each family: the
first cases of each are mixed in, others measure what other families lose. Hands of a convention
come from `benchmarks.conventions`, with detector noise. They are fitted as by `hupai models
finetune --part layout`, and with other penalties and shares for comparison.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.conventions.scene import table
from benchmarks.layout.record import case_of, with_detector_noise
from hupai.models.learning.parts import GROUPING_PENALTY, OWN_SHARE
from hupai.models.training.layout.cases import Case, load
from hupai.models.training.layout.grouping import Hand, fit, hands_of, measure
from hupai.vision.layout.weights import shipped_weights

HANDS = (10, 30, 100)
"""Numbers of corrected hands."""

MIXED_IN, OTHERS, HELD_OUT = 70, 200, 160
"""Cases of each family that are mixed in and that are measured; measured hands of a convention."""

WAYS = ((0.002, OWN_SHARE), (GROUPING_PENALTY, OWN_SHARE), (GROUPING_PENALTY, 0.6))
"""Penalty, and weight of the corrected hands; the second is that of the product."""

SEED = 50_000


def cases(convention: str, count: int) -> Iterator[Case]:
    """Lay hands of a convention, as a detector sees them."""
    for number in range(SEED, SEED + count):
        laid = table(convention, number)
        seen = with_detector_noise(laid, np.random.default_rng([29, number]))
        yield case_of(laid, "family 2", f"{convention} {number}", seen)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=Path, nargs="+", required=True)
    parser.add_argument("--convention", action="append")
    a = parser.parse_args()
    shipped = shipped_weights().grouping
    recorded = [load(path)[: MIXED_IN + OTHERS] for path in a.cases]
    mixed = [hand for some in recorded for hand in hands_of(some[:MIXED_IN])]
    others = [list(hands_of(some[MIXED_IN:])) for some in recorded]
    families = " | ".join(some[0].family for some in recorded)
    print(f"| convention | hands corrected | penalty, share | its hands right | {families} |")
    print("|---|---|---|---|" + "---|" * len(recorded))
    for convention in a.convention or ["unmarked_tight", "split_suits", "added_tight"]:
        hands = list(hands_of(cases(convention, HANDS[-1] + HELD_OUT)))
        own, held_out = hands[: HANDS[-1]], hands[HANDS[-1] :]
        _row(convention, 0, "", held_out, others, shipped)
        for count in HANDS:
            for penalty, share in WAYS:
                taken = own[:count]
                importance = [share / len(taken)] * len(taken)
                importance += [(1 - share) / len(mixed)] * len(mixed)
                weights = fit([*taken, *mixed], penalty, shipped, importance)
                _row(convention, count, f"{penalty}, {share}", held_out, others, weights)


def _row(
    convention: str,
    count: int,
    way: str,
    held_out: Sequence[Hand],
    others: Sequence[Sequence[Hand]],
    weights: Mapping[str, float],
) -> None:
    """Print a line: hands grouped right, of the convention and of each family."""
    cells = [convention, str(count), way]
    cells += [f"{r.right} of {r.hands}" for r in (measure(h, weights) for h in (held_out, *others))]
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
