"""The assurance of a reading, and the threshold from which it is certain."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.weights import shipped_weights
from hupai.vision.reading.certainty.assurance import RISK, fit_threshold, probability, risk_coverage
from hupai.vision.reading.certainty.features import FEATURES, TILE_FEATURES, looking_alike
from hupai.vision.reading.certainty.rules import forbids
from hupai.vision.reading.read import read_with_features
from hupai.vision.types import GroupKind, LikelyHand
from tests.vision.pictures import Placed, detections, table

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)
ROW = "1m2m3m4p5p6p7s8s9sEEEPP"


def _moved(text: str) -> list[Placed]:
    """Return a table drawn as text, away from the edges of the picture."""
    return [replace(tile, x=tile.x + 300, y=tile.y + 300) for tile in table(text)]


@pytest.mark.parametrize("name", FEATURES)
def test_more_doubt_never_makes_a_reading_surer(name: str) -> None:
    reading, values = read_with_features(arrange(detections(table(ROW))))
    assert values.keys() == FEATURES.keys()
    more = values | {name: values[name] + FEATURES[name]}
    for weights in (shipped_weights().certainty, shipped_weights().tiles):
        assert probability(more, weights) >= probability(values, weights)
    assert reading.assurance == probability(values, shipped_weights().certainty)


def test_a_tile_left_out_beside_the_row_lowers_the_probability_of_the_hand() -> None:
    row = table(ROW)
    layout = arrange(detections([*row, replace(row[-1], y=row[-1].y - 50)]))
    alone = arrange(detections(row))
    beside = replace(layout, arrangements=alone.arrangements)
    first, second = read_with_features(alone)[0], read_with_features(beside)[0]
    assert first.certain
    assert second.hands[0].hand == first.hands[0].hand
    assert second.hands[0].probability < first.hands[0].probability
    assert second.assurance < first.assurance


def test_a_hand_of_thirteen_is_certain_only_where_no_winning_tile_can_be_missed() -> None:
    row = table("1m2m3m4p5p6p7s8s9sEEEP")
    layout = arrange(detections([replace(tile, x=tile.x + 200) for tile in row]), (1000, 400))
    assert not read_with_features(layout)[0].certain
    examined = replace(layout, examined=True)
    assert read_with_features(examined)[0].certain
    at_the_edge = arrange(detections(row), (1000, 400))
    assert not read_with_features(replace(at_the_edge, examined=True))[0].certain


@pytest.mark.parametrize(("away", "certain"), [(85, False), (130, True)])
def test_an_open_tile_near_a_hand_of_thirteen_may_be_the_winning_one(
    away: float, certain: bool
) -> None:
    row = _moved("1m2m3m4p5p6p7s8s9sEEEP")
    other = replace(row[6], y=row[6].y - away, tile=Tile.from_code("3s"))
    layout = replace(arrange(detections([*row, other]), (1200, 800)), examined=True)
    reading, _ = read_with_features(layout)
    assert sum(tile.in_hand for tile in reading.tiles) == 13
    assert reading.certain is certain


@pytest.mark.parametrize(
    ("row", "certain"),
    [("4m4m9m5p9sEE", False), ("1m2m3mEE5p6p", True)],
    ids=["completes nothing", "completes the hand"],
)
def test_a_fourth_tile_beside_a_pung_may_make_it_a_kong_unless_it_wins(
    row: str, certain: bool
) -> None:
    reading, _ = read_with_features(arrange(detections(table(f"{row} _ 7p7p-7p-7p _ -5s6s7s"))))
    winning = [g for g in reading.groups if g.kind is GroupKind.WINNING_TILE]
    assert [reading.tiles[i].tile for g in winning for i in g.tiles] == [Tile.from_code("7p")]
    assert reading.certain is certain


@pytest.mark.parametrize(
    ("others", "certain"), [("1p1p", False), ("9mE", True)], ids=["a set", "no set"]
)
def test_a_winning_tile_that_makes_a_set_with_tiles_left_out_may_be_a_meld(
    others: str, certain: bool
) -> None:
    hand = _moved("2p3p4p5p6p2s3s3s3s4sFFF _ _ 1p")
    beside = [
        replace(hand[-1], y=hand[-1].y - 40 * (k + 1), tile=tile.tile)
        for k, tile in enumerate(table(others))
    ]
    reading, values = read_with_features(arrange(detections([*hand, *beside]), (1400, 900)))
    assert sum(tile.in_hand for tile in reading.tiles) == 14
    assert values["winner_in_set"] == (not certain)
    assert reading.certain is certain


@pytest.mark.parametrize(
    ("row", "certain"),
    [("5m6m7m1s2s3s4m4m4m5s6s7s", False), ("5m6m7m1s2s3s4m4m5s6s7s7s", True)],
    ids=["sets", "not only sets"],
)
def test_sets_beside_a_single_tile_and_a_winning_one_apart_may_be_melds(
    row: str, certain: bool
) -> None:
    tiles = _moved(row)
    first, pair = tiles[0], table("4m4m" if certain else "1p1p")
    apart = [
        replace(tile, x=first.x - 150, y=first.y - y)
        for tile, y in zip(pair, (20, 80), strict=True)
    ]
    values = read_with_features(arrange(detections([*tiles, *apart]), (1400, 900)))[1]
    assert (values["sets_apart"] >= 2) is not certain


@pytest.mark.parametrize(("x", "y", "certain"), [(-45, 0, True), (0, -60, False), (70, -45, False)])
def test_of_thirteen_tiles_one_out_of_line_may_be_the_winning_one_of_a_hand_that_lacks_another(
    x: float, y: float, certain: bool
) -> None:
    row = _moved("1m2m3m4p5p6p7s8s9sEEE")
    tile = replace(row[0], x=row[0].x + x, y=row[0].y + y, tile=Tile.from_code("P"))
    layout = replace(arrange(detections([*row, tile]), (1400, 900)), examined=True)
    reading, _ = read_with_features(layout)
    assert sum(tile.in_hand for tile in reading.tiles) == 13
    assert reading.certain is certain


def _values(text: str, **changes: float) -> dict[str, float]:
    """Return the features of the reading of a table drawn as text, some of them changed."""
    return read_with_features(arrange(detections(table(text))))[1] | changes


def test_other_hands_are_told_apart_by_what_differs() -> None:
    values = _values("1m2m3m4p5p6p7s:6s408s9sEEEPP")
    assert values["tiles_doubt"] > 0
    assert max(values["melds_doubt"], values["winner_doubt"]) < 0.01
    apart = _values("1m2m3m4p5p6p7s8s9sEEEP _ P")
    assert apart["winner_doubt"] > 0
    assert apart["tiles_doubt"] == 0
    beside = _values("1m2m3m4p5p6p7s8s9sPP _ EEE")
    assert beside["melds_doubt"] > 0
    assert beside["tiles_doubt"] == 0


@pytest.mark.parametrize(
    "doubt",
    [
        {"tiles_doubt": 0.11},
        {"melds_doubt": 0.35},
        {"winner_doubt": 0.35},
        {"weakest_kind": 2.5},
        {"grouping_odds": 0.6},
        {"sideways": 1.0},
        {"other_winners": 1.0},
        {"flowers_near": 0.65},
        {"flowers_own_weak": 0.35},
        {"incomplete": 1.0, "touching": 1.0},
    ],
)
def test_each_of_these_doubts_alone_forbids_a_certain_reading(doubt: dict[str, float]) -> None:
    assert not forbids(_values(ROW))
    assert forbids(_values(ROW, **doubt))


def test_copies_that_are_all_in_doubt_weigh_more_than_one_beside_sure_ones() -> None:
    alike = _values("1m2m3m4p5p6p7s8s9sE:S06E:S06E:S06PP")
    one = _values("1m2m3m4p5p6p7s8s9sE:S06EEPP")
    assert alike["weakest_face"] == pytest.approx(one["weakest_face"])
    assert alike["weakest_kind"] < one["weakest_kind"]
    assert forbids(alike)
    assert not forbids(one)


def test_another_face_that_would_break_a_complete_hand_is_no_doubt() -> None:
    in_chow, in_pair = "1m2m3m4p5p:8p066p7s8s9sEEEPP", "1m2m3m4p5p6p7s8s9sEEEP:F06P:F06"
    assert _values(in_chow)["weakest_kind"] > _values(in_pair)["weakest_kind"]
    assert not forbids(_values(in_chow))
    assert forbids(_values(in_pair))
    # 5p or 8p: thirteen tiles wait for something else, and nothing contradicts the 8p.
    assert _values(in_chow[:-1])["weakest_kind"] < _values(ROW[:-1])["weakest_kind"]


def test_a_tile_of_low_probability_is_a_doubt_however_well_it_fits() -> None:
    assert not forbids(_values("1m2m3m4p5p:8p066p7s8s9sEEEPP"))
    assert forbids(_values("1m2m3m4p5p:8p106p7s8s9sEEEPP"))


def test_another_flower_is_a_doubt_however_complete_the_hand() -> None:
    assert forbids(_values(f"{ROW} 3h:4h06"))
    assert not forbids(_values(f"{ROW} 3h"))


def test_a_faint_flower_of_the_hand_may_be_none() -> None:
    tiles = table("1m2m3m4p5p6p7s8s9sEEEPP3h")
    clear = read_with_features(arrange(detections(tiles)))[1]
    faint = replace(tiles[-1], score=0.6)
    doubted = read_with_features(arrange(detections([*tiles[:-1], faint])))[1]
    assert clear["flowers_own_weak"] == pytest.approx(0.05, abs=0.01)
    assert doubted["flowers_own_weak"] == pytest.approx(0.4, abs=0.01)
    assert _values(ROW)["flowers_own_weak"] == 0


def test_beyond_a_flower_that_the_edge_cuts_may_lie_others() -> None:
    layout = arrange(detections(table("1m2m3m4p5p6p7s8s9sEEEPP3h")))
    flower = len(layout.detections) - 1
    assert not forbids(read_with_features(layout)[1])
    assert not forbids(read_with_features(replace(layout, cut_by_edge=(0,)))[1])
    assert forbids(read_with_features(replace(layout, cut_by_edge=(flower,)))[1])


@pytest.mark.parametrize(("away", "forbidden"), [(160, True), (320, False)])
def test_a_flower_left_out_is_a_doubt_unless_others_lie_nearer(
    away: float, forbidden: bool
) -> None:
    row = table(ROW)
    flower = replace(row[3], y=row[3].y - away, tile=Tile.from_code("3h"))
    pond = [replace(t, y=t.y - away - 140, tile=Tile.from_code("9s")) for t in row[3:6]]
    layout = arrange(detections([*row, flower, *pond]))
    reading, values = read_with_features(layout)
    assert sum(tile.in_hand for tile in reading.tiles) == 14
    assert (values["flowers_near"] > 0.6) is forbidden


@pytest.mark.parametrize(
    ("away", "odds", "forbidden"), [(80, 0.6, True), (80, 0.95, False), (320, 0.6, False)]
)
def test_an_unclear_face_left_out_near_the_hand_may_be_a_flower(
    away: float, odds: float, forbidden: bool
) -> None:
    """A clear face is none, and one far from the hand is another player's."""
    row = table(ROW)
    other = replace(row[3], y=row[3].y - away, tile=Tile.from_code("E"))
    found = detections([*row, other])
    classes = found.probabilities.copy()
    classes[-1] = 0
    classes[-1, [Tile.EAST, Tile.WEST]] = odds, 1 - odds
    reading, values = read_with_features(arrange(replace(found, probabilities=classes)))
    assert sum(tile.in_hand for tile in reading.tiles) == 14
    assert (values["flowers_near"] > 0.6) is forbidden
    assert forbids(values) is forbidden


