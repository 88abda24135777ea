"""The yaku and profiles of riichi as Markdown tables, from the code. ``python -m
hupai.scoring.riichi.fan_table`` prints them.
"""

from __future__ import annotations

from hupai.scoring.riichi.profiles import PROFILES, HumanWin, Placing
from hupai.scoring.riichi.yaku.table import ALL, Yaku

_OPTIONS = (
    ("open_tanyao", "open tanyao 喰いタン"),
    ("ippatsu", "ippatsu 一発"),
    ("ura_dora", "ura dora 裏ドラ"),
    ("kan_dora", "kan dora 槓ドラ"),
    ("red_fives", "red fives 赤ドラ"),
    ("rounded_mangan", "rounded mangan 切り上げ満貫"),
    ("counted_yakuman", "counted yakuman 数え役満"),
    ("yakuman_add_up", "several yakuman add up 役満の複合"),
    ("double_yakuman", "double yakuman ダブル役満"),
    ("double_wind_pair_fu", "fu of a pair of the double wind 連風牌"),
    ("human_win", "renhou 人和"),
    ("several_ron", "several winners on one discard ダブロン"),
    ("placing", "points at the end"),
)


def markdown() -> str:
    """Write both tables: yaku with their han, then the options of each profile with sources."""
    names = {yaku.id: yaku.zh for yaku in ALL}
    rows = "\n".join(
        f"| {y.ja} | {y.zh} | {y.en} | `{y.id}` | {_han(y, y.closed)} | {_han(y, y.open)} | "
        f"{'、'.join(names[one] for one in y.contains)} |"
        for y in ALL
    )
    parts = [
        "## Yaku\n\n"
        "| 役 | 中文 | English | id | han, closed | open | contains |\n"
        "|---|---|---|---|---|---|---|\n"
        f"{rows}\n"
    ]
    for profile in PROFILES:
        sources = dict(profile.sources)
        lines = "\n".join(
            f"| {name} | {_value(getattr(profile.options, option))} | {sources[option]} |"
            for option, name in _OPTIONS
        )
        parts.append(
            f"## {profile.id}\n\n{profile.document}.\n\n"
            f"| option | here | source |\n|---|---|---|\n{lines}\n"
        )
    return "\n".join(parts)


def _han(yaku: Yaku, han: int) -> str:
    if not han:
        return "–"
    if yaku.id == "renhou":
        return "see the profile"
    return "yakuman" if han >= 13 else str(han)


def _value(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case HumanWin():
            return value.value.replace("_", " ")
        case Placing():
            start = f"{value.start:,} points, {value.return_points:,} returned"
            if not value.uma_by_floating:
                return f"{start}, uma {_thousands(value.uma)}"
            cases = ", ".join(
                f"{_thousands(uma)} if {number} reached {value.return_points:,}"
                for number, uma in zip(("one", "two", "three"), value.uma_by_floating, strict=True)
            )
            return f"{start}, uma {_thousands(value.uma)} (by the number of players: {cases})"
        case tuple():
            return " + ".join(map(str, value)) if any(value) else "no"
    return str(value)


def _thousands(uma: tuple[int, ...]) -> str:
    return " ".join(f"{points / 1000:+g}" for points in uma)


if __name__ == "__main__":
    print(markdown(), end="")
