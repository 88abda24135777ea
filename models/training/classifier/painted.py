"""Patches of repainted tiles, and of tiles cut by their outline, from scenes and photos.

    python -m hupai.models.training.classifier.painted OUT.npz --scenes DIR [--count 1000]
    python -m hupai.models.training.classifier.painted OUT.npz --photos DIR [--outlines MODEL]
    python -m hupai.models.training.classifier.painted OUT.npz --faces DIR...

`hupai.models.training.classifier.repaint` does the painting. Half of the patches are cut by the
tile's outline, which shows faces undistorted, half by its box.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from hupai.datasets.synthetic.scene import axis_of
from hupai.datasets.synthetic.truth import TruthTile
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.models.training.classifier.crops import LEAST_VISIBLE, SMALLEST, Patches
from hupai.models.training.classifier.photo_outlines import detected_outlines, open_detector
from hupai.models.training.classifier.repaint import Repainted, Shares, repaint
from hupai.models.training.classifier.scene_views import SceneView, scene_views
from hupai.scoring.tiles import Tile
from hupai.vision.detection.tile_detector import DetectorNetwork
from hupai.vision.geometry.boxes import areas, around, corners, intersections, sizes

_CORNER_NOISE = 0.035
"""Standard deviation of detected from true corners, in sides of the tile."""

_PLAIN = 8
"""Maximum number of patches per picture of tiles that are neither painted nor backs nor blank."""

_BY_OUTLINE = 0.55
"""Share of the patches cut by the outline."""

_LYING = 0.12
"""Share of these patches whose outline is rotated by a quarter turn."""

_EMPTY = 2
"""Number of patches without a tile per picture, cut by outlines moved off the tiles."""


def add_from(
    painted: Repainted, rng: np.random.Generator, patches: Patches, plain: int = _PLAIN
) -> None:
    """Add patches of a painted view: all painted tiles, backs, blank tiles, and some others."""
    view = painted.view
    named = [
        k
        for k, tile in enumerate(view.tiles)
        if tile.visible >= LEAST_VISIBLE and np.ptp(view.quads[k], 0).max() >= SMALLEST
    ]
    special = {
        k
        for k in named
        if painted.painted[k] or view.tiles[k].shown in (Tile.BACK.code, Tile.WHITE.code)
    }
    others = [k for k in rng.permutation(named).tolist() if k not in special][:plain]
    patches.picture += 1
    for k in (*sorted(special), *others):
        face, red = int(Tile.from_code(view.tiles[k].shown)), float(painted.red[k])
        add_tile(rng, patches, view.image, view.quads[k], face, red)
    if not len(view.quads):
        return
    for quad in islice(_moved(view, rng), _EMPTY):
        patches.add(view.image, quad)


def add_tile(
    rng: np.random.Generator,
    patches: Patches,
    image: NDArray[np.uint8],
    quad: NDArray[np.floating],
    face: int,
    red: float = float("nan"),
) -> None:
    """Add a patch of a tile, cut by its outline or by its box, with errors like a detector's.

    Args:
        rng: draws the errors.
        patches: the collection to add to.
        image: RGB.
        quad: outline (4, 2), pixels, the corners of its top first.
        face: class of the tile.
        red: see `Patches.add`.
    """
    side = np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[3] - quad[0])
    quad = quad + rng.normal(0, _CORNER_NOISE * side / 2, (4, 2))
    if rng.random() >= _BY_OUTLINE:
        patches.add(image, around(quad[None])[0], face, axis_of(quad), red)
    elif rng.random() < _LYING:
        patches.add(image, np.roll(quad, 1, 0), face, 0.0, red)
    else:
        patches.add(image, quad, face, float(np.pi / 2), red)


def _moved(view: SceneView, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield outlines that show no tile, or only the corner of one."""
    taken = view.boxes
    size = np.array(view.image.shape[1::-1])
    for _ in range(12):
        quad = view.quads[int(rng.integers(len(view.quads)))]
        if rng.random() < 0.5:
            off = rng.uniform(0.6, 2.0, 2) * rng.choice([-1, 1], 2) * np.ptp(quad, 0)
        else:
            off = rng.uniform(0, 1, 2) * size - quad.mean(0)
        moved = (quad - quad.mean(0)) * rng.uniform(0.7, 1.5) + quad.mean(0) + off
        box = around(moved[None])
        inside = ((moved.mean(0) > 0) & (moved.mean(0) < size)).all()
        if inside and intersections(box, taken).max() < 0.3 * areas(box)[0]:
            yield moved


def photo_views(folder: Path, detector: DetectorNetwork | None = None) -> Iterator[SceneView]:
    """Yield labelled photos as views, without tiles whose outline is not known."""
    return (view for _, view in photos_and_views(folder, detector))


