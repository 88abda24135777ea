"""The output of layout: the likely groupings of the hand's tiles into blocks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from hupai.vision.types import Detections, FloatArray


class BlockKind(Enum):
    """Kinds of blocks of tiles, judged by their geometry."""

    CONCEALED = "concealed"
    """Concealed tiles, including flowers among them."""
    SET = "set"
    """Three tiles laid down: a chow or a pung."""
    KONG = "kong"
    """Four tiles face up, claimed from another player."""
    ADDED_KONG = "added_kong"
    """A pung with a fourth tile added. The added one is the last of `Block.tiles`; if it is stacked
    on the middle one, it hides that tile, and there are only three.
    """
    CONCEALED_KONG = "concealed_kong"
    """Four tiles, some or all face down, depending on the convention."""
    FLOWERS = "flowers"
    """Flowers laid apart."""
    WINNING_TILE = "winning_tile"
    """One tile, apart or sideways, at an end of the concealed tiles."""

    # Members are singletons, and `Enum.__hash__` is a slow Python function.
    __hash__ = object.__hash__


MELDS = frozenset({BlockKind.SET, BlockKind.KONG, BlockKind.ADDED_KONG, BlockKind.CONCEALED_KONG})
"""Kinds of blocks that are melds."""


@dataclass(frozen=True, slots=True)
class Block:
    """A group of tiles.

    Attributes:
        kind: the kind of group.
        tiles: ids of detections, from the owner's left to right.
        claimed: position of the sideways tile among `tiles`; None if there is none.
    """

    kind: BlockKind
    tiles: tuple[int, ...]
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """One way to group the hand's tiles.

    Attributes:
        blocks: the groups.
        log_weight: log-probability given the geometry alone.
    """

    blocks: tuple[Block, ...]
    log_weight: float

    @property
    def tiles(self) -> tuple[int, ...]:
        """Ids of the tiles of all blocks."""
        return tuple(i for block in self.blocks for i in block.tiles)

    def with_ids(self, ids: Mapping[int, int]) -> Arrangement:
        """Replace every tile id by the one it is mapped to."""
        blocks = (Block(b.kind, tuple(ids[i] for i in b.tiles), b.claimed) for b in self.blocks)
        return Arrangement(tuple(blocks), self.log_weight)


class Refusal(Enum):
    """Why no hand was found."""

    NO_TILES = "no_tiles"
    NO_ROW = "no_row"
    TOO_MANY = "too_many_tiles"
    FACE_DOWN = "all_face_down"


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The hand of a photo and its likely groupings.

    Attributes:
        detections: the detections given, followed by the low-confidence boxes that a grouping uses;
            ids are their indices. The other low-confidence boxes remain its `low_confidence`.
        arrangements: the groupings, best first, log-weights normalised; empty without a hand.
        sideways: ids of the sideways tiles.
        standing: ids of the hand's tiles in rows that stand or lean.
        duplicates: ids of duplicate boxes around one tile.
        cut_by_edge: ids of the hand's tiles that the edge of the photo may cut.
        size_outliers: ids of the hand's tiles whose boxes may contain part of a tile, or two tiles.
        low_confidence: ids of the hand's tiles that were low-confidence detections.
        pairs_with_gap: ids of neighbours in the hand's rows with room for a tile between them.
        other_hands: ids of the tiles of each further hand on the photo, likeliest first.
        has_rival: whether one of them may be the hand that is meant, by its size and place.
        pointed_at: whether the hand was pointed at, so that it is known to be the one meant.
        owner_log_odds: log-odds that the owner sits on the side assumed, which fixes left and
            right.
        margin: log-odds of the chosen tiles against the second best choice.
        doubtful: whether the hand scores no better than tiles that are not a hand.
        refusal: why there is no hand; None if there is one.
        missing_tile_boxes: boxes (n, 4), pixels, where a tile of an incomplete hand may have been
            missed (`hupai.vision.layout.missing_tiles`).
        ends_in_view: whether a further tile at every end of the hand's rows would be on the photo,
            or the photo shows that none is cut off there (`hupai.vision.pipeline.row_ends`).
        examined: whether the places of missing tiles were classified and none was found.
    """

    detections: Detections
    arrangements: tuple[Arrangement, ...] = ()
    sideways: frozenset[int] = frozenset()
    standing: frozenset[int] = frozenset()
    duplicates: frozenset[int] = frozenset()
    cut_by_edge: tuple[int, ...] = ()
    size_outliers: tuple[int, ...] = ()
    low_confidence: tuple[int, ...] = ()
    pairs_with_gap: tuple[tuple[int, int], ...] = ()
    other_hands: tuple[tuple[int, ...], ...] = ()
    has_rival: bool = False
    pointed_at: bool = False
    owner_log_odds: float = math.inf
    margin: float = 0.0
    doubtful: bool = False
    refusal: Refusal | None = None
    missing_tile_boxes: FloatArray = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    ends_in_view: bool = False
    examined: bool = False

    def mixed_stances(self, ids: Iterable[int]) -> int:
        """Return the number of tiles in the rarer stance, standing or lying."""
        stand = [i in self.standing for i in ids]
        return min(sum(stand), len(stand) - sum(stand))

    def hands_beside(self, held: Set[int]) -> tuple[tuple[int, ...], ...]:
        """Return the ids of the tiles of each hand on the photo other than the one read.

        Args:
            held: ids of the tiles read as the hand. If a grouping of one of `other_hands` was
                chosen, the hands that share no tile with it are those of the other groupings.
        """
        found = [ids for ids in self.other_hands if held.isdisjoint(ids)]
        if len(found) < len(self.other_hands):
            for one in self.arrangements:
                if all(set(one.tiles).isdisjoint(ids) for ids in (held, *found)):
                    found.insert(0, tuple(sorted(one.tiles)))
        return tuple(found)
