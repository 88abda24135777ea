"""House rules for any rule set: a TOML file names its base and what is different, without code.

What each base lets a house change stands in docs/house-rules.md (MCR) and
docs/house-rules-sichuan-kc.md. The form::

    id = "club-kc"
    base = "kc-2.5"
    name_en = "Our club"
    name_zh = "俱乐部规则"
    minimum = 4
    discard_cap = 500

    [points]
    "七小对" = 8

    [off]
    fans = ["河底摸鱼"]

    [switches]
    ready_declaration = true

Everything but ``id`` and ``base`` may be left out. All mistakes in a file are reported together,
each with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from hupai.scoring.errors import HupaiError
from hupai.scoring.house_rules.toml_lines import line_of
from hupai.scoring.kc import rules as kc
from hupai.scoring.kc.decomposition import KcOptions
from hupai.scoring.mcr import variants
from hupai.scoring.mcr.profiles import PROFILES, Profile
from hupai.scoring.result import RuleSet
from hupai.scoring.sichuan import patterns as sichuan
from hupai.scoring.sichuan.rules import SichuanRules

__all__ = [
    "BASES",
    "SCHEMAS",
    "House",
    "HouseRuleError",
    "Mistake",
    "Schema",
    "load_house_rules",
    "parse_house_rules",
]

_TEXTS = ("id", "base", "name_en", "name_zh")
_TABLES = ("points", "off", "switches")


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something wrong in a house-rule file: the line (from 1), the key it is about, and what to
    write instead.
    """

    line: int
    key: str
    message: str

    def __str__(self) -> str:
        return (
            f"line {self.line}: {self.key}: {self.message}"
            if self.key
            else f"line {self.line}: {self.message}"
        )


class HouseRuleError(HupaiError, ValueError):
    """A house-rule file that cannot be used; `mistakes` are all that was found."""

    def __init__(self, name: str, mistakes: tuple[Mistake, ...]) -> None:
        self.name = name
        self.mistakes = mistakes
        super().__init__("\n".join(f"{name}, {mistake}" for mistake in mistakes))


@dataclass(frozen=True, slots=True)
class House:
    """What a house-rule file says: names, and the numbers, switches, values and omissions that
    differ from the base.
    """

    id: str
    name_en: str
    name_zh: str
    numbers: tuple[tuple[str, int], ...]
    switches: tuple[tuple[str, bool], ...]
    points: tuple[tuple[str, int], ...]
    off: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """What a house may change of one base.

    Attributes:
        base: id of the rule set.
        numbers: keys that take a whole number, with the least and the most.
        switches: keys that are true or false.
        fans: every name of a fan, English id or Chinese, to its id.
        points: the least and the most that a fan may be set to.
        build: makes the rule set.
    """

    base: str
    numbers: Mapping[str, tuple[int, int]]
    switches: tuple[str, ...]
    fans: Mapping[str, str]
    points: tuple[int, int]
    build: Callable[[House], RuleSet]


def _build_sichuan(house: House) -> RuleSet:
    numbers, switches = dict(house.numbers), dict(house.switches)
    plain = sichuan.SichuanOptions()
    options = sichuan.SichuanOptions(
        cap=numbers.get("cap", plain.cap),
        self_draw_points=numbers.get("self_draw_points", plain.self_draw_points),
        any_single_wait=switches.get("any_single_wait", plain.any_single_wait),
        fan=house.points,
        off=house.off,
    )
    return SichuanRules(id=house.id, name_en=house.name_en, name_zh=house.name_zh, options=options)


def _build_kc(house: House) -> RuleSet:
    numbers, switches = dict(house.numbers), dict(house.switches)
    plain = KcOptions()
    options = KcOptions(
        ready_declaration=switches.get("ready_declaration", plain.ready_declaration),
        kongs_beside_group=switches.get("kongs_beside_group", plain.kongs_beside_group),
        minimum=numbers.get("minimum", plain.minimum),
        payer_cap=numbers.get("payer_cap", plain.payer_cap),
        discard_cap=numbers.get("discard_cap", plain.discard_cap),
        nearest_of_two=switches.get("nearest_of_two", plain.nearest_of_two),
        times=house.points,
        off=house.off,
    )
    return kc.KcRules(id=house.id, name_en=house.name_en, name_zh=house.name_zh, options=options)


def _mcr(profile: Profile) -> Schema:
    def build(house: House) -> RuleSet:
        names = (house.id, house.name_en, house.name_zh)
        return variants.variant(
            profile, names, dict(house.numbers), dict(house.switches), dict(house.points), house.off
        )

    return Schema(
        profile.id, variants.NUMBERS, variants.SWITCHES, variants.FAN_NAMES, variants.POINTS, build
    )


SCHEMAS: dict[str, Schema] = {
    schema.base: schema
    for schema in (
        *map(_mcr, PROFILES),
        Schema(
            "sichuan-2024",
            {"cap": (0, 20), "self_draw_points": (0, 100)},
            ("any_single_wait",),
            {name: p.id for p in sichuan.PATTERNS for name in (p.id, p.zh)},
            (0, 20),
            _build_sichuan,
        ),
        Schema(
            "kc-2.5",
            {"minimum": (1, 1000), "payer_cap": (1, 1_000_000), "discard_cap": (1, 1_000_000)},
            ("ready_declaration", "kongs_beside_group", "nearest_of_two"),
            {name: p.id for p in kc.PATTERNS for name in (p.id, p.zh)},
            (1, 1000),
            _build_kc,
        ),
    )
}
"""What a house may change, by base."""

