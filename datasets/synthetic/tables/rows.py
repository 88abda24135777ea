"""A few tiles near the camera: what a detector trained on faces alone overlooks.

Rows of backs alone, walls, concealed kongs beside faces, backs among loose faces, blank white
dragons beside other tiles, gaps of a tile's size between faces, and black sets. Each picture is
rendered from its own seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hupai.datasets.synthetic.designs import DesignBank
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.scene import PlacedTile, Proportions, Rendered
from hupai.datasets.synthetic.tables.laying import random_habit
from hupai.datasets.synthetic.tables.render import picture_of, random_ground
from hupai.datasets.synthetic.tables.scene import ASPECTS, WholeTable, lying_about
from hupai.datasets.synthetic.tables.seats import Ground, random_size
from hupai.datasets.synthetic.tables.sets import random_set
from hupai.datasets.synthetic.tables.solids import Box, slab
from hupai.datasets.synthetic.tables.surface import RIMS
from hupai.scoring.tiles import Tile

BLACK = 0.25
"""Share of the sets that are black."""

LOW = 0.35
"""With rare materials, the share of the cameras that are lowered to less than 42 degrees; others
may be low by chance.
"""

ACROSS = 0.25
"""Share of the rows that run along the line of sight."""

RAILS = 0.3
"""Share of the pictures with rails along the tiles: cloth between these is not a tile."""

FACES = tuple(tile for tile in Tile if tile < Tile.BACK)

Lay = Callable[[np.random.Generator, Proportions], list[PlacedTile]]
"""Lays tiles on an empty table."""


def render_rows(
    seed: int,
    index: int,
    bank: DesignBank,
    longer_side: int = 960,
    cloths: Sequence[Path] = (),
    black: float = BLACK,
    rare: bool = False,
) -> Rendered:
    """Render picture number `index` of a seed.

    The arguments are those of `render_table`; with `rare` more cameras are low, too.
    """
    rng = np.random.default_rng([32, seed, index])
    texture, cloth = random_ground(rng, cloths)
    dress = random_set(rng, bank, cloth, black, rare)
    p = dress.proportions
    lay = LAYOUTS[int(rng.choice(len(LAYOUTS), p=_SHARES))]
    tiles = lay(rng, p)
    if rng.random() < ACROSS:
        tiles = [replace(t, x=-t.y, y=t.x, angle=t.angle + np.pi / 2) for t in tiles]
    size, ground = random_size(rng, p), Ground(p)
    ground.put(tiles, check=False)
    things = lying_about(rng, size, ground) if rng.random() < 0.4 else []
    if rng.random() < RAILS:
        things += _rails(rng, tiles, p)
    table = WholeTable(tuple(tiles), None, random_habit(rng), p, size, tuple(things))
    camera = _camera(rng, table, longer_side, LOW if rare else 0.0)
    return picture_of(rng, table, camera, dress, texture)


def _row(
    rng: np.random.Generator, shown: Sequence[Tile | None], y: float = 0.0, z: float = 0.0
) -> list[PlacedTile]:
    """Lay a row, its middle at x = 0; None stands for a back."""
    step = float(rng.uniform(1.0, 1.05)) if rng.random() < 0.75 else float(rng.uniform(1.05, 1.5))
    uneven = float(rng.choice([0.0, 0.01, 0.04]))
    start = -(len(shown) - 1) / 2 * step
    return [
        PlacedTile(
            _face(rng) if tile is None else tile,
            start + k * step,
            y + float(rng.normal(0, uneven)),
            float(rng.normal(0, uneven)) + float(rng.choice([0, np.pi])) * (tile is None),
            z,
            face_down=tile is None,
        )
        for k, tile in enumerate(shown)
    ]


def _face(rng: np.random.Generator) -> Tile:
    return FACES[int(rng.integers(len(FACES)))]


def _faces(rng: np.random.Generator, count: int) -> list[Tile | None]:
    return [_face(rng) for _ in range(count)]


def backs_alone(rng: np.random.Generator, p: Proportions) -> list[PlacedTile]:
    """Lay one to three rows of backs, sometimes two layers high, sometimes standing."""
    tiles: list[PlacedTile] = []
    apart = p.height * float(rng.uniform(1.0, 1.9))
    high = rng.random() < 0.25
    for k in range(int(rng.choice([1, 2, 3], p=[0.65, 0.25, 0.1]))):
        count = int(rng.integers(1, 19))
        tiles += _row(rng, [None] * count, k * apart)
        if high:
            tiles += _row(rng, [None] * count, k * apart, p.thickness)
    if not high and rng.random() < 0.15:  # standing, their backs towards the camera
        tiles = [replace(t, face_down=False, angle=np.pi, tilt=np.pi / 2) for t in tiles]
    return tiles


def kongs(rng: np.random.Generator, p: Proportions) -> list[PlacedTile]:
    """Lay a row of faces and beside it, or before it, one to four concealed kongs."""
    row = _row(rng, _faces(rng, int(rng.integers(2, 14))))
    tiles = list(row)
    x, y = max(t.x for t in row) + 1.0, 0.0
    if rng.random() < 0.35:
        x, y = float(rng.uniform(-4, 2)), p.height * float(rng.uniform(1.1, 2.0))
    for _ in range(int(rng.choice([1, 1, 1, 2, 3, 4]))):
        face = _face(rng)
        forms: tuple[list[Tile | None], ...] = (
            [None, face, face, None],
            [None] * 4,
            [face, None, None, face],
            [face, face, None, None],
            [None, None, None, face],
        )
        kong = _row(rng, forms[int(rng.choice(5, p=[0.4, 0.36, 0.12, 0.06, 0.06]))])
        x += float(rng.uniform(0.05, 0.9))
        first = kong[0].x
        tiles += [replace(t, x=t.x - first + x, y=t.y + y) for t in kong]
        x += kong[-1].x - first + 1.0
    return tiles


def loose(rng: np.random.Generator, p: Proportions) -> list[PlacedTile]:
    """Lay faces and backs at random angles on a loose grid."""
    share, turn = float(rng.uniform(0.15, 0.85)), float(rng.choice([0.05, 0.3, 3.0]))
    columns = int(rng.integers(2, 8))
    gap = max(1.0, p.height) * float(rng.uniform(1.12, 1.6))
    tiles = []
    for k in range(int(rng.integers(2, 22))):
        down = rng.random() < share
        x, y = k % columns * gap, k // columns * gap * 1.15
        x, y = (np.array([x, y]) + rng.normal(0, 0.05, 2)).tolist()
        angle = float(rng.uniform(-turn, turn))
        tiles.append(PlacedTile(_face(rng), x, y, angle, face_down=bool(down)))
    return tiles


def dragons(rng: np.random.Generator, _p: Proportions) -> list[PlacedTile]:
    """Lay white dragons beside one another and among faces, a few backs with them."""
    shown: list[Tile | None] = [
        *_faces(rng, int(rng.integers(0, 12))),
        *[Tile.WHITE] * int(rng.integers(1, 6)),
        *[None] * int(rng.choice([0, 0, 0, 2, 4])),
    ]
    order = rng.permutation(len(shown)) if rng.random() < 0.6 else range(len(shown))
    return _row(rng, [shown[int(k)] for k in order])


def faces_alone(rng: np.random.Generator, p: Proportions) -> list[PlacedTile]:
    """Lay one to three rows of faces."""
    apart = p.height * float(rng.uniform(1.0, 1.6))
    rows = int(rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1]))
    return [
        tile
        for k in range(rows)
        for tile in _row(rng, _faces(rng, int(rng.integers(1, 15))), k * apart)
    ]


def with_gaps(rng: np.random.Generator, p: Proportions) -> list[PlacedTile]:
    """Lay rows of faces with gaps in which a tile would just fit, or nearly."""
    step = float(rng.choice([1.01, rng.uniform(1.3, 2.2)]))
    apart = p.height * float(rng.uniform(1.01, 1.5))
    columns = int(rng.integers(3, 14))
    rows = int(rng.choice([1, 2, 3, 4], p=[0.5, 0.2, 0.15, 0.15]))
    askew = 0.02 if step < 1.3 else float(rng.choice([0.0, 0.02, 0.15]))
    holes = float(rng.uniform(0.1, 0.45))
    places = [(k, row) for k in range(columns) for row in range(rows)]
    kept = [place for place in places if rng.random() > holes] or places
    return [
        PlacedTile(_face(rng), k * step, row * apart, float(rng.normal(0, askew)))
        for k, row in kept
    ]


def _rails(rng: np.random.Generator, tiles: Sequence[PlacedTile], p: Proportions) -> list[Box]:
    """Return one or two bars along the tiles, as of a table's rim or of a rack."""
    low = np.min([(t.x, t.y) for t in tiles], axis=0)
    high = np.max([(t.x, t.y) for t in tiles], axis=0)
    middle, reach = (low + high) / 2, (high - low) / 2 + p.height / 2
    out = []
    for k in rng.permutation(4)[: int(rng.integers(1, 3))]:
        along = np.array([(0.0, 1.0), (1.0, 0.0)][k % 2])
        across = along[::-1]
        wide, length = float(rng.uniform(0.4, 2.5)), float(rng.uniform(10, 40))
        away = reach @ across + wide / 2 + float(rng.choice([0.02, rng.uniform(0, 0.5)]))
        x, y = (middle + (1 if k < 2 else -1) * away * across + along * rng.normal(0, 2)).tolist()
        size = (length, wide) if along[0] else (wide, length)
        colour = RIMS[int(rng.integers(len(RIMS)))]
        high_up = p.thickness * float(rng.uniform(0.2, 1.5))
        out.append(slab((x, y), (*size, high_up), 0.0, colour, first=True))
    return out


