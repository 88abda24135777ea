"""The patterns of kc-2.5 as a Markdown table, from the code. ``python -m
hupai.scoring.kc.fan_table`` prints it.
"""

from __future__ import annotations

from hupai.scoring.kc.pattern import Pattern
from hupai.scoring.kc.rules import HEAVENLY_WIN, PATTERNS
from hupai.scoring.result import Principle

_NAMES = {pattern.id: pattern.zh for pattern in PATTERNS}


def markdown() -> str:
    """Write the table: names, id, factor, heading in the text, what is not counted beside it."""
    ordered = sorted(PATTERNS, key=lambda p: p.times)
    rows = "\n".join(
        f"| {p.zh} | {p.en} | `{p.id}` | {p.times} | {p.section} | {_excluded_names(p)} |"
        for p in ordered
    )
    top = HEAVENLY_WIN
    return (
        "## kc-2.5\n\n"
        "Rule text: KC v2.5, section 3.2. The factors (*times*) are multiplied; a win needs a "
        "product of at least 2.\n"
        "The last column lists the fan that are not counted beside this one: because the text "
        "says so (不计), because\n"
        "this one contains them (含), or because only the higher-scoring of the two counts (取大)."
        "\n\n"
        "| 番种 | English | id | times | heading | not counted beside it "
        "|\n|---|---|---|---|---|---|\n"
        f"{rows}\n"
        f"| {top.zh} | {top.en} | `{top.id}` | {top.times} chips from each | {top.section} | "
        "everything: a fixed sum |\n"
    )


def _excluded_names(pattern: Pattern) -> str:
    said = [_NAMES[e.id] for e in pattern.excludes if e.principle is Principle.EXCLUDED]
    contained = [_NAMES[e.id] for e in pattern.excludes if e.principle is Principle.NON_REPEAT]
    rivals = [_NAMES[rival] for rival in pattern.rivals]
    groups = (("不计", said), ("含", contained), ("取大", rivals))
    return "; ".join(f"{word} {'、'.join(names)}" for word, names in groups if names)


if __name__ == "__main__":
    print(markdown(), end="")
