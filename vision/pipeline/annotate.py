"""A reading drawn on its photo.

Each tile of the hand has a box, coloured from green through amber to red by decreasing confidence,
with its code beside it. Each group is outlined and labelled in the colour of its kind, and other
hands in grey. Other tiles are outlined faintly. Line and letter sizes scale with the tiles, so that
a drawing is as legible at 640 pixels as at 4,000.
"""

from __future__ import annotations

import cv2
import numpy as np

from hupai.vision.geometry.boxes import intersections
from hupai.vision.types import Group, GroupKind, Image, Reading, ReadTile

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

SURE: Colour = (20, 170, 60)
"""Colour of a sure face: green."""

FAIR: Colour = (235, 160, 0)
"""Colour of a fairly sure face: amber."""

DOUBTFUL: Colour = (220, 40, 40)
"""Colour of a doubtful face: red."""

INFERRED: Colour = (160, 60, 220)
"""Colour of an inferred face: violet."""

OUTSIDE: Colour = (150, 150, 150)
"""Colour of tiles that are not part of the hand: grey."""

OTHER: Colour = (40, 40, 40)
"""Colour of another hand: dark grey."""

MIN_SURE = 0.97
"""Confidence from which a face is sure."""

MIN_FAIR = 0.85
"""Confidence from which a face is fairly sure."""

_PAPER: Colour = (255, 255, 255)
"""Colour of the plates behind names."""

GROUP_COLOURS: dict[GroupKind, Colour] = {
    GroupKind.CONCEALED: (30, 110, 220),
    GroupKind.CHOW: (0, 150, 150),
    GroupKind.PUNG: (190, 90, 0),
    GroupKind.KONG: (150, 30, 130),
    GroupKind.ADDED_KONG: (150, 30, 130),
    GroupKind.CONCEALED_KONG: (90, 50, 160),
    GroupKind.FLOWERS: (215, 70, 140),
    GroupKind.WINNING_TILE: (200, 0, 0),
}
"""Colour of each kind of group."""

_FONT = cv2.FONT_HERSHEY_SIMPLEX


def annotate(image: Image, reading: Reading) -> Image:
    """Draw a reading on a copy of its photo.

    Args:
        image: upright RGB, shape (height, width, 3), uint8, the one the reading was made from.
        reading: boxes in its pixels.
    """
    canvas: Image = np.ascontiguousarray(image.copy())
    if not reading.tiles:
        return canvas
    side = _tile_side(reading)
    line = max(1, round(side / 28))
    held = [t for t in reading.tiles if t.in_hand]
    _draw_outside(canvas, [t for t in reading.tiles if not t.in_hand], line)
    for tile in held:
        cv2.rectangle(
            canvas, _corner(tile, 0), _corner(tile, 2), colour_of(tile), line, cv2.LINE_AA
        )
    tiles = {t.id: t for t in reading.tiles}
    others = [[tiles[i] for i in other.tiles if i in tiles] for other in reading.other_hands]
    for other in others:
        _outline(canvas, OTHER, other, side * 0.08, line)
    for group in reading.groups:
        parts = [tiles[i] for i in group.tiles if i in tiles]
        _outline(canvas, GROUP_COLOURS[group.kind], parts, side * 0.08, line)
    plates = _Plates(canvas, [t.box for t in held])
    for tile in held:
        plates.write(label(tile), tile.box, side * 0.30, colour_of(tile))
    for group in reading.groups:
        parts = [tiles[i] for i in group.tiles if i in tiles]
        if parts:
            plates.write(
                _group_label(group), _around(parts), side * 0.26, GROUP_COLOURS[group.kind]
            )
    for other in filter(None, others):
        plates.write("another hand", _around(other), side * 0.26, OTHER)
    return canvas


def colour_of(tile: ReadTile) -> Colour:
    """Return the colour of a tile by how sure its face is."""
    if tile.inferred:
        return INFERRED
    if tile.confidence >= MIN_SURE:
        return SURE
    return FAIR if tile.confidence >= MIN_FAIR else DOUBTFUL


def label(tile: ReadTile) -> str:
    """Return the tile's code, with ``*`` if it was inferred and ``?`` if it is doubtful."""
    mark = (
        "*"
        if tile.inferred
        else "?"
        if tile.confidence < MIN_FAIR and tile.tile.code != "?"
        else ""
    )
    return tile.tile.code + mark


