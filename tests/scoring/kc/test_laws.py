"""Laws of KC scoring, on random hands."""

from __future__ import annotations

from itertools import permutations
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.decomposition.shapes import Shape, Split, meld_part
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.kc import rules as kc_rules
from hupai.scoring.kc.decomposition import (
    Decomposition,
    KcOptions,
    TileFacts,
    decompositions,
    met_by,
)
from hupai.scoring.kc.rules import KC_2_5, PATTERNS
from hupai.scoring.kc.session import KcSeating, KcWinner, settle_false_win, settle_win
from hupai.scoring.notation import parse_hand
from hupai.scoring.result import Score, SetKind, SetPart
from hupai.scoring.tiles import WINDS, Tile
from tests.scoring.hands import (
    ALL_KINDS,
    brute_force_sets,
    map_tiles,
    seven_pair_hands,
    suit_table,
    won_hands,
)

HONOURS_AND_ENDS = tuple(t for t in ALL_KINDS if not t.is_suited or t.rank in (1, 9))

hands = st.one_of(
    won_hands(),
    won_hands(ALL_KINDS[:9]),
    won_hands(HONOURS_AND_ENDS, chows=False),
    won_hands(ALL_KINDS[:6] + ALL_KINDS[9:15] + ALL_KINDS[18:24]),
    seven_pair_hands(),
    seven_pair_hands(ALL_KINDS[:9]),
)
flags = st.sampled_from(
    [
        Circumstances(),
        Circumstances(self_drawn=True),
        Circumstances(dealer=True, dealer_streak=2),
        Circumstances(self_drawn=True, dealer_streak=1),
        Circumstances(last_tile=True, self_drawn=True),
        Circumstances(last_tile=True),
        Circumstances(discarder_is_dealer=True, dealer_streak=1),
    ]
)

irregular = st.sampled_from(
    [
        parse_hand(text)
        for text in ("19m19p19sESWNCFP+E", "147m258p369sESWNC+E", "14m25p369sESWNCF+P")
    ]
)
any_win = st.builds(
    Circumstances,
    **dict.fromkeys(
        (
            "self_drawn",
            "last_tile",
            "last_of_kind",
            "kong_replacement",
            "robbing_kong",
            "dealer",
            "ready_declared",
            "heavenly_ready",
        ),
        st.booleans(),
    ),
)


def figures(answer: Score) -> tuple[object, ...]:
    return (
        answer.legal,
        answer.total,
        answer.winner_receives,
        sorted((line.id, line.count) for line in answer.fans),
        sorted((e.id, e.by) for e in answer.excluded),
        sorted(p.code for p in answer.problems),
    )


@given(hands, flags, st.sampled_from(list(permutations(range(3)))))
def test_exchanging_suits_changes_nothing_but_all_green(
    hand: Hand, circumstances: Circumstances, order: tuple[int, ...]
) -> None:
    """绿一色 belongs to one suit; every other pattern is blind to which suit is which."""
    before = KC_2_5.score(hand, circumstances)
    after = KC_2_5.score(map_tiles(hand, suit_table(order)), circumstances)
    if "all_green" not in {line.id for line in (*before.fans, *after.fans)}:
        assert figures(before) == figures(after)


@given(hands, flags, st.permutations(list(WINDS)))
def test_exchanging_winds_changes_nothing(
    hand: Hand, circumstances: Circumstances, order: list[Tile]
) -> None:
    seating = tuple(order[t - Tile.EAST] if t in WINDS else t for t in map(Tile, range(43)))
    assert figures(KC_2_5.score(hand, circumstances)) == figures(
        KC_2_5.score(map_tiles(hand, seating), circumstances)
    )


