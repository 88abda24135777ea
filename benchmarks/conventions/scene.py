"""Photographs a table laid in another convention, and simulates a perfect detector.

Lengths on the table are in tile widths, on the photo in pixels; angles are radians. Tiles have no
thickness and lenses do not distort: these tables only test how hands are laid.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.conventions.families import Style, one_of, random_hand, random_style
from benchmarks.conventions.laying import QUARTER, Row, apart, corners, extent, lay, moved, other
from benchmarks.layout.table import LaidTable, perfect_detections, share_on_photo
from hupai.datasets.synthetic.scene import PlacedTile
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile

Array = NDArray[np.float64]

EDGE_ERROR = 0.015
"""Standard deviation of a box's edges, as a share of its shorter side."""

AXIS_ERROR = 0.04
"""Standard deviation of an axis, radians."""

LONGEST_SIDE = 4500
"""Maximum longer side of a photo, pixels."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table(LaidTable):
    """A table of a family.

    Attributes:
        family: name of the convention.
        style: how the hand was laid.
    """

    family: str
    style: Style


def table(family: str, seed: int) -> Table:
    """Lay the table of a family and a seed; the hand is on the photo, and no tiles overlap."""
    rng = np.random.default_rng([zlib.crc32(family.encode()), seed])
    while True:
        style = random_style(family, rng)
        hand = random_hand(style, rng)
        own = lay(hand, style, rng)
        if not all(apart(a, b, style.height) for i, a in enumerate(own) for b in own[:i]):
            continue
        tiles = own + _surroundings(own, hand, style, rng)
        quads, size = _photo(own, tiles, style, rng)
        if all(quad is not None and share_on_photo(quad, size) == 1 for quad in quads[: len(own)]):
            break
    seen = [
        (tile, quad)
        for tile, quad in zip(tiles, quads, strict=True)
        if quad is not None and share_on_photo(quad, size) > 0.5
    ]
    kept, shown = tuple(tile for tile, _ in seen), tuple(quad for _, quad in seen)
    edges = rng.normal(0.0, EDGE_ERROR, (len(kept), 4))
    turns = rng.normal(0.0, AXIS_ERROR, len(kept))
    return Table(
        seed=seed,
        hand=hand,
        tiles=kept,
        quads=shown,
        size=size,
        detections=perfect_detections(kept, shown, size, edges, turns),
        winning_inside=style.winning == "inside",
        kongs_down=style.concealed_kong == "all_down",
        family=family,
        style=style,
    )


def _surroundings(
    own: list[PlacedTile], hand: Hand, style: Style, rng: np.random.Generator
) -> list[PlacedTile]:
    """Lay what else is on the table; a tile that would overlap an earlier one is skipped."""
    rest = list((Counter(dict.fromkeys(PLAYABLE, 4)) - Counter(hand.all_tiles)).elements())
    rest = [rest[i] for i in rng.permutation(len(rest))]
    tiles: list[PlacedTile] = []
    for kind in style.surroundings:
        match kind:
            case "pond":
                more = _pond(own, rest, style, rng)
            case "players":
                more = _players(
                    own,
                    rest,
                    [flower for flower in FLOWERS if flower not in hand.flowers],
                    style,
                    rng,
                )
            case "wall":
                more = _wall(own, style, rng)
            case "loose":
                more = _loose(own, rest, style, rng)
        for tile in more:
            if all(apart(tile, one, style.height) for one in [*own, *tiles]):
                tiles.append(tile)
    return tiles


def _pond(
    own: list[PlacedTile], rest: list[Tile], style: Style, rng: np.random.Generator
) -> list[PlacedTile]:
    """Lay five to 21 discards before the hand in three rows, the first six farthest away."""
    hand = extent(own, style.height)
    neat = replace(style, turn=0.06, jitter=0.05, drift=0.01)
    tiles: list[PlacedTile] = []
    count = int(rng.integers(5, 22))
    for first, last in ((0, 6), (6, 12), (12, count)):  # the third row takes what is left
        row = Row(neat, rng)
        for _ in range(first, min(last, count)):
            row.put(other(rest.pop()))
        tiles += moved(row.tiles, 0.0, (12 - first) / 6 * (style.height + 0.12))
    return moved(
        tiles,
        hand.middle[0] - 3 + rng.uniform(-2.0, 2.0),
        hand.far + rng.uniform(2.5, 5.0) * style.height,
    )


def _players(
    own: list[PlacedTile],
    rest: list[Tile],
    flowers: list[Tile],
    style: Style,
    rng: np.random.Generator,
) -> list[PlacedTile]:
    """Lay melds, a flower and backs of one to three other players at their sides of the table."""
    hand = extent(own, style.height)
    sides = [("left", "right", "across")[i] for i in rng.permutation(3)]
    tiles: list[PlacedTile] = []
    for side in sides[: int(rng.integers(1, 4))]:
        row = _player(rest, flowers, style, rng)
        away = rng.uniform(2.5, 6.0) * style.height
        match side:
            case "left":
                there = moved(row, 0.0, 0.0, -QUARTER)
                at = extent(there, style.height)
                x, y = hand.left - away - at.right, hand.near + rng.uniform(0.0, 4.0) - at.near
            case "right":
                there = moved(row, 0.0, 0.0, QUARTER)
                at = extent(there, style.height)
                x, y = hand.right + away - at.left, hand.near + rng.uniform(0.0, 4.0) - at.near
            case _:
                there = moved(row, 0.0, 0.0, math.pi)
                at = extent(there, style.height)
                x, y = (
                    hand.middle[0] + rng.uniform(-3.0, 3.0) - at.middle[0],
                    hand.far + away + 4 - at.near,
                )
        tiles += moved(there, x, y)
    return tiles


def _player(
    rest: list[Tile], flowers: list[Tile], style: Style, rng: np.random.Generator
) -> list[PlacedTile]:
    """Lay the tiles of another player, in that player's frame."""
    row = Row(replace(style, centred=False), rng)
    for _ in range(int(rng.integers(1, 4))):
        claimed = int(rng.integers(3))
        for i, face in enumerate(_random_set(rest)):
            row.put(other(face), i == claimed)
        row.leave(rng.uniform(0.2, 1.0))
    if rng.random() < 0.3:
        row.leave(0.6)
        row.put(other(flowers.pop(int(rng.integers(len(flowers))))))
    if rng.random() < 0.4:
        row.leave(rng.uniform(0.5, 1.5))
        for _ in range(int(rng.integers(4, 11))):
            row.put(other(rest.pop(), face_down=True))
    return row.tiles


