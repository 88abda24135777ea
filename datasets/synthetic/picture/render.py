"""Draws a composed scene as a camera sees it, and returns exactly where each tile appears."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.faces.raster import FACE_HEIGHT
from hupai.datasets.synthetic.designs import TIGHT, Design, trimmed
from hupai.datasets.synthetic.picture.camera import Camera
from hupai.datasets.synthetic.scene import PlacedTile, Rendered, Scene, TileTruth
from hupai.scoring.tiles import Tile

Pixels = NDArray[np.float32]
_SHIFT = 4
_SCALE = 1 << _SHIFT


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp.

    Attributes:
        azimuth: its direction on the table, radians.
        height: 0 grazing, 1 overhead.
        ambient: share of the light that comes from everywhere.
        shadow: darkness of shadows, 0 to 1.
    """

    azimuth: float
    height: float
    ambient: float
    shadow: float

    @property
    def vector(self) -> NDArray[np.float64]:
        """Unit vector towards the lamp."""
        z = float(np.clip(self.height, 0.15, 0.98))
        flat = np.sqrt(1 - z * z)
        return np.array([flat * np.cos(self.azimuth), flat * np.sin(self.azimuth), z])


def render(
    scene: Scene,
    design: Design,
    camera: Camera,
    light: Light,
    background: NDArray[np.uint8],
    rng: np.random.Generator,
) -> Rendered:
    """Draw the scene over a background picture of the camera's size.

    Args:
        background: uint8 RGB, shape (view.height, view.width, 3).

    Returns:
        The picture without any defects of lens or sensor
        (`hupai.datasets.synthetic.picture.effects` adds those) and the truth of every tile.
    """
    canvas = background.copy()
    owner = np.full(canvas.shape[:2], -1, np.int32)
    corners = [_corners(tile, scene) for tile in scene.tiles]
    _draw_rails(canvas, scene, camera, rng)
    _cast_shadows(canvas, corners, camera, light)
    brush = _Brush(canvas, owner, design, camera, light, rng)
    order = np.argsort(
        [
            -float(camera.distance(c.mean(0)[None])[0]) - 1e3 * -t.z
            for t, c in zip(scene.tiles, corners, strict=True)
        ]
    )
    drawn: dict[int, tuple[Pixels, int]] = {}
    for index in order:
        drawn[int(index)] = brush.tile(int(index), scene.tiles[index], corners[index])
    truth = []
    for index, tile in enumerate(scene.tiles):
        quad, whole = drawn[index]
        seen = int(np.count_nonzero(owner == index)) if whole else 0
        truth.append(TileTruth(tile, quad, seen / whole if whole else 0.0))
    return Rendered(canvas, tuple(truth), scene)


def _corners(tile: PlacedTile, scene: Scene) -> NDArray[np.float64]:
    """Return the eight corners, shape (8, 3): of the upper face, then of the underside.

    Each starts top left and runs clockwise.
    """
    half_w, half_h = 0.5, scene.proportions.height / 2
    flat = np.array([[-half_w, half_h], [half_w, half_h], [half_w, -half_h], [-half_w, -half_h]])
    c, s = np.cos(tile.angle), np.sin(tile.angle)
    flat = flat @ np.array([[c, s], [-s, c]]) + (tile.x, tile.y)
    top = np.column_stack([flat, np.full(4, tile.z + scene.proportions.thickness)])
    bottom = np.column_stack([flat, np.full(4, tile.z)])
    return np.vstack([top, bottom])


def _fill(
    image: NDArray[np.uint8] | NDArray[np.int32],
    points: NDArray[Any],
    colour: tuple[float, ...],
    smooth: bool = True,
) -> None:
    """Fill a convex polygon with sub-pixel corners."""
    fixed = np.round(np.clip(points, -16000, 16000) * _SCALE).astype(np.int32)
    cv2.fillConvexPoly(image, fixed, colour, cv2.LINE_AA if smooth else cv2.LINE_8, _SHIFT)


