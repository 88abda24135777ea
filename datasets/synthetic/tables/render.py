"""Renders whole tables, each from its own seed: picture and truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.designs import DesignBank
from hupai.datasets.synthetic.picture.camera import Camera
from hupai.datasets.synthetic.picture.lens import Lens
from hupai.datasets.synthetic.picture.render import Light
from hupai.datasets.synthetic.scene import Rendered, Scene, TileTruth
from hupai.datasets.synthetic.tables import photo, surface
from hupai.datasets.synthetic.tables.draw import Canvas, cast_shadows, draw, truth
from hupai.datasets.synthetic.tables.scene import EMPTY_SHARE, WholeTable, lay_table, random_camera
from hupai.datasets.synthetic.tables.sets import BLACK_SHARE, STEPS, TileSet, random_set
from hupai.datasets.synthetic.tables.solids import Box, Colour, slab, tile_corners

PHOTOGRAPHED = 0.4
"""Share of the tables that lie on photographed cloth, if there is some."""

LAYOUT = "table"
"""Name of the layout in the truth."""

SKIN = ((236, 188, 160), (224, 172, 140), (198, 134, 96), (150, 98, 66), (96, 62, 44))
"""Tones of hands, RGB."""


WITH_FLOOR = 0.35
"""Share of the pictures with boards, parquet or flags around the table."""

WITH_TRAYS = 0.3
"""Share of the rims with trays."""


def render_table(
    seed: int,
    index: int,
    bank: DesignBank,
    longer_side: int = 960,
    cloths: Sequence[Path] = (),
    black: float = BLACK_SHARE,
    rare: bool = False,
    empty: float = EMPTY_SHARE,
) -> Rendered:
    """Render whole table number `index` of a seed; the same arguments give the same picture.

    Args:
        seed, index: decide everything.
        bank: the tile designs.
        longer_side: longer side of the picture, pixels.
        cloths: pictures of real cloth (`hupai.datasets.real.cloth`), on which some tables lie.
        black, rare: black sets and rare materials, see `random_set`.
        empty: share of tables without a tile.
    """
    rng = np.random.default_rng([31, seed, index])
    texture, cloth = random_ground(rng, cloths)
    dress = random_set(rng, bank, cloth, black, rare)
    table = lay_table(rng, dress.proportions, empty)
    camera = random_camera(rng, table, longer_side)
    return picture_of(rng, table, camera, dress, texture)


def random_ground(
    rng: np.random.Generator, cloths: Sequence[Path] = ()
) -> tuple[NDArray[np.uint8], Colour]:
    """Draw the surface that tiles lie on; return its square texture, and its colour."""
    kind = str(
        rng.choice(["felt", "wood", "plain", "print", "marble"], p=[0.66, 0.14, 0.08, 0.06, 0.06])
    )
    cloth = _cloth(rng, kind)
    texture = surface.textured(rng, cloth, kind)
    if cloths and rng.random() < PHOTOGRAPHED:
        texture, cloth = _photographed(rng, cloths[int(rng.integers(len(cloths)))])
    return texture, cloth


def picture_of(
    rng: np.random.Generator,
    table: WholeTable,
    camera: Camera,
    dress: TileSet,
    cloth: NDArray[np.uint8],
    faults: float | None = None,
) -> Rendered:
    """Draw a table as a camera sees it and photograph it.

    Args:
        cloth: texture of the table, square, uint8 RGB.
        faults: strength of the photo's defects, 0 to 1. If it is given, no hand reaches in, and the
            picture is neither bent nor stretched; otherwise all of this is random.
    """
    view = camera.view
    light = _light(rng)
    image = surface.room(rng, view.height, view.width)
    _ground(rng, image, camera, table, cloth)
    dress.rows = _rows(table, camera)
    boxes = [*_rims(rng, table), *table.boxes()]
    canvas = Canvas(image, np.full(image.shape[:2], -1, np.int16))
    if dress.gloss > 0.1:
        canvas.sheen = photo.sheen(rng, view.height, view.width)
    draw(canvas, [b for b in boxes if b.first], table.tiles, dress, camera, light, rng)
    cast_shadows(canvas.image, boxes, camera, light)
    draw(canvas, [b for b in boxes if not b.first], table.tiles, dress, camera, light, rng)
    if faults is None and rng.random() < 0.12:
        _reach_in(rng, canvas)
    found = truth(canvas.owner, table.tiles, boxes, camera)
    picture = canvas.image
    if faults is None and rng.random() < 0.22:
        lens = Lens(float(np.clip(rng.normal(0, 0.03), -0.08, 0.08)))
        picture = photo.bent(picture, lens)
        found = tuple(replace(t, quad=lens.points(t.quad, view.width, view.height)) for t in found)
    strength = float(rng.uniform(0.2, 1.0)) if faults is None else faults
    done = photo.photograph(rng, picture, strength)
    if rng.random() < 0.15 and faults is None:
        done, found = _stretched(rng, done, found)
    hidden = Scene(table.tiles, (), table.hand, table.proportions, LAYOUT)
    return Rendered(done, found, hidden)


def _cloth(rng: np.random.Generator, kind: str) -> Colour:
    if kind == "wood":
        base = np.array((165, 115, 70)) * rng.uniform(0.5, 1.4)
    elif kind == "felt" and rng.random() < 0.75:
        base = np.array(surface.CLOTHS[int(rng.integers(len(surface.CLOTHS)))], float)
    else:
        base = rng.uniform(20, 235) + rng.normal(0, 40, 3)
    r, g, b = np.clip(base + rng.normal(0, 12, 3), 5, 245).tolist()
    return r, g, b


def _photographed(rng: np.random.Generator, path: Path) -> tuple[NDArray[np.uint8], Colour]:
    """Read a piece of real cloth, in its own or another tone; return texture and mean colour."""
    piece = cv2.imread(str(path))
    if piece is None:
        raise FileNotFoundError(f"{path} is not a picture that OpenCV can read")
    texture = surface.seamless(cv2.cvtColor(piece, cv2.COLOR_BGR2RGB).astype(np.uint8))
    if rng.random() < 0.5:
        hsv = cv2.cvtColor(texture, cv2.COLOR_RGB2HSV).astype(np.int16)
        hsv += np.array(
            [int(rng.integers(180)), int(rng.integers(-40, 60)), int(rng.integers(-40, 40))]
        )
        hsv[..., 0] %= 180
        toned = np.clip(hsv, 0, 255).astype(np.uint8)
        texture = cv2.cvtColor(toned, cv2.COLOR_HSV2RGB).astype(np.uint8)
    r, g, b = texture.mean((0, 1)).tolist()
    return texture, (r, g, b)


def _light(rng: np.random.Generator) -> Light:
    turn, height = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.4, 0.95))
    return Light(turn, height, float(rng.uniform(0.4, 0.8)), float(rng.uniform(0.05, 0.55)))


def _rows(table: WholeTable, camera: Camera) -> int:
    """Return the height of the largest tile on the picture, pixels, as a step of `STEPS`."""
    if not table.tiles:
        return STEPS[0]
    corners = np.stack([tile_corners(t, table.proportions)[:4] for t in table.tiles]).reshape(-1, 3)
    pixels, ahead = camera.project(corners).reshape(-1, 4, 2), camera.depth(corners).reshape(-1, 4)
    inside = (ahead.min(1) > 1) & (pixels.max(1) > 0).all(1)
    inside &= (pixels.min(1) < (camera.view.width, camera.view.height)).all(1)
    tall = np.linalg.norm(pixels[:, 0] - pixels[:, 3], axis=1)[inside]
    return next((s for s in STEPS if s >= tall.max(initial=0.0)), STEPS[-1])


def _ground(
    rng: np.random.Generator,
    image: NDArray[np.uint8],
    camera: Camera,
    table: WholeTable,
    cloth: NDArray[np.uint8],
) -> None:
    """Paint the floor, the table's top, and the lines that are printed on it."""
    half = table.size.half
    square = np.array([[-1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, -1.0, 0.0]])
    endless = rng.random() < 0.3
    if not endless and rng.random() < WITH_FLOOR:
        below = float(rng.choice([rng.uniform(0.5, 3.0), rng.uniform(10, 32)]))
        floor = square * (half * 12, half * 12, 1) - (0, 0, below)
        surface.paint_plane(image, camera, surface.floor(rng), floor, float(rng.uniform(10, 60)))
    reach = half * (12.0 if endless else 1.0)
    surface.paint_plane(image, camera, cloth, square * (reach, reach, 1), float(rng.uniform(8, 22)))
    if rng.random() < 0.35:
        ink = tuple(float(c) for c in rng.uniform(0, 70, 3))
        for low, high, near, far in _lines(rng, half):
            for turn in range(4):
                frame = np.array([[low, near, 0], [high, near, 0], [high, far, 0], [low, far, 0]])
                c, s = np.cos(turn * np.pi / 2), np.sin(turn * np.pi / 2)
                points = frame @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
                if camera.depth(points).min() > 1:
                    flat = np.round(np.clip(camera.project(points), -9000, 9000)).astype(np.int32)
                    cv2.polylines(image, [flat], True, ink, 1, cv2.LINE_AA)


