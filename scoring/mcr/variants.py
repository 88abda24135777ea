"""House rules: a variant of an MCR profile, written as a TOML file and read without code.

The form (docs/house-rules.md has examples)::

    id = "club-2026"
    base = "mcr-1998"
    name_en = "Our club"
    name_zh = "俱乐部规则"
    minimum = 6
    cap = 88

    [points]
    two_concealed_kongs = 8

    [off]
    fans = ["chicken_hand"]

    [switches]
    half_flush_with_all_green = true

Everything but ``id`` and ``base`` may be left out. All mistakes in a file are reported together, each with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from scoring.mcr.fans import FANS, Switch
from scoring.mcr.profiles import PROFILES, Profile
from scoring.mcr.rules import McrRules

_BASES = {profile.id: profile for profile in PROFILES}
_SWITCHES = {switch.value: switch for switch in Switch}
_BY_ANY_NAME = {name: fan.id for fan in FANS.values() for name in (fan.id, fan.zh)}
_NUMBERS = {"minimum": (0, 88), "base_points": (0, 1000), "cap": (1, 1000)}
_TEXTS = ("id", "base", "name_en", "name_zh")
_TABLES = ("points", "off", "switches")


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something wrong in a house-rule file: the line (from 1), the key it is about, and what to write instead."""

    line: int
    key: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.key}: {self.message}" if self.key else f"line {self.line}: {self.message}"


class HouseRuleError(ValueError):
    """A house-rule file that cannot be used; `mistakes` are all that was found."""

    def __init__(self, name: str, mistakes: tuple[Mistake, ...]) -> None:
        self.name = name
        self.mistakes = mistakes
        super().__init__("\n".join(f"{name}, {mistake}" for mistake in mistakes))


def load_house_rules(path: str | Path) -> McrRules:
    """The rule set that a house-rule file describes.

    Raises:
        OSError: when the file cannot be read.
        HouseRuleError: with every mistake and its line.
    """
    return parse_house_rules(Path(path).read_text(encoding="utf-8"), str(path))


def parse_house_rules(text: str, name: str = "house rules") -> McrRules:
    """The rule set that the text of a house-rule file describes; errors as in `load_house_rules`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        number = int(line[1]) if line else max(1, len(text.splitlines()))
        raise HouseRuleError(name, (Mistake(number, "", f"not TOML: {error}"),)) from None
    reader = _Reader(text, data)
    profile = reader.profile()
    if reader.mistakes:
        raise HouseRuleError(name, tuple(sorted(reader.mistakes, key=lambda mistake: mistake.line)))
    return McrRules(profile)


class _Reader:
    """Reads a file's data into a profile and collects its mistakes."""

    def __init__(self, text: str, data: Mapping[str, object]) -> None:
        self.lines = text.splitlines()
        self.data = data
        self.mistakes: list[Mistake] = []

    def profile(self) -> Profile:
        for key in self.data:
            if key not in (*_TEXTS, *_NUMBERS, *_TABLES):
                self._mistake("", key, f"is not known; {_nearest(key, (*_TEXTS, *_NUMBERS, *_TABLES))}")
        base = self._base()
        own_id = self._text("id", required=True)
        if own_id in _BASES:
            self._mistake("", "id", f"{own_id!r} is taken by the profile itself; choose another")
        numbers = {key: value for key in _NUMBERS if (value := self._number(key)) is not None}
        return replace(
            base,
            id=own_id,
            base=base.id,
            name_en=self._text("name_en") or own_id,
            name_zh=self._text("name_zh") or own_id,
            switches=self._switches(base),
            points={**self._points(), **self._off()},
            minimum=numbers.get("minimum", base.minimum),
            base_points=numbers.get("base_points", base.base_points),
            cap=numbers.get("cap", base.cap),
        )

    def _base(self) -> Profile:
        name = self._text("base", required=True)
        if name and name not in _BASES:
            self._mistake("", "base", f"{name!r} is no profile; use {', '.join(_BASES)}")
        return _BASES.get(name, PROFILES[0])

    def _text(self, key: str, required: bool = False) -> str:
        value = self.data.get(key)
        if value is None:
            if required:
                self.mistakes.append(Mistake(1, key, f'is missing; write {key} = "…"'))
            return ""
        if not isinstance(value, str) or not value.strip():
            self._mistake("", key, f"must be a text in quotes, got {value!r}")
            return ""
        return value

    def _number(self, key: str) -> int | None:
        value = self.data.get(key)
        low, high = _NUMBERS[key]
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self._mistake("", key, f"must be a whole number from {low} to {high}, got {value!r}")
            return None
        return value

    def _table(self, key: str) -> Mapping[str, object]:
        value = self.data.get(key, {})
        if not isinstance(value, Mapping):
            self._mistake("", key, f"must be a table; begin it with [{key}] on a line of its own")
            return {}
        return value

    def _points(self) -> dict[str, int]:
        points: dict[str, int] = {}
        for key, value in self._table("points").items():
            fan = self._fan("points", key, key)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1000:
                self._mistake("points", key, f"must be a whole number from 0 (off) to 1000, got {value!r}")
            elif fan is not None:
                points[fan] = value
        return points

    def _off(self) -> dict[str, int]:
        table = self._table("off")
        for key in table:
            if key != "fans":
                self._mistake("off", key, 'is not known; write fans = ["…"]')
        names = table.get("fans", [])
        if not isinstance(names, list):
            self._mistake("off", "fans", f"must be a list of fan, got {names!r}")
            return {}
        found = [self._fan("off", "fans", str(name)) for name in names]
        return {fan: 0 for fan in found if fan is not None}

    def _switches(self, base: Profile) -> frozenset[Switch]:
        switches = set(base.switches)
        for key, value in self._table("switches").items():
            switch = _SWITCHES.get(key)
            if switch is None:
                self._mistake("switches", key, f"is no switch; {_nearest(key, tuple(_SWITCHES))}")
            elif not isinstance(value, bool):
                self._mistake("switches", key, f"must be true or false, got {value!r}")
            elif value:
                switches.add(switch)
            else:
                switches.discard(switch)
        return frozenset(switches)

    def _fan(self, table: str, key: str, name: str) -> str | None:
        if name not in _BY_ANY_NAME:
            self._mistake(table, key, f"{name!r} is no fan; {_nearest(name, tuple(_BY_ANY_NAME))}", name)
            return None
        return _BY_ANY_NAME[name]

    def _mistake(self, table: str, key: str, message: str, shown: str = "") -> None:
        self.mistakes.append(Mistake(self._line(table, key, shown), key, message))

    def _line(self, table: str, key: str, shown: str) -> int:
        """The line a key of a table stands on; within it the one that shows a word, for lists over several lines."""
        current = ""
        start = 1
        for number, line in enumerate(self.lines, 1):
            head = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
            if head:
                current = head[1].strip("\"' ")
                if current == (table or key):
                    start = number
            elif current == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                start = number
                break
        for number in range(start, len(self.lines) + 1) if shown else ():
            if shown in self.lines[number - 1]:
                return number
        return start


def _nearest(word: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(word, known, 1)
    return (
        f"did you mean {close[0]!r}?"
        if close
        else f"use one of {', '.join(known[:8])} …"
        if len(known) > 8
        else f"use {', '.join(known)}"
    )
