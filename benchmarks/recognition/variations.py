"""Measures the loss of accuracy when labelled photos are disturbed in one way at a time.

    python -m benchmarks.recognition.variations ../shared/photos/dev [--only turned] [--every 1]
        [--json FILE]

They are turned, stretched, shrunk, blurred, darkened, tinted, compressed and backlit. A tile counts
as found if the centre of a detection lies within a third of a tile of its centre, because boxes of
turned tiles cannot be compared by overlap. Whole hands are counted over photos with whole-hand
truth, as in `hupai models evaluate`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from hupai.models import registry
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import Image, PhotoReading

BACKGROUND = (90, 90, 90)
MAX_CENTRE_OFFSET = 0.33
"""Greatest distance of a detection's centre, as a share of the tile's shorter side."""

Matrix = NDArray[np.float64]
Change = Callable[[Image, float], tuple[Image, Matrix]]


def turned(image: Image, degrees: float) -> tuple[Image, Matrix]:
    """Rotate the whole photo on a larger canvas."""
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0).astype(np.float64)
    c, s = abs(matrix[0, 0]), abs(matrix[0, 1])
    across, down = round(width * c + height * s), round(width * s + height * c)
    matrix[:, 2] += (across / 2 - width / 2, down / 2 - height / 2)
    return cv2.warpAffine(image, matrix, (across, down), borderValue=BACKGROUND).astype(
        np.uint8
    ), matrix


def stretched(image: Image, factor: float) -> tuple[Image, Matrix]:
    """Stretch the photo in width by the factor."""
    wide = cv2.resize(
        image,
        None,
        fx=factor,
        fy=1.0,
        interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR,
    )
    return wide.astype(np.uint8), np.array([[factor, 0, 0], [0, 1, 0]], np.float64)


def shrunk(image: Image, share: float) -> tuple[Image, Matrix]:
    """Reduce the number of pixels."""
    small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA).astype(
        np.uint8
    )
    return small, np.array([[share, 0, 0], [0, share, 0]], np.float64)


def blurred(image: Image, sigma: float) -> tuple[Image, Matrix]:
    """Blur the photo, sigma in thousandths of the longer side."""
    return cv2.GaussianBlur(image, (0, 0), sigma / 1000 * max(image.shape[:2])).astype(
        np.uint8
    ), np.eye(2, 3)


def darkened(image: Image, share: float) -> tuple[Image, Matrix]:
    """Darken the photo, with the corresponding noise."""
    noise = np.random.default_rng(1).normal(0, 6, image.shape)
    return np.clip(image * share + noise, 0, 255).astype(np.uint8), np.eye(2, 3)


def tinted(image: Image, share: float) -> tuple[Image, Matrix]:
    """Tint the photo as by a warm lamp: blue a share of red, green in between (BGR)."""
    return np.clip(image * np.array([share, np.sqrt(share), 1.0]), 0, 255).astype(np.uint8), np.eye(
        2, 3
    )


def compressed(image: Image, quality: float) -> tuple[Image, Matrix]:
    """Compress the photo as a JPEG of a low quality."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), np.eye(2, 3)


def backlit(image: Image, share: float) -> tuple[Image, Matrix]:
    """Darken the photo except for its upper tenth, as if there were a window, with some noise."""
    edge = 0.1 * len(image)
    light = np.clip((edge - np.arange(len(image))) / edge * 4 + 0.5, 0, 1)[:, None, None]
    noise = np.random.default_rng(1).normal(0, 2, image.shape)
    lit = image * (share + (1 - share) * light) + noise
    return np.clip(lit, 0, 255).astype(np.uint8), np.eye(2, 3)


