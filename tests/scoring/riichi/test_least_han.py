"""The least han of each number of fu: what the scoring gives, and nothing below it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations_with_replacement

import pytest

from benchmarks.scoring.riichi_agreement import riichi_deals
from hupai.scoring import rule_sets
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind, Source
from hupai.scoring.notation import parse_hand
from hupai.scoring.riichi.evaluation import least_han
from hupai.scoring.riichi.rules import RULES
from hupai.scoring.tiles import Tile, tiles_from_codes

OPTIONS = {rules.id: rules.options for rules in RULES}

# At the table of the dealer, in the east round: a pair of E is one of the double wind.
LEAST: list[tuple[str, str, bool, int, int]] = [
    ("riichi-ema", "45m567p234s678mEE +3m", True, 1, 30),
    ("riichi-ema", "45m567p234s678mSS +3m", True, 2, 20),
    ("riichi-ema", "1133m2255p7799sS +S", False, 2, 25),
    ("riichi-ema", "1133m2255p7799sS +S", True, 3, 25),
    ("riichi-ema", "35m567pEE (1111s) (9999m) +4m", True, 1, 100),
    ("riichi-ema", "345m99pEE (1111s) (9999m) +9p", False, 1, 110),
    ("riichi-wrc", "35m444pEE (1111s) (9999m) +4m", False, 2, 110),
    ("riichi-ema", "345m8s (9999p) (1111s) [9999m] +8s", True, 2, 110),
    ("riichi-ema", "345m8s (4444p) (1111s) (9999m) +8s", False, 4, 120),
    ("riichi-ema", "345m8s (9999p) (1111s) (9999m) +8s", False, 4, 130),
    ("riichi-ema", "8s [345m] (9999p) (1111s) (9999m) +8s", True, 4, 120),
    ("riichi-ema", "35mEE (9999p) (1111s) (9999m) +4m", False, 4, 140),
]
"""Rules, hand, whether self-drawn, han and fu."""


def worth(
    rules: str, hand: Hand, *, drawn: bool, seat: Tile = Tile.EAST, last: bool = False
) -> tuple[int, int] | None:
    """Han and fu of a win below the yakuman; None of any other hand."""
    how = Circumstances(self_drawn=drawn, seat_wind=seat, round_wind=Tile.EAST, last_tile=last)
    score = rule_sets.get(rules).score(hand, how)
    figures = dict(score.details)
    if not score.legal or any(fan.points >= 13 for fan in score.fans):
        return None
    return int(figures["han"]), int(figures["fu"])


@pytest.mark.parametrize(("rules", "hand", "drawn", "han", "fu"), LEAST)
def test_a_hand_has_the_least_han(rules: str, hand: str, drawn: bool, han: int, fu: int) -> None:
    won = parse_hand(hand)
    found = worth(rules, won, drawn=drawn) or worth(rules, won, drawn=drawn, last=True)
    assert found == (han, fu)
    assert least_han(fu, self_drawn=drawn, options=OPTIONS[rules]) == han


def test_what_the_scoring_gives_is_never_called_impossible() -> None:
    compared = 0
    for deal in riichi_deals(seed=20261130, number=400):
        score = deal.rules.score(deal.hand, deal.circumstances)
        figures, drawn = dict(score.details), deal.circumstances.self_drawn
        if score.legal and int(figures["fu"]):
            compared += 1
            least = least_han(int(figures["fu"]), self_drawn=drawn, options=deal.rules.options)
            assert int(figures["han"]) >= least, (deal.rules.id, str(deal.hand))
    assert compared > 200


@pytest.mark.parametrize("rules", OPTIONS)
def test_a_win_before_the_first_discard_is_possible_too(rules: str) -> None:
    """Where renhou is a mangan, it is paid as five han whatever the fu."""
    how = Circumstances(human_win=True, seat_wind=Tile.SOUTH, round_wind=Tile.EAST)
    score = rule_sets.get(rules).score(parse_hand("1133m2255p7799sS +S"), how)
    figures = dict(score.details)
    assert int(figures["han"]) >= least_han(25, self_drawn=False, options=OPTIONS[rules])


CHOWS = ("345m", "567p", "234s", "678m")
EQUAL = {"middle": "2m4p6s8m", "end": "1m9p1s9m", "value": "CFPE"}
SETS = [("chow", 0, claimed) for claimed in (False, True)] + [
    (kind, size, claimed) for kind in EQUAL for size in (3, 4) for claimed in (False, True)
]
"""The sets of a hand as far as they earn fu: kind, how many equal tiles, and whether claimed."""


def hands() -> Iterator[tuple[Hand, Tile]]:
    """Each way to earn fu, in tiles that earn few yaku; with the seat wind."""
    for sets in combinations_with_replacement(SETS, 4):
        melds: list[Meld] = []
        concealed: list[Tile] = []
        for at, (kind, size, claimed) in enumerate(sets):
            if kind == "chow":
                tiles = tiles_from_codes(CHOWS[at])
            else:
                tiles = tiles_from_codes(EQUAL[kind])[at : at + 1] * size
            source = Source.LEFT if claimed else None
            if size == 4:
                kong = MeldKind.KONG if claimed else MeldKind.CONCEALED_KONG
                melds.append(Meld(kong, tiles, claimed_from=source))
            elif claimed:
                name = MeldKind.PUNG if size else MeldKind.CHOW
                melds.append(Meld(name, tiles, claimed_from=source))
            else:
                concealed += tiles
        used = [*concealed, *(tile for meld in melds for tile in meld.tiles)]
        if any(used.count(tile) > 4 for tile in used):
            continue
        for pair, seat in ((Tile.S8, Tile.SOUTH), (Tile.SOUTH, Tile.SOUTH), (Tile.EAST, Tile.EAST)):
            if pair in used:
                continue
            held = [*concealed, pair, pair]
            for won in set(held):
                rest = held.copy()
                rest.remove(won)
                yield Hand(tuple(rest), tuple(melds), won), seat


@pytest.mark.nightly
@pytest.mark.parametrize("rules", ["riichi-ema", "riichi-wrc"])
def test_no_hand_has_fewer_han_than_the_least(rules: str) -> None:
    """The two profiles differ in the fu of a pair of the double wind."""
    least: dict[tuple[bool, int], int] = defaultdict(lambda: 99)
    for hand, seat in hands():
        for drawn in (False, True):
            found = worth(rules, hand, drawn=drawn, seat=seat) or worth(
                rules, hand, drawn=drawn, seat=seat, last=True
            )
            if found is not None:
                han, fu = found
                least[drawn, fu] = min(least[drawn, fu], han)
    for (drawn, fu), han in least.items():
        at_least = least_han(fu, self_drawn=drawn, options=OPTIONS[rules])
        if fu > 25:  # pinfu of these tiles has further yaku, and seven pairs are not among them
            assert min(han, 5) == at_least, (drawn, fu)
        assert han >= at_least
    assert {fu for drawn, fu in least if not drawn} >= {*range(30, 131, 10)}
