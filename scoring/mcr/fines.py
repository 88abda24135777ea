"""False wins under MCR."""

from __future__ import annotations

from hupai.scoring.decomposition.shapes import Shape
from hupai.scoring.fines import Announced, FineChoice, Fines, Lack
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.shanten import tiles_missing

_SHAPES = frozenset(
    {Shape.STANDARD, Shape.SEVEN_PAIRS, Shape.THIRTEEN_ORPHANS, Shape.KNITTED_SINGLES}
)


_CLAUSES = {
    "mcr-1998": ("MCR 1998, 和牌分数的组成结构 3", "MCR 1998, 和牌分数的组成结构 3"),
    "mcr-2006": ("MCR 2006, 3.4.31 and art. 11", "MCR 2006, 3.4.29 and art. 11"),
}


def _choices(case: Announced) -> tuple[FineChoice, ...]:
    """Return the choice of fines under MCR.

    The texts that the project works from leave the points to the referee (1998) or stop before the
    article (2006).
    """
    false_win, wrong_count = _CLAUSES.get(
        case.rules.id, ("the event's regulations", "the event's regulations")
    )
    count = case.lacks(Lack.COUNT)
    follows = (
        "the referee sets the points, taken off at the end of the hand",
        "由裁判判定罚分，盘终扣除",
    )
    return (
        FineChoice("false_win", "false win", "错和、诈和", None, false_win, *follows, not count),
        FineChoice(
            "wrong_count", "wrong number of tiles", "多张、少张", None, wrong_count, *follows, count
        ),
    )


def _tiles_missing(hand: Hand, _: Circumstances) -> int:
    return tiles_missing(hand, _SHAPES, knitted=True)


FINES = Fines(_choices, _tiles_missing)
"""The fines of MCR."""