VARIATIONS: dict[str, tuple[Change, tuple[float, ...]]] = {
    "turned": (turned, (0, 15, 30, 45, 60, 75, 90, 135, 180, 225, 270, 315)),
    "stretched": (stretched, (0.56, 0.75, 1.33, 1.78)),
    "shrunk": (shrunk, (0.75, 0.5, 0.4, 0.3, 0.2)),
    "blurred": (blurred, (1, 2, 3)),
    "darkened": (darkened, (0.5, 0.3, 0.15)),
    "tinted": (tinted, (0.5, 0.3, 0.15)),
    "compressed": (compressed, (50, 25, 12)),
    "backlit": (backlit, (0.35, 0.25, 0.15)),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result under one change.

    Attributes:
        change, amount: what was done to the photos.
        hands, exact: photos with whole-hand truth, and how many of their hands are exactly right.
        tiles, found, right: labelled tiles, those found, those found and named right.
        certain, certain_wrong: hands read as certain, and how many of these are wrong.
        pixels: median shorter side of a labelled tile in pixels; 0 without any.
    """

    change: str
    amount: float
    hands: int
    exact: int
    tiles: int
    found: int
    right: int
    certain: int
    certain_wrong: int
    pixels: float


def measure(reader: Recogniser, photos: list[LabelledPhoto], change: str, amount: float) -> Outcome:
    """Read every photo under one change."""
    count: Counter[str] = Counter()
    sides: list[float] = []
    apply = VARIATIONS[change][0]
    for photo in track(photos, description=f"{change} {amount:g}", transient=True):
        picture = cv2.imread(str(photo.path))
        if picture is None:
            raise FileNotFoundError(f"{photo.path} is not a picture that OpenCV can read")
        changed, matrix = apply(picture.astype(np.uint8), amount)
        _, data = cv2.imencode(".png", changed, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        reading = reader.read_photo(data.tobytes(), photo.path.name)
        scale = float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
        boxes = photo.boxes * np.array([picture.shape[1], picture.shape[0]] * 2)
        centres = (boxes[:, :2] + boxes[:, 2:]) / 2 @ matrix[:, :2].T + matrix[:, 2]
        near = (boxes[:, 2:] - boxes[:, :2]).min(1) * scale
        sides += [float(v) for v in near]
        found, right = _tiles(reading, photo, centres, near)
        count.update(tiles=len(near), found=found, right=right)
        if photo.hand is not None:
            exact = Counter(t.tile for t in reading.reading.tiles if t.in_hand) == Counter(
                photo.hand
            )
            certain = reading.reading.certain
            count.update(hands=1, exact=exact, certain=certain, certain_wrong=certain and not exact)
    keys = ("hands", "exact", "tiles", "found", "right", "certain", "certain_wrong")
    return Outcome(
        change,
        amount,
        **{key: int(count[key]) for key in keys},
        pixels=round(float(np.median(sides or [0.0])), 1),
    )


def _tiles(
    reading: PhotoReading,
    photo: LabelledPhoto,
    centres: NDArray[np.float64],
    near: NDArray[np.float64],
) -> tuple[int, int]:
    seen = reading.reading.tiles
    if not seen:
        return 0, 0
    boxes = np.array([t.box for t in seen], np.float64)
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    free = np.ones(len(seen), bool)
    found = right = 0
    for tile, centre, side in zip(photo.tiles, centres, near, strict=True):
        distance = np.where(free, np.hypot(*(middles - centre).T), np.inf)
        best = int(distance.argmin())
        if distance[best] < MAX_CENTRE_OFFSET * side:
            free[best] = False
            found += 1
            right += seen[best].tile == tile
    return found, right


def table(outcomes: list[Outcome]) -> Table:
    """Return one row per change."""
    result = Table(title="Changed photos")
    for heading in (
        "change",
        "amount",
        "tile, px",
        "whole hands",
        "tiles found",
        "named right",
        "certain",
        "certain, wrong",
    ):
        result.add_column(heading, justify="left" if heading == "change" else "right")
    for o in outcomes:
        shares = (f"{o.found / max(o.tiles, 1):.4f}", f"{o.right / max(o.tiles, 1):.4f}")
        row = (
            o.change,
            f"{o.amount:g}",
            f"{o.pixels:.0f}",
            f"{o.exact}/{o.hands}",
            *shares,
            str(o.certain),
            str(o.certain_wrong),
        )
        result.add_row(*row)
    return result


def main() -> None:
    """Command line of this program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="labelled folder")
    parser.add_argument("--only", choices=list(VARIATIONS), action="append")
    parser.add_argument("--every", type=int, default=1, help="every n-th photo")
    parser.add_argument("--hands", action="store_true", help="only photos with whole-hand truth")
    parser.add_argument("--model", default="default")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    photos = [p for p in read_folder(options.folder) if p.hand is not None or not options.hands][
        :: options.every
    ]
    reader = Recogniser(registry.load(options.model))
    outcomes = []
    for change in options.only or list(VARIATIONS):
        outcomes += [measure(reader, photos, change, amount) for amount in VARIATIONS[change][1]]
    Console().print(table(outcomes))
    if options.json is not None:
        rows: list[dict[str, Any]] = [asdict(o) for o in outcomes]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
