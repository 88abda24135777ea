"""A reading with the faces, groups and tiles that a person corrected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from hupai.api.contract.hand import HandModel, HandOut
from hupai.api.contract.reading import TileIds
from hupai.api.web.field_errors import FieldError
from hupai.scoring.hand import Hand, Source
from hupai.scoring.tiles import Tile
from hupai.vision.types import Box, Group, GroupKind, Quad, Reading, ReadTile

Added = tuple[int, Tile, Quad]
"""Id, face and corners of a tile that was not found."""


def with_tiles(reading: Reading, added: Sequence[Added], struck_out: Sequence[int]) -> Reading:
    """Return the reading with tiles that were not found, and without what is not a tile.

    Added tiles are in no group: `corrected_reading` puts them into the hand.
    """
    gone = frozenset(struck_out)
    kept = [tile for tile in reading.tiles if tile.id not in gone]
    kept += [
        ReadTile(number, tile, _box_of(quad), 1.0, in_hand=False, quad=quad)
        for number, tile, quad in added
    ]
    groups = [
        replace(group, tiles=tuple(i for i in group.tiles if i not in gone))
        for group in reading.groups
    ]
    return replace(
        reading, tiles=tuple(kept), groups=tuple(group for group in groups if group.tiles)
    )


def misfits(ids: TileIds, hand: HandModel | HandOut, known: Collection[int]) -> list[FieldError]:
    """List what keeps ids from being those of the tiles of a hand; nothing if they fit.

    Args:
        ids: as they were sent; a part that is left out says nothing.
        hand: its tiles in the same order.
        known: ids of the tiles of the photo.
    """
    named = [*ids.concealed, *(i for meld in ids.melds for i in meld), ids.winning_tile]
    counted = Counter(i for i in (*named, *ids.flowers) if i is not None)
    wrong = [*_other_lengths(ids, hand)]
    for number, count in counted.items():
        if number not in known:
            wrong.append(
                FieldError(
                    "tile_ids",
                    f"the photo has no tile {number}: take ids of `reading.tiles` or `added_tiles`",
                    f"照片上没有编号为 {number} 的牌：请用 reading.tiles 或 added_tiles 中的编号",
                )
            )
        elif count > 1:
            wrong.append(
                FieldError(
                    "tile_ids",
                    f"tile {number} is named more than once: name each tile of the photo once",
                    f"编号 {number} 重复：照片上的每张牌只能写一次",
                )
            )
    return wrong


def _other_lengths(ids: TileIds, hand: HandModel | HandOut) -> Iterator[FieldError]:
    melds = [meld.tiles for meld in hand.melds]
    parts = [("concealed", ids.concealed, hand.concealed), ("flowers", ids.flowers, hand.flowers)]
    if len(ids.melds) in (0, len(melds)):
        pairs = zip(ids.melds, melds, strict=False)
        parts += [(f"melds.{at}", named, tiles) for at, (named, tiles) in enumerate(pairs)]
    else:
        yield FieldError(
            "tile_ids.melds",
            f"give {len(melds)} lists, one for each meld of the hand, or leave it out",
            f"请给出 {len(melds)} 个列表，与手牌的副露一一对应，或省略此项",
        )
    for name, named, tiles in parts:
        if len(named) not in (0, len(tiles)):
            yield FieldError(
                f"tile_ids.{name}",
                f"give {len(tiles)} ids, one for each tile that the hand has there, null for a "
                "tile that the photo does not show; or leave it out",
                f"请给出 {len(tiles)} 个编号，与手牌此处的牌一一对应，照片上没有的牌写 null；"
                "或省略此项",
            )
    if ids.winning_tile is not None and hand.winning_tile is None:
        yield FieldError(
            "tile_ids.winning_tile",
            "the hand has no winning tile: name it in `hand`, or leave this out",
            "手牌没有和牌张：请在 hand 中指明，或省略此项",
        )


def ids_in_order(ids: TileIds, sent: HandModel) -> TileIds:
    """Order ids, which match the tiles of a hand as it was sent, like those of `sent.to_hand()`.

    There the tiles of a meld ascend, however they lie, and flowers are no concealed tiles.
    """
    melds = []
    for meld, named in zip_longest(sent.melds, ids.melds):
        faces = [] if meld is None else [Tile.from_code(code) for code in meld.tiles]
        pairs = zip(faces, named or (), strict=False)
        melds.append([i for _, i in sorted(pairs, key=lambda pair: pair[0])])
    laid = [
        (Tile.from_code(code).is_flower, i)
        for code, i in zip_longest(sent.concealed, ids.concealed)
        if code is not None
    ]
    # Unchecked: flowers among the concealed tiles may make more of them than a request may name.
    return TileIds.model_construct(
        concealed=[i for flower, i in laid if not flower],
        melds=melds,
        winning_tile=ids.winning_tile,
        flowers=[*_filled(ids.flowers, len(sent.flowers)), *(i for flower, i in laid if flower)],
    )


def _filled(ids: Sequence[int | None], count: int) -> list[int | None]:
    """Return exactly `count` ids, None for those that are not given."""
    return [*ids, *[None] * count][:count]


def _box_of(quad: Quad) -> Box:
    xs, ys = zip(*quad, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


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
                red=tile.red and same,
            )
        if members:
            groups.append(Group(len(groups), kind, tuple(tile.id for _, tile in members), source))
    tiles = tuple(
        placed.get(tile.id, replace(tile, in_hand=False, group=None)) for tile in reading.tiles
    )
    return replace(reading, tiles=tiles, groups=tuple(groups))
