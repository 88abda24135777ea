"""Draws boxes as a camera sees them, farthest first, and returns where each tile appears."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.picture.camera import Camera
from hupai.datasets.synthetic.picture.render import Light
from hupai.datasets.synthetic.scene import PlacedTile, TileTruth
from hupai.datasets.synthetic.tables.sets import TileSet
from hupai.datasets.synthetic.tables.solids import BACK_CORNERS, EDGES, Box, Colour, FloatArray

Image = NDArray[np.uint8]
_SHIFT = 4
_SCALE = 1 << _SHIFT

NEAREST = 0.6
"""Distance in front of the camera within which nothing is drawn, tile widths."""

LARGEST_PATCH = 1_500_000
"""Area of the largest side that is drawn with a picture, pixels."""


@dataclass(slots=True, eq=False)
class Canvas:
    """A picture in the making.

    Attributes:
        image: uint8 RGB.
        owner: int16, the number of the tile whose front or back a pixel shows, else -1.
        sheen: float32 of an eighth of the picture's size, light that glossy sides reflect, 0 to 1;
            None without gloss.
    """

    image: Image
    owner: NDArray[np.int16]
    sheen: NDArray[np.float32] | None = None


def fill(
    image: NDArray[Any], points: FloatArray, colour: Sequence[float], smooth: bool = True
) -> None:
    """Fill a convex polygon with sub-pixel corners."""
    fixed = np.round(np.clip(points, -16000, 16000) * _SCALE).astype(np.int32)
    cv2.fillConvexPoly(image, fixed, colour, cv2.LINE_AA if smooth else cv2.LINE_8, _SHIFT)


def draw(
    canvas: Canvas,
    boxes: Sequence[Box],
    tiles: Sequence[PlacedTile],
    dress: TileSet,
    camera: Camera,
    light: Light,
    rng: np.random.Generator,
) -> None:
    """Draw boxes onto the canvas; those of tiles show faces and backs of the tile set."""
    if not boxes:
        return
    corners = np.stack([box.corners for box in boxes])
    flat = corners.reshape(-1, 3)
    pixels = camera.project(flat).reshape(-1, 8, 2)
    near = camera.depth(flat).reshape(-1, 8).min(1)
    middle = corners.mean(1)
    far = camera.distance(middle) + 1e4 * np.array([box.first for box in boxes])
    height, width = canvas.owner.shape
    low, high = pixels.min(1), pixels.max(1)
    seen = (near > NEAREST) & (high > 0).all(1) & (low < (width, height)).all(1)
    brush = _Brush(canvas, dress, light)
    tone = 1.0 + rng.normal(0, 0.02, len(boxes))
    view = camera.position - middle
    for index in np.argsort(-far):
        if seen[index]:
            box = boxes[index]
            tile = None if box.tile is None else tiles[box.tile]
            brush.box(box, tile, corners[index], pixels[index], view[index], float(tone[index]))


def owners(boxes: Sequence[Box], camera: Camera) -> NDArray[np.int16]:
    """Return which tile's front or back each pixel shows, -1 for anything else, without drawing.

    Shape (height, width) of the camera's picture.
    """
    owner = np.full((camera.view.height, camera.view.width), -1, np.int16)
    if not boxes:
        return owner
    corners = np.stack([box.corners for box in boxes])
    flat = corners.reshape(-1, 3)
    pixels = camera.project(flat).reshape(-1, 8, 2)
    near = camera.depth(flat).reshape(-1, 8).min(1) > NEAREST
    far = camera.distance(corners.mean(1)) + 1e4 * np.array([box.first for box in boxes])
    front = _fronts(corners, camera.position)
    for index in np.argsort(-far):
        if near[index]:
            seen = pixels[index]
            hull = cv2.convexHull(np.clip(seen, -16000, 16000).astype(np.float32))[:, 0]
            fill(owner, hull, (-1,), smooth=False)
            number = boxes[index].tile
            if number is not None:
                quad = seen[:4] if front[index] else seen[list(BACK_CORNERS)]
                fill(owner, quad, (number,), smooth=False)
    return owner


def truth(
    owner: NDArray[np.int16], tiles: Sequence[PlacedTile], boxes: Sequence[Box], camera: Camera
) -> tuple[TileTruth, ...]:
    """Return where each tile is seen: its front or its back, whichever faces the camera.

    A tile that shows only edges, or is not in front of the camera, has `visible` 0.

    Args:
        owner: owner of each pixel, as `Canvas.owner`.
        tiles, boxes: all tiles, and boxes that include theirs.
        camera: the camera that looks at them.
    """
    if not tiles:
        return ()
    number = {box.tile: box for box in boxes if box.tile is not None}
    counts = np.bincount(owner.ravel().astype(np.int64) + 1, minlength=len(tiles) + 1)[1:]
    corners = np.stack([number[index].corners for index in range(len(tiles))])
    front = _fronts(corners, camera.position)
    sides = np.where(front[:, None, None], corners[:, :4], corners[:, list(BACK_CORNERS)])
    quads = camera.project(sides.reshape(-1, 3)).reshape(-1, 4, 2).astype(np.float32)
    near = camera.depth(corners.reshape(-1, 3)).reshape(-1, 8).min(1) > NEAREST
    (ax, ay), (bx, by) = (quads[:, 2] - quads[:, 0]).T, (quads[:, 3] - quads[:, 1]).T
    areas = np.abs(ax * by - ay * bx) / 2
    shares = np.where(near & (areas > 4), np.minimum(counts / np.maximum(areas, 1), 1.0), 0.0)
    return tuple(
        TileTruth(tile, quad, float(share), bool(not ahead))
        for tile, quad, share, ahead in zip(tiles, quads, shares, front, strict=True)
    )


def _fronts(corners: FloatArray, eye: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes, corners (n, 8, 3), turn their front rather than their back to a point."""
    out = corners[:, 0] - corners[:, 4]
    ahead: NDArray[np.bool_] = (out * (eye - corners.mean(1))).sum(1) > 0
    return ahead


