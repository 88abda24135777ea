"""Whole tables: hands among discards and walls, plain rows, trays, and loose tiles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hupai.datasets.synthetic.layout.compose import (
    QUARTER,
    lay_hand,
    random_hand,
    random_hand_style,
)
from hupai.datasets.synthetic.layout.footprints import clearance, off_square, overlaps
from hupai.datasets.synthetic.scene import PlacedTile, Proportions, Scene
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile

Rail = tuple[float, float, float, float, float]
"""A rectangle (x0, y0, x1, y1) and its height, in tile widths."""

SQUARE = math.radians(15)
"""A tile turned by more than this against the hand was dropped there, not laid."""

FLOWERS_APART = 2.5
"""Distance around a hand, in tile widths, without flowers of others square to it.

Such a flower could not be distinguished from the hand's own.
"""

BACKS_APART = 1.5
"""Distance around a hand, in tile widths, without face-down tiles of others square to it."""


def random_face(rng: np.random.Generator, flowers: float = 0.16) -> Tile:
    """Draw any face; flowers have a separate probability, so that rare ones are learnt."""
    pool = FLOWERS if rng.random() < flowers else PLAYABLE
    return pool[int(rng.integers(len(pool)))]


def random_scene(rng: np.random.Generator, proportions: Proportions) -> Scene:
    """Lay a table of a random kind."""
    kinds: tuple[tuple[Callable[[np.random.Generator, Proportions], Scene], float], ...] = (
        (hand_table, 0.42),
        (plain_row, 0.18),
        (tray, 0.1),
        (loose_tiles, 0.22),
        (close_up, 0.08),
    )
    pick = int(rng.choice(len(kinds), p=[share for _, share in kinds]))
    return kinds[pick][0](rng, proportions)


def hand_table(rng: np.random.Generator, p: Proportions) -> Scene:
    """Lay a revealed hand with discards, a wall and other players' melds around it."""
    hand = random_hand(rng, honours=bool(rng.random() < 0.85))
    tiles = lay_hand(hand, random_hand_style(rng), rng, p)
    rails = _rails(rng, tiles, p) if rng.random() < 0.5 else ()
    tiles += surroundings(rng, tiles, p)
    return Scene(tuple(tiles), rails, hand, p, "hand")


def plain_row(rng: np.random.Generator, p: Proportions) -> Scene:
    """Lay one to three rows of any tiles, some upside down, some pushed out."""
    tiles: list[PlacedTile] = []
    y = 0.0
    flip = float(rng.choice([0.0, 0.0, 0.3, 1.0]))
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        gap = float(abs(rng.normal(0.0, 0.03)))
        x = float(rng.uniform(-1, 1))
        for _ in range(int(rng.integers(3, 21))):
            push = (
                float(rng.normal(0, 0.03)) if rng.random() < 0.9 else float(rng.uniform(-0.5, 0.5))
            )
            angle = float(np.pi) * (rng.random() < flip) + float(rng.normal(0, 0.015))
            tiles.append(
                PlacedTile(
                    random_face(rng), x, y + push, angle, in_hand=True, group=0, kind="concealed"
                )
            )
            x += 1.0 + gap + (float(rng.uniform(0.2, 1.2)) if rng.random() < 0.06 else 0.0)
        y += p.height * float(rng.uniform(1.0, 1.5))
    rails = _rails(rng, tiles, p) if rng.random() < 0.6 else ()
    if rng.random() < 0.6:
        tiles += surroundings(rng, tiles, p)
    return Scene(tuple(tiles), rails, None, p, "row")


def tray(rng: np.random.Generator, p: Proportions) -> Scene:
    """Lay a grid of tiles, edge to edge or spaced."""
    rows, columns = int(rng.integers(2, 7)), int(rng.integers(2, 11))
    gx, gy = (
        float(rng.choice([0.01, 0.05, 0.6])) * rng.uniform(0.5, 1.5),
        float(rng.choice([0.01, 0.05, 0.5])) * rng.uniform(0.5, 1.5),
    )
    flip = float(rng.choice([0.0, 0.0, 0.5]))
    tiles = [
        PlacedTile(
            random_face(rng),
            c * (1 + gx),
            r * (p.height + gy),
            float(np.pi) * (rng.random() < flip) + float(rng.normal(0, 0.01)),
        )
        for r in range(rows)
        for c in range(columns)
        if rng.random() < 0.97
    ]
    width, height = columns * (1 + gx), rows * (p.height + gy)
    rails: tuple[Rail, ...] = ()
    if rng.random() < 0.5:
        pad = float(rng.uniform(0.6, 1.2))
        rails = ((-pad, -pad - 0.2, width - 1 + pad, height - p.height + pad + 0.2, 0.0),)
    return Scene(tuple(tiles), rails, None, p, "tray")


