"""Renders the example photos: ``python -m hupai.datasets.synthetic.examples [FOLDER]``.

Each ``NAME.json`` in the folder (default: examples/) describes a scene: the true hand in notation,
how it is laid, the view, the seed. The picture is written beside it as ``NAME.jpg``. Faces, body
and back are the project's own; the same description gives the same scene.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hupai.datasets.synthetic.designs import Design, project_design
from hupai.datasets.synthetic.layout.compose import HandStyle, lay_hand
from hupai.datasets.synthetic.layout.surroundings import surroundings
from hupai.datasets.synthetic.picture import effects
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.render import Light, render
from hupai.datasets.synthetic.scene import PlacedTile, Rendered, Scene
from hupai.scoring.hand import Hand
from hupai.scoring.notation import parse_hand

QUALITY = 86
"""Quality of the JPEG files."""


@dataclass(frozen=True, slots=True)
class Example:
    """One description.

    Attributes:
        hand: the hand on the table.
        style: how it is laid.
        view: camera angles and picture size.
        seed: decides table, jitter, discards and noise.
        discards: whether other tiles lie around.
        fill: share of the picture that the hand takes up.
        faults: strength of the photo's defects, 0 to 1.
        table: felt, wood, plain, pattern or marble.
    """

    hand: Hand
    style: HandStyle
    view: View
    seed: int
    discards: bool
    fill: float
    faults: float
    table: str

    @classmethod
    def read(cls, path: Path) -> Example:
        """Read a description.

        Raises:
            KeyError: if ``notation`` or ``scene`` is missing.
            hupai.scoring.notation.NotationError: if the hand cannot be read.
        """
        row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        scene = row["scene"]
        view = View(
            **{"azimuth": 0.0, "roll": 0.0, "field_of_view": 50.0, "width": 1600, "height": 900}
            | scene["view"]
        )
        return cls(
            hand=parse_hand(row["notation"]),
            style=HandStyle(**scene.get("style", {})),
            view=view,
            seed=int(scene["seed"]),
            discards=bool(scene.get("discards", False)),
            fill=float(scene.get("fill", 0.88)),
            faults=float(scene.get("faults", 0.35)),
            table=scene.get("table", "felt"),
        )


def render_example(example: Example, design: Design | None = None) -> Rendered:
    """Render the scene of a description, with the project's own tiles unless others are given."""
    rng = np.random.default_rng([example.seed, 0])
    design = design or project_design()
    tiles: list[PlacedTile] = lay_hand(example.hand, example.style, rng, design.proportions)
    subject = np.array([[t.x + dx, t.y + dx, 0.0] for t in tiles for dx in (-0.9, 0.9)])
    if example.discards:
        tiles += surroundings(rng, tiles, design.proportions)
    scene = Scene(tuple(tiles), (), example.hand, design.proportions, "example")
    camera = Camera(example.view, subject, example.fill)
    table = effects.background(
        rng, example.view.height, example.view.width, example.table, clutter=0
    )
    drawn = render(scene, design, camera, Light(2.2, 0.85, 0.6, 0.35), table, rng)
    return Rendered(effects.photograph(rng, drawn.image, example.faults), drawn.tiles, scene)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", type=Path, nargs="?", default=Path(__file__).resolve().parents[2] / "examples"
    )
    folder = parser.parse_args().folder
    for path in sorted(folder.glob("*.json")):
        picture = cv2.cvtColor(render_example(Example.read(path)).image, cv2.COLOR_RGB2BGR)
        target = path.with_suffix(".jpg")
        cv2.imwrite(str(target), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        print(f"{target.name}: {target.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
