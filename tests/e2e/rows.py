"""Rows of a tile set that the shipped weights have not seen: one colour, mirrored, dots and bamboo
on their side.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from hupai.datasets.synthetic.designs import Design, Rgba, project_design
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.render import Light, render
from hupai.datasets.synthetic.scene import PlacedTile, Scene
from hupai.scoring.tiles import Tile, tiles_from_codes

ROWS = {"m": "123456789m", "p": "123456789p", "s": "123456789s", "z": "ESWNCFP"}
VIEW = View(elevation=74.0, azimuth=0.0, roll=1.5, field_of_view=45.0, width=1280, height=480)


def strange_set() -> Design:
    """The project's faces mirrored in one blue, those of dots and bamboo turned a quarter."""
    usual = project_design()

    def face(tile: Tile) -> Rgba | None:
        picture = usual.face(tile)
        if picture is None:
            return None
        height, width = picture.shape[:2]
        if tile.code[-1] in "ps":
            picture = np.asarray(
                cv2.resize(np.rot90(picture), (width, height), interpolation=cv2.INTER_AREA),
                np.uint8,
            )
        drawn = picture[:, ::-1].copy()
        drawn[..., :3] = (24, 52, 150)
        return drawn

    return replace(usual, name="strange", face=face, body=(236, 240, 246), back=(60, 80, 160))


def render_rows(folder: Path) -> dict[str, Path]:
    """A photo of each row, by the row's name."""
    design = strange_set()
    photos = {name: folder / f"{name}.jpg" for name in ROWS}
    for seed, (name, path) in enumerate(photos.items()):
        _draw(path, tiles_from_codes(ROWS[name]), design, np.random.default_rng([seed, 7]))
    return photos


def _draw(path: Path, faces: tuple[Tile, ...], design: Design, rng: np.random.Generator) -> None:
    jitter = rng.normal(0.0, 0.015, (len(faces), 2))
    tiles = tuple(
        PlacedTile(face, at * 1.02, float(dy), float(turn))
        for at, (face, (dy, turn)) in enumerate(zip(faces, jitter, strict=True))
    )
    subject = np.array(
        [
            [tile.x + dx, tile.y + dy, 0.0]
            for tile in tiles
            for dx in (-0.9, 0.9)
            for dy in (-0.9, 0.9)
        ]
    )
    camera = Camera(VIEW, subject, 0.92)
    table = effects.background(rng, VIEW.height, VIEW.width, "felt", clutter=0)
    scene = Scene(tiles, (), None, design.proportions, "row")
    image = effects.photograph(
        rng, render(scene, design, camera, Light(2.2, 0.85, 0.6, 0.35), table, rng).image, 0.25
    )
    cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