@pytest.mark.parametrize(
    ("bird_away", "pond_away", "forbidden"), [(80, 400, True), (160, 225, False), (400, 700, False)]
)
def test_a_1s_left_out_near_the_hand_may_be_a_flower(
    bird_away: float, pond_away: float, forbidden: bool
) -> None:
    """Not if it lies among discards, or far from the hand."""
    row = table(ROW)
    bird = replace(row[3], y=row[3].y - bird_away, tile=Tile.S1)
    pond = [replace(t, y=t.y - pond_away, tile=Tile.WEST) for t in row[2:5]]
    reading, values = read_with_features(arrange(detections([*row, bird, *pond])))
    assert sum(tile.in_hand for tile in reading.tiles) == 14
    assert (values["flowers_near"] > 0.6) is forbidden


@pytest.mark.parametrize(
    ("group", "seen", "forbidden"),
    [("3h5m5m", 0.95, True), ("3h5m5m5m", 0.95, False), ("3h5m5m", 0.995, False)],
)
def test_doubtful_tiles_in_a_small_group_with_flowers_may_be_flowers(
    group: str, seen: float, forbidden: bool
) -> None:
    row = table(ROW)
    found = detections([*row, *(replace(tile, y=row[0].y - 200) for tile in table(group))])
    classes = found.probabilities.copy()
    classes[len(row) + 1 :] = 0
    classes[len(row) + 1 :, [Tile.M5, Tile.M6]] = seen, 1 - seen
    reading, values = read_with_features(arrange(replace(found, probabilities=classes)))
    assert sum(tile.in_hand for tile in reading.tiles) == 14
    assert (values["flowers_near"] > 0.6) is forbidden


