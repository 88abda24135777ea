"""Laws of Sichuan scoring, on random hands and deals."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import Score
from hupai.scoring.sichuan.deal.log import (
    Deal,
    Event,
    Fine,
    Kong,
    KongKind,
    Offence,
    Ready,
    Seating,
    WallEnd,
    Win,
    Winner,
)
from hupai.scoring.sichuan.deal.settle import settle
from hupai.scoring.sichuan.ready import readiness
from hupai.scoring.sichuan.rules import SICHUAN_2024
from hupai.scoring.tiles import Tile
from tests.scoring.hands import (
    SUITED,
    brute_force_sets,
    map_tiles,
    seven_pair_hands,
    suit_table,
    won_hands,
)

TWO_SUITS = SUITED[:18]
hands = st.one_of(
    won_hands(TWO_SUITS, open_chows=False),
    won_hands(SUITED[:9], open_chows=False),
    seven_pair_hands(TWO_SUITS),
    won_hands(SUITED),
)
flags = st.sampled_from(
    [
        Circumstances(),
        Circumstances(self_drawn=True),
        Circumstances(self_drawn=True, opponents=1),
        Circumstances(kong_discard=True),
        Circumstances(last_tile=True),
        Circumstances(last_tile=True, kong_discard=True),
    ]
)


def figures(answer: Score) -> tuple[object, ...]:
    fans = sorted((line.id, line.count) for line in answer.fans)
    return (
        answer.legal,
        answer.total,
        answer.winner_receives,
        fans,
        sorted(p.code for p in answer.problems),
    )


@given(hands, flags, st.sampled_from(list(permutations(range(3)))))
def test_exchanging_suits_changes_nothing(
    hand: Hand, circumstances: Circumstances, order: tuple[int, ...]
) -> None:
    before = SICHUAN_2024.score(hand, circumstances)
    after = SICHUAN_2024.score(map_tiles(hand, suit_table(order)), circumstances)
    assert figures(before) == figures(after)


@given(hands, flags)
def test_the_order_of_tiles_and_melds_changes_nothing(
    hand: Hand, circumstances: Circumstances
) -> None:
    shuffled = Hand(tuple(reversed(hand.concealed)), tuple(reversed(hand.melds)), hand.winning_tile)
    assert figures(SICHUAN_2024.score(hand, circumstances)) == figures(
        SICHUAN_2024.score(shuffled, circumstances)
    )


@given(hands, flags)
def test_no_decomposition_found_by_brute_force_beats_the_chosen_one(
    hand: Hand, circumstances: Circumstances
) -> None:
    answer = SICHUAN_2024.score(hand, circumstances)
    own = (*hand.concealed, *([] if hand.winning_tile is None else [hand.winning_tile]))
    bodies = [_body(hand, sets) for sets in brute_force_sets(own)]
    if not hand.melds and len(own) == 14 and all(n % 2 == 0 for n in Counter(own).values()):
        bodies.append(2)
    assert answer.complete
    assert dict(answer.details)["fan_sum"] == max(bodies) + _factors(hand, circumstances)


def _body(hand: Hand, sets: tuple[tuple[Tile, ...], ...]) -> int:
    pungs = all(s[0] == s[1] for s in sets) and all(
        meld.tiles[0] == meld.tiles[1] for meld in hand.melds
    )
    return int(pungs)


def _factors(hand: Hand, circumstances: Circumstances) -> int:
    pure = 2 * (len({tile.suit for tile in hand.all_tiles}) == 1)
    roots = sum(n == 4 for n in Counter(hand.all_tiles).values())
    return (
        pure + roots + (len(hand.melds) == 4) + circumstances.kong_discard + circumstances.last_tile
    )


@given(won_hands(TWO_SUITS, open_chows=False))
def test_a_won_hand_was_ready_for_its_winning_tile(hand: Hand) -> None:
    waiting = Hand(hand.concealed, hand.melds)
    found = {wait.tile: wait.points for wait in readiness(waiting).waits}
    assert hand.winning_tile in found
    assert found[hand.winning_tile] == SICHUAN_2024.score(hand, Circumstances()).total


@given(won_hands(SUITED), flags)
def test_illegal_or_not_every_hand_is_answered_and_pays_only_if_legal(
    hand: Hand, circumstances: Circumstances
) -> None:
    answer = SICHUAN_2024.score(hand, circumstances)
    assert answer.complete
    assert bool(answer.payments) is answer.legal
    assert answer.winner_receives == sum(p.count * p.amount for p in answer.payments)


PLAYERS = "ABCD"
player = st.sampled_from(PLAYERS)
points = st.sampled_from([1, 2, 4, 8])


def _events() -> st.SearchStrategy[Event]:
    kong = st.builds(
        Kong, player, st.sampled_from([k for k in KongKind if k is not KongKind.FROM_DISCARD])
    )
    claimed = st.builds(Kong, player, st.just(KongKind.FROM_DISCARD), player)
    winners = st.lists(st.builds(Winner, player, points), min_size=1, max_size=3).map(tuple)
    win = st.builds(Win, winners, st.one_of(st.none(), player), st.booleans(), st.booleans())
    fine = st.builds(
        Fine,
        player,
        st.sampled_from(list(Offence)),
        st.one_of(st.none(), st.sampled_from([1, 4, 8])),
    )
    ready = st.lists(st.builds(Ready, player, points), max_size=4).map(tuple)
    wall = st.builds(
        WallEnd,
        ready,
        st.lists(player, max_size=4).map(tuple),
        st.lists(player, max_size=1).map(tuple),
    )
    return st.one_of(kong, claimed, win, fine, wall)


tables = st.sampled_from(
    [
        Seating(tuple(PLAYERS), "A"),
        Seating(tuple("ABC"), "B"),
        Seating(tuple(PLAYERS), "A", (("A", "C"), ("B", "D"))),
    ]
)


@given(tables, st.lists(_events(), max_size=8).map(tuple))
def test_every_deal_settles_and_adds_up(seating: Seating, events: tuple[Event, ...]) -> None:
    result = settle(Deal(seating, events))
    assert result.ledger.faults() == ()
    assert result.ledger.balance == 0
    assert len(set(result.winners)) == len(result.winners) < len(seating.players)
    partners = [
        e
        for e in result.ledger.entries
        if e.payee is not None and seating.are_partners(e.payer, e.payee)
    ]
    assert partners == []
