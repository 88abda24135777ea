"""One variant as a decomposition, for the evaluator of single hands."""

from __future__ import annotations

import numpy as np

from hupai.scoring.batch.hand_arrays import CHOW, KINDS, KONG, HandArrays
from hupai.scoring.batch.splits import honour_table, suit_table
from hupai.scoring.batch.variants import Variants
from hupai.scoring.decomposition.packed import KNITTED_ROWS
from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape, Win
from hupai.scoring.mcr.decompositions.parts import (
    CHOWS,
    KNITTED_RUNS,
    PAIRS,
    PUNGS,
    Part,
    kinds_of,
)


def decomposition_of(variants: Variants, place: int, hands: HandArrays) -> Decomposition:
    """Build a variant with its tiles and parts.

    How it was won and how its pungs were made is left out: the aspects that depend on it have keys
    that say all (`hupai.scoring.batch.aspect_tables`).
    """
    index = int(variants.hand[place])
    chows, pungs, pairs = _concealed_parts(variants, place)
    kongs = set()
    for code in hands.melds[index].tolist():
        make, tile = divmod(code - 1, KINDS)
        if code and make == CHOW:
            chows.append(CHOWS[tile])
        elif code:
            pungs.append(PUNGS[tile])
            kongs |= {tile} if make >= KONG else set()
    counts = hands[np.array([index])].all_tiles()[0].tolist()
    kinds = kinds_of(kind for kind, number in enumerate(counts) if number)
    fours = kinds_of(
        kind for kind, number in enumerate(counts) if number == 4 and kind not in kongs
    )
    runs: tuple[Part, ...] = ()
    if variants.shape is Shape.KNITTED_STRAIGHT:
        rows = KNITTED_ROWS[int(variants.knitted[place])]
        runs = tuple(KNITTED_RUNS[3 * suit + row] for suit, row in enumerate(rows))
    elif variants.shape is not Shape.STANDARD:
        pairs = [PAIRS[kind] for kind, n in enumerate(counts) for _ in range(n // 2)]
    return Decomposition(
        variants.shape,
        Win(0, kinds=kinds, fours=fours),
        runs,
        tuple(sorted(chows, key=_tile)),
        tuple(sorted(pungs, key=_tile)),
        tuple(pairs),
        0,
    )


def _concealed_parts(variants: Variants, place: int) -> tuple[list[Part], list[Part], list[Part]]:
    """Return the chows, pungs and pair of the tiles that are not melded."""
    chows: list[Part] = []
    pungs: list[Part] = []
    pairs: list[Part] = []
    rows = variants.splits[:, place].tolist() if variants.splits.size else []
    for group, row in enumerate(rows):
        table = suit_table() if group < 3 else honour_table()
        for element in table.sets[row].tolist():
            if element >= 0:
                kind = 9 * group + element // 2
                (chows if element % 2 else pungs).append((CHOWS if element % 2 else PUNGS)[kind])
        if table.pair[row] >= 0:
            pairs.append(PAIRS[9 * group + int(table.pair[row])])
    return chows, pungs, pairs


def _tile(part: Part) -> int:
    return part.tile
