"""Compares ways of learning from corrected photos, and orders of correcting them, on embeddings.

    python -m benchmarks.learning.draws --work DIR [--table 0] [--draws 50]

DIR is that of `benchmarks.learning.rendered`, whose tables are used. The embeddings of all labelled
tiles are computed once, so that a fit takes a second of CPU. Crops are cut at the labelled boxes
and named in one run; hands count as exact if all their tiles are named right. The orders are those
of `benchmarks.learning.embedded.orders`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from benchmarks.learning.embedded import COPIES, Learner, Photo, orders, tile_set
from benchmarks.learning.measure import PHOTOS
from benchmarks.learning.rendered import MEASURED, old_crops, rendered_table
from hupai.models import registry
from hupai.models.learning.last_layer import Settings


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--table", type=int, default=0)
    parser.add_argument("--draws", type=int, default=50)
    a = parser.parse_args()
    cv2.setNumThreads(1)
    photos = rendered_table(a.work / f"black-{a.table}", a.table)
    entry = registry.find(registry.DEFAULT)
    learner = Learner(entry.path("classifier"), entry.settings, old_crops(a.work))
    measured = [learner.photo(one, 0, 0) for one in photos[:MEASURED]]
    pool = [learner.photo(one, i, COPIES) for i, one in enumerate(photos[MEASURED:])]
    _ways(learner, measured, pool)
    _orders(learner, measured, pool, a.draws)


def _ways(learner: Learner, measured: Sequence[Photo], pool: Sequence[Photo]) -> None:
    total = sum(len(photo.classes) for photo in measured)
    print(
        f"| photos | way | faces right of {total} | hands of {len(measured)} |\n|---|---|---|---|"
    )
    print("| 0 | shipped | {} | {} |".format(*learner.right(measured, learner.shipped)))
    for count in PHOTOS:
        taken = pool[:count]
        learnt, layer = tile_set(learner, taken), learner.taught(taken, Settings())
        for way, one, discriminant in (
            ("discriminant of the set", learner.shipped, learnt),
            ("last layer", layer, None),
            ("both", layer, learnt),
        ):
            faces, hands = learner.right(measured, one, discriminant)
            print(f"| {count} | {way} | {faces} | {hands} |", flush=True)


def _orders(learner: Learner, measured: Sequence[Photo], pool: Sequence[Photo], draws: int) -> None:
    print("| photos | order | labels | faces right |\n|---|---|---|---|")
    chosen = {name: [order] for name, order in orders(learner, pool, PHOTOS[2]).items()}
    rng = np.random.default_rng(7)
    chosen["random"] = [list(rng.permutation(len(pool))) for _ in range(draws)]
    short = [replace(photo, altered=photo.altered[:3]) for photo in pool]
    for count in PHOTOS[:3]:
        for name, several in chosen.items():
            rows = []
            for order in several:
                taken = [short[i] for i in order[:count]]
                layer = learner.taught(taken, Settings(rounds=40))
                labels = sum(len(photo.classes) for photo in taken)
                rows.append((labels, learner.right(measured, layer)[0]))
            labels, faces = np.mean(rows, 0)
            cell = f"{faces:.1f}".removesuffix(".0")
            if len(rows) > 1:
                low, high = np.quantile([right for _, right in rows], [0.05, 0.95])
                cell += f" ({low:.0f} to {high:.0f})"
            print(f"| {count} | {name} | {labels:.0f} | {cell} |", flush=True)


if __name__ == "__main__":
    main()