class _Brush:
    """Draws single tiles onto the canvas and records which tile each pixel belongs to."""

    def __init__(
        self,
        canvas: NDArray[np.uint8],
        owner: NDArray[np.int32],
        design: Design,
        camera: Camera,
        light: Light,
        rng: np.random.Generator,
    ) -> None:
        self._canvas, self._owner, self._design, self._camera, self._light, self._rng = (
            canvas,
            owner,
            design,
            camera,
            light,
            rng,
        )
        self._gloss = float(rng.uniform(0, 0.25))
        self._corner = float(rng.uniform(0.04, 0.14))
        self._wear = float(rng.uniform(0, 0.06))
        self._textures: dict[tuple[int, int], NDArray[np.uint8]] = {}

    def tile(
        self, index: int, tile: PlacedTile, corners: NDArray[np.float64]
    ) -> tuple[Pixels, int]:
        """Draw a tile; return its quad in pixels, and how many of them the upper face covers."""
        pixels = self._camera.project(corners)
        quad = pixels[:4].astype(np.float32)
        height, width = self._owner.shape
        (x0, y0), (x1, y1) = pixels.min(0), pixels.max(0)
        if x1 < 0 or y1 < 0 or x0 >= width or y0 >= height:
            return quad, 0
        jitter = 1.0 + float(self._rng.normal(0, 0.025))
        self._sides(pixels, corners, jitter, tile.face_down)
        _fill(self._owner, pixels[4:], (-1.0,), smooth=False)
        for i in range(4):
            j = (i + 1) % 4
            _fill(self._owner, pixels[[i, j, j + 4, i + 4]], (-1.0,), smooth=False)
        self._face(quad, tile, jitter)
        _fill(self._owner, quad, (float(index),), smooth=False)
        area = abs(float(cv2.contourArea(quad)))
        return quad, max(int(area), 1)

    def _shade(self, normal: NDArray[np.float64]) -> float:
        lamp = max(0.0, float(normal @ self._light.vector))
        return self._light.ambient + (1 - self._light.ambient) * lamp

    def _sides(
        self,
        pixels: NDArray[np.float64],
        corners: NDArray[np.float64],
        jitter: float,
        face_down: bool,
    ) -> None:
        """Draw the sides that face the camera, half in the body's colour, half in the back's."""
        share = self._design.back_share
        share = 1 - share if face_down else share
        lower, upper = (
            (self._design.body, self._design.back)
            if face_down
            else (self._design.back, self._design.body)
        )
        for i in range(4):
            j = (i + 1) % 4
            edge = corners[j] - corners[i]
            normal = np.array([-edge[1], edge[0], 0.0])
            middle = (corners[i] + corners[j]) / 2
            normal = normal if normal @ (middle - corners[:4].mean(0)) > 0 else -normal
            if normal @ (self._camera.position - middle) <= 0:
                continue
            shade = self._shade(normal / np.linalg.norm(normal)) * jitter * 0.94
            seam = pixels[[i + 4, j + 4]] * (1 - share) + pixels[[i, j]] * share
            wall = pixels[[i, j, j + 4, i + 4]]
            _fill(self._canvas, wall, _lit(upper, shade))
            if share > 0:
                _fill(self._canvas, np.vstack([seam, wall[2:]]), _lit(lower, shade * 0.96))

    def _face(self, quad: Pixels, tile: PlacedTile, jitter: float) -> None:
        """Warp the face's texture onto the quad, mixing by its alpha."""
        lower = np.floor(quad.min(0)).astype(int) - 1
        upper = np.ceil(quad.max(0)).astype(int) + 2
        x0, y0 = max(int(lower[0]), 0), max(int(lower[1]), 0)
        x1, y1 = (
            min(int(upper[0]), self._canvas.shape[1]),
            min(int(upper[1]), self._canvas.shape[0]),
        )
        if x1 <= x0 or y1 <= y0 or (x1 - x0) * (y1 - y0) > 4_000_000:
            return
        size = float(max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[1] - quad[2])))
        texture = self._texture(-1 if tile.face_down else int(tile.face), size)
        th, tw = texture.shape[:2]
        source = np.array([[0, 0], [tw, 0], [tw, th], [0, th]], np.float32)
        matrix = cv2.getPerspectiveTransform(source, quad - np.array([x0, y0], np.float32))
        flags = cv2.INTER_LINEAR
        patch = cv2.warpPerspective(
            texture, matrix, (x1 - x0, y1 - y0), flags=flags, borderMode=cv2.BORDER_CONSTANT
        )
        alpha = patch[..., 3:].astype(np.float32) / 255
        shade = self._shade(np.array([0.0, 0.0, 1.0])) * jitter
        colour = patch[..., :3].astype(np.float32) * shade
        region = self._canvas[y0:y1, x0:x1]
        region[:] = np.clip(region * (1 - alpha) + colour, 0, 255).astype(np.uint8)

    def _texture(self, face: int, size: float) -> NDArray[np.uint8]:
        """Return the face with its body, premultiplied RGBA, near the size at which it is seen."""
        rows = int(np.clip(size * 1.15, 16, FACE_HEIGHT)) // 4 * 4
        key = (face, rows)
        found = self._textures.get(key)
        if found is None:
            found = self._textures[key] = self._make_texture(face, rows)
        return found

    def _make_texture(self, face: int, rows: int) -> NDArray[np.uint8]:
        height = FACE_HEIGHT
        width = round(height / self._design.proportions.height)
        colour = self._design.back if face < 0 else self._design.body
        base = np.empty((height, width, 3), np.float32)
        base[:] = colour
        if face < 0:
            base *= 1 + _smooth_noise(self._rng, height, width, 6)[..., None] * 0.05
        else:
            art = self._design.face(Tile(face))
            if art is not None:
                base = self._lay_art(base, art)
        base = self._bevel(base)
        alpha = _rounded(height, width, self._corner)
        rgba = np.dstack([np.clip(base * alpha[..., None], 0, 255), alpha * 255]).astype(np.uint8)
        columns = max(8, round(rows * width / height))
        return cv2.resize(rgba, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.uint8)

    def _lay_art(self, base: NDArray[np.float32], art: NDArray[np.uint8]) -> NDArray[np.float32]:
        height, width = base.shape[:2]
        if art[..., 3].min() == 255:
            return cv2.resize(art[..., :3], (width, height), interpolation=cv2.INTER_AREA).astype(
                np.float32
            )
        margin = self._design.margin
        if margin <= TIGHT:
            art = trimmed(art)
        inner_w, inner_h = width * (1 - 2 * margin), height * (1 - 1.6 * margin)
        scale = min(inner_w / art.shape[1], inner_h / art.shape[0])
        stretch = min(inner_h / (art.shape[0] * scale), 1.12)
        w, h = round(art.shape[1] * scale), round(art.shape[0] * scale * stretch)
        ink = cv2.resize(art, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)
        x, y = (width - w) // 2, (height - h) // 2
        alpha = ink[..., 3:] / 255
        if self._wear:
            alpha = alpha * (
                1 - np.clip(_smooth_noise(self._rng, h, w, 24), 0, 1)[..., None] * self._wear * 4
            )
        part = base[y : y + h, x : x + w]
        # An engraved line has a dark and a bright rim: shift the ink's edge against itself.
        edge = alpha[..., 0] - np.roll(alpha[..., 0], (2, 2), (0, 1))
        part[:] = part * (1 - alpha) + ink[..., :3] * alpha - 18 * edge[..., None]
        return base

    def _bevel(self, base: NDArray[np.float32]) -> NDArray[np.float32]:
        """Draw lighter and darker rims, and a soft gloss across the face."""
        height, width = base.shape[:2]
        rim = max(2, int(0.035 * width))
        shade = np.ones((height, width), np.float32)
        shade[:rim] *= 1.05
        shade[-rim:] *= 0.9
        shade[:, :rim] *= 1.02
        shade[:, -rim:] *= 0.94
        shade = cv2.GaussianBlur(shade, (0, 0), rim * 0.6).astype(np.float32)
        if self._gloss > 0.05:
            ramp = (
                np.linspace(-1, 1, width, dtype=np.float32)[None] * 0.5
                + np.linspace(-1, 1, height, dtype=np.float32)[:, None] * 0.5
            )
            shade = (shade + self._gloss * 0.25 * ramp).astype(np.float32)
        out: NDArray[np.float32] = base * shade[..., None]
        return out


