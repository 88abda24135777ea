"""Keys of a hand's tiles and of its win, for many hands at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.batch.aspect_tables import WIN_FLAGS
from hupai.scoring.batch.cases import Bool, Cases, Int64
from hupai.scoring.batch.hand_arrays import CONCEALED_KONG, KINDS, KONG, NO_WIND, HandArrays
from hupai.scoring.batch.splits import POWERS
from hupai.scoring.decomposition.packed import TILE_KEYS
from hupai.scoring.mcr.fans.cache_keys import SPANS
from hupai.scoring.mcr.fans.tiles import GREEN, REVERSIBLE
from hupai.scoring.tiles import Tile


@dataclass(slots=True, eq=False)
class HandKeys:
    """What the fan of the whole hand depend on.

    Attributes:
        kinds: (hands, 4) mask of the kinds of each group.
        tiles: key of the kinds for hands with sets; the shape is yet to be added.
        pairs, singles: what seven pairs and single knitted tiles have besides, to be added too.
        fours: number of kinds of which the hand has all four without a kong.
        win: key of how it was won; the wait is yet to be added.
        seat, round: bit of the wind among the winds, 0 if it is not known.
    """

    kinds: Int64
    tiles: Int64
    pairs: Int64
    singles: Int64
    fours: Int64
    win: Int64
    seat: NDArray[np.uint32]
    round: NDArray[np.uint32]


SHAPE = 13
"""First bit of the shape in the key of the tiles, after what the kinds have in common."""
TILES_KEYS = 1 << SHAPE + 5


def hand_keys(hands: HandArrays, cases: Cases) -> HandKeys:
    """Compute the keys of the hands."""
    counts = hands.all_tiles()
    kinds = ((counts > 0).astype(np.float32) @ _BITS).astype(np.int64)
    characters, dots, bamboo, honours = kinds.T
    ranks = characters | dots | bamboo
    tiles = (
        _SPANS[ranks]
        | (characters == 0) + (dots == 0) * 1 + (bamboo == 0) << 7
        | (honours & _WINDS == 0) << 9
        | (honours & ~_WINDS == 0) << 10
        | (kinds & ~_GREEN == 0).all(axis=1) << 11
        | (kinds & ~_REVERSIBLE == 0).all(axis=1) << 12
    )
    suited = np.bitwise_count(kinds[:, :3]).sum(axis=1)
    kongs = np.count_nonzero(hands.melds > KINDS * KONG, axis=1)
    return HandKeys(
        kinds,
        tiles,
        np.isin(ranks, _SEVEN_IN_A_ROW) * (1 << SHAPE + 3),
        (honours == 0o177) * (1 << SHAPE + 3) | (suited == 9) * (1 << SHAPE + 4),
        np.count_nonzero(counts == 4, axis=1) - kongs,
        _win_key(hands, cases, counts, kongs),
        _wind_bit(hands.seat_wind),
        _wind_bit(hands.round_wind),
    )


def _win_key(hands: HandArrays, cases: Cases, counts: NDArray[np.uint8], kongs: Int64) -> Int64:
    """Compute the flags of `WIN_FLAGS`; one that the hand contradicts is ignored."""
    rows = np.arange(len(hands))
    copies = counts[rows, cases.kind]
    alone = hands.concealed[rows, cases.kind] == 0
    claimed = np.count_nonzero((hands.melds > 0) & (hands.melds <= KINDS * CONCEALED_KONG), axis=1)
    before = cases.cases[rows, cases.group] - POWERS[cases.rank]
    flags: dict[str, Bool] = {
        "self_drawn": hands.self_drawn,
        "last_tile": hands.last_tile,
        "kong_replacement": hands.kong_replacement & (kongs > 0),
        "robbing_kong": hands.robbing_kong & (copies == 1),
        "last_of_kind": alone & (hands.last_of_kind | (copies == 4)),
        "all_concealed": claimed == 0,
        "all_claimed": claimed == 4,
        "nine_sided": before == _NINE_SIDED,
    }
    key = np.zeros(len(hands), np.int64)
    for place, name in enumerate(WIN_FLAGS):
        key |= flags[name].astype(np.int64) << place
    return key


def _wind_bit(wind: NDArray[np.int8]) -> NDArray[np.uint32]:
    known = np.where(wind == NO_WIND, Tile.EAST, wind).astype(np.uint32) - Tile.EAST
    return np.where(wind == NO_WIND, 0, np.uint32(1) << known).astype(np.uint32)


def _by_group(mask: int) -> Int64:
    """Return a spaced mask of kinds as a mask for each group."""
    return np.array(
        [
            sum(1 << kind - first for kind in range(first, last) if mask & TILE_KEYS[kind])
            for first, last in ((0, 9), (9, 18), (18, 27), (27, KINDS))
        ]
    )


_BITS = np.zeros((KINDS, 4), np.float32)
for _kind in range(KINDS):
    _BITS[_kind, _kind // 9] = 1 << _kind % 9

_SPANS = np.array(
    [SPANS[sum(TILE_KEYS[rank] for rank in range(9) if ranks >> rank & 1)] for ranks in range(512)]
)
_WINDS = 0o17
_GREEN = _by_group(GREEN)
_REVERSIBLE = _by_group(REVERSIBLE)
_SEVEN_IN_A_ROW = (0o177, 0o376, 0o774)
_NINE_SIDED = int(POWERS.sum() + 2 * (POWERS[0] + POWERS[8]))
"""The case of 1112345678999."""