def _random_set(rest: list[Tile]) -> tuple[Tile, ...]:
    """Draw a pung or chow from the tiles that remain."""
    while True:
        face = rest.pop()
        sets = [(face, face, face)]
        if face.is_suited and face.rank <= 7:
            sets.append((face, Tile(face + 1), Tile(face + 2)))
        for tiles in sets:
            if not Counter(tiles[1:]) - Counter(rest):
                for tile in tiles[1:]:
                    rest.remove(tile)
                return tiles


def _wall(own: list[PlacedTile], style: Style, rng: np.random.Generator) -> list[PlacedTile]:
    """Lay five to 18 backs in a row before the hand."""
    hand = extent(own, style.height)
    row = Row(replace(style, turn=0.01, jitter=0.01, drift=0.01), rng)
    for _ in range(int(rng.integers(5, 19))):
        row.put(other(Tile.M1, face_down=True))
    x = rng.uniform(hand.left - 2, max(hand.left, hand.right - 3))
    return moved(
        row.tiles, x, hand.far + rng.uniform(0.8, 3.0) * style.height, rng.uniform(-0.05, 0.05)
    )


def _loose(
    own: list[PlacedTile], rest: list[Tile], style: Style, rng: np.random.Generator
) -> list[PlacedTile]:
    """Lay two to seven tiles at any angle, or about square to the table, not close to the hand."""
    hand = extent(own, style.height)
    tiles = []
    for _ in range(int(rng.integers(2, 8))):
        square = one_of(rng, 0.0, QUARTER) + rng.normal(0.0, 0.08)
        tile = PlacedTile(
            rest.pop(),
            rng.uniform(hand.left - 5, hand.right + 5),
            rng.uniform(hand.near - 1, hand.far + 8),
            rng.uniform(0.0, 2 * math.pi) if rng.random() < 0.6 else square,
            face_down=bool(rng.random() < 0.15),
        )
        if all(apart(tile, one, style.height, space=1.5) for one in own):
            tiles.append(tile)
    return tiles


