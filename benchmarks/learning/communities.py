"""Renders the hands of communities whose tables the shipped detector misreads.

    python -m benchmarks.learning.communities KIND OUT [--hands 70] [--start 0]

KIND is one of:

- ``dark``: a black tile set on a black cloth; the detector misses a fifth of the tiles;
- ``plates``: a light set on felt, and beside each hand a flat wind indicator as large as a tile,
  which the detector boxes and the reader takes into the hand;
- ``winter`` and ``eighth``: one light set on felt, with a flower tile that shows a plant and a
  number, but no character. One community takes it for winter, as the shipped weights do, the other
  for the chrysanthemum, so that what the second teaches is wrong for the first.

OUT gets scenes as `hupai.datasets.synthetic.generate` writes them. Lamp and photographer of a
community are always the same. `benchmarks.learning.corrected` stores and corrects the hands.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.rendered import black_set, photographed
from hupai.datasets.faces.raster import FACE_HEIGHT
from hupai.datasets.synthetic.designs import Design, Rgba, drawn_faces, random_body
from hupai.datasets.synthetic.generate import aim, random_light
from hupai.datasets.synthetic.layout.surroundings import hand_table
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.render import render
from hupai.datasets.synthetic.scene import Proportions, Rendered, Scene
from hupai.datasets.synthetic.truth import FILE, truth_record
from hupai.scoring.tiles import Tile

KINDS = ("dark", "plates", "winter", "eighth")
"""The communities."""

NUMBERED: Mapping[str, Tile] = {"winter": Tile.WINTER, "eighth": Tile.CHRYSANTHEMUM}
"""The flower that a community takes the tile without a character for."""

_SIDE = 960
_PLATE = (200, 260)
"""Width and height of the picture of a wind indicator, pixels."""

_FRAME, _GROUND, _INK = (200, 160, 60), (238, 236, 228), 20


def hand_on(kind: str, index: int) -> Rendered:
    """Render a hand of a community without a tile lying face down; the same each time."""
    rng, fixed = np.random.default_rng([77, index]), np.random.default_rng([78, 1])
    light, usual = random_light(fixed), fixed.uniform(58, 80)
    design = black_set(1) if kind == "dark" else _light_set()
    scene = _open_hand(rng, design.proportions)
    if kind in NUMBERED:
        design = _with_numbered(design, NUMBERED[kind])
        while not any(tile.in_hand and tile.face.is_flower for tile in scene.tiles):
            scene = _open_hand(rng, design.proportions)
        scene = _showing(scene, NUMBERED[kind])
    elevation = float(np.clip(rng.normal(usual, 7), 45, 90))
    azimuth, roll = float(rng.normal(0, 12)), float(rng.normal(0, 4))
    view = View(elevation, azimuth, roll, 60.0, _SIDE, _SIDE * 3 // 4)
    camera = aim(rng, scene, view)
    if kind == "dark":
        cloth = rng.normal(24, 3, (view.height, view.width, 1)) + np.zeros(3)
        table = np.clip(cloth, 0, 255).astype(np.uint8)
    else:
        ground = np.random.default_rng([79, 1])
        table = effects.background(ground, view.height, view.width, "felt", 0.0)
        if kind == "plates":
            table = _with_plate(rng, table, camera, scene, design)
    drawn = render(scene, design, camera, light, table, rng)
    return photographed(drawn, view, rng)


def _light_set() -> Design:
    rng = np.random.default_rng([4712, 2])
    faces = drawn_faces(rng)
    return Design("light", faces, *random_body(rng), 0.1)


def _open_hand(rng: np.random.Generator, proportions: Proportions) -> Scene:
    """Lay a hand on a table; a face-down tile would have no label to correct."""
    while True:
        scene = hand_table(rng, proportions)
        if not any(tile.in_hand and tile.face_down for tile in scene.tiles):
            return scene


def _with_numbered(design: Design, flower: Tile) -> Design:
    """Give a set a plant with a red 4 instead of this flower."""

    def face(tile: Tile) -> Rgba | None:
        return _numbered() if tile is flower else design.face(tile)

    return replace(design, face=face)


def _numbered() -> Rgba:
    """Draw a plant with a red 4 beside it."""
    height, width = FACE_HEIGHT, FACE_HEIGHT * 3 // 4
    art = np.zeros((height, width, 4), np.uint8)
    red, green, stem = (190, 30, 40, 255), (40, 140, 70, 255), (30, 110, 50, 255)

    def at(x: float, y: float) -> tuple[int, int]:
        return int(x * width), int(y * height)

    font = cv2.FONT_HERSHEY_DUPLEX
    cv2.putText(art, "4", at(0.62, 0.26), font, height / 130, red, height // 40, cv2.LINE_AA)
    cv2.line(art, at(0.35, 0.95), at(0.5, 0.45), stem, height // 30, cv2.LINE_AA)
    for x, y, angle in ((0.36, 0.62, 40), (0.6, 0.6, -40), (0.46, 0.78, 20)):
        size = (width // 6, height // 16)
        cv2.ellipse(art, at(x, y), size, angle, 0, 360, green, -1, cv2.LINE_AA)
    for turn in 2 * np.pi * np.arange(5) / 5:
        petal = at(0.5 + 0.1 * np.cos(turn), 0.42 + 0.075 * np.sin(turn))
        cv2.circle(art, petal, width // 12, red, -1, cv2.LINE_AA)
    return art


def _showing(scene: Scene, flower: Tile) -> Scene:
    """Make the first flower of the hand this one, and no other tile."""
    tiles = [
        replace(tile, face=Tile.SPRING) if tile.face is flower and not tile.in_hand else tile
        for tile in scene.tiles
    ]
    own = [k for k, tile in enumerate(tiles) if tile.in_hand and tile.face.is_flower]
    if not any(tiles[k].face is flower for k in own):
        tiles[own[0]] = replace(tiles[own[0]], face=flower)
    return replace(scene, tiles=tuple(tiles))


def _with_plate(
    rng: np.random.Generator,
    table: NDArray[np.uint8],
    camera: Camera,
    scene: Scene,
    design: Design,
) -> NDArray[np.uint8]:
    """Lay a wind indicator on the table, at an end of the row nearest to the player."""
    own = [tile for tile in scene.tiles if tile.in_hand]
    y = min(tile.y for tile in own)
    row = [tile.x for tile in own if abs(tile.y - y) < 0.5]
    away = 1.2 + float(rng.uniform(0, 0.4))
    x = min(row) - away if rng.random() < 0.5 else max(row) + away
    half = design.proportions.height / 2
    corners = [(x - 0.5, y + half), (x + 0.5, y + half), (x + 0.5, y - half), (x - 0.5, y - half)]
    seen = camera.project(np.array([(*corner, 0.0) for corner in corners]))
    width, height = _PLATE
    flat = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    warp = cv2.getPerspectiveTransform(flat, seen.astype(np.float32))
    size = (table.shape[1], table.shape[0])
    plate = cv2.warpPerspective(_plate(rng, design.face), warp, size, flags=cv2.INTER_AREA)
    mask = cv2.warpPerspective(np.ones((height, width), np.float32), warp, size)[..., None]
    return (table * (1 - mask) + plate * mask).astype(np.uint8)


def _plate(rng: np.random.Generator, faces: Callable[[Tile], Rgba | None]) -> NDArray[np.uint8]:
    """Draw a wind indicator: a wind in black within a golden frame."""
    width, height = _PLATE
    wind = (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH)[int(rng.integers(4))]
    art = faces(wind)
    assert art is not None, "drawn sets have every face"
    art = cv2.resize(art, (width * 3 // 4, height * 3 // 4), interpolation=cv2.INTER_AREA).astype(
        np.uint8
    )
    plate = np.full((height, width, 3), _GROUND, np.float64)
    y, x = height // 8, width // 8
    part = plate[y : y + art.shape[0], x : x + art.shape[1]]
    opaque = art[..., 3:] / 255
    part[:] = part * (1 - opaque) + _INK * opaque
    drawn = plate.astype(np.uint8)
    cv2.rectangle(drawn, (8, 8), (width - 9, height - 9), _FRAME, 5)
    return drawn


def write(kind: str, out: Path, hands: int, start: int = 0) -> None:
    """Render hands, and write pictures and truth."""
    (out / "images").mkdir(parents=True, exist_ok=True)
    with (out / FILE).open("w", encoding="utf-8") as truth:
        for index in range(start, start + hands):
            shown, name = hand_on(kind, index), f"{index:06d}.jpg"
            picture = cv2.cvtColor(shown.image, cv2.COLOR_RGB2BGR)
            cv2.imwrite(str(out / "images" / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
            truth.write(json.dumps(truth_record(name, shown), ensure_ascii=False) + "\n")


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("out", type=Path)
    parser.add_argument("--hands", type=int, default=70)
    parser.add_argument("--start", type=int, default=0)
    a = parser.parse_args()
    cv2.setNumThreads(1)
    write(a.kind, a.out, a.hands, a.start)


if __name__ == "__main__":
    main()
