"""Measures how many face-down tiles and blank white dragons are found and classified correctly.

Draws tables with its own small ray caster, whose backs have nothing in common with those of
`hupai.datasets.synthetic` and of the classifier's training: lacquer, grained bamboo, clear
acrylic, medallions, cloud scrolls, marble, black, and the colour of the cloth. Half of the tables
show backs beside faces (concealed kongs, rows), a quarter backs alone, a quarter blank white
dragons in a row of faces.

    python -m benchmarks.backs [--scenes 80] [--model NAME] [--look SHEET.png]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.faces.svg import face_rgba
from hupai.datasets.synthetic.contact_sheet import tiled
from hupai.models import registry
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import centres
from hupai.vision.types import Image

WIDTH, HEIGHT = 960, 720
"""Size of a picture, pixels."""

LENGTH, THICKNESS = 1.36, 0.8
"""Length and thickness of a tile in widths."""

REACH = 0.45
"""Greatest distance of a detection's centre from a tile's to match it, in the tile's shorter side.
"""

_SIZE = 96
"""Width of a drawn face, pixels."""

Array = NDArray[np.float64]
Paint = Callable[[np.random.Generator, Array], Array]
"""Draws a back on a grid (h, w, 2) from -1 to 1, given the cloth's colour; returns (h, w, 3)."""

COLOURS = ((0, 106, 78), (16, 52, 166), (226, 108, 28), (128, 0, 32), (242, 184, 28),
           (214, 92, 146), (96, 60, 36), (186, 150, 88), (70, 140, 200), (110, 110, 112),
           (84, 36, 110), (150, 190, 60))  # fmt: skip
CLOTHS = ((18, 96, 58), (26, 62, 110), (120, 30, 40), (150, 112, 74), (205, 200, 190), (60, 60, 64))


@dataclass(frozen=True, slots=True)
class Shown:
    """A tile of a drawn table.

    Attributes:
        tile: what the camera sees of it.
        quad: corners of its upper face, pixels, shape (4, 2).
        kind: material of a back, "blank" for a blank white dragon, "face" otherwise.
    """

    tile: Tile
    quad: Array
    kind: str


def _grid(height: int, width: int) -> tuple[Array, Array]:
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    return x, y


def _colour(rng: np.random.Generator) -> Array:
    return np.clip(np.array(COLOURS[int(rng.integers(len(COLOURS)))]) + rng.normal(0, 9, 3), 0, 255)


def _noise(rng: np.random.Generator, height: int, width: int, coarse: tuple[int, int]) -> Array:
    small = rng.random((max(2, coarse[0]), max(2, coarse[1]))).astype(np.float32)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC).astype(float)


def _plain(rng: np.random.Generator, _cloth: Array, h: int, w: int) -> Array:
    return np.tile(_colour(rng), (h, w, 1))