def loose_tiles(rng: np.random.Generator, p: Proportions) -> Scene:
    """Lay a heap without order: any angle, touching but not overlapping, some face down."""
    count = int(rng.integers(4, 45))
    spread = float(np.sqrt(count) * rng.uniform(0.75, 1.5))
    return Scene(
        tuple(
            _scatter(rng, p, count, (0.0, 0.0), (spread, spread * rng.uniform(0.5, 1)), [], 0.06)
        ),
        (),
        None,
        p,
        "loose",
    )


def close_up(rng: np.random.Generator, p: Proportions) -> Scene:
    """Lay a few tiles that fill the picture."""
    tiles = [
        PlacedTile(
            random_face(rng),
            i * float(1.02 + abs(rng.normal(0, 0.1))),
            float(rng.normal(0, 0.1)),
            float(rng.normal(0, 0.1)),
        )
        for i in range(int(rng.integers(1, 6)))
    ]
    return Scene(tuple(tiles), (), None, p, "close")


def surroundings(
    rng: np.random.Generator, hand: list[PlacedTile], p: Proportions
) -> list[PlacedTile]:
    """Lay discards, walls and tiles of the other players around a hand."""
    own = _Extent.of(hand, p)
    tiles = _pond(rng, hand, own, p) if rng.random() < 0.75 else []
    if rng.random() < 0.25:
        tiles += _clear(_discard_rows(rng, own, p), tiles, p)
    for _ in range(int(rng.choice([0, 0, 1, 1, 2, 3]))):
        tiles += _clear(_wall(rng, own, p), [*hand, *tiles], p)
    if rng.random() < 0.2:
        tiles += _clear(_other_hand(rng, own), [*hand, *tiles], p)
    if rng.random() < 0.3:
        tiles += _clear(_other_melds(rng, own, p), [*hand, *tiles], p)
    return [
        replace(tile, in_hand=False, group=None, kind=None)
        for tile in _supported(tiles)
        if not _mistakable(tile, hand, p)
    ]


@dataclass(frozen=True, slots=True)
class _Extent:
    """Where a hand lies: the outermost tile centres, and its upper edge."""

    left: float
    right: float
    low: float
    high: float
    top: float

    @classmethod
    def of(cls, tiles: list[PlacedTile], p: Proportions) -> _Extent:
        xs, ys = [t.x for t in tiles], [t.y for t in tiles]
        return cls(min(xs), max(xs), min(ys), max(ys), max(ys) + p.height)

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def _clear(tiles: list[PlacedTile], taken: list[PlacedTile], p: Proportions) -> list[PlacedTile]:
    """Keep the tiles that do not overlap those that lie there already."""
    return [t for t in tiles if not any(overlaps(t, other, p) for other in taken)]


def _supported(tiles: list[PlacedTile]) -> list[PlacedTile]:
    """Drop tiles of a wall's upper layer that no tile of the lower layer supports."""
    floor = {(round(t.x, 1), round(t.y, 1)) for t in tiles if t.z == 0}
    steps = [(dx, dy) for dx in (0, 0.1, -0.1) for dy in (0, 0.1, -0.1)]
    return [
        t
        for t in tiles
        if t.z == 0 or any((round(t.x, 1) + dx, round(t.y, 1) + dy) in floor for dx, dy in steps)
    ]


def _scatter(
    rng: np.random.Generator,
    p: Proportions,
    count: int,
    centre: tuple[float, float],
    spread: tuple[float, float],
    taken: list[PlacedTile],
    down: float,
) -> list[PlacedTile]:
    """Throw tiles down where they overlap no other, a share `down` of them face down."""
    placed: list[PlacedTile] = []
    square = rng.random() < 0.35
    for _ in range(count):
        for _ in range(12):
            x, y = rng.normal(0, 0.6, 2) * spread + centre
            angle = (
                float(rng.choice([0, QUARTER, np.pi, -QUARTER]) + rng.normal(0, 0.05))
                if square
                else float(rng.uniform(0, 2 * np.pi))
            )
            face, face_down = random_face(rng), bool(rng.random() < down)
            tile = PlacedTile(face, float(x), float(y), angle, face_down=face_down)
            if _clear([tile], [*placed, *taken], p):
                placed.append(tile)
                break
    return placed


def _pond(
    rng: np.random.Generator, hand: list[PlacedTile], own: _Extent, p: Proportions
) -> list[PlacedTile]:
    """Scatter discards in the middle of the table."""
    count = int(rng.integers(2, 40))
    depth = float(rng.uniform(1.5, 4))
    x = own.middle + float(rng.normal(0, 3))
    y = own.top + depth * 0.6 + float(rng.uniform(0.8, 5))
    spread = (float(rng.uniform(2, 7)), depth * 0.5)
    down = float(rng.choice([0.0, 0.0, 0.1]))
    found = _scatter(rng, p, count, (x, y), spread, hand, down)
    return [t for t in found if t.y > own.top + 0.2]


