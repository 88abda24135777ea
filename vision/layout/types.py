"""What layout hands to reading: tiles in blocks, with every grouping that the geometry leaves
open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from hupai.vision.types import Detections, FloatArray


class BlockKind(Enum):
    """What a block of tiles is by where and how it lies."""

    CONCEALED = "concealed"
    """Tiles of the concealed part, flowers that stand among them included."""
    SET = "set"
    """Three tiles laid down: chow or pung."""
    KONG = "kong"
    """Four tiles face up, claimed from another player."""
    ADDED_KONG = "added_kong"
    """A pung to which the fourth tile was added; the added one is the last of `Block.tiles`."""
    CONCEALED_KONG = "concealed_kong"
    """Four tiles, by the convention in play some or all face down."""
    FLOWERS = "flowers"
    """Flowers laid apart."""
    WINNING_TILE = "winning_tile"
    """One tile set apart or sideways at an end of the concealed part."""


@dataclass(frozen=True, slots=True)
class Block:
    """Tiles that lie together.

    Attributes:
        kind: what they are.
        tiles: ids of detections, from the owner's left to right.
        claimed: position of the sideways tile among `tiles`; None where none lies sideways.
    """

    kind: BlockKind
    tiles: tuple[int, ...]
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """One way to read the hand's tiles as blocks; `log_weight` is its log-probability given the
    geometry alone.
    """

    blocks: tuple[Block, ...]
    log_weight: float

    @property
    def tiles(self) -> tuple[int, ...]:
        """Ids of all its tiles."""
        return tuple(i for block in self.blocks for i in block.tiles)

    def renamed(self, ids: Mapping[int, int]) -> Arrangement:
        """The same with other ids."""
        return replace(
            self,
            blocks=tuple(replace(b, tiles=tuple(ids[i] for i in b.tiles)) for b in self.blocks),
        )


class Refusal(Enum):
    """Why no hand was found."""

    NO_TILES = "no_tiles"
    NO_ROW = "no_row"
    TOO_MANY = "too_many_tiles"
    FACE_DOWN = "all_face_down"


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Where the hand is and how it may be grouped.

    Attributes:
        detections: what it was made from, with the faint boxes that a grouping takes in at the end;
            ids are their indices.
        arrangements: the groupings, best first; log-weights are normalised over them. Empty if
            there is no hand.
        sideways: ids of the tiles that lie across the others.
        duplicates: ids of second boxes around one tile.
        cut: ids of the hand's tiles that the edge of the photo cuts, or may.
        odd_sizes: ids of the hand's tiles whose boxes may go around a part of a tile, or around
            two.
        faint: ids of the hand's tiles whose boxes were too faint to be tiles by themselves.
        roomy: ids of neighbours in the hand's rows between which there is room for one more tile.
        others: ids of the tiles of each further hand on the photo.
        owner: log-odds that the hand's owner sits on the side taken, which tells left from right.
        margin: log-odds of the chosen tiles against the best other choice.
        refusal: why there is no hand; None if there is one.
        vacant: boxes (n, 4) where a hand that is not complete, or may lack the back of a kong, has
            room for tiles that may have been overlooked (`hupai.vision.layout.missing_tiles`).
    """

    detections: Detections
    arrangements: tuple[Arrangement, ...] = ()
    sideways: frozenset[int] = frozenset()
    duplicates: frozenset[int] = frozenset()
    cut: tuple[int, ...] = ()
    odd_sizes: tuple[int, ...] = ()
    faint: tuple[int, ...] = ()
    roomy: tuple[tuple[int, int], ...] = ()
    others: tuple[tuple[int, ...], ...] = ()
    owner: float = math.inf
    margin: float = 0.0
    refusal: Refusal | None = None
    vacant: FloatArray = field(default_factory=lambda: np.zeros((0, 4), np.float32))
