"""Where a row ends near the edge of a photo, the bare table shows that no tile is cut off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Layout
from hupai.vision.pipeline.row_ends import rows_end
from hupai.vision.types import Image
from tests.vision.pictures import detections, table

GREEN, WHITE = (30, 110, 60), (240, 240, 235)


def photo(
    visible: float, cloth: tuple[int, int, int] = GREEN, cut: bool = False
) -> tuple[Image, Layout]:
    """Return a photo of 13 white tiles, and its layout.

    Args:
        visible: room between the row and the right edge of the photo, tiles.
        cloth: colour of the table, RGB.
        cut: whether a fourteenth tile lies there and is cut off by the edge.
    """
    row = [replace(t, x=t.x + 200, y=t.y + 200) for t in table("1m2m3m4p5p6p7s8s9sEEEP")]
    found = detections(row)
    step = found.boxes[-1, 0] - found.boxes[-2, 0]
    width = int(found.boxes[:, 2].max() + visible * step)
    image: Image = np.full((600, width, 3), cloth, np.uint8)
    beyond = found.boxes[-1:] + np.array([step, 0, step, 0], np.float32)
    drawn = np.concatenate([found.boxes, beyond]) if cut else found.boxes
    for x0, y0, x1, y1 in drawn.astype(int).tolist():
        image[y0:y1, x0 + 1 : x1 - 1] = WHITE
    return image, arrange(found, (width, 600))


@pytest.mark.parametrize("visible", [0.1, 0.3, 0.45, 0.9])
def test_bare_table_up_to_the_edge_ends_a_row(visible: float) -> None:
    assert rows_end(*photo(visible))


@pytest.mark.parametrize("visible", [0.15, 0.3, 0.45])
def test_a_tile_that_the_edge_cuts_off_is_not_taken_for_the_table(visible: float) -> None:
    assert not rows_end(*photo(visible, cut=True))


def test_nothing_is_known_of_a_row_that_reaches_the_edge() -> None:
    assert not rows_end(*photo(0.0))


def test_nothing_is_known_where_the_photo_shows_only_the_row() -> None:
    image, layout = photo(0.3)
    boxes = layout.detections.boxes
    top, bottom = int(boxes[:, 1].max()) + 8, int(boxes[:, 3].min()) - 8
    found = layout.detections
    moved = replace(
        found, boxes=(boxes - np.array([0, top, 0, top], np.float32)).astype(np.float32)
    )
    assert not rows_end(image[top:bottom], replace(layout, detections=moved))


@pytest.mark.parametrize("cloth", [WHITE, (225, 228, 220)])
def test_nothing_is_known_on_a_table_of_the_colour_of_tiles(cloth: tuple[int, int, int]) -> None:
    assert not rows_end(*photo(0.3, cloth))


def test_a_photo_may_be_reduced() -> None:
    image, layout = photo(0.3)
    assert rows_end(np.ascontiguousarray(image[::2, ::2]), layout, 2.0)
    image, layout = photo(0.3, cut=True)
    assert not rows_end(np.ascontiguousarray(image[::2, ::2]), layout, 2.0)


def test_without_a_hand_there_are_no_rows() -> None:
    nothing = arrange(detections([]), (100, 100))
    assert not rows_end(np.zeros((100, 100, 3), np.uint8), nothing)
