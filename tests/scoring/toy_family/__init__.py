"""A rule family of its own in one folder: sixteen tiles, five sets and a pair, a point a set."""

from __future__ import annotations

from hupai.scoring.decomposition.packed import pack, standard_splits
from hupai.scoring.family import Convention, Family
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import Payment, Problem, Score, Severity
from hupai.scoring.tiles import Tile

SHOWN = (("xxxx", 0.9), ("????", 0.1))
"""Concealed kongs lie open here."""


class ToyRules:
    """Five sets and a pair win a point for each set."""

    id = "toy-16"
    name_en = "Toy mahjong of sixteen tiles"
    name_zh = "十六张玩具麻将"
    minimum = 0
    circumstances = ("self_drawn",)
    tiles = frozenset(Tile(kind) for kind in range(34))

    def score(self, hand: Hand, circumstances: Circumstances) -> Score:
        won = () if hand.winning_tile is None else (hand.winning_tile,)
        complete = bool(standard_splits(pack([*hand.concealed, *won]))) and hand.size == 17
        if not complete:
            problem = Problem(
                "not_complete", Severity.ERROR, "No five sets and a pair.", "不成和。"
            )
            return Score(self.id, False, False, 0, "points", problems=(problem,))
        payments = (Payment("discarder", 1, 5, "5 × 1"),)
        return Score(self.id, True, True, 5, "points", payments=payments, winner_receives=5)


TOY = ToyRules()

FAMILY = Family(
    "toy",
    "Toy",
    (TOY,),
    __name__,
    convention=Convention(SHOWN, 1.0, hand_size=16),
    has_sessions=True,
    unit="points",
    words={"unit_points": ("toy points", "玩具分")},
)
