"""What belongs to a seat besides its hand: wall, discards, and the tiles of the other players."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from hupai.datasets.synthetic.scene import PlacedTile, Proportions
from hupai.datasets.synthetic.tables.hands import TileBox, draw_hand, draw_meld
from hupai.datasets.synthetic.tables.laying import RIGHT_ANGLE, Stance, lay, random_habit
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile

ROW_OF_DISCARDS = 6


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a table, in tile widths.

    Attributes:
        half: distance from its middle to the edge of the cloth.
        hand: distance from the edge of the cloth to the near edge of a hand.
        wall: distance from the middle to the walls.
        pond: distance from the middle to the first row of discards.
        length: stacks in a full wall.
    """

    half: float
    hand: float
    wall: float
    pond: float
    length: int


def random_size(rng: np.random.Generator, p: Proportions) -> Size:
    """Draw the size of a table."""
    half = float(rng.uniform(11.5, 17.5))
    hand = float(rng.uniform(0.4, 3.6))
    room = half - hand - 2 * p.height
    wall = float(rng.uniform(0.72, 0.95)) * room
    pond = float(rng.uniform(2.3, 3.4))
    return Size(
        half, hand, max(wall, pond + 2.4 * p.height), pond, int(rng.choice([13, 17, 17, 18]))
    )


def at_seat(tiles: Iterable[PlacedTile], seat: int, back: float) -> list[PlacedTile]:
    """Move tiles from a player's own frame to a seat: 0 near, 1 right, 2 far, 3 left.

    Args:
        back: how far the frame's y = 0 lies from the middle of the table.
    """
    turn = seat * RIGHT_ANGLE
    c, s = round(math.cos(turn)), round(math.sin(turn))
    out = []
    for t in tiles:
        y = t.y - back
        out.append(replace(t, x=t.x * c - y * s, y=t.x * s + y * c, angle=t.angle + turn))
    return out


class Ground:
    """Keeps tiles from overlapping; each counts as a box whose sides run along the table's."""

    def __init__(self, p: Proportions) -> None:
        self._p = p
        self._boxes = np.zeros((0, 6))

    def room(self, tile: PlacedTile, slack: float = 0.07) -> bool:
        """Return whether a tile fits where it is put."""
        if not len(self._boxes):
            return True
        low, high = self._extent(tile, slack)
        meets = (self._boxes[:, :3] < high) & (self._boxes[:, 3:] > low)
        return not bool(meets.all(1).any())

    def free(self, place: tuple[float, float], reach: float) -> bool:
        """Return whether nothing lies within `reach` tile widths of a place."""
        low, high = np.array(place) - reach, np.array(place) + reach
        meets = (self._boxes[:, :2] < high) & (self._boxes[:, 3:5] > low)
        return not bool(meets.all(1).any())

    def put(self, tiles: Iterable[PlacedTile], check: bool = True) -> list[PlacedTile]:
        """Add the tiles that fit, or with `check` off all of them; return those added."""
        added = []
        for tile in tiles:
            if not check or self.room(tile):
                added.append(tile)
        if added:
            rows = [np.concatenate(self._extent(tile, 0.0)) for tile in added]
            self._boxes = np.vstack([self._boxes, rows])
        return added

    def _extent(self, t: PlacedTile, slack: float) -> tuple[np.ndarray, np.ndarray]:
        p = self._p
        deep = p.height * abs(math.cos(t.tilt)) + p.thickness * abs(math.sin(t.tilt))
        high = p.thickness * abs(math.cos(t.tilt)) + p.height * abs(math.sin(t.tilt))
        c, s = abs(math.cos(t.angle)), abs(math.sin(t.angle))
        half = np.array([c * 0.5 + s * deep / 2, s * 0.5 + c * deep / 2]) - slack
        low = np.array([t.x - half[0], t.y - half[1], t.z + slack])
        return low, np.array([t.x + half[0], t.y + half[1], t.z + high - slack])


