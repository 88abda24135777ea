"""Whole tables for training: hands among discards and walls, plain rows, trays, and loose tiles at
any angle.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

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


def random_face(rng: np.random.Generator, flowers: float = 0.16) -> Tile:
    """Any face; flowers come with the given probability, so that the rare ones are learnt too."""
    pool = FLOWERS if rng.random() < flowers else PLAYABLE
    return pool[int(rng.integers(len(pool)))]


def random_scene(rng: np.random.Generator, proportions: Proportions) -> Scene:
    """A table of a random kind."""
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
    """A revealed hand with discards, a wall and other players' melds around it."""
    hand = random_hand(rng, honours=bool(rng.random() < 0.85))
    tiles = lay_hand(hand, random_hand_style(rng), rng, p)
    rails = _rails(rng, tiles, p) if rng.random() < 0.5 else ()
    tiles += surroundings(rng, tiles, p)
    return Scene(tuple(tiles), rails, hand, p, "hand")


def plain_row(rng: np.random.Generator, p: Proportions) -> Scene:
    """One to three rows of any tiles side by side, some upside down, some pushed out."""
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
    """A grid of tiles, edge to edge or spaced."""
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
    """A heap without order: any angle, touching but not overlapping, some face down."""
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
    """A few tiles that fill the picture."""
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


def _scatter(
    rng: np.random.Generator,
    p: Proportions,
    count: int,
    centre: tuple[float, float],
    spread: tuple[float, float],
    taken: list[PlacedTile],
    down: float,
) -> list[PlacedTile]:
    """Tiles thrown down where there is room."""
    placed: list[PlacedTile] = []
    order = rng.random() < 0.35
    for _ in range(count):
        for _ in range(12):
            x, y = rng.normal(0, 0.6, 2) * spread + centre
            angle = (
                float(rng.choice([0, QUARTER, np.pi, -QUARTER]) + rng.normal(0, 0.05))
                if order
                else float(rng.uniform(0, 2 * np.pi))
            )
            tile = PlacedTile(
                random_face(rng), float(x), float(y), angle, face_down=bool(rng.random() < down)
            )
            if not any(overlaps(tile, other, p) for other in placed) and not any(
                overlaps(tile, other, p) for other in taken
            ):
                placed.append(tile)
                break
    return placed


def _wall(
    rng: np.random.Generator,
    p: Proportions,
    start: tuple[float, float],
    along: float,
    length: int,
    layers: int,
) -> list[PlacedTile]:
    """A stretch of wall, face down, its tiles side by side along the given direction."""
    step = np.array([np.cos(along), np.sin(along)]) * 1.02
    tiles = []
    for layer in range(layers):
        for i in range(length):
            if layer and rng.random() < 0.05:
                continue
            x, y = np.array(start) + step * i + rng.normal(0, 0.015, 2)
            tiles.append(
                PlacedTile(
                    Tile.M1,
                    float(x),
                    float(y),
                    along + float(rng.normal(0, 0.01)),
                    z=layer * p.thickness,
                    face_down=True,
                )
            )
    return tiles


