"""A win that was announced and is none: what was missing under each rule set, and the fines a
referee may choose from.

Points are given only where the rule text states them; where it leaves them to the referee or the
event, so does this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from hupai.scoring.decomposition.shapes import Shape
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.kc.rules import KcRules
from hupai.scoring.kc.session import KcSeating, KcWinner, settle_false_win
from hupai.scoring.mcr.rules import McrRules
from hupai.scoring.result import Problem, RuleSet, Severity
from hupai.scoring.shanten import tiles_missing
from hupai.scoring.sichuan.deal.log import OFFENCE_RULES, Offence
from hupai.scoring.sichuan.rules import SichuanRules

_SICHUAN_SHAPES = frozenset({Shape.STANDARD, Shape.SEVEN_PAIRS})
_ALL_SHAPES = frozenset(
    {Shape.STANDARD, Shape.SEVEN_PAIRS, Shape.THIRTEEN_ORPHANS, Shape.KNITTED_SINGLES}
)
_HAND_SIZE = 14


class Lack(Enum):
    """What kept a hand from winning, in kinds that a referee distinguishes."""

    COUNT = "count"
    """相公: too many or too few tiles."""
    SHAPE = "shape"
    """The tiles are not complete."""
    MINIMUM = "minimum"
    """Complete, but worth too little."""
    RULES = "rules"
    """Something that these rules do not allow: a suit too many, tiles not in play and the like."""
    UNKNOWN = "unknown"
    """It is not known which tile won, so nothing can be said yet."""


_LACKS = {
    "wrong_count": Lack.COUNT,
    "not_won_yet": Lack.COUNT,
    "not_complete": Lack.SHAPE,
    "below_minimum": Lack.MINIMUM,
    "no_fan": Lack.MINIMUM,
    "winning_tile_unknown": Lack.UNKNOWN,
    "face_down_tile": Lack.UNKNOWN,
    "wind_unknown": Lack.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing that was missing: its kind, the problem's code, and a sentence in both
    languages.
    """

    lack: Lack
    code: str
    message: str
    message_zh: str


@dataclass(frozen=True, slots=True)
class Paid:
    """What the offender pays: to whom (dealer, other), how many of them, how much each, how
    reckoned.
    """

    payee: str
    count: int
    amount: int
    formula: str


@dataclass(frozen=True, slots=True)
class FineChoice:
    """A fine that a referee may choose.

    Attributes:
        offence: stable name.
        name_en, name_zh: what to call it.
        points: taken off; None where the text states no number.
        clause: where it stands.
        follows_en, follows_zh: what else follows.
        fits: the facts of the hand are those of the clause; the decision stays the referee's.
        payments: what is paid to whom, under rules where others receive it.
    """

    offence: str
    name_en: str
    name_zh: str
    points: int | None
    clause: str
    follows_en: str
    follows_zh: str
    fits: bool
    payments: tuple[Paid, ...] = ()


@dataclass(frozen=True, slots=True)
class FalseWinHelp:
    """A hand under one rule set, for a referee.

    Attributes:
        rules: id of the rule set.
        name_en, name_zh: its names.
        wins: the hand may win under these rules, so there is nothing to fine.
        missing: what was missing, the gravest first; empty for a win.
        to_ready: tiles that the hand without its winning tile was away from being ready; 0: it was
            ready. None: not 13 tiles.
        choices: the fines, those that fit first; empty for a win.
    """

    rules: str
    name_en: str
    name_zh: str
    wins: bool
    missing: tuple[Missing, ...]
    to_ready: int | None
    choices: tuple[FineChoice, ...]


@dataclass(frozen=True, slots=True)
class OthersReady:
    """KC: another player who was ready: the dealer or not, and the multiplier of the best hand as a
    win on a discard.
    """

    is_dealer: bool
    multiplier: int


