"""Every value that leaves the program as a JSON object; see `hupai.api.contract.to_dict`."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter

from hupai.api.contract.comparison import ColumnOut, ProfileDifferenceOut, WaitsOut
from hupai.api.contract.deal import SettlementOut
from hupai.api.contract.reading import ReadingOut
from hupai.api.contract.session import EventOut, SessionOut
from hupai.api.contract.values import JSON
from hupai.scoring.compare import Column
from hupai.scoring.conformance import CaseResult
from hupai.scoring.hand import Hand
from hupai.scoring.profile_differences import ProfileDifference
from hupai.scoring.result import Problem, Score
from hupai.scoring.sessions.sheet import EventSheet, Sheet
from hupai.scoring.sichuan.deal.settle import Settlement
from hupai.scoring.waits import Waits
from hupai.vision.types import PhotoReading


def as_object(value: object) -> dict[str, Any]:
    """Convert a value of any kind that the contract knows.

    Raises:
        TypeError: for any other value.
    """
    match value:
        case BaseModel():
            return value.model_dump(mode="json")
        case Score() | Hand() | Problem():
            kind: Any = type(value)
            document: dict[str, Any] = _adapter(kind).dump_python(value, mode="json")
            return document
        case PhotoReading():
            return as_object(ReadingOut.of(value))
        case Waits():
            return as_object(WaitsOut.of(value))
        case ProfileDifference():
            return as_object(ProfileDifferenceOut.of(value))
        case Settlement():
            return as_object(SettlementOut.of(value))
        case Sheet():
            return as_object(SessionOut.of(value))
        case EventSheet():
            return as_object(EventOut.of(value))
        case CaseResult():
            return _case(value)
    raise TypeError(f"the contract has no JSON for {type(value).__name__}")


def column_json(hand: Hand, column: Column) -> dict[str, Any]:
    """Write a line of ``hupai compare --json``: hand and verdict, then the score."""
    document = as_object(ColumnOut.of(hand, column))
    return {name: document.pop(name) for name in ("notation", "verdict")} | document


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(Annotated[kind, JSON])


def _case(result: CaseResult) -> dict[str, Any]:
    """Write a scoring case: whether it passed, what differs, and both breakdowns."""
    return {
        "line": result.line,
        "id": result.id,
        "rules": result.rules,
        "passed": result.passed,
        "disputed_by": list(result.disputed_by),
        "differences": list(result.outcome.differences),
        "expected": list(result.outcome.expected),
        "actual": list(result.outcome.actual),
    }
