"""The score sheet of a session (附录A 记分表): a row a deal, running sums, fines, places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from hupai.scoring.cases.fields import Case
from hupai.scoring.checks.catalogue import problem
from hupai.scoring.result import Problem, Severity

Scores = tuple[tuple[str, int], ...]
"""Points by player, in the order of the seats."""


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One payment of a deal.

    Attributes:
        event: its event in the log, from 1; None for what is not in the log.
        payer: who pays.
        payee: who receives; None for a fine.
        points: how many.
        clause: clause of the rule.
        why_en: what for.
        why_zh: the same in Chinese.
    """

    event: int | None
    payer: str
    payee: str | None
    points: int
    clause: str
    why_en: str
    why_zh: str


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One deal.

    Attributes:
        deal: its number, from 1.
        dealer: who dealt; None if the log does not tell.
        round: the round of winds, from 1; None if the rules have none.
        winners: who won, first to last.
        net: what each player gained or lost, fines taken off.
        running: the sums after this deal (累计比赛分).
        entries: every payment.
    """

    deal: int
    dealer: str | None
    round: int | None
    winners: tuple[str, ...]
    net: Scores
    running: Scores
    entries: tuple[SheetEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class SheetFine:
    """A fine or a warning (判罚): `deal` None for one outside the deals."""

    deal: int | None
    player: str
    points: int
    clause: str
    reason_en: str
    reason_zh: str


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """A player's place.

    Attributes:
        player: the name.
        rank: 1 for the first; players equal in everything share the better rank.
        score: points of the session, fines taken off.
        fined: points lost to fines.
        standard: standard points; None if the rules have none.
        decided_by: ``score``, ``fined``, ``fines`` or ``shared``.
        clause: clause of the rule.
    """

    player: str
    rank: int
    score: int
    fined: int
    standard: Fraction | None
    decided_by: str
    clause: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A session.

    Attributes:
        rules: id of the rule set.
        players: in the order of the seats.
        rows: the deals.
        fines: fines and warnings, in order.
        places: the ranking, best first.
        next_dealer: who deals next; None if that cannot be said.
        problems: what is wrong, with the deal and the event; notes say what a text leaves open.
    """

    rules: str
    players: tuple[str, ...]
    rows: tuple[SheetRow, ...]
    fines: tuple[SheetFine, ...]
    places: tuple[SheetPlace, ...]
    next_dealer: str | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class EventPlace:
    """The place of a player or a team over all sessions of an event (10.4.4)."""

    name: str
    rank: int
    standard: Fraction
    score: int
    sessions: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class EventSheet:
    """Several sessions with the ranking of all players, and of teams where they are named."""

    rules: str
    sessions: tuple[Sheet, ...]
    players: tuple[EventPlace, ...]
    teams: tuple[EventPlace, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class SessionRules:
    """How a family settles a session, for `hupai.scoring.session`.

    Attributes:
        fields: the fields that the JSON of a session may have, descriptive ones apart.
        sheet: settles the session; raises CaseFormatError naming deal and field.
    """

    fields: frozenset[str]
    sheet: Callable[[Case], Sheet]


def of_deal(deal: int, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Name the deal, counted from 1, in each of its problems."""
    return tuple(
        Problem(
            one.code,
            one.severity,
            f"Deal {deal}: {one.message}",
            f"第 {deal} 副：{one.message_zh}",
            one.tiles,
        )
        for one in problems
    )


def added(before: Scores, net: Scores) -> Scores:
    """Add a deal's points to the running sums."""
    gained = dict(net)
    return tuple((player, points + gained.get(player, 0)) for player, points in before)


def dealer_problems(
    stated: object, dealer: str | None, because: tuple[str, str]
) -> tuple[Problem, ...]:
    """Say where a log names another dealer than the one who follows.

    Args:
        stated: the dealer in the log, or None.
        dealer: who deals; None if that cannot be said.
        because: by what, in English and in Chinese.
    """
    if stated is None or dealer is None or stated == dealer:
        return ()
    en, zh = because
    return (
        Problem(
            "session_dealer",
            Severity.WARNING,
            f"the log says that {stated} deals, and {en} it is {dealer}.",
            f"记录的庄家是 {stated}，{zh}应为 {dealer}。",
        ),
    )


def balance_problems(places: Iterable[SheetPlace]) -> tuple[Problem, ...]:
    """Name the difference where the scores and the fines do not sum to zero."""
    listed = tuple(places)
    off = sum(one.score for one in listed) + sum(one.fined for one in listed)
    if not off:
        return ()
    return (
        problem(
            "deal_balance",
            f"Scores and fines together should sum to 0: the difference is {off:+d}.",
            f"得分与罚分合计应为零：相差{off:+d}。",
        ),
    )
