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
from hupai.vision.pipeline.several_photos import MergedReading, merge
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


def two_rows(scale: float) -> list[Placed]:
    """Two equal hands; the upper one is that much larger."""
    row = table("1m2m3m4p5p6p7s8s9sEEEPP")
    lower = [replace(tile, x=tile.x + 300, y=tile.y + 1000) for tile in row]
    upper = [replace(t, x=t.x * scale + 300, y=t.y * scale + 840, scale=scale) for t in row]
    return [*upper, *lower]


@pytest.mark.parametrize("scale", [1.0, 1.05, 1.4])
def test_of_two_equal_hands_the_one_of_a_single_photo_is_chosen(scale: float) -> None:
    """How much higher a hand lies is measured against the height of the photo."""
    size = (1200, 3000)
    tiles = two_rows(scale)
    photo = arrange(detections(tiles), size)
    other = arrange(
        detections([replace(tile, x=tile.x + 40, y=tile.y - 90) for tile in tiles]), size
    )
    alone = {tile.id for tile in read(photo).tiles if tile.in_hand}
    merged = merge([photo, other], sizes=[size, size])
    assert (merged.leading, merged.left_out) == (0, ())
    assert {tile.id for tile in merged.reading.tiles if tile.in_hand} == alone


ROW = "1m2m3m4p5p6p7s8s9sEEEPP"
APART = "1m2m3m _ _ _ 4p5p6p _ _ _ 7s8s9s _ _ _ EEE _ _ _ PP"
"""The row laid so that its tiles can only be aligned by their order."""


def cut_at_the_right(tiles: list[Placed]) -> Layout:
    """A photo whose edge cuts off half of the last tile."""
    found = detections(tiles)
    found.boxes[-1, 2] -= WIDTH / 2
    size = (int(found.boxes[-1, 2]), 400)
    return arrange(replace(found, quads=np.zeros((0, 4, 2), np.float32)), size)


def warned(merged: MergedReading, code: str) -> list[int]:
    return sorted(i for p in merged.reading.problems if p.code == code for i in p.tiles)


@pytest.mark.parametrize("moved", [False, True], ids=["registered", "aligned"])
def test_a_tile_is_cut_by_the_edge_if_every_photo_cuts_it(moved: bool) -> None:
    tiles = [replace(tile, x=tile.x + 100, y=tile.y + 200) for tile in table(ROW)]
    again = [replace(t, x=t.x + 100, y=t.y + 200) for t in table(APART)]
    again = again if moved else tiles
    cut, whole = cut_at_the_right(tiles), arrange(detections(again), (1200, 800))
    assert cut.cut_by_edge == (13,)
    assert whole.cut_by_edge == ()
    for photos in ([cut, whole], [whole, cut]):
        merged = merge(photos)
        tiles_read = sorted(merged.reading.hands[0].hand.all_tiles)
        assert tiles_read == sorted(parse_hand("123m456p789sEEEPP").all_tiles)
        assert warned(merged, "cut_by_edge") == []
    both = merge([cut, cut_at_the_right(again)])
    assert len(both.sources) == 14
    assert warned(both, "cut_by_edge") == [13]


def misread_at_the_right() -> tuple[Layout, Layout]:
    """A photo of the whole row, and one on which its last tile is cut and looks like another."""
    tiles = [
        replace(tile, x=tile.x + 100, y=tile.y + 200) for tile in table("1m2m3m4p5p6pEEEPP7s8s9s")
    ]
    cut = cut_at_the_right([*tiles[:-1], replace(tiles[-1], tile=Tile.GREEN)])
    return arrange(detections(tiles), (1200, 800)), cut


def test_a_cut_tile_is_no_evidence_where_a_registered_photo_shows_it_whole() -> None:
    merged = merge(misread_at_the_right())
    assert merged.reading.hands[0].hand == parse_hand("123m456p789sEEEPP")
    assert merged.reading.tiles[13].alternatives == ()
    assert merged.sources[13] == ((0, 13), (1, 13))


@pytest.mark.parametrize("whole_first", [True, False])
def test_a_cut_tile_is_no_evidence_where_an_aligned_photo_shows_it_whole(whole_first: bool) -> None:
    whole, cut = misread_at_the_right()
    base, other = (whole, cut) if whole_first else (cut, whole)
    observed = observe(base.detections, 0)
    joined = join(base, other, 1, observed)
    assert joined is not None
    assert joined.cut_by_edge == ()
    assert observed[13].sources == [(0, 13), (1, 13)]
    assert observed[13].probabilities[Tile.S9] > 0.99


