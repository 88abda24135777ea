"""The hands that a stated hand may be, where its author is not sure of some tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from hupai.api.contract.score import DoubtModel
from hupai.scoring.hand import Hand, MeldKind
from hupai.scoring.tiles import Tile
from hupai.vision.types import LikelyHand

T = TypeVar("T")
_MOST_HANDS = 8
"""Hands kept while faces are combined, likeliest first."""


def alternatives(doubt: DoubtModel) -> tuple[tuple[Tile, float], ...]:
    """The other faces that the tile may have, with their probabilities, none of them 0."""
    return tuple((Tile.from_code(code), share) for code, share in doubt.alternatives if share > 0)


def tile_at(hand: Hand, doubt: DoubtModel) -> Tile | None:
    """The tile that a doubt is about; None if the hand has none there."""
    try:
        match doubt.part:
            case "concealed":
                return hand.concealed[doubt.index]
            case "winning_tile":
                return hand.winning_tile
            case "meld":
                return hand.melds[doubt.index].tiles[doubt.position]
            case "flowers":
                return hand.flowers[doubt.index]
    except IndexError:
        return None


def with_tile(hand: Hand, doubt: DoubtModel, tile: Tile) -> Hand:
    """The hand with another tile in the doubtful place.

    All tiles of a pung or kong are of one kind, so all of them change. A red five stays red only as
    long as there is a five.
    """
    match doubt.part:
        case "concealed":
            return _own_red(replace(hand, concealed=_put(hand.concealed, doubt.index, tile)))
        case "winning_tile":
            return _own_red(replace(hand, winning_tile=tile))
        case "flowers":
            return replace(hand, flowers=_put(hand.flowers, doubt.index, tile))
        case "meld":
            meld = hand.melds[doubt.index]
            if meld.kind is MeldKind.CHOW:
                tiles = tuple(sorted(_put(meld.tiles, doubt.position, tile)))
            else:
                tiles = (tile,) * len(meld.tiles)
            changed = replace(meld, tiles=tiles, red_fives=_held(meld.red_fives, tiles))
            return replace(hand, melds=_put(hand.melds, doubt.index, changed))


def hands_by_doubts(hand: Hand, doubts: Sequence[DoubtModel]) -> tuple[LikelyHand, ...]:
    """Combine the faces that doubtful tiles may have, each independent of the others.

    Doubts about a tile that the hand does not have are ignored. A hand with five of a kind is not a
    candidate.

    Returns:
        At most `_MOST_HANDS` hands, likeliest first, probabilities summing to 1.
    """
    likely = [(hand, 1.0)]
    for doubt in _one_a_set(hand, [doubt for doubt in doubts if tile_at(hand, doubt) is not None]):
        seen = tile_at(hand, doubt)
        faces = [(seen, doubt.confidence)]
        faces += [(face, p) for face, p in alternatives(doubt) if face != seen]
        combined = [
            (with_tile(one, doubt, face), share * p)
            for one, share in likely
            for face, p in faces
            if face is not None and p > 0
        ]
        possible = [
            (one, share)
            for one, share in combined
            if max(Counter(one.all_tiles).values(), default=0) <= 4
        ]
        likely = sorted(possible, key=lambda pair: -pair[1])[:_MOST_HANDS] or likely
    total = sum(share for _, share in likely)
    if total <= 0:
        return (LikelyHand(hand, 1.0),)
    return tuple(LikelyHand(one, share / total) for one, share in likely)


def _one_a_set(hand: Hand, doubts: Sequence[DoubtModel]) -> list[DoubtModel]:
    """The doubts in the order given; of several about one pung or kong only the first."""
    first: dict[tuple[str, int, int], DoubtModel] = {}
    for doubt in doubts:
        whole = doubt.part == "meld" and hand.melds[doubt.index].kind is not MeldKind.CHOW
        first.setdefault((doubt.part, doubt.index, -1 if whole else doubt.position), doubt)
    return list(first.values())


def _own_red(hand: Hand) -> Hand:
    """Leave out red fives that are neither among the concealed tiles nor the winning one."""
    own = hand.concealed if hand.winning_tile is None else (*hand.concealed, hand.winning_tile)
    return replace(hand, red_fives=_held(hand.red_fives, own))


def _held(red_fives: tuple[Tile, ...], tiles: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """Return as many of the red fives as there are fives among the tiles."""
    return tuple(sorted((Counter(red_fives) & Counter(tiles)).elements()))


def _put(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*values[:index], value, *values[index + 1 :])
