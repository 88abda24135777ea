"""A false win, for a referee: what was missing, how far the hand was from being ready, and the
fines of the rule set's family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hupai.api.dossier.chain.events import FinePayment, FineRecord
from hupai.scoring.fines import Announced, FineChoice, Lack, Missing, OthersReady, Paid
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import Problem, RuleSet, Severity
from hupai.scoring.rule_sets import family_for

__all__ = [
    "READY_FORM_ZH",
    "FalseWinHelp",
    "FineChoice",
    "Lack",
    "Missing",
    "OthersReady",
    "Paid",
    "fine_record",
    "help_with",
    "ready_players",
    "to_ready",
]

_HAND_SIZE = 14
READY_FORM_ZH = "应为 dealer:8 或 other:4 的形式"
"""The Chinese of the error of `ready_players`."""

_LACKS = {
    "wrong_count": Lack.COUNT,
    "not_won_yet": Lack.COUNT,
    "not_complete": Lack.SHAPE,
    "below_minimum": Lack.MINIMUM,
    "no_fan": Lack.MINIMUM,
    "no_yaku": Lack.MINIMUM,
    "winning_tile_unknown": Lack.UNKNOWN,
    "face_down_tile": Lack.UNKNOWN,
    "wind_unknown": Lack.UNKNOWN,
}


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
        rules: the rule set.
        hand: as it lay, the winning tile marked.
        circumstances: how it was won.
        offender_is_dealer: KC: whether the player who announced it is the dealer; None: as in the
            circumstances.
        ready: KC: the others who were ready.
    """
    score = rules.score(hand, circumstances)
    if score.legal:
        return FalseWinHelp(rules.id, rules.name_en, rules.name_zh, True, (), None, ())
    missing = _missing(score.problems)
    away = to_ready(rules, hand, circumstances)
    family = family_for(rules)
    choices: tuple[FineChoice, ...] = ()
    unknown = any(one.lack is Lack.UNKNOWN and one.code != "wind_unknown" for one in missing)
    if family is not None and not unknown:
        case = Announced(rules, circumstances, missing, away, offender_is_dealer, tuple(ready))
        choices = family.fines.choices(case)
    ordered = tuple(sorted(choices, key=lambda choice: not choice.fits))
    return FalseWinHelp(rules.id, rules.name_en, rules.name_zh, False, missing, away, ordered)


def to_ready(rules: RuleSet, hand: Hand, circumstances: Circumstances) -> int | None:
    """Tiles that had to come in before the hand, without its winning tile, was ready; None where
    that is not 13 tiles.
    """
    before = replace(hand, winning_tile=None)
    family = family_for(rules)
    if before.size != _HAND_SIZE - 1 or family is None:
        return None
    return max(0, family.fines.tiles_missing(before, circumstances) - 1)


def _missing(problems: Sequence[Problem]) -> tuple[Missing, ...]:
    """List the problems that prevent the win.

    A missing wind counts only if nothing worse is wrong, because then it may decide.
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


def ready_players(words: Sequence[str]) -> tuple[OthersReady, ...]:
    """Parse the other ready players (KC), each given as ``dealer:8`` or ``other:4``.

    Raises:
        ValueError: for other words.
    """
    found = []
    for word in words:
        role, _, times = word.partition(":")
        if role not in ("dealer", "other") or not times.isdecimal() or not 0 < int(times) <= 10_000:
            raise ValueError(f"{word!r} is not of the form dealer:8 or other:4")
        found.append(OthersReady(role == "dealer", int(times)))
    return tuple(found)


def fine_record(rules: str, choice: FineChoice, points: int | None) -> FineRecord:
    """Return a fine for the log, with the referee's points where the rules leave them open."""
    return FineRecord(
        rules=rules,
        offence=choice.offence,
        name_en=choice.name_en,
        name_zh=choice.name_zh,
        points=choice.points if points is None else points,
        clause=choice.clause,
        follows_en=choice.follows_en,
        follows_zh=choice.follows_zh,
        payments=tuple(
            FinePayment(
                payee=f"{paid.payee} × {paid.count}" if paid.count > 1 else paid.payee,
                amount=paid.amount,
                formula=paid.formula,
            )
            for paid in choice.payments
        ),
    )
