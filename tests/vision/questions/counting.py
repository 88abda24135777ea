"""Every case of a reading counted one by one, written without the code under test."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from itertools import product

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import WINDS, Tile
from hupai.vision.questions.flower_owner import own_probabilities
from hupai.vision.questions.types import (
    Question,
    QuestionKind,
)
from hupai.vision.reading.certainty.features import looking_alike
from tests.vision.questions.cases import Case

_SHARES: dict[str, tuple[tuple[object, float], ...]] = {
    "self_drawn": ((False, 0.6), (True, 0.4)),
    "last_tile": ((False, 0.98), (True, 0.02)),
    "kong_replacement": ((False, 0.98), (True, 0.02)),
    "kong_discard": ((False, 0.98), (True, 0.02)),
    "dealer": ((False, 0.72), (True, 0.28)),
    "discarder_is_dealer": ((False, 0.75), (True, 0.25)),
    "heavenly_win": ((False, 0.999), (True, 0.001)),
    "seat_wind": tuple((wind, 0.25) for wind in WINDS),
    "round_wind": tuple((wind, 0.25) for wind in WINDS),
    "opponents": ((3, 0.6), (2, 0.25), (1, 0.15)),
}


@dataclass(frozen=True)
class Counted:
    """One case: the likely hand, the hand with everything decided, how it was won, what it comes
    to, how likely it is.
    """

    source: Hand
    hand: Hand
    how: Circumstances
    comes_to: Hashable
    share: float


def counted(case: Case) -> list[Counted]:
    """Every case of a reading with its probability."""
    found = []
    own = own_probabilities(case.reading)
    apart = [(t.tile, own[t.id]) for t in case.reading.tiles if t.id in own]
    usable = [(tile, p) for tile, p in apart if tile in case.rules.tiles]
    for likely in looking_alike(case.reading.hands) if case.reading.certain else case.reading.hands:
        for taken in product((False, True), repeat=len(usable)):
            shares = [p if use else 1 - p for use, (_, p) in zip(taken, usable, strict=True)]
            flowers = [tile for use, (tile, _) in zip(taken, usable, strict=True) if use]
            source = replace(likely.hand, flowers=tuple(sorted((*likely.hand.flowers, *flowers))))
            ways = [
                w
                for known in named(source, case.rules)
                for hand, times in winners(known)
                for w in cases_of(case, hand, times)
            ]
            total = sum(share for *_, share in ways)
            weight = likely.probability * math.prod(shares)
            found += [
                Counted(source, hand, how, outcome, weight * share / total)
                for hand, how, outcome, share in ways
            ]
    total = sum(world.share for world in found)
    return [replace(world, share=world.share / total) for world in found]


def cases_of(
    case: Case, hand: Hand, times: int
) -> list[tuple[Hand, Circumstances, Hashable, float]]:
    """One circumstance after the other, in the order of the rules; what contradicts the ones before
    cannot be.
    """
    ways = [
        (
            replace(case.given, self_drawn=case.given.self_drawn or case.given.kong_replacement),
            float(times),
        )
    ]
    for name in case.rules.circumstances if hand.size != 13 else ():
        if name in case.unknown and not (name == "self_drawn" and case.given.kong_replacement):
            longer = []
            for how, share in ways:
                values = [(replace(how, **{name: value}), part) for value, part in _SHARES[name]]  # type: ignore[arg-type]
                values = [value for value in values if can_be(hand, value[0], case.rules)] or values
                total = sum(part for _, part in values)
                longer += [(changed, share * part / total) for changed, part in values]
            ways = longer
    return [(hand, how, comes_to(hand, how, case.rules), share) for how, share in ways]


def can_be(hand: Hand, how: Circumstances, rule_set: RuleSet) -> bool:
    return not any(
        problem.code == "contradictory_flags" for problem in rule_set.score(hand, how).problems
    )


def comes_to(hand: Hand, how: Circumstances, rule_set: RuleSet) -> Hashable:
    score = rule_set.score(hand, how)
    return (score.total, score.winner_receives) if score.legal else waits_of(hand, rule_set)


def waits_of(hand: Hand, rule_set: RuleSet) -> tuple[Tile, ...]:
    if hand.size != 13:
        return ()
    kinds = [tile for tile in rule_set.tiles if not tile.is_flower]
    return tuple(
        t
        for t in sorted(kinds)
        if rule_set.score(replace(hand, winning_tile=t), Circumstances()).complete
    )


def named(hand: Hand, rule_set: RuleSet) -> list[Hand]:
    if not any(Tile.BACK in meld.tiles for meld in hand.melds):
        return [hand]
    free = [tile for tile in rule_set.tiles if not tile.is_flower and tile not in hand.all_tiles]
    (at,) = [i for i, meld in enumerate(hand.melds) if Tile.BACK in meld.tiles]
    meld = hand.melds[at]
    return [
        replace(
            hand, melds=(*hand.melds[:at], replace(meld, tiles=(t,) * 4), *hand.melds[at + 1 :])
        )
        for t in free
    ]


def winners(hand: Hand) -> list[tuple[Hand, int]]:
    if hand.size != 14 or hand.winning_tile is not None:
        return [(hand, 1)]
    found = []
    for tile, times in Counter(hand.concealed).items():
        rest = list(hand.concealed)
        rest.remove(tile)
        found.append((replace(hand, concealed=tuple(rest), winning_tile=tile), times))
    return found


def entropy(worlds: list[Counted]) -> float:
    shares: dict[Hashable, float] = defaultdict(float)
    for world in worlds:
        shares[world.comes_to] += world.share
    total = sum(shares.values())
    bits = -sum(share / total * math.log2(share / total) for share in shares.values() if share > 0)
    return bits if bits > 1e-12 else 0.0


def gain_of(worlds: list[Counted], key: Callable[[Counted], Hashable]) -> float:
    """How many bits of the outcome are known with the key, on average."""
    parts: dict[Hashable, list[Counted]] = defaultdict(list)
    for world in worlds:
        parts[key(world)].append(world)
    total = sum(world.share for world in worlds)
    return entropy(worlds) - sum(
        sum(w.share for w in part) / total * entropy(part) for part in parts.values()
    )


def changed_by(name: str, worlds: list[Counted]) -> float:
    """Share of the cases that come to something else with another value of this circumstance
    alone.
    """
    alike: dict[Hashable, list[Counted]] = defaultdict(list)
    for world in worlds:
        alike[world.hand, replace(world.how, **{name: None})].append(world)  # type: ignore[arg-type]
    return sum(
        world.share
        for some in alike.values()
        if len({w.comes_to for w in some}) > 1
        for world in some
    )


def circumstance_gain(question: Question, worlds: list[Counted]) -> float:
    return gain_of(worlds, lambda world: getattr(world.how, question.subject))


def winning_gain(question: Question, worlds: list[Counted]) -> float:
    asked = [
        world for world in worlds if world.source.winning_tile is None and world.source.size == 14
    ]
    return sum(world.share for world in asked) * gain_of(
        asked, lambda world: world.hand.winning_tile
    )


def hand_gain(question: Question, worlds: list[Counted]) -> float:
    """By the likely hands that each option leaves, or for a hidden kong by its face."""
    if question.kind is QuestionKind.KONG:
        return gain_of(worlds, lambda world: world.hand.melds)
    home = {likely.hand: option.value for option in question.options for likely in option.hands}
    return gain_of(worlds, lambda world: home[world.source])