def _lines(rng: np.random.Generator, half: float) -> list[tuple[float, float, float, float]]:
    wide = float(rng.uniform(0.5, 0.7)) * half
    near = -half * float(rng.uniform(0.6, 0.75))
    return [(-wide, wide, near, near - 2.0), (-wide, wide, -half * 0.95, -half * 0.85)][
        : int(rng.integers(1, 3))
    ]


def _rims(rng: np.random.Generator, table: WholeTable) -> list[Box]:
    """Return the table's edge: four bars around the cloth, or none."""
    if rng.random() < 0.25:
        return []
    half = table.size.half
    wide, high = float(rng.uniform(0.8, 4.5)), float(rng.choice([0.1, 0.5, 1.0]))
    base = surface.RIMS[int(rng.integers(len(surface.RIMS)))]
    r, g, b = np.clip(np.array(base) + rng.normal(0, 10, 3), 0, 255).tolist()
    long, at = 2 * half + 2 * wide, half + wide / 2
    spots = (((0.0, -at), 0.0), ((at, 0.0), np.pi / 2), ((0.0, at), 0.0), ((-at, 0.0), np.pi / 2))
    rims = [slab(place, (long, wide, high), angle, (r, g, b), first=True) for place, angle in spots]
    if rng.random() < WITH_TRAYS:
        in_rim = trays(rng, wide, long, (r, g, b))
        for (x, y), angle in spots:
            c, s = float(np.cos(angle)), float(np.sin(angle))
            rims += [
                slab((x + along * c, y + along * s), (length, deep, 0.02), angle, colour, z=high)
                for along, length, deep, colour in in_rim
            ]
    return rims


