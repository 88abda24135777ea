"""Uncertain tiles among flowers or beside a complete hand are likely flowers; clear ones stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.placement import Placement, place
from hupai.vision.layout.arrange import find_hand
from hupai.vision.types import Detections
from tests.vision.layout.test_own_planes import HEIGHT, WIDTH, flat, seen

SIZE = (WIDTH, HEIGHT)
ROW = "1m 2m 3m 5p 6p 7p 9s 9s 2s 3s 4s 8s 8s 8s"
EAST_OR_AUTUMN = {Tile.EAST: 0.8, Tile.AUTUMN: 0.12, Tile.SPRING: 0.08}


def table(group: str, away: float, row: str = ROW, **uncertain: dict[Tile, float]) -> Placement:
    """Place a row and a group `away` above it, naming the n-th tile ``tile_n`` as given."""
    found = seen([*flat(row, -7, 0), *flat(group, -7, -away)], 60, 0)
    classes = found.probabilities.copy()
    for name, shares in uncertain.items():
        at = int(name.removeprefix("tile_"))
        classes[at] = 0
        for tile, share in shares.items():
            classes[at, tile] = share
    return place(replace(found, probabilities=classes), SIZE)


def face(placed: Placement, at: int) -> Tile:
    (found,) = placed.ground.faces[placed.ground.ids == at].tolist()
    assert found == placed.detections.probabilities[at].argmax()
    return Tile(found)


@pytest.mark.parametrize(("other", "odds"), [("6h", 3000), ("1m", 300)])
def test_an_uncertain_tile_beside_clear_flowers_becomes_a_flower(other: str, odds: float) -> None:
    placed = table(f"5h E {other}", 3, tile_15=EAST_OR_AUTUMN)
    assert face(placed, 15) is Tile.AUTUMN
    assert placed.detections.probabilities[15].sum() == pytest.approx(1)
    (flower,) = placed.ground.flowers[placed.ground.ids == 15]
    assert flower == pytest.approx(0.2 * odds / (0.2 * odds + 0.8), abs=1e-4)
    others = np.delete(np.arange(17), 15).tolist()
    assert [face(placed, k).code for k in others] == [*ROW.split(), "5h", other]


def test_what_is_seen_clearly_is_not_renamed() -> None:
    clear = {Tile.EAST: 0.99, Tile.AUTUMN: 0.01}
    assert face(table("5h E 6h", 3, tile_15=clear), 15) is Tile.EAST


def test_among_flowers_a_face_that_is_not_seen_clearly_is_a_flower() -> None:
    likely = {Tile.EAST: 0.98, Tile.AUTUMN: 0.0015, Tile.SOUTH: 0.0185}
    assert face(table("5h E 6h", 3, tile_15=likely), 15) is Tile.AUTUMN
    assert face(table("5h E 1m", 3, tile_15=likely), 15) is Tile.EAST


@pytest.mark.parametrize(("seen", "named"), [("1s", Tile.ORCHID), ("E", Tile.EAST)])
def test_among_flowers_a_bird_is_never_seen_clearly(seen: str, named: Tile) -> None:
    clear = {Tile.from_code(seen): 0.999, Tile.ORCHID: 0.001}
    assert face(table(f"5h {seen} 7h", 3, tile_15=clear), 15) is named


def test_without_a_clear_flower_nothing_changes() -> None:
    unclear = {Tile.PLUM: 0.6, Tile.WEST: 0.4}
    placed = table("5h E", 3, tile_14=unclear, tile_15=EAST_OR_AUTUMN)
    assert face(placed, 15) is Tile.EAST
    assert placed.detections.probabilities[14, Tile.PLUM] == pytest.approx(0.6)


def test_an_uncertain_tile_apart_from_the_flowers_stays() -> None:
    assert face(table("5h 6h _ _ E", 3, tile_16=EAST_OR_AUTUMN), 16) is Tile.EAST


def test_in_a_row_of_a_hand_with_a_flower_at_its_end_nothing_changes() -> None:
    placed = table("1p", 4, row=f"{ROW} 5h", tile_3=EAST_OR_AUTUMN)
    assert face(placed, 3) is Tile.EAST


def test_a_back_beside_flowers_stays_a_back() -> None:
    back = {Tile.BACK: 0.6, Tile.SPRING: 0.2, Tile.EAST: 0.2}
    assert face(table("5h ? 6h", 3, tile_15=back), 15) is Tile.BACK


def test_no_tiles_at_all() -> None:
    assert len(place(Detections.empty(), SIZE).ground) == 0


def beside(placed: Placement, hand: int = 14) -> Placement:
    """Take the first tiles for the hand."""
    return placed.with_flowers_beside(frozenset(range(hand)))


UNCLEAR = {Tile.M5: 0.7, Tile.PLUM: 0.2, Tile.SPRING: 0.1}


def test_an_unclear_tile_beside_a_complete_hand_becomes_a_flower() -> None:
    placed = table("5m", 2, tile_14=UNCLEAR)
    assert face(placed, 14) is Tile.M5
    after = beside(placed)
    assert face(after, 14) is Tile.PLUM
    (flower,) = after.ground.flowers[after.ground.ids == 14]
    assert flower == pytest.approx(0.3 * 30 / (0.3 * 30 + 0.7), abs=1e-4)
    assert face(replace(after, ground=after.firm), 14) is Tile.PLUM


@pytest.mark.parametrize(
    ("away", "seen"),
    [
        pytest.param(6, UNCLEAR, id="not beside the hand"),
        pytest.param(2, {Tile.M5: 0.96, Tile.PLUM: 0.04}, id="clear"),
        pytest.param(2, {Tile.M5: 0.6, Tile.M6: 0.35, Tile.PLUM: 0.05}, id="hardly a flower"),
        pytest.param(2, {Tile.BACK: 0.8, Tile.PLUM: 0.2}, id="face down"),
    ],
)
def test_other_tiles_beside_a_complete_hand_stay(away: float, seen: dict[Tile, float]) -> None:
    placed = table("5m", away, tile_14=seen)
    assert beside(placed) is placed


def test_a_tile_that_may_be_none_stays() -> None:
    placed = table("5m", 2, tile_14=UNCLEAR)
    scores = placed.detections.scores.copy()
    scores[14] = 0.6
    doubtful = place(replace(placed.detections, scores=scores), SIZE)
    assert beside(doubtful) is doubtful


def test_unclear_tiles_of_the_hand_stay() -> None:
    placed = table("5m", 2, tile_3=UNCLEAR)
    assert beside(placed) is placed


def test_a_flower_beside_a_complete_hand_is_part_of_it() -> None:
    found = table("5m", 2, tile_14=UNCLEAR).detections
    layout = find_hand(place(found, SIZE), None, None, None)
    assert layout.hand is not None
    assert layout.hand.candidate.ids == frozenset(range(15))
