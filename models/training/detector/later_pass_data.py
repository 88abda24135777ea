"""Pictures for the tile detector as its later looks see them
(`hupai.vision.detection.tile_detector`, `hupai.vision.detection.rectify`).

The first look shows a whole photo. What follows shows the part around the tiles with these at the
size that suits the network, and of a table seen from the side as it lies when seen from above:
blurred, smeared along the line of sight, the sides of tiles spread out before them, grey where the
photo ends.
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from hupai.models.training.classifier.crops import around, axis
from hupai.models.training.detector.data import MIN_VISIBLE, relative, write
from hupai.vision.detection.crops import FILL
from hupai.vision.detection.rectify import Flattened
from hupai.vision.detection.tile_detector import DetectorSettings

SPREAD = 0.25
"""Tiles are shown at the ideal size times e to the power of at most this, either way."""
OFF = 0.15
"""The middle of the picture lies within this share of its side from that of the hand."""


def closer(scenes: Path, out: Path, as_taken: float = 0.3, seed: int = 8) -> int:
    """Convert rendered scenes (`hupai.datasets.synthetic.generate`); returns how many pictures that
    gave.

    Args:
        scenes: their folder; scenes without a hand are left out.
        out: gets images and labels.
        as_taken: share of the scenes that are shown as taken although they could be shown from
            above.
        seed: of what is random.
    """
    rng = np.random.default_rng(seed)
    count = 0
    for line in (scenes / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        picture = cv2.imread(str(scenes / "images" / record["image"]))
        tiles = [t for t in record["tiles"] if t[3] > 0]
        if picture is None or not any(t[5] for t in tiles):
            continue
        quads = [np.array(t[2]).reshape(4, 2) for t in tiles]
        boxes, axes = (
            around(quads).astype(np.float32),
            np.array([axis(q) for q in quads], np.float32),
        )
        image = np.asarray(picture, np.uint8)
        flat = None if rng.random() < as_taken else Flattened.of(image, boxes, axes)
        if flat is not None:
            covered = flat.covers(((boxes[:, :2] + boxes[:, 2:]) / 2).astype(np.float32))
            tiles = [t for t, seen in zip(tiles, covered, strict=True) if seen]
            quads = [
                cv2.perspectiveTransform(q[None], flat.forward)[0]
                for q, seen in zip(quads, covered, strict=True)
                if seen
            ]
            image, boxes = flat.image, around(quads).astype(np.float32)
        own = np.array([bool(t[5]) for t in tiles], bool)
        if own.any():
            name = f"closer_{scenes.name}_{Path(record['image']).stem}"
            _window(rng, out, name, image, boxes, own, tiles)
            count += 1
    return count


def _window(
    rng: np.random.Generator,
    out: Path,
    name: str,
    image: np.ndarray,
    boxes: np.ndarray,
    own: np.ndarray,
    tiles: list[list[object]],
) -> None:
    """Write the part of a picture around the hand, whose tiles `own` marks."""
    settings = DetectorSettings()
    side = float(np.median((boxes[own, 2:] - boxes[own, :2]).min(1)))
    scale = settings.ideal * float(np.exp(rng.uniform(-SPREAD, SPREAD))) / max(side, 4.0)
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    middle = (boxes[own, :2].min(0) + boxes[own, 2:].max(0)) / 2 * scale
    corner = np.round(middle + (rng.uniform(-OFF, OFF, 2) - 0.5) * settings.size)
    grown = max(scale, 1.0)
    move = np.array([[grown, 0, -corner[0]], [0, grown, -corner[1]]])
    cut = cv2.warpAffine(
        image, move, (settings.size, settings.size), borderValue=(FILL, FILL, FILL)
    )
    rows = []
    for tile, box in zip(tiles, boxes * scale - np.tile(corner, 2), strict=True):
        low, high = np.clip(box[:2], 0, settings.size), np.clip(box[2:], 0, settings.size)
        whole, shown = (box[2:] - box[:2]).prod(), np.clip(high - low, 0, None).prod()
        if float(str(tile[3])) >= MIN_VISIBLE and shown >= MIN_VISIBLE * whole:
            rows.append(
                (1 if tile[1] == "?" else 0, *relative(low, high, settings.size, settings.size))
            )
    write(out, name, cut, rows, settings.size)
