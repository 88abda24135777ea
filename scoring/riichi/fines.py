"""False wins under riichi rules: chombo, or a dead hand."""

from __future__ import annotations

from hupai.scoring.decomposition.shapes import Shape
from hupai.scoring.fines import Announced, FineChoice, Fines, Lack
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.shanten import tiles_missing

_SHAPES = frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS, Shape.THIRTEEN_ORPHANS})

_CLAUSES = {
    "riichi-ema": ("EMA 2016, 3.4.6 Chombo", "EMA 2016, 3.4.7 Dead hand"),
    "riichi-wrc": ("WRC 2015, 7.2 Fouls", "WRC 2015, 7.2 Fouls"),
}
"""Where a profile speaks of chombo and of dead hands."""

_ELSEWHERE = ("the event's regulations", "the event's regulations")


def _choices(case: Announced) -> tuple[FineChoice, ...]:
    """Return chombo and the dead hand; the points of a chombo are set by the event."""
    chombo, dead = _CLAUSES.get(case.rules.id, _ELSEWHERE)
    count = case.lacks(Lack.COUNT)
    return (
        FineChoice(
            "chombo",
            "chombo: tiles laid down, no win",
            "错和",
            None,
            chombo,
            "the event sets the points; the hand is played again and deposits of this hand go back",
            "罚分由赛事规定；本局重打，本局立直棒退还",
            not count,
        ),
        FineChoice(
            "dead_hand",
            "dead hand: wrong number of tiles",
            "多张、少张",
            None,
            dead,
            "may not win or be ready, plays on and pays",
            "不得和牌，视为未听牌，继续打牌并付分",
            count,
        ),
    )


def _tiles_missing(hand: Hand, _: Circumstances) -> int:
    return tiles_missing(hand, _SHAPES, knitted=False)


FINES = Fines(_choices, _tiles_missing)
"""Chombo and the dead hand."""