LAYOUTS: tuple[Lay, ...] = (backs_alone, kongs, loose, dragons, faces_alone, with_gaps)
"""What lies on a picture."""

_SHARES = (0.28, 0.24, 0.13, 0.11, 0.08, 0.16)


def _camera(rng: np.random.Generator, table: WholeTable, longer_side: int, low: float) -> Camera:
    """Draw a phone above the tiles, from steep to low, near and far; a share of them low."""
    aspect = float(ASPECTS[int(rng.integers(len(ASPECTS)))])
    width = longer_side if aspect >= 1 else round(longer_side * aspect)
    height = round(longer_side / aspect) if aspect >= 1 else longer_side
    elevation = float(rng.uniform(22, 90)) if rng.random() < 0.6 else float(rng.uniform(45, 90))
    if low and rng.random() < low:
        elevation = float(rng.uniform(15, 42))
    azimuth = float(rng.normal(0, 16)) if rng.random() < 0.8 else float(rng.uniform(-180, 180))
    roll = float(rng.normal(0, 4)) if rng.random() < 0.88 else float(rng.choice([90, 180, 270]))
    view = View(elevation, azimuth, roll, float(rng.uniform(40, 76)), width, height)
    pad = float(rng.uniform(0.7, 1.6))
    points = np.array(
        [[t.x + dx, t.y + dy, 0.0] for t in table.tiles for dx in (-pad, pad) for dy in (-pad, pad)]
    )
    fill = 1.0 - 0.6 * float(rng.random()) ** 1.5
    shift = rng.normal(0, 0.05, 2)
    return Camera(view, points, fill, (float(shift[0]), float(shift[1])))
