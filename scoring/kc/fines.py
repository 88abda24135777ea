"""False wins under KC v2.5 (section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hupai.scoring.decomposition.shapes import Shape
from hupai.scoring.fines import Announced, FineChoice, Fines, OthersReady, Paid
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.kc.session import KcSeating, KcWinner, settle_false_win
from hupai.scoring.shanten import tiles_missing

_SHAPES = frozenset(
    {Shape.STANDARD, Shape.SEVEN_PAIRS, Shape.THIRTEEN_ORPHANS, Shape.KNITTED_SINGLES}
)


def _choice(offender_is_dealer: bool, streak: int, ready: Sequence[OthersReady]) -> FineChoice:
    """KC v2.5, section 2: paid to the other three, by whether they were ready."""
    others = ["dealer" if not offender_is_dealer else "other 1", "other 2", "other 3"]
    table = KcSeating(("offender", *others), "offender" if offender_is_dealer else "dealer", streak)
    free = list(others)
    winners = []
    for one in ready:
        name = "dealer" if one.is_dealer else next((name for name in free if name != "dealer"), "")
        if name in free:
            free.remove(name)
            winners.append(KcWinner(name, one.multiplier))
    settled = settle_false_win(table, "offender", winners)
    payments: dict[Paid, int] = {}
    for transfer in settled.transfers:
        kind = Paid(
            "dealer" if transfer.payee == "dealer" else "other",
            1,
            transfer.amount,
            transfer.formula,
        )
        payments[kind] = payments.get(kind, 0) + 1
    paid = tuple(replace(kind, count=count) for kind, count in payments.items())
    return FineChoice(
        "false_win",
        "false win: tiles laid down, no win",
        "诈和",
        sum(transfer.amount for transfer in settled.transfers),
        "KC v2.5, 2",
        "paid to the three others; one who is ready gets their highest possible hand instead. "
        "The next seat deals",
        "付给其他三家；已听牌者按可和的最大牌型受付。轮下家坐庄",
        True,
        paid,
    )


def _choices(case: Announced) -> tuple[FineChoice, ...]:
    circumstances = case.circumstances
    dealer = circumstances.dealer if case.offender_is_dealer is None else case.offender_is_dealer
    return (_choice(dealer, circumstances.dealer_streak, case.ready),)


def _tiles_missing(hand: Hand, _: Circumstances) -> int:
    return tiles_missing(hand, _SHAPES, knitted=False)


FINES = Fines(_choices, _tiles_missing)
"""The false win of KC."""
