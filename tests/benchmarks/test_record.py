"""Tables recorded as cases name the tiles of their hands."""

from __future__ import annotations

import numpy as np

from benchmarks.conventions.scene import table
from benchmarks.layout.record import _design_case, case_of, with_detector_noise
from hupai.datasets.synthetic.truth import TruthTile
from hupai.scoring.tiles import Tile


def test_a_recorded_table_names_its_hand_and_groups() -> None:
    laid = table("melds_front", 3)
    case = case_of(laid, "family 2", "melds_front 3")
    seen = case.all_detections
    assert case.tiles is not None
    assert case.missing == 0
    faces = sorted(Tile(int(seen.probabilities[i].argmax())) for i in case.tiles)
    assert tuple(faces) == case.faces
    assert case.tiles == {i for _, ids, _ in case.groups for i in ids}


def test_detector_noise_keeps_the_tiles_of_the_hand() -> None:
    laid = table("base", 5)
    for seed in range(5):
        found = with_detector_noise(laid, np.random.default_rng(seed))
        case = case_of(laid, "family 2", "base 5", found)
        assert case.tiles is not None
        assert len(case.tiles) + case.missing == len(case.faces or ())
        np.testing.assert_allclose(case.all_detections.probabilities.sum(1), 1, atol=1e-4)


def test_a_picture_of_a_held_out_design_names_its_hand() -> None:
    laid = table("melds_front", 3)
    tiles = [tile for tile in laid.tiles if tile.in_hand]
    groups = {j: g for g, (_, members, _) in enumerate(laid.groups()) for j in members}
    own = [
        TruthTile(
            face=tile.face.code,
            shown="?" if tile.face_down else tile.face.code,
            outline=(laid.quads[laid.tiles.index(tile)] * 2).ravel().tolist(),
            visible=1.0,
            in_hand=True,
            group=groups[laid.tiles.index(tile)],
            kind="concealed",
        )
        for tile in tiles
    ]
    case = _design_case(own, laid.detections, laid.size, 0.5)
    assert case.tiles == frozenset(j for j, tile in enumerate(laid.tiles) if tile.in_hand)
    assert case.missing == 0
    assert {frozenset(ids) for _, ids, _ in case.groups} == {
        frozenset(members) for _, members, _ in laid.groups()
    }
