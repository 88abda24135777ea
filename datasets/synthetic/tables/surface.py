"""The table's top and what lies around it: cloth or wood, rims, printed lines, floor and room."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.picture.camera import Camera
from hupai.datasets.synthetic.tables.draw import NEAREST, fill
from hupai.datasets.synthetic.tables.solids import Colour, FloatArray

Image = NDArray[np.uint8]

CLOTHS = (
    (18, 100, 92),
    (30, 110, 70),
    (18, 72, 48),
    (36, 120, 130),
    (70, 92, 120),
    (108, 104, 100),
    (40, 74, 140),
    (120, 36, 44),
    (60, 60, 64),
    (160, 120, 80),
    (150, 150, 146),
    (26, 130, 150),
)
RIMS = (
    (28, 28, 32),
    (60, 44, 34),
    (140, 92, 52),
    (232, 232, 234),
    (210, 196, 220),
    (230, 110, 30),
    (30, 160, 60),
    (190, 215, 215),
    (120, 24, 30),
    (180, 180, 184),
)


@lru_cache(maxsize=8)
def _noise(kind: int) -> NDArray[np.float32]:
    """Return one of a few noise pictures, 512 x 512, mean 0, deviation about 1."""
    rng = np.random.default_rng([77, kind])
    total = np.zeros((512, 512), np.float32)
    if kind % 2:  # wood: long fibres
        for cells, weight in ((6, 1.0), (40, 0.6), (256, 0.5)):
            grain = rng.normal(0, 1, (cells, 3)).astype(np.float32)
            total += weight * cv2.resize(grain, (512, 512), interpolation=cv2.INTER_CUBIC)
    else:
        for cells, weight in ((4, 0.6), (24, 0.25), (512, 0.7)):
            grain = rng.normal(0, 1, (cells, cells)).astype(np.float32)
            total += weight * cv2.resize(grain, (512, 512), interpolation=cv2.INTER_CUBIC)
    noise: NDArray[np.float32] = (total / total.std()).astype(np.float32)
    return noise


def textured(rng: np.random.Generator, colour: Colour, kind: str, side: int = 512) -> Image:
    """Return a piece of felt, wood, plain stuff, print or marble, uint8 RGB, `side` x `side`."""
    noise = _noise(2 * int(rng.integers(4)) + (kind == "wood"))
    noise = np.roll(noise, (int(rng.integers(512)), int(rng.integers(512))), (0, 1))
    strength = {"felt": 0.05, "wood": 0.13, "plain": 0.012, "print": 0.04, "marble": 0.1}[kind]
    field = noise * np.float32(strength * rng.uniform(0.4, 1.4))
    base = (np.array(colour, np.float32) * (1 + field[..., None])).astype(np.float32)
    if kind == "wood" and rng.random() < 0.5:
        base[:: int(rng.integers(60, 200))] *= 0.6
    if kind == "print":
        other = np.array(rng.uniform(20, 240, 3), np.float32)
        step = int(rng.integers(8, 50))
        v, u = np.mgrid[0:512, 0:512]
        mask = ((u // step) % 2) ^ ((v // step) % 2 if rng.random() < 0.6 else 0)
        share = float(rng.uniform(0.15, 0.7))
        base += mask[..., None] * (other - base) * share
    return seamless(np.clip(base, 0, 255).astype(np.uint8), side)


def floor(rng: np.random.Generator, side: int = 512) -> Image:
    """Return boards, parquet or flags with seams, uint8 RGB, `side` x `side`, that repeats.

    They are bare rectangles of about a tile's shape, which networks mistake for backs.
    """
    base = np.clip(rng.uniform(30, 215) + rng.normal(0, 20, 3), 8, 240)
    if rng.random() < 0.6:
        base = np.array((165, 112, 66)) * rng.uniform(0.35, 1.4)
    deep = side // int(rng.choice([2, 4, 8]))
    spread, seam = float(rng.uniform(0.02, 0.16)), float(rng.uniform(0.25, 0.95))
    parquet = rng.random() < 0.4
    strips = int(rng.integers(2, 6)) if parquet else 1
    long = deep if parquet else min(side, deep * int(rng.choice([1, 2, 4])))
    tones = np.ones((side, side), np.float32)
    for y in range(0, side, deep):
        row = tones[y : y + deep]
        for x in range(0, side, long):
            block = _strips(rng, deep, long, strips, spread, seam)
            turned = parquet and bool((x + y) // deep % 2)
            row[:, x : x + long] = block.T if turned else block
        if not parquet:
            row[:] = np.roll(row, int(rng.choice([0, long // 2, int(rng.integers(long))])), 1)
    grain = np.roll(_noise(2 * int(rng.integers(4)) + 1), int(rng.integers(512)), 0)
    grain = cv2.resize(grain, (side, side)) * np.float32(rng.uniform(0.01, 0.09))
    return np.clip(np.array(base, np.float32) * (tones + grain)[..., None], 0, 255).astype(np.uint8)


def _strips(
    rng: np.random.Generator, height: int, width: int, count: int, spread: float, seam: float
) -> NDArray[np.float32]:
    """Return the tones of strips side by side, with a seam along two edges of each."""
    edges = np.linspace(0, height, count + 1).astype(int)
    block = np.repeat((1 + rng.normal(0, spread, count)).astype(np.float32), np.diff(edges))
    tones = np.tile(block[:, None], (1, width))
    tones[edges[:-1]] *= np.float32(seam)
    tones[:, 0] *= np.float32(seam)
    return tones


def seamless(piece: Image, side: int = 512) -> Image:
    """Mirror a square piece to one of `side` pixels that repeats without an edge."""
    half = cv2.resize(piece, (side // 2, side // 2), interpolation=cv2.INTER_AREA)
    row = np.hstack([half, half[:, ::-1]])
    return np.vstack([row, row[::-1]]).astype(np.uint8)


def clipped(points: FloatArray, camera: Camera) -> FloatArray:
    """Cut a polygon (n, 3) off where it is too near to the camera or behind it."""
    depth = camera.depth(points) - NEAREST
    out = []
    for k in range(len(points)):
        a, b = points[k], points[(k + 1) % len(points)]
        da, db = depth[k], depth[(k + 1) % len(points)]
        if da >= 0:
            out.append(a)
        if (da >= 0) != (db >= 0):
            out.append(a + (b - a) * da / (da - db))
    return np.array(out).reshape(-1, 3)


def paint_plane(
    image: Image, camera: Camera, texture: Image, corners: FloatArray, repeat: float
) -> None:
    """Paint a flat polygon (n, 3) of one height with a texture that repeats.

    Args:
        repeat: width of the area that the texture covers, tile widths.
    """
    seen = clipped(corners, camera)
    if len(seen) < 3:
        return
    height, width = image.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    fill(mask, camera.project(seen), (255.0,))
    scale = repeat / texture.shape[0]
    matrix = camera.plane(float(corners[0, 2])) @ np.diag([scale, scale, 1.0])
    whole = cv2.warpPerspective(texture, matrix, (width, height), borderMode=cv2.BORDER_WRAP)
    cv2.copyTo(whole, mask, image)


def room(rng: np.random.Generator, height: int, width: int) -> Image:
    """Draw a floor and whatever stands there, out of focus, uint8 RGB."""
    small = (max(8, height // 8), max(8, width // 8))
    base = np.empty((*small, 3), np.float32)
    base[:] = np.clip(rng.uniform(15, 210) + rng.normal(0, 22, 3), 0, 255)
    ramp = np.linspace(float(rng.uniform(-0.4, 0.4)), 0, small[0], dtype=np.float32)[:, None, None]
    image = np.clip(base * (1 + ramp), 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(2, 14))):
        x, y = rng.uniform(-0.1, 1.1, 2) * (small[1], small[0])
        size = rng.uniform(0.03, 0.4, 2) * small[1]
        box = cv2.boxPoints(
            ((float(x), float(y)), (float(size[0]), float(size[1])), float(rng.uniform(0, 180)))
        )
        colour = rng.uniform(5, 235) + rng.normal(0, 28, 3)
        cv2.fillConvexPoly(image, box.astype(np.int32), colour.clip(0, 255).tolist(), cv2.LINE_AA)
    image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 2.5))).astype(np.uint8)
    out: Image = cv2.resize(image, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.uint8)
    return out
