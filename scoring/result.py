"""What a rule set answers: the score of a hand, each fan with its clause, and every problem found.

The same types serve all rule sets. `Score.unit` says what `points` means: fan points that are added
(MCR), fan that double (Sichuan), or factors that multiply (KC).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.tiles import Tile


class Severity(Enum):
    """How bad a problem is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with, or worth saying about, a hand. Data, never raised.

    Attributes:
        code: stable name, e.g. ``five_of_a_kind``; docs/problems.md lists them.
        severity: with ``error`` the hand cannot win as given.
        message: one English sentence that says what is wrong and what to do.
        message_zh: the same in Chinese.
        tiles: the tiles concerned.
    """

    code: str
    severity: Severity
    message: str
    message_zh: str
    tiles: tuple[Tile, ...] = ()

    def __str__(self) -> str:
        return self.message.removesuffix(".")


def sentences(problems: Iterable[Problem]) -> tuple[str, str]:
    """Return what problems say, in English and in Chinese."""
    found = tuple(problems)
    return "; ".join(p.message for p in found), "".join(p.message_zh for p in found)


class SetKind(Enum):
    """The parts a winning hand is split into."""

    CHOW = "chow"
    PUNG = "pung"
    KONG = "kong"
    PAIR = "pair"
    KNITTED = "knitted"
    SINGLES = "singles"

    # Members are singletons; the hash of `Enum` itself is a call into Python each time.
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class SetPart:
    """One part of a split: a set, a pair, a knitted run (147, 258, 369 of one suit), or the single
    tiles of an irregular hand.

    Attributes:
        kind: what it is.
        tiles: its tiles, ascending.
        concealed: True if it was never claimed; a pung completed by another player's discard is not
            concealed.
        melded: True if it lay open before the win (a concealed kong is both concealed and melded).
        has_winning_tile: True for the part the winning tile was counted into.
    """

    kind: SetKind
    tiles: tuple[Tile, ...]
    concealed: bool
    melded: bool = False
    has_winning_tile: bool = False


class Principle(Enum):
    """Why a fan that the hand shows was not counted. The first five are the counting principles of
    MCR.
    """

    NON_REPEAT = "non_repeat"
    """不重复: it is contained in, or inevitable with, another fan that counts."""
    NON_SEPARATION = "non_separation"
    """不拆移: sets once combined for a fan are not taken apart for another."""
    NON_IDENTICAL = "non_identical"
    """不得相同: sets once used for a fan are not used for the same fan again."""
    HIGH_NOT_LOW = "high_not_low"
    """就高不就低: of two decompositions the higher-scoring counts."""
    COMBINE_ONCE = "combine_once"
    """套算一次: a set left over is combined with one already used once only."""
    EXCLUDED = "excluded"
    """The clause of another fan says in words that this one is not added."""
    RULING = "ruling"
    """No text says so: a ruling of this project (docs/rulings.md)."""
    HOUSE = "house"
    """A house rule switches it off."""
    CONDITION = "condition"
    """One of its conditions is not met: an open hand, the wait, a profile without it."""

    # Members are singletons; the hash of `Enum` itself is a call into Python each time.
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class FanLine:
    """One fan of the answer.

    Attributes:
        id: stable name in snake case, e.g. ``mixed_double_chow``.
        zh: Chinese name as in the rule text, e.g. ``喜相逢``.
        en: English name.
        points: value of one count, in the rule set's unit.
        count: how often it counts.
        parts: indices into `Score.split` of the parts it uses; empty when it is about the hand or
            the win as a whole.
        clause: clause of the rule, e.g. ``MCR 1998, fan 70``.
        why_en: a sentence on what in this hand earns it.
        why_zh: the same in Chinese.
        ja: Japanese name, where the rules are Japanese.
    """

    id: str
    zh: str
    en: str
    points: int
    count: int
    parts: tuple[int, ...]
    clause: str
    why_en: str = ""
    why_zh: str = ""
    ja: str = ""

    def __str__(self) -> str:
        times = f" × {self.count}" if self.count > 1 else ""
        return f"{self.zh} {self.en} {self.points}{times}"


@dataclass(frozen=True, slots=True)
class ExcludedFan:
    """A fan that the hand shows but that does not count, with the reason.

    Attributes:
        id, zh, en, points, clause, ja: as in `FanLine`.
        count: how often it would have counted.
        principle: why not.
        by: id of the fan that contains it or of the sets' other use; None for a house rule.
        reason_en: one sentence.
        reason_zh: the same in Chinese.
    """

    id: str
    zh: str
    en: str
    points: int
    count: int
    clause: str
    principle: Principle
    by: str | None
    reason_en: str
    reason_zh: str
    ja: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step from the fan to the total, where the rules do more than add the fan up.

    Attributes:
        id: stable name in snake case, e.g. ``closed_pung``.
        en, zh: what the step is, e.g. ``closed pung of 9m``.
        unit: what `amount` counts: ``fan``, ``han``, ``fu`` or ``points``.
        amount: what it brings, or what results where `formula` says how.
        formula: how it is computed, e.g. ``30 × 2^(2 + 3)``; empty for a plain addend.
        parts: indices into `Score.split` of the parts it is about.
        ja: Japanese name, where the rules are Japanese.
    """

    id: str
    en: str
    zh: str
    unit: str
    amount: int
    formula: str = ""
    parts: tuple[int, ...] = ()
    ja: str = ""

    def __str__(self) -> str:
        formula = f" = {self.formula}" if self.formula else ""
        return f"{self.en}: {self.amount} {self.unit}{formula}"


