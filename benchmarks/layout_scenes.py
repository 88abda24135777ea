"""Rendered tables for the layout benchmark: a seed makes the table, the camera, and what a perfect
detector sees of it.

Half of the cameras stand as phones are held (`hupai.datasets.synthetic.generate.random_view`), half
at any elevation from 15 to 90 degrees. Proportions of the tiles, lenses, hands, styles and
surroundings are random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections, Image

SHAKE = 0.02
"""Standard deviation of a box's edges, as a share of the tile's side."""

AXIS_ERROR = 0.05
"""Standard deviation of an axis, radians."""

LOWEST = 15.0
"""Lowest elevation of a camera, degrees."""

Quads = tuple[NDArray[np.float64], ...]


class LaidTile(Protocol):
    """The truth about a tile, as `hupai.datasets.synthetic.scene.PlacedTile` describes it."""

    @property
    def in_hand(self) -> bool:
        """It belongs to the hand."""
        ...

    @property
    def group(self) -> int | None:
        """Number of its group."""
        ...

    @property
    def kind(self) -> str | None:
        """Kind of that group."""
        ...

    @property
    def claimed_from(self) -> str | None:
        """From whom that was claimed."""
        ...

    @property
    def sideways(self) -> bool:
        """It lies across its row."""
        ...


class LaidStyle(Protocol):
    """What of a style decides how much of the hand is shown: the winning tile ``inside``, concealed
    kongs ``all_down``.
    """

    @property
    def winning(self) -> str:
        """Where the winning tile lies."""
        ...

    @property
    def concealed_kong(self) -> str:
        """Which of its tiles lie face down."""
        ...


class LaidTable(Protocol):
    """What of a table a reading is compared with, whoever laid it; `Sample` says what these are."""

    @property
    def tiles(self) -> Sequence[LaidTile]:
        """Tiles on the picture, by the ids of their detections."""
        ...

    @property
    def hand(self) -> Hand:
        """The hand as laid."""
        ...

    @property
    def style(self) -> LaidStyle:
        """How it was laid."""
        ...

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        ...

    @property
    def detections(self) -> Detections:
        """What a perfect detector reports."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A table and its picture.

    Attributes:
        seed: it was made from.
        scene: everything that lies there, and the hand as laid.
        style: how the hand was laid.
        view, camera, lens: how it is seen.
        tiles: the tiles of which enough is on the picture to be found; their positions are the ids
            of `detections`.
        quads: corners of their upper faces on the picture, shape (4, 2) each, from the top left of
            the face, clockwise.
        detections: what a perfect detector would report, edges and axes shaken a little.
    """

    seed: int
    scene: Scene
    style: HandStyle
    view: View
    camera: Camera
    lens: Lens
    tiles: tuple[PlacedTile, ...]
    quads: Quads
    detections: Detections

    @property
    def hand(self) -> Hand:
        """The hand as laid."""
        assert self.scene.hand is not None
        return self.scene.hand

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.view.width, self.view.height


def sample(seed: int, longer_side: int = 1280) -> Sample:
    """The table of a seed; the whole hand is on the picture."""
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
    covered = _covered(scene.tiles)
    kept = [i for i, quad in enumerate(quads) if i not in covered and _visible(quad, view)]
    tiles, seen = tuple(scene.tiles[i] for i in kept), tuple(quads[i] for i in kept)
    return Sample(
        seed, scene, style, view, camera, lens, tiles, seen, _detect(tiles, seen, view, rng)
    )


def picture(table: Sample, faults: float = 0.6, own_set: bool = False) -> Image:
    """The photo of a table, uint8 RGB; `own_set` takes the project's finished faces in place of a
    randomly drawn set.
    """
    rng = np.random.default_rng([20_263, table.seed])
    body, back, share, _ = random_body(rng)
    faces = project_design().face if own_set else drawn_faces(rng)
    design = Design("benchmark", faces, body, back, share, table.scene.proportions, 0.08)
    view = table.view
    ground = effects.background(rng, view.height, view.width)
    drawn = render(table.scene, design, table.camera, random_light(rng), ground, rng)
    return effects.photograph(rng, table.lens.picture(drawn.image), faults)


def _quad(tile: PlacedTile, scene: Scene, camera: Camera, lens: Lens) -> NDArray[np.float64]:
    """Corners of the upper face on the picture, shape (4, 2), from its top left, clockwise."""
    height = tile.z + scene.proportions.thickness
    flat = camera.project(np.column_stack([corners(tile, scene.proportions), np.full(4, height)]))
    bent: NDArray[np.float64] = lens.points(
        flat.astype(np.float32), camera.view.width, camera.view.height
    ).astype(float)
    return bent


def _visible(quad: NDArray[np.float64], view: View) -> bool:
    """At least half the face's box lies on the picture."""
    low, high = np.maximum(quad.min(0), 0), np.minimum(quad.max(0), (view.width, view.height))
    whole = np.prod(quad.max(0) - quad.min(0))
    return bool((high > low).all() and np.prod(high - low) > 0.5 * whole)


def _covered(tiles: tuple[PlacedTile, ...]) -> set[int]:
    """Tiles of a wall's lower layer with one on top."""
    upper = [t for t in tiles if t.z > 0]
    return {
        i
        for i, t in enumerate(tiles)
        if t.z == 0 and any(abs(t.x - u.x) + abs(t.y - u.y) < 0.5 for u in upper)
    }


def _detect(
    tiles: tuple[PlacedTile, ...], quads: Quads, view: View, rng: np.random.Generator
) -> Detections:
    """Boxes with shaken edges, axes with an error, and sure faces."""
    boxes, axes = [], []
    classes = np.full((len(tiles), 43), 1e-5)
    limit = (view.width, view.height, view.width, view.height)
    for i, (tile, quad) in enumerate(zip(tiles, quads, strict=True)):
        box = np.concatenate([quad.min(0), quad.max(0)])
        side = min(box[2] - box[0], box[3] - box[1])
        boxes.append(np.clip(box + rng.normal(0, SHAKE * side, 4), 0, limit))
        up = quad[:2].mean(0) - quad[2:].mean(0)
        axes.append((np.arctan2(up[1], up[0]) + rng.normal(0, AXIS_ERROR)) % np.pi)
        classes[i, Tile.BACK if tile.face_down else tile.face] = 1.0
    classes /= classes.sum(axis=1, keepdims=True)
    return Detections(
        np.asarray(boxes, np.float32).reshape(-1, 4),
        np.full(len(tiles), 0.9, np.float32),
        classes.astype(np.float32),
        np.asarray(axes, np.float32),
    )
