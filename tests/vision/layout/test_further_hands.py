"""Hands of other players on the photo: offered, unless they may be the one that is meant."""

from __future__ import annotations

import math
from dataclasses import replace

from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Arrangement, Block, BlockKind, Layout
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, Reading
from tests.vision.pictures import HEIGHT, WIDTH, Placed, detections, table, turned

OWN = "2m3m4m3p4p5p7p8p9p5s6s7sCC"
WON = "1m2m3m6p6p6p1s2s3sEEEFF"
WAITING = "1m4m7m2p2p6p9p1s4s8sENF"
SIZE = (900, 900)


def at_left(row: str) -> list[Placed]:
    """A row of the player at the left, farther away."""
    tiles = turned(table(row), math.pi / 2, scale=0.7)
    x, y = min(t.x for t in tiles), min(t.y for t in tiles)
    return [replace(t, x=t.x - x + WIDTH, y=t.y - y + HEIGHT) for t in tiles]


def photo(*others: list[Placed]) -> Detections:
    """The own hand at the lower edge, and other tiles."""
    own = [replace(t, x=t.x + 6 * WIDTH, y=t.y + 16 * HEIGHT) for t in table(OWN)]
    return detections([*own, *(t for row in others for t in row)])


def reading_of(found: Detections, point: tuple[float, float] | None = None) -> Reading:
    return read(arrange(found, SIZE, point=point))


def codes(reading: Reading) -> set[str]:
    return {problem.code for problem in reading.problems}


def hand_of(reading: Reading) -> list[Tile]:
    return sorted(t.tile for t in reading.tiles if t.in_hand)


def test_a_neighbours_hand_is_offered_and_leaves_the_own_one_certain() -> None:
    alone, both = reading_of(photo()), reading_of(photo(at_left(WAITING)))
    assert hand_of(both) == hand_of(alone) == sorted(t.tile for t in table(OWN))
    (other,) = both.other_hands
    assert sorted(both.tiles[i].tile for i in other.tiles) == sorted(t.tile for t in table(WAITING))
    assert codes(both) - codes(alone) == {"further_hands"}
    (note,) = (p for p in both.problems if p.code == "further_hands")
    assert note.tiles == tuple(sorted(other.tiles))
    assert alone.certain
    assert both.certain


def test_which_hand_is_meant_is_asked_if_both_have_won() -> None:
    reading = reading_of(photo(at_left(WON)))
    assert "several_hands" in codes(reading)
    assert not reading.certain


def test_the_hand_that_is_offered_can_be_pointed_at_and_the_own_one_again() -> None:
    found = photo(at_left(WAITING))
    (other,) = reading_of(found).other_hands
    theirs = reading_of(found, other.at)
    assert hand_of(theirs) == sorted(t.tile for t in table(WAITING))
    assert codes(theirs) >= {"further_hands"}
    (back,) = theirs.other_hands
    assert hand_of(reading_of(found, back.at)) == sorted(t.tile for t in table(OWN))


def test_the_hand_that_was_not_read_is_offered_in_its_stead() -> None:
    """The reading may choose the grouping of a hand that layout offers as a further one."""
    one, other = (Arrangement((Block(BlockKind.CONCEALED, ids),), 0.0) for ids in ((1, 0), (2, 3)))
    layout = Layout(Detections.empty(), (one, other), other_hands=((2, 3), (4, 5)))
    assert layout.hands_beside({0, 1}) == ((2, 3), (4, 5))
    assert layout.hands_beside({2, 3}) == ((0, 1), (4, 5))


def test_discards_are_not_offered() -> None:
    pond = "\n".join(("1m9p3sE7s2p", "5pN8m4s6mW", "2s9s"))
    rows = [replace(t, x=t.x + 9 * WIDTH, y=t.y + 4 * HEIGHT) for t in table(pond)]
    reading = reading_of(photo(rows))
    assert not reading.other_hands
    assert "further_hands" not in codes(reading)
