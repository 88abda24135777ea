"""Measures how the time to read a photo grows with the number of tiles on the table.

    python -m benchmarks.tile_counts [--repeat 3] [--model NAME] [--json FILE]

Renders one table for each number of tiles: a row of 14 in front, the others in rows of 24 behind
it, all faces drawn by the project, on a picture of 1,600 pixels. The table gives medians in
milliseconds, and the time per tile beyond the first 14: where that rises, time grows faster than
linearly. Layout and reading are also given in processor time, which other programs on the machine
hardly affect; the networks that recover missing tiles are excluded from it.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from statistics import median
from time import process_time

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from hupai.datasets.synthetic.designs import DesignBank
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.render import Light, render
from hupai.datasets.synthetic.scene import PlacedTile, Scene
from hupai.models import registry
from hupai.scoring.tiles import Tile
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.recogniser import Recogniser, layout_with_recovery
from hupai.vision.protocols import RegionClassifier, TileDetector
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, FloatArray, Image

COUNTS = (14, 28, 56, 84, 112, 140, 170, 200)
"""Numbers of tiles on the tables."""

ROW = 24
"""Tiles in each row behind the hand."""

SIDE = 1600
"""Longer side of the pictures, pixels."""

SEED = 20

Row = dict[str, float]


def scene(count: int, rng: np.random.Generator) -> Scene:
    """Lay a row of 14 tiles and the rest of `count` in rows behind it."""
    wall = rng.permutation(np.repeat(np.arange(34), 4))
    faces = np.resize(wall, count)  # of two sets of tiles, where one is not enough
    tiles = []
    for i, face in enumerate(faces):
        row, column, width = (0, i, 14) if i < 14 else (1 + (i - 14) // ROW, (i - 14) % ROW, ROW)
        x = (column - (width - 1) / 2) * (1.0 if row == 0 else 1.06)
        y = 0.0 if row == 0 else 1.2 + 1.5 * row
        tiles.append(PlacedTile(Tile(int(face)), x, y, in_hand=row == 0))
    return Scene(tuple(tiles))


def picture(count: int) -> bytes:
    """Render such a table from 65 degrees; return it as a JPEG."""
    rng = np.random.default_rng(SEED)
    design = DesignBank([]).pick(rng)
    table = scene(count, rng)
    view = View(65.0, 0.0, 0.0, 55.0, SIDE, SIDE * 3 // 4)
    every = scene(max(COUNTS), rng)
    points = np.array([[tile.x, tile.y, 0.0] for tile in every.tiles])
    ground = effects.background(rng, view.height, view.width, "felt", 0.0)
    drawn = render(
        table, design, Camera(view, points, 0.95), Light(1.0, 0.6, 0.5, 0.3), ground, rng
    )
    _, data = cv2.imencode(".jpg", cv2.cvtColor(drawn.image, cv2.COLOR_RGB2BGR))
    return data.tobytes()


def measure(model: str, repeat: int) -> dict[int, Row]:
    """Measure the medians of each stage, and the tiles found, for each number of tiles."""
    reader = Recogniser(registry.load(model))
    found = {}
    for count in COUNTS:
        photo = picture(count)
        runs = [reader.read_photo(photo) for _ in range(repeat + 1)][1:]
        stages = [asdict(run.timing) for run in runs]
        row = {name: round(median(stage[name] for stage in stages), 1) for name in stages[0]}
        row |= processor_times(reader.detector, photo, repeat)
        found[count] = row | {"found": len(runs[0].reading.tiles)}
    return found


def processor_times(detector: TileDetector, data: bytes, repeat: int) -> Row:
    """Measure the medians of layout and reading in processor time, milliseconds."""
    photo = decode(data, "")
    detections, size = detector.detect(photo.image), (photo.width, photo.height)
    classify = None
    if isinstance(detector, RegionClassifier):
        classify = _Classifier(detector, photo.image, detections.quads)
    layouts, readings = [], []
    for _ in range(repeat + 1):
        begun, before = process_time(), classify.seconds if classify else 0.0
        layout = layout_with_recovery(classify, detections, size)
        arranged = process_time()
        read(layout)
        readings.append(process_time() - arranged)
        layouts.append(arranged - begun - ((classify.seconds if classify else 0.0) - before))
    rows = (("layout_cpu", layouts[1:]), ("read_cpu", readings[1:]))
    return {name: round(1000 * median(times), 1) for name, times in rows}


class _Classifier:
    """Classifies boxes of a picture with a cache; sums the processor time this takes, seconds."""

    def __init__(self, detector: RegionClassifier, image: Image, tiles: FloatArray) -> None:
        self._classify = detector.region_classifier(image, tiles)
        self._known: dict[bytes, Detections] = {}
        self.seconds = 0.0

    def __call__(self, boxes: FloatArray) -> Detections:
        begun, key = process_time(), boxes.tobytes()
        if key not in self._known:
            self._known[key] = self._classify(boxes)
        self.seconds += process_time() - begun
        return self._known[key]


def table(found: dict[int, Row]) -> Table:
    """Return one row per number of tiles."""
    result = Table(title="Milliseconds, median")
    stages = ("decode", "detect", "layout", "read", "total", "layout_cpu", "read_cpu")
    for name in ("tiles", "found", *stages, "a further tile"):
        result.add_column(name.replace("_cpu", "\nCPU"), justify="right")
    first = found[COUNTS[0]]["total"]
    for count, row in found.items():
        further = (row["total"] - first) / (count - COUNTS[0]) if count > COUNTS[0] else None
        result.add_row(
            str(count),
            f"{row['found']:.0f}",
            *(f"{row[stage]:.1f}" for stage in stages),
            "–" if further is None else f"{further:.2f}",
        )
    return result


def main() -> None:
    """Command line of this program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--model", default="default")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = measure(options.model, options.repeat)
    Console().print(table(found))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
