"""The project's own faces: all there, small, self-contained, and different from each other."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import numpy as np
import pytest

from hupai.datasets.faces import svg
from hupai.scoring.tiles import ZH_NAMES, Tile

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("tile", list(Tile), ids=str)
def test_every_face_is_a_small_drawing_of_its_own(tile: Tile) -> None:
    text = svg.face_svg(tile)
    root = ElementTree.fromstring(text)
    assert root.get("viewBox") == "0 0 300 400"
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text is not None
    assert title.text.endswith(ZH_NAMES[tile])
    assert len(text) < 12_000, "each is sent to phones"
    assert "href" not in text
    assert "<image" not in text
    assert "<text" not in text, "characters are outlines: no font is needed to show them"


def test_faces_are_transparent_around_the_ink_and_the_back_is_filled() -> None:
    for tile in Tile:
        alpha = svg.face_rgba(tile, 100)[..., 3]
        share = float((alpha > 128).mean())
        assert (share > 0.9) if tile is Tile.BACK else (0.03 < share < 0.6), (tile, share)
        assert alpha.shape == (100, 75)


def test_no_two_faces_look_alike() -> None:
    pictures = {tile: svg.face_rgba(tile, 60).astype(np.float32) for tile in Tile}
    for a, b in itertools.combinations(Tile, 2):
        assert np.abs(pictures[a] - pictures[b]).mean() > 2.0, (a, b)


def test_shared_pixels_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        svg.face_rgba(Tile.M1, 40)[0, 0] = 0


def test_a_missing_face_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(svg, "FOLDER", tmp_path)
    svg.face_svg.cache_clear()
    with pytest.raises(svg.MissingFaceError, match="install hupai again"):
        svg.face_svg(Tile.M1)
    svg.face_svg.cache_clear()