@pytest.mark.parametrize(
    ("kong", "forbidden"),
    [("PPPP", True), ("?P??", True), ("FFFF", False), ("?FF?", False)],
)
def test_a_kong_of_white_dragons_may_be_blank_backs(kong: str, forbidden: bool) -> None:
    values = _values(f"1m2m3m4p5p6p7s8s9sEE _ _ _ {kong}")
    assert bool(values["white_kong"]) is forbidden
    assert forbids(values | {"white_kong": 1.0})


@pytest.mark.parametrize(("pair", "forbidden"), [("PP", True), ("FF", False)])
def test_white_dragons_that_alone_are_concealed_may_be_patches_of_cloth(
    pair: str, forbidden: bool
) -> None:
    values = _values(f"{pair} _ -1m2m3m _ -4p5p6p _ -7s8s9s _ -EEE")
    assert bool(values["white_kong"]) is forbidden


def test_a_second_row_touches_the_first() -> None:
    row = table(ROW)
    for away, touching in ((42, 1), (50, 0)):
        other = replace(row[5], y=row[5].y - away, tile=Tile.from_code("9s"))
        alone = arrange(detections(row))
        beside = replace(
            arrange(detections([*row, other])),
            arrangements=alone.arrangements,
            duplicates=frozenset(),
        )
        assert read_with_features(beside)[1]["touching"] == touching