def wall(rng: np.random.Generator, box: TileBox, p: Proportions, size: Size) -> list[PlacedTile]:
    """Lay what is left of a wall: two layers, with ends missing, indicators turned up."""
    kind = rng.random()
    length = size.length
    if kind < 0.35:
        first, last = 0, length
    elif kind < 0.8:
        first = int(rng.integers(0, length - 2))
        last = int(rng.integers(first + 2, length + 1))
    else:
        return []
    layers = 2 if rng.random() < 0.86 else 1
    gap, turn = float(rng.uniform(0.0, 0.03)), float(rng.normal(0, 0.02))
    offset = float(rng.normal(0, 0.7)) - length / 2
    turned_up = int(rng.integers(first, last)) if rng.random() < 0.3 else -1
    count = int(rng.integers(1, 6)) if turned_up >= 0 else 0
    shift = rng.normal(0, 0.05, 2)
    tiles = []
    for i in range(first, last):
        for layer in range(layers):
            missing = layer == 1 and rng.random() < (0.5 if i in (first, last - 1) else 0.015)
            if missing:
                continue
            up = layer == layers - 1 and turned_up <= i < turned_up + count
            x = offset + i * (1 + gap) + float(rng.normal(0, 0.012)) + layer * float(shift[0])
            y = float(rng.normal(0, 0.02)) + layer * float(shift[1])
            face = box.any() if up else Tile.M1
            flip = math.pi * (rng.random() < 0.5)
            tiles.append(PlacedTile(face, x, y, flip, layer * p.thickness, face_down=not up))
    c, s = math.cos(turn), math.sin(turn)
    tiles = [
        replace(t, x=t.x * c - t.y * s, y=t.x * s + t.y * c, angle=t.angle + turn) for t in tiles
    ]
    if rng.random() < 0.15:
        # The dead wall is set a little apart.
        cut = float(rng.uniform(-4, 4))
        tiles = [replace(t, x=t.x + 0.5, y=t.y + 0.3) if t.x > cut else t for t in tiles]
    if rng.random() < 0.12:
        # The wall is pushed forward at one end, so that all can reach it.
        push = float(rng.uniform(-0.18, 0.18))
        tiles = [replace(t, y=t.y + push * t.x, angle=t.angle + push) for t in tiles]
    return tiles


def pond(rng: np.random.Generator, box: TileBox, p: Proportions, neat: float) -> list[PlacedTile]:
    """Lay a player's discards in rows of six, the first row farthest; one may lie sideways."""
    count = int(rng.integers(1, 22))
    sideways = int(rng.integers(count)) if rng.random() < 0.3 else -1
    tiles, x = [], 0.0
    gap = float(rng.choice([0.01, 0.04, 0.15]))
    for i in range(count):
        row = min(i // ROW_OF_DISCARDS, 3)
        if i % ROW_OF_DISCARDS == 0 and i // ROW_OF_DISCARDS <= 3:
            x = -3.0 + float(rng.normal(0, 0.08))
        lies = i == sideways
        width = p.height if lies else 1.0
        turn = (RIGHT_ANGLE if lies else 0.0) + float(rng.normal(0, 0.03 + 0.12 * neat))
        y = -row * (p.height + gap) + float(rng.normal(0, 0.03 + 0.12 * neat))
        tiles.append(PlacedTile(box.any(), x + width / 2, y, turn, sideways=lies))
        x += width + gap + abs(float(rng.normal(0, 0.02 + 0.1 * neat)))
    return tiles


def heap(
    rng: np.random.Generator, box: TileBox, count: int, reach: float, down: float
) -> list[PlacedTile]:
    """Throw tiles into the middle, at any angle."""
    square = rng.random() < 0.3
    tiles = []
    for _ in range(count):
        x, y = rng.normal(0, 0.5, 2) * reach
        angle = float(rng.uniform(0, 2 * math.pi))
        if square:
            angle = RIGHT_ANGLE * int(rng.integers(4)) + float(rng.normal(0, 0.08))
        tiles.append(
            PlacedTile(box.any(), float(x), float(y), angle, face_down=bool(rng.random() < down))
        )
    return tiles


def other_hand(
    rng: np.random.Generator, box: TileBox, p: Proportions, half: float
) -> list[PlacedTile]:
    """Lay another player's hand, mostly standing, with melds in a corner."""
    stances: tuple[Stance, ...] = ("standing", "rack", "down", "open")
    stance = stances[int(rng.choice(4, p=[0.62, 0.16, 0.1, 0.12]))]
    habit = replace(random_habit(rng, stance), winning="inside", place="corner", flowers="corner")
    melds = int(rng.choice([0, 1, 2, 3], p=[0.5, 0.27, 0.16, 0.07]))
    if rng.random() < 0.15:
        # Somebody still holds tiles in the hand, or has left the table.
        shown = tuple(draw_meld(rng, box, 0.15, True) for _ in range(melds))
        hand = Hand(tuple(box.any() for _ in range(int(rng.integers(0, 5)))), shown, None)
    else:
        hand = draw_hand(rng, box, melds, 0.15, 0, won=False, named=True)
    tiles = lay(rng, hand, habit, p, half)
    return [replace(t, in_hand=False, group=None, kind=None, claimed_from=None) for t in tiles]