def _bamboo(rng: np.random.Generator, _cloth: Array, h: int, w: int) -> Array:
    fibres = _noise(rng, h, w, (3, w // 2)) + 0.5 * _noise(rng, h, w, (6, w // 5))
    node = np.exp(-(((np.arange(h) / h - rng.uniform(0.2, 0.8)) / 0.03) ** 2))[:, None] * 0.35
    tone = (0.75 + 0.22 * fibres - node)[..., None]
    return np.array((214, 176, 108)) * tone


def _acrylic(rng: np.random.Generator, cloth: Array, h: int, w: int) -> Array:
    x, y = _grid(h, w)
    tint = _colour(rng)
    edge = np.clip((np.maximum(np.abs(x), np.abs(y)) - 0.78) * 4, 0, 1)[..., None]
    caustic = np.exp(-((x + 0.6 * y - rng.uniform(-0.6, 0.6)) ** 2) * 18)[..., None]
    back: Array = cloth * 0.55 + tint * 0.45 + 70 * edge + 55 * caustic
    return back


def _medallion(rng: np.random.Generator, _cloth: Array, h: int, w: int) -> Array:
    x, y = _grid(h, w)
    radius, angle = np.hypot(x, y * LENGTH), np.arctan2(y, x)
    petals = 0.5 + 0.12 * np.cos(int(rng.integers(4, 9)) * angle)
    inside = ((radius < petals) & (radius > petals * 0.45))[..., None]
    return np.where(inside, _colour(rng) * 0.6 + 90, np.tile(_colour(rng), (h, w, 1)))


def _scrolls(rng: np.random.Generator, _cloth: Array, h: int, w: int) -> Array:
    x, y = _grid(h, w)
    waves = np.zeros((h, w))
    for _ in range(6):
        cx, cy = rng.uniform(-1, 1, 2)
        waves = np.maximum(waves, np.cos(np.hypot(x - cx, y - cy) * rng.uniform(18, 30)))
    base = _colour(rng)
    return base + (waves > 0.75)[..., None] * (200 - base) * 0.5


def _marble(rng: np.random.Generator, _cloth: Array, h: int, w: int) -> Array:
    x, y = _grid(h, w)
    vein = np.abs(np.sin(4 * (x + 0.7 * y) + 5 * _noise(rng, h, w, (5, 4))))[..., None]
    return _colour(rng) * (0.65 + 0.5 * vein**0.4)


def _black(rng: np.random.Generator, _cloth: Array, h: int, w: int) -> Array:
    return np.tile(np.full(3, rng.uniform(14, 42)), (h, w, 1))


def _like_cloth(rng: np.random.Generator, cloth: Array, h: int, w: int) -> Array:
    return np.tile(cloth * rng.uniform(0.85, 1.15) + rng.normal(0, 6, 3), (h, w, 1))


MATERIALS = {
    "plain": _plain, "bamboo": _bamboo, "acrylic": _acrylic, "medallion": _medallion,
    "scrolls": _scrolls, "marble": _marble, "black": _black, "cloth-coloured": _like_cloth,
}  # fmt: skip


class _Camera:
    """A pinhole camera that looks at the middle of the table."""

    def __init__(self, rng: np.random.Generator, span: float) -> None:
        elevation, azimuth = np.radians(rng.uniform(42, 88)), rng.normal(0, 0.25)
        back = np.array([
            np.cos(elevation) * np.sin(azimuth), -np.cos(elevation) * np.cos(azimuth),
            np.sin(elevation),
        ])  # fmt: skip
        right = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
        self._axes = np.stack([right, -np.cross(back, right), -back])
        self.position = back * span * rng.uniform(1.1, 1.6)
        self.focal = WIDTH * 0.95

    def project(self, points: Array) -> Array:
        """Return pixels (n, 2) of points (n, 3)."""
        seen = (points - self.position) @ self._axes.T
        pixels: Array = seen[:, :2] / seen[:, 2:] * self.focal + np.array([WIDTH, HEIGHT]) / 2
        return pixels


def _gloss(rng: np.random.Generator, h: int, w: int, strength: float) -> Array:
    """Return the reflection of a lamp on a slightly curved lacquer (h, w, 1)."""
    x, y = _grid(h, w)
    lx, ly = rng.uniform(-1.6, 1.6, 2)
    facing = 1 / np.sqrt(1 + (0.55 * (x - lx)) ** 2 + (0.55 * (y - ly)) ** 2)
    return strength * np.asarray(facing[..., None]) ** 40


def _bevel(h: int, w: int) -> Array:
    """Return the light on the rounded rim of a face (h, w, 1), as a factor."""
    x, y = _grid(h, w)
    rim = np.clip(1 - np.minimum((1 - np.abs(x)) * w, (1 - np.abs(y)) * h) / 8, 0, 1)
    edges = 0.35 * (y < -0.9) - 0.4 * (y > 0.9) - 0.3 * (np.abs(x) > 0.9)
    return np.asarray((1 + rim * edges)[..., None])


def draw_table(rng: np.random.Generator, layout: str) -> tuple[Image, list[Shown], str]:
    """Draw a table; return the picture, what it shows, and the material of its backs."""
    cloth = np.array(CLOTHS[int(rng.integers(len(CLOTHS)))], float) + rng.normal(0, 6, 3)
    grain = rng.normal(0, rng.uniform(1, 5), (HEIGHT, WIDTH, 1))
    patches = _noise(rng, HEIGHT, WIDTH, (4, 5))[..., None] * 14 - 7
    canvas = np.clip(cloth + grain + patches, 0, 255)
    kind = str(rng.choice(list(MATERIALS)))
    material_seed = int(rng.integers(1 << 30))
    body = np.array((246, 242, 230), float) + rng.normal(0, 6, 3)
    strength = float(rng.choice([0, 60, 140]))
    placed = _places(rng, layout)
    span = float(np.ptp([x for x, _, _ in placed])) + 2.5
    camera = _Camera(rng, max(span, 8.0))
    side = np.clip(MATERIALS[kind](np.random.default_rng(material_seed), cloth, 4, 4), 0, 255)
    side_colour = side.mean((0, 1))
    light = float(rng.uniform(0.7, 1.05))
    shown = []
    order = sorted(placed, key=lambda p: -np.hypot(*(np.array(p[:2]) - camera.position[:2])))
    for x, y, tile in order:
        turn = rng.normal(0, 0.03)
        c, s = np.cos(turn), np.sin(turn)
        corners = np.array([(-0.5, LENGTH / 2), (0.5, LENGTH / 2), (0.5, -LENGTH / 2),
                            (-0.5, -LENGTH / 2)])  # fmt: skip
        flat = corners @ np.array([[c, s], [-s, c]]) + (x, y)
        top = camera.project(np.column_stack([flat, np.full(4, THICKNESS)]))
        split = THICKNESS * (0.6 if tile is Tile.BACK else 0.4)
        levels = ((0.0, split, body if tile is Tile.BACK else side_colour),
                  (split, THICKNESS, side_colour if tile is Tile.BACK else body))  # fmt: skip
        for z0, z1, colour in levels:
            for k in range(4):
                edge = flat[[k, (k + 1) % 4]]
                wall = np.array([(*edge[0], z0), (*edge[1], z0), (*edge[1], z1), (*edge[0], z1)])
                shade = 0.62 + 0.12 * (k % 2)
                outline = camera.project(wall).round().astype(np.int32)
                cv2.fillConvexPoly(canvas, outline, (colour * shade * light).tolist())
        h, w = round(_SIZE * LENGTH), _SIZE
        if tile is Tile.BACK:
            face = MATERIALS[kind](np.random.default_rng(material_seed), cloth, h, w)
            face = face * light + _gloss(rng, h, w, strength)
        else:
            face = np.tile(body, (h, w, 1))
            if tile is not Tile.WHITE:
                art = cv2.resize(face_rgba(tile, h), (w, h), interpolation=cv2.INTER_AREA)
                alpha = art[..., 3:].astype(float) / 255
                face = face * (1 - alpha) + art[..., :3] * alpha
            face = face * light + _gloss(rng, h, w, strength * 0.3)
        _lay(canvas, np.clip(face * _bevel(h, w), 0, 255), top)
        name = kind if tile is Tile.BACK else "blank" if tile is Tile.WHITE else "face"
        shown.append(Shown(tile, top, name))
    blur = float(rng.uniform(0.4, 1.1))
    photo = cv2.GaussianBlur(canvas, (0, 0), blur) + rng.normal(0, rng.uniform(1, 5), canvas.shape)
    _, jpeg = cv2.imencode(".jpg", np.clip(photo, 0, 255).astype(np.uint8)[..., ::-1],
                           [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 95))])  # fmt: skip
    decoded: Any = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
    return cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB).astype(np.uint8), shown, kind