def help_with(
    rules: RuleSet,
    hand: Hand,
    circumstances: Circumstances,
    *,
    offender_is_dealer: bool | None = None,
    ready: Sequence[OthersReady] = (),
) -> FalseWinHelp:
    """Return what a referee needs to know of a hand that was announced as a win.

    Args:
        rules: under which.
        hand: as it lay, the winning tile marked.
        circumstances: how it was won.
        offender_is_dealer: KC: whether who announced it deals; None: as the circumstances say.
        ready: KC: the others who were ready.
    """
    score = rules.score(hand, circumstances)
    if score.legal:
        return FalseWinHelp(rules.id, rules.name_en, rules.name_zh, True, (), None, ())
    missing = _missing(score.problems)
    away = to_ready(rules, hand, circumstances)
    if any(one.lack is Lack.UNKNOWN and one.code != "wind_unknown" for one in missing):
        choices: tuple[FineChoice, ...] = ()
    elif isinstance(rules, SichuanRules):
        choices = _sichuan(missing, away, circumstances)
    elif isinstance(rules, KcRules):
        dealer = circumstances.dealer if offender_is_dealer is None else offender_is_dealer
        choices = (_kc(dealer, circumstances.dealer_streak, ready),)
    else:
        choices = _mcr(rules, missing)
    ordered = tuple(sorted(choices, key=lambda choice: not choice.fits))
    return FalseWinHelp(rules.id, rules.name_en, rules.name_zh, False, missing, away, ordered)


def to_ready(rules: RuleSet, hand: Hand, circumstances: Circumstances) -> int | None:
    """Tiles that had to come in before the hand, without its winning tile, was ready; None where
    that is not 13 tiles.
    """
    before = replace(hand, winning_tile=None)
    if before.size != _HAND_SIZE - 1:
        return None
    if not isinstance(rules, SichuanRules):
        return max(0, tiles_missing(before, _ALL_SHAPES, knitted=isinstance(rules, McrRules)) - 1)
    void = circumstances.void_suit if not circumstances.partner_play else None
    kept = [frozenset("mps") - {suit} for suit in ("mps" if void is None else void)]
    return max(0, min(tiles_missing(before, _SICHUAN_SHAPES, suits) for suits in kept) - 1)


def _missing(problems: Sequence[Problem]) -> tuple[Missing, ...]:
    """List the problems that prevent the win.

    A wind that is not given counts only where nothing worse does, because then it may decide.
    """
    found = [
        Missing(
            _LACKS.get(problem.code, Lack.RULES), problem.code, problem.message, problem.message_zh
        )
        for problem in problems
        if problem.severity is Severity.ERROR or problem.code in _LACKS
    ]
    graver = [one for one in found if one.code != "wind_unknown"]
    short = all(one.lack is Lack.MINIMUM for one in graver)
    order = list(Lack)
    return tuple(sorted(found if short else graver, key=lambda one: order.index(one.lack)))


def _has(missing: Sequence[Missing], *wanted: str | Lack) -> bool:
    return any(one.code in wanted or one.lack in wanted for one in missing)


def _sichuan(
    missing: Sequence[Missing], away: int | None, circumstances: Circumstances
) -> tuple[FineChoice, ...]:
    """T/TFMJ 01-2024, 11.2: which fine it is turns on the void suit, the count, and on whether the
    hand was ready.
    """
    count = _has(missing, Lack.COUNT)
    pig = _has(missing, "void_suit_held", "three_suits")
    claimed = not circumstances.self_drawn
    not_ready = away is not None and away > 0 and claimed and not count
    leaves = ("takes no further part in this deal", "退出本副")
    return (
        _of_sichuan(
            Offence.PIG_WIN, "win while holding the void suit", *leaves, fits=pig and not count
        ),
        _of_sichuan(
            Offence.FALSE_WIN,
            "false win: another's tile claimed, not ready",
            *leaves,
            fits=not_ready and not pig,
        ),
        _of_sichuan(
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


def _of_sichuan(
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


def _kc(offender_is_dealer: bool, streak: int, ready: Sequence[OthersReady]) -> FineChoice:
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


_MCR_CLAUSES = {
    "mcr-1998": ("MCR 1998, 和牌分数的组成结构 3", "MCR 1998, 和牌分数的组成结构 3"),
    "mcr-2006": ("MCR 2006, 3.4.31 and art. 11", "MCR 2006, 3.4.29 and art. 11"),
}


def _mcr(rules: RuleSet, missing: Sequence[Missing]) -> tuple[FineChoice, ...]:
    """Return the choice of fines under MCR.

    The texts that the project works from leave the points to the referee (1998) or stop before the
    article (2006).
    """
    false_win, wrong_count = _MCR_CLAUSES.get(
        rules.id, ("the event's regulations", "the event's regulations")
    )
    count = _has(missing, Lack.COUNT)
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
