"""False wins under T/TFMJ 01-2024: the fines of chapter 11."""

from __future__ import annotations

from hupai.scoring.decomposition.shapes import Shape
from hupai.scoring.fines import Announced, FineChoice, Fines, Lack
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.shanten import tiles_missing
from hupai.scoring.sichuan.deal.log import OFFENCE_RULES, Offence

_SHAPES = frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS})


def _choices(case: Announced) -> tuple[FineChoice, ...]:
    """T/TFMJ 01-2024, 11.2: which fine it is turns on the void suit, the count, and on whether the
    hand was ready.
    """
    count = case.lacks(Lack.COUNT)
    pig = case.lacks("void_suit_held", "three_suits")
    away, claimed = case.away, not case.circumstances.self_drawn
    not_ready = away is not None and away > 0 and claimed and not count
    leaves = ("takes no further part in this deal", "退出本副")
    return (
        _fine(Offence.PIG_WIN, "win while holding the void suit", *leaves, fits=pig and not count),
        _fine(
            Offence.FALSE_WIN,
            "false win: another's tile claimed, not ready",
            *leaves,
            fits=not_ready and not pig,
        ),
        _fine(
            Offence.MISTAKEN_WIN,
            "mistaken win: announced by mistake",
            "takes no further part in this deal; readiness is checked if the wall ends",
            "不再参与本副，流局查叫",
            fits=not count and not pig and not not_ready,
        ),
        FineChoice(
            "intended_false_win",
            "intended false win: two or more tiles from being ready",
            "有意诈和",
            None,
            "T/TFMJ 01-2024, 11.2.9.2",
            "report to the chief referee after the deal, who disqualifies the player",
            "本副结束后报请裁判长，取消比赛资格",
            not_ready and not pig and away is not None and away >= 2,
        ),
        FineChoice(
            "wrong_count",
            "wrong number of tiles",
            "相公（多张、少张）",
            None,
            "T/TFMJ 01-2024, 11.2.13",
            "may not win, plays on and pays; readiness is checked if the wall ends",
            "无和牌权，只作陪打，流局查叫",
            count,
        ),
    )


def _fine(
    offence: Offence, name_en: str, follows_en: str, follows_zh: str, *, fits: bool
) -> FineChoice:
    rule = OFFENCE_RULES[offence]
    return FineChoice(
        offence.value,
        name_en,
        rule.zh,
        rule.points,
        f"T/TFMJ 01-2024, {rule.clause}",
        follows_en,
        follows_zh,
        fits,
    )


def _tiles_missing(hand: Hand, circumstances: Circumstances) -> int:
    """Count in two suits: without the void one, or whichever leaves the least to draw."""
    void = circumstances.void_suit if not circumstances.partner_play else None
    kept = [frozenset("mps") - {suit} for suit in ("mps" if void is None else void)]
    return min(tiles_missing(hand, _SHAPES, suits) for suits in kept)


FINES = Fines(_choices, _tiles_missing)
"""The fines of Sichuan."""