class _Brush:
    """Draws single boxes."""

    def __init__(self, canvas: Canvas, dress: TileSet, light: Light) -> None:
        self._canvas, self._dress, self._light = canvas, dress, light

    def box(
        self,
        box: Box,
        tile: PlacedTile | None,
        corners: FloatArray,
        pixels: FloatArray,
        view: FloatArray,
        tone: float,
    ) -> None:
        """Draw the sides of a box that are seen: edges, then front or back."""
        axes = [corners[1] - corners[0], corners[0] - corners[3], corners[0] - corners[4]]
        size = [float(np.linalg.norm(axis)) for axis in axes]
        right, up, out = (axis / max(s, 1e-9) for axis, s in zip(axes, size, strict=True))
        layers = box.layers if tile is None else self._dress.layers
        for (i, j), normal, reach in zip(
            EDGES, (up, right, -up, -right), (size[1], size[0]) * 2, strict=True
        ):
            if layers and normal @ view > reach / 2:
                self._edge(pixels, i, j, layers, self._shade(normal) * tone)
        depth = float(out @ view)
        if abs(depth) <= size[2] / 2:
            return
        front = depth > 0
        quad = pixels[:4] if front else pixels[list(BACK_CORNERS)]
        shade = self._shade(out if front else -out) * tone
        gloss = 0.0
        if tile is None:
            picture = box.front if front else box.back
            colour = layers[0 if front else -1][1] if layers else (0.0, 0.0, 0.0)
        else:
            picture = self._dress.side(tile, front, quad)
            colour = self._dress.ground(front)
            gloss = self._dress.gloss * float(abs(out[2]) > 0.9) * (0.5 if front else 1.0)
        if picture is None:
            fill(self._canvas.image, quad, [min(c * shade, 255.0) for c in colour])
        else:
            if tile is not None:
                fill(self._canvas.image, quad, [min(c * shade * 0.8, 255.0) for c in colour])
            self._lay(quad, picture, shade, gloss)
        fill(self._canvas.owner, quad, (-1 if box.tile is None else box.tile,), smooth=False)

    def _shade(self, normal: FloatArray) -> float:
        lamp = max(0.0, float(normal @ self._light.vector))
        return self._light.ambient + (1 - self._light.ambient) * lamp

    def _edge(
        self,
        pixels: FloatArray,
        i: int,
        j: int,
        layers: tuple[tuple[float, Colour], ...],
        shade: float,
    ) -> None:
        """Draw an edge in the colours of its layers, darker in the joints to its neighbours."""
        start, done = pixels[[i, j]], 0.0
        end = pixels[[j + 4, i + 4]]
        span = end[::-1] - start
        whole = np.vstack([start, end])
        fill(self._canvas.owner, whole, (-1,), smooth=False)
        for share, colour in layers:
            begin = start + span * done
            done = min(done + share, 1.0)
            band = np.vstack([begin, (start + span * done)[::-1]])
            fill(self._canvas.image, band, [min(c * shade, 255.0) for c in colour])
        length = float(np.linalg.norm(pixels[i] - pixels[j]))
        if length > 14:
            seam = np.round(np.clip(whole[[1, 2]], -16000, 16000) * _SCALE).astype(np.int32)
            dark = [c * shade * 0.72 for c in layers[0][1]]
            thick = 1 if length < 70 else 2
            cv2.line(self._canvas.image, seam[0], seam[1], dark, thick, cv2.LINE_AA, _SHIFT)

    def _lay(self, quad: FloatArray, picture: Image, shade: float, gloss: float) -> None:
        """Warp a picture onto a quad, mixing by its alpha."""
        height, width = self._canvas.owner.shape
        x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0).tolist()
        x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + 2, (width, height)).tolist()
        if x1 <= x0 or y1 <= y0 or (x1 - x0) * (y1 - y0) > LARGEST_PATCH:
            return
        rows, columns = picture.shape[:2]
        source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
        matrix = cv2.getPerspectiveTransform(
            source - 0.5, (quad - (x0 + 0.5, y0 + 0.5)).astype(np.float32)
        )
        patch = cv2.warpPerspective(picture, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        region = self._canvas.image[y0:y1, x0:x1]
        alpha = patch[..., 3:].astype(np.uint16)
        colour = patch[..., :3] * np.float32(shade)
        if gloss > 0 and self._canvas.sheen is not None:
            light = self._canvas.sheen[y0 // 8 : y1 // 8 + 1, x0 // 8 : x1 // 8 + 1]
            if light.size and light.max() > 0.02:
                grown = cv2.resize(light, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
                white = (gloss * grown)[..., None] * alpha
                colour = colour * (1 - white / 255) + white
        under = (region * (255 - alpha) + 127) // 255
        region[:] = np.minimum(under + colour, 255).astype(np.uint8)


def cast_shadows(image: Image, boxes: Sequence[Box], camera: Camera, light: Light) -> None:
    """Darken the table around boxes: a soft shadow away from the lamp, a dark line below them."""
    height, width = image.shape[:2]
    mask = np.zeros((height // 2, width // 2), np.uint8)
    lamp = light.vector
    some = [box for box in boxes if box.shade and not box.first]
    if not some or light.shadow <= 0.02:
        return
    corners = np.stack([box.corners for box in some])
    ground = corners.copy()
    ground[..., :2] -= corners[..., 2:] / lamp[2] * lamp[:2] * 0.8
    ground[..., 2] = 0
    foot = corners.copy()
    foot[..., 2] = 0
    points = np.concatenate([ground, foot], 1)
    flat = points.reshape(-1, 3)
    pixels = camera.project(flat).reshape(-1, 16, 2).astype(np.float32) / 2
    near = camera.depth(flat).reshape(-1, 16).min(1)
    for one, depth in zip(pixels, near, strict=True):
        if depth > NEAREST and (one.max(0) > 0).all() and (one.min(0) < mask.shape[::-1]).all():
            fill(mask, cv2.convexHull(one)[:, 0], (255.0,), smooth=False)
    soft = cv2.GaussianBlur(mask, (0, 0), max(0.8, 0.003 * width))
    gain = (255 - light.shadow * soft.astype(np.float32)).astype(np.uint8)
    grown = cv2.resize(gain, (width, height), interpolation=cv2.INTER_LINEAR)
    image[:] = cv2.multiply(image, cv2.cvtColor(grown, cv2.COLOR_GRAY2RGB), scale=1 / 255)
