"""Names that people give and others see."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Controls, marks of the direction of writing, spaces of no width: with them one name can look like
another, or turn what stands beside it. Joiners stay, as emoji need them.
"""


def is_visible(name: str) -> bool:
    """Tell whether a name shows all that it holds."""
    return not _UNSEEN.search(name)


def look_the_same(names: Iterable[str]) -> bool:
    """Tell whether two of these names look the same: by spaces, or another coding of a letter.

    On a sheet nobody could tell whose points are whose.
    """
    shown = [" ".join(unicodedata.normalize("NFKC", name).split()) for name in names]
    return len(set(shown)) < len(shown)
