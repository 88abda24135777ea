"""What is asked of a tile."""

from __future__ import annotations

from hupai.scoring.tiles import Tile


def test_every_tile_counts_as_present() -> None:
    assert all(Tile), "the one of characters is class 0, and `tile or other` must keep it"
