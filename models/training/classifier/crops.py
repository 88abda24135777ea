"""Patches of single tiles for the crop classifier, cut from rendered scenes and labelled photos.

A patch is the square around a box, `CONTEXT` times its longer side, brought to `PATCH` pixels: room
for the random shifts, turns and scales of training. The network sees its middle, as
`hupai.vision.detection.crops` cuts it in use.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.progress import track

from hupai.datasets.real.patches import Split, clutter_places, correct_boxes
from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import cut_square
from hupai.vision.detection.rectify import RectifiedView
from hupai.vision.geometry.boxes import centres, intersections
from hupai.vision.types import Image

PATCH = 112
CONTEXT = 1.5
NONE = 43
"""Class of a patch that shows no whole tile."""
ABOVE = 0.06
"""How far the detector's boxes of a table seen from the side lie from the true ones, standard
deviation of an edge in sides.
"""
TILE, GAP = 0.25, 0.45
"""A place no further from the middle of a tile than the first, in its shorter sides, shows that
tile, off its middle; one further than the second from every tile shows none.
"""


def from_scenes(
    folder: Path,
    seed: int = 3,
    keep_backs: float = 0.12,
    longest: tuple[int, int] = (420, 960),
    from_above: bool = False,
    asked: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Patches (n, PATCH, PATCH, 3) RGB, classes (n,), axes (n,) of every tile of the rendered
    scenes that can be seen.

    Each picture is first brought to a random size between `longest`, so that the patches have the
    sharpness of near and far tiles. With `from_above` only scenes seen from the side count, and
    their patches are cut from the picture that `hupai.vision.detection.rectify` makes of them.
    `asked` patches of a scene show places in and beside its rows, as
    `hupai.vision.layout.missing_tiles` asks about them: between two tiles, half beside one, or on
    one but off its middle. Of backs only the share `keep_backs` is kept.
    """
    rng = np.random.default_rng(seed)
    patches, classes, axes = [], [], []
    for line in track(
        (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines(), description=folder.name
    ):
        record = json.loads(line)
        picture = cv2.imread(str(folder / "images" / record["image"]))
        if picture is None:
            continue
        image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8)
        scale = float(rng.uniform(*longest)) / max(image.shape[:2])
        if scale < 1:
            image = cv2.resize(
                image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA
            ).astype(np.uint8)
        else:
            scale = 1.0
        # What cannot be seen may lie beside or behind the camera, where a projection means nothing.
        tiles = [t for t in record["tiles"] if t[3] > 0]
        quads = [np.array(t[2]).reshape(4, 2) * scale for t in tiles]
        boxes = around(quads)
        if from_above:
            above = seen_from_above(image, tiles, quads)
            if above is None:
                continue
            image, tiles, quads = above
            boxes = around(quads)
        for tile, quad, box in zip(tiles, quads, boxes, strict=True):
            _face, shown, _quad, visible, *_ = tile
            if (
                visible < 0.6
                or (box[2:] - box[:2]).max() < 14
                or (shown == "?" and rng.random() > keep_backs)
            ):
                continue
            jitter = rng.normal(0, ABOVE if from_above else 0.02, 4) * np.tile(box[2:] - box[:2], 2)
            patches.append(cut_square(image, box + jitter, PATCH, CONTEXT))
            classes.append(int(Tile.from_code(shown)))
            axes.append(axis(quad))
        for box in _empty_boxes(rng, boxes, image.shape[1], image.shape[0]):
            patches.append(cut_square(image, box, PATCH, CONTEXT))
            classes.append(NONE)
            axes.append(float("nan"))
        for box, at in _asked_boxes(rng, quads, asked):
            if at is not None and tiles[at][3] < 0.6:
                continue
            patches.append(cut_square(image, box, PATCH, CONTEXT))
            classes.append(NONE if at is None else int(Tile.from_code(tiles[at][1])))
            axes.append(float("nan") if at is None else axis(quads[at]))
    return np.array(patches, np.uint8), np.array(classes, np.int16), np.array(axes, np.float32)


def seen_from_above(
    image: Image, tiles: list[Any], quads: list[np.ndarray]
) -> tuple[Image, list[Any], list[np.ndarray]] | None:
    """A picture with these tiles and outlines (4, 2) as `hupai.vision.detection.rectify` shows it,
    where it is seen from the side.
    """
    boxes = around(quads)
    flat = RectifiedView.of(
        image, boxes.astype(np.float32), np.array([axis(q) for q in quads], np.float32)
    )
    if flat is None:
        return None
    covered = flat.covers(centres(boxes).astype(np.float32))
    there = [
        cv2.perspectiveTransform(q[None], flat.forward)[0]
        for q, seen in zip(quads, covered, strict=True)
        if seen
    ]
    return flat.image, [t for t, seen in zip(tiles, covered, strict=True) if seen], there


def around(quads: list[np.ndarray]) -> np.ndarray:
    """Smallest upright boxes (n, 4) around outlines (4, 2)."""
    return np.array([[*q.min(0), *q.max(0)] for q in quads]).reshape(-1, 4)


def shorter_sides(quads: list[np.ndarray]) -> np.ndarray:
    """Shorter sides (n,) of outlines (4, 2), pixels, at least 1."""
    return np.array(
        [max(min(np.hypot(*(q[1] - q[0])), np.hypot(*(q[3] - q[0]))), 1.0) for q in quads]
    )


def axis(quad: np.ndarray) -> float:
    """Direction modulo pi from the bottom to the top of a tile with this outline (4, 2), top
    corners first.
    """
    top, bottom = quad[:2].mean(0), quad[2:].mean(0)
    return float(np.arctan2(top[1] - bottom[1], top[0] - bottom[0]) % np.pi)