def photos_and_views(
    folder: Path, detector: DetectorNetwork | None = None
) -> Iterator[tuple[LabelledPhoto, SceneView]]:
    """Yield the photos of `photo_views` with their views.

    Args:
        folder: a labelled folder.
        detector: finds the outlines; None if the labels determine them.
    """
    for photo in track(list(read_folder(folder)), description=folder.name):
        picture = cv2.imread(str(photo.path))
        if picture is None or not photo.boxed:
            continue
        image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8)
        boxes = photo.boxes * np.tile(image.shape[1::-1], 2)
        quads = (
            _outlines_by_shape(boxes)
            if detector is None
            else detected_outlines(image, boxes, detector)
        )
        known = np.nonzero(~np.isnan(quads).any((1, 2)))[0]
        tiles = []
        for k in known.tolist():
            code = photo.tiles[k].code
            tiles.append(TruthTile(code, code, quads[k].ravel().tolist(), 1.0))
        if tiles:
            yield photo, SceneView(image, tuple(tiles), quads[known])


def _outlines_by_shape(boxes: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the outlines (n, 4, 2) of boxes (n, 4) that are longer in one direction, else NaN."""
    quads = corners(np.asarray(boxes, np.float64))
    width, height = sizes(boxes).T
    aspect = width / np.maximum(height, 1e-6)
    lying = aspect > 1.18
    quads[lying] = np.roll(quads[lying], -1, 1)
    quads[~lying & (aspect >= 0.85)] = np.nan
    return quads


def face_views(folder: Path, rng: np.random.Generator) -> Iterator[SceneView]:
    """Yield labelled pictures of single tiles in rows of five, on a ground of one colour.

    Args:
        folder: holds ``images/`` and ``labels.json``, which gives each picture's tile code.
        rng: draws the rows.
    """
    labels: dict[str, str] = json.loads((folder / "labels.json").read_text("utf-8"))
    names = sorted(labels)
    order = rng.permutation(len(names)).tolist()
    for start in range(0, len(order), 5):
        height = int(rng.integers(40, 130))
        width = round(height * float(rng.uniform(0.69, 0.8)))
        ground = cv2.cvtColor(
            np.array([[[rng.integers(180), rng.integers(200), rng.integers(20, 230)]]], np.uint8),
            cv2.COLOR_HSV2RGB,
        )[0, 0]
        image = np.tile(ground, (2 * height, 7 * width, 1)).astype(np.uint8)
        tiles, quads = [], []
        for place, k in enumerate(order[start : start + 5]):
            picture = cv2.imread(str(folder / "images" / names[k]))
            if picture is None:
                continue
            face = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
            x, y = width + place * width, height // 2
            image[y : y + height, x : x + width] = cv2.cvtColor(face, cv2.COLOR_BGR2RGB)
            quads.append([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
            outline = [float(v) for point in quads[-1] for v in point]
            tiles.append(TruthTile(labels[names[k]], labels[names[k]], outline, 1.0))
        if tiles:
            yield SceneView(image, tuple(tiles), np.array(quads, np.float64))


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--scenes", type=Path)
    source.add_argument("--photos", type=Path)
    source.add_argument("--faces", type=Path, nargs="+")
    parser.add_argument("--outlines", metavar="MODEL", help="weights that find the tiles of photos")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--plain", type=int, default=_PLAIN, help="other tiles a picture, at most")
    parser.add_argument("--copies", type=int, default=1, help="paintings of each picture")
    parser.add_argument("--black", type=float, help="share of the pictures with a black set")
    parser.add_argument("--blanks", type=float, help="share of the pictures with blank tiles")
    parser.add_argument("--tiles", type=float, help="share of a picture's tiles painted over")
    parser.add_argument("--seed", type=int, default=5)
    a = parser.parse_args()
    rng = np.random.default_rng(a.seed)
    given = {"black": a.black, "blanks": a.blanks, "tiles": a.tiles}
    shares = Shares(**{name: share for name, share in given.items() if share is not None})
    detector = open_detector(a.outlines) if a.outlines else None
    patches = Patches()
    for _ in range(a.copies):
        views = (
            scene_views(a.scenes, rng, (480, 1200), a.first, a.count)
            if a.scenes
            else photo_views(a.photos, detector)
            if a.photos
            else chain.from_iterable(face_views(folder, rng) for folder in a.faces)
        )
        for view in views:
            if len(view.quads):
                add_from(repaint(view, rng, shares), rng, patches, a.plain)
    patches.save(a.out)
    print(patches)


if __name__ == "__main__":
    main()