def test_weights_bear_only_on_what_their_names_say() -> None:
    weights = shipped_weights()
    assert weights.tiles.keys() <= TILE_FEATURES | {"bias"}
    assert weights.certainty.keys() == FEATURES.keys() | {"bias", "threshold"}
    assert 0.9 < weights.certainty["threshold"] <= 1.0


def test_hands_that_no_photo_can_distinguish_look_alike() -> None:
    texts = ("[777s] (1111p)", "[777s] [1111p]", "[777s,2] (1111p)")
    hands = [LikelyHand(parse_hand(f"123m55p {text} +4m"), 0.3) for text in texts]
    assert looking_alike(hands) == hands[:2]
    assert looking_alike([]) == []


def test_curve_of_three_right_and_one_wrong() -> None:
    curve = risk_coverage([(0.9, True), (0.8, True), (0.7, False), (0.6, True)])
    assert [(p.threshold, p.coverage, p.risk) for p in curve] == [
        (0.9, 0.25, 0.0),
        (0.8, 0.5, 0.0),
        (0.7, 0.75, pytest.approx(1 / 3)),
        (0.6, 1.0, 0.25),
    ]


@given(readings=PAIRS)
def test_fitted_threshold_keeps_the_promise(readings: list[tuple[float, bool]]) -> None:
    threshold = fit_threshold(readings)
    certain = [right for value, right in readings if value >= threshold]
    assert certain.count(False) <= RISK * len(certain)


def test_nothing_is_certain_where_the_surest_is_wrong() -> None:
    assert fit_threshold([(0.99, False), (0.5, True)]) > 1


def test_threshold_lies_between_the_last_right_and_the_first_wrong() -> None:
    assert fit_threshold([(0.9, True), (0.8, True), (0.6, False)]) == pytest.approx(0.7)


def test_a_face_that_alone_keeps_a_hand_from_winning_is_to_be_checked() -> None:
    row = "1m1m2m2m:3m014m5p6p7p6s6s6sEEE"
    reading, values = read_with_features(arrange(detections(_moved(row))))
    (doubt,) = (p for p in reading.problems if p.code == "almost_won")
    (tile,) = doubt.tiles
    assert reading.tiles[tile].tile is Tile.M2
    assert "2m were 3m" in doubt.message
    assert values["almost_won"] == 1
    assert not reading.certain
    assert reading.assurance <= 0.25


@pytest.mark.parametrize(
    "row",
    [
        "1m1m2m3m4m5p6p7p6s6s6sEEE",  # has won
        "1m1m2m2m4m5p6p7p6s6s6sEE",  # thirteen tiles
        "1m4m7m2p2p6p9p1s4s8sENFC",  # far from winning
    ],
)
def test_no_other_hand_is_said_to_win_with_another_face(row: str) -> None:
    reading = read_with_features(arrange(detections(_moved(row))))[0]
    assert "almost_won" not in {p.code for p in reading.problems}
