"""From faces to hands: which hands a choice of faces makes, whether they are legal, and whether
they are complete.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, permutations

from hupai.scoring.decomposition.shapes import (
    knitted_singles,
    seven_pairs,
    standard_splits,
    thirteen_orphans,
    tile_counts,
)
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import Convention, claimed_from
from hupai.vision.layout.types import Arrangement, Block, BlockKind

_MELD_KINDS = {
    BlockKind.KONG: MeldKind.KONG,
    BlockKind.ADDED_KONG: MeldKind.ADDED_KONG,
    BlockKind.CONCEALED_KONG: MeldKind.CONCEALED_KONG,
}


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A legal hand that a choice of faces makes.

    Attributes:
        hand: the hand, concealed tiles sorted.
        share: its share of the choice where the tiles leave open which hand they make.
        row_kongs: kinds of the kongs that stand among the concealed tiles.
    """

    hand: Hand
    share: float
    row_kongs: tuple[Tile, ...] = ()


def reckon(
    arrangement: Arrangement, faces: dict[int, Tile], habits: Convention
) -> tuple[Reckoned, ...]:
    """The legal hands of 13 or 14 tiles (kongs counted as three) that these faces make; empty if
    there are none.

    A row may hold more tiles than that: then kinds that are there four times are kongs nobody
    pushed apart.

    Args:
        arrangement: the blocks.
        faces: face of each tile by id; `Tile.BACK` for a tile of a concealed kong nobody knows.
        habits: how often four open tiles are a concealed kong.
    """
    concealed, flowers, melds, winning = _sorted_out(arrangement, faces, habits)
    if (
        Tile.BACK in concealed
        or winning is Tile.BACK
        or (winning is not None and winning.is_flower)
    ):
        return ()
    size = len(concealed) + (winning is not None) + 3 * len(melds)
    if size == 13 and winning is not None:
        concealed, winning = [*concealed, winning], None
    if size in (13, 14):
        return (Reckoned(_hand(concealed, melds, winning, flowers), 1.0),)
    return _with_row_kongs(concealed, melds, winning, flowers, size, habits)


def _sorted_out(
    arrangement: Arrangement, faces: dict[int, Tile], habits: Convention
) -> tuple[list[Tile], list[Tile], list[Meld], Tile | None]:
    concealed: list[Tile] = []
    flowers: list[Tile] = []
    melds: list[Meld] = []
    winning: Tile | None = None
    for block in arrangement.blocks:
        shown = tuple(faces[i] for i in block.tiles)
        if block.kind in (BlockKind.CONCEALED, BlockKind.FLOWERS):
            concealed += [face for face in shown if not face.is_flower]
            flowers += [face for face in shown if face.is_flower]
        elif block.kind is BlockKind.WINNING_TILE:
            winning = shown[0]
        else:
            melds.append(_meld(block, shown, habits))
    return concealed, flowers, melds, winning


def _meld(block: Block, shown: tuple[Tile, ...], habits: Convention) -> Meld:
    if block.kind is BlockKind.SET:
        if shown[0] is shown[1]:
            return Meld(MeldKind.PUNG, shown, _source(block))
        source = (
            Source.LEFT if habits.chow_from_left and block.claimed is not None else _source(block)
        )
        return Meld(MeldKind.CHOW, tuple(sorted(shown)), source)
    return Meld(
        _MELD_KINDS[block.kind],
        (shown[0],) * 4,
        None if block.kind is BlockKind.CONCEALED_KONG else _source(block),
    )


def _source(block: Block) -> Source | None:
    if block.claimed is None:
        return None
    return claimed_from(
        block.claimed, 3 if block.kind is BlockKind.ADDED_KONG else len(block.tiles)
    )


def _with_row_kongs(
    concealed: list[Tile],
    melds: list[Meld],
    winning: Tile | None,
    flowers: list[Tile],
    size: int,
    habits: Convention,
) -> tuple[Reckoned, ...]:
    """Hands of a row that is too long because kongs stand in it."""
    fours = sorted(kind for kind, n in Counter(concealed).items() if n == 4)
    found: list[Reckoned] = []
    for target in (14, 13):
        if target == 13 and winning is not None:
            continue
        missing = size - target
        if not 1 <= missing <= min(len(fours), 4 - len(melds)):
            continue
        ways = list(combinations(fours, missing))
        for kinds in ways:
            rest = [tile for tile in concealed if tile not in kinds]
            for kind, share in (
                (MeldKind.CONCEALED_KONG, habits.open_kong_concealed),
                (MeldKind.KONG, 1 - habits.open_kong_concealed),
            ):
                kongs = [Meld(kind, (tile,) * 4) for tile in kinds]
                hand = _hand(rest, [*melds, *kongs], winning, flowers)
                found.append(Reckoned(hand, share / len(ways), kinds))
        if found:
            break
    return tuple(found)


def _hand(
    concealed: list[Tile], melds: list[Meld], winning: Tile | None, flowers: list[Tile]
) -> Hand:
    return Hand(tuple(sorted(concealed)), tuple(melds), winning, tuple(sorted(flowers)))


_KNITTED = tuple(
    tuple(Tile(9 * suit + start + step) for suit, start in enumerate(starts) for step in (0, 3, 6))
    for starts in permutations(range(3))
)


def is_complete(hand: Hand) -> bool:
    """The hand has a winning shape under some rules: sets and a pair, seven pairs, thirteen
    orphans, knitted tiles.
    """
    if hand.size != 14 or any(Tile.BACK in meld.tiles for meld in hand.melds):
        return False
    own = hand.concealed if hand.winning_tile is None else (*hand.concealed, hand.winning_tile)
    counts = tile_counts(own)
    if standard_splits(counts):
        return True
    if len(own) >= 11 and _knitted_straight(counts):
        return True
    return bool(
        not hand.melds
        and (seven_pairs(counts) or thirteen_orphans(counts) or knitted_singles(counts))
    )


def _knitted_straight(counts: tuple[int, ...]) -> bool:
    for nine in _KNITTED:
        if all(counts[tile] for tile in nine):
            rest = list(counts)
            for tile in nine:
                rest[tile] -= 1
            if standard_splits(tuple(rest)):
                return True
    return False
