"""Sides of tiles that a rectified view shows as blank white dragons."""

from __future__ import annotations

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import NOTHING
from hupai.vision.detection.plain_tiles.sides import below_tiles, shows_side
from hupai.vision.types import Detections
from tests.vision.detection.networks import GivenKinds

TILE = (100, 100, 140, 150)
"""A face, 40 x 50 pixels."""

SIDE = (101, 152, 141, 182)
"""Its side, just below."""

ALONE = (300, 300, 340, 350)
"""A place apart."""

PHOTO = Picture.of(np.zeros((400, 400, 3), np.uint8))


@pytest.mark.parametrize(
    ("box", "below"),
    [
        (SIDE, True),
        ((101, 145, 141, 175), True),
        ((118, 152, 158, 182), True),
        ((125, 152, 165, 182), False),
        ((101, 165, 141, 195), False),
        ((101, 68, 141, 98), False),
        ((90, 152, 180, 182), False),
        (ALONE, False),
    ],
)
def test_a_side_adjoins_the_lower_edge_of_its_tile(box: tuple[float, ...], *, below: bool) -> None:
    boxes = np.array([box], np.float32)
    assert below_tiles(boxes, np.array([TILE], np.float32)).tolist() == [below]


def _found(*faces: tuple[tuple[int, ...], Tile]) -> Detections:
    """Detections of faces in boxes."""
    return Detections(
        np.array([box for box, _ in faces], np.float32),
        np.full(len(faces), 0.6, np.float32),
        np.eye(43, dtype=np.float32)[[face for _, face in faces]],
        np.full(len(faces), np.pi / 2, np.float32),
    )


@pytest.mark.parametrize(
    ("place", "nothing", "dropped"),
    [(SIDE, 0.2, False), (SIDE, 0.5, True), (ALONE, 0.5, False), (ALONE, 0.9, True)],
)
def test_blank_tiles_are_dropped_where_the_photo_shows_none(
    place: tuple[int, ...], nothing: float, *, dropped: bool
) -> None:
    seen = _found((TILE, Tile.EAST), (place, Tile.WHITE))
    assert shows_side(GivenKinds(NOTHING, nothing), PHOTO, seen).tolist() == [False, dropped]


def test_faces_with_ink_and_backs_stay() -> None:
    seen = _found((TILE, Tile.EAST), (SIDE, Tile.BACK))
    assert not shows_side(GivenKinds(NOTHING), PHOTO, seen).any()
