"""House rules for any rule set: a TOML file names the base rule set and the differences, without
code.

docs/house-rules.md (MCR) and docs/house-rules-sichuan-kc.md list what a house may change of each
base. The form::

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

Everything but ``id`` and ``base`` may be omitted. All mistakes in a file are reported together,
each with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from hupai.scoring.cases.fields import is_name
from hupai.scoring.errors import HupaiError
from hupai.scoring.family import House, HouseSchema
from hupai.scoring.house_rules.refusals import IN_CHINESE
from hupai.scoring.house_rules.toml_lines import line_of
from hupai.scoring.result import RuleSet
from hupai.scoring.rule_sets import families

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

    @property
    def message_zh(self) -> str:
        """The whole in Chinese, with line and key."""
        place = f"第{self.line}行"
        said = IN_CHINESE.translated(self.message)
        return f"{place}，{self.key}：{said}" if self.key else f"{place}：{said}"


class HouseRuleError(HupaiError, ValueError):
    """A house-rule file that cannot be used; `mistakes` are all that was found."""

    def __init__(self, name: str, mistakes: tuple[Mistake, ...]) -> None:
        self.name = name
        self.mistakes = mistakes
        super().__init__("\n".join(f"{name}, {mistake}" for mistake in mistakes))

    @property
    def message_zh(self) -> str:
        """The same in Chinese."""
        return "\n".join(f"{self.name}，{mistake.message_zh}" for mistake in self.mistakes)


def schemas() -> dict[str, HouseSchema]:
    """Return what a house may change, by base: every rule set that a house may start from."""
    return {schema.base: schema for family in families() for schema in family.house_schemas}


_MOST_NAMES = 30
"""Messages that would list more names than this refer to the documentation instead."""


def load_house_rules(path: str | Path) -> RuleSet:
    """Build the rule set that a house-rule file describes.

    Raises:
        OSError: if the file cannot be read.
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
    """Build the rule set that the text of a house-rule file describes.

    Raises the errors of `load_house_rules`.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        number = int(line[1]) if line else max(1, len(text.splitlines()))
        raise HouseRuleError(name, (Mistake(number, "", f"not TOML: {error}"),)) from None
    base = data.get("base")
    schema = schemas().get(base) if isinstance(base, str) else None
    reader = _Reader(text, data, schema or _any_base())
    if schema is None:
        said = "is missing" if base is None else f"{base!r} is no rule set"
        place = line_of(text.splitlines(), "", "base")
        reader.mistakes.append(
            Mistake(place, "base", f"{said}; {_nearest(str(base), (*schemas(),))}")
        )
    house = reader.house()
    if reader.mistakes or schema is None:
        raise HouseRuleError(name, tuple(sorted(reader.mistakes, key=lambda mistake: mistake.line)))
    return schema.build(house)


def _any_base() -> HouseSchema:
    """Return everything that any base allows; other keys are wrong under every base."""
    bases = schemas().values()
    numbers: dict[str, tuple[int, int]] = {}
    for schema in bases:
        for key, (low, high) in schema.numbers.items():
            known = numbers.get(key, (low, high))
            numbers[key] = min(low, known[0]), max(high, known[1])
    return HouseSchema(
        base="",
        numbers=numbers,
        switches=tuple(dict.fromkeys(one for schema in bases for one in schema.switches)),
        fans={name: fan for schema in bases for name, fan in schema.fans.items()},
        points=(min(s.points[0] for s in bases), max(s.points[1] for s in bases)),
        build=next(iter(bases)).build,
    )


_ID = re.compile(r"\w[\w-]*(\.\w[\w-]*)*")
"""An id is a name: letters, digits, hyphens, single dots; no path."""

_CAPS = ("cap", "payer_cap", "discard_cap")
"""Numbers that limit what a hand is paid, in the unit of the minimum."""


class _Reader:
    """Reads a file's data by a schema and collects its mistakes."""

    def __init__(self, text: str, data: Mapping[str, object], schema: HouseSchema) -> None:
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
        if own_id in schemas():
            self._mistake("", "id", f"{own_id!r} is taken by the rule set itself; choose another")
        elif own_id and not _ID.fullmatch(own_id):
            self._mistake(
                "", "id", f"{own_id!r} must be a name of letters, digits, hyphens and single dots"
            )
        numbers = self._numbers()
        points, off = self._points(), self._off()
        self._check_caps(numbers)
        self._check_on_and_off(points, off)
        return House(
            own_id,
            self._text("name_en") or own_id,
            self._text("name_zh") or own_id,
            {**numbers, **self._switches()},
            tuple((fan, value) for _, fan, value in points),
            tuple(fan for _, fan in off),
        )

    def _check_caps(self, numbers: Mapping[str, int]) -> None:
        """Find a cap below the minimum: every win would be paid less than may win."""
        if "minimum" not in self.schema.numbers:
            return
        own = [rules for family in families() for rules in family.rules]
        default = next((rules.minimum for rules in own if rules.id == self.schema.base), 0)
        least = numbers.get("minimum", default)
        for key in _CAPS:
            if key in numbers and numbers[key] < least:
                self._mistake("", key, f"is {numbers[key]}, below the minimum of {least} to win")

    def _check_on_and_off(
        self, points: list[tuple[str, str, int]], off: list[tuple[str, str]]
    ) -> None:
        """Find a fan that is given twice, under two names perhaps, or on and off at once."""
        seen: dict[str, str] = {}
        for name, fan, _ in points:
            if fan in seen:
                self._mistake("points", name, f"is the same fan as {seen[fan]!r}: keep one of them")
            seen.setdefault(fan, name)
        gone: dict[str, str] = {}
        for name, fan in off:
            if fan in gone:
                same = f"{name!r} is the same fan as {gone[fan]!r}: keep one of them"
                self._mistake("off", "fans", same, name)
            elif fan in seen:
                both = f"{name!r} has points in [points] and is switched off: choose one"
                self._mistake("off", "fans", both, name)
            gone.setdefault(fan, name)

    def _text(self, key: str, required: bool = False) -> str:
        value = self.data.get(key)
        if value is None:
            if required:
                self.mistakes.append(Mistake(1, key, f'is missing; write {key} = "…"'))
            return ""
        if not isinstance(value, str) or not value.strip():
            self._mistake("", key, f"must be a text in quotes, got {value!r}")
            return ""
        if not is_name(value):
            self._mistake("", key, "must not hold control characters")
        return value

    def _numbers(self) -> dict[str, int]:
        found = {
            key: self._number("", key, self.data[key], span)
            for key, span in self.schema.numbers.items()
            if key in self.data
        }
        return {key: value for key, value in found.items() if value is not None}

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

    def _switches(self) -> dict[str, bool]:
        found = {}
        for key, value in self._table("switches").items():
            if key not in self.schema.switches:
                self._mistake(
                    "switches", key, f"is no switch; {_nearest(key, self.schema.switches)}"
                )
            elif not isinstance(value, bool):
                self._mistake("switches", key, f"must be true or false, got {value!r}")
            else:
                found[key] = value
        return found

    def _points(self) -> list[tuple[str, str, int]]:
        """List name, fan and points of each fan that the house values otherwise."""
        found: list[tuple[str, str, int]] = []
        for key, value in self._table("points").items():
            fan = self._fan("points", key, key)
            points = self._number("points", key, value, self.schema.points)
            if fan is not None and points is not None:
                found.append((key, fan, points))
        return found

    def _off(self) -> list[tuple[str, str]]:
        """List name and fan of each that is switched off."""
        table = self._table("off")
        for key in table:
            if key != "fans":
                self._mistake("off", key, 'is not known; write fans = ["…"]')
        names = table.get("fans", [])
        if not isinstance(names, list):
            self._mistake("off", "fans", f"must be a list of fan, got {names!r}")
            return []
        named = ((str(name), self._fan("off", "fans", str(name))) for name in names)
        return [(name, fan) for name, fan in named if fan is not None]

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
        if len(known) <= _MOST_NAMES
        else "docs/fans.md and docs/fans-sichuan-kc.md list the names"
    )
