"""Cases in the order in which they wait for a referee, and figures over them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Literal

from hupai.api.dossier.case import Case, CaseState

_ORDER = {CaseState.OPEN: 0, CaseState.RULED: 1, CaseState.CLOSED: 2}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A case in the list of a tournament.

    Attributes:
        claimed: the total that was claimed last; None where nothing was.
        total: the total that was ruled, or else the current one; None if there is none.
        undecided: corrections and objections that wait, by number.
        minutes: from opening to the first ruling; None before it.
        certain: every photo was read with certainty.
        computed: the ruling gives what was computed from the photo, before any correction; None
            before a ruling.
    """

    id: str
    title: str
    rules: str
    state: Literal["open", "ruled", "closed"]
    tournament: str
    session: str
    table: str
    round: str
    hand: str
    players: tuple[str, ...]
    opened: str
    updated: str
    events: int
    claimed: int | None
    total: int | None
    unit: str
    outcome: Literal["win", "false_win", "void"] | None
    referee: str | None
    undecided: tuple[int, ...]
    accepted: int
    rejected: int
    fined: int
    fine_points: int
    minutes: float | None
    certain: bool
    computed: bool | None


@dataclass(frozen=True, slots=True)
class CaseGroup:
    """How many cases have something in common, and how many of them are not ruled on."""

    name: str
    cases: int
    open: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Figures over cases.

    Attributes:
        waiting: cases without a ruling, or with something undecided.
        claims_right: last claims of ruled cases (`claims`) that equal the ruled total.
        computed_right: `rulings` that give what was computed from the photo.
        certain: cases whose photos were all read with certainty.
        minutes: median time from opening to the first ruling; None without a ruling.
    """

    cases: int
    open: int
    ruled: int
    closed: int
    waiting: int
    undecided: int
    wins: int
    false_wins: int
    voids: int
    fines: int
    fine_points: int
    accepted: int
    rejected: int
    claims: int
    claims_right: int
    rulings: int
    computed_right: int
    certain: int
    minutes: float | None
    by_session: tuple[CaseGroup, ...]
    by_table: tuple[CaseGroup, ...]
    by_rules: tuple[CaseGroup, ...]
    by_referee: tuple[CaseGroup, ...]


def waiting(case: Case) -> Waiting:
    """Return a case as a line of the list."""
    ruling, place = case.ruling, case.place
    score = case.standing.score if case.standing is not None else None
    computed = case.computed.score if case.computed is not None else None
    made = ruling.ruling if ruling is not None else None
    fines = [one.ruling.fine for one in case.rulings[-1:] if one.ruling.fine is not None]
    decided = [one.decision for one in case.corrections if one.decision is not None]
    return Waiting(
        id=case.id,
        title=case.opening.title,
        rules=case.opening.rules.id,
        state=case.state.value,
        tournament=place.tournament,
        session=place.session,
        table=place.table,
        round=place.round,
        hand=place.hand,
        players=tuple(player.name for player in place.players if player.name),
        opened=case.opened.time,
        updated=case.last.time,
        events=case.events,
        claimed=case.claims[-1].claim.total if case.claims else None,
        total=made.total if made is not None else score.total if score is not None else None,
        unit=made.unit if made is not None else score.unit if score is not None else "",
        outcome=made.outcome if made is not None else None,
        referee=ruling.event.author.shown if ruling is not None else None,
        undecided=tuple(sorted((*case.undecided, *case.unanswered))),
        accepted=sum(one.accepted for one in decided),
        rejected=sum(not one.accepted for one in decided),
        fined=len(fines),
        fine_points=sum(fine.points or 0 for fine in fines),
        minutes=_minutes(case),
        certain=bool(case.photos)
        and all(one.read is not None and one.read.reading.certain for one in case.photos),
        computed=None
        if made is None
        else computed is not None and made.outcome == "win" and made.total == computed.total,
    )


def in_order(cases: Iterable[Waiting]) -> tuple[Waiting, ...]:
    """Sort cases: those that wait first, then by tournament, session, table and time."""

    def rank(one: Waiting) -> tuple[object, ...]:
        place = (_natural(one.tournament), _natural(one.session), _natural(one.table))
        return (not _waits(one), _ORDER[CaseState(one.state)], *place, one.opened)

    return tuple(sorted(cases, key=rank))


def statistics(cases: Iterable[Waiting]) -> Statistics:
    """Return the figures over cases."""
    found = tuple(cases)
    ruled = [one for one in found if one.outcome is not None]
    claimed = [one for one in ruled if one.claimed is not None]
    states = Counter(one.state for one in found)
    outcomes = Counter(one.outcome for one in ruled)
    minutes = [one.minutes for one in found if one.minutes is not None]
    return Statistics(
        cases=len(found),
        open=states["open"],
        ruled=states["ruled"],
        closed=states["closed"],
        waiting=sum(map(_waits, found)),
        undecided=sum(len(one.undecided) for one in found),
        wins=outcomes["win"],
        false_wins=outcomes["false_win"],
        voids=outcomes["void"],
        fines=sum(one.fined for one in found),
        fine_points=sum(one.fine_points for one in found),
        accepted=sum(one.accepted for one in found),
        rejected=sum(one.rejected for one in found),
        claims=len(claimed),
        claims_right=sum(one.claimed == one.total for one in claimed),
        rulings=len(ruled),
        computed_right=sum(bool(one.computed) for one in ruled),
        certain=sum(one.certain for one in found),
        minutes=round(median(minutes), 1) if minutes else None,
        by_session=_groups(found, "session"),
        by_table=_groups(found, "table"),
        by_rules=_groups(found, "rules"),
        by_referee=_groups([one for one in ruled if one.referee], "referee"),
    )


def _waits(one: Waiting) -> bool:
    return one.outcome is None or (bool(one.undecided) and one.state != CaseState.CLOSED.value)


def _groups(cases: Iterable[Waiting], name: str) -> tuple[CaseGroup, ...]:
    every: Counter[str] = Counter()
    still: Counter[str] = Counter()
    for one in cases:
        value = str(getattr(one, name))
        every[value] += 1
        still[value] += _waits(one)
    return tuple(
        CaseGroup(value, every[value], still[value]) for value in sorted(every, key=_natural)
    )


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    """Sort table 9 before table 10."""
    return tuple(
        (int(part), "") if part.isdecimal() else (-1, part.casefold())
        for part in re.split(r"(\d+)", text)
        if part
    )


def _minutes(case: Case) -> float | None:
    if not case.rulings:
        return None
    first, last = (
        datetime.fromisoformat(event.time) for event in (case.opened, case.rulings[0].event)
    )
    return round((last - first).total_seconds() / 60, 1)
