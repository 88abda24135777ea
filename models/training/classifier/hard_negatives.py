"""Hard negatives: patches of the detector's boxes on rendered scenes, tiles and non-tiles.

    python -m hupai.models.training.classifier.hard_negatives OUT.npz --scenes DIR [--count 1000]

The detector finds boxes on dice, sides of tiles, cloth and reflections, mostly with a low score.
Only the classifier can reject these, and patches at random places
(`hupai.models.training.classifier.crops`) hardly ever show one. So that it does not take backs and
blank tiles for cloth, these are included too, as are tiles with a low score and tiles without a
box.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.scene import axis_of
from hupai.models import registry
from hupai.models.training.classifier.crops import (
    GAP,
    LEAST_VISIBLE,
    NONE,
    SMALLEST,
    TILE,
    Patches,
)
from hupai.models.training.classifier.scene_views import (
    Quads,
    SceneView,
    scene_views,
    shorter_sides,
)
from hupai.scoring.tiles import Tile
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import DetectorNetwork
from hupai.vision.geometry.boxes import areas, around, centres, sizes

_TILES = 4
"""Maximum number of patches of plain tiles per view."""

_NONES = 6
"""Maximum number of patches without a tile per view."""

_MISSED = 6
"""Maximum number of patches of easily missed tiles per view."""

_PLAIN = (int(Tile.BACK), int(Tile.WHITE))
"""Classes most easily confused with "no tile"."""

_EDGE_NOISE = 0.04
"""Standard deviation of the box edges of a missed tile, in sides."""


def labelled(
    boxes: NDArray[np.floating], quads: Quads, named: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which tile each box shows.

    Args:
        boxes: what a detector found, shape (n, 4).
        quads: outlines of all tiles of the picture, shape (m, 4, 2).
        named: sufficiently visible tiles, shape (m,).

    Returns:
        The index of each box's tile, -1 for none, shape (n,); and the indices of the boxes for
        which this is unambiguous.
    """
    if not len(quads) or not len(boxes):
        return np.full(len(boxes), -1), np.arange(len(boxes))
    away = np.linalg.norm(centres(boxes)[:, None] - quads.mean(1)[None], axis=2) / shorter_sides(
        quads
    )
    nearest = away.argmin(1)
    own = around(quads)[nearest]
    area, own_area = areas(boxes), areas(own)
    similar = (area < 2 * own_area) & (area > own_area / 2)
    tile = (away.min(1) <= TILE) & similar & named[nearest]
    none = away.min(1) > GAP
    return np.where(tile, nearest, -1), np.nonzero(tile | none)[0]


def add_from(
    view: SceneView, network: DetectorNetwork, rng: np.random.Generator, patches: Patches
) -> None:
    """Add patches of the boxes of `network` on a view, and of tiles that it misses."""
    found = network.find(Picture.of(view.image))
    named = np.array([tile.visible >= LEAST_VISIBLE for tile in view.tiles], bool)
    faces = np.array([int(Tile.from_code(tile.shown)) for tile in view.tiles], int)
    boxes = np.asarray(found.boxes, np.float64)
    shown, sure = labelled(boxes, view.quads, named)
    missed = np.setdiff1d(np.nonzero(named)[0], shown)
    if len(missed):
        own = view.boxes[missed]
        noise = rng.normal(0, _EDGE_NOISE, own.shape) * np.tile(sizes(own), 2)
        sure = np.concatenate([sure, np.arange(len(boxes), len(boxes) + len(missed))])
        boxes, shown = np.concatenate([boxes, own + noise]), np.concatenate([shown, missed])
    is_tile = shown[sure] >= 0
    overlooked = is_tile & (sure >= len(found.boxes))
    if len(faces):
        overlooked |= is_tile & np.isin(faces[shown[sure]], _PLAIN)
    for some, most in (
        (sure[overlooked], _MISSED),
        (sure[is_tile & ~overlooked], _TILES),
        (sure[~is_tile], _NONES),
    ):
        for k in rng.permutation(some)[:most].tolist():
            if (boxes[k, 2:] - boxes[k, :2]).max() < SMALLEST:
                continue
            at = int(shown[k])
            if at < 0:
                patches.add(view.image, boxes[k], NONE)
            else:
                patches.add(view.image, boxes[k], int(faces[at]), axis_of(view.quads[at]))


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=Path, required=True)
    parser.add_argument("--model", default=registry.DEFAULT, help="whose detector, name or folder")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=7)
    a = parser.parse_args()
    entry = registry.find(a.model)
    network = DetectorNetwork(open_network(entry.path("detector"), 1), entry.settings)
    rng = np.random.default_rng(a.seed)
    patches = Patches()
    for taken in scene_views(a.scenes, rng, (600, 1200), a.first, a.count):
        for view in (taken, taken.rectified()):
            if view is not None:
                add_from(view, network, rng, patches)
    patches.save(a.out)
    print(patches)


if __name__ == "__main__":
    main()
