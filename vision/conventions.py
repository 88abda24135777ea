"""How melds are laid on the table, per rule set, in one table.

The position of the sideways tile tells from whom it was claimed: MCR 2006 clause 3.6.5 and Sichuan
T/TFMJ 01-2024 clause 8.6.2 agree (left, middle, right for the player on the left, across, on the
right). A concealed kong lies face down in MCR (3.6.8, shown once the hand is over) and with its two
middle tiles down in Sichuan (8.6.1 b); house rules differ, so every pattern is understood
everywhere and the table only says how usual it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from hupai.scoring.hand import Source


@dataclass(frozen=True, slots=True)
class Convention:
    """Habits of laying melds.

    Attributes:
        kong_patterns: how usual each way to lay a concealed kong is: a letter a tile, ``?`` face
            down, ``x`` face up.
        open_kong_concealed: share of kongs with all four faces up and none sideways that are
            concealed ones.
        chows: chows may be claimed at all.
    """

    kong_patterns: tuple[tuple[str, float], ...]
    open_kong_concealed: float
    chows: bool = True

    def pattern_share(self, pattern: str) -> float:
        """How usual a pattern of face-down tiles is; rare, not impossible, where the table does not
        name it.
        """
        return dict(self.kong_patterns).get(pattern, 0.01)


_DOWN_FIRST = (
    ("????", 0.5),
    ("?xx?", 0.12),
    ("x??x", 0.12),
    ("???x", 0.05),
    ("x???", 0.05),
    ("?x??", 0.05),
    ("??x?", 0.05),
)
_MIDDLE_DOWN = (
    ("x??x", 0.7),
    ("????", 0.1),
    ("?xx?", 0.08),
    ("???x", 0.03),
    ("x???", 0.03),
    ("?x??", 0.03),
    ("??x?", 0.03),
)

GENERAL = Convention(_DOWN_FIRST, 0.5)
"""Where the rule set is not known."""

CONVENTIONS: dict[str, Convention] = {
    "mcr": Convention(_DOWN_FIRST, 0.5),
    "sichuan": Convention(_MIDDLE_DOWN, 0.15, chows=False),
    "kc": Convention(_DOWN_FIRST, 0.5),
}
"""By the part of a rule set's id before the first hyphen."""


def convention(rules: str | None) -> Convention:
    """The habits that go with a rule set's id, ``mcr-1998`` for example; the general ones for None
    or an unknown id.
    """
    return GENERAL if rules is None else CONVENTIONS.get(rules.partition("-")[0], GENERAL)


def claimed_from(position: int, size: int) -> Source:
    """From whom the sideways tile was claimed: leftmost from the left, rightmost from the right,
    any other from across.
    """
    if position == 0:
        return Source.LEFT
    return Source.RIGHT if position == size - 1 else Source.ACROSS