def _lit(colour: tuple[int, int, int], shade: float) -> tuple[float, ...]:
    return tuple(float(min(255.0, c * shade)) for c in colour)


def _rounded(height: int, width: int, corner: float) -> NDArray[np.float32]:
    """Draw the coverage of a rectangle with rounded corners, 0 to 1.

    The corner radius is a share of the width.
    """
    mask = np.zeros((height, width), np.uint8)
    r = max(1, int(corner * width))
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x, y in ((r, r), (width - 1 - r, r), (r, height - 1 - r), (width - 1 - r, height - 1 - r)):
        cv2.circle(mask, (x, y), r, 255, -1)
    return (cv2.GaussianBlur(mask, (3, 3), 0) / 255).astype(np.float32)


def _smooth_noise(
    rng: np.random.Generator, height: int, width: int, cells: int
) -> NDArray[np.float32]:
    """Draw cloudy noise, mean 0, deviation about 1."""
    coarse = rng.normal(0, 1, (max(2, cells), max(2, cells))).astype(np.float32)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.float32)


def _draw_rails(
    canvas: NDArray[np.uint8], scene: Scene, camera: Camera, rng: np.random.Generator
) -> None:
    """Draw racks, trays and table edges as boxes of one colour."""
    palette = (
        (235, 235, 235),
        (205, 165, 110),
        (40, 40, 45),
        (150, 100, 60),
        (250, 245, 235),
        (70, 50, 40),
    )
    for x0, y0, x1, y1, height in scene.rails:
        colour = np.clip(
            np.array(palette[int(rng.integers(len(palette)))]) + rng.normal(0, 10, 3), 0, 255
        )
        flat = np.array([[x0, y1], [x1, y1], [x1, y0], [x0, y0]])
        top = np.column_stack([flat, np.full(4, max(height, 0.0))])
        bottom = np.column_stack([flat, np.zeros(4)])
        pixels = camera.project(np.vstack([top, bottom]))
        for i in range(4):
            j = (i + 1) % 4
            _fill(canvas, pixels[[i, j, j + 4, i + 4]], tuple(float(c) * 0.8 for c in colour))
        _fill(canvas, pixels[:4], tuple(float(c) for c in colour))


