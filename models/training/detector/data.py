"""Pictures and labels for the tile detector, in Ultralytics' folder form.

Two classes: 0 a tile's face, 1 the back of a tile lying face down. Synthetic scenes give both; real
photos give faces. A real photo labels the hand or the row that it is about, not the discards and
walls around it: `real_photos` cuts such a photo to its labelled part, so that no unlabelled tile or
back teaches the detector to overlook tiles.
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np

from hupai.datasets.real.patches import Split, clutter_places

WHOLE_FROM = 30
"""Photos with at least so many labels are trays and grids, labelled without a gap; the others are
cut to what is labelled.
"""
MIN_VISIBLE = 0.4
"""Share of a face that has to be visible for a label; less is no tile to anyone."""


def synthetic(scenes: Path, out: Path, longest: int = 640) -> int:
    """Convert rendered scenes (`hupai.datasets.synthetic.generate`), pictures brought down to
    `longest` pixels; returns how many.
    """
    count = 0
    for line in (scenes / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        image = cv2.imread(str(scenes / "images" / record["image"]))
        if image is None:
            continue
        width, height = record["width"], record["height"]
        rows = []
        for _face, shown, quad, visible, *_ in record["tiles"]:
            if visible < MIN_VISIBLE:
                continue
            points = np.array(quad).reshape(4, 2)
            low = np.clip(points.min(0), 0, (width, height))
            high = np.clip(points.max(0), 0, (width, height))
            if (high - low).min() >= 0.006 * max(width, height):
                rows.append((1 if shown == "?" else 0, *relative(low, high, width, height)))
        write(out, f"{scenes.name}_{Path(record['image']).stem}", image, rows, longest)
        count += 1
    return count


def real_photos(split: Path, out: Path, longest: int = 640, rng_seed: int = 5) -> int:
    """Convert a labelled folder (images/, labels/, hands.jsonl); trays stay whole, the others are
    cut to what is labelled.

    Every photo is written three times, upright, turned by a quarter and stretched, and where its
    tiles lie along the picture's edges once more, turned by any angle.
    """
    rng = np.random.default_rng(rng_seed)
    hands = {
        json.loads(line)["photo"]
        for line in (split / "hands.jsonl").read_text(encoding="utf-8").splitlines()
        if line
    }
    count = 0
    for path in sorted((split / "images").glob("*.jpg")):
        image = cv2.imread(str(path))
        label = split / "labels" / f"{path.stem}.txt"
        if image is None or not label.exists():
            continue
        height, width = image.shape[:2]
        boxes = np.array(
            [
                [float(v) for v in line.split()[1:5]]
                for line in label.read_text().splitlines()
                if line
            ]
        ).reshape(-1, 4)
        if len(boxes) == 0:
            continue
        low = (boxes[:, :2] - boxes[:, 2:] / 2) * (width, height)
        high = (boxes[:, :2] + boxes[:, 2:] / 2) * (width, height)
        if path.stem in hands or len(boxes) < WHOLE_FROM:
            size = np.median(high - low, axis=0)
            x0, y0 = np.maximum(low.min(0) - size * rng.uniform(0.15, 0.5, 2), 0).astype(int)
            x1, y1 = np.minimum(
                high.max(0) + size * rng.uniform(0.15, 0.5, 2), (width, height)
            ).astype(int)
            image, low, high = image[y0:y1, x0:x1], low - (x0, y0), high - (x0, y0)
            height, width = image.shape[:2]
        rows = [(0, *relative(a, b, width, height)) for a, b in zip(low, high, strict=True)]
        write(out, f"{split.name}_{path.stem}", image, rows, longest)
        # These photos show rows along the picture's lower edge; a quarter turn shows them along its
        # side.
        turns = 1 + 2 * int(rng.integers(2))
        turned = [(c, *_turned(x, y, w, h, turns)) for c, x, y, w, h in rows]
        write(
            out,
            f"{split.name}_{path.stem}_turned",
            np.ascontiguousarray(np.rot90(image, turns)),
            turned,
            longest,
        )
        across, down = _stretch(rng)
        wide = cv2.resize(image, None, fx=across, fy=down, interpolation=cv2.INTER_AREA)
        write(out, f"{split.name}_{path.stem}_stretched", wide, rows, longest)
        if _along_edges(high - low):
            tilted, low, high = _tilted(
                image, low, high, float(rng.uniform(8, 82)) * float(rng.choice([-1, 1]))
            )
            rows = [
                (0, *relative(a, b, tilted.shape[1], tilted.shape[0]))
                for a, b in zip(low, high, strict=True)
            ]
            write(out, f"{split.name}_{path.stem}_tilted", tilted, rows, longest)
        count += 1
    return count


def clutter(split: Split, folder: Path, out: Path, longest: int = 640, rng_seed: int = 6) -> int:
    """Pictures without a tile, cut from the labelled photos around what was once taken for one
    (`hupai.datasets.real.patches.clutter_places`).

    A cut holds no label and none of the unlabelled tiles that stand in the same file; returns how
    many there are.
    """
    rng = np.random.default_rng(rng_seed)
    count = 0
    for photo, places in clutter_places(split).items():
        image = cv2.imread(str(folder / "images" / f"{photo}.jpg"))
        label = folder / "labels" / f"{photo}.txt"
        if image is None or not label.exists():
            continue
        size = np.array(image.shape[1::-1])
        rows = np.array(
            [
                [float(v) for v in line.split()[1:5]]
                for line in label.read_text().splitlines()
                if line
            ]
        ).reshape(-1, 4)
        labelled = np.concatenate([rows[:, :2] - rows[:, 2:] / 2, rows[:, :2] + rows[:, 2:] / 2], 1)
        tiles = np.concatenate(
            [labelled, np.array(places.unlabelled_tiles).reshape(-1, 4)]
        ) * np.tile(size, 2)
        for number, place in enumerate(places.clutter):
            cut = _free_cut(rng, np.array(place) * np.tile(size, 2), tiles, size)
            if cut is not None:
                x0, y0, x1, y1 = cut
                write(out, f"clutter_{photo}_{number}", image[y0:y1, x0:x1], [], longest)
                count += 1
    return count


def _free_cut(
    rng: np.random.Generator, place: np.ndarray, tiles: np.ndarray, size: np.ndarray
) -> tuple[int, int, int, int] | None:
    """The largest of some random rectangles around a place that meets no tile; None if none is
    free.
    """
    side = float((place[2:] - place[:2]).max())
    best: tuple[int, int, int, int] | None = None
    for _ in range(40):
        grown = place + np.array([-1, -1, 1, 1]) * rng.uniform(0.2, 6, 4) * side
        low, high = np.maximum(grown[:2], 0).astype(int), np.minimum(grown[2:], size).astype(int)
        meets = ((np.minimum(high, tiles[:, 2:]) - np.maximum(low, tiles[:, :2])) > 0).all(1).any()
        if not meets and (
            best is None or (high - low).prod() > (best[2] - best[0]) * (best[3] - best[1])
        ):
            best = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
    return best


def _stretch(rng: np.random.Generator) -> tuple[float, float]:
    """Factors of width and height, one of them 1."""
    factor = float(np.exp(-rng.uniform(0.2, 0.65)))
    return (factor, 1.0) if rng.random() < 0.5 else (1.0, factor)


def relative(
    low: np.ndarray, high: np.ndarray, width: int, height: int
) -> tuple[float, float, float, float]:
    """Centre and size of a box with corners `low` and `high`, pixels (2,) each, as shares of a
    picture's width and height.
    """
    centre, size = (low + high) / 2 / (width, height), (high - low) / (width, height)
    return float(centre[0]), float(centre[1]), float(size[0]), float(size[1])


def _turned(
    x: float, y: float, w: float, h: float, turns: int
) -> tuple[float, float, float, float]:
    """A relative box after that many quarter turns to the left."""
    for _ in range(turns % 4):
        x, y, w, h = y, 1 - x, h, w
    return x, y, w, h


def _along_edges(sizes: np.ndarray) -> bool:
    """Whether tiles with boxes of these sizes (n, 2) lie along the picture's edges: boxes of one
    shape, clearly longer one way.
    """
    shape = np.log(sizes[:, 0] / np.maximum(sizes[:, 1], 1e-6))
    usual = float(np.median(shape))
    return abs(usual) > 0.15 and float(np.median(np.abs(shape - usual))) < 0.08


def _tilted(
    image: np.ndarray, low: np.ndarray, high: np.ndarray, degrees: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The picture turned, on a ground of its own colour, and the smallest boxes around its turned
    boxes.
    """
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    c, s = abs(turn[0, 0]), abs(turn[0, 1])
    across, down = round(width * c + height * s), round(width * s + height * c)
    turn[:, 2] += (across / 2 - width / 2, down / 2 - height / 2)
    ground = tuple(float(v) for v in np.median(image.reshape(-1, 3), axis=0))
    tilted = cv2.warpAffine(image, turn, (across, down), flags=cv2.INTER_AREA, borderValue=ground)
    corners = np.stack(
        [low, np.stack([high[:, 0], low[:, 1]], 1), high, np.stack([low[:, 0], high[:, 1]], 1)], 1
    )
    moved = corners @ turn[:, :2].T + turn[:, 2]
    return tilted, moved.min(1), moved.max(1)


def write(
    out: Path,
    name: str,
    image: np.ndarray,
    rows: list[tuple[int, float, float, float, float]],
    longest: int,
) -> None:
    """Write OUT/images/NAME.jpg, its longer side at most `longest` pixels, and its labels: class,
    relative centre and size each.
    """
    (out / "images").mkdir(parents=True, exist_ok=True)
    (out / "labels").mkdir(parents=True, exist_ok=True)
    scale = longest / max(image.shape[:2])
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(out / "images" / f"{name}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    text = "".join(f"{c} " + " ".join(f"{v:.6f}" for v in box) + "\n" for c, *box in rows)
    (out / "labels" / f"{name}.txt").write_text(text)
