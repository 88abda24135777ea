"""Comparing the figures that a case expects with those of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hupai.scoring.cases.fields import Case, as_object

Figures = Mapping[str, object]
"""The engine's figures, by the names that the case files use."""

Comparison = Callable[[object, object], Iterable[str]]
"""Takes an expected figure and the engine's; yields a sentence for each difference."""

REMARKS = frozenset({"reason", "note", "comment", "why"})
"""Fields of `expected` that explain and are not compared."""

_NO_COMPARISONS: Mapping[str, Comparison] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """The outcome of running one case.

    Attributes:
        differences: one sentence for each figure that differs; empty when the case passed.
        expected: the case's breakdown, one line per figure.
        actual: the engine's, one line per figure.
    """

    differences: tuple[str, ...]
    expected: tuple[str, ...] = ()
    actual: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True when nothing differs."""
        return not self.differences


CaseRunner = Callable[[Case], CaseOutcome]
"""Runs a case of one kind; raises `CaseFormatError` where it is not of the form described."""


def compare(
    case: Case,
    figures: Figures,
    remarks: Iterable[str] = (),
    faults: Iterable[str] = (),
    comparisons: Mapping[str, Comparison] = _NO_COMPARISONS,
) -> CaseOutcome:
    """Compare each figure in the case's `expected`; figures it does not name are free.

    Args:
        case: the case.
        figures: the engine's figures.
        remarks: further lines of the engine's breakdown.
        faults: differences found otherwise.
        comparisons: how to compare the figures for which equality is too strict.
    """
    expected = as_object(case.get("expected"), "expected")
    differences = (*_differences(expected, figures, comparisons), *faults)
    return CaseOutcome(differences, _lines(expected), (*_lines(figures), *remarks))


def _differences(
    expected: Figures, figures: Figures, comparisons: Mapping[str, Comparison]
) -> Iterator[str]:
    for name, wanted in expected.items():
        if name in REMARKS:
            continue
        if name not in figures:
            yield f"{name}: the engine has no such figure (it has {', '.join(figures)})"
        elif name in comparisons:
            yield from comparisons[name](wanted, figures[name])
        elif not _same(wanted, figures[name]):
            yield f"{name}: expected {wanted}, got {figures[name]}"


def _same(wanted: object, got: object) -> bool:
    """Compare two figures; numbers may differ by rounding."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return wanted.keys() == got.keys() and all(
            _same(value, got[name]) for name, value in wanted.items()
        )
    if isinstance(wanted, float | int) and isinstance(got, float | int):
        return abs(wanted - got) < 1e-9
    return wanted == got


def _lines(figures: Figures) -> tuple[str, ...]:
    return tuple(f"{name}: {value}" for name, value in figures.items() if value is not None)