def _places(rng: np.random.Generator, layout: str) -> list[tuple[float, float, Tile]]:
    """Return position and upper side of each tile of a layout."""
    faces: list[Tile] = [tile for tile in Tile if tile < Tile.BACK and tile is not Tile.WHITE]
    drawn = [faces[int(k)] for k in rng.integers(0, 34 - 1, 16)]
    gap = float(rng.uniform(1.0, 1.04))
    if layout == "kong":
        row = drawn[: int(rng.integers(8, 12))]
        same = faces[int(rng.integers(33))]
        kong: list[Tile] = (
            [Tile.BACK, same, same, Tile.BACK] if rng.random() < 0.6 else [Tile.BACK] * 4
        )
        tiles: list[tuple[float, float, Tile]]
        tiles = [(k * gap, 0.0, tile) for k, tile in enumerate(row)]
        start = len(row) * gap + 0.6
        tiles += [(start + k * gap, 0.0, tile) for k, tile in enumerate(kong)]
    elif layout == "alone":
        count = int(rng.integers(5, 16))
        tiles = [(k * gap, 0.0, Tile.BACK) for k in range(count)]
    elif layout == "loose":
        backs = rng.random(14) < 0.35
        tiles = [
            (k % 7 * 1.5 + rng.uniform(-0.1, 0.1), -(k // 7) * 1.9, Tile.BACK if down else tile)
            for k, (down, tile) in enumerate(zip(backs, drawn, strict=False))
        ]
    else:
        row = [*drawn[: int(rng.integers(9, 12))], *[Tile.WHITE] * int(rng.integers(1, 4))]
        row = [row[k] for k in rng.permutation(len(row))]
        tiles = [(k * gap, 0.0, tile) for k, tile in enumerate(row)]
    middle = np.mean([x for x, _, _ in tiles])
    return [(x - float(middle), y + 0.4, tile) for x, y, tile in tiles]


def _lay(canvas: Array, face: Array, quad: Array) -> None:
    """Lay a face (h, w, 3) into its outline on the canvas."""
    h, w = face.shape[:2]
    source = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32)
    to = cv2.getPerspectiveTransform(source, quad.astype(np.float32))
    mask = np.zeros((h, w), np.float32)
    cv2.rectangle(mask, (6, 0), (w - 7, h - 1), 1, -1)
    cv2.rectangle(mask, (0, 6), (w - 1, h - 7), 1, -1)
    size = (canvas.shape[1], canvas.shape[0])
    laid = cv2.warpPerspective(face, to, size, flags=cv2.INTER_AREA)
    cover = cv2.warpPerspective(mask, to, size, flags=cv2.INTER_LINEAR)[..., None]
    canvas[:] = canvas * (1 - cover) + laid * cover


_WHERE = {"kong": "in kongs", "loose": "among faces", "alone": "in rows alone", "blank": "none"}
"""Labels of the layouts in the report."""

LAYOUTS = ("kong", "loose", "alone", "blank")


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenes", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default=registry.DEFAULT, help="name or folder of weights")
    parser.add_argument("--look", type=Path, help="write a sheet of the first twelve pictures")
    a = parser.parse_args()
    detector = registry.load(a.model)
    there: Counter[str] = Counter()
    found: Counter[str] = Counter()
    named: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    sheet = []
    for number in range(a.scenes):
        rng = np.random.default_rng([a.seed, number])
        layout = LAYOUTS[number % len(LAYOUTS)]
        picture, shown, _ = draw_table(rng, layout)
        if number < 12:
            small = cv2.resize(picture, (480, 360), interpolation=cv2.INTER_AREA)
            sheet.append(small.astype(np.uint8))
        seen = detector.detect(picture)
        middles = centres(seen.boxes) if len(seen) else np.zeros((0, 2))
        for one in shown:
            back = one.tile is Tile.BACK
            key = f"back, {_WHERE[layout]}, {one.kind}" if back else one.kind
            there[key] += 1
            side = np.linalg.norm(one.quad[[1, 3]] - one.quad[0], axis=1).min()
            near = np.linalg.norm(middles - one.quad.mean(0), axis=1) < REACH * side
            if not near.any():
                continue
            found[key] += 1
            best = int(np.nonzero(near)[0][seen.scores[near].argmax()])
            face = Tile(int(seen.probabilities[best].argmax()))
            named[key] += face is one.tile
            if face is not one.tile:
                wrong[f"{key} as {'a back' if face is Tile.BACK else face.code}"] += 1
    if a.look:
        cv2.imwrite(str(a.look), cv2.cvtColor(tiled(sheet, 4), cv2.COLOR_RGB2BGR))
    groups = [("backs", "back,")]
    groups += [(f"backs {where}", f"back, {where},") for where in sorted(set(_WHERE.values()))]
    groups += [("blank white dragons", "blank"), ("faces", "face")]
    for title, prefix in groups:
        keys = [key for key in there if key.startswith(prefix)]
        total = sum(there[key] for key in keys)
        if not total:
            continue
        ok = sum(named[key] for key in keys)
        print(f"{title}: {sum(found[k] for k in keys)} found, {ok} named of {total}"
              f" ({ok / total:.3f})")  # fmt: skip
    for key in sorted(there):
        print(f"  {key}: {found[key]} found, {named[key]} named of {there[key]}")
    print("misnamed:", ", ".join(f"{key} {count}x" for key, count in wrong.most_common(12)))


if __name__ == "__main__":
    main()
