"""Expands likely hands by every possible winning tile and every face of hidden kongs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, permutations

from hupai.scoring.hand import Hand
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import PLAYABLE, Tile
from hupai.scoring.waits import HAND_SIZE
from hupai.vision.questions.flower_owner import with_and_without_flowers
from hupai.vision.questions.types import ResolvedHand
from hupai.vision.reading.certainty.features import looking_alike
from hupai.vision.types import LikelyHand, Reading

MAX_RESOLVED = 400
"""Maximum number of resolved hands of a likely one; only two hidden kongs would make more."""
_FAR_LIKELIER = 0.1
"""Ratio of two hands' probabilities below which the likelier one settles the winning tile."""


def resolved_hands(reading: Reading, rules: RuleSet) -> tuple[ResolvedHand, ...]:
    """Resolve the open tiles of the likely hands in every way; probabilities sum to 1.

    A hand that leaves the winning tile open takes it from a far likelier one with the same tiles
    and melds. Hands of probability 0, which occur in stored readings due to rounding, are ignored,
    unless all have it: then they are equally likely.
    """
    all_hands = likely_hands(reading, rules)
    likely_ones = [one for one in all_hands if one.probability > 0] or [
        replace(one, probability=1.0) for one in all_hands
    ]
    found: list[ResolvedHand] = []
    for likely in likely_ones:
        hand = likely.hand
        settling = (other.hand.winning_tile for other in likely_ones if _settles(other, likely))
        if (tile := next(settling, None)) is not None:
            hand = with_winning_tile(hand, tile)
        cases = [
            (case, times)
            for named in _with_named_kongs(hand, rules)
            for case, times in _with_winning_tiles(named)
        ]
        total = sum(times for _, times in cases)
        found += [
            ResolvedHand(case, likely.hand, likely.probability * times / total)
            for case, times in cases
        ]
    everything = sum(one.probability for one in found)
    return tuple(replace(one, probability=one.probability / everything) for one in found)


def likely_hands(reading: Reading, rules: RuleSet) -> tuple[LikelyHand, ...]:
    """List the reading's hands; if it is certain, only those that look like the likeliest.

    Each is listed with and without the flowers apart that may belong to it.
    """
    hands = tuple(looking_alike(reading.hands)) if reading.certain else reading.hands
    return tuple(with_and_without_flowers(replace(reading, hands=hands), rules))


def _settles(other: LikelyHand, likely: LikelyHand) -> bool:
    """Return whether a far likelier hand is the same but names the winning tile."""
    tile, hand = other.hand.winning_tile, likely.hand
    if tile is None or hand.winning_tile is not None or tile not in hand.concealed:
        return False
    far_likelier = likely.probability <= _FAR_LIKELIER * other.probability
    return far_likelier and _sorted(with_winning_tile(hand, tile)) == _sorted(other.hand)


def _sorted(hand: Hand) -> Hand:
    return replace(hand, concealed=tuple(sorted(hand.concealed)))


def with_kong_faces(hand: Hand, faces: Sequence[Tile]) -> Hand:
    """Assign faces to the face-down kongs, in the order of the melds."""
    left = list(faces)
    melds = tuple(
        replace(m, tiles=(left.pop(0),) * len(m.tiles)) if left and Tile.BACK in m.tiles else m
        for m in hand.melds
    )
    return replace(hand, melds=melds)


def count_hidden_kongs(hand: Hand) -> int:
    """Count the face-down kongs of unknown face."""
    return sum(Tile.BACK in meld.tiles for meld in hand.melds)


def with_winning_tile(hand: Hand, tile: Tile) -> Hand:
    """Make one of the concealed tiles the winning one."""
    rest = list(hand.concealed)
    rest.remove(tile)
    return replace(hand, concealed=tuple(rest), winning_tile=tile)


def _with_named_kongs(hand: Hand, rules: RuleSet) -> list[Hand]:
    """Assign faces to the hidden kongs in every way; only a hand of 14 tiles can win with one."""
    hidden = count_hidden_kongs(hand)
    if not hidden or hand.size != HAND_SIZE + 1:
        return [hand]
    held = set(hand.all_tiles)
    free = [tile for tile in PLAYABLE if tile in rules.tiles and tile not in held]
    count = math.perm(len(free), hidden)
    step = max(1, math.ceil(count * max(1, len(set(hand.concealed))) / MAX_RESOLVED))
    choices = islice(permutations(free, hidden), 0, None, step)
    return [with_kong_faces(hand, faces) for faces in choices] or [hand]


def _with_winning_tiles(hand: Hand) -> Iterator[tuple[Hand, int]]:
    """Yield the hand with each possible winning tile, and the number of these tiles in it."""
    if hand.size == HAND_SIZE or hand.winning_tile is not None or not hand.concealed:
        yield hand, 1
        return
    for tile, times in sorted(Counter(hand.concealed).items()):
        yield with_winning_tile(hand, tile), times
