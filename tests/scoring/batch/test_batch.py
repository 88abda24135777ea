"""Hands scored as arrays: the same totals and fan as one by one, and as PyMahjongGB."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given

import hupai
from benchmarks.scoring.hands import Deal, deals
from hupai import BatchError, Circumstances, HandArrays, parse_hand, score_many
from hupai.scoring.batch.features import CHOW_VALUES, PUNG_VALUES
from hupai.scoring.batch.splits import POWERS, honour_table, suit_table
from hupai.scoring.decomposition import packed
from hupai.scoring.hand import Hand
from hupai.scoring.house_rules import parse_house_rules
from hupai.scoring.mcr.rules import MCR, McrRules
from tests.scoring.hands import won_hands

PLAIN = Circumstances()


def drawn(seed: int, number: int, irregular: float = 0.12) -> list[tuple[Hand, Circumstances]]:
    """Draw hands, every third with flowers."""
    return [
        (deal.hand, replace(deal.circumstances, flowers=index % 9 if index % 3 == 0 else None))
        for index, deal in enumerate(deals(seed, number, irregular))
    ]


def assert_equal_to_single_hands(rules: McrRules, hands: list[tuple[Hand, Circumstances]]) -> None:
    scores = score_many(hands, rules)
    counts = scores.counts()
    for index, (hand, circumstances) in enumerate(hands):
        score = rules.score(hand, circumstances)
        fans = {
            fan: int(times)
            for fan, times in zip(scores.fan_ids, counts[index], strict=True)
            if times
        }
        single = (score.total, score.complete, {line.id: line.count for line in score.fans})
        many = (scores.total[index], scores.complete[index], fans)
        assert many == single, f"{hand} {circumstances}"
        assert scores.without_flowers[index] == dict(score.details).get("without_flowers", 0)


@pytest.mark.parametrize("rules", MCR, ids=lambda rules: rules.id)
def test_many_hands_score_what_each_scores_alone(rules: McrRules) -> None:
    assert_equal_to_single_hands(rules, drawn(24, 1500))
    assert_equal_to_single_hands(rules, drawn(7, 500, irregular=0.6))


def test_hands_that_do_not_win_score_nothing() -> None:
    hands = []
    for hand, circumstances in drawn(3, 400):
        tiles = [*hand.concealed]
        used = [*hand.all_tiles]
        new = next(tile for tile in hupai.Tile if tile.is_playable and used.count(tile) + 0 < 3)
        tiles[0] = new
        hands.append((replace(hand, concealed=tuple(tiles)), circumstances))
    rules = MCR[0]
    assert_equal_to_single_hands(rules, hands)
    scores = score_many(hands)
    assert not scores.complete.all()
    assert (scores.total[~scores.complete] == 0).all()


@given(won_hands())
def test_any_won_hand_scores_the_same(hand: Hand) -> None:
    rules = MCR[1]
    for circumstances in (PLAIN, Circumstances(self_drawn=True, seat_wind=hupai.Tile.EAST)):
        score = rules.score(hand, circumstances)
        assert score_many([(hand, circumstances)], rules).total[0] == score.total


def test_the_totals_are_those_of_pymahjonggb() -> None:
    pytest.importorskip("MahjongGB", reason="PyMahjongGB is not installed")
    from benchmarks.scoring.pymahjonggb import ask  # noqa: PLC0415 - needs PyMahjongGB

    hands = list(islice(deals(2026, 5000), 5000))
    scores = score_many([(deal.hand, deal.circumstances) for deal in hands])
    differing = [
        (str(deal.hand), int(total), answer.total)
        for deal, total in zip(hands, scores.total, strict=True)
        if (answer := ask(Deal(deal.hand, deal.circumstances))).total != total
    ]
    assert not differing


def test_house_rules_on_an_mcr_profile_are_followed() -> None:
    rules = parse_house_rules(HOUSE)
    assert isinstance(rules, McrRules)
    assert_equal_to_single_hands(rules, drawn(11, 600))


HOUSE = """
id = "club"
name_en = "Club"
name_zh = "俱乐部"
base = "mcr-2006"
minimum = 4
cap = 40
[points]
self_drawn = 3
single_wait = 5
"""


@pytest.mark.parametrize("rules", ["sichuan-2024", "kc-2.5", "riichi-ema"])
def test_another_family_is_refused_by_name(rules: str) -> None:
    with pytest.raises(BatchError, match=f"{rules} scores single hands only.*mcr-1998, mcr-2006"):
        score_many([], rules)


@pytest.mark.parametrize(
    ("hand", "why"),
    [
        ("123456789m1144p", "hand 1 has no winning tile"),
        ("123456789m114p +4p", "hand 1 cannot be scored: it does not have 14 tiles"),
        ("11111m23456m11p +1p", "hand 1 cannot be scored: it does not have 14 tiles"),
        ("1111123456m111p +1m", "hand 1 cannot be scored: it has five of a kind"),
        ("??? 3456789m114p +4p", "hand 1 has a flower or a face-down tile"),
    ],
)
def test_a_hand_that_cannot_be_scored_is_named(hand: str, why: str) -> None:
    good = parse_hand("123456789m1144p +4p")
    with pytest.raises(BatchError, match=why):
        score_many([(good, PLAIN), (parse_hand(hand), PLAIN)])


def test_arrays_of_a_wrong_form_are_refused() -> None:
    arrays = HandArrays.from_hands([(parse_hand("123456789m1144p +4p"), PLAIN)])
    with pytest.raises(BatchError, match=r"concealed must be uint8 \(1, 34\), not int64 \(1, 34\)"):
        replace(arrays, concealed=arrays.concealed.astype(np.int64))
    with pytest.raises(BatchError, match="melds must be uint8"):
        replace(arrays, melds=arrays.melds[:, :3])
    with pytest.raises(BatchError, match="a meld of no known code"):
        replace(arrays, melds=np.full((1, 4), 200, np.uint8))
    with pytest.raises(BatchError, match="its seat_wind is neither"):
        replace(arrays, seat_wind=np.full(1, 3, np.int8))


def test_arrays_and_hands_are_the_same() -> None:
    hands = drawn(5, 300)
    arrays = HandArrays.from_hands(hands)
    assert len(arrays) == 300
    for index, (hand, circumstances) in enumerate(hands):
        back, won = arrays.hand(index)
        assert sorted(back.concealed) == sorted(hand.concealed)
        assert [(m.is_concealed, m.tiles) for m in back.melds] == [
            (m.is_concealed, m.tiles) for m in hand.melds
        ]
        assert won == replace(circumstances, flowers=circumstances.flowers or 0)
    assert len(score_many([])) == 0


def test_one_hand_of_many_names_its_fan() -> None:
    hands = [(parse_hand("1112345678999m +5m"), PLAIN), (parse_hand("19m19p19sESWNCFP +P"), PLAIN)]
    scores = score_many(hands)
    assert scores.fans(1) == {"thirteen_orphans": 1}
    assert scores.fans(0)["nine_gates"] == 1
    assert scores.reaches_minimum.tolist() == [True, True]


def test_every_split_of_a_suit_is_that_of_single_hands() -> None:
    table = suit_table()
    cases = np.flatnonzero(table.number)
    for case in cases[:: len(cases) // 2000].tolist():
        counts = [case // int(power) % 5 for power in POWERS]
        packed_counts = sum(number << 3 * kind for kind, number in enumerate(counts))
        rows = range(table.first[case], table.first[case] + table.number[case])
        splits = [
            (
                tuple(int(e) // 2 for e in table.sets[row] if e >= 0 and e % 2),
                tuple(int(e) // 2 for e in table.sets[row] if e >= 0 and e % 2 == 0),
                int(table.pair[row]),
            )
            for row in rows
        ]
        assert tuple(splits) == packed.GROUPS[0][packed_counts].splits
        assert table.form[case] == packed.suit_form(packed_counts)
    assert honour_table().number.max() == 1


@pytest.mark.parametrize(("values", "most"), [(CHOW_VALUES, 22), (PUNG_VALUES, 28)])
def test_sums_of_four_values_are_all_different(values: tuple[int, ...], most: int) -> None:
    assert len(values) == most
    pairs = np.add.outer(values, values)[np.triu_indices(most)]
    single = np.array(values)
    fours = {
        tuple(sorted(four))
        for four in np.random.default_rng(1).integers(0, most, (20000, 4)).tolist()
    }
    sums = [int(single[list(four)].sum()) for four in fours]
    assert len(set(sums)) == len(fours)
    assert len(set(pairs.tolist())) == len(pairs)