@dataclass(frozen=True, slots=True)
class Payment:
    """What one player pays the winner.

    Attributes:
        payer: ``discarder``, ``each``, ``others``, ``dealer``, ``robbed`` …: the role in the words
            of the rule set.
        count: how many players pay this.
        amount: points (or chips) each of them pays.
        formula: how it is computed, e.g. ``8 + 24``.
    """

    payer: str
    count: int
    amount: int
    formula: str


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The best split that was not chosen.

    Attributes:
        split: its parts.
        total: what it would have scored.
        fans: its fan as (Chinese name, count).
        fans_en: their English names, in the same order.
    """

    split: tuple[SetPart, ...]
    total: int
    fans: tuple[tuple[str, int], ...]
    fans_en: tuple[str, ...] = ()


class Reasons(NamedTuple):
    """The fields of `Score` that say why; see there."""

    fans: tuple[FanLine, ...]
    excluded: tuple[ExcludedFan, ...]
    split: tuple[SetPart, ...]
    runner_up: RunnerUp | None
    steps: tuple[Step, ...] = ()


class _Explained:
    """Holds the function that computes the reasons of a score; not a field of the score."""

    __slots__ = ("_explain",)


@dataclass(frozen=True, slots=True)
class Score(_Explained):
    """The answer of a rule set to a hand.

    Attributes:
        rules: id of the rule set.
        complete: the tiles form a winning shape of this rule set.
        legal: the win is allowed: complete, no ``error`` among the problems, and the minimum is
            reached.
        total: MCR: fan points with flowers. Sichuan: base points (1, 2, 4, 8). KC: the multiplier.
            Riichi: the points of the win, without counters and deposits. 0 when not complete.
        unit: ``fan``, ``points`` or ``times``.
        fans: what counts, highest points first.
        excluded: what does not, and why.
        split: the chosen split, empty when not complete.
        payments: who pays what; empty when the win is not legal.
        winner_receives: sum of the payments.
        problems: everything found, errors first.
        runner_up: the best other split, if there is one.
        details: figures that only this rule set has, by name, e.g. ``fan_sum`` for Sichuan.
        steps: from the fan to the total, in order, where the rules do more than add.

    An answer may come before its reasons (`answered`): `fans`, `excluded`, `split`, `runner_up` and
    `steps` are then computed when one of them is first read. In all other respects such an answer
    equals a complete one.
    """

    rules: str
    complete: bool
    legal: bool
    total: int
    unit: str
    fans: tuple[FanLine, ...] = ()
    excluded: tuple[ExcludedFan, ...] = ()
    split: tuple[SetPart, ...] = ()
    payments: tuple[Payment, ...] = ()
    winner_receives: int = 0
    problems: tuple[Problem, ...] = ()
    runner_up: RunnerUp | None = None
    details: tuple[tuple[str, int], ...] = ()
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        outcome = "win" if self.legal else "win not allowed" if self.complete else "no win"
        fans = ", ".join(map(str, self.fans))
        problems = "" if self.legal else "; ".join(map(str, self.problems))
        said = "; ".join(text for text in (fans, problems) if text)
        return f"{self.total} {self.unit} ({self.rules}), {outcome}: {said}"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # Only reached for a field that was left empty by `answered`.
            explain = None if name == "_explain" else getattr(self, "_explain", None)
            if explain is None:
                raise AttributeError(name)
            _fill(self, zip(Reasons._fields, explain(), strict=True))
            object.__setattr__(self, "_explain", None)
            return object.__getattribute__(self, name)


def answered(
    rules: str,
    legal: bool,
    total: int,
    unit: str,
    payments: tuple[Payment, ...],
    problems: tuple[Problem, ...],
    details: tuple[tuple[str, int], ...],
    explain: Callable[[], Reasons],
) -> Score:
    """Make the score of a complete hand, whose reasons `explain` gives when they are read."""
    score = object.__new__(Score)
    received = sum([payment.count * payment.amount for payment in payments])
    known = (rules, True, legal, total, unit, payments, received, problems, details, explain)
    _fill(score, zip(_KNOWN_AT_ONCE, known, strict=True))
    return score


_KNOWN_AT_ONCE = (
    "rules",
    "complete",
    "legal",
    "total",
    "unit",
    "payments",
    "winner_receives",
    "problems",
    "details",
    "_explain",
)


def _fill(score: Score, values: Iterable[tuple[str, object]]) -> None:
    for name, value in values:
        object.__setattr__(score, name, value)


class RuleSet(Protocol):
    """A rule set: `hupai.scoring.rule_sets.get(id)` gives one,
    `hupai.scoring.rule_sets.all_rules()` lists them.
    """

    @property
    def id(self) -> str:
        """Stable id, e.g. ``mcr-1998``."""
        ...

    @property
    def name_en(self) -> str:
        """English name."""
        ...

    @property
    def name_zh(self) -> str:
        """Chinese name."""
        ...

    @property
    def minimum(self) -> int:
        """The least total (in `Score.unit`, flowers apart) that may win; 0 if there is none."""
        ...

    @property
    def circumstances(self) -> tuple[str, ...]:
        """Names of the `Circumstances` fields this rule set reads, in the order to ask for them."""
        ...

    @property
    def tiles(self) -> frozenset[Tile]:
        """The kinds of tile that are in play, flowers included."""
        ...

    def score(self, hand: Hand, circumstances: Circumstances) -> Score:
        """Score a hand. Never raises for a bad hand: problems say what is wrong."""
        ...
