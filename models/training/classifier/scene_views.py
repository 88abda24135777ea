"""Rendered scenes as the classifier sees them: original, and rectified to the bird's-eye view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from hupai.datasets.synthetic.scene import axis_of
from hupai.datasets.synthetic.truth import TruthTile, read_truth
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.rectified.view import RectifiedView
from hupai.vision.geometry.boxes import around, centres
from hupai.vision.types import Image

Quads = NDArray[np.float64]
"""Outlines of tiles, shape (n, 4, 2), pixels, top corners first."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneView:
    """A picture of a rendered scene with its visible tiles.

    Attributes:
        image: RGB.
        tiles: their truth; their outlines are those of the picture as rendered.
        quads: their outlines on `image`.
    """

    image: Image
    tiles: tuple[TruthTile, ...]
    quads: Quads

    @property
    def boxes(self) -> NDArray[np.float64]:
        """Smallest upright boxes around the outlines, shape (n, 4)."""
        return around(self.quads)

    def rectified(self) -> SceneView | None:
        """Return the bird's-eye view; None for a scene seen from above."""
        boxes = self.boxes.astype(np.float32)
        axes = np.array([axis_of(quad) for quad in self.quads], np.float32)
        view = RectifiedView.of(Picture.of(self.image), boxes, axes)
        if view is None:
            return None
        inside = view.covers(centres(boxes))
        seen = [i for i, covered in enumerate(inside) if covered]
        quads = [cv2.perspectiveTransform(self.quads[i][None], view.forward)[0] for i in seen]
        tiles = tuple(self.tiles[i] for i in seen)
        return SceneView(view.picture.image, tiles, np.array(quads, np.float64).reshape(-1, 4, 2))


def scene_views(
    folder: Path,
    rng: np.random.Generator,
    longest: tuple[int, int],
    first: int = 0,
    count: int | None = None,
) -> Iterator[SceneView]:
    """Yield the scenes of a folder, each reduced to a random size.

    Args:
        folder: of `hupai.datasets.synthetic.generate`; pictures that are missing are skipped.
        rng: draws the sizes.
        longest: range of the longer side in pixels; no picture is enlarged.
        first, count: index of the first scene, and number of scenes; None for all from there.
    """
    scenes = islice(read_truth(folder), first, None if count is None else first + count)
    for scene in track(list(scenes), description=folder.name):
        picture = cv2.imread(str(scene.picture))
        if picture is None:
            continue
        scale = min(float(rng.uniform(*longest)) / max(picture.shape[:2]), 1.0)
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        # Invisible tiles may lie beside or behind the camera, where the projection is meaningless.
        tiles = tuple(tile for tile in scene.tiles if tile.visible > 0)
        quads = np.array([tile.quad * scale for tile in tiles]).reshape(-1, 4, 2)
        yield SceneView(cv2.cvtColor(small, cv2.COLOR_BGR2RGB).astype(np.uint8), tiles, quads)


def shorter_sides(quads: Quads) -> NDArray[np.float64]:
    """Return the shorter sides (n,) of outlines (n, 4, 2), pixels, at least 1."""
    sides = np.linalg.norm(quads[:, [1, 3]] - quads[:, :1], axis=2)
    return np.maximum(sides.min(1), 1.0)
