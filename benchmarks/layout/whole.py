"""The third family: whole tables as photographed by phones, with the ground truth of the
photographer's hand.

Tables come from `hupai.datasets.synthetic.tables`, which shares no convention with the other two
families: hands on racks, with gaps, in loose groups; melds right, left, above, below, in a column
or in the corner; the winning tile apart, sideways, on the row, askew or standing; walls, discards
and all other seats around. Tiles are projected, hidden ones are left out, boxes and axes get
noise, and false detections on sides and tops of walls are added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.layout.table import LaidTable, Quad, perfect_detections
from hupai.datasets.synthetic.designs import (
    Design,
    DesignBank,
    drawn_faces,
    project_design,
    random_body,
)
from hupai.datasets.synthetic.picture.camera import Camera
from hupai.datasets.synthetic.scene import Proportions, TileTruth
from hupai.datasets.synthetic.tables import surface
from hupai.datasets.synthetic.tables.draw import owners, truth
from hupai.datasets.synthetic.tables.laying import Habit
from hupai.datasets.synthetic.tables.render import picture_of
from hupai.datasets.synthetic.tables.scene import WholeTable, lay_table, random_camera
from hupai.datasets.synthetic.tables.sets import random_set
from hupai.datasets.synthetic.tables.solids import EDGES, FloatArray, tile_corners
from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections, Image

EDGE_ERROR = 0.018
"""Standard deviation of a box's edges, as a share of its shorter side."""

AXIS_ERROR = 0.045
"""Standard deviation of an axis, radians."""

MIN_VISIBLE = 0.3
"""Minimum visible share of a tile that can be detected."""

MIN_VISIBLE_OWN = 0.4
"""Minimum visible share of each tile of the hand; other photos are rejected."""

MIN_TILE_SIDE = 13.0
"""Minimum shorter side of the hand's tiles, pixels; other photos are rejected."""

MIN_ASPECT_RATIO = 0.4
"""Minimum aspect ratio of a tile of the hand on the photo; flatter ones cannot be read."""

SIDE_DETECTION_RATE = 0.04
"""Share of the visible sides of tiles that are falsely detected as tiles."""

MAX_AZIMUTH = 60.0
"""Greatest azimuth of the camera from the photographer's seat, degrees."""

