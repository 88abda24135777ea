"""Hands that leave open which tile won: the score is given where every tile gives the same."""

from __future__ import annotations

import pytest

from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances, with_winning_tile
from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import WINDS, Tile
from hupai.scoring.waits import common_score, score_known, scores_by_winning_tile

IDS = [rules.id for rules in rule_sets.all_rules()]
ANY = Circumstances(seat_wind=Tile.EAST, round_wind=Tile.EAST)
HANDS = (
    "1133m5577p2244s66s",
    "123m456p789sEEESS",
    "111222333m444p55p",
    "123m[456m][789m][111p]55p",
    "19m19p19sESWNCFP1m",
    "[111m][222m][333m][444m]55m",
    "147m258p369sESWNC",
    "22334455667788m",
    "111m222p333s77m(9999s)",
)


@pytest.mark.parametrize("rules_id", IDS)
@pytest.mark.parametrize("notation", HANDS)
@pytest.mark.parametrize("self_drawn", [False, True])
def test_a_score_is_given_exactly_where_every_winning_tile_gives_it(
    notation: str, rules_id: str, self_drawn: bool
) -> None:
    rules, hand = rule_sets.get(rules_id), parse_hand(notation)
    how = Circumstances(seat_wind=Tile.EAST, round_wind=Tile.EAST, self_drawn=self_drawn)
    named = [rules.score(with_winning_tile(hand, tile), how) for tile in set(hand.concealed)]
    complete = [score for score in named if score.complete]
    found = score_known(rules, hand, how)
    if not complete:
        assert found == rules.score(hand, how)
        return
    kinds = {
        (score.total, score.legal, score.winner_receives, frozenset(f.id for f in score.fans))
        for score in complete
    }
    assert (found is None) == (len(kinds) > 1)
    if found is not None:
        assert (found.total, found.legal, found.payments) == (
            complete[0].total, complete[0].legal, complete[0].payments,
        )  # fmt: skip
        assert not any(part.has_winning_tile for part in found.split)


@pytest.mark.parametrize(
    ("notation", "rules_id"),
    [
        ("123m456p789sEEESS", "mcr-1998"),  # single, closed and edge waits are fan of their own
        ("123m[456m][789m][111p]55p", "mcr-2006"),
        ("111222333m444p55p", "riichi-wrc"),  # a discard makes one pung open
        ("19m19p19sESWNCFP1m", "riichi-wrc"),  # thirteen waits count double
    ],
)
def test_a_winning_tile_that_decides_the_score_leaves_it_open(notation: str, rules_id: str) -> None:
    assert score_known(rule_sets.get(rules_id), parse_hand(notation), ANY) is None


def test_fans_alone_leave_the_score_open() -> None:
    """Totals of a closed and of an edge wait are equal, their fan are not."""
    rules = rule_sets.get("mcr-1998")
    scored = scores_by_winning_tile(rules, parse_hand("123m456p789sEEESS"), ANY)
    closed, edge = (
        next(one for one in scored if one[0].winning_tile is tile) for tile in (Tile.M2, Tile.M3)
    )
    assert closed[1].total == edge[1].total
    assert common_score((closed, edge)) is None
    assert common_score((closed,)) is not None


def test_a_tile_that_contradicts_how_it_was_won_is_passed_over() -> None:
    """Of tiles that the hand holds twice none can be the last of its kind."""
    rules = rule_sets.get("mcr-1998")
    how = Circumstances(seat_wind=WINDS[0], round_wind=WINDS[0], last_of_kind=True)
    hand = parse_hand("123m[456p][789s][EEE]SS")
    assert score_known(rules, hand, how) is None, "three tiles are left that may be the last"
    only = parse_hand("112233m[456p][789s]SS")
    assert {score.legal for _, score in scores_by_winning_tile(rules, only, how)} == {False}