def trays(
    rng: np.random.Generator, wide: float, long: float, rim: Colour
) -> list[tuple[float, float, float, Colour]]:
    """Draw the trays for sticks and tiles in a rim.

    Args:
        wide, long: sides of the rim, tile widths.
        rim: colour of the rim.

    Returns:
        Place along the rim, length and depth, tile widths, and colour of each.
    """
    deep = wide * float(rng.uniform(0.3, 0.8))
    length = float(rng.uniform(1.0, 8.0))
    step = length + float(rng.choice([0.06, rng.uniform(0.1, 0.8)]))
    count = min(int(rng.integers(1, 12)), int(long / step))
    middle = float(rng.uniform(-0.5, 0.5)) * (long - count * step)
    shade = np.clip(np.array(rim) * rng.uniform(0.5, 1.4) + rng.normal(0, 10, 3), 0, 255)
    r, g, b = shade.tolist()
    return [(middle + (k - (count - 1) / 2) * step, length, deep, (r, g, b)) for k in range(count)]


def _reach_in(rng: np.random.Generator, canvas: Canvas) -> None:
    """Draw a hand that reaches in from an edge of the picture and covers tiles."""
    height, width = canvas.owner.shape
    thick = max(4, round(float(rng.uniform(0.018, 0.05)) * max(height, width)))
    tone = np.array(SKIN[int(rng.integers(len(SKIN)))]) * float(rng.uniform(0.7, 1.1))
    tip = rng.uniform(0.1, 0.9, 2) * (width, height)
    heading = float(rng.uniform(0, 2 * np.pi))
    covered = np.zeros((height, width), np.uint8)
    along = np.array([np.cos(heading), np.sin(heading)])
    palm = tip + along * thick * 4.5
    for k in range(int(rng.integers(1, 5))):
        side = np.array([-along[1], along[0]]) * thick * 1.1 * (k - 1.5)
        end = tip + side + along * thick * float(rng.uniform(0, 1.3))
        _limb(canvas.image, covered, end, palm + side * 0.8, thick, tone)
    wrist = palm + along * 3 * max(height, width)
    _limb(canvas.image, covered, palm, wrist, round(thick * float(rng.uniform(3.4, 4.6))), tone)
    canvas.owner[covered > 0] = -1


def _limb(
    image: NDArray[np.uint8],
    covered: NDArray[np.uint8],
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    thick: int,
    tone: NDArray[np.float64],
) -> None:
    """Draw a round bar, brighter towards its middle."""
    a, b = np.round(start).astype(int).tolist(), np.round(end).astype(int).tolist()
    cv2.line(covered, a, b, 255, thick)
    for share, gain in ((1.0, 0.68), (0.86, 0.8), (0.68, 0.9), (0.46, 0.97), (0.22, 1.0)):
        colour = np.clip(tone * gain, 0, 255).tolist()
        cv2.line(image, a, b, colour, max(1, round(thick * share)), cv2.LINE_AA)


def _stretched(
    rng: np.random.Generator, picture: NDArray[np.uint8], found: tuple[TileTruth, ...]
) -> tuple[NDArray[np.uint8], tuple[TileTruth, ...]]:
    """Squeeze a picture and its truth in width or height, as some sources do with their photos."""
    factor = float(np.exp(rng.uniform(-0.5, 0.5)))
    by = np.array([min(factor, 1.0), min(1 / factor, 1.0)], np.float32)
    height, width = picture.shape[:2]
    size = (round(width * float(by[0])), round(height * float(by[1])))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    return small, tuple(replace(t, quad=t.quad * by) for t in found)
