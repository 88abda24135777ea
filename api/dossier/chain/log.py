"""A case's log in memory: parsing, checking, appending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hupai.api.dossier.case import Case, LogError, fold, follow
from hupai.api.dossier.chain.events import Author, Body
from hupai.api.dossier.chain.hash_chain import Fault, SignedEvent, check, sign
from hupai.api.dossier.chain.keys import SigningKey
from hupai.scoring.errors import HupaiError


class BrokenLogError(HupaiError):
    """An invalid log, to which nothing may be added; `fault` says where."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.message)


@dataclass(frozen=True, slots=True)
class Log:
    """The valid events of a case, and the state they lead to.

    Attributes:
        events: at least one.
        case: the case that they describe.
    """

    events: tuple[SignedEvent, ...]
    case: Case

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The bytes of the log, one line per event."""
        return tuple(event.line for event in self.events)


def begin(case: str, bodies: Sequence[Body], author: Author, key: SigningKey, at: datetime) -> Log:
    """Start the log of a new case; the first body opens it.

    Raises:
        LogError: a body is not allowed at its place.
    """
    first = sign(case, None, author, bodies[0], key, at)
    return extend(Log((first,), fold([first])), bodies[1:], author, key, at)


def extend(log: Log, bodies: Sequence[Body], author: Author, key: SigningKey, at: datetime) -> Log:
    """Return the log with more events, all signed by the same key.

    Raises:
        LogError: a body is not allowed at its place; nothing is added then.
    """
    events, case = list(log.events), log.case
    for body in bodies:
        event = sign(case.id, events[-1], author, body, key, at)
        case = follow(case, event.event, event.hash)
        events.append(event)
    return Log(tuple(events), case)


def read(lines: Sequence[bytes]) -> Log:
    """Parse a log from its bytes.

    Raises:
        BrokenLogError: it does not hold.
    """
    events, fault = check(lines)
    if fault is not None:
        raise BrokenLogError(fault)
    try:
        return Log(events, fold(events))
    except LogError as error:
        raise BrokenLogError(error.fault) from error