def _discard_rows(rng: np.random.Generator, own: _Extent, p: Proportions) -> list[PlacedTile]:
    """Lay discards in neat rows."""
    y = own.top + float(rng.uniform(0.4, 3.0))
    x = own.middle - 3 + float(rng.normal(0, 2))
    return [
        PlacedTile(
            random_face(rng, 0.02),
            x + column * 1.03,
            y + row * (p.height + 0.04),
            float(rng.normal(0, 0.02)),
        )
        for row in range(int(rng.integers(1, 4)))
        for column in range(int(rng.integers(3, 8)))
    ]


def _wall(rng: np.random.Generator, own: _Extent, p: Proportions) -> list[PlacedTile]:
    """Lay a stretch of wall, face down, one or two layers high."""
    along = float(rng.choice([0.0, QUARTER])) + float(rng.normal(0, 0.06))
    if abs(np.sin(along)) < 0.5:
        start = (own.left + float(rng.uniform(-3, 6)), own.top + float(rng.uniform(1.0, 10)))
    else:
        sides = [own.left - rng.uniform(2.5, 6), own.right + rng.uniform(2.5, 6)]
        start = (float(rng.choice(sides)), float(rng.uniform(-1, 6)))
    length, layers = int(rng.integers(2, 18)), int(rng.choice([1, 2]))
    step = np.array([np.cos(along), np.sin(along)]) * 1.02
    tiles = []
    for layer in range(layers):
        for i in range(length):
            if layer and rng.random() < 0.05:
                continue
            x, y = np.array(start) + step * i + rng.normal(0, 0.015, 2)
            angle = along + float(rng.normal(0, 0.01))
            z = layer * p.thickness
            tiles.append(PlacedTile(Tile.M1, float(x), float(y), angle, z=z, face_down=True))
    return tiles


def _other_hand(rng: np.random.Generator, own: _Extent) -> list[PlacedTile]:
    """Lay another player's row, face up, across the table or along one side."""
    turn = float(rng.choice([QUARTER, -QUARTER, np.pi]))
    if turn == np.pi:
        x, y = own.middle - 5, own.top + float(rng.uniform(6, 12))
        step = np.array([np.cos(turn + np.pi), np.sin(turn + np.pi)])
    else:
        x, y = own.right + float(rng.uniform(3, 6)), 1.0
        step = np.array([0.0, 1.0])
    return [
        PlacedTile(
            random_face(rng),
            x + float(step[0]) * i * -1.03,
            y + float(step[1]) * i * 1.03,
            turn,
            player=1,
        )
        for i in range(int(rng.integers(3, 14)))
    ]


def _other_melds(rng: np.random.Generator, own: _Extent, p: Proportions) -> list[PlacedTile]:
    """Lay another player's melds at their side of the table, sometimes with the hidden hand."""
    hand = random_hand(rng)
    style = replace(random_hand_style(rng), winning="inside", rows=1)
    laid = lay_hand(Hand(hand.concealed, hand.melds, None, hand.flowers), style, rng, p)
    hidden = bool(rng.random() < 0.3)
    laid = [
        replace(t, face_down=True) if t.kind == "concealed" else t
        for t in laid
        if hidden or t.kind != "concealed"
    ]
    if not laid:
        return []
    turn = float(rng.choice([QUARTER, -QUARTER, np.pi])) + float(rng.normal(0, 0.04))
    c, s = math.cos(turn), math.sin(turn)
    turned = [
        replace(t, x=t.x * c - t.y * s, y=t.x * s + t.y * c, angle=t.angle + turn) for t in laid
    ]
    other = _Extent.of(turned, p)
    away = float(rng.uniform(2.5, 7))
    if c < -0.5:
        shift = float(rng.normal(0, 3)) - other.middle + own.middle
        rise = own.high + 2 * p.height + away - other.low
    else:
        beyond_right = own.right + p.height + away - other.left
        shift = beyond_right if s > 0 else own.left - p.height - away - other.right
        rise = float(rng.uniform(-1, 4)) - other.low
    return [replace(t, x=t.x + shift, y=t.y + rise, player=2) for t in turned]


def _mistakable(tile: PlacedTile, hand: list[PlacedTile], p: Proportions) -> bool:
    """Return whether this foreign tile could be taken for one of the hand."""
    reach = BACKS_APART if tile.face_down else FLOWERS_APART if tile.face.is_flower else 0.0
    return any(
        off_square(tile, own) < SQUARE and clearance(tile, own, p) < reach
        for own in hand
        if reach and math.hypot(tile.x - own.x, tile.y - own.y) < reach + 2 * p.height
    )


def _rails(rng: np.random.Generator, tiles: list[PlacedTile], p: Proportions) -> tuple[Rail, ...]:
    """Place the player's rack or table edge behind the row."""
    x0, x1 = min(t.x for t in tiles) - 4, max(t.x for t in tiles) + 4
    low = min(t.y for t in tiles) - p.height / 2
    depth = float(rng.uniform(0.4, 4))
    gap = float(rng.choice([0.0, 0.02, 0.5])) + 0.12
    return (
        (
            x0 - 4,
            low - gap - depth,
            x1 + 4,
            low - gap,
            float(rng.choice([0.0, 0.3, p.thickness * 0.8])),
        ),
    )
