"""Layouts drawn as text in layouts.txt: each has the hand it shows after ``=`` and problems it must
have after ``!``.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.hand import Hand
from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, Reading
from tests.vision.pictures import HEIGHT, WIDTH, Placed, detections, stretched, table, turned


@dataclass(frozen=True)
class Case:
    """A drawing, the hands that may be read from it (none for no legal hand), and codes of problems
    it must have.
    """

    title: str
    picture: str
    hands: tuple[Hand, ...]
    problems: frozenset[str]


def cases() -> list[Case]:
    found = []
    for block in (Path(__file__).parent / "layouts.txt").read_text("utf-8").split("# ")[1:]:
        title, _, body = block.partition("\n")
        picture, _, rest = body.partition("\n= ")
        answer, _, codes = rest.strip().partition("\n! ")
        hands = (
            ()
            if answer == "none"
            else tuple(parse_hand(text, "hupai") for text in answer.split(" | "))
        )
        found.append(Case(title, picture, hands, frozenset(codes.split())))
    return found


CASES = cases()
READABLE = [case for case in CASES if len(case.hands) == 1]


def key(hand: Hand) -> tuple[object, ...]:
    melds = Counter((m.kind, m.tiles, m.claimed_from) for m in hand.melds)
    return sorted(hand.concealed), melds, hand.winning_tile, sorted(hand.flowers)


def reading_of(found: Detections) -> Reading:
    return read(arrange(found))


def codes(reading: Reading) -> set[str]:
    return {p.code for p in reading.problems}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title.replace(" ", "-"))
def test_layout(case: Case) -> None:
    reading = reading_of(detections(table(case.picture)))
    if case.hands:
        assert key(reading.hands[0].hand) in [key(hand) for hand in case.hands]
    else:
        assert reading.hands == () or reading.hands[0].probability < 0.5
        assert not reading.certain
    assert case.problems <= codes(reading)


def test_there_are_at_least_sixty_layouts() -> None:
    assert len(CASES) >= 60
    assert len({case.title for case in CASES}) == len(CASES)


@pytest.mark.nightly
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title.replace(" ", "-"))
def test_layout_without_axes(case: Case) -> None:
    reading = reading_of(detections(table(case.picture), axes=False))
    if case.hands:
        assert key(reading.hands[0].hand) in [key(hand) for hand in case.hands]
    else:
        assert reading.hands == () or reading.hands[0].probability < 0.5


@given(case=st.sampled_from(READABLE), angle=st.floats(-180, 180), scale=st.floats(0.3, 8.0))
def test_turning_and_scaling_the_photo_changes_nothing(
    case: Case, angle: float, scale: float
) -> None:
    reading = reading_of(detections(turned(table(case.picture), math.radians(angle), scale)))
    assert key(reading.hands[0].hand) == key(case.hands[0])
    assert case.problems <= codes(reading)


@pytest.mark.nightly
@given(case=st.sampled_from(READABLE), angle=st.floats(-180, 180), factor=st.floats(0.56, 1.78))
def test_stretching_the_photo_changes_nothing(case: Case, angle: float, factor: float) -> None:
    """As a photo of 16:9 or 9:16 that was made square."""
    reading = reading_of(
        stretched(detections(turned(table(case.picture), math.radians(angle))), factor)
    )
    assert key(reading.hands[0].hand) == key(case.hands[0])


@pytest.mark.nightly
@given(case=st.sampled_from(CASES), seed=st.integers(0, 10_000))
def test_shuffling_detections_changes_nothing(case: Case, seed: int) -> None:
    found = detections(table(case.picture))
    order = list(range(len(found)))
    random.Random(seed).shuffle(order)
    shuffled = Detections(
        found.boxes[order], found.scores[order], found.probabilities[order], found.axes[order]
    )
    before, after = reading_of(found), reading_of(shuffled)
    assert [(key(h.hand), round(h.probability, 4)) for h in before.hands[:1]] == [
        (key(h.hand), round(h.probability, 4)) for h in after.hands[:1]
    ]
    assert {i for t in before.tiles if t.in_hand for i in [t.id]} == {
        order[t.id] for t in after.tiles if t.in_hand
    }
    assert codes(before) == codes(after)


WHOLE = [
    case
    for case in READABLE
    if case.hands[0].size == 14 and "loose" not in case.picture and "discards" not in case.title
]
MISSING = {
    "too_few_tiles",
    "no_legal_hand",
    "thirteen_tiles",
    "not_a_set",
    "no_hand",
    "selection_unclear",
}


@given(case=st.sampled_from(WHOLE), data=st.data())
def test_taking_a_tile_away_is_noticed(case: Case, data: st.DataObject) -> None:
    tiles = table(case.picture)
    whole = reading_of(detections(tiles))
    playable = [t.id for t in whole.tiles if t.in_hand and not t.tile.is_flower]
    gone = data.draw(st.sampled_from(playable))
    reading = reading_of(detections([t for i, t in enumerate(tiles) if i != gone]))
    smaller_kong = any(len(m.tiles) == 4 for m in case.hands[0].melds)
    assert smaller_kong or codes(reading) & MISSING


@pytest.mark.nightly
@given(
    case=st.sampled_from(WHOLE),
    face=st.sampled_from([Tile.M1, Tile.P9, Tile.S5, Tile.WEST, Tile.RED]),
)
def test_a_tile_too_many_is_noticed(case: Case, face: Tile) -> None:
    tiles = table(case.picture)
    reading = reading_of(detections(tiles))
    held = [tiles[t.id] for t in reading.tiles if t.in_hand and not t.sideways]
    left = min(held, key=lambda t: (-t.y, t.x))
    extra = Placed(left.x - WIDTH, left.y, left.axis, face)
    more = reading_of(detections([*tiles, extra]))
    reported = codes(more) & {
        "too_many_tiles",
        "five_of_a_kind",
        "no_legal_hand",
        "selection_unclear",
        "kong_kind_unknown",
        "grouping_unclear",
    }
    assert reported or len([t for t in more.tiles if t.in_hand]) == len(
        [t for t in reading.tiles if t.in_hand]
    )


def test_the_user_can_point_at_one_of_two_hands() -> None:
    case = next(case for case in CASES if case.title == "two hands on the table")
    found = detections(table(case.picture))
    top = read(arrange(found, point=(5 * WIDTH, 0.5 * HEIGHT)))
    bottom = read(arrange(found, point=(5 * WIDTH, found.boxes[:, 3].max() - 0.5 * HEIGHT)))
    assert key(top.hands[0].hand) == key(case.hands[0])
    assert key(bottom.hands[0].hand) == key(case.hands[1])
    assert "several_hands" not in codes(top) | codes(bottom)
    back = read(arrange(found, point=bottom.other_hands[0].at))
    assert key(back.hands[0].hand) == key(case.hands[0])


def test_a_hand_cut_by_the_edge_says_so() -> None:
    tiles = table("1m2m3m4p5p6p7s8s9sEEEPP")
    found = detections(tiles)
    cut = found.boxes.copy()
    cut[:, 2] = np.minimum(cut[:, 2], 14 * WIDTH - WIDTH / 2)
    edge = Detections(cut, found.scores, found.probabilities, found.axes)
    reading = read(arrange(edge, (round(14 * WIDTH - WIDTH / 2), 200)))
    # The part that is seen is narrow, and may pass for a winning tile set apart.
    assert sorted(reading.hands[0].hand.all_tiles) == sorted(
        parse_hand("123m456p789sEEEPP").all_tiles
    )
    problem = next(p for p in reading.problems if p.code == "cut_by_edge")
    assert 13 in problem.tiles
    assert not reading.certain


def test_second_boxes_around_one_tile_are_left_out() -> None:
    tiles = table("1m2m3m4p5p6p7s8s9sEEEPP")
    twice = Placed(tiles[4].x + 2, tiles[4].y + 1, tiles[4].axis, Tile.P6, score=0.5)
    reading = reading_of(detections([*tiles, twice]))
    assert key(reading.hands[0].hand) == key(parse_hand("123m456p789sEEEPP"))
    assert 14 not in {t.id for t in reading.tiles}


def halved(found: Detections, tile: int, share: float, other: bool) -> Detections:
    """A tile of which only the lower part was detected, or both parts as separate boxes."""
    boxes = found.boxes.copy()
    top, bottom = float(boxes[tile, 1]), float(boxes[tile, 3])
    boxes[tile, 1] = bottom - share * (bottom - top)
    if not other:
        return Detections(boxes, found.scores, found.probabilities, found.axes)
    upper = boxes[tile].copy()
    upper[1], upper[3] = top, top + 0.55 * (bottom - top)
    return Detections(
        np.vstack([boxes, upper]),
        np.append(found.scores, np.float32(0.67)),
        np.vstack([found.probabilities, found.probabilities[tile]]),
        np.append(found.axes, found.axes[tile]),
    )


@pytest.mark.parametrize("tile", range(14))
@pytest.mark.parametrize(("share", "other"), [(0.6, False), (0.6, True), (0.7, True)])
def test_half_a_tile_is_never_certain(tile: int, share: float, other: bool) -> None:
    reading = reading_of(halved(detections(table(ROW)), tile, share, other))
    assert not reading.certain
    reported = {i for p in reading.problems if p.code == "odd_size" for i in p.tiles}
    assert reported & {tile, 14}, (
        "the tile, or its upper part where that is taken for a fourth of a kind"
    )


def test_two_tiles_in_one_box_are_never_certain() -> None:
    """The tile added to a kong and the one it lies on."""
    tiles = table("2m3m4m5p6p7p8s8s4s5s6s _ E-E/EE")
    found = detections(tiles)
    lower, upper = 12, 13
    boxes = found.boxes.copy()
    boxes[lower] = np.r_[
        np.minimum(boxes[lower, :2], boxes[upper, :2]),
        np.maximum(boxes[lower, 2:], boxes[upper, 2:]),
    ]
    keep = np.arange(len(found)) != upper
    merged = Detections(
        boxes[keep], found.scores[keep], found.probabilities[keep], found.axes[keep]
    )
    reading = reading_of(merged)
    assert any(lower in p.tiles for p in reading.problems if p.code == "odd_size")
    assert not reading.certain


@pytest.mark.nightly
@given(angle=st.floats(0, 2 * math.pi))
def test_whole_tiles_are_not_mistaken_for_halves(angle: float) -> None:
    tiles = table("2m3m4m5p6p7p8s8s _ -EEE _ 5s5s-5s/5s\n~\n~\n~\n3pN7sC2m9m1s6p")
    assert "odd_size" not in codes(reading_of(detections(turned(tiles, angle))))


def test_no_detections() -> None:
    reading = reading_of(Detections.empty())
    assert codes(reading) == {"no_tiles"}
    assert reading.hands == ()


@pytest.mark.nightly
@given(seed=st.integers(0, 100_000), count=st.integers(0, 60))
def test_no_random_table_raises(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    corner = rng.uniform(-50, 700, (count, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(-2, 90, (count, 2))], axis=1).astype(
        np.float32
    )
    classes = rng.dirichlet(np.full(43, 0.05), count).astype(np.float32).reshape(count, 43)
    axes = np.where(rng.random(count) < 0.5, np.nan, rng.uniform(0, math.pi, count)).astype(
        np.float32
    )
    reading = read(
        arrange(Detections(boxes, rng.random(count).astype(np.float32), classes, axes), (640, 480))
    )
    assert reading.hands or reading.problems
    assert sum(h.probability for h in reading.hands) <= 1 + 1e-9
    for tile in reading.tiles:
        assert 0 <= tile.confidence <= 1


ROW = "1m2m3m4p5p6p7s8s9sEEEPP"


def held(reading: Reading) -> set[int]:
    return {tile.id for tile in reading.tiles if tile.in_hand}


@pytest.mark.parametrize(("score", "taken"), [(0.94, True), (0.4, False)])
def test_a_flower_beside_the_hand_counts_if_it_is_as_clear_as_the_row(
    score: float, taken: bool
) -> None:
    """Dice and the like look a bit like flowers."""
    flower = Placed(6 * WIDTH, 2.2 * HEIGHT, math.pi / 2, Tile.PLUM, score=score)
    heap = table("\n~\n~\n~\n~\n~\n~\n~\n~\nloose 3m E 5p 9s C 1m 2p 8s N 4m 6p 7s P 2s")
    reading = reading_of(detections([*table(ROW), flower, *heap]))
    assert held(reading) == set(range(15 if taken else 14))


@pytest.mark.parametrize(
    ("turn", "tight", "taken"), [(0, 1, True), (10, 1, True), (25, 0.75, False), (40, 0.75, False)]
)
def test_a_flower_that_was_dropped_beside_the_hand_is_left_out(
    turn: float, tight: float, taken: bool
) -> None:
    """It is oblique, even if its box is as tight as that of a tile laid there."""
    flower = Placed(
        9 * WIDTH, 2.4 * HEIGHT, math.pi / 2 + math.radians(turn), Tile.PLUM, scale=tight
    )
    faces = (Tile.S4, Tile.EAST, Tile.P7)
    discards = [
        Placed((11 + 3 * k) * WIDTH, (3 + k) * HEIGHT, 0.3 + 0.6 * k, face)
        for k, face in enumerate(faces)
    ]
    assert held(reading_of(detections([*table(ROW), flower, *discards]))) == set(
        range(15 if taken else 14)
    )


@pytest.mark.parametrize(
    ("away", "others", "taken"),
    [(2.5, True, True), (4, True, False), (2.5, False, True), (4, False, False)],
)
def test_flowers_near_a_hand_are_its_own(away: float, others: bool, taken: bool) -> None:
    flower = Placed(5 * WIDTH, away * WIDTH + 1.5 * HEIGHT, math.pi / 2, Tile.PLUM)
    heap = table("\n" + "~\n" * 32 + "3m1sE") if others else []
    assert held(reading_of(detections([*table(ROW), flower, *heap]))) == set(
        range(15 if taken else 14)
    )


@pytest.mark.parametrize("place", [-0.5, 14.5])
def test_a_box_at_an_end_of_the_row_that_is_hardly_a_tile_is_left_out(place: float) -> None:
    faint = Placed(place * WIDTH, HEIGHT / 2, math.pi / 2, Tile.S2, score=0.3)
    assert held(reading_of(detections([*table(ROW), faint]))) == set(range(14))


@pytest.mark.parametrize("place", [-0.5, 14.5])
def test_a_wall_that_goes_on_where_the_row_ends_is_left_out(place: float) -> None:
    back = Placed(place * WIDTH, HEIGHT / 2, math.pi / 2, Tile.BACK)
    assert held(reading_of(detections([*table(ROW), back]))) == set(range(14))


def test_a_part_of_a_tile_is_left_out() -> None:
    part = Placed(4 * WIDTH, HEIGHT / 2, math.pi / 2, Tile.P4, score=0.7)
    reading = reading_of(detections([*table(ROW), part]))
    assert held(reading) == set(range(14))
    assert key(reading.hands[0].hand) == key(parse_hand("123m456p789sEEEPP"))


def test_all_there_is_on_the_photo_is_shown_if_it_is_no_hand() -> None:
    tiles = table("3mE5p9s\nC1m2p8s\nN4m6p7s\nP2s9m3p\n1hFS6m")
    reading = reading_of(detections(tiles))
    assert held(reading) == set(range(20))
    assert codes(reading) & {"too_many_tiles", "no_legal_hand"}
    assert not reading.certain


@pytest.mark.parametrize("gap", [0.1, 0.14, 0.2, 0.22, 0.25, 0.3, 0.5])
def test_a_winning_tile_by_a_small_gap_is_not_overlooked_for_certain(gap: float) -> None:
    tiles = table(ROW)
    moved = [
        *tiles[:-1],
        Placed(tiles[-1].x + gap * WIDTH, tiles[-1].y, tiles[-1].axis, tiles[-1].tile),
    ]
    reading = reading_of(detections(moved))
    shown = reading.hands[0].hand.winning_tile is not None
    assert shown or not reading.certain
    assert shown or gap < 0.25
    # On whole tables rows are loose, so a small gap leaves in doubt whether the hand was won by it.
    assert not reading.certain or gap > 0.3


def test_a_hand_has_the_tile_that_the_user_points_at() -> None:
    """Even if its score is low, and the other tiles alone are a hand too."""
    found = detections(table("8h __ 4m4m4m _ 5p6p7p\n\n3m3m7m8m9m2s2s2s"))
    scores = found.scores.copy()
    scores[0] = 0.2
    x0, y0, x1, y1 = found.box(0)
    read_at = read(arrange(replace(found, scores=scores), point=((x0 + x1) / 2, (y0 + y1) / 2)))
    assert read_at.tiles[0].in_hand
