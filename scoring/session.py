"""A session as JSON in, its sheet out; and several sessions of an event with the final ranking."""

from __future__ import annotations

from fractions import Fraction

from hupai.scoring import rule_sets
from hupai.scoring.cases.fields import (
    DESCRIPTIVE_FIELDS,
    Case,
    CaseFormatError,
    as_object,
    as_sequence,
)
from hupai.scoring.result import Problem
from hupai.scoring.sessions.ranking import Entrant, Session, final_ranking
from hupai.scoring.sessions.seats import refuse_unknown
from hupai.scoring.sessions.sheet import EventPlace, EventSheet, Sheet

_EVENT_FIELDS = DESCRIPTIVE_FIELDS | {"rules", "sessions", "teams"}


def rules_with_sessions() -> tuple[str, ...]:
    """List the rule sets that have sessions."""
    return tuple(
        rules.id for family in rule_sets.families() if family.sessions for rules in family.rules
    )


def session_sheet(value: object) -> Sheet:
    """Settle a session.

    Args:
        value: the JSON value: ``rules``, ``players`` in the order of the seats, ``deals``; what
            else it may hold is said by the module of the rule set.

    Raises:
        CaseFormatError: names the deal and the field, and says what belongs there.
    """
    session = as_object(value, "session")
    rules = session.get("rules")
    family = rule_sets.family_of(rules) if isinstance(rules, str) else None
    known = family is not None and any(one.id == rules for one in family.rules)
    settled = family.sessions if family is not None and known else None
    if settled is None:
        able = ", ".join(rules_with_sessions())
        if rules is None:
            raise CaseFormatError("rules", f"is missing: use {able}")
        raise CaseFormatError("rules", f"{rules!r} has no sessions: use {able}")
    refuse_unknown(session, settled.fields | DESCRIPTIVE_FIELDS, "")
    if session.get("deals") is None:
        raise CaseFormatError("deals", "is missing: list the deals, in order")
    return settled.sheet(session)


def event_sheet(value: object) -> EventSheet:
    """Settle the sessions of an event and rank players and teams (10.4.4).

    Raises:
        CaseFormatError: names the session, the deal and the field.
    """
    event = as_object(value, "event")
    refuse_unknown(event, _EVENT_FIELDS, "")
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    for i, one in enumerate(as_sequence(event.get("sessions"), "sessions")):
        own = {"rules": event.get("rules"), **as_object(one, f"sessions[{i}]")}
        try:
            sheet = session_sheet(own)
        except CaseFormatError as error:
            where = f"sessions[{i}].{error.field}"
            raise error.within(where, f"session {i + 1}, ", f"第{i + 1}场") from None
        sheets.append(sheet)
        problems += [
            Problem(
                p.code,
                p.severity,
                f"Session {i + 1}. {p.message}",
                f"第 {i + 1} 局。{p.message_zh}",
            )
            for p in sheet.problems
        ]
    if any(place.standard is None for sheet in sheets for place in sheet.places):
        raise CaseFormatError("rules", "these rules have no standard points to rank sessions by")
    played: dict[str, list[Session]] = {}
    for sheet in sheets:
        for place in sheet.places:
            played.setdefault(place.player, []).append(
                Session(place.standard or Fraction(0), place.score)
            )
    teams = _teams(event, played)
    rules = sheets[0].rules if sheets else str(event.get("rules"))
    return EventSheet(rules, tuple(sheets), _ranked(played), _ranked(teams), tuple(problems))


def _teams(event: Case, played: dict[str, list[Session]]) -> dict[str, list[Session]]:
    teams: dict[str, list[Session]] = {}
    placed: set[str] = set()
    for team, members in as_object(event.get("teams"), "teams").items():
        names = [str(name) for name in as_sequence(members, f"teams.{team}")]
        for name in names:
            if name not in played:
                raise CaseFormatError(f"teams.{team}", f"{name!r} has played in no session")
            if name in placed:
                raise CaseFormatError(f"teams.{team}", f"{name!r} is in two teams")
            placed.add(name)
        teams[team] = [session for name in names for session in played[name]]
    return teams


def _ranked(entrants: dict[str, list[Session]]) -> tuple[EventPlace, ...]:
    ranked = final_ranking(Entrant(name, tuple(played)) for name, played in entrants.items())
    return tuple(
        EventPlace(
            one.name,
            rank,
            sum((s.standard for s in one.sessions), Fraction(0)),
            sum(s.score for s in one.sessions),
            tuple(s.standard for s in one.sessions),
        )
        for rank, one in ranked
    )
