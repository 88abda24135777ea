"""A reading with the faces and groups of a corrected hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hupai.api.contract.reading import TileIds
from hupai.scoring.hand import Hand, Source
from hupai.scoring.tiles import Tile
from hupai.vision.types import Group, GroupKind, Reading, ReadTile


def corrected_reading(reading: Reading, hand: Hand, ids: TileIds) -> Reading:
    """The reading with the faces and groups of a corrected hand, where `ids` say which tile is
    which.

    Tiles that no id names keep their face and leave the hand. A corrected tile is as sure as can
    be; one whose face was right keeps its confidence.
    """
    melds = zip(hand.melds, ids.melds, strict=False)
    parts: list[tuple[GroupKind, tuple[Tile, ...], Sequence[int | None], Source | None]] = [
        (GroupKind.CONCEALED, hand.concealed, ids.concealed, None),
        *(
            (GroupKind(meld.kind.value), meld.tiles, meld_ids, meld.claimed_from)
            for meld, meld_ids in melds
        ),
        (
            GroupKind.WINNING_TILE,
            () if hand.winning_tile is None else (hand.winning_tile,),
            [ids.winning_tile],
            None,
        ),
        (GroupKind.FLOWERS, hand.flowers, ids.flowers, None),
    ]
    known = {tile.id: tile for tile in reading.tiles}
    placed: dict[int, ReadTile] = {}
    groups: list[Group] = []
    for kind, faces, named, source in parts:
        members = [
            (face, known[i])
            for face, i in zip(faces, named, strict=False)
            if i is not None and i in known
        ]
        for face, tile in members:
            same = face == tile.tile
            confidence = tile.confidence if same else 1.0
            alternatives = tile.alternatives if same else ()
            placed[tile.id] = replace(
                tile,
                tile=face,
                confidence=confidence,
                alternatives=alternatives,
                in_hand=True,
                group=len(groups),
                inferred=False,
            )
        if members:
            groups.append(Group(len(groups), kind, tuple(tile.id for _, tile in members), source))
    tiles = tuple(
        placed.get(tile.id, replace(tile, in_hand=False, group=None)) for tile in reading.tiles
    )
    return replace(reading, tiles=tiles, groups=tuple(groups))
