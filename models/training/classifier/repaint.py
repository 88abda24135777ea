"""Repaints tiles of scenes and photos: backs of many kinds, blank tiles, black sets, red fives.

Rendered sets have plain backs, and no labelled photo shows any. A repainted tile keeps its place,
its outline and the light on it; all backs of a picture are of one material.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.prints import draw_print
from hupai.datasets.synthetic.truth import TruthTile
from hupai.models.training.classifier.scene_views import SceneView
from hupai.scoring.tiles import Tile
from hupai.vision.types import Image

FIVES = frozenset(Tile.from_code(code).code for code in ("5m", "5p", "5s"))
"""Codes of the faces that also exist in red in sets for riichi."""

_WIDTH, _HEIGHT = 72, 96
"""Size of a painted face before it is laid into the picture, pixels."""

_RED_SHARE = 0.55
"""Share of red in the ink of a five below which it counts as a plain five."""

_LEAST_VISIBLE = 0.3
"""Visible share below which a tile is not painted."""

_Colour = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Repainted:
    """A view after painting.

    Attributes:
        view: the picture and its tiles, with `shown` updated.
        red: shape (n,), 1 for a red five, 0 for a plain one, NaN if unknown or not a five.
        painted: shape (n,), whether a tile's face was painted over.
    """

    view: SceneView
    red: NDArray[np.float32]
    painted: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of the pictures and tiles that are painted over.

    Attributes:
        backs: pictures with painted backs.
        blanks: pictures with blank white dragons.
        black: pictures on which the whole set turns black.
        red: pictures on which fives turn red.
        tiles: tiles of such a picture that become backs, and those that become blank.
    """

    backs: float = 0.7
    blanks: float = 0.5
    black: float = 0.12
    red: float = 0.4
    tiles: float = 0.2


def repaint(view: SceneView, rng: np.random.Generator, shares: Shares | None = None) -> Repainted:
    """Paint over some of the tiles of a view; the view itself is not changed."""
    how = shares or Shares()
    image = view.image.copy()
    tiles = list(view.tiles)
    painted = np.zeros(len(tiles), bool)
    red = np.full(len(tiles), np.nan, np.float32)
    seen = [k for k, tile in enumerate(tiles) if tile.visible >= _LEAST_VISIBLE]
    faces = [k for k in seen if tiles[k].shown != Tile.BACK.code]
    if not faces:
        return Repainted(view, red, painted)
    bodies = {k: body_colour(face_pixels(image, view.quads[k])) for k in faces}
    if rng.random() < how.red:
        share = rng.uniform(0.3, 1.0)
        ink = np.array((rng.uniform(165, 225), *rng.uniform(10, 65, 2)), np.float32)
        for k in faces:
            if tiles[k].shown in FIVES and rng.random() < share:
                _redden(image, view.quads[k], bodies[k], ink)
                red[k], painted[k] = 1.0, True
    for k in faces:
        if tiles[k].shown in FIVES and not painted[k]:
            pixels = face_pixels(image, view.quads[k])
            plain = _red_share(pixels, bodies[k]) < _RED_SHARE
            red[k] = 1.0 if tiles[k].red else 0.0 if plain else np.nan
    light = np.median(list(bodies.values()), axis=0)
    cloth = _surroundings(image, view.quads)
    change_backs, change_blanks = rng.random() < how.backs, rng.random() < how.blanks
    material = random_material(rng, light, cloth)
    blank_frame = rng.random() < 0.25
    for k in faces:
        draw, tone = rng.random(), bodies[k] / np.maximum(light, 1)
        if change_backs and draw < how.tiles:
            _lay(image, view.quads[k], _lit(material(rng), float(tone.mean()), rng), rng)
            tiles[k], painted[k] = _shows(tiles[k], Tile.BACK), True
        elif change_blanks and draw > 1 - how.tiles * 0.6:
            _lay(image, view.quads[k], _blank(rng, bodies[k], blank_frame), rng)
            tiles[k], painted[k] = _shows(tiles[k], Tile.WHITE), True
        red[k] = np.nan if tiles[k].shown not in FIVES else red[k]
    if rng.random() < how.black:
        kept = [k for k in faces if tiles[k].shown != Tile.BACK.code]
        _blacken(image, [(view.quads[k], bodies[k]) for k in kept], rng)
    return Repainted(replace(view, image=image, tiles=tuple(tiles)), red, painted)


