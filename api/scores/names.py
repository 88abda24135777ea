"""Names that people give and others see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Controls, marks of the direction of writing, spaces of no width: with them one name can look like
another, or reverse the text beside it. Joiners stay, because emoji need them.
"""


def is_visible(name: str) -> bool:
    """Return whether a name shows everything that it contains."""
    return not _UNSEEN.search(name)


def look_the_same(names: Iterable[str]) -> bool:
    """Return whether two of these names look the same: they differ only in spaces, or in the coding
    of a letter.

    On a sheet it would be unclear whose points are whose.
    """
    shown = [" ".join(unicodedata.normalize("NFKC", name).split()) for name in names]
    return len(set(shown)) < len(shown)
