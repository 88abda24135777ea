"""What two rule sets of one family say differently about one hand."""

from __future__ import annotations

from dataclasses import dataclass

from hupai.scoring.result import Score


@dataclass(frozen=True, slots=True)
class FanDifference:
    """A fan, or a figure, that the two profiles count differently.

    Attributes:
        id, zh, en: the fan.
        left, right: (points, count) under each; None if it does not count.
        reason_en, reason_zh: why.
    """

    id: str
    zh: str
    en: str
    left: tuple[int, int] | None
    right: tuple[int, int] | None
    reason_en: str
    reason_zh: str


@dataclass(frozen=True, slots=True)
class ProfileDifference:
    """One hand under two profiles.

    Attributes:
        left, right: the whole answers.
        fans: the fan that differ, highest points first; empty when the profiles agree on the hand.
    """

    left: Score
    right: Score
    fans: tuple[FanDifference, ...]

    @property
    def agree(self) -> bool:
        """True if nothing differs."""
        return not self.fans and (self.left.total, self.left.legal) == (
            self.right.total,
            self.right.legal,
        )
