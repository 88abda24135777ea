"""Finds the legal hands that a choice of faces forms, and whether they are complete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from hupai.scoring.decomposition.shapes import tile_counts
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import Convention, claimed_from
from hupai.vision.layout.completeness import is_winning_shape
from hupai.vision.layout.types import Arrangement, Block, BlockKind

MeldKey = tuple[tuple[str, tuple[Tile, ...], str], ...]
"""Kind, tiles and source of each meld, sorted."""


@dataclass(frozen=True, slots=True)
class LegalHand:
    """A legal hand that a choice of faces makes.

    Attributes:
        hand: the hand, concealed tiles sorted.
        share: its share of the choice's probability, if several hands are possible.
        row_kongs: kinds of the kongs that stand among the concealed tiles.
    """

    hand: Hand
    share: float
    row_kongs: tuple[Tile, ...] = ()


def legal_hands(
    arrangement: Arrangement, faces: dict[int, Tile], habits: Convention
) -> tuple[LegalHand, ...]:
    """Find the hands of the right size, kongs counted as three, that these faces form.

    If a row has too many tiles, four adjacent tiles of a kind in it are a kong.

    Args:
        arrangement: the blocks.
        faces: face of each tile by id; `Tile.BACK` in a concealed kong of unknown face.
        habits: the size of a hand, and how often four open tiles are a concealed kong.
    """
    concealed: list[Tile] = []
    flowers: list[Tile] = []
    melds: list[Meld] = []
    winning: Tile | None = None
    for block in arrangement.blocks:
        block_faces = tuple(faces[i] for i in block.tiles)
        if block.kind in (BlockKind.CONCEALED, BlockKind.FLOWERS):
            concealed += [face for face in block_faces if not face.is_flower]
            flowers += [face for face in block_faces if face.is_flower]
        elif block.kind is BlockKind.WINNING_TILE:
            winning = block_faces[0]
        else:
            melds.append(_meld(block, block_faces))
    if Tile.BACK in concealed or (winning is not None and not winning.is_playable):
        return ()
    hand = Hand(tuple(sorted(concealed)), tuple(melds), winning, tuple(sorted(flowers)))
    if hand.size == habits.hand_size and winning is not None:
        hand = replace(hand, concealed=tuple(sorted([*concealed, winning])), winning_tile=None)
    if hand.size in habits.sizes:
        return (LegalHand(hand, 1.0),)
    return _with_row_kongs(hand, _side_by_side(concealed), habits)


def _meld(block: Block, faces: tuple[Tile, ...]) -> Meld:
    if block.kind is not BlockKind.SET:
        return Meld(MeldKind(block.kind.value), (faces[0],) * 4, claim_source(block, faces))
    kind = MeldKind.PUNG if faces[0] is faces[1] else MeldKind.CHOW
    return Meld(kind, tuple(sorted(faces)), claim_source(block, faces))


def claim_source(block: Block, shown: Iterable[Tile]) -> Source | None:
    """Return the source of a meld by its sideways tile; a chow is always from the left."""
    if block.claimed is None or block.kind is BlockKind.CONCEALED_KONG:
        return None
    if block.kind is BlockKind.SET and len(set(shown)) > 1:
        return Source.LEFT
    size = 3 if block.kind is BlockKind.ADDED_KONG else len(block.tiles)
    return claimed_from(block.claimed, size)


def _side_by_side(row: Sequence[Tile]) -> list[Tile]:
    """List the kinds that have four adjacent tiles in a row."""
    return sorted({row[i] for i in range(len(row) - 3) if len(set(row[i : i + 4])) == 1})


def _with_row_kongs(hand: Hand, fours: Sequence[Tile], habits: Convention) -> tuple[LegalHand, ...]:
    """Find the hands whose row of concealed tiles is too long because kongs stand in it."""
    waiting, won = habits.sizes
    for size in (won, waiting) if hand.winning_tile is None else (won,):
        extra = hand.size - size
        if 1 <= extra <= min(len(fours), habits.sets - len(hand.melds)):
            choices = list(combinations(fours, extra))
            return tuple(
                LegalHand(_with_kongs(hand, kinds, kind), share / len(choices), kinds)
                for kinds in choices
                for kind, share in (
                    (MeldKind.CONCEALED_KONG, habits.open_kong_concealed),
                    (MeldKind.KONG, 1 - habits.open_kong_concealed),
                )
            )
    return ()


def _with_kongs(hand: Hand, kinds: tuple[Tile, ...], kind: MeldKind) -> Hand:
    """Lay down the concealed tiles of some kinds as kongs."""
    concealed = tuple(tile for tile in hand.concealed if tile not in kinds)
    kongs = (Meld(kind, (tile,) * 4) for tile in kinds)
    return replace(hand, concealed=concealed, melds=(*hand.melds, *kongs))


def is_complete(hand: Hand, habits: Convention, *, hidden: bool = False) -> bool:
    """Return whether a hand has a winning shape under some rules.

    Args:
        hand: the hand.
        habits: the size of a hand.
        hidden: accept a kong of unknown face.
    """
    unknown = any(Tile.BACK in meld.tiles for meld in hand.melds)
    if hand.size != habits.hand_size + 1 or (unknown and not hidden):
        return False
    own = hand.concealed if hand.winning_tile is None else (*hand.concealed, hand.winning_tile)
    return is_winning_shape(tile_counts(own))


def meld_key(melds: Iterable[Meld]) -> MeldKey:
    """Return a key for melds that ignores their order."""
    return tuple(
        sorted(
            (m.kind.value, m.tiles, m.claimed_from.value if m.claimed_from else "") for m in melds
        )
    )


def hand_key(hand: Hand) -> tuple[object, ...]:
    """Return a key for a hand that ignores the order of its melds."""
    return (hand.concealed, meld_key(hand.melds), hand.winning_tile, hand.flowers)
