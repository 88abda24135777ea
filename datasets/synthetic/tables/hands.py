"""Draws what a player holds: concealed tiles, melds, flowers, out of one box of tiles."""

from __future__ import annotations

from collections import Counter

import numpy as np

from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile

FULL = 4
"""Sets of a hand besides its pair."""

TRIES = 60
"""Number of sets that are tried before one is drawn that the box no longer holds."""


class TileBox:
    """The tiles of a set that nobody has drawn yet, in random order."""

    def __init__(self, rng: np.random.Generator, flowers: bool) -> None:
        """Fill the box; `flowers` says whether the set has flowers and seasons."""
        self._rng = rng
        self._left = Counter(dict.fromkeys(PLAYABLE, 4))
        self._flowers = [FLOWERS[int(i)] for i in rng.permutation(8)] if flowers else []

    def take(self, *tiles: Tile) -> bool:
        """Take these tiles; return False and take nothing if some of them are not left."""
        need = Counter(tiles)
        if any(self._left[tile] < count for tile, count in need.items()):
            return False
        self._left -= need
        return True

    def any(self) -> Tile:
        """Draw any tile; any face at all once the box is empty."""
        faces = [tile for tile, count in self._left.items() if count > 0]
        if not faces:
            return PLAYABLE[int(self._rng.integers(len(PLAYABLE)))]
        weights = np.array([self._left[tile] for tile in faces], float)
        tile = faces[int(self._rng.choice(len(faces), p=weights / weights.sum()))]
        self._left[tile] -= 1
        return tile

    def flower(self) -> Tile | None:
        """Draw a flower, None when none is left."""
        return self._flowers.pop() if self._flowers else None

    def same(self, count: int) -> tuple[Tile, ...]:
        """Draw `count` equal tiles; after `TRIES` failures, even tiles that are not left."""
        tile = PLAYABLE[0]
        for _ in range(TRIES):
            tile = PLAYABLE[int(self._rng.integers(len(PLAYABLE)))]
            if self.take(*[tile] * count):
                break
        return (tile,) * count

    def run(self) -> tuple[Tile, ...]:
        """Draw three tiles in a row of one suit, as `same` does."""
        run: tuple[Tile, ...] = ()
        for _ in range(TRIES):
            start = PLAYABLE[9 * int(self._rng.integers(3)) + int(self._rng.integers(7))]
            run = (start, Tile(start + 1), Tile(start + 2))
            if self.take(*run):
                break
        return run


def draw_hand(
    rng: np.random.Generator,
    box: TileBox,
    melds: int,
    kongs: float,
    flowers: int,
    won: bool,
    named: bool,
) -> Hand:
    """Draw a hand from the box.

    Args:
        melds: number of sets that are melds.
        kongs: share of the melds that are kongs.
        flowers: number of flowers beside it, as far as the box has some.
        won: whether it has a winning tile; otherwise it has 13 tiles, a few of them loose.
        named: whether claimed melds show whom they were claimed from.
    """
    shown = tuple(draw_meld(rng, box, kongs, named) for _ in range(melds))
    tiles: list[Tile] = []
    if melds == 0 and rng.random() < 0.07:
        while len(tiles) < 14:
            tiles += box.same(2)
    else:
        for _ in range(FULL - melds):
            tiles += box.run() if rng.random() < 0.55 else box.same(3)
        tiles += box.same(2)
    winning = tiles.pop(int(rng.integers(len(tiles))))
    if not won and rng.random() < 0.6:
        for _ in range(int(rng.integers(1, 5))):
            tiles[int(rng.integers(len(tiles)))] = box.any()
    own = [flower for _ in range(flowers) if (flower := box.flower()) is not None]
    return Hand(tuple(sorted(tiles)), shown, winning if won else None, tuple(own))


def draw_meld(rng: np.random.Generator, box: TileBox, kongs: float, named: bool) -> Meld:
    """Draw one meld from the box."""
    giver = (Source.LEFT, Source.ACROSS, Source.RIGHT)[int(rng.integers(3))] if named else None
    if rng.random() < kongs:
        kind = (MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG, MeldKind.KONG)[int(rng.integers(3))]
        return Meld(kind, box.same(4), None if kind is MeldKind.CONCEALED_KONG else giver)
    if rng.random() < 0.5:
        return Meld(MeldKind.CHOW, box.run(), Source.LEFT if named else None)
    return Meld(MeldKind.PUNG, box.same(3), giver)
