"""Checks whether two photos can show the same hand, by the number of tiles and by their faces."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.layout.completeness import most_kongs

MAX_CONFLICTS = 2
"""Maximum number of tiles with different faces on two photos of one hand: one may be misread."""

MAX_CONFLICT_LIKENESS = 0.05
"""Probability that two photos show the same face at a place, below which they conflict."""

MOST = 0.8
"""Share of a hand's tiles from which both photos show most of it: a tile of the same face elsewhere
on the other photo is then the same tile.
"""

MIN_LIKENESS = 0.3
"""Probability of showing the same face from which two tiles may be the same one."""


def excess(faces: Collection[int], photos: tuple[Collection[int], ...], hand_size: int) -> int:
    """Return by how many tiles the hands of photos together exceed one hand; flowers do not count.

    A hand that is too large on one photo alone, for example by a false detection, sets the limit.

    Args:
        faces: classes of the tiles of all photos, each tile once.
        photos: classes of the tiles on each photo.
        hand_size: tiles of a waiting hand, a kong counted as three.
    """
    together = _without_flowers(faces)
    counts = np.bincount(together, minlength=len(Tile)).astype(float)
    limit = hand_size + 1 + int(most_kongs(counts[None])[0])
    return max(0, len(together) - max(limit, *(len(_without_flowers(one)) for one in photos)))


def _without_flowers(faces: Collection[int]) -> list[int]:
    return [face for face in faces if not Tile(face).is_flower]
