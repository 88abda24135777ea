"""Conventions of laying melds on the table, and how many tiles a hand has, by rule set.

The position of the sideways tile tells from whom it was claimed: MCR 2006 clause 3.6.5 and Sichuan
T/TFMJ 01-2024 clause 8.6.2 agree (left, middle, right for the player on the left, across, on the
right). A concealed kong lies face down in MCR (3.6.8, shown once the hand is over) and with its two
middle tiles down in Sichuan (8.6.1 b); in riichi its two outer tiles lie down. House rules differ,
so every pattern is understood everywhere, and the convention only says how frequent it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from hupai.scoring.hand import Source


@dataclass(frozen=True, slots=True)
class Convention:
    """Habits of laying melds.

    Attributes:
        kong_patterns: frequency of each pattern of a concealed kong: a letter a tile, ``?`` face
            down, ``x`` face up.
        open_kong_concealed: share of kongs with all four faces up and none sideways that are
            concealed ones.
        chows: chows may be claimed at all.
        hand_size: tiles of a hand before it wins, a kong counted as three: 13, in some games 16.
    """

    kong_patterns: tuple[tuple[str, float], ...]
    open_kong_concealed: float
    chows: bool = True
    hand_size: int = 13

    @property
    def sizes(self) -> tuple[int, int]:
        """Tiles of a hand that waits and of one that won, a kong counted as three."""
        return self.hand_size, self.hand_size + 1

    @property
    def sets(self) -> int:
        """Sets of a complete hand, and so the most melds it can have."""
        return self.hand_size // 3

    def pattern_share(self, pattern: str) -> float:
        """Return the frequency of a pattern; one that is not named is rare, not impossible."""
        return dict(self.kong_patterns).get(pattern, _RARE)


_RARE = 0.01
"""Frequency of patterns of a concealed kong that a convention does not name."""


_DOWN_FIRST = (
    ("????", 0.5),
    ("?xx?", 0.12),
    ("x??x", 0.12),
    ("???x", 0.05),
    ("x???", 0.05),
    ("?x??", 0.05),
    ("??x?", 0.05),
)
"""Frequencies of patterns where concealed kongs lie face down."""

_MIDDLE_DOWN = (
    ("x??x", 0.7),
    ("????", 0.1),
    ("?xx?", 0.08),
    ("???x", 0.03),
    ("x???", 0.03),
    ("?x??", 0.03),
    ("??x?", 0.03),
)
"""Frequencies of patterns where the two middle tiles lie face down."""

_OUTER_DOWN = (
    ("?xx?", 0.75),
    ("x??x", 0.12),
    ("????", 0.03),
    ("???x", 0.02),
    ("x???", 0.02),
    ("?x??", 0.02),
    ("??x?", 0.02),
)
"""Frequencies of patterns of riichi: a concealed kong shows its two middle tiles."""

GENERAL = Convention(_DOWN_FIRST, 0.5)
"""The convention where the rule set is not known."""

CONVENTIONS: dict[str, Convention] = {
    "mcr": Convention(_DOWN_FIRST, 0.5),
    "sichuan": Convention(_MIDDLE_DOWN, 0.15, chows=False),
    "kc": Convention(_DOWN_FIRST, 0.5),
    "riichi": Convention(_OUTER_DOWN, 0.05),
}
"""Conventions by the part of a rule set's id before the first hyphen."""


def convention(rules: str | None) -> Convention:
    """Return the convention of a rule set by its id; `GENERAL` for None or an unknown id."""
    return GENERAL if rules is None else CONVENTIONS.get(rules.partition("-")[0], GENERAL)


def claimed_from(position: int, size: int) -> Source:
    """Tell from whom a set of `size` tiles was claimed by the position of its sideways tile."""
    if position == 0:
        return Source.LEFT
    return Source.RIGHT if position == size - 1 else Source.ACROSS
