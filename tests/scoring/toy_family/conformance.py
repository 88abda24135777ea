"""Conformance cases of the toy family."""

from __future__ import annotations

from hupai.scoring.cases.fields import Case
from hupai.scoring.cases.figures import CaseOutcome, CaseRunner, compare
from hupai.scoring.hand import Circumstances
from hupai.scoring.notation import parse_hand
from tests.scoring.toy_family import TOY


def _run_hand(case: Case) -> CaseOutcome:
    score = TOY.score(parse_hand(str(case["hand"])), Circumstances())
    return compare(case, {"total": score.total})


CASE_KINDS: dict[str, CaseRunner] = {"hand": _run_hand}
