"""Blocks with faces as the groups of a reading."""

from __future__ import annotations

from hupai.scoring.hand import Hand, Source
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import claimed_from
from hupai.vision.layout.types import Arrangement, Block, BlockKind
from hupai.vision.types import Group, GroupKind

_KINDS = {
    BlockKind.CONCEALED: GroupKind.CONCEALED,
    BlockKind.KONG: GroupKind.KONG,
    BlockKind.ADDED_KONG: GroupKind.ADDED_KONG,
    BlockKind.CONCEALED_KONG: GroupKind.CONCEALED_KONG,
    BlockKind.FLOWERS: GroupKind.FLOWERS,
    BlockKind.WINNING_TILE: GroupKind.WINNING_TILE,
}


def groups_of(
    arrangement: Arrangement, faces: dict[int, Tile], row_kongs: tuple[Tile, ...], hand: Hand | None
) -> tuple[Group, ...]:
    """The groups of a hand: concealed part, melds, flowers, winning tile; numbered in that order.

    Args:
        arrangement: the blocks.
        faces: face of each tile.
        row_kongs: kinds of the kongs that stand among the concealed tiles.
        hand: the hand they make; None if it is no legal one, whose parts are then shown as they
            lie.
    """
    parts: list[tuple[GroupKind, tuple[int, ...], Source | None]] = []
    flowers: list[int] = []
    last: list[tuple[GroupKind, tuple[int, ...], Source | None]] = []
    for block in arrangement.blocks:
        if block.kind is BlockKind.CONCEALED:
            flowers += [i for i in block.tiles if faces[i].is_flower]
            plain = tuple(i for i in block.tiles if not faces[i].is_flower)
            kongs = [tuple(i for i in plain if faces[i] is kind) for kind in row_kongs]
            standing = tuple(i for i in plain if faces[i] not in row_kongs)
            parts.insert(0, (GroupKind.CONCEALED, standing, None))
            parts += [
                (_row_kong_kind(kind, hand), kong, None)
                for kind, kong in zip(row_kongs, kongs, strict=True)
            ]
        elif block.kind is BlockKind.FLOWERS:
            flowers += block.tiles
        elif block.kind is BlockKind.WINNING_TILE:
            last.append((GroupKind.WINNING_TILE, block.tiles, None))
        else:
            parts.append((_kind(block, faces), block.tiles, _source(block, faces)))
    if flowers:
        parts.append((GroupKind.FLOWERS, tuple(flowers), None))
    return tuple(
        Group(k, kind, tiles, source)
        for k, (kind, tiles, source) in enumerate(p for p in [*parts, *last] if p[1])
    )


def _row_kong_kind(kind: Tile, hand: Hand | None) -> GroupKind:
    melds = hand.melds if hand else ()
    return next(
        (GroupKind(m.kind.value) for m in melds if m.is_kong and m.tiles[0] is kind), GroupKind.KONG
    )


def _kind(block: Block, faces: dict[int, Tile]) -> GroupKind:
    if block.kind is not BlockKind.SET:
        return _KINDS[block.kind]
    return GroupKind.PUNG if len({faces[i] for i in block.tiles}) == 1 else GroupKind.CHOW


def _source(block: Block, faces: dict[int, Tile]) -> Source | None:
    if block.claimed is None or block.kind is BlockKind.CONCEALED_KONG:
        return None
    if block.kind is BlockKind.SET and len({faces[i] for i in block.tiles}) > 1:
        return Source.LEFT
    return claimed_from(
        block.claimed, 3 if block.kind is BlockKind.ADDED_KONG else len(block.tiles)
    )
