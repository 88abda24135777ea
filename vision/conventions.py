"""Conventions of laying melds on the table, and how many tiles a hand has, by rule set.

The position of the sideways tile shows from whom it was claimed: MCR 2006 clause 3.6.5 and Sichuan
T/TFMJ 01-2024 clause 8.6.2 agree (left, middle, right for the player on the left, across, on the
right). How concealed kongs are laid depends on the family of the rule set
(`hupai.scoring.family.Family`). House rules differ, so every pattern is recognised under all rules,
and the convention only determines its prior frequency.
"""

from __future__ import annotations

from hupai.scoring.family import FACE_DOWN, Convention
from hupai.scoring.hand import Source
from hupai.scoring.rule_sets import family_of

__all__ = ["GENERAL", "Convention", "claimed_from", "convention"]

GENERAL = Convention(FACE_DOWN, 0.5)
"""The convention if the rule set is not known."""


def convention(rules: str | None) -> Convention:
    """Return the convention of a rule set by its id; `GENERAL` for None or an unknown id."""
    family = None if rules is None else family_of(rules)
    return GENERAL if family is None else family.convention


def claimed_from(position: int, size: int) -> Source:
    """Return the source of a claimed set of `size` tiles by the place of its sideways tile.

    Args:
        position: from 0 on the left, as the owner of the hand sees the set.
        size: number of tiles that lie side by side: an added tile does not count.
    """
    if position == 0:
        return Source.LEFT
    return Source.RIGHT if position == size - 1 else Source.ACROSS
