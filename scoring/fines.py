"""False wins: what the hand lacked, and the fines a referee may choose from.

Each family has a module ``fines`` with its own. Points are given only where the rule text states
them; where it leaves them to the referee or the event, so does this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import RuleSet


class Lack(Enum):
    """Why a hand does not win, in categories that a referee distinguishes."""

    COUNT = "count"
    """相公: too many or too few tiles."""
    SHAPE = "shape"
    """The tiles are not complete."""
    MINIMUM = "minimum"
    """Complete, but worth too little."""
    RULES = "rules"
    """Something that these rules do not allow: a suit too many, tiles not in play and the like."""
    UNKNOWN = "unknown"
    """It is not known which tile won, so nothing can be said yet."""


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing that was missing: its kind, the problem's code, and a sentence in both
    languages.
    """

    lack: Lack
    code: str
    message: str
    message_zh: str


@dataclass(frozen=True, slots=True)
class Paid:
    """What the offender pays: to whom (dealer, other), how many of them, how much each, how
    computed.
    """

    payee: str
    count: int
    amount: int
    formula: str


@dataclass(frozen=True, slots=True)
class FineChoice:
    """A fine that a referee may choose.

    Attributes:
        offence: stable name.
        name_en, name_zh: what to call it.
        points: taken off; None if the text states no number.
        clause: its clause.
        follows_en, follows_zh: what else follows.
        fits: the facts of the hand are those of the clause; the decision stays the referee's.
        payments: what is paid to whom, under rules where others receive it.
    """

    offence: str
    name_en: str
    name_zh: str
    points: int | None
    clause: str
    follows_en: str
    follows_zh: str
    fits: bool
    payments: tuple[Paid, ...] = ()


@dataclass(frozen=True, slots=True)
class OthersReady:
    """KC: another player who was ready: the dealer or not, and the multiplier of the best hand as a
    win on a discard.
    """

    is_dealer: bool
    multiplier: int


@dataclass(frozen=True, slots=True)
class Announced:
    """A false win.

    Attributes:
        rules: the rule set.
        circumstances: how it was said to be won.
        missing: what was missing, the gravest first.
        away: tiles that the hand without its winning tile was away from being ready; None: not 13
            tiles.
        offender_is_dealer: whether the player who announced it is the dealer; None: as in the
            circumstances.
        ready: the others who were ready, if the rules pay them.
    """

    rules: RuleSet
    circumstances: Circumstances
    missing: tuple[Missing, ...]
    away: int | None
    offender_is_dealer: bool | None = None
    ready: tuple[OthersReady, ...] = ()

    def lacks(self, *wanted: str | Lack) -> bool:
        """Return whether something of these codes or kinds was missing."""
        return any(one.code in wanted or one.lack in wanted for one in self.missing)


@dataclass(frozen=True, slots=True)
class Fines:
    """The false-win rules of a family.

    Attributes:
        choices: the fines that a referee may choose from.
        tiles_missing: how many tiles a hand of 13 is from a winning shape.
    """

    choices: Callable[[Announced], tuple[FineChoice, ...]]
    tiles_missing: Callable[[Hand, Circumstances], int]
