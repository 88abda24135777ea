"""Small pictures of few faces give labelled patches, flowers and characters more often."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hupai.datasets.synthetic.designs import DesignBank
from hupai.models.training.classifier.crops import CONTEXT, NONE, PATCH, Patches
from hupai.models.training.classifier.face_scenes import add_faces, random_face, small_picture
from hupai.scoring.tiles import Tile


def test_flowers_and_characters_are_drawn_most_often() -> None:
    rng = np.random.default_rng(1)
    kinds = Counter(random_face(rng).code[-1] for _ in range(600))
    assert kinds["h"] > 130
    assert kinds["m"] > 130
    assert {*kinds} >= {"p", "s", "E", "P"}


@pytest.mark.nightly
def test_each_visible_face_of_a_small_picture_becomes_a_patch() -> None:
    bank, patches = DesignBank([]), Patches()
    faces: list[int] = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        picture, tiles = small_picture(rng, bank)
        assert max(picture.shape[:2]) <= 640
        add_faces(rng, patches, picture, tiles)
        faces += [int(tile.shown) for tile in tiles]
    images, classes, axes, _ = patches.arrays()
    assert images.shape[1:] == (PATCH, PATCH, 3)
    assert 0 < len(classes) <= len(faces)
    assert not Counter(classes.tolist()) - Counter(faces)
    assert Tile.BACK not in classes.tolist()
    assert np.isfinite(axes).all()
    middle = slice(round(PATCH / 2 - PATCH / CONTEXT / 4), round(PATCH / 2 + PATCH / CONTEXT / 4))
    assert (images[:, middle, middle].std((1, 2, 3)) > 3).mean() > 0.8, "tiles show ink"


@pytest.mark.nightly
def test_places_beside_the_tiles_become_patches_of_no_tile() -> None:
    bank, patches = DesignBank([]), Patches()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        add_faces(rng, patches, *small_picture(rng, bank), gaps=2)
    none = patches.arrays()[1].tolist().count(NONE)
    assert 0 < none <= 6
