"""Consent: nothing becomes a label unless the deployment allows it and the hand's author does.

Both are asked in plain words and both can be taken back; what was taken back is in no later export.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from hupai.api.learning.rows import ConsentRow

DEPLOYMENT = "deployment"
"""The subject of the consent for all hands together."""


def hand_subject(hand_id: str) -> str:
    """Name a stored hand as a subject of consent."""
    return f"hand:{hand_id}"


def case_subject(case_id: str) -> str:
    """Name a case as a subject of consent."""
    return f"case:{case_id}"


@dataclass(frozen=True, slots=True)
class Consents:
    """Every subject's last word."""

    given: frozenset[str]
    refused: frozenset[str]

    @property
    def deployment(self) -> bool:
        """Whether this deployment makes labels of hands at all."""
        return DEPLOYMENT in self.given

    def refusal(self, subject: str) -> str:
        """Say why a subject may not be used; empty if it may."""
        if not self.deployment:
            return "this deployment has not agreed to learn from its hands"
        if subject in self.refused:
            return "consent was taken back or refused"
        return "" if subject in self.given else "nobody was asked, or nobody answered"


def say(session: Session, subject: str, author: str, *, given: bool) -> bool:
    """Record consent or refusal for a subject, unless it is already in force.

    Returns:
        Whether anything changed.
    """
    if last(session, subject) is given:
        return False
    session.add(ConsentRow(subject=subject, author=author, given=given))
    session.flush()
    return True


def last(session: Session, subject: str) -> bool | None:
    """Return the last word about a subject; None if there is none."""
    return session.scalar(
        select(ConsentRow.given)
        .where(ConsentRow.subject == subject)
        .order_by(ConsentRow.id.desc())
        .limit(1)
    )


def consents(session: Session) -> Consents:
    """Read every subject's last word."""
    query = select(ConsentRow.subject, ConsentRow.given).order_by(ConsentRow.id)
    said = {row.subject: row.given for row in session.execute(query)}
    given = frozenset(subject for subject, yes in said.items() if yes)
    return Consents(given, frozenset(said) - given)
