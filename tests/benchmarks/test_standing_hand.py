"""A hand that stands behind its melds and discards, rendered and read from the picture."""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
import pytest

from benchmarks.layout.families import FAMILIES, picture_of
from hupai.models.registry import load
from hupai.scoring.tiles import Tile
from hupai.vision.pipeline.recogniser import Recogniser

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("seed", [760028, 760230, 920058])
def test_all_tiles_of_a_standing_hand_are_read(seed: int) -> None:
    """The rectified view of these tables shows the standing tiles stretched and sheared."""
    table = FAMILIES["3"].table(seed)
    picture = np.ascontiguousarray(picture_of(table)[:, :, ::-1])
    reading = Recogniser(load()).read_photo(cv2.imencode(".jpg", picture)[1].tobytes()).reading
    hand = [tile for tile in table.tiles if tile.in_hand]
    shown = Counter(Tile.BACK if tile.face_down else tile.face for tile in hand)
    assert not shown - Counter(tile.tile for tile in reading.tiles if tile.in_hand)
