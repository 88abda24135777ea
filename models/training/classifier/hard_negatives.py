"""Patches of what the shipped detector finds on rendered scenes: its own boxes around tiles, and
boxes around what is none.

    python -m hupai.models.training.classifier.hard_negatives OUT.npz --scenes DIR [--first 0] [--count 1000] [--seed 7]

Dice, the sides of tiles, cloth and reflections give boxes, most of them faint ones. Only the
classifier can tell that these are no tiles, and patches at random places
(`hupai.models.training.classifier.crops`) hardly ever show one. Lest it learns to take backs and
blank tiles for cloth, these, the tiles with a faint box and the tiles without one are kept too.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from hupai.models import registry
from hupai.models.training.classifier.crops import (
    CONTEXT,
    GAP,
    NONE,
    PATCH,
    TILE,
    around,
    axis,
    seen_from_above,
    shorter_sides,
)
from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import cut_square
from hupai.vision.detection.tile_detector import DetectorNetwork
from hupai.vision.geometry.boxes import areas, centres
from hupai.vision.types import FloatArray, Image

_TILES, _NONES, _OVERLOOKED = 4, 6, 6
"""Patches of tiles, of none, and of tiles that are easily overlooked, that are kept of a look, at
most.
"""
_PLAIN = (int(Tile.BACK), int(Tile.WHITE))
"""Classes that look most like no tile."""
_SHAKE = 0.04
"""Standard deviation of an edge around an overlooked tile, in sides."""
_SEEN = 0.6
"""Share of a tile that can be seen from which its patch is named; of tiles hidden more nothing is
said.
"""


def labelled(
    boxes: NDArray[np.floating], quads: list[np.ndarray], named: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For boxes (n, 4) the index of the tile each shows, -1 for none; and the indices of the boxes
    of which that can be said.

    Args:
        boxes: what a detector found.
        quads: outlines (4, 2) of all tiles of the picture, top corners first.
        named: shape (len(quads),), tiles of which enough can be seen.
    """
    if not quads or not len(boxes):
        return np.full(len(boxes), -1), np.arange(len(boxes))
    middles = np.array([q.mean(0) for q in quads])
    away = np.linalg.norm(centres(boxes)[:, None] - middles[None], axis=2) / shorter_sides(quads)
    nearest = away.argmin(1)
    own = around(quads)[nearest]
    area, true = areas(boxes), areas(own)
    alike = (area < 2 * true) & (area > true / 2)
    tile = (away.min(1) <= TILE) & alike & named[nearest]
    none = away.min(1) > GAP
    return np.where(tile, nearest, -1), np.nonzero(tile | none)[0]


def from_scene(
    finder: DetectorNetwork,
    image: Image,
    tiles: list[Any],
    quads: list[np.ndarray],
    rng: np.random.Generator,
) -> tuple[list[Image], list[int], list[float]]:
    """Patches, classes and axes of what `finder` finds on one picture with these tiles (as in
    truth.jsonl) and outlines, and of tiles that it does not find.
    """
    found = finder.find(image)
    named = np.array([t[3] >= _SEEN for t in tiles], bool)
    shades = np.array([int(Tile.from_code(t[1])) for t in tiles], int)
    boxes: FloatArray = (
        found.boxes
        if found.low_confidence is None
        else np.concatenate([found.boxes, found.low_confidence.boxes])
    )
    shown, sure = labelled(boxes, quads, named)
    missed = np.array([i for i in np.nonzero(named)[0] if i not in shown], int)
    if len(missed):
        own = around([quads[i] for i in missed])
        boxes = np.concatenate(
            [boxes, own + rng.normal(0, _SHAKE, own.shape) * np.tile(own[:, 2:] - own[:, :2], 2)]
        )
        shown, sure = (
            np.concatenate([shown, missed]),
            np.concatenate([sure, np.arange(len(shown), len(boxes))]),
        )
    is_tile = shown[sure] >= 0
    faint = is_tile & (sure >= len(found.boxes))
    if len(shades):
        faint |= is_tile & np.isin(shades[shown[sure]], _PLAIN)
    patches: list[Image] = []
    classes: list[int] = []
    axes: list[float] = []
    for some, most in (
        (sure[faint], _OVERLOOKED),
        (sure[is_tile & ~faint], _TILES),
        (sure[~is_tile], _NONES),
    ):
        for k in rng.permutation(some)[:most].tolist():
            if (boxes[k, 2:] - boxes[k, :2]).max() < 14:
                continue
            at = int(shown[k])
            patches.append(cut_square(image, boxes[k], PATCH, CONTEXT))
            classes.append(NONE if at < 0 else int(shades[at]))
            axes.append(float("nan") if at < 0 else axis(quads[at]))
    return patches, classes, axes


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=Path, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=7)
    a = parser.parse_args()
    entry = next(entry for entry in registry.available() if entry.name == registry.DEFAULT)
    finder, rng = (
        DetectorNetwork(entry.path("detector"), entry.settings, 1),
        np.random.default_rng(a.seed),
    )
    patches: list[Image] = []
    classes: list[int] = []
    axes: list[float] = []
    lines = (
        (a.scenes / "truth.jsonl").read_text(encoding="utf-8").splitlines()[a.first :][: a.count]
    )
    for line in track(lines, description=a.scenes.name):
        record = json.loads(line)
        picture = cv2.imread(str(a.scenes / "images" / record["image"]))
        if picture is None:
            continue
        scale = min(float(rng.uniform(600, 1200)) / max(picture.shape[:2]), 1.0)
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        image = cv2.cvtColor(small, cv2.COLOR_BGR2RGB).astype(np.uint8)
        tiles = [t for t in record["tiles"] if t[3] > 0]
        quads = [np.array(t[2]).reshape(4, 2) * scale for t in tiles]
        views = [(image, tiles, quads)]
        if (above := seen_from_above(image, tiles, quads)) is not None:
            views.append(above)
        for view in views:
            cut, named, lying = from_scene(finder, *view, rng)
            patches += cut
            classes += named
            axes += lying
    a.out.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        a.out,
        patches=np.array(patches, np.uint8),
        classes=np.array(classes, np.int16),
        axes=np.array(axes, np.float32),
    )
    print(f"{len(classes)} patches, {classes.count(NONE)} of none")


if __name__ == "__main__":
    main()
