"""The truth of rendered scenes as a file: truth.jsonl, one line per picture.

A line holds the picture's file name, width and height, the name of the layout, and one list per
tile in the order of the fields of `TruthTile`. Every tile on the table is listed, even if it is not
in the hand, is hidden, or lies outside the picture; `TruthTile.visible` gives its visible share.
`TruthTile.quad` are the four corners of the side that the camera sees, in pixels, as the tile's own
reader sees them: top left, top right, bottom right, bottom left. `TruthTile.is_back` says whether
that side is the back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.scene import Rendered
from hupai.scoring.errors import HupaiError
from hupai.scoring.tiles import Tile

FILE = "truth.jsonl"


class TruthError(HupaiError, ValueError):
    """A folder of scenes that cannot be read; the message says where and what was expected."""


class TruthTile(NamedTuple):
    """One tile of a scene.

    Attributes:
        face: code of what is on its front.
        shown: code of what the camera sees; ``?`` for a back.
        outline: x and y of the four corners in pixels, see
            `hupai.datasets.synthetic.scene.TileTruth`.
        visible: share of the upper face that can be seen, 0 to 1.
        sideways, in_hand, group, kind, claimed_from, red: see
            `hupai.datasets.synthetic.scene.PlacedTile`.
        standing: whether it stands or leans, so that the side that is seen is not its upper one.
    """

    face: str
    shown: str
    outline: list[float]
    visible: float
    sideways: bool = False
    in_hand: bool = False
    group: int | None = None
    kind: str | None = None
    claimed_from: str | None = None
    red: bool = False
    standing: bool = False

    @property
    def is_back(self) -> bool:
        """Whether the camera sees the tile's back."""
        return self.shown == Tile.BACK.code

    @property
    def quad(self) -> NDArray[np.float64]:
        """The outline's corners, shape (4, 2)."""
        return np.array(self.outline, np.float64).reshape(4, 2)


@dataclass(frozen=True, slots=True)
class SceneTruth:
    """One line of truth.jsonl.

    Attributes:
        picture: path of the picture.
        width, height: size of the picture in pixels.
        layout: name of the layout.
        tiles: everything that lies there.
    """

    picture: Path
    width: int
    height: int
    layout: str
    tiles: tuple[TruthTile, ...]


def truth_record(name: str, rendered: Rendered) -> dict[str, object]:
    """Return the truth of a scene as plain JSON values."""
    tiles = []
    for t in rendered.tiles:
        p = t.placed
        outline = [round(float(v), 1) for v in t.quad.ravel()]
        seen = (p.face.code, t.shown.code, outline, round(t.visible, 3))
        row = [*seen, p.sideways, p.in_hand, p.group, p.kind, p.claimed_from]
        # Tables without red fives and standing tiles keep the shorter form.
        tiles.append([*row, p.red, p.tilt > 0] if p.red or p.tilt > 0 else row)
    height, width = rendered.image.shape[:2]
    layout = rendered.scene.layout
    return {"image": name, "width": width, "height": height, "layout": layout, "tiles": tiles}


def is_scene_folder(folder: Path) -> bool:
    """Return whether the folder holds rendered scenes."""
    return (folder / FILE).is_file()


def whole_lines(folder: Path) -> int:
    """Count the lines of a folder's truth.jsonl, 0 without the file.

    A last line that a killed run left unfinished is cut off, so that the next one can be appended.
    """
    file = folder / FILE
    data = file.read_bytes() if file.is_file() else b""
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        file.write_bytes(whole)
    return whole.count(b"\n")


def read_truth(folder: Path) -> Iterator[SceneTruth]:
    """Yield the scenes of a folder.

    Raises:
        TruthError: the folder has no scenes, or a line is malformed.
    """
    file = folder / FILE
    if not file.is_file():
        raise TruthError(f"{file} is missing: name a folder made by `hupai datasets render`")
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            record: dict[str, Any] = json.loads(line)
            yield SceneTruth(
                folder / "images" / record["image"],
                int(record["width"]),
                int(record["height"]),
                str(record["layout"]),
                tuple(TruthTile(*row) for row in record["tiles"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise TruthError(f"{file}, line {number}: no scene ({error})") from None
