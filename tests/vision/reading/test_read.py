"""Inference over faces, checked against brute force; and what a reading says about its tiles."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring import mcr, rule_sets
from hupai.scoring.hand import MeldKind
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Severity
from hupai.scoring.tiles import CODES, Tile
from hupai.vision.conventions import GENERAL, claimed_from, convention
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Arrangement, Block, BlockKind
from hupai.vision.reading.astar import Option, Unit, possible_choices
from hupai.vision.reading.hands import is_complete, legal_hands
from hupai.vision.reading.inference import infer
from hupai.vision.reading.problem_catalogue import WORDINGS, problem
from hupai.vision.reading.read import read
from hupai.vision.reading.units import Units, restrict_to_rules
from hupai.vision.types import GroupKind, Reading
from tests.vision.pictures import detections, table, turned

FACES = [Tile.M1, Tile.M2, Tile.P5, Tile.SPRING]


@st.composite
def unit_lists(draw: st.DrawFn) -> list[Unit]:
    units = []
    for i in range(draw(st.integers(1, 6))):
        faces = draw(st.lists(st.sampled_from(FACES), min_size=1, max_size=4, unique=True))
        costs = sorted(draw(st.lists(st.floats(0, 5), min_size=len(faces), max_size=len(faces))))
        size = draw(st.sampled_from([1, 1, 1, 3]))
        units.append(
            Unit((i,), tuple(Option(c, (f,) * size) for c, f in zip(costs, faces, strict=True)))
        )
    return units


def possible(faces: list[Tile]) -> bool:
    return all(n <= (1 if face.is_flower else 4) for face, n in Counter(faces).items())


@given(units=unit_lists())
def test_search_finds_all_possible_choices_in_order(units: list[Unit]) -> None:
    expected = []
    for picks in product(*(range(len(unit.options)) for unit in units)):
        options = [unit.options[pick] for unit, pick in zip(units, picks, strict=True)]
        if possible([face for option in options for face in option.faces]):
            expected.append((sum(option.cost for option in options), picks))
    found = list(possible_choices(units))
    assert [c.cost for c in found] == pytest.approx(sorted(cost for cost, _ in expected))
    assert {c.picks for c in found} == {picks for _, picks in expected}


def test_search_gives_nothing_where_nothing_is_possible() -> None:
    stuck = [Unit((i,), (Option(0.1, (Tile.SPRING,)),)) for i in range(2)]
    assert list(possible_choices(stuck)) == []
    assert [c.cost for c in possible_choices([])] == [0.0]


def test_probabilities_follow_from_the_faces() -> None:
    """Thirteen sure tiles and one of which two faces make hands that are equally complete: their
    odds are the faces' odds.
    """
    reading = photo("1m2m3m4p5p6p7s8s9sEEE P:C25 P:C25".replace(" ", ""))
    shares = {h.hand.concealed[-2:]: h.probability for h in reversed(reading.hands)}
    whites, reds = shares[Tile.WHITE, Tile.WHITE], shares[Tile.RED, Tile.RED]
    assert whites / reds == pytest.approx((0.75 / 0.25) ** 2, rel=0.01)


def test_hand_probabilities_sum_to_at_most_one() -> None:
    reading = photo("1m:2m40 2m:3m30 3m:4m20 4p5p6p7s8s9sEEEPP")
    assert 0.5 < sum(h.probability for h in reading.hands) <= 1.0 + 1e-9
    shares = [h.probability for h in reading.hands]
    assert shares == sorted(shares, reverse=True)


def test_a_repaired_tile_says_what_was_seen() -> None:
    reading = photo("1m2m3m5p5p5p5p5p:6p20 7s8s9sEEE")
    tile = next(t for t in reading.tiles if t.inferred)
    assert tile.tile is Tile.P6
    assert tile.confidence > 0.9
    assert dict(tile.alternatives)[Tile.P5] < 0.1
    reported = next(p for p in reading.problems if p.code == "tile_inferred")
    assert reported.tiles == (tile.id,)
    assert "seen as 5p, read as 6p" in reported.message
    assert "五饼" in reported.message_zh


def test_faces_of_a_concealed_kong_are_inferred_where_it_shows_one() -> None:
    reading = photo("1m2m3m4p5p6p7s7sPPP _ E??E")
    kong = next(g for g in reading.groups if g.kind is GroupKind.CONCEALED_KONG)
    tiles = [t for t in reading.tiles if t.id in kong.tiles]
    assert [t.tile for t in tiles] == [Tile.EAST] * 4
    assert [t.inferred for t in tiles] == [False, True, True, False]


def test_a_kong_that_shows_nothing_stays_unknown() -> None:
    reading = photo("1m2m3m4p5p6p7s7sPPP _ ????")
    kong = next(g for g in reading.groups if g.kind is GroupKind.CONCEALED_KONG)
    assert all(t.tile is Tile.BACK and not t.inferred for t in reading.tiles if t.id in kong.tiles)
    assert "kong_face_unknown" in {p.code for p in reading.problems}


def test_doubtful_tiles_are_pointed_out() -> None:
    reading = photo("1m4m7m2p5p9p1s1s6s8sESN C:F30")
    doubtful = next(p for p in reading.problems if p.code == "low_confidence")
    tile = next(t for t in reading.tiles if t.id in doubtful.tiles)
    assert tile.tile is Tile.RED
    assert tile.confidence == pytest.approx(0.7, abs=0.01)
    assert tile.alternatives[0][0] is Tile.GREEN
    assert tile.alternatives[0][1] == pytest.approx(0.3, abs=0.01)
    assert doubtful.message == "not sure of C (F); check it"
    assert doubtful.message_zh == "不能确定中（或发）；请核对"


@pytest.mark.parametrize(
    ("tiles", "said"),
    [
        ("1m", "a single tile makes no hand; lay"),
        ("1m2m", "2 tiles lie about but none form a hand; lay"),
    ],
)
def test_a_photo_of_few_tiles_says_how_many_lie_there(tiles: str, said: str) -> None:
    (found,) = photo(tiles).problems
    assert (found.code, found.message.startswith(said)) == ("no_hand", True)


def test_rules_without_honours_make_them_unlikely() -> None:
    doubtful = "1m4m7m2m6m9m3s5s7s8s8sP:9s40 1s4s"
    assert Tile.WHITE in photo(doubtful).hands[0].hand.concealed
    sichuan = rule_sets.get("sichuan-2024")
    reading = read(arrange(detections(table(doubtful)), rules=sichuan.id), sichuan)
    assert all(t.tile is not Tile.WHITE for t in reading.tiles)
    clear = read(arrange(detections(table("1m2m3m4p5p6p7s8s9sEEEPP")), rules=sichuan.id), sichuan)
    assert {p.code for p in clear.problems} >= {"not_in_rules"}
    assert [t.tile for t in clear.tiles].count(Tile.EAST) == 3


def test_groups_have_kind_order_and_source() -> None:
    reading = photo("1m2m3m4p5p6p7s _ 7s _ -EEE _ 5s-6s7s _ 1h")
    shown = [
        (g.kind, len(g.tiles), g.claimed_from.value if g.claimed_from else None)
        for g in reading.groups
    ]
    assert shown == [
        (GroupKind.CONCEALED, 7, None),
        (GroupKind.PUNG, 3, "left"),
        (GroupKind.CHOW, 3, "left"),
        (GroupKind.FLOWERS, 1, None),
        (GroupKind.WINNING_TILE, 1, None),
    ]
    faces = {t.id: t.tile.code for t in reading.tiles}
    assert [faces[i] for i in reading.groups[0].tiles] == ["1m", "2m", "3m", "4p", "5p", "6p", "7s"]
    assert [faces[i] for i in reading.groups[2].tiles] == ["5s", "6s", "7s"]
    assert {t.group for t in reading.tiles} == {0, 1, 2, 3, 4}
    assert sum(t.sideways for t in reading.tiles) == 2


@pytest.mark.parametrize(
    ("picture", "unknown"),
    [
        ("7s7s _ -EEE _ -5s6s7s _ -1m2m3m _ -9p9p9p", False),
        ("6s7s8s7s7s _ -EEE _ -1m2m3m _ -9p9p9p", True),
    ],
)
def test_the_winning_tile_of_a_pair_beside_four_melds_is_known(picture: str, unknown: bool) -> None:
    reading = photo(picture)
    assert len(reading.hands[0].hand.melds) == picture.count("_")
    assert ("winning_tile_unknown" in {p.code for p in reading.problems}) is unknown


def test_a_clean_hand_is_certain_and_a_doubtful_one_is_not() -> None:
    assert photo("1m2m3m4p5p6p7s8s9sEEEPP").certain
    doubtful = photo("1m4m7m2p5p9p1s1s6s8sESN C:F30")
    assert not doubtful.certain
    assert doubtful.assurance < photo("1m4m7m2p5p9p1s1s6s8sESNC").assurance


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("123m456p789sEEEP +P", True),
        ("123m456p789sEEEPP", True),
        ("123m456p77sPPP (EEEE)", True),
        ("1144m2255p99sEECC", True),
        ("19m19p19sESWNCFP +P", True),
        ("147m258p369s1233s +4s", False),
        ("147m258p369s123s5p +5p", True),
        ("147m258p36sESWNC +F", True),
        ("123m456p789sEEEP +C", False),
        ("123m456p789sEEEP", False),
    ],
)
def test_complete_shapes(text: str, complete: bool) -> None:
    assert is_complete(parse_hand(text, "hupai"), GENERAL) is complete


def test_a_row_kong_may_be_concealed_or_claimed() -> None:
    faces = [
        Tile.from_code(c) for c in ("1m", "2m", "3m", "4p", "5p", "6p", "7s", "7s", *"EEEEPPP")
    ]
    arrangement = Arrangement((Block(BlockKind.CONCEALED, tuple(range(15))),), 0.0)
    hands = legal_hands(arrangement, dict(enumerate(faces)), GENERAL)
    assert {h.hand.melds[0].kind for h in hands} == {MeldKind.KONG, MeldKind.CONCEALED_KONG}
    assert sum(h.share for h in hands) == pytest.approx(1.0)
    assert all(h.row_kongs == (Tile.EAST,) for h in hands)


def test_probability_left_by_legal_hands_is_doubt() -> None:
    classes = restrict_to_rules(detections(table("5p5p5p5p5p1m2m3m7s8s9sEEE")).probabilities, None)
    whole = (Arrangement((Block(BlockKind.CONCEALED, tuple(range(14))),), 0.0),)
    inference = infer(whole, classes, GENERAL)
    assert inference.best is None
    assert sum(p for _, p in inference.hands) == pytest.approx(
        1 - inference.no_hand_weight / inference.total
    )
    assert inference.shares.sum(axis=1) == pytest.approx(np.ones(14))


def test_conventions() -> None:
    assert [claimed_from(i, 3).value for i in range(3)] == ["left", "across", "right"]
    assert [claimed_from(i, 4).value for i in range(4)] == ["left", "across", "across", "right"]
    assert convention("mcr-1998") is mcr.FAMILY.convention
    assert convention("sichuan-2024").pattern_share("x??x") > convention("mcr-1998").pattern_share(
        "x??x"
    )
    assert convention(None) is convention("unknown-rules") is GENERAL
    for habits in (GENERAL, *[family.convention for family in rule_sets.families()]):
        assert sum(share for _, share in habits.kong_patterns) <= 1.0 + 1e-9
        assert 0 < habits.pattern_share("xxx?") < 0.05


def test_every_problem_has_both_languages_and_a_place_for_its_detail() -> None:
    for code, wording in WORDINGS.items():
        assert wording.en.count("{}") == wording.zh.count("{}"), code
        assert any("一" <= char <= "鿿" for char in wording.zh), code
        filled = problem(code, (3, 1), 7)
        assert "{}" not in filled.message + filled.message_zh
        assert filled.tiles == (1, 3)
        assert isinstance(filled.severity, Severity)


def test_codes_travel_in_messages_as_names() -> None:
    reading = photo("1m2m3m5p5p5p5p5p7s8s9sEEE")
    reported = next(p for p in reading.problems if p.code == "five_of_a_kind")
    assert "5p" in reported.message
    assert "五饼" in reported.message_zh
    assert len(reported.tiles) == 5
    assert all(0 <= i < len(CODES) for i in reported.tiles)


def photo(picture: str) -> Reading:
    return read(arrange(detections(table(picture))))


def test_confidence_is_a_probability_of_the_shown_face() -> None:
    reading = photo("1m4m7m2p5p9p1s1s6s8sESN C:F30")
    for tile in reading.tiles:
        rest = sum(share for _, share in tile.alternatives)
        assert tile.confidence + rest <= 1 + 1e-6
        assert not math.isnan(tile.confidence)


SEVENTEEN = "1m2m3m4p5p6p7s8s9sEEESSSPP"
FOUR_APART = "7m4s2p7m2p4s7m2p4s7mEE4s9p9p1p1p"
"""A row of 17 tiles, four 7m and four 4s among them, no two of which stand side by side."""


def row_of(codes: str) -> tuple[Arrangement, dict[int, Tile]]:
    tiles = [placed.tile for placed in table(codes)]
    ids = tuple(range(len(tiles)))
    return Arrangement((Block(BlockKind.CONCEALED, ids),), 0.0), dict(enumerate(tiles))


@pytest.mark.parametrize("codes", [SEVENTEEN, SEVENTEEN[:-1]])
def test_a_row_of_the_sixteen_tile_game_is_a_hand_of_its_size_only(codes: str) -> None:
    arrangement, faces = row_of(codes)
    sixteen = replace(GENERAL, hand_size=16)
    (found,) = legal_hands(arrangement, faces, sixteen)
    assert sorted(found.hand.all_tiles) == sorted(faces.values())
    assert is_complete(found.hand, sixteen) == (codes == SEVENTEEN)
    assert not legal_hands(arrangement, faces, GENERAL)


def test_four_tiles_that_do_not_stand_together_are_no_kong() -> None:
    assert not legal_hands(*row_of(FOUR_APART), GENERAL)
    together, faces = row_of("7m7m7m7m1p2p3p4s5s6sEEE9p9p")
    assert {h.hand.melds[0].tiles[0] for h in legal_hands(together, faces, GENERAL)} == {Tile.M7}


def test_a_row_of_seventeen_is_reported_as_seventeen_tiles() -> None:
    row = table(FOUR_APART)
    reading = read(arrange(detections(row)))
    assert not any(len(hand.hand.all_tiles) >= 17 for hand in reading.hands)
    (found,) = (p for p in reading.problems if p.code == "too_many_tiles")
    assert found.message.startswith("17 tiles, but a hand has 13 or 14")
    assert not any(t.inferred for t in reading.tiles)


@given(st.floats(0.9901, 1.0), st.sampled_from([Tile.M1, Tile.P5, Tile.SPRING]))
def test_a_face_seen_clearly_is_never_renamed(share: float, face: Tile) -> None:
    classes = np.full((3, 43), 1e-6)
    classes[:, Tile.M2] = 1 - share
    classes[:, face] = share
    for kind in (BlockKind.CONCEALED, BlockKind.SET, BlockKind.FLOWERS):
        arrangement = Arrangement((Block(kind, (0, 1, 2)),), 0.0)
        for unit in Units(classes / classes.sum(1, keepdims=True), GENERAL).of(arrangement):
            assert all(set(option.faces) == {face} for option in unit.options)


def test_a_kong_with_a_missed_tile_takes_four_of_its_kind() -> None:
    """A fourth tile of that kind elsewhere would be the fifth."""
    row = "1m2m3m4p5p6p3s4s{}7p7p _ ?5s5s"
    other = photo(row.format("5s:2s30"))
    assert [h.hand.concealed.count(Tile.S5) for h in other.hands] == [0] * len(other.hands)
    assert other.hands[0].hand == parse_hand("123m45677p234s (5555s)")
    assert not photo(row.format("5s")).hands


def test_other_hands_share_no_tile_with_the_hand_that_was_read() -> None:
    first = "6m7m8m3p3p2s2s2s _ 6s6s6s-6s _ -5m6m7m"
    second = "3p4p4p4p4p5p8p8p1s2s3s _ 7m8m9m _ 4h8h"
    tiles = table("\n".join([first, *"~~~~~", second]))
    layout = arrange(detections(turned(tiles, math.pi)))
    reading = read(layout)
    held = {tile.id for tile in reading.tiles if tile.in_hand}
    (other,) = reading.other_hands
    assert held.isdisjoint(other.tiles)
    (problem_of_two,) = (p for p in reading.problems if p.code == "several_hands")
    assert problem_of_two.tiles == other.tiles
    assert len(held) + len(other.tiles) == len(reading.tiles)