LONGER_SIDE = 1600
"""Longer side of the photo, pixels."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WholeSample(LaidTable):
    """A whole table and how it is seen.

    Attributes:
        table: all tiles on the table.
        camera: the camera of the photo.
    """

    table: WholeTable
    camera: Camera

    @property
    def habit(self) -> Habit:
        """How the hand was laid."""
        return self.table.habit


def whole(seed: int) -> WholeSample:
    """Lay the table of a seed; every tile of the hand is visible on the photo."""
    rng = np.random.default_rng([20_266, seed])
    while True:
        p = Proportions(float(rng.uniform(1.24, 1.45)), float(rng.uniform(0.56, 0.88)))
        table = lay_table(rng, p, empty=0.0)
        if table.hand is None or _hides_own_tiles(table):
            continue
        boxes = table.boxes()
        for _ in range(6):
            camera = random_camera(rng, table, LONGER_SIDE)
            if abs(camera.view.azimuth) > MAX_AZIMUTH or abs(camera.view.roll) > 30:
                continue
            if not _on_photo(table, camera):
                continue
            found = truth(owners(boxes, camera), table.tiles, boxes, camera)
            if all(_is_own_visible(t) for t in found if t.placed.in_hand):
                return _sample(seed, rng, table, camera, found)


def _hides_own_tiles(table: WholeTable) -> bool:
    """Return whether a tile lies on top of another one of the hand and hides it completely."""
    return any(t.z > 0 and t.in_hand and t.kind == "added_kong" for t in table.tiles)


def _on_photo(table: WholeTable, camera: Camera) -> bool:
    own = [tile_corners(t, table.proportions) for t in table.tiles if t.in_hand]
    points = np.concatenate(own)
    if camera.depth(points).min() < 1:
        return False
    pixels = camera.project(points)
    inside = (pixels > 0).all() and (pixels < (camera.view.width, camera.view.height)).all()
    quads = pixels.reshape(-1, 8, 2)[:, :4]
    across = np.linalg.norm(quads[:, 0] - quads[:, 1], axis=1)
    along = np.linalg.norm(quads[:, 0] - quads[:, 3], axis=1)
    short, long = np.minimum(across, along), np.maximum(across, along)
    return bool(inside) and bool(
        ((short > MIN_TILE_SIDE) & (short > MIN_ASPECT_RATIO * long)).all()
    )


def _is_own_visible(t: TileTruth) -> bool:
    return t.visible > MIN_VISIBLE_OWN and t.back == t.placed.face_down


def _sample(
    seed: int,
    rng: np.random.Generator,
    table: WholeTable,
    camera: Camera,
    found: tuple[TileTruth, ...],
) -> WholeSample:
    size = (camera.view.width, camera.view.height)
    kept = [
        t
        for t in found
        if t.placed.in_hand
        or (t.visible > MIN_VISIBLE and rng.random() < 0.5 + t.visible and _wide_enough(t.quad))
    ]
    # A tile that stands with its back to the camera shows its back.
    tiles = tuple(replace(t.placed, face_down=bool(t.back)) for t in kept)
    quads = tuple(t.quad.astype(float) for t in kept)
    errors = rng.normal(0, EDGE_ERROR, (len(kept), 4)), rng.normal(0, AXIS_ERROR, len(kept))
    seen = perfect_detections(tiles, quads, size, *errors)
    sides = _sides(rng, table, camera, found)
    assert table.hand is not None
    return WholeSample(
        seed=seed,
        hand=table.hand,
        tiles=tiles,
        quads=quads,
        size=size,
        detections=seen.with_others(sides) if len(sides) else seen,
        winning_inside=table.habit.winning == "inside",
        kongs_down=table.habit.kong == "all_down",
        table=table,
        camera=camera,
    )


def _wide_enough(quad: NDArray[np.float32]) -> bool:
    return bool(np.linalg.norm(quad[0] - quad[1]) > 7 and np.ptp(quad[:, 1]) > 5)


def _sides(
    rng: np.random.Generator,
    table: WholeTable,
    camera: Camera,
    found: tuple[TileTruth, ...],
) -> Detections:
    """Add false detections on sides of tiles, mostly as white dragons, with medium scores."""
    size = np.array([camera.view.width, camera.view.height], float)
    quads, names, scores = [], [], []
    for t in found:
        if t.placed.in_hand or rng.random() > SIDE_DETECTION_RATE:
            continue
        quad = _side(tile_corners(t.placed, table.proportions), camera)
        low, high = quad.min(0), quad.max(0)
        if (low < 0).any() or (high > size).any() or (high - low).min() < 7:
            continue
        quads.append(quad)
        names.append(Tile.WHITE if rng.random() < 0.7 else Tile.BACK)
        scores.append(float(np.clip(rng.beta(4, 3), 0.3, 0.97)))
    if not quads:
        return Detections.empty()
    corners = np.array(quads)
    classes = np.full((len(quads), len(Tile)), 0.003)
    sure = rng.uniform(0.5, 0.999, len(quads))
    classes[np.arange(len(quads)), names] = sure / (1 - sure) * 0.003 * len(Tile)
    up = corners[:, :2].mean(1) - corners[:, 2:].mean(1)
    return Detections(
        np.concatenate([corners.min(1), corners.max(1)], 1).astype(np.float32),
        np.array(scores, np.float32),
        (classes / classes.sum(1, keepdims=True)).astype(np.float32),
        (np.arctan2(up[:, 1], up[:, 0]) % np.pi).astype(np.float32),
    )


def _side(corners: FloatArray, camera: Camera) -> Quad:
    """Return the most visible side of a tile, (4, 2) pixels, its upper corners first."""
    pixels = camera.project(corners)
    eye = camera.position - corners.mean(0)
    middle = corners.mean(0)
    best = max(
        EDGES,
        key=lambda e: float((corners[[e[0], e[1], e[0] + 4, e[1] + 4]].mean(0) - middle) @ eye),
    )
    i, j = best
    quad = pixels[[i, j, j + 4, i + 4]]
    turn = int(np.argmin(quad[:, 1] + np.roll(quad[:, 1], -1)))
    out: Quad = np.roll(quad, -turn, axis=0)
    return out


class _Bank(DesignBank):
    """The project's own faces, or styles that its drawing program draws."""

    def __init__(self, own: bool) -> None:
        super().__init__([])
        self._own = own

    def pick(self, rng: np.random.Generator) -> Design:
        body, back, share, shape = random_body(rng)
        faces = project_design().face if self._own else drawn_faces(rng)
        return Design("drawn", faces, body, back, share, shape, 0.08)


def whole_picture(sample: WholeSample, faults: float = 0.6, own_set: bool = False) -> Image:
    """Render the photo of a whole table, uint8 RGB, in the project's own faces or a drawn style."""
    rng = np.random.default_rng([20_267, sample.seed])
    colour = surface.CLOTHS[int(rng.integers(len(surface.CLOTHS)))]
    dress = random_set(rng, _Bank(own_set), colour)
    dress.proportions = sample.table.proportions
    cloth = surface.textured(rng, colour, "felt")
    return picture_of(rng, sample.table, sample.camera, dress, cloth, faults).image


def kinds_of(sample: WholeSample) -> tuple[str, ...]:
    """Return the properties of a table by which a report splits the family."""
    habit, melds = sample.habit, sample.hand.melds
    kongs = any(m.kind.value == "concealed_kong" for m in melds)
    return (
        f"stance {habit.stance}",
        f"breaks {habit.breaks}",
        f"melds {habit.place}" if melds else "no melds",
        f"winning {habit.winning}" if sample.hand.winning_tile is not None else "not won",
        *([f"concealed kong {habit.kong}"] if kongs else []),
        *(["no sideways tile"] if melds and not habit.turned else []),
    )
