"""The table of all fan as Markdown, made from the code: ``python -m hupai.scoring.mcr.fan_table >
docs/fans.md``.
"""

from __future__ import annotations

from collections.abc import Iterator

from hupai.scoring.mcr.fans import ALL, FANS, Excludes, Fan, Switch
from hupai.scoring.mcr.fans.definition import IN_1998, IN_HANDBOOK
from hupai.scoring.mcr.profiles import PROFILES, STANDS_IN, Profile

_HEAD = """# The fan of MCR

Generated from the code (`python -m hupai.scoring.mcr.fan_table > docs/fans.md`); a test checks
that page and code agree. Each fan is one short function in `scoring/mcr/fans/`, with its data
beside it.

- **Points** are given for mcr-1998, mcr-2006 and mcr-handbook. A single number applies to all three
  profiles; a dash means that the profile has no such fan.
- **MCR 1998**, **MCR 2006** and **handbook** give the clause of each text. The available print of
  2006 breaks off after fan 13. From there on mcr-2006 follows the 1998 text (*as 1998*), unless the
  table names another source.
- **Excludes** lists the fan that are not counted beside this one:

| mark | meaning |
|---|---|
| no mark | the 1998 text and the handbook name the exclusion |
| ⁹⁸ | only the 1998 text names it |
| ʰ | only the handbook names it |
| in brackets | no text names it; it follows from 不重复 |
| ¹ | excluded only on the same sets |
| ² | only one occurrence is excluded |
| −A, +A | switch A (below) lifts or adds the exclusion |

Combinations of chows, and of pungs, may share sets only as 不拆移, 不得相同 and 套算一次 allow. The
allowed choice with the most points is found by trying every one
(`scoring/mcr/combination_choice.py`).
"""


def markdown() -> str:
    """Write the whole document."""
    return "\n".join([_HEAD, *_fan_table(), "", "## Switches", "", *_switch_table(), ""])


def _fan_table() -> Iterator[str]:
    yield "| no. | zh | English | id | points | MCR 1998 | MCR 2006 | handbook | excludes |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for fan in ALL:
        clauses = " | ".join(_clause(profile, fan) for profile in PROFILES)
        yield (
            f"| {fan.number} | {fan.zh} | {fan.en} | `{fan.id}` | {_points(fan)} | {clauses} | "
            f"{_excludes(fan)} |"
        )


def _clause(profile: Profile, fan: Fan) -> str:
    """Write where the profile's text has a fan, without the name of the text in the heading."""
    clause = profile.clause(fan)
    if clause.endswith(STANDS_IN):
        return "as 1998"
    return (
        clause.removeprefix("handbook: ")
        .removeprefix(f"{profile.text} ")
        .removeprefix(f"{profile.text}, ")
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
