"""The network that distinguishes backs, blank white dragons and non-tiles by their surroundings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import (
    BACK,
    BLANK,
    FACE,
    NEAR,
    NOTHING,
    SIDE,
    WIDE,
    cut_views,
)
from hupai.vision.detection.plain_tiles.fusion import (
    WEIGHTS,
    evidence,
    settle,
    shares_where_nothing_was_found,
    with_kinds,
    without_clear_ink,
)
from hupai.vision.detection.tile_detector import BoxDetections
from tests.vision.detection.networks import GivenKinds

NONE = 43


def _shares(**by_tile: float) -> NDArray[np.float32]:
    row = np.full(44, 1e-5, np.float32)
    for name, share in by_tile.items():
        row[{"none": NONE, "back": int(Tile.BACK), "P": int(Tile.WHITE)}.get(name, 0)] = share
    return np.asarray(row / row.sum(), np.float32)


SAME = np.zeros((1, 2), np.float32)
"""Distance of a body of the colour that the faces have."""


def _mixed(
    shares: NDArray[np.float32],
    kinds: NDArray[np.float32],
    backs: float = 0.5,
    score: float = 0.5,
    distances: NDArray[np.float32] = SAME,
    **weights: Sequence[float],
) -> NDArray[np.float32]:
    """Combine the outputs for one place."""
    back, of_box = np.array([backs], np.float32), np.array([score], np.float32)
    features = evidence(shares[None], kinds, back, of_box, distances)
    return np.asarray(with_kinds(shares[None], features, **weights)[0], np.float32)


def test_only_places_without_certain_ink_or_of_another_colour_are_looked_at() -> None:
    shares = np.stack([_shares(m=0.9)] * 3 + [_shares(none=0.9), _shares(P=0.99)])
    backs = np.array([0.0, 0.9, 0.0, 0.0, 0.0], np.float32)
    distances = np.array([(0.5, 4), (0, 0), (3, 0), (0, 0), (0, 0)], np.float32)
    assert without_clear_ink(shares, backs, distances).tolist() == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("kind", "tile"), [(BACK, int(Tile.BACK)), (BLANK, int(Tile.WHITE)), (NOTHING, NONE)]
)
def test_a_confident_prediction_decides_the_kind(kind: int, tile: int) -> None:
    kinds = np.full((1, 4), 0.003, np.float32)
    kinds[0, kind] = 0.99
    back, score = 0.9 if kind == BACK else 0.1, 0.1 if kind == NOTHING else 0.5
    for shares in (_shares(none=0.8, back=0.2), _shares(P=0.9, none=0.1)):
        mixed = _mixed(shares, kinds, back, score)
        assert mixed.sum() == pytest.approx(1, abs=1e-5)
        assert int(mixed.argmax()) == tile


def test_faces_keep_their_shares_among_each_other() -> None:
    shares = _shares(m=0.3, none=0.5)
    shares[1] = 0.1
    kinds = np.array([[0.9, 0.03, 0.03, 0.04]], np.float32)
    mixed = _mixed(shares, kinds)
    assert mixed[0] / mixed[1] == pytest.approx(shares[0] / shares[1], rel=1e-4)
    assert mixed[:2].sum() > shares[:2].sum()
    assert FACE == 0


def test_a_higher_score_speaks_against_no_tile() -> None:
    shares, kinds = _shares(none=0.5, back=0.5), np.full((1, 4), 0.25, np.float32)
    nothing = [float(_mixed(shares, kinds, score=score)[NONE]) for score in (0.05, 0.3, 0.9)]
    assert nothing == sorted(nothing, reverse=True)
    assert nothing[0] > 2 * nothing[2]


def test_another_colour_speaks_for_a_back_only_by_the_weights_for_it() -> None:
    shares, kinds = _shares(m=0.6, back=0.4), np.full((1, 4), 0.25, np.float32)
    far = np.array([(3.0, 0.0)], np.float32)
    for more, changes in (((), False), ((-0.5, 0.0, 0.5, 0.0), True)):
        near, away = (
            float(_mixed(shares, kinds, distances=d, weights=(*WEIGHTS, *more))[Tile.BACK])
            for d in (SAME, far)
        )
        assert (away > 1.5 * near) == changes


@pytest.mark.parametrize("kind", [FACE, BLANK])
def test_a_white_dragon_with_a_frame_or_a_character_keeps_its_name(kind: int) -> None:
    picture = Picture.of(np.full((60, 60, 3), 200, np.uint8))
    boxes, shares = np.array([[10, 10, 40, 50]], np.float32), _shares(P=0.97, m=0.01)[None]
    found = BoxDetections(boxes, np.array([0.8], np.float32), np.array([0.02], np.float32))
    settle(GivenKinds(kind), picture, found, shares)
    assert int(shares[0].argmax()) == Tile.WHITE


@pytest.mark.parametrize(("kind", "back"), [(BLANK, False), (BACK, True)])
def test_of_a_face_in_thick_ink_only_whether_it_is_a_back_is_settled(kind: int, back: bool) -> None:
    image = np.full((60, 240, 3), 230, np.uint8)
    image[10:50, 200:230] = (40, 60, 200)
    boxes = np.array([(10 + 38 * k, 10, 40 + 38 * k, 50) for k in range(6)], np.float32)
    shares = np.stack([_shares(m=0.99, none=0.01)] * 6)
    found = BoxDetections(boxes, np.full(6, 0.8, np.float32), np.full(6, 0.2, np.float32))
    settled = settle(GivenKinds(kind), Picture.of(image), found, shares)[1]
    assert settled.tolist() == [False] * 5 + [True], "the only one of another colour"
    assert shares[5, Tile.WHITE] < 0.01
    assert (shares[5].argmax() == Tile.BACK) == back
    assert shares.sum(1) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "detected", "face", "named"),
    [
        (FACE, 0.95, 0.99, int(Tile.BACK)),
        (BLANK, 0.95, 0.99, int(Tile.BACK)),
        (FACE, 0.6, 0.99, 0),
        (NOTHING, 0.95, 0.05, NONE),
    ],
)
def test_a_clear_back_of_the_detector_is_never_read_as_a_face(
    kind: int, detected: float, face: float, named: int
) -> None:
    """Unless it is no tile at all."""
    picture = Picture.of(np.full((60, 60, 3), 200, np.uint8))
    boxes = np.array([[10, 10, 40, 50]], np.float32)
    shares = _shares(m=face, none=1 - face)[None]
    found = BoxDetections(boxes, np.array([0.8], np.float32), np.array([detected], np.float32))
    settle(GivenKinds(kind), picture, found, shares)
    assert int(shares[0].argmax()) == named
    assert shares.sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(("kind", "named"), [(BACK, int(Tile.BACK)), (NOTHING, NONE)])
def test_a_back_where_none_was_found_needs_both_networks(kind: int, named: int) -> None:
    picture = Picture.of(np.zeros((60, 90, 3), np.uint8))
    boxes = np.array([(10, 10, 30, 40), (40, 10, 60, 40)], np.float32)
    shares = np.stack([_shares(back=0.9, none=0.1), _shares(m=0.9, none=0.1)])
    network = GivenKinds(kind)
    mixed = shares_where_nothing_was_found(network, picture, boxes, shares)
    assert int(mixed[0].argmax()) == named
    assert network.places == 1, "a clear face is not looked at"
    assert (mixed[1] == shares[1]).all()


def test_both_views_show_the_middle_of_the_box() -> None:
    image = np.zeros((200, 300, 3), np.uint8)
    image[80:120, 140:160] = (200, 10, 10)
    box = np.array([[140, 80, 160, 120]], float)
    views = np.concatenate(cut_views(Picture.of(image), box, SIDE, (NEAR, WIDE)))
    assert views.shape == (2, SIDE, SIDE, 3)
    middle = SIDE // 2
    assert views[:, middle, middle].tolist() == [[200, 10, 10]] * 2
    near, wide = (int((view[..., 0] > 100).sum()) for view in views)
    assert near > 4 * wide > 0, "the wide view shows more of what is around"