def _tile_side(reading: Reading) -> float:
    """Return the median short side of the tiles to be labelled, pixels."""
    tiles = [t for t in reading.tiles if t.in_hand] or list(reading.tiles)
    return float(np.median([min(t.box[2] - t.box[0], t.box[3] - t.box[1]) for t in tiles]))


def _corner(tile: ReadTile, first: int) -> tuple[int, int]:
    return round(tile.box[first]), round(tile.box[first + 1])


def _draw_outside(canvas: Image, tiles: list[ReadTile], line: int) -> None:
    """Draw faint outlines, mixed half and half with the photo."""
    if not tiles:
        return
    layer = canvas.copy()
    for tile in tiles:
        cv2.rectangle(
            layer, _corner(tile, 0), _corner(tile, 2), OUTSIDE, max(1, line // 2), cv2.LINE_AA
        )
    cv2.addWeighted(layer, 0.5, canvas, 0.5, 0, dst=canvas)


def _group_label(group: Group) -> str:
    """Name the kind of a group, and where it was claimed from."""
    text = group.kind.value.replace("_", " ")
    return text if group.claimed_from is None else f"{text} < {group.claimed_from.value}"


def _around(tiles: list[ReadTile]) -> tuple[float, float, float, float]:
    """Return the box around all boxes."""
    boxes = [t.box for t in tiles]
    return (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )


def _outline(
    canvas: Image, colour: Colour, tiles: list[ReadTile], margin: float, line: int
) -> None:
    """Draw the common outline of the boxes of tiles; several where they lie apart."""
    if not tiles:
        return
    x0, y0, x1, y1 = _around(tiles)
    left, top = int(x0 - 4 * margin), int(y0 - 4 * margin)
    mask = np.zeros((int(y1 - top + 5 * margin) + 2, int(x1 - left + 5 * margin) + 2), np.uint8)
    for tile in tiles:
        a = (round(tile.box[0] - margin) - left, round(tile.box[1] - margin) - top)
        b = (round(tile.box[2] + margin) - left, round(tile.box[3] + margin) - top)
        cv2.rectangle(mask, a, b, 255, -1)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    moved = [np.asarray(contour + np.array([left, top]), np.int32) for contour in contours]
    cv2.polylines(canvas, moved, True, colour, max(2, line * 2), cv2.LINE_AA)


class _Plates:
    """Writes names beside boxes where they cover no box and no other name."""

    def __init__(self, canvas: Image, boxes: list[tuple[float, float, float, float]]) -> None:
        self._canvas = canvas
        self._taken = list(boxes)

    def write(
        self, text: str, box: tuple[float, float, float, float], height: float, colour: Colour
    ) -> None:
        """Write text of about this height, pixels, where it is free: around the box or in it."""
        scale = max(height, 9.0) / 22.0
        weight = max(1, round(scale * 1.7))
        (width, tall), base = cv2.getTextSize(text, _FONT, scale, weight)
        pad = max(1, round(scale * 3))
        size = (width + 2 * pad, tall + base + 2 * pad)
        middle = (box[0] + box[2] - size[0]) / 2
        centre = (box[1] + box[3] - size[1]) / 2
        beside = [(box[2] + 2 * pad, centre), (box[0] - size[0] - 2 * pad, centre)]
        places = [
            (middle, box[1] - size[1] - 2 * pad),
            (middle, box[3] + 2 * pad),
            *beside,
            (box[0] + pad, box[1] + pad),
        ]
        x, y = min(
            (self._inside(place, size) for place in places),
            key=lambda place: self._covered(place, size),
        )
        self._taken.append((x, y, x + size[0], y + size[1]))
        plate = self._canvas[y : y + size[1], x : x + size[0]]
        plate[:] = (plate.astype(np.float32) * 0.25 + np.asarray(_PAPER, np.float32) * 0.75).astype(
            np.uint8
        )
        cv2.putText(
            self._canvas, text, (x + pad, y + pad + tall), _FONT, scale, colour, weight, cv2.LINE_AA
        )

    def _inside(self, place: tuple[float, float], size: tuple[int, int]) -> tuple[int, int]:
        rows, columns = self._canvas.shape[:2]
        return min(max(round(place[0]), 0), max(columns - size[0], 0)), min(
            max(round(place[1]), 0), max(rows - size[1], 0)
        )

    def _covered(self, place: tuple[int, int], size: tuple[int, int]) -> float:
        """Return the area of boxes and names that a plate would cover."""
        plate = np.array([[*place, place[0] + size[0], place[1] + size[1]]], np.float64)
        return float(intersections(plate, np.asarray(self._taken, np.float64).reshape(-1, 4)).sum())