def _cast_shadows(
    canvas: NDArray[np.uint8], corners: list[NDArray[np.float64]], camera: Camera, light: Light
) -> None:
    """Draw soft shadows of all tiles on the table."""
    if light.shadow <= 0.02 or not corners:
        return
    height, width = canvas.shape[:2]
    mask = np.zeros((height // 2, width // 2), np.uint8)
    lamp = light.vector
    for c in corners:
        reach = c[:4, 2:3] / lamp[2]
        cast = c[:4, :2] - reach * lamp[:2] * 0.8
        ground = np.vstack(
            [np.column_stack([cast, np.zeros(4)]), np.column_stack([c[4:, :2], np.zeros(4)])]
        )
        pixels = camera.project(ground).astype(np.float32) / 2
        if pixels.min() < -8000 or pixels.max() > 8000:
            continue
        hull = cv2.convexHull(pixels)[:, 0]
        _fill(mask, hull, (255.0,))
    # A lamp of some size: the further the shadow, the softer its edge; one blur for all is near
    # enough.
    soft = cv2.GaussianBlur(mask, (0, 0), max(1.0, 0.006 * width))
    soft = (
        cv2.resize(soft, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float32) / 255
    )
    canvas[:] = (canvas * (1 - light.shadow * soft[..., None])).astype(np.uint8)
