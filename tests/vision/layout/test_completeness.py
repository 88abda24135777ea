"""Which tiles may be a complete hand."""

from __future__ import annotations

import pytest

from hupai.scoring.tiles import Tile, tiles_from_codes
from hupai.vision.layout.completeness import may_be_complete


def tiles(text: str) -> list[Tile]:
    """Tiles of a compact notation; ``?`` at its end are backs."""
    bare = text.rstrip("?")
    return [*tiles_from_codes(bare), *[Tile.BACK] * (len(text) - len(bare))]


@pytest.mark.parametrize(
    "text",
    [
        "123m456p789sEEEPP",
        "11223344556677m",
        "19m19p19sESWNCFPP",
        "147m258p369sESWNC",
        "123m456p11sPPPEEEE",
        "123m456p11sPPP????",
        "123m11s4444pPPPP??EE",
        "11sEEEECCCCFFFF????",
        "123m456p789sEEEPP3h5h",
    ],
)
def test_complete(text: str) -> None:
    assert may_be_complete(tiles(text), 13)


@pytest.mark.parametrize(
    "text",
    [
        "123m456p789sEEEP",
        "123m456p789sEEEPC",
        "123m456p789sEEEPPC",
        "11111m456p789sEEE",
        "123m456p789s234sPP?",
        "123m456p78sEEEPPP",
        "????????",
        "",
    ],
)
def test_not_complete(text: str) -> None:
    assert not may_be_complete(tiles(text), 13)
