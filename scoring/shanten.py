"""How far a hand is from winning: the least number of tiles that must be exchanged, exactly.

That number is the shanten number (向听数) plus one: 0 for a won hand, 1 for one that is ready.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations, product

from hupai.scoring.decomposition.shapes import HONOURS, ORPHANS, Counts, Shape, tile_counts
from hupai.scoring.hand import Hand

_COPIES = 4
"""Tiles of a kind in the set."""

_SETS = 4
"""Sets of a standard hand."""

_IMPOSSIBLE = 99
"""More tiles than any hand can lack: the shape is out of reach."""

_GROUPS = {"m": slice(0, 9), "p": slice(9, 18), "s": slice(18, 27), "z": slice(27, 34)}
"""Where each suit, and the honours, lie in the counts."""

_USES = tuple(
    (chows, pungs, pair, chows + 3 * pungs + 2 * pair)
    for chows, pungs, pair in product(range(_SETS + 1), (0, 1), (0, 1))
    if chows + 3 * pungs + 2 * pair <= _COPIES
)
"""What the tiles of one kind can be: chows beginning with it, pungs, pairs, and the tiles used."""


def tiles_missing(
    hand: Hand,
    shapes: frozenset[Shape],
    suits: frozenset[str] = frozenset("mps"),
    knitted: bool = False,
) -> int:
    """Count the tiles that must come in to complete the nearest of these shapes.

    Args:
        hand: its melds stay as they are; what else it holds may be exchanged.
        shapes: which shapes win.
        suits: the suits that may stay, as letters; tiles of others count as not there, and a meld
            of another puts every shape out of reach.
        knitted: nine knitted tiles may stand for three sets.
    """
    if any(meld.tiles[0].is_suited and meld.tiles[0].code[1] not in suits for meld in hand.melds):
        return _IMPOSSIBLE
    own = hand.concealed if hand.winning_tile is None else (*hand.concealed, hand.winning_tile)
    counts = tile_counts(tile for tile in own if not tile.is_suited or tile.code[1] in suits)
    melded = tile_counts(tile for meld in hand.melds for tile in meld.tiles)
    sets = _SETS - len(hand.melds)
    found = [_IMPOSSIBLE]
    if Shape.STANDARD in shapes and sets >= 0:
        found.append(_standard(counts, melded, sets, suits))
    if knitted and sets >= 3:
        found += [
            _knitted_straight(counts, melded, sets, suits, rows) for rows in permutations(range(3))
        ]
    if not hand.melds:
        found += _irregular(counts, shapes)
    return min(found)


def _standard(counts: Counts, melded: Counts, sets: int, suits: frozenset[str]) -> int:
    """Count the tiles missing to so many sets and a pair, in any suits that may stay."""
    best = {(0, 0): 0}
    for letter, group in _GROUPS.items():
        if letter != "z" and letter not in suits:
            continue
        joined: dict[tuple[int, int], int] = {}
        for (more, pair), missing in _missing_in_group(counts[group], melded[group]).items():
            for (had, paired), missed in best.items():
                key = (had + more, paired + pair)
                if key[0] <= sets and key[1] <= 1:
                    joined[key] = min(joined.get(key, _IMPOSSIBLE), missed + missing)
        best = joined
    return best.get((sets, 1), _IMPOSSIBLE)


@lru_cache(maxsize=4096)
def _missing_in_group(counts: Counts, melded: Counts) -> dict[tuple[int, int], int]:
    """Find for each number of sets and of pairs (0 or 1) how many tiles of one group are missing.

    A dynamic programme from the lowest kind to the highest. Its state is the number of sets and
    pairs so far, and of the chows that began one kind and two kinds before.
    """
    states = {(0, 0, 0, 0): 0}
    for place, (held, gone) in enumerate(zip(counts, melded, strict=True)):
        chows_fit = len(counts) == 9 and place < 7
        following: dict[tuple[int, int, int, int], int] = {}
        for (sets, pairs, before, earlier), missing in states.items():
            begun = before + earlier
            for chows, pungs, pair, tiles in _USES:
                key = (sets + chows + pungs, pairs + pair, chows, before)
                if begun + tiles > _COPIES - gone or key[0] > _SETS or key[1] > 1:
                    continue
                if chows and not chows_fit:
                    continue
                total = missing + max(0, begun + tiles - held)
                following[key] = min(total, following.get(key, _IMPOSSIBLE))
        states = following
    found: dict[tuple[int, int], int] = {}
    for (sets, pairs, _, _), missing in states.items():
        found[sets, pairs] = min(missing, found.get((sets, pairs), _IMPOSSIBLE))
    return found


def _knitted_straight(
    counts: Counts, melded: Counts, sets: int, suits: frozenset[str], rows: tuple[int, ...]
) -> int:
    """Count the missing tiles of one knitted straight and of the sets and the pair beside it."""
    left = list(counts)
    missing = 0
    for tile in _knitted_tiles(rows):
        if left[tile]:
            left[tile] -= 1
        else:
            missing += 1
    return missing + _standard(tuple(left), melded, sets - 3, suits)


def _knitted_tiles(rows: tuple[int, ...]) -> list[int]:
    """List the nine tiles of a knitted straight: rows[0] is the row of characters (0 for 147)."""
    return [9 * suit + row + step for suit, row in enumerate(rows) for step in (0, 3, 6)]


def _irregular(counts: Counts, shapes: frozenset[Shape]) -> list[int]:
    """Count the missing tiles of the shapes without sets, for a hand without melds."""
    found = []
    if Shape.SEVEN_PAIRS in shapes:
        pairs, singles = sum(n // 2 for n in counts), sum(n % 2 for n in counts)
        need = max(0, 7 - pairs)
        found.append(need + max(0, need - singles))
    if Shape.THIRTEEN_ORPHANS in shapes:
        held = [counts[tile] for tile in ORPHANS]
        found.append(13 - sum(n > 0 for n in held) + (max(held) < 2))
    if Shape.KNITTED_SINGLES in shapes:
        honours = sum(counts[tile] > 0 for tile in HONOURS)
        for rows in permutations(range(3)):
            held_knitted = sum(counts[tile] > 0 for tile in _knitted_tiles(rows))
            found.append(max(0, 14 - honours - held_knitted))
    return found
