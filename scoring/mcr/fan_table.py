"""The table of all fan as Markdown, made from the code: ``python -m hupai.scoring.mcr.fan_table >
docs/fans.md``.
"""

from __future__ import annotations

from collections.abc import Iterator

from hupai.scoring.mcr.fans import ALL, FANS, Excludes, Fan, Switch
from hupai.scoring.mcr.fans.definition import IN_1998, IN_HANDBOOK
from hupai.scoring.mcr.profiles import PROFILES

_HEAD = """# The fan of MCR

Made from the code by `python -m hupai.scoring.mcr.fan_table`; a test holds it to the code. Each
fan is one short function in `scoring/mcr/fans/`, with this data beside it.

Points are given for mcr-1998, mcr-2006 and mcr-handbook; one number stands for all three, a dash
for a fan that does not exist. *Excludes* lists what is not counted beside the fan. Both texts name
it, or only that of 1998 (⁹⁸), or only the handbook (ʰ); fan in brackets follow from 不重复, as no
text names them. ¹ marks those excluded only on the same sets, ² those of which one occurrence is
excluded. A letter names the switch (below) under which an exclusion is lifted (−) or added (+).

Combinations of chows, or of pungs, share their sets by 不拆移, 不得相同 and 套算一次; the choice
with the most points that keeps to them is found by trying every one
(`scoring/mcr/combination_choice.py`).
"""


def markdown() -> str:
    """Write the whole document."""
    return "\n".join([_HEAD, *_fan_table(), "", "## Switches", "", *_switch_table(), ""])


def _fan_table() -> Iterator[str]:
    yield (
        "| no. | zh | English | id | points | clause (mcr-1998; mcr-2006; mcr-handbook) | "
        "excludes |"
    )
    yield "|---|---|---|---|---|---|---|"
    for fan in ALL:
        clauses = "; ".join(dict.fromkeys(profile.clause(fan) for profile in PROFILES))
        yield (
            f"| {fan.number} | {fan.zh} | {fan.en} | `{fan.id}` | {_points(fan)} | {clauses} | "
            f"{_excludes(fan)} |"
        )


def _points(fan: Fan) -> str:
    points = [profile.points_of(fan) for profile in PROFILES]
    if len(set(points)) == 1:
        return str(points[0])
    return " / ".join(str(number) if number else "–" for number in points)


def _excludes(fan: Fan) -> str:
    return ", ".join(_exclusion(excludes) for excludes in fan.excludes)


def _exclusion(excludes: Excludes) -> str:
    name = FANS[excludes.fan].zh
    text = name + _SAID[excludes.texts] if excludes.texts else f"({name})"
    text += "¹" if excludes.same_parts else "²" if excludes.at_most is not None else ""
    if excludes.unless is not None:
        text += f" −{_letter(excludes.unless)}"
    return text + (f" +{_letter(excludes.when)}" if excludes.when is not None else "")


_SAID = {IN_1998 | IN_HANDBOOK: "", IN_1998: "⁹⁸", IN_HANDBOOK: "ʰ"}


def _switch_table() -> Iterator[str]:
    yield "| | switch | on in | exclusions |"
    yield "|---|---|---|---|"
    for switch in Switch:
        profiles = ", ".join(profile.id for profile in PROFILES if switch in profile.switches)
        yield (
            f"| {_letter(switch)} | `{switch.value}` | {profiles} | {', '.join(_changed(switch))} |"
        )


def _changed(switch: Switch) -> Iterator[str]:
    for fan in ALL:
        for excludes in fan.excludes:
            if excludes.unless is switch:
                yield f"{fan.zh} no longer excludes {FANS[excludes.fan].zh}"
            elif excludes.when is switch:
                yield f"{fan.zh} excludes {FANS[excludes.fan].zh}"


def _letter(switch: Switch) -> str:
    return "ABCDEFGHIJ"[list(Switch).index(switch)]


if __name__ == "__main__":
    print(markdown(), end="")
