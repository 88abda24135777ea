"""Runs files of scoring cases and reports each case that differs.

A file holds one JSON object a line, of any rule sets and kinds (../shared/cases/README.md gives the
form). Each family of rule sets runs its own kinds of case. A line that cannot be run counts as
failed, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hupai.scoring import rule_sets
from hupai.scoring.cases.fields import Case, CaseFormatError
from hupai.scoring.cases.figures import CaseOutcome
from hupai.scoring.cases.json_text import read_json

DEFAULT_RULES = rule_sets.all_rules()[0].id
"""Rule set of a case that names none."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The outcome of one line.

    Attributes:
        line: its number in the file, from 1.
        id: the case's id; empty if it has none.
        rules: the rule set it is for.
        outcome: expected and actual breakdown, with the differences.
        disputed_by: public calculators that disagree with the case, as it says itself.
    """

    line: int
    id: str
    rules: str
    outcome: CaseOutcome
    disputed_by: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True when nothing differs."""
        return self.outcome.passed

    def lines(self) -> Iterator[str]:
        """Write the case as a report shows it: what differs, and both breakdowns."""
        name = self.id or f"line {self.line}"
        disputed = (
            f" (disputed by {', '.join(self.disputed_by)}; see docs/rulings.md)"
            if self.disputed_by
            else ""
        )
        yield f"{name} [{self.rules}]{disputed}"
        for difference in self.outcome.differences:
            yield f"  differs   {difference}"
        if self.outcome.expected:
            yield f"  expected  {'; '.join(self.outcome.expected)}"
        if self.outcome.actual:
            yield f"  got       {'; '.join(self.outcome.actual)}"


@dataclass(frozen=True, slots=True)
class Report:
    """All results of a file, in its order."""

    path: str
    results: tuple[CaseResult, ...]

    @property
    def passed(self) -> int:
        """Cases without a difference."""
        return sum(result.passed for result in self.results)

    @property
    def failed(self) -> int:
        """Cases that differ or cannot be run, disputed ones among them."""
        return len(self.results) - self.passed

    @property
    def failures(self) -> tuple[CaseResult, ...]:
        """The cases that differ or cannot be run."""
        return tuple(result for result in self.results if not result.passed)

    @property
    def summary(self) -> str:
        """``N passed, M failed``."""
        return f"{self.passed} passed, {self.failed} failed"

    def lines(self) -> Iterator[str]:
        """Write every failure with both breakdowns, then the summary."""
        for result in self.failures:
            yield from result.lines()
        yield self.summary


def run_file(path: str | Path) -> Report:
    """Run every case of a file of JSON lines.

    Raises:
        OSError: if the file cannot be read.
    """
    with Path(path).open(encoding="utf-8", errors="replace") as lines:
        return Report(str(path), tuple(run_lines(lines)))


def run_lines(lines: Iterable[str]) -> Iterator[CaseResult]:
    """Run cases given as lines of JSON; empty lines are ignored."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _run_line(number, line)


def run_case(case: Case) -> CaseOutcome:
    """Run one case as the family of its rule set does.

    Raises:
        CaseFormatError: rule set or kind are not known, or the case does not have the described
            form.
    """
    rules = str(case.get("rules") or DEFAULT_RULES)
    family = rule_sets.family_of(rules)
    if family is None:
        *ids, last = (f"{family.id}-…" for family in rule_sets.families())
        message = f"{rules!r} is no rule set with cases: use {', '.join(ids)} or {last}"
        raise CaseFormatError("rules", message)
    kind = str(case.get("kind", "hand"))
    if kind not in family.case_kinds:
        message = f"{kind!r} is no kind of {family.name} case: use {', '.join(family.case_kinds)}"
        raise CaseFormatError("kind", message)
    return family.case_kinds[kind](case)


def _run_line(number: int, line: str) -> CaseResult:
    try:
        case = read_json(line)
    except CaseFormatError as error:
        return CaseResult(number, "", "", CaseOutcome((error.message,)))
    if not isinstance(case, dict):
        return CaseResult(number, "", "", CaseOutcome(("not a JSON object",)))
    try:
        outcome = run_case(case)
    except CaseFormatError as error:
        outcome = CaseOutcome((str(error),))
    disputed = case.get("disputed_by") or []
    names = tuple(map(str, disputed if isinstance(disputed, list) else [disputed]))
    rules = str(case.get("rules") or DEFAULT_RULES)
    return CaseResult(number, str(case.get("id") or ""), rules, outcome, names)
