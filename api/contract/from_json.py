"""A reading from its JSON: what was stored becomes the values of vision again, to be drawn or asked
about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hupai.api.contract.reading import (
    GroupOut,
    LikelyHandOut,
    MeldOut,
    ReadingOut,
    ReadingProblemOut,
    TileIds,
    TileOut,
)
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.result import Severity
from hupai.scoring.tiles import Tile
from hupai.vision.types import Group, GroupKind, LikelyHand, PhotoProblem, Reading, ReadTile


def reading_of_json(document: dict[str, Any]) -> Reading:
    """The reading that ``hupai read --json`` or the API gave.

    Raises:
        pydantic.ValidationError: for what is no such JSON.
    """
    given = ReadingOut.model_validate(document)
    return Reading(
        tiles=tuple(map(_tile, given.tiles)),
        groups=tuple(map(_group, given.groups)),
        hands=tuple(map(_likely_hand, given.hands)),
        certain=given.certain,
        problems=tuple(map(_problem, given.problems)),
    )


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


def _tile(given: TileOut) -> ReadTile:
    return ReadTile(
        id=given.id,
        tile=Tile.from_code(given.tile),
        box=given.box,
        confidence=given.confidence,
        alternatives=tuple(
            (Tile.from_code(code), probability) for code, probability in given.alternatives
        ),
        sideways=given.sideways,
        in_hand=given.in_hand,
        group=given.group,
        inferred=given.inferred,
        photo=given.photo,
        elsewhere=tuple((place.photo, place.box) for place in given.elsewhere),
    )


def _group(given: GroupOut) -> Group:
    return Group(given.id, GroupKind(given.kind), tuple(given.tiles), _source(given.claimed_from))


def _likely_hand(given: LikelyHandOut) -> LikelyHand:
    hand = Hand(
        concealed=_tiles(given.concealed),
        melds=tuple(map(_meld, given.melds)),
        winning_tile=None if given.winning_tile is None else Tile.from_code(given.winning_tile),
        flowers=_tiles(given.flowers),
    )
    return LikelyHand(hand, given.probability)


def _tiles(codes: Sequence[str]) -> tuple[Tile, ...]:
    return tuple(map(Tile.from_code, codes))


def _meld(given: MeldOut) -> Meld:
    return Meld(MeldKind(given.kind), _tiles(given.tiles), _source(given.claimed_from))


def _problem(given: ReadingProblemOut) -> PhotoProblem:
    return PhotoProblem(
        given.code, Severity(given.severity), given.message, given.message_zh, tuple(given.tiles)
    )


def _source(code: str | None) -> Source | None:
    return None if code is None else Source(code)
