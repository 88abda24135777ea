"""Tables drawn as text, turned into the detections a perfect detector would report.

A line of text is a row of tiles, seen from above by the hand's owner, who sits below:

    1m2m3m4p5p6p7s7s _ -EEE _ 5s-5s5s

- a tile is written by its code; spaces say nothing
- ``_`` is a gap of half a tile, ``.`` of an eighth, at the start of a line too
- ``-5s`` lies sideways, flush with its neighbours on the owner's side; ``-5s/5s`` has a second
  sideways tile beyond it
- ``^5s`` is pushed out of the row by a third of a tile
- ``?`` lies face down
- ``5s:6s30`` looks like 5s, and with probability 30 % like 6s
- an empty line puts three quarters of a tile between two rows, each line of ``~`` half a tile
- a line ``loose 3m E 5p ...`` is a heap of loose tiles at every angle
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections, FloatArray

WIDTH, HEIGHT = 30.0, 40.0
_CODE = r"\d[mpsh]|[ESWNCFP?]"
_TOKEN = re.compile(
    rf"(?P<gap>[_.])|(?P<side>-)?(?P<out>\^)?(?P<tile>{_CODE})(?::(?P<other>{_CODE})(?P<share>\d\d))?(?:/(?P<added>{_CODE}))?"
)


@dataclass(frozen=True)
class Placed:
    """A tile on the table: centre, direction of its upright axis (radians, y down), face, a face
    that it may be mistaken for, score.
    """

    x: float
    y: float
    axis: float
    tile: Tile
    other: tuple[Tile, float] | None = None
    score: float = 0.95
    scale: float = 1.0


def table(text: str) -> list[Placed]:
    """The tiles of a drawing, pixels, owner at the bottom."""
    placed: list[Placed] = []
    y = 0.0
    for line in text.strip("\n").splitlines():
        bare = line.strip()
        if not bare:
            y += 0.75 * HEIGHT
        elif set(bare) == {"~"}:
            y += 0.5 * HEIGHT
        elif bare.startswith("loose"):
            y += _heap(bare.split()[1:], y, placed)
        else:
            _row(bare, y, placed)
            y += HEIGHT
    return placed


def _row(line: str, y: float, placed: list[Placed]) -> None:
    x, at = 0.0, 0
    text = line.replace(" ", "")
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"no tile at {text[at:]!r} in {line!r}")
        at = found.end()
        if found["gap"]:
            x += WIDTH * (0.5 if found["gap"] == "_" else 0.125)
            continue
        other = (
            (Tile.from_code(found["other"]), int(found["share"]) / 100) if found["other"] else None
        )
        tile = Tile.from_code(found["tile"])
        if found["side"]:
            level = y + HEIGHT - WIDTH / 2
            placed.append(Placed(x + HEIGHT / 2, level, 0.0, tile, other))
            if found["added"]:
                placed.append(
                    Placed(x + HEIGHT / 2, level - WIDTH, 0.0, Tile.from_code(found["added"]))
                )
            x += HEIGHT
        else:
            up = HEIGHT / 3 if found["out"] else 0.0
            placed.append(Placed(x + WIDTH / 2, y + HEIGHT / 2 - up, math.pi / 2, tile, other))
            x += WIDTH


def _heap(codes: list[str], y: float, placed: list[Placed]) -> float:
    """Loose tiles, ten a row, turned by the golden angle and shifted so that none lines up."""
    pitch = 1.6 * HEIGHT
    for i, code in enumerate(codes):
        row, column = divmod(i, 10)
        turn = (0.4 + 2.39996 * i) % math.pi
        jitter = 0.25 * HEIGHT * math.sin(5.0 * i)
        placed.append(
            Placed(
                pitch * (column + 0.4 * (row % 2)),
                y + pitch * (row + 0.5) + jitter,
                turn,
                Tile.from_code(code),
            )
        )
    return pitch * (1 + (len(codes) - 1) // 10)


def detections(placed: list[Placed], axes: bool = True) -> Detections:
    """The detections of a perfect detector for these tiles; without `axes`, axes are unknown."""
    boxes, classes = [], np.full((len(placed), 43), 1e-6)
    for i, tile in enumerate(placed):
        c, s = abs(math.cos(tile.axis)), abs(math.sin(tile.axis))
        width, height = (HEIGHT * c + WIDTH * s) * tile.scale, (HEIGHT * s + WIDTH * c) * tile.scale
        boxes.append(
            (tile.x - width / 2, tile.y - height / 2, tile.x + width / 2, tile.y + height / 2)
        )
        classes[i, tile.tile] = 1.0
        if tile.other:
            classes[i, tile.tile] = 1.0 - tile.other[1]
            classes[i, tile.other[0]] = tile.other[1]
    classes /= classes.sum(axis=1, keepdims=True)
    turned = [tile.axis % math.pi if axes else math.nan for tile in placed]
    return Detections(
        np.asarray(boxes, np.float32).reshape(-1, 4),
        np.asarray([tile.score for tile in placed], np.float32),
        classes.astype(np.float32),
        np.asarray(turned, np.float32),
    )


def turned(placed: list[Placed], angle: float, scale: float = 1.0) -> list[Placed]:
    """The photo plane turned by an angle (radians, clockwise as seen) and scaled about its
    origin.
    """
    c, s = math.cos(angle) * scale, math.sin(angle) * scale
    return [
        replace(
            t,
            x=t.x * c - t.y * s,
            y=t.x * s + t.y * c,
            axis=(t.axis + angle) % math.pi,
            scale=t.scale * scale,
        )
        for t in placed
    ]


def stretched(found: Detections, factor: float) -> Detections:
    """The detections of a photo whose width was multiplied by a factor."""
    boxes = found.boxes * np.array([factor, 1, factor, 1], np.float32)
    axes = np.arctan2(np.sin(found.axes), np.cos(found.axes) * factor) % math.pi
    return replace(found, boxes=boxes.astype(np.float32), axes=axes.astype(np.float32))


def row_boxes(
    count: int, angle: float, size: tuple[float, float] = (30.0, 40.0), rows: int = 1
) -> FloatArray:
    """Smallest upright boxes of tiles in rows that run at `angle` (radians, clockwise on the
    picture).
    """
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, s], [-s, c]])
    half = np.array(size) / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    boxes = []
    for i in range(count):
        for j in range(rows):
            quad = (corners + np.array((i * size[0], j * size[1]))) @ turn + np.array((400, 300))
            boxes.append([*quad.min(0), *quad.max(0)])
    return np.array(boxes, np.float32)
