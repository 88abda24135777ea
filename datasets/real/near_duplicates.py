"""Finds photos of the same scene, and makes splits that keep them together.

    python -m hupai.datasets.real.near_duplicates FOLDER...

Each folder has images/ and labels/; pairs are found inside folders and between them. The hash is
the sign of brightness differences between neighbours on a 16 by 16 grid, in both directions (dHash,
512 bits), of the photo and its quarter turns. Photos of one table are similar even if they show
different hands, so a pair is of one scene only if most of the labels are the same, too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.real.labels import LabelError, LabelledPhoto, read_folder

GRID = 16
"""Rows and columns of the grid of a hash."""

ALIKE = 0.2
"""Share of bits that may differ between similar photos; for its effect see datasets/README.md."""

SAME = 0.8
"""Share of the labels that photos of one scene have in common."""

Bits = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two similar photos.

    Attributes:
        first, second: indices of the photos.
        distance: share of bits that differ, in the best of four turns.
        common: share of the labels in common, of the photo that has more.
    """

    first: int
    second: int
    distance: float
    common: float

    @property
    def same_scene(self) -> bool:
        """Whether they show the same tiles."""
        return self.common >= SAME


def hashes(image: NDArray[np.uint8]) -> Bits:
    """Return the dHash of a photo and of its quarter turns, shape (4, 512).

    Args:
        image: BGR or grey; black borders, which padding to a square leaves, are cut off.
    """
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    rows, columns = (np.nonzero((grey > 12).mean(axis) > 0.05)[0] for axis in (1, 0))
    if len(rows) >= 16 and len(columns) >= 16:
        grey = grey[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return np.stack([_hash(np.ascontiguousarray(np.rot90(grey, turns))) for turns in range(4)])


def _hash(grey: NDArray[Any]) -> Bits:
    small = cv2.resize(grey, (GRID + 1, GRID + 1), interpolation=cv2.INTER_AREA).astype(np.int16)
    across = small[:GRID, 1:] > small[:GRID, :GRID]
    down = small[1:, :GRID] > small[:GRID, :GRID]
    return np.concatenate([across.ravel(), down.ravel()])


def pairs(photos: Sequence[LabelledPhoto], alike: float = ALIKE) -> tuple[Pair, ...]:
    """Find all pairs of similar photos, the most similar first.

    Photos that cannot be decoded are skipped.
    """
    pictures = ((i, cv2.imread(str(photo.path))) for i, photo in enumerate(photos))
    seen = [(i, hashes(np.asarray(image, np.uint8))) for i, image in pictures if image is not None]
    if len(seen) < 2:
        return ()
    upright = np.stack([bits[0] for _, bits in seen]).astype(np.float32) * 2 - 1
    found = []
    for k, (i, turned) in enumerate(seen[:-1]):
        # Bits as -1 and 1: their product is the number of equal bits minus that of different ones.
        equal = (turned.astype(np.float32) * 2 - 1) @ upright[k + 1 :].T
        distance = (1 - equal.max(0) / upright.shape[1]) / 2
        for other in np.nonzero(distance <= alike)[0]:
            j = seen[k + 1 + int(other)][0]
            found.append(Pair(i, j, float(distance[other]), _common(photos[i], photos[j])))
    return tuple(sorted(found, key=lambda pair: pair.distance))


def _common(first: LabelledPhoto, second: LabelledPhoto) -> float:
    one, two = (Counter(tile for tile, _ in photo.labels) for photo in (first, second))
    return (one & two).total() / max(one.total(), two.total(), 1)


def scenes(photos: Sequence[LabelledPhoto], found: Sequence[Pair]) -> tuple[tuple[int, ...], ...]:
    """Group photos by scene, each photo in one group; the first of a group is the one to keep."""
    group_of = {i: [i] for i in range(len(photos))}
    for pair in found:
        first, second = group_of[pair.first], group_of[pair.second]
        if pair.same_scene and first is not second:
            first += second
            group_of |= dict.fromkeys(second, first)
    unique = {id(group): sorted(group) for group in group_of.values()}
    return tuple(tuple(group) for group in sorted(unique.values()))


def split(
    tables: Mapping[str, str], sets: Mapping[str, str], share: float, seed: int = 0
) -> tuple[frozenset[str], frozenset[str]]:
    """Split photos for training and evaluation, so that no table and no tile set is in both.

    Args:
        tables: table of each photo.
        sets: tile set of each table; a table that is missing counts as a separate set.
        share: about this share of the photos is for measuring.
        seed: seed of the choice.

    Returns:
        Names for training, names for measuring.
    """
    groups: dict[str, list[str]] = {}
    for photo, table in tables.items():
        groups.setdefault(sets.get(table, f"table {table}"), []).append(photo)
    names = sorted(groups)
    order = [names[i] for i in np.random.default_rng(seed).permutation(len(names))]
    measured: list[str] = []
    for name in order:
        rest = share * len(tables) - len(measured)
        if len(groups[name]) <= max(rest * 1.5, 1) and rest > 0:
            measured += groups[name]
    return frozenset(tables) - frozenset(measured), frozenset(measured)


def report(folders: Sequence[Path]) -> str:
    """Count near-duplicates inside each folder and between them, as a Markdown table."""
    read = [read_folder(folder) for folder in folders]
    photos = [photo for here in read for photo in here]
    folder_of = [number for number, here in enumerate(read) for _ in here]
    found = pairs(photos)
    groups = scenes(photos, found)
    lines = [
        "| folders | photos | similar pairs | of one scene | photos that repeat a scene |",
        "|---|---|---|---|---|",
    ]
    for a, b in combinations_with_replacement(range(len(folders)), 2):
        between = [p for p in found if {folder_of[p.first], folder_of[p.second]} == {a, b}]
        same = sum(pair.same_scene for pair in between)
        if a == b:
            name, count = folders[a].name, len(read[a])
            inside = (sum(folder_of[i] == a for i in group) for group in groups)
            repeated = sum(max(0, number - 1) for number in inside)
        else:
            name, count = f"{folders[a].name} and {folders[b].name}", len(read[a]) + len(read[b])
            repeated = sum({a, b} <= {folder_of[i] for i in group} for group in groups)
        lines.append(f"| {name} | {count} | {len(between)} | {same} | {repeated} |")
    return "\n".join([*lines, "", *(_line(pair, photos) for pair in found if pair.same_scene)])


def _line(pair: Pair, photos: Sequence[LabelledPhoto]) -> str:
    names = f"{photos[pair.first].path.stem} {photos[pair.second].path.stem}"
    return f"{names}: {pair.distance:.3f} of the bits differ, {pair.common:.2f} of the labels agree"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command ``python -m hupai.datasets.real.near_duplicates``."""
    parser = argparse.ArgumentParser(
        prog="python -m hupai.datasets.real.near_duplicates",
        description="Find photos of one scene.",
    )
    parser.add_argument("folders", type=Path, nargs="+")
    try:
        print(report(parser.parse_args(arguments).folders))
    except LabelError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
