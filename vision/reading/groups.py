"""Turns blocks with faces into the groups of a reading."""

from __future__ import annotations

from hupai.scoring.hand import Hand, Source
from hupai.scoring.tiles import Tile
from hupai.vision.layout.types import Arrangement, Block, BlockKind
from hupai.vision.reading.hands import claim_source
from hupai.vision.types import Group, GroupKind

_Part = tuple[GroupKind, tuple[int, ...], Source | None]
"""Kind of a group, ids of its tiles, from whom it was claimed."""


def groups_of(
    arrangement: Arrangement, faces: dict[int, Tile], row_kongs: tuple[Tile, ...], hand: Hand | None
) -> tuple[Group, ...]:
    """Group a hand's tiles: concealed part, melds, flowers, winning tile; numbered in that order.

    Args:
        arrangement: the blocks.
        faces: face of each tile.
        row_kongs: kinds of the kongs that stand among the concealed tiles.
        hand: the legal hand they form; if None, groups are as the tiles lie.
    """
    parts: list[_Part] = []
    flowers: list[int] = []
    winning: list[_Part] = []
    for block in arrangement.blocks:
        if block.kind is BlockKind.CONCEALED:
            flowers += [i for i in block.tiles if faces[i].is_flower]
            plain = [i for i in block.tiles if not faces[i].is_flower]
            standing = tuple(i for i in plain if faces[i] not in row_kongs)
            parts.insert(0, (GroupKind.CONCEALED, standing, None))
            for tile in row_kongs:
                kong = tuple(i for i in plain if faces[i] is tile)
                parts.append((_row_kong_kind(tile, hand), kong, None))
        elif block.kind is BlockKind.FLOWERS:
            flowers += block.tiles
        elif block.kind is BlockKind.WINNING_TILE:
            winning.append((GroupKind.WINNING_TILE, block.tiles, None))
        else:
            source = claim_source(block, (faces[i] for i in block.tiles))
            parts.append((_meld_kind(block, faces), block.tiles, source))
    if winning and hand is not None and hand.winning_tile is None and parts:
        # A waiting hand has no winning tile: the tile set apart is one of its concealed ones.
        kind, ids, source = parts[0]
        parts[0] = (kind, (*ids, *(i for _, more, _ in winning for i in more)), source)
        winning = []
    found = [*parts, (GroupKind.FLOWERS, tuple(flowers), None), *winning]
    return tuple(Group(k, *part) for k, part in enumerate(part for part in found if part[1]))


def _row_kong_kind(kind: Tile, hand: Hand | None) -> GroupKind:
    melds = hand.melds if hand else ()
    kongs = (GroupKind(m.kind.value) for m in melds if m.is_kong and m.tiles[0] is kind)
    return next(kongs, GroupKind.KONG)


def _meld_kind(block: Block, faces: dict[int, Tile]) -> GroupKind:
    if block.kind is not BlockKind.SET:
        return GroupKind(block.kind.value)
    return GroupKind.PUNG if len({faces[i] for i in block.tiles}) == 1 else GroupKind.CHOW
