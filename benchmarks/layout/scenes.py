"""Rendered tables for the layout benchmark, made from a seed.

Half of the cameras are placed as phones are held (`hupai.datasets.synthetic.generate.random_view`),
half at any elevation from 15 to 90 degrees. Proportions of the tiles, lenses, hands, styles and
surroundings are random.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from benchmarks.layout.table import LaidTable, Quad, perfect_detections, share_on_photo
from hupai.datasets.synthetic.designs import Design, drawn_faces, project_design, random_body
from hupai.datasets.synthetic.generate import aim, random_light, random_view
from hupai.datasets.synthetic.layout.compose import (
    HandStyle,
    lay_hand,
    random_hand,
    random_hand_style,
)
from hupai.datasets.synthetic.layout.footprints import corners
from hupai.datasets.synthetic.layout.surroundings import surroundings
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.lens import Lens, random_lens
from hupai.datasets.synthetic.picture.render import render
from hupai.datasets.synthetic.scene import PlacedTile, Scene
from hupai.vision.types import Image

EDGE_ERROR = 0.02
"""Standard deviation of a box's edges, as a share of the tile's side."""

AXIS_ERROR = 0.05
"""Standard deviation of an axis, radians."""

LOWEST = 15.0
"""Lowest elevation of a camera, degrees."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sample(LaidTable):
    """A table of the scene generator and its picture.

    Attributes:
        scene: all tiles on the table, and the hand as laid.
        style: how the hand was laid.
        view, camera, lens: how it is photographed.
    """

    scene: Scene
    style: HandStyle
    view: View
    camera: Camera
    lens: Lens


def sample(seed: int, longer_side: int = 1280) -> Sample:
    """Lay the table of a seed; the whole hand is on the picture."""
    rng = np.random.default_rng([20_262, seed])
    shape = random_body(rng)[3]
    hand = random_hand(rng, honours=bool(rng.random() < 0.85))
    style = random_hand_style(rng)
    laid = lay_hand(hand, style, rng, shape)
    scene = Scene((*laid, *surroundings(rng, list(laid), shape)), (), hand, shape, "hand")
    low = bool(rng.random() < 0.5)
    while True:
        view = random_view(rng, longer_side)
        if low:
            view = replace(view, elevation=float(rng.uniform(LOWEST, 90.0)))
        camera, lens = aim(rng, scene, view), random_lens(rng)
        quads = [_quad(tile, scene, camera, lens) for tile in scene.tiles]
        own = np.vstack(
            [quad for tile, quad in zip(scene.tiles, quads, strict=True) if tile.in_hand]
        )
        if own.min() > 0 and (own.max(0) < (view.width, view.height)).all():
            break
    size = (view.width, view.height)
    covered = _covered(scene.tiles)
    kept = [i for i, quad in enumerate(quads) if i not in covered and _visible(quad, size)]
    tiles, seen = tuple(scene.tiles[i] for i in kept), tuple(quads[i] for i in kept)
    errors = np.array([[*rng.normal(0, EDGE_ERROR, 4), rng.normal(0, AXIS_ERROR)] for _ in kept])
    return Sample(
        seed=seed,
        hand=hand,
        tiles=tiles,
        quads=seen,
        size=size,
        detections=perfect_detections(tiles, seen, size, errors[:, :4], errors[:, 4]),
        winning_inside=style.winning == "inside",
        kongs_down=style.concealed_kong == "all_down",
        scene=scene,
        style=style,
        view=view,
        camera=camera,
        lens=lens,
    )


def picture(table: Sample, faults: float = 0.6, own_set: bool = False) -> Image:
    """Render the photo of a table, uint8 RGB, in the project's own faces or a random style."""
    rng = np.random.default_rng([20_263, table.seed])
    body, back, share, _ = random_body(rng)
    faces = project_design().face if own_set else drawn_faces(rng)
    design = Design("benchmark", faces, body, back, share, table.scene.proportions, 0.08)
    view = table.view
    ground = effects.background(rng, view.height, view.width)
    drawn = render(table.scene, design, table.camera, random_light(rng), ground, rng)
    return effects.photograph(rng, table.lens.picture(drawn.image), faults)


def _quad(tile: PlacedTile, scene: Scene, camera: Camera, lens: Lens) -> Quad:
    """Project the corners of the upper face, shape (4, 2), from its top left, clockwise."""
    height = tile.z + scene.proportions.thickness
    flat = camera.project(np.column_stack([corners(tile, scene.proportions), np.full(4, height)]))
    bent: Quad = lens.points(flat.astype(np.float32), camera.view.width, camera.view.height).astype(
        float
    )
    return bent


def _visible(quad: Quad, size: tuple[int, int]) -> bool:
    """Return whether more than half of the face's box lies on the picture."""
    return bool((quad.max(0) > 0).all() and (quad.min(0) < size).all()) and (
        share_on_photo(quad, size) > 0.5
    )


def _covered(tiles: tuple[PlacedTile, ...]) -> set[int]:
    """Find tiles of a wall's lower layer with one on top."""
    upper = [t for t in tiles if t.z > 0]
    return {
        i
        for i, t in enumerate(tiles)
        if t.z == 0 and any(abs(t.x - u.x) + abs(t.y - u.y) < 0.5 for u in upper)
    }
