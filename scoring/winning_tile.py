"""Hands that leave open which of their tiles won: what each would score, if that differs."""

from __future__ import annotations

from dataclasses import replace

from hupai.scoring.hand import Circumstances, Hand, with_winning_tile
from hupai.scoring.result import RuleSet, Score, SetPart
from hupai.scoring.waits import HAND_SIZE

ScoredHands = tuple[tuple[Hand, Score], ...]
"""Hands with a winning tile, each with its score."""


def leaves_winning_tile_open(hand: Hand) -> bool:
    """Tell whether a hand has 14 tiles, a kong counted as three, and none is marked as winning."""
    return hand.winning_tile is None and hand.size == HAND_SIZE + 1


def scores_by_winning_tile(rules: RuleSet, hand: Hand, circumstances: Circumstances) -> ScoredHands:
    """Score a hand with each tile that may have won.

    Returns:
        The hand with each winning tile that makes it complete, and its score; nothing where the
        hand says which tile won, is not of 14 tiles, or is complete with none of them.
    """
    if not leaves_winning_tile_open(hand):
        return ()
    hands = [with_winning_tile(hand, tile) for tile in sorted(set(hand.concealed))]
    scored = [(won, rules.score(won, circumstances)) for won in hands]
    return tuple((won, score) for won, score in scored if score.complete)


def common_score(scored: ScoredHands) -> Score | None:
    """Return the score that hands have in common whichever tile won.

    Total, payments and fans must be equal; the parts of its split do not say which holds the
    winning tile. A tile that contradicts the circumstances is passed over, unless all do.

    Returns:
        The score; None where the winning tile changes it, or there is no hand.
    """
    possible = [score for _, score in scored if not _is_contradicted(score)]
    scores = possible or [score for _, score in scored]
    if not scores or any(_worth(score) != _worth(scores[0]) for score in scores):
        return None
    if any(_fans(score) != _fans(scores[0]) for score in scores):
        return None
    first = scores[0]
    other = first.runner_up and replace(first.runner_up, split=_unmarked(first.runner_up.split))
    return replace(first, split=_unmarked(first.split), runner_up=other)


def score_known(rules: RuleSet, hand: Hand, circumstances: Circumstances) -> Score | None:
    """Score a hand, also one whose winning tile is open where every tile gives the same score.

    Returns:
        The score; None where it depends on which tile won.
    """
    scored = scores_by_winning_tile(rules, hand, circumstances)
    return common_score(scored) if scored else rules.score(hand, circumstances)


def _unmarked(split: tuple[SetPart, ...]) -> tuple[SetPart, ...]:
    return tuple(replace(part, has_winning_tile=False) for part in split)


def _is_contradicted(score: Score) -> bool:
    return any(problem.code == "contradictory_flags" for problem in score.problems)


def _worth(score: Score) -> tuple[object, ...]:
    return score.total, score.legal, score.payments


def _fans(score: Score) -> set[tuple[str, int, int]]:
    return {(fan.id, fan.points, fan.count) for fan in score.fans}