@pytest.mark.parametrize("moved", [False, True], ids=["registered", "aligned"])
def test_a_tile_that_only_one_photo_shows_is_cut_if_that_photo_cuts_it(moved: bool) -> None:
    tiles = [replace(tile, x=tile.x + 100, y=tile.y + 200) for tile in table(ROW)]
    first = arrange(detections(tiles[:12]), (1200, 800))
    again = [replace(t, x=t.x + 100, y=t.y + 200) for t in table(APART)]
    second = cut_at_the_right((again if moved else tiles)[2:])
    assert second.cut_by_edge == (11,)
    merged = merge([first, second])
    (cut,) = warned(merged, "cut_by_edge")
    assert merged.sources[cut] == ((1, 11),)


def test_a_cut_tile_stays_cut_though_another_photo_shows_further_tiles() -> None:
    """The other photo shows the left end, after the hand was moved, and not the right one."""
    tiles = [replace(tile, x=tile.x + 100, y=tile.y + 200) for tile in table(ROW)]
    cut = cut_at_the_right(tiles[1:])
    again = [replace(t, x=t.x + 100, y=t.y + 200) for t in table(APART[:-2])]
    left = arrange(detections(again), (1200, 800))
    joined = join(cut, left, 1, observe(cut.detections, 0))
    assert joined is not None
    assert joined.cut_by_edge == (12,)
    merged = merge([cut, left])
    assert merged.reading.hands[0].hand == parse_hand("123m456p789sEEEPP")
    assert [merged.sources[i] for i in warned(merged, "cut_by_edge")] == [((0, 12),)]


def test_the_face_of_a_cut_tile_yields_to_that_of_the_whole_one_after_a_move() -> None:
    tiles = [replace(tile, x=tile.x + 100, y=tile.y + 200) for tile in table(ROW)]
    tiles[-1] = replace(tiles[-1], tile=Tile.from_code("?"))
    cut = cut_at_the_right(tiles)
    again = [replace(t, x=t.x + 100, y=t.y + 200) for t in table(APART)]
    whole = arrange(detections(again), (1200, 800))
    for photos in ([cut, whole], [whole, cut]):
        merged = merge(photos)
        assert len(merged.sources) == 14
        assert merged.reading.tiles[13].tile is Tile.from_code("P")
        assert merged.reading.tiles[13].confidence > 0.99


def of_size(tiles: list[Placed], share: float) -> Layout:
    """The sixth box encloses a share of its tile only, or more than it."""
    found = detections(tiles)
    found.boxes[5, 3] = found.boxes[5, 1] + share * HEIGHT
    return arrange(replace(found, quads=np.zeros((0, 4, 2), np.float32)))


@pytest.mark.parametrize("share", [0.55, 1.7])
def test_a_tile_is_a_size_outlier_if_it_is_so_on_every_photo(share: float) -> None:
    tiles, again = table(ROW), table(APART)
    odd = of_size(tiles, share)
    assert odd.size_outliers == (5,)
    for other in (tiles, again):
        for photos in ([odd, layout(other)], [layout(other), odd]):
            assert warned(merge(photos), "odd_size") == []
        merged = merge([odd, of_size(other, share)])
        assert len(merged.sources) == 14
        assert warned(merged, "odd_size") == [5]
        assert not merged.reading.certain


def test_a_size_outlier_that_only_one_photo_shows_stays_one() -> None:
    tiles, again = table(ROW), table(APART)
    for other in (tiles, again):
        merged = merge([layout(other[6:]), of_size(tiles[:12], 0.55)])
        (outlier,) = warned(merged, "odd_size")
        assert [photo for photo, _ in merged.sources[outlier]] == [1]


def test_a_waiting_hand_on_two_photos_is_as_certain_as_on_one() -> None:
    """Its winning tile was looked for at the ends of its rows, and is not there."""
    tiles = [replace(tile, x=tile.x + 300, y=tile.y + 300) for tile in table(ROW[:-1])]
    size = (1200, 900)
    photo = replace(arrange(detections(tiles), size), examined=True)
    moved = [replace(tile, x=tile.x + 50) for tile in tiles]
    other = replace(arrange(detections(moved), size), examined=True)
    assert photo.ends_in_view
    assert read(photo).certain
    assert merge([photo, other], sizes=[size, size]).reading.certain
