"""Groups photos into tables and scenes by similarity, and splits them.

Two photos are of one table if they have the same enrolled tile set or similar perceptual hashes
(`hupai.datasets.real.near_duplicates`); they are of one scene if most of the tiles are the same,
too. Photos of one scene are never on both sides of a split.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.from_hands.labels import HandLabel
from hupai.datasets.real.near_duplicates import ALIKE, SAME, Bits, hashes

TRAIN, HELD_OUT_PHOTOS, HELD_OUT_TABLE = "train", "held-out-photos", "held-out-table"
"""Parts of a split: for training; held-out scenes of the same tables; tables that training never
sees."""

TABLE_SHARE = 0.2
"""About this share of the photos is held out as whole tables, if there are three tables or more."""

SCENE_SHARE = 0.25
"""About this share of the scenes of each other table is held out."""


@dataclass(frozen=True, slots=True)
class Place:
    """The group of a photo.

    Attributes:
        table: name of the table.
        scene: name of the scene.
        part: `TRAIN`, `HELD_OUT_PHOTOS` or `HELD_OUT_TABLE`.
    """

    table: str
    scene: str
    part: str


def places(photos: Sequence[HandLabel]) -> tuple[Place, ...]:
    """Find table, scene and part of each photo, in the order given.

    The result does not depend on the order of the photos.
    """
    near = _alike([_hashes_of(photo) for photo in photos])
    n = len(photos)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    same_set = [
        (i, j)
        for i, j in pairs
        if photos[i].tile_set is not None and photos[i].tile_set == photos[j].tile_set
    ]
    alike = [(i, j) for i, j in pairs if near[i, j]]
    scenes = _groups(n, [(i, j) for i, j in alike if _common(photos[i], photos[j]) >= SAME])
    tables = _groups(n, same_set + alike)
    names = [_name(photos, group, "table") for group in tables]
    table_of = {i: name for name, group in zip(names, tables, strict=True) for i in group}
    scene_of = {i: _name(photos, group, "scene") for group in scenes for i in group}
    apart = _tables_apart(names, tables)
    parts = _parts(photos, table_of, scene_of, apart)
    return tuple(Place(table_of[i], scene_of[i], parts[i]) for i in range(n))


def _tables_apart(names: Sequence[str], tables: Sequence[Sequence[int]]) -> frozenset[str]:
    """Choose the held-out tables, in an order that depends only on their names."""
    if len(tables) < 3:
        return frozenset()
    sizes = dict(zip(names, map(len, tables), strict=True))
    total, taken, chosen = sum(sizes.values()), 0, set()
    for name in sorted(names, key=_rank):
        if taken + sizes[name] <= max(TABLE_SHARE * total, 1) * 1.5 and taken < TABLE_SHARE * total:
            chosen.add(name)
            taken += sizes[name]
    return frozenset(chosen)


def _parts(
    photos: Sequence[HandLabel],
    table_of: dict[int, str],
    scene_of: dict[int, str],
    apart: frozenset[str],
) -> dict[int, str]:
    """Return the part of each photo; of every table with two or more scenes some are held out."""
    parts: dict[int, str] = {}
    for table in sorted(set(table_of.values())):
        here = [i for i in range(len(photos)) if table_of[i] == table]
        if table in apart:
            parts |= dict.fromkeys(here, HELD_OUT_TABLE)
            continue
        scenes = sorted({scene_of[i] for i in here}, key=_rank)
        count = round(SCENE_SHARE * len(scenes)) if len(scenes) > 2 else len(scenes) // 2
        out = frozenset(scenes[: max(count, 1 if len(scenes) > 1 else 0)])
        parts |= {i: HELD_OUT_PHOTOS if scene_of[i] in out else TRAIN for i in here}
    return parts


def _hashes_of(photo: HandLabel) -> Bits | None:
    """Hash a photo; None if it cannot be decoded."""
    image = cv2.imdecode(np.frombuffer(photo.load(), np.uint8), cv2.IMREAD_REDUCED_COLOR_2)
    return None if image is None else hashes(np.asarray(image, np.uint8))


def _alike(hashed: Sequence[Bits | None]) -> NDArray[np.bool_]:
    """Return which photos are similar, shape (n, n), in any of four quarter turns."""
    n = len(hashed)
    found = np.zeros((n, n), np.bool_)
    known = [i for i in range(n) if hashed[i] is not None]
    if not known:
        return found
    turned = np.stack([np.asarray(hashed[i]) for i in known]).astype(np.float32) * 2 - 1
    upright = turned[:, 0]
    # Bits as -1 and 1: their product is the number of equal bits minus that of different ones.
    for k, i in enumerate(known):
        distance = (1 - (turned[k] @ upright.T).max(0) / upright.shape[1]) / 2
        found[i, [known[j] for j in np.nonzero(distance <= ALIKE)[0].tolist()]] = True
    return np.asarray(found | found.T)


def _common(first: HandLabel, second: HandLabel) -> float:
    one, two = Counter(first.faces), Counter(second.faces)
    return (one & two).total() / max(one.total(), two.total(), 1)


def _groups(n: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components of a graph of n nodes."""
    group_of = {i: [i] for i in range(n)}
    for i, j in pairs:
        first, second = group_of[i], group_of[j]
        if first is not second:
            first += second
            group_of |= dict.fromkeys(second, first)
    return [sorted(group) for group in {id(g): g for g in group_of.values()}.values()]


def _name(photos: Sequence[HandLabel], group: Sequence[int], kind: str) -> str:
    """Name a group: a table by its enrolled set if it has one, otherwise by its first hash."""
    sets = sorted({name for i in group if (name := photos[i].tile_set) is not None})
    if kind == "table" and sets:
        return "set-" + "-".join(sets)
    return f"{kind}-{min(photos[i].photo for i in group)[:10]}"


def _rank(name: str) -> str:
    """Return a pseudo-random sort key of a name (a hash)."""
    return hashlib.sha256(name.encode()).hexdigest()
