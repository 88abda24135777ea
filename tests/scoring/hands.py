"""Random hands for property tests, and an enumeration of splits that shares nothing with the
engine's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from hupai.scoring.hand import Hand, Meld, MeldKind
from hupai.scoring.tiles import Tile

SUITED = tuple(Tile(i) for i in range(27))
ALL_KINDS = tuple(Tile(i) for i in range(34))


def _sets(kinds: Sequence[Tile], chows: bool) -> list[tuple[Tile, ...]]:
    pungs: list[tuple[Tile, ...]] = [(tile,) * 3 for tile in kinds]
    runs = [
        (t, Tile(t + 1), Tile(t + 2))
        for t in kinds
        if t.is_suited and t.rank <= 7 and Tile(t + 2) in kinds
    ]
    return pungs + (runs if chows else [])


@st.composite
def won_hands(
    draw: st.DrawFn, kinds: Sequence[Tile] = ALL_KINDS, open_chows: bool = True, chows: bool = True
) -> Hand:
    """A complete hand of four sets and a pair from these kinds of tile, some of its sets laid down,
    some pungs made kongs.
    """
    left = Counter(dict.fromkeys(kinds, 4))
    sets: list[tuple[Tile, ...]] = []
    for _ in range(4):
        possible = [s for s in _sets(kinds, chows) if not Counter(s) - left]
        chosen = draw(st.sampled_from(possible))
        sets.append(chosen)
        left -= Counter(chosen)
    pair = draw(st.sampled_from([tile for tile in kinds if left[tile] >= 2]))
    left -= Counter((pair, pair))
    concealed: list[Tile] = [pair, pair]
    melds: list[Meld] = []
    for tiles in sets:
        pung = tiles[0] == tiles[1]
        if (pung or open_chows) and draw(st.booleans()):
            if pung and left[tiles[0]] and draw(st.booleans()):
                left[tiles[0]] -= 1
                kind = draw(
                    st.sampled_from([MeldKind.KONG, MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG])
                )
                melds.append(Meld(kind, (*tiles, tiles[0])))
            else:
                melds.append(Meld(MeldKind.PUNG if pung else MeldKind.CHOW, tiles))
        else:
            concealed += tiles
    order = draw(st.permutations(concealed))
    return Hand(tuple(order[:-1]), tuple(melds), order[-1])


@st.composite
def seven_pair_hands(draw: st.DrawFn, kinds: Sequence[Tile] = ALL_KINDS) -> Hand:
    """Seven pairs of these kinds, the same kind twice at most."""
    left = Counter(dict.fromkeys(kinds, 2))
    tiles: list[Tile] = []
    for _ in range(7):
        tile = draw(st.sampled_from([t for t in kinds if left[t]]))
        left[tile] -= 1
        tiles += (tile, tile)
    order = draw(st.permutations(tiles))
    return Hand(tuple(order[:-1]), (), order[-1])


def map_tiles(hand: Hand, table: Sequence[Tile]) -> Hand:
    """The hand with each tile replaced by the table's."""
    melds = tuple(
        replace(meld, tiles=tuple(sorted(table[t] for t in meld.tiles))) for meld in hand.melds
    )
    winning = None if hand.winning_tile is None else table[hand.winning_tile]
    return Hand(tuple(table[t] for t in hand.concealed), melds, winning)


def suit_table(order: Sequence[int]) -> tuple[Tile, ...]:
    """The exchange of suits that puts suit `order[i]` where suit i was; honours stay."""
    suits = [Tile(9 * order[i // 9] + i % 9) for i in range(27)]
    return (*suits, *(Tile(i) for i in range(27, 43)))


def brute_force_sets(tiles: Sequence[Tile]) -> Iterator[tuple[tuple[Tile, ...], ...]]:
    """Every split of 3n + 2 tiles into a pair (first) and sets, by trying every pair and every set
    for the lowest tile left.
    """
    count = Counter(tiles)
    for pair in sorted(t for t in count if count[t] >= 2):
        rest = count - Counter((pair, pair))
        for sets in _brute_sets(rest):
            yield ((pair, pair), *sets)


def _brute_sets(left: Counter[Tile]) -> Iterator[tuple[tuple[Tile, ...], ...]]:
    if not left:
        yield ()
        return
    lowest = min(left)
    options = [(lowest,) * 3]
    if lowest.is_suited and lowest.rank <= 7:
        options.append((lowest, Tile(lowest + 1), Tile(lowest + 2)))
    for tiles in options:
        needed = Counter(tiles)
        if not needed - left:
            for tail in _brute_sets(left - needed):
                yield (tiles, *tail)
