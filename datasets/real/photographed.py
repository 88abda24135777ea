"""Cuts whole tile sets out of labelled photos, for rendered tables with real tiles.

    python -m hupai.datasets.real.photographed PHOTOS OUT --references DIR...

PHOTOS is a labelled folder (``../shared/photos/train``). From each photo that shows many faces of
one set, the upright boxes are cut, one per face, and written as OUT/photo-<name>/<code>_0.png: a
folder of faces as the scene generator takes them (``--faces``). Labels do not give the orientation
of a tile; it is found by comparison with upright faces of other sets (those of
`hupai.datasets.faces.from_sources`), and ambiguous faces are left out. A few faces look about the
same upside down, and are cut as they lie. The faces are for training and are never committed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.real.cloth import read_boxes
from hupai.scoring.tiles import CODES, Tile

Image = NDArray[np.uint8]
Ink = NDArray[np.float32]

LEAST_FACES = 11
"""Minimum number of different faces on a photo to give a set."""

SHAPES = (1.12, 1.8)
"""Minimum and maximum height of a box over its width: others show a turned or slanted tile."""

MARGIN = 0.08
"""Minimum difference in correlation between the two orientations of a face."""

SAME_BOTH_WAYS = frozenset(
    Tile.from_code(code) for code in ("1p", "2p", "4p", "8p", "9p", "2s", "4s", "6s", "9s", "P")
)
"""Faces that are about the same upside down."""

_SIZE = (24, 32)


def ink(image: Image) -> Ink:
    """Return how much darker or more coloured than the body each part of a face is, (32, 24)."""
    small = cv2.resize(image, _SIZE, interpolation=cv2.INTER_AREA).astype(np.float32)
    paper = np.percentile(small.reshape(-1, 3), 90, axis=0)
    dark = np.clip(paper - small, 0, None).max(2)
    dark = cv2.GaussianBlur(dark, (0, 0), 1.0)
    spread = float(dark.std())
    out: Ink = ((dark - dark.mean()) / max(spread, 1e-3)).astype(np.float32)
    return out


def references(folders: Iterable[Path]) -> dict[Tile, Ink]:
    """Return the mean ink of each face over upright faces of many sets, mean 0 and deviation 1."""
    found: dict[Tile, list[Ink]] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.png")):
            code = path.stem.split("_")[0]
            image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            if code in CODES and image is not None:
                found.setdefault(Tile.from_code(code), []).append(ink(_on_paper(image)))
    return {tile: _standard(np.mean(maps, axis=0)) for tile, maps in found.items()}


def _on_paper(image: NDArray[np.generic]) -> Image:
    """Lay a face that is transparent around its ink on white, uint8 BGR."""
    whole = np.asarray(image, np.float32)
    if whole.ndim == 3 and whole.shape[2] == 4:
        alpha = whole[..., 3:] / 255
        whole = (whole[..., :3] * alpha + 255 * (1 - alpha)).astype(np.float32)
    return whole[..., :3].astype(np.uint8)


def _standard(values: NDArray[np.float32]) -> Ink:
    out: Ink = ((values - values.mean()) / max(float(values.std()), 1e-3)).astype(np.float32)
    return out


def upright(face: Image, tile: Tile, known: dict[Tile, Ink]) -> Image | None:
    """Turn a face upright; None if its orientation is ambiguous."""
    if tile in SAME_BOTH_WAYS:
        return face
    if tile not in known:
        return None
    seen, wanted = ink(face), known[tile]
    this, other = float((seen * wanted).mean()), float((seen[::-1, ::-1] * wanted).mean())
    if abs(this - other) < MARGIN:
        return None
    return face if this > other else np.ascontiguousarray(face[::-1, ::-1])


def faces_of(
    image: Image, boxes: NDArray[np.float64], tiles: Sequence[Tile], known: dict[Tile, Ink]
) -> dict[Tile, Image]:
    """Cut the largest well-cut tile of each face out of a photo, upright, BGR."""
    found: dict[Tile, Image] = {}
    order = np.argsort([-(b[2] - b[0]) * (b[3] - b[1]) for b in boxes])
    for i in order:
        tile = tiles[int(i)]
        x0, y0, x1, y1 = np.round(boxes[int(i)]).astype(int).tolist()
        cut = image[max(y0, 0) : y1, max(x0, 0) : x1]
        if tile in found or tile is Tile.BACK or min(cut.shape[:2]) < 20:
            continue
        if not SHAPES[0] < cut.shape[0] / cut.shape[1] < SHAPES[1] or not _whole_body(cut):
            continue
        turned = upright(cut, tile, known)
        if turned is not None:
            found[tile] = turned
    return found


def _whole_body(cut: Image) -> bool:
    """Return whether all corners of a crop show the tile's pale body, not the surroundings."""
    h, w = cut.shape[:2]
    d = max(2, w // 8)
    spots = [cut[:d, :d], cut[:d, -d:], cut[-d:, :d], cut[-d:, -d:]]
    tones = np.array([np.median(spot.reshape(-1, 3), axis=0) for spot in spots], float)
    saturation = (tones.max(1) - tones.min(1)) / np.maximum(tones.max(1), 1)
    return bool((saturation < 0.4).all() and np.ptp(tones.mean(1)) < 60 and tones.mean() > 70 and h)


def cut(photos: Path, out: Path, known: dict[Tile, Ink], every: int = 1) -> int:
    """Write the sets of a labelled folder's photos below a folder; return how many sets.

    Args:
        photos: the labelled folder.
        out: gets one folder per set.
        known: upright faces, see `references`.
        every: write only every n-th set, because many photos show the same tiles.
    """
    names = [
        Tile.from_code(code) for code in (photos.parent / "classes.txt").read_text("utf-8").split()
    ]
    sets = found = 0
    for path in sorted((photos / "images").iterdir()):
        label = photos / "labels" / f"{path.stem}.txt"
        if not label.is_file():
            continue
        rows = [line.split() for line in label.read_text("utf-8").splitlines() if line.strip()]
        tiles = [names[int(row[0])] for row in rows]
        image = cv2.imread(str(path)) if len(set(tiles)) >= LEAST_FACES else None
        if image is None:
            continue
        boxes = read_boxes(label, image.shape[1], image.shape[0])
        faces = faces_of(image.astype(np.uint8), boxes, tiles, known)
        found += len(faces) >= LEAST_FACES
        if len(faces) < LEAST_FACES or (found - 1) % every:
            continue
        folder = out / f"photo-{path.stem}"
        folder.mkdir(parents=True, exist_ok=True)
        for tile, face in faces.items():
            cv2.imwrite(str(folder / f"{tile.code}_0.png"), face)
        sets += 1
    return sets


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--references", type=Path, nargs="+", required=True)
    parser.add_argument("--every", type=int, default=1, help="write every n-th set only")
    a = parser.parse_args(arguments)
    print(f"{cut(a.photos, a.out, references(a.references), a.every)} sets in {a.out}")


if __name__ == "__main__":
    main()
