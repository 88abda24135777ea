"""Ways of laying a hand, each among each of several surroundings: a person sees it at once.

Tiles with gaps between them, groups, rows above each other, melds anywhere, flowers far away,
before walls, discards and other hands.
"""

from __future__ import annotations

import numpy as np
import pytest

from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from tests.vision.layout.test_hard_cases import POND, WALL
from tests.vision.layout.test_own_planes import flat, seen
from tests.vision.pictures import HEIGHT, WIDTH, Placed, detections, stretched, table, turned

SPACE = "~\n~\n~\n"

SURROUNDINGS = {
    "nothing": "",
    "discards": f"{POND}\n{SPACE}",
    "close discards": f"{POND}\n~\n",
    "few discards": f"3m _ 9s _ _ E\n~\nC _ _ 1p _ 6m\n{SPACE}",
    "a wall": f"{WALL}\n{SPACE}",
    "a close wall": f"{WALL}\n~\n",
    "a wall of two layers": f"{WALL}\n{WALL}\n{SPACE}",
    "a wall with an indicator": f"??????1p????????\n{SPACE}",
    "walls and discards": f"{WALL}\n{WALL}\n~\n{POND}\n~\n{WALL}\n{WALL}\n{SPACE}",
    "another player's melds": f"1p1p1p _ 5s6s7s _ WWW _ _ _ _ _ _ _ 8m8m\n~\n{POND}\n~\n~\n"
    f"{WALL}\n{SPACE}",
    "another player's hand": f"2p2p3p4p5p6p7s8s9sWWWPP\n~\n~\n{POND}\n{SPACE}~\n",
    "loose tiles": f"loose 3m 5p E 9s 1s 2p 7m W C 4s 6m 8p 3s N\n{SPACE}",
}

HANDS = {
    "a row": "1m2m3m5p6p7p2s3s4sEEE9s",
    "a row and the winning tile": "1m2m3m5p6p7p2s3s4sEEE9s _ _ _ _ 9s",
    "a sideways winning tile": "1m2m3m5p6p7p2s3s4sEEE9s _ -9s",
    "a winning tile above": "_ _ _ _ _ 9s\n1m2m3m5p6p7p2s3s4sEEE9s",
    "a winning tile below": "1m2m3m5p6p7p2s3s4sEEE9s\n_ _ _ _ _ 9s",
    "tiles apart": "1m _ 2m _ 3m _ 5p _ 6p _ 7p _ 2s _ 3s _ 4s _ E _ E _ E _ 9s",
    "uneven gaps": "1m . 2m _ 3m5p . 6p _ _ 7p2s . 3s _ 4s . E _ EE _ 9s",
    "groups": "1m2m3m _ _ 5p6p7p _ _ 2s3s4s _ _ EEE _ _ 9s9s",
    "pairs": "1m1m _ 3m3m _ 5p5p _ 7p7p _ 2s2s _ EE _ CC",
    "groups of tiles apart": "1m _ 2m _ 3m _ _ _ 5p _ 6p _ 7p _ _ _ 2s _ 3s _ 4s _ _ _ 9s _ 9s"
    " _ _ _ E _ E _ E",
    "two rows": "1m2m3m5p6p7p2s\n3s4sEEE9s9s",
    "two rows far apart": f"1m2m3m5p6p7p2s\n{SPACE}3s4sEEE9s9s",
    "two rows of tiles apart": "1m _ 2m _ 3m _ 5p _ 6p _ 7p _ 2s\n~\n3s _ 4s _ E _ E _ E _ 9s _ 9s",
    "three rows": "1m2m3m5p6p\n7p2s3s4sE\nEE9s9s",
    "sets in rows": "1m2m3m\n~\n5p6p7p\n~\n2s3s4s\n~\nEEE\n~\n9s9s",
    "sets in columns": "1m5p2sE9s\n2m6p3sE9s\n3m7p4sE",
    "melds at the right": "5p6p7p2s3s4s9s9s _ _ -1m2m3m _ E-EE",
    "melds at the left": "1m2m3m _ EEE _ _ 5p6p7p2s3s4s9s9s",
    "a meld far away": "5p6p7p2s3s4s9s9sEEE _ _ _ _ _ _ 1m2m3m",
    "melds above": "_ _ _ _ 1m2m3m _ EEE\n~\n5p6p7p2s3s4s9s9s",
    "a meld below": "1m2m3m5p6p7p2s3s4s9s9s\n~\n_ _ _ _ EEE",
    "melds in the corner": f"{'_ ' * 13}1m2m3m\n{'_ ' * 13}EEE\n5p6p7p2s3s4s9s9s",
    "four melds and a pair": "9s9s _ _ 1m2m3m _ 5p6p7p _ EEE _ 2s3s4s",
    "four melds in a column": f"{'_ ' * 8}1m2m3m\n{'_ ' * 8}EEE\n{'_ ' * 8}5p6p7p\n"
    f"9s9s {'_ ' * 6}2s3s4s",
    "a concealed kong": "1m2m3m5p6p7p2s3s4s9s9s _ _ ?EE?",
    "a face-down kong": "1m2m3m5p6p7p2s3s4s9s9s _ _ ????",
    "an added kong": "5p6p7p2s3s4s9s9s _ _ -1m2m3m _ S-S/SS",
    "a kong of tiles apart": "5p6p7p2s3s4s9s9s _ 1m2m3m _ _ E _ E _ E _ E",
    "flowers": "1m2m3m5p6p7p2s3s4sEEE9s9s _ _ _ 1h2h5h8h",
    "flowers at the left": "1h5h _ _ _ 1m2m3m5p6p7p2s3s4sEEE9s9s",
    "a flower in the corner": "1m2m3m5p6p7p2s3s4sEEE9s9s _ _ _ _ _ _ 1h",
    "flowers above": "_ _ _ 1h5h\n~\n1m2m3m5p6p7p2s3s4sEEE9s9s",
}


