"""The answer to a hand under a rule set: score, waits and verdict."""

from __future__ import annotations

from hupai.api.answers.hand_belief import HandBelief
from hupai.api.answers.verdict import verdict_out
from hupai.api.contract.hand import HandOut
from hupai.api.contract.score import ScoreAnswer, WaitOut
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.waits import HAND_SIZE, Waits, score_known, waits


def score_answer(rules: RuleSet, belief: HandBelief) -> ScoreAnswer:
    """Score the likeliest hand of a belief, which has one, and give the outcomes of the others.

    There is no score while a winning hand leaves open which of its tiles won and the score depends
    on it.
    """
    hand = belief.reading.hands[0].hand
    circumstances = belief.circumstances.to_circumstances()
    score = score_known(rules, hand, circumstances)
    unit = (score or rules.score(hand, circumstances)).unit
    found = _waits(rules, hand, circumstances)
    return ScoreAnswer(
        rules=rules.id,
        notation=format_hand(hand),
        hand=HandOut.of(hand),
        circumstances=belief.circumstances,
        score=score,
        waits=[WaitOut.of(wait) for wait in found.waits],
        bars=found.bars,
        verdict=verdict_out(belief.verdict(rules), unit, belief.unknown),
    )


def _waits(rules: RuleSet, hand: Hand, circumstances: Circumstances) -> Waits:
    """The waits of a hand of 13; none for any other hand."""
    if hand.winning_tile is not None or hand.size != HAND_SIZE:
        return Waits(rules.id, hand, ())
    return waits(hand, rules, circumstances)
