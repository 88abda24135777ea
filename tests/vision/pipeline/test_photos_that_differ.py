"""Photos of different hands, of a hand in other rows, and photos that contradict each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Layout
from hupai.vision.pipeline.several_photos import MergedReading, merge
from hupai.vision.reading.read import read
from tests.vision.pictures import WIDTH, Placed, detections, table, turned

ROW = "1m2m3m4p5p6p7s8s9sEEEPP"
HAND = parse_hand("123m456p789sEEEPP")


def layout(tiles: list[Placed] | str) -> Layout:
    return arrange(detections(table(tiles) if isinstance(tiles, str) else tiles))


def hand(merged: MergedReading) -> object:
    return merged.reading.hands[0].hand


def codes(merged: MergedReading) -> set[str]:
    return {problem.code for problem in merged.reading.problems}


ROWS = [
    "1m2m3m4p5p6p7s\n\n8s9sEEEPP",
    "8s9sEEEPP\n\n1m2m3m4p5p6p7s",
    "1m2m3m4p5p\n\n6p7s8s9s\n\nEEEPP",
    "1m2m3m4p5p6p7s8s9sEEE\n\nPP",
    "PPEEE1m2m3m4p5p6p7s8s9s",
    "1m2m3m _ 4p5p6p _ 7s8s9s _ EEE _ PP",
]


@pytest.mark.nightly
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_a_hand_laid_in_other_rows_is_the_same_hand(rows: str, turn: float) -> None:
    one, other = layout(ROW), layout(turned(table(rows), turn))
    for photos in ([one, other], [other, one]):
        merged = merge(photos)
        assert merged.left_out == ()
        # Groups laid apart may be melds, where their photo decides how the tiles are grouped.
        apart = (read(other).hands[0].hand,) if "_" in rows else ()
        assert hand(merged) in (HAND, *apart)
        assert len(merged.sources) == 14
        assert all({photo for photo, _ in places} == {0, 1} for places in merged.sources)


@pytest.mark.parametrize("moved", ["1m2m3m4p5p6p7s8s9sEEP _ _ E", "2m3m4p5p6p7s8s9sEEEP _ _ 1m"])
def test_a_tile_of_a_waiting_hand_that_was_moved_is_no_further_tile(moved: str) -> None:
    merged = merge([layout("1m2m3m4p5p6p7s8s9sEEEP"), layout(moved)])
    assert len(merged.sources) == 13
    assert [tile.in_hand for tile in merged.reading.tiles] == [True] * 13


OTHERS = {
    "five tiles here and there": "1m2m3m9p9p9p2s2s2sEEEFF",
    "the first six": "1m2m3m4p5p6p1s2s3sFFFCC",
    "the first nine": "1m2m3m4p5p6p7s8s9sFFFCC",
    "the first nine, and a kong": "1m2m3m4p5p6p7s8s9s _ 2p2p2p2pCC",
    "the first eleven": "1m2m3m4p5p6p7s8s9sEECCC",
    "its end, at the beginning": "7s8s9sEEEPP1p2p3p6m7m8m",
    "its end, in the middle": "1p2p3p7s8s9sEEEPP6m7m8m",
    "sets in another order": "EEEPP7s8s9s2p3p4p6m6m6m",
}


def test_hands_of_one_suit_that_share_most_faces_are_not_one() -> None:
    one = layout("9p8p7p2p2p4p5p6p3p3p3p4p4p4p")
    other = layout("6p5p4p3p2p1p3p2p1p9p8p7p3p3p")
    assert merge([one, other]).left_out == (1,)


@pytest.mark.nightly
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_another_hand_that_shares_tiles_is_left_out(other: str, turn: float) -> None:
    one, two = layout(ROW), layout(turned(table(other), turn))
    for photos in ([one, two], [two, one]):
        merged = merge(photos)
        assert merged.left_out == (1,) or (merged.leading, merged.left_out) == (1, (0,))
        assert "photos_differ" in codes(merged)
        assert not merged.reading.certain
        leading = read(photos[merged.leading or 0])
        assert hand(merged) == leading.hands[0].hand


@pytest.mark.parametrize("turn", [0.0, 2.0])
@pytest.mark.parametrize("apart", [False, True])
def test_a_tile_that_both_photos_show_clearly_with_different_faces_is_doubtful(
    turn: float, apart: bool
) -> None:
    """Whichever photo is surer; placed anew, the tiles are aligned instead of registered."""
    one, other = (
        table(ROW),
        table("1m2m3m4p5p6p7s8s8s _ _ EEEPP" if apart else "1m2m3m4p5p6p7s8s8sEEEPP"),
    )
    assert read(layout(one)).certain
    for share in (0.03, 0.05, 0.07):
        other[8] = replace(other[8], other=(Tile.S1, share))
        merged = merge([layout(one), layout(turned(other, turn))])
        assert merged.left_out == ()
        assert len(merged.sources) == 14
        assert not merged.reading.certain
        (doubtful,) = (tile for tile in merged.reading.tiles if tile.confidence < 0.99)
        # A complete hand is likelier than one with a tile that fits nothing.
        assert (doubtful.tile, doubtful.alternatives[0][0]) == (Tile.S9, Tile.S8)


def test_a_waiting_hand_in_which_a_tile_was_exchanged_is_not_one_of_fourteen() -> None:
    merged = merge([layout("1m2m3m4p5p6p7s8s9sEEEP"), layout("1m2m3m4p5p6p7s8s9sEEES")])
    assert len(merged.sources) == 13
    assert not merged.reading.certain


def test_a_second_box_around_a_tile_is_no_further_evidence() -> None:
    one = table("1m2m3m4p5p6p7s8s8s:9s40EEEPP")
    twice = [*one, replace(one[8], x=one[8].x + 3, score=0.97)]
    once, again = merge([layout(one), layout(one[1:])]), merge([layout(one), layout(twice[1:])])
    assert all(len({photo for photo, _ in places}) == len(places) for places in again.sources)
    assert hand(once) == hand(again)
    assert once.reading.hands[0].probability == pytest.approx(again.reading.hands[0].probability)


def test_a_photo_given_twice_is_no_further_evidence() -> None:
    doubtful = layout("1m2m3m4p5p6p7s8s:9s30 9s:8s30 EEEPP")
    alone = read(doubtful)
    merged = merge([doubtful, doubtful, doubtful])
    assert hand(merged) == alone.hands[0].hand
    assert merged.reading.hands[0].probability == pytest.approx(alone.hands[0].probability)
    assert (merged.reading.certain, merged.left_out) == (alone.certain, ())
    assert codes(merged) == {problem.code for problem in alone.problems}
    assert {len(places) for places in merged.sources} == {3}
    assert merge([doubtful, layout("2m2m5m5m8m8m3p3p6p6p1s1sSS"), doubtful]).left_out == (1,)
    other = layout("2m2m5m5m8m8m3p3p6p6p1s1sSS")
    assert merge([doubtful, other, other]).left_out == (1, 2)


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 0, 1), (1, 0, 2), (2, 1, 0)])
def test_photos_are_registered_by_one_that_shows_what_lies_between(
    order: tuple[int, int, int],
) -> None:
    tiles = table(ROW)
    parts = (tiles[:8], turned(tiles[3:11], 0.3, 1.2), turned(tiles[7:], -0.4, 0.8))
    merged = merge([layout(parts[k]) for k in order])
    assert merged.left_out == ()
    assert hand(merged) == HAND
    assert len(merged.sources) == 14


def test_a_rotated_photo_is_evidence_beside_the_leading_one() -> None:
    """The box of a rotated tile is larger, but the tile was not cut on the other photo."""
    one, other = table("1m2m3m4p5p6p7s8s:9s30 9sEEEPP"), table("1m2m3m4p5p6p7s8s:7s30 9sEEEPP")
    for turn in (0.0, 0.2, 0.6, 1.3):
        merged = merge([layout(one), layout(turned(other, turn))])
        eight = merged.reading.tiles[7]
        assert (eight.tile, eight.photo) == (Tile.S8, 0)
        assert eight.confidence > 0.99


def test_two_hands_on_the_table_of_which_each_photo_shows_another_nearest() -> None:
    both = table("2m2m5m5m8m8m3p3p6p6p1s1sSS\n\n\n\n\n" + ROW)
    above = [replace(tile, x=tile.x + 200, y=tile.y + 300) for tile in both]
    across = [replace(tile, x=tile.x + 900, y=tile.y + 900) for tile in turned(both, np.pi)]
    size = (1200, 1200)
    photos = [arrange(detections(tiles), size) for tiles in (above, across)]
    hands = [read(one).hands[0].hand for one in photos]
    assert hands[0] != hands[1]
    merged = merge(photos, sizes=[size, size])
    assert merged.left_out == ()
    assert hand(merged) == hands[merged.leading or 0]
    assert "several_hands" in codes(merged)


def test_another_hand_is_pointed_at_on_the_first_photo_that_shows_it() -> None:
    both = table(ROW + "\n\n\n\n\n" + "2m2m5m5m8m8m3p3p6p6p1s1sSS")
    part = turned([tile for tile in both if tile.x > 2 * WIDTH], 0.2, 0.5)
    first, second = layout(part), layout(both)
    merged = merge([first, second])
    assert merged.leading == 1
    (other,) = merged.reading.other_hands
    shown = {tile.id: tile.on_photo(0) for tile in merged.reading.tiles}
    boxes = [tile.box for i in other.tiles if (tile := shown[i]) is not None]
    assert any(x0 < other.at[0] < x1 and y0 < other.at[1] < y1 for x0, y0, x1, y1 in boxes)
