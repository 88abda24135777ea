"""Laws that hold for every hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hupai.scoring.decomposition.packed import TILE_KEYS, completing, pack, standard_splits
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.house_rules import parse_house_rules
from hupai.scoring.mcr.decompositions.search import won_hand
from hupai.scoring.mcr.evaluation import Evaluator, counts
from hupai.scoring.mcr.exclusions import CompiledProfile
from hupai.scoring.mcr.fans import ALL
from hupai.scoring.mcr.profiles import PROFILES, Profile
from hupai.scoring.mcr.rules import MCR, McrRules, rules_by_id
from hupai.scoring.notation import parse_tiles
from hupai.scoring.tiles import PLAYABLE, WINDS, Tile
from tests.scoring.hands import (
    SUITED,
    brute_force_sets,
    map_tiles,
    seven_pair_hands,
    suit_table,
    won_hands,
)

RULES = rules_by_id("mcr-1998")


@st.composite
def knitted_hands(draw: st.DrawFn) -> Hand:
    """Knitted straights with the set and pair that remain, and knitted singles."""
    rows = draw(st.permutations(range(3)))
    knitted = [Tile(9 * suit + row + step) for suit, row in enumerate(rows) for step in (0, 3, 6)]
    if draw(st.booleans()):
        tiles = draw(st.permutations(knitted + list(PLAYABLE[27:])))[:14]
    else:
        first = draw(st.sampled_from([i for i in range(27) if i % 9 < 7]))
        chow = draw(st.booleans())
        pair = draw(st.sampled_from(PLAYABLE))
        tiles = [*knitted, *(Tile(first + chow * i) for i in range(3)), pair, pair]
        assume(max(map(tiles.count, tiles)) <= 4)
        tiles = draw(st.permutations(tiles))
    return Hand(tuple(tiles[1:]), (), tiles[0])


hands = st.one_of(
    won_hands(),
    won_hands(kinds=SUITED[:9]),
    won_hands(kinds=PLAYABLE[18:]),
    seven_pair_hands(kinds=SUITED[:18]),
    knitted_hands(),
)
circumstances = st.builds(
    Circumstances,
    self_drawn=st.booleans(),
    last_tile=st.booleans(),
    seat_wind=st.sampled_from(WINDS),
    round_wind=st.sampled_from(WINDS),
)

NOT_SYMMETRIC = {"绿一色", "推不倒"}


@given(hands, circumstances, st.randoms(use_true_random=False))
def test_the_order_of_tiles_and_melds_changes_nothing(
    hand: Hand, won: Circumstances, random: Random
) -> None:
    concealed, melds = list(hand.concealed), list(hand.melds)
    random.shuffle(concealed)
    random.shuffle(melds)
    shuffled = replace(hand, concealed=tuple(concealed), melds=tuple(melds))
    assert RULES.score(shuffled, won) == RULES.score(hand, won)


@given(hands, circumstances, st.sampled_from(list(permutations(range(3)))))
def test_exchanging_suits_changes_no_total(
    hand: Hand, won: Circumstances, order: tuple[int, ...]
) -> None:
    first, second = RULES.score(hand, won), RULES.score(map_tiles(hand, suit_table(order)), won)
    if not NOT_SYMMETRIC & {line.zh for score in (first, second) for line in score.fans}:
        assert first.total == second.total


@given(hands, circumstances, st.integers(0, 7))
def test_a_flower_adds_exactly_one(hand: Hand, won: Circumstances, flowers: int) -> None:
    fewer, more = (RULES.score(hand, replace(won, flowers=n)) for n in (flowers, flowers + 1))
    assert more.total == fewer.total + 1
    assert more.legal == fewer.legal


@given(hands, circumstances, st.sampled_from(MCR))
def test_the_answer_adds_up(hand: Hand, won: Circumstances, rules: McrRules) -> None:
    score = rules.score(hand, won)
    assert score.complete
    assert (
        score.total
        == sum(line.points * line.count for line in score.fans)
        == rules.total(hand, won)
    )
    assert sorted(tile for part in score.split for tile in part.tiles) == sorted(hand.all_tiles)
    assert sum(part.has_winning_tile for part in score.split) == 1
    assert all(0 <= place < len(score.split) for line in score.fans for place in line.parts)
    if score.runner_up is not None:
        assert score.runner_up.total <= score.total


@given(hands, circumstances, st.sampled_from(PROFILES))
def test_cached_results_equal_recomputed_ones(
    hand: Hand, won: Circumstances, profile: Profile
) -> None:
    packed = won_hand(hand, won)
    compiled = CompiledProfile(profile)
    remembering, forgetting = _REMEMBERING[profile.id], Evaluator(compiled, remember=False)
    assert [e.points for e in remembering.all(packed)] == [e.points for e in forgetting.all(packed)]


_REMEMBERING = {profile.id: Evaluator(CompiledProfile(profile)) for profile in PROFILES}


@given(won_hands())
def test_every_split_is_found_so_none_can_beat_the_chosen_one(hand: Hand) -> None:
    assert hand.winning_tile is not None
    tiles = (*hand.concealed, hand.winning_tile)
    found = {
        tuple(
            sorted([(c, c + 1, c + 2) for c in chows] + [(p,) * 3 for p in pungs] + [(pair, pair)])
        )
        for chows, pungs, pair in standard_splits(pack(tiles))
    }
    assert found == {tuple(sorted(split)) for split in brute_force_sets(tiles)}


@given(st.one_of(won_hands(), seven_pair_hands(), knitted_hands()))
def test_waits_are_the_tiles_that_complete_the_hand(hand: Hand) -> None:
    waits = completing(pack(hand.concealed), len(hand.melds))
    for tile in PLAYABLE:
        if hand.all_tiles.count(tile) < 4 or tile == hand.winning_tile:
            completes = (
                RULES.evaluator.best(won_hand(replace(hand, winning_tile=tile), Circumstances()))
                is not None
            )
            assert bool(waits & TILE_KEYS[tile]) == completes


@pytest.mark.parametrize(
    "fan", ["all_chows", "pure_straight", "self_drawn", "pung_of_terminals_or_honours"]
)
@given(hand=hands, won=circumstances)
def test_a_fan_that_is_switched_off_never_counts(fan: str, hand: Hand, won: Circumstances) -> None:
    rules = _WITHOUT[fan]
    assert fan not in {line.id for line in rules.score(hand, won).fans}


_WITHOUT = {
    fan: parse_house_rules(f'id = "without"\nbase = "mcr-1998"\n[off]\nfans = ["{fan}"]')
    for fan in ("all_chows", "pure_straight", "self_drawn", "pung_of_terminals_or_honours")
}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_hands_that_share_much_but_not_all_are_kept_apart(order: tuple[int, int]) -> None:
    """The same set and pair beside two knitted straights: only the first makes four 3m."""
    texts = ("12333369m258p147s", "12333147m258p369s")
    evaluator = Evaluator(CompiledProfile(PROFILES[0]))
    found = {}
    for place in order:
        tiles = parse_tiles(texts[place])
        best = evaluator.best(won_hand(Hand(tiles[1:], (), tiles[0]), Circumstances()))
        assert best is not None
        found[place] = {ALL[index].zh for index in counts(evaluator.compiled, best)}
    assert "四归一" in found[0]
    assert "四归一" not in found[1]
