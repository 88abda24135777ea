"""Loaded by schemathesis: of cases that differ only in a value, two are sent.

The coverage phase makes a request of each tile at each place that takes one, and of each wrong type
at each place that has a type, in every operation anew. What is tried at which place of which
operation stays complete. The nightly profile sends all.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import schemathesis
from schemathesis import Case, HookContext
from schemathesis.generation.meta import CoveragePhaseData

OTHERS = 5
"""How far behind the first case of a kind the second one may be; it differs by kind."""

seen: defaultdict[tuple[object, ...], int] = defaultdict(int)
"""How often each kind of case came."""

other: dict[tuple[object, ...], int] = {}
"""Number of the case that is sent beside the first, by kind."""


@schemathesis.hook
def filter_case(context: HookContext, case: Case[Any]) -> bool:
    """Whether this case is sent."""
    data = case.meta.phase.data if case.meta else None
    if case.meta is None or not isinstance(data, CoveragePhaseData):
        return True
    if data.parameter_location is None:  # another method, or no header: about the whole request
        return True
    kind = (
        case.operation.label,
        data.scenario,
        case.meta.generation.mode,
        data.parameter_location,
        data.parameter,
        data.location,
        data.description,
    )
    other.setdefault(kind, 1 + len(other) % OTHERS)
    number = seen[kind]
    seen[kind] += 1
    return number in (0, other[kind])
