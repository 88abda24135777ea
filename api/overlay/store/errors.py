"""What can be wrong with a request about an overlay table."""

from __future__ import annotations

from hupai.scoring.errors import HupaiError


class UnknownTableError(HupaiError, LookupError):
    """No table has this id."""


class UnknownSeatError(HupaiError, LookupError):
    """The table has no such seat."""


class TableExistsError(HupaiError, ValueError):
    """A table has this id already."""


class StaleProposalError(HupaiError, ValueError):
    """The proposal is no longer the newest of its seat: a newer reading has arrived."""


class NothingToUndoError(HupaiError, LookupError):
    """Nothing of this seat has been on air."""
