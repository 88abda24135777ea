"""Two photos of one hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Layout
from hupai.vision.pipeline.alignment import join
from hupai.vision.pipeline.observations import observe
from hupai.vision.pipeline.several_photos import merge
from hupai.vision.reading.read import read
from hupai.vision.types import Detections
from tests.vision.pictures import HEIGHT, WIDTH, Placed, detections, table, turned

HAND = "1m2m3m4p5p6p7s7s _ -EEE _ 5s-5s5s"


def layout(tiles: list[Placed]) -> Layout:
    return arrange(detections(tiles))


def test_glare_on_one_photo() -> None:
    spoilt = layout(table("1m2m3m:8m49 4p5p6p:9p49 7s7s _ -EEE _ 5s-5s5s"))
    clear = layout(turned(table(HAND), 2.0))
    merged = merge([spoilt, clear])
    assert merged.reading.hands[0].hand == parse_hand("123m456p77s [EEE,1] [555s,2]")
    assert merged.reading.hands[0].probability > read(spoilt).hands[0].probability
    assert merged.left_out == ()
    assert all(len(places) == 2 for places in merged.sources)


def test_a_wrong_tile_is_outvoted_by_a_surer_photo() -> None:
    wrong = layout(table("1m2m3m4p5p6p7s8s:9s40 9sEEEPP"))
    right = layout(table("1m2m3m4p5p6p7s9s9sEEEPP"))
    merged = merge([wrong, right])
    assert [t.tile for t in merged.reading.tiles if t.in_hand].count(Tile.S9) == 2


def test_a_hand_cut_on_each_photo() -> None:
    tiles = table("1m2m3m4p5p6p7s8s9sEEEPP")
    left, right = tiles[:11], tiles[3:]
    merged = merge([layout(left), layout(right)])
    assert merged.reading.hands[0].hand == parse_hand("123m456p789sEEEPP")
    assert {photo for places in merged.sources for photo, _ in places} == {0, 1}


def test_a_meld_that_only_one_photo_shows() -> None:
    tiles = table(HAND)
    without = tiles[:11]
    assert without[-1].x < 12.5 * WIDTH < tiles[11].x
    merged = merge([layout(without), layout(tiles)])
    assert merged.leading == 1
    assert merged.reading.hands[0].hand == parse_hand("123m456p77s [EEE,1] [555s,2]")


def test_another_hand_is_left_out_and_reported() -> None:
    merged = merge(
        [layout(table("1m2m3m4p5p6p7s8s9sEEEPP")), layout(table("2m2m5m5m8m8m3p3p6p6p1s1sSS"))]
    )
    assert merged.left_out == (1,)
    assert "photos_differ" in {p.code for p in merged.reading.problems}
    assert not merged.reading.certain
    assert merged.reading.hands[0].hand == parse_hand("123m456p789sEEEPP")


def test_a_red_five_is_red_if_most_photos_say_so() -> None:
    def seen(red: float, turn: float = 0.0) -> Layout:
        found = detections(turned(table("4p5p6p1m2m3m7s8s9sEEEPP"), turn))
        reds = np.zeros(len(found), np.float32)
        reds[1] = red
        return arrange(replace(found, reds=reds))

    (five,) = (hand.hand for hand in read(seen(0.9)).hands[:1])
    assert five.red_fives == (Tile.P5,)
    for first, second, marked in ((0.9, 0.8, (Tile.P5,)), (0.9, 0.3, (Tile.P5,)), (0.9, 0.05, ())):
        reading = merge([seen(first), seen(second, 2.0)]).reading
        assert reading.hands[0].hand.red_fives == marked
        assert [t.tile for t in reading.tiles if t.red] == list(marked)


def test_no_hand_on_any_photo() -> None:
    merged = merge([arrange(Detections.empty()), arrange(Detections.empty())])
    assert merged.leading is None
    assert {p.code for p in merged.reading.problems} == {"no_tiles"}
    assert merge([]).reading.hands == ()


def beside_the_last_meld(code: str, score: float) -> Layout:
    """The hand with a low-confidence detection behind its last meld."""
    tiles = [replace(tile, x=tile.x + 200, y=tile.y + 200) for tile in table(HAND)]
    behind = replace(
        tiles[-1], x=tiles[-1].x - 6, y=tiles[-1].y - HEIGHT, tile=Tile.from_code(code), score=score
    )
    faint = detections([behind])
    return arrange(replace(detections(tiles), low_confidence=faint), (2500, 2500))


@pytest.mark.parametrize(("code", "score"), [("?", 0.45), ("5s", 0.2)])
def test_a_doubt_on_every_photo_stays_a_doubt(code: str, score: float) -> None:
    """The pung may be a kong, whether its fourth tile is left out or taken though it is faint."""
    doubtful = beside_the_last_meld(code, score)
    alone = read(doubtful)
    assert not alone.certain
    merged = merge([doubtful, doubtful]).reading
    assert not merged.certain
    assert {p.code for p in merged.problems} == {p.code for p in alone.problems}
    clear = layout(turned(table(HAND), 2.0))
    assert "faint_tile" not in {p.code for p in merge([clear, clear]).reading.problems}


def with_a_faint_last_tile(tiles: list[Placed]) -> Layout:
    found = detections(tiles)
    last = found.only(np.array([len(tiles) - 1]))
    faint = replace(last, scores=np.array([0.2], np.float32))
    return arrange(replace(found.only(np.arange(len(tiles) - 1)), low_confidence=faint))


def test_a_faint_tile_is_faint_on_whichever_photo_shows_it() -> None:
    tiles = table("1m2m3m4p5p6p7s8s9sEEEPP")
    first, second = layout(tiles[:-1]), layout(turned(tiles, 2.0))
    faint, other = with_a_faint_last_tile(tiles), with_a_faint_last_tile(turned(tiles[1:], 2.0))
    for photos in ([first, faint], [first, other], [faint, other], [faint, faint]):
        reading = merge(photos).reading
        assert reading.hands[0].hand == parse_hand("123m456p789sEEEPP")
        assert "faint_tile" in {p.code for p in reading.problems}
    assert "faint_tile" not in {p.code for p in merge([faint, second]).reading.problems}


def test_a_faint_tile_is_faint_after_the_hand_was_moved_too() -> None:
    def faint_after(base: Layout, other: Layout) -> tuple[int, ...]:
        joined = join(base, other, 1, observe(base.detections, 0))
        assert joined is not None
        return joined.low_confidence

    tiles = table("1m2m3m4p5p6p7s8s9sEEEPP")
    faint, clear = with_a_faint_last_tile(tiles), layout(tiles)
    assert faint_after(faint, faint) == faint_after(faint, layout(tiles[:-1])) == (13,)
    assert faint_after(faint, clear) == faint_after(clear, faint) == ()
    assert faint_after(layout(tiles[:-1]), faint) == (13,)
