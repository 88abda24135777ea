"""The decompositions of a hand: every split, and every part the winning tile may complete."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from hupai.scoring.decomposition.packed import (
    FOURS,
    KNITTED_ROWS,
    NINE_SIDED,
    TILE_KEYS,
    Split,
    completing,
    is_knitted_singles,
    is_seven_pairs,
    is_thirteen_orphans,
    kinds_in,
    knitted_straights,
    pack,
    standard_splits,
    tiles_in,
)
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.mcr.decompositions.decomposition import Decomposition, Shape, Win
from hupai.scoring.mcr.decompositions.parts import (
    CHOWS,
    CLAIMED_CHOWS,
    CLAIMED_PUNGS,
    CONCEALED_KONGS,
    KNITTED_RUNS,
    KONGS,
    PAIRS,
    PUNGS,
    PUNGS_WON,
    Part,
    singles,
)
from hupai.scoring.tiles import Tile

_FAMILIES: dict[MeldKind, tuple[Part, ...]] = {
    MeldKind.CHOW: CLAIMED_CHOWS,
    MeldKind.PUNG: CLAIMED_PUNGS,
    MeldKind.KONG: KONGS,
    MeldKind.ADDED_KONG: KONGS,
    MeldKind.CONCEALED_KONG: CONCEALED_KONGS,
}


@dataclass(slots=True, eq=False)
class WonHand:
    """A well-formed hand of 14 tiles, packed.

    Attributes:
        before: packed counts of the concealed tiles without the winning one.
        counts: the same with it.
        chows, pungs: the melds as parts.
        win: how it was won, but for `Win.single_wait`, which `decompositions` finds where it
            matters.
    """

    before: int
    counts: int
    chows: tuple[Part, ...]
    pungs: tuple[Part, ...]
    win: Win


def won_hand(hand: Hand, circumstances: Circumstances) -> WonHand:
    """Pack a hand that has no error in tiles, count and melds, and whose winning tile is known.

    A flag that the hand contradicts is ignored: a replacement tile without a kong, a robbed
    kong or a last tile of its kind of which the hand holds another.
    """
    assert hand.winning_tile is not None
    won = hand.winning_tile
    before = pack(hand.concealed)
    counts = before + TILE_KEYS[won]
    chows: tuple[Part, ...] = ()
    pungs: tuple[Part, ...] = ()
    claimed = 0
    everything = counts
    for meld in hand.melds:
        part = meld_part(meld)
        claimed += not part.concealed
        tile = part.tile
        if meld.kind is MeldKind.CHOW:
            chows += (part,)
            everything += TILE_KEYS[tile] * 0o111
        else:
            pungs += (part,)
            everything += TILE_KEYS[tile] * 3
    win = Win(
        int(won),
        circumstances.self_drawn,
        circumstances.last_tile,
        circumstances.kong_replacement and any(part.is_kong for part in pungs),
        circumstances.robbing_kong and hand.all_tiles.count(won) == 1,
        _is_last_of_kind(hand, won, circumstances.last_of_kind),
        False,
        claimed == 0,
        claimed == 4,
        before in NINE_SIDED,
        -1 if circumstances.seat_wind is None else int(circumstances.seat_wind),
        -1 if circumstances.round_wind is None else int(circumstances.round_wind),
        kinds_in(everything),
        (everything & FOURS) >> 2,
    )
    return WonHand(before, counts, chows, pungs, win)


def meld_part(meld: Meld) -> Part:
    """Return the part that a meld is."""
    return _FAMILIES[meld.kind][min(meld.tiles)]


def _is_last_of_kind(hand: Hand, won: Tile, stated: bool) -> bool:
    """Return True for 和绝张 (1998 row 58).

    It is stated and not contradicted by the hand, or the other three lie in the winner's own
    claimed sets.
    """
    if won in hand.concealed:
        return False
    if stated:
        return True
    shown = 0
    for meld in hand.melds:
        if won in meld.tiles and meld.kind is not MeldKind.CONCEALED_KONG:
            shown += meld.tiles.count(won)
    return shown == 3


def decompositions(won: WonHand) -> list[Decomposition]:
    """List every decomposition of the hand; none if it makes no winning shape."""
    standard = standard_splits(won.counts)
    melds = len(won.chows) + len(won.pungs)
    if not standard or _may_wait_alone(won.win.tile, standard) or is_seven_pairs(won.counts):
        waits = completing(won.before, melds)
        if not waits & (waits - 1):
            won.win.single_wait = True
    found: list[Decomposition] = []
    for split in standard:
        found += _placements(won, Shape.STANDARD, (), split)
    if not standard and melds <= 1:
        for index, split in knitted_straights(won.counts):
            runs = tuple(
                KNITTED_RUNS[3 * suit + row] for suit, row in enumerate(KNITTED_ROWS[index])
            )
            found += _placements(won, Shape.KNITTED_STRAIGHT, runs, split)
    if not melds and (not standard or is_seven_pairs(won.counts)):
        found += _irregular(won)
    return found


_MIDDLES_AND_EDGES = tuple(
    frozenset(
        chow
        for chow, rank in ((tile - 1, range(1, 8)), (tile - 2, (2,)), (tile, (6,)))
        if tile < 27 and tile % 9 in rank
    )
    for tile in range(34)
)
"""For each tile the chows, by their first tile, of which it is the middle or the end towards the
inside.
"""


def _may_wait_alone(tile: int, splits: list[Split]) -> bool:
    """Return True if some split has the winning tile where a wait may earn a fan.

    That is in the pair, in the middle of a chow or at its edge.
    """
    inner = _MIDDLES_AND_EDGES[tile]
    return any(pair == tile or not inner.isdisjoint(chows) for chows, _, pair in splits)


def _placements(
    won: WonHand, shape: Shape, runs: tuple[Part, ...], split: Split
) -> list[Decomposition]:
    """List a decomposition for each part that the winning tile may have completed.

    Parts that make no difference are ignored.
    """
    win = won.win
    tile = win.tile
    starts, triples, pair = split
    chows = tuple([CHOWS[i] for i in starts])
    pungs = tuple([PUNGS[i] for i in triples])
    pairs = (PAIRS[pair],)
    if won.chows:
        chows = tuple(sorted(chows + won.chows, key=_order))
    if won.pungs:
        pungs = tuple(sorted(pungs + won.pungs, key=_order))
    wait_matters = win.single_wait
    completes_pung = tile in triples
    before = len(runs)
    found: list[Decomposition] = []
    if tile < 27:
        for i in dict.fromkeys(starts):
            if 0 <= tile - i <= 2 and i // 9 == tile // 9:
                found.append(
                    Decomposition(
                        shape, win, runs, chows, pungs, pairs, before + chows.index(CHOWS[i])
                    )
                )
                if not wait_matters and not completes_pung:
                    return found
    if pair == tile and (wait_matters or not found):
        found.append(
            Decomposition(shape, win, runs, chows, pungs, pairs, before + len(chows) + len(pungs))
        )
    if completes_pung:
        place = pungs.index(PUNGS[tile])
        if not win.self_drawn:
            pungs = (*pungs[:place], PUNGS_WON[tile], *pungs[place + 1 :])
        found.append(
            Decomposition(shape, win, runs, chows, pungs, pairs, before + len(chows) + place)
        )
    if runs and not found:
        found.append(
            Decomposition(
                shape,
                win,
                runs,
                chows,
                pungs,
                pairs,
                next(i for i, run in enumerate(runs) if tile in run.tiles),
            )
        )
    return found


_order = attrgetter("order")


def _irregular(won: WonHand) -> Iterator[Decomposition]:
    counts, win = won.counts, won.win
    if is_seven_pairs(counts):
        pairs = tuple(
            PAIRS[tile]
            for tile in tiles_in(won.win.kinds)
            for _ in range((counts >> 3 * tile & 7) // 2)
        )
        yield Decomposition(Shape.SEVEN_PAIRS, win, (), (), (), pairs, pairs.index(PAIRS[win.tile]))
    elif is_thirteen_orphans(counts):
        twice = next(tile for tile in tiles_in(won.win.kinds) if counts >> 3 * tile & 7 == 2)
        rest = singles(tuple(tile for tile in tiles_in(won.win.kinds) if tile != twice))
        yield Decomposition(
            Shape.THIRTEEN_ORPHANS, win, (rest,), (), (), (PAIRS[twice],), int(win.tile == twice)
        )
    elif is_knitted_singles(counts):
        yield Decomposition(
            Shape.KNITTED_SINGLES, win, (singles(tuple(tiles_in(won.win.kinds))),), (), (), (), 0
        )
