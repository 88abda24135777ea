"""Names that people give and others see."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Controls, marks of the direction of writing, spaces of no width: with them one name can look like
another, or turn what stands beside it. Joiners stay, as emoji need them.
"""


def is_visible(name: str) -> bool:
    """Tell whether a name shows all that it holds."""
    return not _UNSEEN.search(name)
