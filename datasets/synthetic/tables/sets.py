"""Tile sets of whole tables: faces, bodies of one to three layers, backs of every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.designs import (
    BACKS,
    BODIES,
    TIGHT,
    Design,
    DesignBank,
    red_fives,
    trimmed,
)
from hupai.datasets.synthetic.prints import draw_halves, draw_print, draw_veins
from hupai.datasets.synthetic.scene import PlacedTile, Proportions
from hupai.datasets.synthetic.tables.solids import Colour
from hupai.scoring.tiles import Tile

Rgba = NDArray[np.uint8]
Faces = Callable[[Tile], Rgba | None]

BACK_KINDS = (
    "plain", "glossy", "bamboo", "clear", "pattern", "black", "cloth", "ivory", "marble", "tinted",
    "two-tone",
)  # fmt: skip
"""What backs are like: of one colour, matt or glossy; bamboo; clear plastic; printed; black; of the
colour of the cloth; of the colour of the front; veined; clear plastic over a core that shows; of
two colours.
"""

_BACK_SHARES = (0.28, 0.3, 0.08, 0.07, 0.1, 0.05, 0.05, 0.07, 0.0, 0.0, 0.0)

_RARE_SHARES = (0.07, 0.07, 0.06, 0.08, 0.18, 0.12, 0.05, 0.11, 0.1, 0.11, 0.05)
"""Shares of the kinds of backs if rare materials are requested."""

BLACK_BACKS = 0.75
"""Share of black sets whose backs are black too."""

BLACK_SHARE = 0.09
"""Share of black tiles among printed sets."""

STEPS = (12, 16, 20, 26, 34, 44, 56, 72, 92, 118, 150, 192)
"""Heights and widths in pixels at which sides are kept ready."""

_INKS = ((240, 240, 236), (214, 176, 84), (232, 206, 128), (250, 250, 250))
"""Ink on black tiles: white and gold."""

_RARE_INKS = (*_INKS, (186, 192, 198), (120, 220, 150), (110, 190, 240), (240, 120, 90))
"""The same if rare materials are requested: silver and colours too."""


@dataclass(slots=True, eq=False)
class TileSet:
    """One tile set.

    Attributes:
        name: name of the design.
        faces: gives the RGBA face of a tile, None if the set lacks it.
        red_faces: the same for red fives.
        body: RGB of the front.
        back: RGB of the back.
        back_kind: one of `BACK_KINDS`.
        layers: shares of the thickness from the front to the back, with colours.
        proportions: shape of the tiles.
        margin: share of the width left free around a transparent face.
        corner: radius of the corners as a share of the width.
        gloss: how strongly faces reflect lamps, 0 to 1.
        rows: height in pixels at which textures are made.
        seed: seed of bevels, fibres and prints.
    """

    name: str
    faces: Faces
    red_faces: Faces
    body: Colour
    back: Colour
    back_kind: str
    layers: tuple[tuple[float, Colour], ...]
    proportions: Proportions
    margin: float
    corner: float
    gloss: float
    rows: int
    seed: int
    _whole: dict[tuple[int, bool], Rgba] = field(default_factory=dict)
    _ready: dict[tuple[int, bool, int, int], Rgba] = field(default_factory=dict)

    def ground(self, front: bool) -> Colour:
        """Return the colour of the front or the back."""
        return self.body if front else self.back

    def side(self, tile: PlacedTile, front: bool, quad: NDArray[np.float64]) -> Rgba:
        """Return the picture of a tile's front or back, near the size at which it is seen."""
        face, red = (int(tile.face), tile.red) if front else (-1, False)
        across = float(np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2
        down = float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
        columns, rows = _step(across), min(_step(down), self.rows)
        key = (face, red, rows, columns)
        found = self._ready.get(key)
        if found is None:
            whole = self._texture(face, red)
            found = self._ready[key] = cv2.resize(
                whole, (columns, rows), interpolation=cv2.INTER_AREA
            ).astype(np.uint8)
        return found

    def _texture(self, face: int, red: bool) -> Rgba:
        found = self._whole.get((face, red))
        if found is None:
            found = self._whole[face, red] = self._make(face, red)
        return found

    def _make(self, face: int, red: bool) -> Rgba:
        height = self.rows
        width = round(height / self.proportions.height)
        rng = np.random.default_rng([self.seed, face + 1])
        base = np.empty((height, width, 3), np.float32)
        base[:] = self.back if face < 0 else self.body
        if face < 0:
            base = _back(base, self.back_kind, rng, self.seed)
        else:
            art = (self.red_faces if red else self.faces)(Tile(face))
            if art is not None:
                base = _printed(base, art, self.margin)
        return _rounded(base, self.corner)


def _step(size: float) -> int:
    return next((step for step in STEPS if step >= size), STEPS[-1])


def random_set(
    rng: np.random.Generator,
    bank: DesignBank,
    cloth: Colour,
    black_share: float = BLACK_SHARE,
    rare: bool = False,
) -> TileSet:
    """Draw a tile set.

    Args:
        rng: draws it.
        bank: the tile designs.
        cloth: the table's colour.
        black_share: share of black sets among those with printed faces; others are photographed.
        rare: mostly backs of rare materials, and more inks on black tiles.
    """
    design = bank.pick(rng)
    faces: Faces = design.face
    probe = next((art for t in (Tile.M1, Tile.P2, Tile.S5) if (art := faces(t)) is not None), None)
    opaque = probe is not None and probe[..., 3].min() == 255
    body: Colour = tuple(float(v) for v in design.body)  # type: ignore[assignment]
    if opaque and probe is not None:
        body = _rim_colour(probe)
    black = not opaque and rng.random() < black_share
    if black:
        body, faces = black_tiles(faces, rng, rare)
    elif rng.random() < 0.4 and not opaque:
        faces = with_dragon(faces, framed=bool(rng.random() < 0.55), rng=rng)
    kind = str(rng.choice(BACK_KINDS, p=_RARE_SHARES if rare else _BACK_SHARES))
    if black and rng.random() < BLACK_BACKS:
        kind = "black"
    back = _back_colour(kind, body, cloth, rng)
    height = float(rng.uniform(1.24, 1.45))
    return TileSet(
        name=design.name,
        faces=faces,
        red_faces=red_fives(faces),
        body=body,
        back=back,
        back_kind=kind,
        layers=_layers(kind, black, body, back, rng),
        proportions=Proportions(height, float(rng.uniform(0.56, 0.88))),
        margin=bank.margin(rng, 0.04, 0.14),
        corner=float(rng.uniform(0.05, 0.16)),
        gloss=float(rng.uniform(0.5, 1.0))
        if kind in ("glossy", "clear")
        else float(rng.uniform(0, 0.45)),
        rows=STEPS[-1],
        seed=int(rng.integers(1 << 30)),
    )


def _back_colour(kind: str, body: Colour, cloth: Colour, rng: np.random.Generator) -> Colour:
    if kind == "black":
        base = np.full(3, rng.uniform(12, 50))
    elif kind == "cloth":
        base = np.array(cloth) * rng.uniform(0.75, 1.3)
    elif kind == "ivory":
        base = np.array(body) * rng.uniform(0.93, 1.02)
    elif kind == "bamboo":
        base = np.array((205, 160, 95)) * rng.uniform(0.6, 1.1)
    elif rng.random() < 0.45:
        hue = np.array(
            [[[rng.integers(180), rng.integers(90, 256), rng.integers(110, 256)]]], np.uint8
        )
        base = cv2.cvtColor(hue, cv2.COLOR_HSV2RGB)[0, 0].astype(float)
    else:
        base = np.array(BACKS[int(rng.integers(len(BACKS)))], float)
    r, g, b = np.clip(base + rng.normal(0, 8, 3), 4, 252).tolist()
    return r, g, b


def _layers(
    kind: str, black: bool, body: Colour, back: Colour, rng: np.random.Generator
) -> tuple[tuple[float, Colour], ...]:
    """Draw how the body is built up: mostly two layers, sometimes one or three."""
    if (kind == "ivory" or black) and rng.random() < 0.7:
        return ((1.0, body),)
    share = float(rng.uniform(0.18, 0.5))
    if rng.random() < 0.12:
        middle = tuple(float(v) for v in BODIES[int(rng.integers(len(BODIES)))])
        thin = float(rng.uniform(0.1, 0.25))
        return ((1 - share - thin, body), (thin, middle), (share, back))  # type: ignore[return-value]
    return ((1 - share, body), (share, back))


def _rim_colour(art: Rgba) -> Colour:
    """Return the colour of an opaque face along its rim, brighter half."""
    d = max(2, art.shape[0] // 24)
    rim = np.concatenate(
        [art[d : 3 * d, d:-d, :3].reshape(-1, 3), art[-3 * d : -d, d:-d, :3].reshape(-1, 3)]
    ).astype(float)
    bright = rim[rim.sum(1) >= np.median(rim.sum(1))]
    r, g, b = np.median(bright, axis=0).tolist()
    return r, g, b


def black_tiles(faces: Faces, rng: np.random.Generator, rare: bool = False) -> tuple[Colour, Faces]:
    """Draw a dark body and print faces on it; with `rare`, in more inks."""
    shade = rng.uniform(14, 48)
    r, g, b = (shade + rng.normal(0, 3, 3)).tolist()
    inks = _RARE_INKS if rare else _INKS
    return (r, g, b), inverted(faces, inks[int(rng.integers(len(inks)))])


def in_black(design: Design, rng: np.random.Generator) -> Design:
    """Return a design whose tiles are black, mostly with black backs.

    Designs of photographed faces, which show their body, are returned as they are.
    """
    art = design.face(Tile.M1)
    if art is not None and art[..., 3].min() == 255:
        return design
    body, face = black_tiles(design.face, rng)
    back = _back_colour("black", body, body, rng) if rng.random() < BLACK_BACKS else design.back
    shades = [(round(r), round(g), round(b)) for r, g, b in (body, back)]
    return replace(design, face=face, body=shades[0], back=shades[1])


def inverted(faces: Faces, ink: tuple[int, int, int]) -> Faces:
    """Print faces for black tiles: dark ink turns white or gold, red and green ink brighter."""

    def changed(tile: Tile) -> Rgba | None:
        art = faces(tile)
        if art is None:
            return None
        colour = art[..., :3].astype(np.float32)
        spread = (colour.max(2) - colour.min(2))[..., None] / np.maximum(colour.max(2), 1)[
            ..., None
        ]
        vivid = np.clip((spread - 0.45) * 3, 0, 1) * (colour.max(2) > 90)[..., None]
        bright = np.minimum(colour * 1.35 + 30, 255)
        mixed = np.array(ink, np.float32) * (1 - vivid) + bright * vivid
        return np.dstack([mixed.astype(np.uint8), art[..., 3]])

    return changed


def with_dragon(faces: Faces, framed: bool, rng: np.random.Generator) -> Faces:
    """Give a set a white dragon that is blank, or a frame of one or two lines."""
    art = np.zeros((192, 144, 4), np.uint8)
    if framed:
        colour = (*(int(v) for v in rng.choice([(30, 50, 140), (20, 110, 60), (25, 25, 30)])), 255)
        gap = int(rng.integers(8, 24))
        thick = int(rng.integers(2, 9))
        for k in range(int(rng.integers(1, 3))):
            d = gap + k * (thick + int(rng.integers(4, 10)))
            cv2.rectangle(art, (d, d), (143 - d, 191 - d), colour, thick, cv2.LINE_AA)

    def changed(tile: Tile) -> Rgba | None:
        return art if tile is Tile.WHITE else faces(tile)

    return changed


def _printed(base: NDArray[np.float32], art: Rgba, margin: float) -> NDArray[np.float32]:
    """Lay a face onto the front: an opaque one covers it, ink lies on the body."""
    height, width = base.shape[:2]
    if art[..., 3].min() == 255:
        return cv2.resize(art[..., :3], (width, height), interpolation=cv2.INTER_AREA).astype(
            np.float32
        )
    if margin <= TIGHT:
        art = trimmed(art)
    inner_w, inner_h = width * (1 - 2 * margin), height * (1 - 1.6 * margin)
    scale = min(inner_w / art.shape[1], inner_h / art.shape[0])
    w, h = max(4, round(art.shape[1] * scale)), max(4, round(art.shape[0] * scale))
    ink = cv2.resize(art, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)
    x, y = (width - w) // 2, (height - h) // 2
    alpha = ink[..., 3:] / 255
    part = base[y : y + h, x : x + w]
    edge = alpha[..., 0] - np.roll(alpha[..., 0], (1, 1), (0, 1))
    part[:] = part * (1 - alpha) + ink[..., :3] * alpha - 18 * edge[..., None]
    return base


def _back(
    base: NDArray[np.float32], kind: str, rng: np.random.Generator, seed: int
) -> NDArray[np.float32]:
    """Give a back its fibres, print or depth."""
    height, width = base.shape[:2]
    if kind == "bamboo":
        fibres = rng.normal(0, 1, (1, width)).astype(np.float32)
        base = base * (1 + 0.09 * cv2.GaussianBlur(fibres, (3, 1), 0))[..., None]
        if rng.random() < 0.5:
            base[int(rng.uniform(0.2, 0.8) * height)] *= 0.72
    elif kind == "clear":
        inner = max(2, width // 8)
        base[inner:-inner, inner:-inner] *= 0.8
        base = base * 0.8 + 50
    elif kind in ("pattern", "two-tone", "marble"):
        base = _print(base, kind, seed)
    elif kind == "tinted":
        base = _tinted(base, seed)
    else:
        cloud = cv2.resize(
            rng.normal(0, 1, (3, 3)).astype(np.float32),
            (width, height),
            interpolation=cv2.INTER_CUBIC,
        )
        base = base * (1 + 0.03 * cloud[..., None])
    return base.astype(np.float32)


def _print(base: NDArray[np.float32], kind: str, seed: int) -> NDArray[np.float32]:
    """Give a back its second colour, the same on every tile of the set."""
    rng = np.random.default_rng([seed, 99])
    height, width = base.shape[:2]
    draw = {"pattern": draw_print, "two-tone": draw_halves, "marble": draw_veins}[kind]
    share = draw(rng, height, width)[..., None]
    other = np.clip(base.mean((0, 1)) + rng.choice([-1, 1]) * rng.uniform(40, 130, 3), 0, 255)
    printed: NDArray[np.float32] = (base * (1 - share) + other * share).astype(np.float32)
    return printed


def _tinted(base: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """Show a lighter or darker core through clear plastic, with a bright rim and a glint."""
    rng = np.random.default_rng([seed, 98])
    height, width = base.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    y, x = y / height, x / width
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y) * height / width)
    inset, soft = float(rng.uniform(0.05, 0.22)), float(rng.uniform(0.01, 0.08))
    core = np.clip((edge - inset) / soft, 0, 1)[..., None]
    inner = np.clip(base * rng.uniform(0.55, 1.2) + rng.uniform(-30, 60), 0, 255)
    rim = np.clip(base * rng.uniform(0.7, 1.1) + rng.uniform(10, 90), 0, 255)
    across = float(rng.uniform(-1, 1)) * (x - 0.5) + float(rng.uniform(-1, 1)) * (y - 0.5)
    bright = float(rng.uniform(20, 90)) * np.exp(-(((across - 0.1) / rng.uniform(0.05, 0.3)) ** 2))
    tinted = inner * core + rim * (1 - core) + bright[..., None]
    return np.asarray(np.clip(tinted, 0, 255), np.float32)


def _rounded(base: NDArray[np.float32], corner: float) -> Rgba:
    """Shade the rims, round the corners, and return premultiplied RGBA."""
    height, width = base.shape[:2]
    rim = max(1, round(0.035 * width))
    shade = np.ones((height, width), np.float32)
    shade[:rim] *= 1.06
    shade[-rim:] *= 0.88
    shade[:, :rim] *= 1.02
    shade[:, -rim:] *= 0.92
    soft = cv2.GaussianBlur(shade, (0, 0), max(rim * 0.6, 0.5))
    mask = np.zeros((height, width), np.uint8)
    r = max(1, int(corner * width))
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x, y in ((r, r), (width - 1 - r, r), (r, height - 1 - r), (width - 1 - r, height - 1 - r)):
        cv2.circle(mask, (x, y), r, 255, -1)
    alpha = (cv2.GaussianBlur(mask, (3, 3), 0) / 255).astype(np.float32)[..., None]
    colour = np.clip(base * soft[..., None], 0, 255) * alpha
    return np.dstack([colour, alpha * 255]).astype(np.uint8)