def surroundings(
    rng: np.random.Generator, hand: list[PlacedTile], p: Proportions
) -> list[PlacedTile]:
    """Discards, walls and rows of the other players, away from the hand."""
    x0, x1 = min(t.x for t in hand), max(t.x for t in hand)
    top = max(t.y for t in hand) + p.height
    middle = (x0 + x1) / 2
    tiles: list[PlacedTile] = []
    if rng.random() < 0.75:
        count = int(rng.integers(2, 40))
        depth = float(rng.uniform(1.5, 4))
        centre = (middle + float(rng.normal(0, 3)), top + depth * 0.6 + float(rng.uniform(0.8, 5)))
        found = _scatter(
            rng,
            p,
            count,
            centre,
            (float(rng.uniform(2, 7)), depth * 0.5),
            hand,
            float(rng.choice([0.0, 0.0, 0.1])),
        )
        tiles += [t for t in found if t.y > top + 0.2]
    if rng.random() < 0.25:
        start_y = top + float(rng.uniform(0.4, 3.0))
        start_x = middle - 3 + float(rng.normal(0, 2))
        rows = [
            PlacedTile(
                random_face(rng, 0.02),
                start_x + c * 1.03,
                start_y + r * (p.height + 0.04),
                float(rng.normal(0, 0.02)),
            )
            for r in range(int(rng.integers(1, 4)))
            for c in range(int(rng.integers(3, 8)))
        ]
        tiles += [t for t in rows if not any(overlaps(t, o, p) for o in tiles)]
    for _ in range(int(rng.choice([0, 0, 1, 1, 2, 3]))):
        along = float(rng.choice([0.0, QUARTER])) + float(rng.normal(0, 0.06))
        if abs(np.sin(along)) < 0.5:
            start = (x0 + float(rng.uniform(-3, 6)), top + float(rng.uniform(1.0, 10)))
        else:
            start = (
                float(rng.choice([x0 - rng.uniform(2.5, 6), x1 + rng.uniform(2.5, 6)])),
                float(rng.uniform(-1, 6)),
            )
        wall = _wall(rng, p, start, along, int(rng.integers(2, 18)), int(rng.choice([1, 2])))
        tiles += [
            t
            for t in wall
            if not any(overlaps(t, o, p) for o in hand)
            and not any(overlaps(t, o, p) for o in tiles)
        ]
    if rng.random() < 0.2:
        turn = float(rng.choice([QUARTER, -QUARTER, np.pi]))
        x, y = (
            (x1 + float(rng.uniform(3, 6)), 1.0)
            if turn != np.pi
            else (middle - 5, top + float(rng.uniform(6, 12)))
        )
        step = (
            np.array([np.cos(turn + np.pi), np.sin(turn + np.pi)])
            if turn == np.pi
            else np.array([0.0, 1.0])
        )
        other = [
            PlacedTile(
                random_face(rng),
                x + float(step[0]) * i * -1.03,
                y + float(step[1]) * i * 1.03,
                turn,
            )
            for i in range(int(rng.integers(3, 14)))
        ]
        tiles += [
            t
            for t in other
            if not any(overlaps(t, o, p) for o in tiles)
            and not any(overlaps(t, o, p) for o in hand)
        ]
    if rng.random() < 0.3:
        tiles += _other_melds(rng, hand, tiles, p)
    # A wall's upper layer stands on its lower one: drop what lost its support.
    floor = {(round(t.x, 1), round(t.y, 1)) for t in tiles if t.z == 0}
    keep = [
        t
        for t in tiles
        if t.z == 0
        or any(
            (round(t.x, 1) + dx, round(t.y, 1) + dy) in floor
            for dx in (0, 0.1, -0.1)
            for dy in (0, 0.1, -0.1)
        )
    ]
    return [
        replace(t, in_hand=False, group=None, kind=None)
        for t in keep
        if not _mistakable(t, hand, p)
    ]


SQUARE = math.radians(15)
"""A tile that is turned by more than this against the hand was dropped there, not laid."""

FLOWERS_APART, BACKS_APART = 2.5, 1.5
"""Tile widths around a hand in which no strange flower, no strange back lies square to it: nobody
could tell it from its own.
"""


def _mistakable(tile: PlacedTile, hand: list[PlacedTile], p: Proportions) -> bool:
    """Nobody could tell by looking that this tile is no part of the hand, and no count of tiles
    tells either.
    """
    reach = BACKS_APART if tile.face_down else FLOWERS_APART if tile.face.is_flower else 0.0
    return any(
        off_square(tile, own) < SQUARE and clearance(tile, own, p) < reach
        for own in hand
        if reach and math.hypot(tile.x - own.x, tile.y - own.y) < reach + 2 * p.height
    )


def _other_melds(
    rng: np.random.Generator, hand: list[PlacedTile], taken: list[PlacedTile], p: Proportions
) -> list[PlacedTile]:
    """What another player has laid down at his side of the table, now and then with his tiles face
    down beside it.
    """
    own = random_hand(rng)
    style = replace(random_hand_style(rng), winning="inside", rows=1)
    laid = lay_hand(Hand(own.concealed, own.melds, None, own.flowers), style, rng, p)
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
    x0, x1 = min(t.x for t in turned), max(t.x for t in turned)
    y0 = min(t.y for t in turned)
    away = float(rng.uniform(2.5, 7))
    if c < -0.5:
        shift = (
            float(rng.normal(0, 3))
            - (x0 + x1) / 2
            + (min(t.x for t in hand) + max(t.x for t in hand)) / 2
        )
        rise = max(t.y for t in hand) + 2 * p.height + away - y0
    else:
        shift = (
            max(t.x for t in hand) + p.height + away - x0
            if s > 0
            else min(t.x for t in hand) - p.height - away - x1
        )
        rise = float(rng.uniform(-1, 4)) - y0
    moved = [replace(t, x=t.x + shift, y=t.y + rise) for t in turned]
    return [t for t in moved if not any(overlaps(t, o, p) for o in (*hand, *taken))]


def _rails(rng: np.random.Generator, tiles: list[PlacedTile], p: Proportions) -> tuple[Rail, ...]:
    """The player's rack or table edge behind the row."""
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
