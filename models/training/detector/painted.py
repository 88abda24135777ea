"""Real photos whose tiles are painted over with backs, for the tile detector.

No labelled photo shows a tile lying face down, and rendered ones lie on rendered tables in rendered
light. `hupai.models.training.classifier.repaint` paints; the labels are those of the photo.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.truth import TruthTile
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.models.training.classifier.repaint import Shares, repaint
from hupai.models.training.classifier.scene_views import SceneView
from hupai.models.training.detector.data import SQUARE, LabelledPicture, boxed, labelled_part
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import sizes

ALL = 0.45
"""Share of the photos on which every tile becomes a back; on others a third of the tiles do."""

def painted_photos(folder: Path, out: Path, longest: int = 640, rng_seed: int = 8) -> int:
    """Paint and write the photos of a labelled folder, cropped to the labelled part.

    Photos with a slanted tile are left out, because its box does not determine its outline.

    Args:
        folder: has the photos and their labels, which are boxes.
        out: the folder to write to.
        longest: maximum longer side of the written pictures, pixels.
        rng_seed: seed of the painting and of the margins.

    Returns:
        The number of photos written.
    """
    rng = np.random.default_rng(rng_seed)
    count = 0
    for photo in read_folder(folder):
        read = cv2.imread(str(photo.path))
        if read is None or not photo.boxed or not photo.tiles:
            continue
        image = cv2.cvtColor(read, cv2.COLOR_BGR2RGB).astype(np.uint8)
        boxes = photo.boxes.astype(np.float64) * np.tile(image.shape[1::-1], 2)
        width, height = sizes(boxes).T
        ratio = width / np.maximum(height, 1e-6)
        if ((ratio > SQUARE[0]) & (ratio < SQUARE[1])).any():
            continue
        outlines = boxed(image, boxes, np.zeros(len(boxes), int)).quads
        painted = _painted(SceneView(image, _truth(photo.tiles, outlines), outlines), rng)
        backs = np.array([tile.shown == Tile.BACK.code for tile in painted.tiles], int)
        shown = cv2.cvtColor(painted.image, cv2.COLOR_RGB2BGR)
        picture = labelled_part(LabelledPicture(shown, painted.quads, backs), rng)
        if rng.random() < 0.3:
            picture = picture.turned(int(rng.integers(1, 4)))
        elif rng.random() < 0.3:
            picture = picture.tilted(float(rng.uniform(-60, 60)))
        picture.write(out, f"{folder.name}_{photo.path.stem}_painted-{rng_seed}", longest)
        count += 1
    return count


def _truth(tiles: tuple[Tile, ...], outlines: NDArray[np.float64]) -> tuple[TruthTile, ...]:
    """Convert labels with outlines (n, 4, 2) to the ground truth format of rendered pictures."""
    return tuple(
        TruthTile(tile.code, tile.code, outline, 1.0)
        for tile, outline in zip(tiles, outlines.reshape(-1, 8).tolist(), strict=True)
    )


def _painted(view: SceneView, rng: np.random.Generator) -> SceneView:
    """Paint backs, and sometimes blank white dragons or a black set, over a view."""
    draw = rng.random()
    if draw < ALL:
        shares = Shares(backs=1.0, blanks=0.0, black=0.0, red=0.0, tiles=1.0)
    elif draw < 0.85:
        shares = Shares(backs=1.0, blanks=0.5, black=0.2, red=0.0, tiles=0.33)
    else:
        shares = Shares(backs=0.0, blanks=0.5, black=1.0, red=0.0, tiles=0.2)
    return repaint(view, rng, shares).view