UNCLEAR = {("close discards", "two rows of tiles apart")}
"""What is laid so that the discards might be further rows of the hand."""


def mistaken(around: str, hand: str, angle: float = 0.0, factor: float = 1.0) -> bool:
    """Whether other tiles than those of the hand are read, from a photo turned and stretched."""
    tiles = turned(table(around + hand), angle)
    found = stretched(detections(_in_view(tiles)), factor)
    size = np.ceil(found.boxes[:, 2:].max(0) + WIDTH).astype(int)
    first = len(tiles) - len(table(hand))
    reading = read(arrange(found, (int(size[0]), int(size[1]))))
    return {t.id for t in reading.tiles if t.in_hand} != set(range(first, len(tiles)))


def _in_view(tiles: list[Placed]) -> list[Placed]:
    """Move the tiles so that the photo shows all of them."""
    left, top = min(t.x for t in tiles) - 2 * HEIGHT, min(t.y for t in tiles) - 2 * HEIGHT
    return [Placed(t.x - left, t.y - top, t.axis, t.tile, t.other, t.score, t.scale) for t in tiles]


IN_EVERY_RUN = {"close discards"}


@pytest.mark.parametrize(
    "around",
    [
        one if one in IN_EVERY_RUN else pytest.param(one, marks=pytest.mark.nightly)
        for one in SURROUNDINGS
    ],
)
def test_a_hand_is_found_however_it_is_laid(around: str) -> None:
    wrong = {(around, name) for name, hand in HANDS.items() if mistaken(SURROUNDINGS[around], hand)}
    assert wrong <= UNCLEAR


@pytest.mark.nightly
@pytest.mark.parametrize(
    "around", ["close discards", "walls and discards", "another player's hand"]
)
@pytest.mark.parametrize(("angle", "factor"), [(0.15, 1.0), (-0.1, 1.5)])
def test_a_hand_is_found_on_a_turned_or_foreshortened_photo(
    around: str, angle: float, factor: float
) -> None:
    wrong = {
        (around, name)
        for name, hand in HANDS.items()
        if mistaken(SURROUNDINGS[around], hand, angle, factor)
    }
    assert wrong <= UNCLEAR


@pytest.mark.parametrize("elevation", [30, 35])
def test_loose_groups_near_the_camera_are_the_hand_rather_than_a_far_row_across(
    elevation: float,
) -> None:
    groups = ("5m 5m 7m", "7m 9m 9m", "6p 6p", "8p 8p 9p 9p", "C C")
    places = ((-8, 0), (-4.2, 0.35), (-0.4, 0.1), (2.4, 0.45), (7.2, 0.2))
    near = [t for g, (x, y) in zip(groups, places, strict=True) for t in flat(g, x, y)]
    across = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    row = flat("2m 3m 3m 6m 6p 7p 7p 1s 4s 4s 8s 8s C", 0, 0)
    far = [(quad @ across.T + np.array([11, 5, 0]), tile) for quad, tile in row]
    reading = read(arrange(seen(near + far, elevation, -35), (1600, 1200)))
    assert {t.id for t in reading.tiles if t.in_hand} == set(range(len(near)))
