"""The fan of sichuan-2024 as a Markdown table, from the code. ``python -m
hupai.scoring.sichuan.fan_table`` prints it.
"""

from __future__ import annotations

from hupai.scoring.sichuan.patterns import PATTERNS, Pattern
from hupai.scoring.sichuan.rules import CAP, base_points


def markdown() -> str:
    """Write the table: name, English name, id, doublings, clause, remark."""
    rows = "\n".join(
        f"| {p.zh} | {p.en} | `{p.id}` | {p.fan} | {p.clause.removeprefix('T/TFMJ 01-2024, ')} | "
        f"{_remark(p)} |"
        for p in PATTERNS
    )
    grades = ", ".join(f"{fan} fan: {base_points(fan)}" for fan in range(CAP + 1))
    return (
        "## sichuan-2024\n\n"
        "Rule text: T/TFMJ 01-2024. The fan of a hand are added, and each doubles the base points "
        f"({grades}). More than {CAP} fan count as {CAP} (10.1.1).\n\n"
        "| 番种 | English | id | fan | clause | remark |\n|---|---|---|---|---|---|\n"
        f"{rows}\n"
    )


def _remark(pattern: Pattern) -> str:
    if pattern.only_alone:
        return "counts only if no other fan does"
    if pattern.id == "self_drawn":
        return "one point from each payer, outside the cap"
    if pattern.id == "root":
        return "for each kind of which the hand has all four tiles"
    return ""


if __name__ == "__main__":
    print(markdown(), end="")
