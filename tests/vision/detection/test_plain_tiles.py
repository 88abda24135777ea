"""The network that distinguishes backs, blank white dragons and non-tiles by their surroundings."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles import (
    BACK,
    BLANK,
    FACE,
    NOTHING,
    SIDE,
    cut_views,
    plain,
    with_kinds,
)

NONE = 43


def _shares(**by_tile: float) -> NDArray[np.float32]:
    row = np.full(44, 1e-5, np.float32)
    for name, share in by_tile.items():
        row[{"none": NONE, "back": int(Tile.BACK), "P": int(Tile.WHITE)}.get(name, 0)] = share
    return np.asarray(row / row.sum(), np.float32)


def test_only_places_without_certain_ink_are_looked_at() -> None:
    shares = np.stack([_shares(m=0.9), _shares(m=0.9), _shares(none=0.9), _shares(P=0.99)])
    backs = np.array([0.0, 0.9, 0.0, 0.0], np.float32)
    assert plain(shares, backs).tolist() == [False, True, True, True]


@pytest.mark.parametrize(
    ("kind", "tile"), [(BACK, int(Tile.BACK)), (BLANK, int(Tile.WHITE)), (NOTHING, NONE)]
)
def test_a_confident_prediction_decides_the_kind(kind: int, tile: int) -> None:
    kinds = np.full((1, 4), 0.003, np.float32)
    kinds[0, kind] = 0.99
    backs = np.array([0.9 if kind == BACK else 0.1], np.float32)
    scores = np.array([0.1 if kind == NOTHING else 0.5], np.float32)
    for shares in (_shares(none=0.8, back=0.2), _shares(P=0.9, none=0.1)):
        mixed = with_kinds(shares[None], kinds, backs, scores)[0]
        assert mixed.sum() == pytest.approx(1, abs=1e-5)
        assert int(mixed.argmax()) == tile


def test_faces_keep_their_shares_among_each_other() -> None:
    shares = _shares(m=0.3, none=0.5)
    shares[1] = 0.1
    kinds = np.array([[0.9, 0.03, 0.03, 0.04]], np.float32)
    half = np.array([0.5], np.float32)
    mixed = with_kinds(shares[None], kinds, half, half)[0]
    assert mixed[0] / mixed[1] == pytest.approx(shares[0] / shares[1], rel=1e-4)
    assert mixed[:2].sum() > shares[:2].sum()
    assert FACE == 0


def test_a_higher_score_speaks_against_no_tile() -> None:
    shares, kinds = _shares(none=0.5, back=0.5)[None], np.full((1, 4), 0.25, np.float32)
    half = np.array([0.5], np.float32)
    nothing = [
        float(with_kinds(shares, kinds, half, np.array([score], np.float32))[0, NONE])
        for score in (0.05, 0.3, 0.9)
    ]
    assert nothing == sorted(nothing, reverse=True)
    assert nothing[0] > 2 * nothing[2]


def test_both_views_show_the_middle_of_the_box() -> None:
    image = np.zeros((200, 300, 3), np.uint8)
    image[80:120, 140:160] = (200, 10, 10)
    (views,) = cut_views(Picture.of(image), np.array([[140, 80, 160, 120]], float))
    assert views.shape == (SIDE, SIDE, 6)
    middle = SIDE // 2
    assert views[middle, middle].tolist() == [200, 10, 10, 200, 10, 10]
    near, wide = (int((views[..., c] > 100).sum()) for c in (0, 3))
    assert near > 4 * wide > 0, "the wide view shows more of what is around"