@given(hands, flags)
def test_turning_the_ranks_round_changes_nothing_but_all_green(
    hand: Hand, circumstances: Circumstances
) -> None:
    seating = tuple(Tile(9 * (i // 9) + 8 - i % 9) if i < 27 else Tile(i) for i in range(43))
    before = KC_2_5.score(hand, circumstances)
    after = KC_2_5.score(map_tiles(hand, seating), circumstances)
    if "all_green" not in {line.id for line in (*before.fans, *after.fans)}:
        assert before.total == after.total


@given(hands, flags)
def test_the_order_of_tiles_and_melds_changes_nothing(
    hand: Hand, circumstances: Circumstances
) -> None:
    shuffled = Hand(tuple(reversed(hand.concealed)), tuple(reversed(hand.melds)), hand.winning_tile)
    assert figures(KC_2_5.score(hand, circumstances)) == figures(
        KC_2_5.score(shuffled, circumstances)
    )


@given(hands, flags)
def test_no_split_found_by_brute_force_beats_the_chosen_one(
    hand: Hand, circumstances: Circumstances
) -> None:
    answer = KC_2_5.score(hand, circumstances)
    own = (*hand.concealed, *([] if hand.winning_tile is None else [hand.winning_tile]))
    totals = [_total(hand, circumstances, sets) for sets in brute_force_sets(own)]
    assert answer.complete
    assert answer.total >= max(totals, default=0)
    if answer.split[0].kind is not SetKind.PAIR:
        assert answer.total == max(totals)


def _total(hand: Hand, circumstances: Circumstances, sets: tuple[tuple[Tile, ...], ...]) -> int:
    """The total of one split, scored by the engine's patterns but not found by its search."""
    pair, *rest = sets
    melds = tuple(meld_part(meld) for meld in hand.melds)
    parts = tuple(
        SetPart(SetKind.PUNG if s[0] == s[1] else SetKind.CHOW, s, concealed=True) for s in rest
    )
    split = Split(Shape.STANDARD, (*melds, *parts, SetPart(SetKind.PAIR, pair, concealed=True)))
    decomposition = Decomposition.of(hand, circumstances, KcOptions(), TileFacts.of(hand), split)
    return kc_rules.score_decomposition(decomposition).total


@given(hands, flags)
def test_the_total_is_the_product_of_the_factors(hand: Hand, circumstances: Circumstances) -> None:
    answer = KC_2_5.score(hand, circumstances)
    assert answer.total == prod(line.points**line.count for line in answer.fans)
    assert answer.legal is (answer.total >= 2)
    counted = {line.id for line in answer.fans}
    assert counted.isdisjoint(e.id for e in answer.excluded)
    by_id = {p.id: p for p in PATTERNS}
    for name in counted:
        assert counted.isdisjoint(e.id for e in by_id[name].excludes)
        assert counted.isdisjoint(by_id[name].rivals)


@given(hands, flags)
def test_nobody_pays_more_than_the_caps(hand: Hand, circumstances: Circumstances) -> None:
    answer = KC_2_5.score(hand, circumstances)
    cap = 200 if circumstances.self_drawn else 300
    assert all(0 <= p.amount <= cap for p in answer.payments)
    assert sum(p.count for p in answer.payments) == (3 if answer.legal else 0)
    assert answer.winner_receives == sum(p.count * p.amount for p in answer.payments)


PLAYERS = "ABCD"
multipliers = st.sampled_from([2, 4, 6, 8, 12, 16, 24, 32, 64, 128, 512])


@given(
    st.sampled_from(PLAYERS),
    st.integers(0, 4),
    st.sampled_from(PLAYERS),
    st.lists(multipliers, min_size=1, max_size=3),
    st.booleans(),
)
def test_every_win_on_a_discard_adds_up(
    dealer: str, streak: int, discarder: str, times: list[int], robbing: bool
) -> None:
    seating = KcSeating(tuple(PLAYERS), dealer, streak)
    others = [p for p in PLAYERS if p != discarder]
    settled = settle_win(
        seating,
        [KcWinner(p, n) for p, n in zip(others, times, strict=False)],
        discarder,
        robbing_kong=robbing,
    )
    nets = dict(settled.nets())
    assert sum(nets.values()) == 0
    assert -300 <= nets[discarder] <= 0
    assert all(nets[p] >= 0 for p in others)
    assert settled.winners == (() if len(times) == 2 else tuple(others[: len(times)]))


@given(st.sampled_from(PLAYERS), st.integers(0, 4), st.sampled_from(PLAYERS), multipliers)
def test_every_self_drawn_win_adds_up(dealer: str, streak: int, winner: str, times: int) -> None:
    nets = dict(
        settle_win(KcSeating(tuple(PLAYERS), dealer, streak), [KcWinner(winner, times)]).nets()
    )
    assert sum(nets.values()) == 0
    assert all(-200 <= net < 0 for player, net in nets.items() if player != winner)


@given(st.sampled_from(PLAYERS), st.sampled_from(PLAYERS), st.lists(multipliers, max_size=3))
def test_every_false_win_adds_up(dealer: str, offender: str, times: list[int]) -> None:
    seating = KcSeating(tuple(PLAYERS), dealer)
    others = [p for p in PLAYERS if p != offender]
    nets = dict(
        settle_false_win(
            seating, offender, [KcWinner(p, n) for p, n in zip(others, times, strict=False)]
        ).nets()
    )
    assert sum(nets.values()) == 0
    assert all(nets[p] >= 0 for p in others)


@given(st.one_of(hands, irregular), any_win)
def test_no_pattern_is_missed_because_of_its_needs(hand: Hand, won: Circumstances) -> None:
    for decomposition in decompositions(hand, won, KcOptions(ready_declaration=True)):
        has = decomposition.has | met_by(won)
        assert [
            pattern.id
            for pattern in PATTERNS
            if pattern.needs & ~has and pattern.find(decomposition) is not None
        ] == []
