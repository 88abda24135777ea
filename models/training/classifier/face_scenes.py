"""Patches of few faces in many tile sets, from small pictures that are rendered for them alone.

    python -m hupai.models.training.classifier.face_scenes OUT.npz --faces DIR... [--count 4000]

A whole hand shows one tile set on 20 tiles; to learn characters a classifier needs many sets and
few tiles of each. Faces that are often misread, flowers and characters, are drawn more often than
others. The patches are cut as those of `hupai.models.training.classifier.painted`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from hupai.datasets.synthetic.designs import DesignBank
from hupai.datasets.synthetic.generate import random_light
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.lens import sharpen
from hupai.datasets.synthetic.picture.render import render
from hupai.datasets.synthetic.scene import PlacedTile, Proportions, Scene, TileTruth
from hupai.models.training.classifier.crops import (
    LEAST_VISIBLE,
    PATCH,
    SMALLEST,
    Patches,
    gap_boxes,
)
from hupai.models.training.classifier.painted import add_tile
from hupai.scoring.tiles import Tile

FLOWERS = 0.3
"""Share of the tiles that are flowers, unless faces are given."""

CHARACTERS = 0.3
"""Share of the tiles that are of the suit of characters, unless faces are given."""

HEIGHTS = (14.0, 90.0)
"""Range of the heights of tiles on the pictures, pixels."""

_FLOWERS = tuple(tile for tile in Tile if tile.is_flower)
_SUIT = tuple(tile for tile in Tile if tile.code.endswith("m"))
_FACES = tuple(tile for tile in Tile if tile < Tile.BACK and not tile.is_flower)


def random_face(rng: np.random.Generator) -> Tile:
    """Draw a face, flowers and characters more often than others."""
    kind = rng.random()
    some = _FLOWERS if kind < FLOWERS else _SUIT if kind < FLOWERS + CHARACTERS else _FACES
    return one_of(rng, some)


def one_of(rng: np.random.Generator, faces: Sequence[Tile]) -> Tile:
    """Draw one of these faces."""
    return faces[int(rng.integers(len(faces)))]


def few_faces(
    rng: np.random.Generator, shape: Proportions, faces: Sequence[Tile] = ()
) -> list[PlacedTile]:
    """Lay one or two rows of up to five faces, some of them turned."""
    step = float(rng.uniform(1.0, 1.06)) if rng.random() < 0.7 else float(rng.uniform(1.06, 1.6))
    askew = float(rng.choice([0.01, 0.05, 0.5]))
    tiles = []
    for row in range(int(rng.choice([1, 2]))):
        for column in range(int(rng.integers(1, 6))):
            turn = float(rng.choice([0.0, np.pi / 2, np.pi], p=[0.85, 0.05, 0.1]))
            x, y = column * step * (1.0 if askew < 0.5 else 1.4), row * shape.height * 1.15 * step
            angle = turn + float(rng.normal(0, askew))
            face = one_of(rng, faces) if faces else random_face(rng)
            tiles.append(PlacedTile(face, x, y, angle))
    return tiles


def random_camera(rng: np.random.Generator, tiles: list[PlacedTile], height: float) -> Camera:
    """Draw a camera above tiles that shows them about `height` pixels tall."""
    points = np.array([[t.x, t.y] for t in tiles])
    across = float(np.ptp(points, 0).max()) + 2.0 + float(rng.uniform(0.3, 1.2))
    side = int(np.clip(across * height / 1.34, 40, 640))
    low = rng.random() < 0.4
    elevation = float(rng.uniform(18, 55)) if low else 90 - abs(float(rng.normal(0, 22)))
    azimuth = float(rng.normal(0, 20)) if rng.random() < 0.7 else float(rng.uniform(-180, 180))
    roll = float(rng.normal(0, 5)) + float(rng.choice([0, 90, 180, 270], p=[0.7, 0.1, 0.1, 0.1]))
    view = View(max(elevation, 18.0), azimuth, roll, float(rng.uniform(35, 75)), side, side)
    pad = 0.8
    spread = [(x + dx, y + dy, 0.0) for x, y in points for dx in (-pad, pad) for dy in (-pad, pad)]
    return Camera(view, np.array(spread), float(rng.uniform(0.85, 1.05)), (0.0, 0.0))


def small_picture(
    rng: np.random.Generator,
    bank: DesignBank,
    faces: Sequence[Tile] = (),
    heights: tuple[float, float] = HEIGHTS,
) -> tuple[NDArray[np.uint8], tuple[TileTruth, ...]]:
    """Render a small picture of few faces."""
    design = bank.pick(rng)
    tiles = few_faces(rng, design.proportions, faces)
    height = float(np.exp(rng.uniform(*np.log(heights))))
    camera = random_camera(rng, tiles, height)
    scene = Scene(tuple(tiles), proportions=design.proportions, layout="close")
    ground = effects.background(rng, camera.view.height, camera.view.width, clutter=0.0)
    drawn = render(scene, design, camera, random_light(rng), ground, rng)
    photo = effects.photograph(rng, sharpen(rng, drawn.image), float(rng.uniform(0.3, 1.1)))
    return photo, drawn.tiles


def add_faces(
    rng: np.random.Generator,
    patches: Patches,
    picture: NDArray[np.uint8],
    tiles: tuple[TileTruth, ...],
    gaps: int = 0,
) -> None:
    """Add the patches of a picture's visible tiles, and of up to `gaps` places beside them."""
    patches.picture += 1
    for tile in tiles:
        if tile.visible >= LEAST_VISIBLE and np.ptp(tile.quad, 0).max() >= SMALLEST:
            add_tile(rng, patches, picture, tile.quad.astype(float), int(tile.shown))
    quads = np.array([tile.quad for tile in tiles], np.float64).reshape(-1, 4, 2)
    for box, shown in gap_boxes(rng, quads, gaps):
        if shown is None:
            patches.add(picture, box)


def render_faces(
    bank: DesignBank,
    count: int,
    seed: int,
    faces: Sequence[Tile] = (),
    heights: tuple[float, float] = HEIGHTS,
    side: int = PATCH,
    gaps: int = 0,
) -> Patches:
    """Render small pictures and cut the patches of their tiles.

    Args:
        bank: the tile sets.
        count: number of pictures.
        seed: of everything that is drawn.
        faces: that the tiles show; those of `random_face` without any.
        heights: range of the heights of tiles, pixels.
        side: of a patch, pixels.
        gaps: most patches a picture of places between and beside its tiles.
    """
    patches = Patches(side)
    for index in track(range(count), description="pictures"):
        rng = np.random.default_rng([seed, index])
        add_faces(rng, patches, *small_picture(rng, bank, faces, heights), gaps)
    return patches


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--faces", type=Path, nargs="+", required=True, help="folders of faces")
    parser.add_argument("--count", type=int, default=4000, help="pictures")
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--gaps", type=int, default=0, help="most patches a picture of no tile")
    a = parser.parse_args()
    cv2.setNumThreads(1)
    patches = render_faces(DesignBank(a.faces, 0.0), a.count, a.seed, gaps=a.gaps)
    patches.save(a.out)
    print(patches)


if __name__ == "__main__":
    main()
