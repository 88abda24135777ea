"""The melds that three or four tiles in a row may be, each with a prior."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.conventions import Convention
from hupai.vision.layout.owner_frame import LineTile
from hupai.vision.layout.types import Block, BlockKind
from hupai.vision.types import FloatArray

_CLAIMED_KONG = 0.22
"""Prior of a claimed kong, for each place of its sideways tile."""
_UNMARKED_KONG = 0.12
"""Prior of four open tiles of which none lies sideways."""
_KONG_OF_THREE = 0.1
"""Share of concealed kongs of which a face-down tile was not detected."""
_BACKS_BONUS = 1.0
"""Log-odds bonus of a kong that shows backs or an added tile: nothing else looks like it."""
_CLAIMED_PUNG = 0.3
"""Prior of a claimed pung, for each place of its sideways tile."""
_CLAIMED_CHOW = (0.4, 0.06, 0.06)
"""Prior of a chow by the place of its sideways tile: it comes from the left, so it lies first."""
_UNMARKED_SET = 0.1
"""Prior of three tiles in a block of which none lies sideways."""
_READ_RIGHT = 0.97
"""Share of melds whose faces agree as read."""
_KONG_CHANCE = 0.06
"""Probability that four tiles of no kong look like one."""
_SET_CHANCE = 0.3
"""Probability that three tiles of no set look like one."""


@dataclass(frozen=True, slots=True, eq=False)
class MeldCandidates:
    """Three or four tiles that may be a meld.

    Attributes:
        tiles, ids: the tiles.
        classes: shape (n, 43), class distributions by tile id.
        habits: how melds are laid.
        pose: log-likelihood of how they lie if only the tile at a place lies sideways, or none.
    """

    tiles: tuple[LineTile, ...]
    ids: tuple[int, ...]
    classes: FloatArray
    habits: Convention
    pose: dict[int | None, float]

    @classmethod
    def of(
        cls,
        tiles: tuple[LineTile, ...],
        ids: tuple[int, ...],
        classes: FloatArray,
        habits: Convention,
    ) -> MeldCandidates:
        """Weigh how three or four tiles lie."""
        by_upright = [math.log(max(t.upright, 1e-6)) for t in tiles]
        by_across = [math.log(max(t.across, 1e-6)) for t in tiles]
        total = sum(by_upright)
        pose: dict[int | None, float] = {None: total}
        pose |= {i: total - by_upright[i] + by_across[i] for i in range(len(tiles))}
        return cls(tiles, ids, classes, habits, pose)

    def blocks(self) -> Iterator[tuple[Block, float]]:
        """Yield the melds that the tiles may be, with log-probabilities."""
        backs = sum(t.spot.back > 0.5 for t in self.tiles)
        added = [i for i, t in enumerate(self.tiles) if t.added is not None]
        if len(self.tiles) == 4:
            yield from self._concealed_kong() if backs else self._open_kongs()
        elif 0 < backs < 3:
            yield from self._kong_of_three()
        elif len(added) == 1 and not backs:
            yield from self._added_kong(added[0])
        elif not added and not backs:
            yield from self._sets()

    def _concealed_kong(self) -> Iterator[tuple[Block, float]]:
        pattern = "".join("?" if t.spot.back > 0.5 else "x" for t in self.tiles)
        share = math.log(self.habits.pattern_share(pattern))
        score = share + self._kong_log(self.ids) + self.pose[None] + _BACKS_BONUS
        yield Block(BlockKind.CONCEALED_KONG, self.ids), score

    def _open_kongs(self) -> Iterator[tuple[Block, float]]:
        faces = self._kong_log(self.ids)
        for place in range(4):
            score = self.pose[place] + math.log(_CLAIMED_KONG) + faces
            yield Block(BlockKind.KONG, self.ids, place), score
        share = self.habits.open_kong_concealed
        for kind, part in ((BlockKind.KONG, 1 - share), (BlockKind.CONCEALED_KONG, share)):
            yield Block(kind, self.ids), self.pose[None] + math.log(_UNMARKED_KONG * part) + faces

    def _kong_of_three(self) -> Iterator[tuple[Block, float]]:
        """Yield the concealed kong of which one tile was not detected."""
        faces = _agreement_log(_kong_likelihood(self.classes, self.ids), _SET_CHANCE, 0.01)
        score = math.log(_KONG_OF_THREE) + faces + self.pose[None] + _BACKS_BONUS
        yield Block(BlockKind.CONCEALED_KONG, self.ids), score

    def _added_kong(self, place: int) -> Iterator[tuple[Block, float]]:
        added = self.tiles[place].added
        assert added is not None
        ids = (*self.ids, added.id)
        claimed = place if self.tiles[place].sideways > 0 else None
        score = self.pose[claimed] + self._kong_log(ids) + _BACKS_BONUS
        yield Block(BlockKind.ADDED_KONG, ids, claimed), score

    def _sets(self) -> Iterator[tuple[Block, float]]:
        """Yield the chow or pung, claimed from each side or unmarked."""
        faces = _agreement_log(_set_likelihood(self.classes, self.ids), _SET_CHANCE, 0.03)
        is_pung = _kong_likelihood(self.classes, self.ids) > 0.5
        for place in range(3):
            prior = _CLAIMED_PUNG if is_pung else _CLAIMED_CHOW[place]
            yield Block(BlockKind.SET, self.ids, place), self.pose[place] + math.log(prior) + faces
        yield Block(BlockKind.SET, self.ids), self.pose[None] + math.log(_UNMARKED_SET) + faces

    def _kong_log(self, ids: tuple[int, ...]) -> float:
        return _agreement_log(_kong_likelihood(self.classes, ids), _KONG_CHANCE, 0.01)


def _agreement_log(likelihood: float, chance: float, floor: float) -> float:
    """Give the log of how much likelier the faces of a meld are than those of no meld."""
    return math.log(_READ_RIGHT * likelihood / chance + floor)


def _set_likelihood(classes: FloatArray, ids: tuple[int, ...]) -> float:
    """Give the probability that three tiles are a pung, or a chow in any order.

    Their class distributions, shape (n, 43), are taken to be independent.
    """
    three = classes[list(ids)].astype(np.float64)
    pungs = float((three[0, :34] * three[1, :34] * three[2, :34]).sum())
    chows = 0.0
    for suit in (0, 9, 18):
        part = three[:, suit : suit + 9]
        for a, b, c in permutations(range(3)):
            chows += float((part[a, :7] * part[b, 1:8] * part[c, 2:9]).sum())
    return min(pungs + chows, 1.0)


def _kong_likelihood(classes: FloatArray, ids: tuple[int, ...]) -> float:
    """Give the probability that the open tiles are all equal; 1 if all lie face down."""
    rows = classes[list(ids)].astype(np.float64)
    up = rows[rows[:, Tile.BACK] < 0.5][:, :34]
    return float(np.prod(up, axis=0).sum()) if len(up) else 1.0