@dataclass(frozen=True, slots=True, eq=False)
class _Camera:
    """A pinhole camera that looks at a point of the table.

    Attributes:
        right, down: directions of the photo's axes on the table, unit vectors of shape (3,), z up.
        back: from the table to the camera, as these.
        aim: the point it looks at, shape (3,), z = 0.
        distance: to that point.
        focal: focal length; 1 is the longer side of the photo.
    """

    right: Array
    down: Array
    back: Array
    aim: Array
    distance: float
    focal: float

    def project(self, points: Array) -> Array | None:
        """Project points (n, 2) of the table; None if one is not before the camera.

        The result (n, 2) is in longer sides of the photo, from its middle.
        """
        ray = np.column_stack([points, np.zeros(len(points))]) - (
            self.aim + self.distance * self.back
        )
        depth = -(ray @ self.back)
        if depth.min() < 0.5:
            return None
        seen: Array = (
            self.focal * np.column_stack([ray @ self.right, ray @ self.down]) / depth[:, None]
        )
        return seen


def _photo(
    own: list[PlacedTile], tiles: list[PlacedTile], style: Style, rng: np.random.Generator
) -> tuple[list[Array | None], tuple[int, int]]:
    """Return the corners of each tile on a photo, None behind the camera, and the photo's size."""
    width, height = one_of(rng, (4, 3), (4, 3), (3, 4), (16, 9), (1, 1))
    frame = np.array([width, height]) / max(width, height)
    camera = _framed(
        _random_camera(style, rng),
        np.vstack([corners(tile, style.height) for tile in own]),
        frame,
        rng,
    )
    seen = [camera.project(corners(tile, style.height)) for tile in tiles]
    side = float(
        np.median(
            [math.sqrt(_area(quad) / style.height) for quad in seen[: len(own)] if quad is not None]
            or [1.0]
        )
    )
    scale = min(rng.uniform(25.0, 80.0) / side, LONGEST_SIDE)
    columns, rows = np.rint(frame * scale).astype(int).tolist()
    return [None if quad is None else (quad + frame / 2) * scale for quad in seen], (columns, rows)


def _random_camera(style: Style, rng: np.random.Generator) -> _Camera:
    """Draw a camera at the style's elevation, in portrait or landscape, slightly rotated."""
    around = (
        rng.uniform(0.0, 2 * math.pi)
        if rng.random() < style.any_side
        else rng.uniform(-math.pi / 6, math.pi / 6)
    )
    on_its_side = one_of(rng, QUARTER, -QUARTER) if rng.random() < 0.08 else 0.0
    roll = on_its_side + rng.normal(0.0, math.radians(4))
    flat, high = math.cos(style.elevation), math.sin(style.elevation)
    back = np.array([flat * math.sin(around), -flat * math.cos(around), high])
    level = np.array([math.cos(around), math.sin(around), 0.0])
    up = np.cross(back, level)
    right, down = (
        math.cos(roll) * level + math.sin(roll) * up,
        math.sin(roll) * level - math.cos(roll) * up,
    )
    focal = 0.5 / math.tan(rng.uniform(math.radians(40), math.radians(75)) / 2)
    return _Camera(right, down, back, np.zeros(3), 30.0, focal)


def _framed(camera: _Camera, points: Array, frame: Array, rng: np.random.Generator) -> _Camera:
    """Move the camera so that points (n, 2) of the table fill 0.55 to 0.93 of the photo."""
    fill = rng.uniform(0.55, 0.93)
    off = rng.uniform(-1.0, 1.0, 2) * (1 - fill) * 0.35 * frame
    camera = replace(camera, aim=np.append((points.min(0) + points.max(0)) / 2, 0.0))
    for _ in range(40):
        seen = camera.project(points)
        if seen is None:
            camera = replace(camera, distance=camera.distance * 1.5)
            continue
        low, high = seen.min(0), seen.max(0)
        distance = camera.distance * (0.5 + 0.5 * float(((high - low) / frame).max()) / fill)
        across, along = ((low + high) / 2 - off) * distance / camera.focal
        step = across * camera.right + along * camera.down
        on_table = step - camera.back * step[2] / camera.back[2]
        camera = replace(camera, distance=distance, aim=camera.aim + 0.6 * on_table)
    return camera


def _area(quad: Array) -> float:
    """Return the area of a quad (4, 2), by its diagonals."""
    (ax, ay), (bx, by) = quad[2] - quad[0], quad[3] - quad[1]
    return abs(float(ax * by - ay * bx)) / 2