def face_pixels(image: Image, quad: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the face inside an outline (4, 2), shape (_HEIGHT, _WIDTH, 3)."""
    to = cv2.getPerspectiveTransform(_corners(), quad.astype(np.float32))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    face = cv2.warpPerspective(image, to, (_WIDTH, _HEIGHT), flags=flags)
    return face.astype(np.float32)


def body_colour(face: NDArray[np.float32]) -> _Colour:
    """Return the colour (3,) of a tile around its ink: the median of the brighter half."""
    inner = face[8:-8, 6:-6].reshape(-1, 3)
    grey = inner.mean(1)
    bright: _Colour = np.median(inner[grey >= np.median(grey)], axis=0).astype(np.float32)
    return np.maximum(bright, 12)


def random_material(
    rng: np.random.Generator, body: NDArray[np.floating], cloth: NDArray[np.floating]
) -> Callable[[np.random.Generator], NDArray[np.float32]]:
    """Draw a material for backs.

    Args:
        rng: draws it.
        body: colour (3,) of the faces' bodies on the picture.
        cloth: colour (3,) of the table there.

    Returns:
        Paints a back of it, shape (_HEIGHT, _WIDTH, 4): RGB and opacity, from 0 to 255.
    """
    colour = _back_colour(rng, body, cloth)
    second = np.clip(
        colour * rng.uniform(0.45, 1.6) + rng.normal(0, 25, 3), 0, 255
    ) if rng.random() < 0.6 else np.clip(body + rng.normal(0, 8, 3), 0, 255)  # fmt: skip
    kind = str(rng.choice(["plain", "bamboo", "panel", "halves", "glassy", "printed"],
                          p=[0.36, 0.14, 0.06, 0.05, 0.09, 0.3]))  # fmt: skip
    count = int(rng.integers(3, 9))
    printed = draw_print(rng, _HEIGHT, _WIDTH) if kind == "printed" else None
    gloss = rng.uniform(0, 130) if rng.random() < 0.6 else 0.0
    opacity = rng.uniform(0.45, 0.8) if kind == "glassy" else 1.0

    def paint(some: np.random.Generator) -> NDArray[np.float32]:
        back = np.tile(colour.astype(np.float32), (_HEIGHT, _WIDTH, 1))
        weight = (_pattern(kind, count, some) if printed is None else printed)[..., None]
        back = back * (1 - weight) + second.astype(np.float32) * weight
        back += _glare(some, gloss)[..., None]
        alpha = np.full((_HEIGHT, _WIDTH, 1), 255 * opacity, np.float32)
        if kind == "glassy":  # the rim breaks the light
            rim = cv2.erode(_mask(), np.ones((9, 9), np.uint8)) == 0
            back[rim] += some.uniform(15, 60)
            alpha[rim] = 235
        return np.dstack([np.clip(back, 0, 255), alpha]).astype(np.float32)

    return paint


def _back_colour(
    rng: np.random.Generator, body: NDArray[np.floating], cloth: NDArray[np.floating]
) -> _Colour:
    """Draw a colour (3,) that differs from the bodies; a tenth each is black or like the cloth."""
    draw = rng.random()
    for _ in range(20):
        if draw < 0.1:
            colour = np.full(3, rng.uniform(12, 70)) + rng.normal(0, 5, 3)
        elif draw < 0.2:
            colour = cloth + rng.normal(0, 10, 3)
        else:
            hsv = np.array([[[rng.uniform(0, 180), 255 * rng.uniform(0.25, 1) ** 0.7,
                              255 * rng.uniform(0.2, 1)]]], np.uint8)  # fmt: skip
            colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0].astype(float)
        if np.abs(colour - body).max() > 45:
            break
        draw = 1.0
    return np.clip(colour, 4, 250).astype(np.float32)


def _pattern(kind: str, count: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the weight of a back's second colour, shape (_HEIGHT, _WIDTH), from 0 to 1."""
    y, x = np.mgrid[0:_HEIGHT, 0:_WIDTH].astype(np.float32)
    if kind == "bamboo":
        grain = cv2.GaussianBlur(rng.random((1, _WIDTH)).astype(np.float32), (0, 0), 1.2)
        streaks = cv2.GaussianBlur(rng.random((_HEIGHT, _WIDTH)).astype(np.float32), (1, 31), 0)
        return np.clip((grain - 0.3) * 0.9 + (streaks - 0.5), 0, 0.7).astype(np.float32)
    if kind == "panel":
        inset = 6 + count
        inside = (x > inset) & (x < _WIDTH - inset) & (y > inset) & (y < _HEIGHT - inset)
        return np.asarray(inside, np.float32)
    if kind == "halves":
        return np.asarray((y > _HEIGHT * (0.3 + count / 20)), np.float32)
    return np.zeros((_HEIGHT, _WIDTH), np.float32)


def _glare(rng: np.random.Generator, strength: float) -> NDArray[np.float32]:
    """Return a gradient and a soft spot of light, shape (_HEIGHT, _WIDTH)."""
    y, x = np.mgrid[0:_HEIGHT, 0:_WIDTH].astype(np.float32)
    slope = rng.normal(0, 10, 2)
    light = (x / _WIDTH - 0.5) * slope[0] + (y / _HEIGHT - 0.5) * slope[1]
    cx, cy = rng.uniform(-0.2, 1.2) * _WIDTH, rng.uniform(-0.2, 1.2) * _HEIGHT
    sx, sy = rng.uniform(6, 40), rng.uniform(6, 60)
    spot = np.exp(-(((x - cx) / sx) ** 2) - ((y - cy) / sy) ** 2)
    return np.asarray(light + strength * spot, np.float32)


def _lit(back: NDArray[np.float32], tone: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Apply the light on a tile to a back (_HEIGHT, _WIDTH, 4)."""
    back[..., :3] *= float(np.clip(tone * rng.uniform(0.85, 1.1), 0.3, 1.3))
    return np.clip(back, 0, 255)


def _blank(rng: np.random.Generator, body: _Colour, framed: bool) -> NDArray[np.float32]:
    """Paint a blank white dragon, shape (_HEIGHT, _WIDTH, 4), with a thin frame or without."""
    face = np.tile(body, (_HEIGHT, _WIDTH, 1)) + _glare(rng, rng.uniform(0, 30))[..., None]
    face *= _rounded_rim(rng)[..., None]
    if framed:
        inset, width = int(rng.integers(6, 14)), int(rng.integers(1, 5))
        ink = np.array(rng.choice([[40, 60, 140], [40, 40, 45], [40, 110, 70]]), float)
        corner = (_WIDTH - inset, _HEIGHT - inset)
        face = np.ascontiguousarray(face, np.float32)
        cv2.rectangle(face, (inset, inset), corner, ink.tolist(), width)
    alpha = np.full((_HEIGHT, _WIDTH, 1), 255, np.float32)
    return np.dstack([np.clip(face, 0, 255), alpha]).astype(np.float32)


def _rounded_rim(rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the light on the rounded edges of a face as a factor, shape (_HEIGHT, _WIDTH)."""
    y, x = np.mgrid[0:_HEIGHT, 0:_WIDTH].astype(np.float32)
    width = float(rng.uniform(1.5, 7))
    light = np.ones((_HEIGHT, _WIDTH), np.float32)
    for distance in (x, _WIDTH - 1 - x, y, _HEIGHT - 1 - y):
        light += np.float32(rng.normal(-0.02, 0.08)) * np.clip(1 - distance / width, 0, 1)
    return light


def _lay(
    image: Image, quad: NDArray[np.floating], face: NDArray[np.float32], rng: np.random.Generator
) -> None:
    """Warp a painted face (_HEIGHT, _WIDTH, 4) into an outline (4, 2) of the picture."""
    centre = quad.mean(0)
    outline = (centre + (quad - centre) * 1.01).astype(np.float32)
    low = np.maximum(np.floor(outline.min(0)).astype(int) - 2, 0)
    high = np.minimum(np.ceil(outline.max(0)).astype(int) + 3, image.shape[1::-1])
    size = high - low
    if (size < 4).any():
        return
    shrink = max(1, int(min(_WIDTH, _HEIGHT) / max(float(size.min()), 1) / 2))
    small = cv2.resize(face, (_WIDTH // shrink, _HEIGHT // shrink), interpolation=cv2.INTER_AREA)
    mask = cv2.resize(_mask(), small.shape[1::-1], interpolation=cv2.INTER_AREA)
    small[..., 3] = small[..., 3] * (mask.astype(np.float32) / 255)
    corners = _corners() / np.float32(shrink)
    to = cv2.getPerspectiveTransform(corners, outline - low.astype(np.float32))
    laid = cv2.warpPerspective(small, to, (int(size[0]), int(size[1])), flags=cv2.INTER_LINEAR)
    laid = cv2.GaussianBlur(laid, (0, 0), float(rng.uniform(0.35, 0.9)))
    noise = rng.normal(0, rng.uniform(0.5, 5), laid.shape[:2])[..., None]
    weight = laid[..., 3:] / 255
    part = image[low[1] : high[1], low[0] : high[0]]
    mixed = part * (1 - weight) + np.clip(laid[..., :3] + noise, 0, 255) * weight
    part[:] = np.clip(mixed, 0, 255).astype(np.uint8)


def _redden(image: Image, quad: NDArray[np.floating], body: _Colour, ink: _Colour) -> None:
    """Turn the ink inside an outline red."""
    part, inside = _part(image, quad)
    density = _density(part, body, 1.25)
    tone = float(body.mean()) / 255
    red = body * (1 - density) + ink * tone * density
    part[:] = np.where(inside, red, part).clip(0, 255).astype(np.uint8)


def _blacken(
    image: Image, tiles: list[tuple[NDArray[np.floating], _Colour]], rng: np.random.Generator
) -> None:
    """Turn faces black, with white or golden ink; coloured ink keeps its hue."""
    dark = np.full(3, rng.uniform(14, 48)) + rng.normal(0, 4, 3)
    ink = np.array([(240, 240, 235), (215, 175, 80), (200, 205, 210)][int(rng.integers(3))], float)
    coloured = rng.random() < 0.6
    for quad, body in tiles:
        part, inside = _part(image, quad)
        density = _density(part, body, 1.3)
        most = part.max(2, keepdims=True).astype(np.float32)
        hue = part * (215 / np.maximum(most, 1))
        vivid = (most - part.min(2, keepdims=True)) > 0.4 * most
        light = np.where(vivid & coloured, hue, ink)
        tone = float(np.clip(body.mean() / 220, 0.3, 1.1))
        changed = (dark * (1 - density) + light * density) * tone
        part[:] = np.where(inside, changed, part).clip(0, 255).astype(np.uint8)


def _part(image: Image, quad: NDArray[np.floating]) -> tuple[Image, NDArray[np.bool_]]:
    """Return the picture's part around an outline, and which of its pixels (h, w, 1) are inside."""
    low = np.maximum(np.floor(quad.min(0)).astype(int), 0)
    high = np.minimum(np.ceil(quad.max(0)).astype(int) + 1, image.shape[1::-1])
    part = image[low[1] : max(high[1], low[1]), low[0] : max(high[0], low[0])]
    mask = np.zeros(part.shape[:2], np.uint8)
    if mask.size:
        cv2.fillConvexPoly(mask, np.round(quad - low).astype(np.int32), 1)
    return part, mask[..., None] > 0


def _density(part: Image, body: _Colour, gain: float) -> NDArray[np.float32]:
    """Return how much ink covers each pixel (h, w, 1), from 0 to 1."""
    light = part.astype(np.float32) / body
    return np.asarray(
        np.clip((1 - light.min(2, keepdims=True, initial=1.0) - 0.08) * gain, 0, 1), np.float32
    )


def _red_share(face: NDArray[np.float32], body: _Colour) -> float:
    """Return the share of red in the ink of a face."""
    inner = face[8:-8, 6:-6]
    ink = (inner / body).min(2) < 0.62
    reddish = inner[..., 0] - inner[..., 1:].max(2) > 0.16 * body.mean()
    return float((ink & reddish).sum() / max(int(ink.sum()), 1))


def _surroundings(image: Image, quads: NDArray[np.floating]) -> _Colour:
    """Return the median colour (3,) of what lies outside all outlines."""
    step = max(1, max(image.shape[:2]) // 200)
    mask = np.ones(image.shape[:2], np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(mask, np.round(quad).clip(-9999, 9999).astype(np.int32), 0)
    pixels = image[::step, ::step][mask[::step, ::step] > 0]
    return np.asarray(
        np.median(pixels if len(pixels) else image.reshape(-1, 3), axis=0), np.float32
    )


def _shows(tile: TruthTile, face: Tile) -> TruthTile:
    return tile._replace(face=face.code, shown=face.code)


def _corners() -> NDArray[np.float32]:
    return np.array([(0, 0), (_WIDTH, 0), (_WIDTH, _HEIGHT), (0, _HEIGHT)], np.float32)


def _mask() -> NDArray[np.uint8]:
    """Return the opacity of a rounded rectangle, shape (_HEIGHT, _WIDTH)."""
    mask = np.zeros((_HEIGHT, _WIDTH), np.uint8)
    r = 7
    cv2.rectangle(mask, (r, 0), (_WIDTH - 1 - r, _HEIGHT - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (_WIDTH - 1, _HEIGHT - 1 - r), 255, -1)
    for cx in (r, _WIDTH - 1 - r):
        for cy in (r, _HEIGHT - 1 - r):
            cv2.circle(mask, (cx, cy), r, 255, -1)
    return mask
