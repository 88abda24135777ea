"""Drawings of readings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.vision.layout.arrange import arrange
from hupai.vision.pipeline import annotate as drawing
from hupai.vision.pipeline.annotate import annotate, colour_of, label
from hupai.vision.reading.read import read
from hupai.vision.types import Reading, ReadTile
from tests.vision.pictures import detections, table, turned


def reading(scale: float = 1.0) -> Reading:
    picture = "loose 1m 5p C 9s\n~\n~\n1m2m3m4p5p6p7s8s:9s40 9sEEE _ -PPP"
    return read(arrange(detections(turned(table(picture), 0.0, scale))))


def canvas(scale: float) -> np.ndarray:
    return np.full((int(260 * scale), int(560 * scale), 3), 90, np.uint8)


@pytest.mark.parametrize("scale", [0.4, 1.0, 4.0])
def test_the_hand_is_outlined_at_any_size(scale: float) -> None:
    image = canvas(scale)
    shown = reading(scale)
    drawn = annotate(image, shown)
    assert drawn.shape == image.shape
    assert drawn.dtype == np.uint8
    assert (image == 90).all(), "the photo itself stays as it is"
    changed = (drawn != 90).any(axis=2)
    for tile in shown.tiles:
        x0, y0, x1, y1 = (int(v) for v in tile.box)
        around = changed[max(y0, 0) : y1, max(x0, 0) : x1]
        assert around.mean() > (0.05 if tile.in_hand else 0.0)


def test_tiles_outside_the_hand_are_faint() -> None:
    shown = reading()
    drawn = annotate(canvas(1.0), shown).astype(int)
    outside = next(t for t in shown.tiles if not t.in_hand and t.box[0] > 0)
    inside = next(t for t in shown.tiles if t.in_hand)

    def strength(tile: ReadTile) -> float:
        x0, y0, x1, y1 = (max(round(v), 0) for v in tile.box)
        return float(np.abs(drawn[y0:y1, x0:x1] - 90).max())

    assert strength(outside) < 0.5 * strength(inside)


def test_colours_and_labels_show_certainty() -> None:
    tile = next(t for t in reading().tiles if t.in_hand)
    assert colour_of(replace(tile, confidence=0.99)) == drawing.SURE
    assert colour_of(replace(tile, confidence=0.9)) == drawing.FAIR
    assert colour_of(replace(tile, confidence=0.5)) == drawing.DOUBTFUL
    assert colour_of(replace(tile, inferred=True)) == drawing.INFERRED
    assert label(replace(tile, confidence=0.99)) == tile.tile.code
    assert label(replace(tile, confidence=0.5)).endswith("?")
    assert label(replace(tile, inferred=True)).endswith("*")
    assert label(tile).isascii()


def test_boxes_beyond_the_photo_and_empty_readings() -> None:
    small = np.zeros((40, 60, 3), np.uint8)
    annotate(small, reading())
    assert (annotate(small, Reading()) == 0).all()