BASES: tuple[str, ...] = tuple(SCHEMAS)
"""Every rule set that a house may start from."""


def load_house_rules(path: str | Path) -> RuleSet:
    """The rule set that a house-rule file describes.

    Raises:
        OSError: when the file cannot be read.
        HouseRuleError: with every mistake and its line.
    """
    written = Path(path).read_bytes()
    try:
        text = written.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = written.count(b"\n", 0, error.start) + 1
        mistake = Mistake(line, "", "is not UTF-8 text; save the file as UTF-8")
        raise HouseRuleError(str(path), (mistake,)) from None
    return parse_house_rules(text, str(path))


def parse_house_rules(text: str, name: str = "house rules") -> RuleSet:
    """The rule set that the text of a house-rule file describes; errors as in
    `load_house_rules`.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        number = int(line[1]) if line else max(1, len(text.splitlines()))
        raise HouseRuleError(name, (Mistake(number, "", f"not TOML: {error}"),)) from None
    base = data.get("base")
    if not isinstance(base, str) or base not in BASES:
        said = "is missing" if base is None else f"{base!r} is no rule set"
        place = line_of(text.splitlines(), "", "base")
        raise HouseRuleError(name, (Mistake(place, "base", f"{said}; use {', '.join(BASES)}"),))
    reader = _Reader(text, data, SCHEMAS[base])
    house = reader.house()
    if reader.mistakes:
        raise HouseRuleError(name, tuple(sorted(reader.mistakes, key=lambda mistake: mistake.line)))
    return SCHEMAS[base].build(house)


class _Reader:
    """Reads a file's data by a schema and collects its mistakes."""

    def __init__(self, text: str, data: Mapping[str, object], schema: Schema) -> None:
        self.lines = text.splitlines()
        self.data = data
        self.schema = schema
        self.mistakes: list[Mistake] = []

    def house(self) -> House:
        known = (*_TEXTS, *self.schema.numbers, *_TABLES)
        for key in self.data:
            if key not in known:
                self._mistake("", key, f"is not known; {_nearest(key, known)}")
        own_id = self._text("id", required=True)
        if own_id in BASES:
            self._mistake("", "id", f"{own_id!r} is taken by the rule set itself; choose another")
        return House(
            own_id,
            self._text("name_en") or own_id,
            self._text("name_zh") or own_id,
            tuple(self._numbers()),
            tuple(self._switches()),
            tuple(self._points()),
            tuple(self._off()),
        )

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

    def _numbers(self) -> list[tuple[str, int]]:
        found = [
            (key, self._number("", key, self.data[key], span))
            for key, span in self.schema.numbers.items()
            if key in self.data
        ]
        return [(key, value) for key, value in found if value is not None]

    def _number(self, table: str, key: str, value: object, span: tuple[int, int]) -> int | None:
        low, high = span
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self._mistake(table, key, f"must be a whole number from {low} to {high}, got {value!r}")
            return None
        return value

    def _table(self, key: str) -> Mapping[str, object]:
        value = self.data.get(key, {})
        if not isinstance(value, Mapping):
            self._mistake("", key, f"must be a table; begin it with [{key}] on a line of its own")
            return {}
        return value

    def _switches(self) -> list[tuple[str, bool]]:
        found: list[tuple[str, bool]] = []
        for key, value in self._table("switches").items():
            if key not in self.schema.switches:
                self._mistake(
                    "switches", key, f"is no switch; {_nearest(key, self.schema.switches)}"
                )
            elif not isinstance(value, bool):
                self._mistake("switches", key, f"must be true or false, got {value!r}")
            else:
                found.append((key, value))
        return found

    def _points(self) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        for key, value in self._table("points").items():
            fan = self._fan("points", key, key)
            points = self._number("points", key, value, self.schema.points)
            if fan is not None and points is not None:
                found.append((fan, points))
        return found

    def _off(self) -> list[str]:
        table = self._table("off")
        for key in table:
            if key != "fans":
                self._mistake("off", key, 'is not known; write fans = ["…"]')
        names = table.get("fans", [])
        if not isinstance(names, list):
            self._mistake("off", "fans", f"must be a list of fan, got {names!r}")
            return []
        return [fan for name in names if (fan := self._fan("off", "fans", str(name))) is not None]

    def _fan(self, table: str, key: str, name: str) -> str | None:
        if name not in self.schema.fans:
            self._mistake(
                table, key, f"{name!r} is no fan; {_nearest(name, tuple(self.schema.fans))}", name
            )
        return self.schema.fans.get(name)

    def _mistake(self, table: str, key: str, message: str, shown: str = "") -> None:
        self.mistakes.append(Mistake(line_of(self.lines, table, key, shown), key, message))


def _nearest(word: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(word, known, 1)
    if close:
        return f"did you mean {close[0]!r}?"
    return (
        f"use {', '.join(known)}"
        if len(known) <= MOST_NAMES
        else "docs/fans.md and docs/fans-sichuan-kc.md list the names"
    )


MOST_NAMES = 30
"""A message that would list more names than these points to the list instead."""
