"""The report of a fine-tuning: figures before and after, the verdict, the most harmful photos."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hupai.models.evaluation.evaluate import Figures
from hupai.models.learning.gate import Suite, Verdict
from hupai.models.learning.harm import PhotoHarm
from hupai.scoring.tiles import Tile

_SHOWN = 10
"""Number of harmful photos in the report."""

_NAMED = 20
"""Maximum number of a suite's photos that are listed as won or as lost."""

_LINES = (
    ("whole hands exact", "hands_exact", "hands"),
    ("groups right", "groups_exact", "grouped"),
    ("melds right", "melds_right", "melds"),
    ("tiles found", "found", "labelled"),
    ("faces right", "faces_right", "found"),
    ("certain", "certain", "hands"),
    ("certain and wrong", "certain_wrong", "certain"),
)
"""The lines of the report: description, count, total. Lines whose total is 0 are left out, except
that of certain but wrong readings, whose rate the project promises.
"""


_ADVICE = (
    "Correct or confirm more hands, above all those that `hupai datasets suggest` names; review "
    "the photos at the end of this report; write the set again with `hupai datasets from-hands`, "
    "and train again."
)
"""What to do after a refusal."""


def report_json(
    suites: Sequence[Suite], verdict: Verdict, harm: Sequence[PhotoHarm], about: dict[str, Any]
) -> str:
    """Write everything measured as JSON."""
    document = {
        **about,
        "accepted": verdict.accepted,
        "reasons": list(verdict.reasons),
        "suites": [asdict(suite) for suite in suites],
        "harm": [asdict(one) for one in harm],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def report_text(
    suites: Sequence[Suite], verdict: Verdict, harm: Sequence[PhotoHarm], data: Path
) -> str:
    """Write the report as Markdown."""
    lines = ["# Fine-tuned weights beside the shipped ones", ""]
    if verdict.accepted:
        lines.append("**Accepted**: better on your held-out photos, and worse nowhere.")
    else:
        lines += ["**Refused.** Nothing was entered or changed.", ""]
        lines += [f"- {reason}" for reason in verdict.reasons]
        lines += ["", _ADVICE]
    for suite in suites:
        mark = " (yours, not trained on)" if suite.own else ""
        lines += ["", f"## {suite.name}{mark}: {suite.before.photos} photos", ""]
        lines += ["| | before | after |", "|---|---|---|"]
        for words, count, of in _LINES:
            both = (suite.before, suite.after)
            if of == "certain" or any(getattr(figures, of) for figures in both):
                cells = (_of(figures, count, of) for figures in both)
                lines.append(f"| {words} | {' | '.join(cells)} |")
        if suite.hand_tiles is not None:
            before, after = suite.hand_tiles
            lines.append(f"| tiles of the hands right | {before} | {after} |")
        for what, names in (("Exact only now", suite.won), ("No longer exact", suite.lost)):
            if names:
                more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
                lines += ["", f"{what}: {', '.join(names[:_NAMED])}{more}."]
    return "\n".join([*lines, "", *_harm(harm, data)]) + "\n"


def _of(figures: Figures, count: str, of: str) -> str:
    return f"{getattr(figures, count)} of {getattr(figures, of)}"


def _harm(harm: Sequence[PhotoHarm], data: Path) -> list[str]:
    """List the photos whose labels contradict the others."""
    hurting = [one for one in harm if one.harm > 0 and one.surprising][:_SHOWN]
    lines = ["## Photos that hurt most", ""]
    if not hurting:
        return [*lines, "None: no photo has improbable labels that work against the others."]
    authors = _authors(data)
    lines += ["Their labels contradict what other crops say of these faces: look at them first."]
    lines += ["", "| photo | labelled by | harm | improbable labels |", "|---|---|---|---|"]
    for one in hurting:
        labels = "; ".join(
            f"{_code(label)}, read as {_code(read)}, probability {probability:.3f}"
            for label, read, probability in one.surprising[:4]
        )
        more = len(one.surprising) - 4
        author = _cell(authors.get(one.photo, ""))
        tail = f"; {more} more" if more > 0 else ""
        lines.append(f"| {one.photo} | {author} | {one.harm:.3g} | {labels}{tail} |")
    return lines


def _authors(data: Path) -> dict[str, str]:
    """Read who labelled which photo."""
    path = data / "photos.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as rows:
        return {row["photo"]: row.get("author", "") for row in csv.DictReader(rows)}


def _cell(text: str) -> str:
    """Write a text that a contributor chose, so that it stays in its cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def _code(number: int) -> str:
    return Tile(number).code if number < len(Tile) else "no tile"