def _empty_boxes(
    rng: np.random.Generator, boxes: np.ndarray, width: int, height: int
) -> list[np.ndarray]:
    """Two boxes of tile size that hold no tile or only part of one."""
    if len(boxes) == 0:
        return []
    found: list[np.ndarray] = []
    size = np.median(boxes[:, 2:] - boxes[:, :2], axis=0)
    for _ in range(12):
        low = rng.uniform(0, 1, 2) * np.maximum((width, height) - size, 1)
        side = size * rng.uniform(0.7, 1.6)
        if rng.random() < 0.4:
            pick = boxes[int(rng.integers(len(boxes)))]
            low = pick[:2] + (pick[2:] - pick[:2]) * rng.choice([-1, 1], 2) * rng.uniform(
                0.45, 0.8, 2
            )
        box = np.array([*low, *(low + side)])
        if (intersections(box[None], boxes) / side.prod()).max() < 0.3:
            found.append(box)
        if len(found) == 2:
            break
    return found


def _asked_boxes(
    rng: np.random.Generator, quads: list[np.ndarray], count: int
) -> list[tuple[np.ndarray, int | None]]:
    """Boxes of a tile moved along its row, and which tile lies there; None where none does."""
    found: list[tuple[np.ndarray, int | None]] = []
    sides = shorter_sides(quads)
    middles = np.array([q.mean(0) for q in quads]).reshape(-1, 2)
    for _ in range(4 * count if quads else 0):
        pick = int(rng.integers(len(quads)))
        steps = rng.choice([-1.5, -1.0, -0.5, 0.5, 1.0, 1.5]) * rng.uniform(0.8, 1.2)
        moved = (
            quads[pick]
            + (quads[pick][1] - quads[pick][0]) * steps
            + rng.normal(0, 0.05, 2) * sides[pick]
        )
        box = around([moved])[0]
        away = np.hypot(*(middles - moved.mean(0)).T) / sides
        nearest = int(away.argmin())
        if (box[2:] - box[:2]).max() < 14 or TILE < away[nearest] < GAP:
            continue
        found.append((box, nearest if away[nearest] <= TILE else None))
        if len(found) == count:
            break
    return found


def from_photos(
    folder: Path, split: Split
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Patches, classes, axes and photo numbers of a labelled folder, its labels corrected by
    `hupai.datasets.real.patches`.

    The axis of a tile whose box is clearly longer one way is that way (these photos show rows along
    the picture's edges); else unknown.
    """
    patches, classes, axes, numbers = [], [], [], []
    for number, path in enumerate(sorted((folder / "images").glob("*.jpg"))):
        picture = cv2.imread(str(path))
        label = folder / "labels" / f"{path.stem}.txt"
        if picture is None or not label.exists():
            continue
        image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8)
        height, width = image.shape[:2]
        rows = [
            [float(v) for v in line.split()[:5]]
            for line in label.read_text().splitlines()
            if line.strip()
        ]
        labels = [(Tile(int(c)), (x, y, w, h)) for c, x, y, w, h in rows]
        for tile, (x, y, w, h) in correct_boxes(split, path.stem, labels):
            box = np.array(
                [
                    (x - w / 2) * width,
                    (y - h / 2) * height,
                    (x + w / 2) * width,
                    (y + h / 2) * height,
                ]
            )
            aspect = w * width / max(h * height, 1e-6)
            patches.append(cut_square(image, box, PATCH, CONTEXT))
            classes.append(int(tile))
            axes.append(np.pi / 2 if aspect < 0.85 else 0.0 if aspect > 1.18 else float("nan"))
            numbers.append(number)
        for place in (
            clutter_places(split)[path.stem].clutter if path.stem in clutter_places(split) else ()
        ):
            for grown in (0.0, 0.25):
                x0, y0, x1, y1 = place
                more = np.array([x0 - x1, y0 - y1, x1 - x0, y1 - y0]) * grown
                patches.append(
                    cut_square(
                        image,
                        (np.array(place) + more) * (width, height, width, height),
                        PATCH,
                        CONTEXT,
                    )
                )
                classes.append(NONE)
                axes.append(float("nan"))
                numbers.append(number)
    return (
        np.array(patches, np.uint8),
        np.array(classes, np.int16),
        np.array(axes, np.float32),
        np.array(numbers, np.int32),
    )


def main() -> None:
    """Command line: ``python -m hupai.models.training.classifier.crops OUT.npz --scenes DIR...`` or
    ``--photos DIR``.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=Path)
    parser.add_argument("--photos", type=Path)
    parser.add_argument(
        "--split", choices=["train", "dev"], default="train", help="whose corrections to apply"
    )
    parser.add_argument(
        "--from-above",
        action="store_true",
        help="of scenes seen from the side, as they look from above",
    )
    parser.add_argument(
        "--asked",
        type=int,
        default=0,
        help="places a scene in and beside its rows, most of which hold no tile",
    )
    parser.add_argument(
        "--keep-backs", type=float, default=0.12, help="share of the tiles lying face down"
    )
    parser.add_argument("--seed", type=int, default=3)
    a = parser.parse_args()
    a.out.parent.mkdir(parents=True, exist_ok=True)
    if a.scenes:
        x, y, z = from_scenes(
            a.scenes, a.seed, a.keep_backs, from_above=a.from_above, asked=a.asked
        )
    else:
        x, y, z, _ = from_photos(a.photos, a.split)
    np.savez(a.out, patches=x, classes=y, axes=z)
    print(f"{len(x)} patches")


if __name__ == "__main__":
    main()
