"""Backs of a photo and faces of its negative."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.detection.merging import (
    PHOTO_SHARE,
    shows_equal_faces,
    with_faces_of_negative,
)
from hupai.vision.types import Detections

HERE = (100, 100, 140, 150)
BESIDE = (130, 100, 170, 150)
"""A place that covers a quarter of the first one."""
APART = (300, 300, 340, 350)


def found(*tiles: tuple[tuple[int, ...], Tile, float]) -> Detections:
    """Detections in boxes, with their faces and scores."""
    return Detections(
        np.array([box for box, _, _ in tiles], np.float32).reshape(-1, 4),
        np.array([score for *_, score in tiles], np.float32),
        np.eye(43, dtype=np.float32)[[face for _, face, _ in tiles]],
        np.full(len(tiles), np.pi / 2, np.float32),
    )


def faces(detections: Detections | None) -> list[Tile]:
    """The likeliest face of each detection."""
    return [] if detections is None else [Tile(k) for k in detections.probabilities.argmax(1)]


@pytest.mark.parametrize(
    ("copies", "backs"),
    [
        ({Tile.GREEN: 8}, True),
        ({Tile.GREEN: 15, Tile.M1: 4}, True),
        ({Tile.GREEN: 4, Tile.M1: 4, Tile.M2: 4}, False),
        ({Tile.GREEN: 6, Tile.M1: 3}, False),
        ({Tile.BACK: 20, Tile.M1: 4}, False),
        ({}, False),
    ],
)
def test_more_than_four_equal_faces_on_a_negative_are_backs(
    copies: dict[Tile, int], *, backs: bool
) -> None:
    tiles = [(HERE, face, 0.9) for face, count in copies.items() for _ in range(count)]
    assert shows_equal_faces(found(*tiles)) is backs


@pytest.mark.parametrize(
    ("on_photo", "on_negative", "merged"),
    [
        ((HERE, Tile.BACK, 0.8), (HERE, Tile.WHITE, 0.9), [Tile.BACK]),
        ((HERE, Tile.BACK, 0.2), (HERE, Tile.WHITE, 0.9), [Tile.BACK]),
        ((HERE, Tile.BACK, 0.8), (BESIDE, Tile.WHITE, 0.9), [Tile.WHITE, Tile.BACK]),
        ((HERE, Tile.BACK, 0.8), (HERE, Tile.M1, 0.9), [Tile.M1]),
        ((HERE, Tile.BACK, 0.8), (APART, Tile.WHITE, 0.9), [Tile.WHITE, Tile.BACK]),
        ((HERE, Tile.EAST, 0.9), (HERE, Tile.SOUTH, 0.6), [Tile.SOUTH]),
        ((HERE, Tile.EAST, 0.9), (APART, Tile.BACK, 0.9), []),
    ],
)
def test_backs_come_from_the_photo_and_faces_from_the_negative(
    on_photo: tuple[tuple[int, ...], Tile, float],
    on_negative: tuple[tuple[int, ...], Tile, float],
    merged: list[Tile],
) -> None:
    assert faces(with_faces_of_negative(found(on_photo), found(on_negative))) == merged


def test_tiles_of_low_confidence_are_merged_in_the_same_way() -> None:
    low = found((APART, Tile.BACK, 0.1), (HERE, Tile.M1, 0.1))
    seen = replace(found((HERE, Tile.EAST, 0.9)), low_confidence=low)
    both = with_faces_of_negative(seen, replace(found((HERE, Tile.M2, 0.9)), low_confidence=low))
    assert faces(both.low_confidence) == [Tile.BACK, Tile.M1]
    assert with_faces_of_negative(found(), found()).low_confidence is None


@pytest.mark.parametrize(
    ("on_photo", "share"),
    [
        ((HERE, Tile.M3, 0.9), 1 - PHOTO_SHARE),
        ((HERE, Tile.M2, 0.9), 1.0),
        ((HERE, Tile.BACK, 0.9), 1.0),
        ((BESIDE, Tile.M3, 0.9), 1.0),
    ],
)
def test_a_face_that_the_photo_shows_otherwise_is_in_doubt(
    on_photo: tuple[tuple[int, ...], Tile, float], share: float
) -> None:
    merged = with_faces_of_negative(found(on_photo), found((HERE, Tile.M2, 0.9)))
    assert merged.probabilities[0, Tile.M2] == pytest.approx(share)


OTHERS = [((200 + 60 * k, 200, 240 + 60 * k, 250), Tile.M1, 0.9) for k in range(2)]
"""Tiles as large as the one in the first place."""


def test_two_tiles_in_one_large_box_are_taken_from_the_photo() -> None:
    front, behind, around = (100, 106, 140, 148), (100, 62, 140, 104), (100, 60, 140, 150)
    seen = found((front, Tile.P1, 0.6), (behind, Tile.P1, 0.6))
    merged = with_faces_of_negative(seen, found((around, Tile.P2, 0.7), *OTHERS))
    assert faces(merged) == [Tile.M1, Tile.M1, Tile.P1, Tile.P1]


def test_parts_of_one_tile_are_not() -> None:
    upper, lower = (102, 102, 138, 124), (102, 126, 138, 148)
    seen = found((upper, Tile.P1, 0.6), (lower, Tile.P1, 0.6))
    merged = with_faces_of_negative(seen, found((HERE, Tile.P2, 0.7), *OTHERS))
    assert faces(merged) == [Tile.P2, Tile.M1, Tile.M1]
