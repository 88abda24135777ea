"""Photos that show the same scene twice, found by a perceptual hash, and splits that keep them
together.

    python -m hupai.datasets.real.near_duplicates FOLDER...   # each with images/ and labels/; pairs inside folders and between them

The hash is the sign of brightness differences between neighbours on a 16 by 16 grid, in both
directions (dHash, 512 bits), of the photo and its quarter turns. Photos of one table look alike
though they show other hands; so a pair counts as the same scene only where most of the labels are
the same too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.datasets.real.labels import LabelError, LabelledPhoto, read_folder

GRID = 16
ALIKE = 0.2
"""Share of bits that may differ between photos that look alike; chosen by looking at pairs, see
datasets/README.md.
"""
SAME = 0.8
"""Share of the labels that photos of one scene have in common."""
Bits = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two photos that look alike.

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
    """dHash of a photo and of its quarter turns, shape (4, 512), from BGR or grey pixels; black
    borders are cut off first.
    """
    grey = (
        image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    )
    return np.stack(
        [_hash(np.ascontiguousarray(np.rot90(_inside(grey), turns))) for turns in range(4)]
    )


def _inside(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The photo without black rows and columns at its edges, which padding to a square leaves."""
    lit = grey > 12
    rows, columns = np.nonzero(lit.mean(1) > 0.05)[0], np.nonzero(lit.mean(0) > 0.05)[0]
    if len(rows) < 16 or len(columns) < 16:
        return grey
    return grey[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _hash(grey: NDArray[np.uint8]) -> Bits:
    small = cv2.resize(grey, (GRID + 1, GRID + 1), interpolation=cv2.INTER_AREA).astype(np.int16)
    across = small[:GRID, 1:] > small[:GRID, :GRID]
    down = small[1:, :GRID] > small[:GRID, :GRID]
    return np.concatenate([across.ravel(), down.ravel()])


def pairs(photos: Sequence[LabelledPhoto], alike: float = ALIKE) -> tuple[Pair, ...]:
    """All pairs of photos that look alike, the most alike first. Photos that cannot be decoded are
    left out.
    """
    pictures = ((i, cv2.imread(str(photo.path))) for i, photo in enumerate(photos))
    seen = [
        (i, hashes(np.asarray(picture, np.uint8))) for i, picture in pictures if picture is not None
    ]
    if len(seen) < 2:
        return ()
    upright = np.stack([bits[0] for _, bits in seen]).astype(np.float32) * 2 - 1
    found = []
    for k, (i, turned) in enumerate(seen[:-1]):
        # Bits as -1 and 1: their product is the number of equal bits less that of different ones.
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
    """Photos grouped by scene, each photo in one group; the first of a group is the one to keep."""
    leader = list(range(len(photos)))

    def top(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    for pair in found:
        if pair.same_scene:
            first, second = sorted((top(pair.first), top(pair.second)))
            leader[second] = first
    groups: dict[int, list[int]] = {}
    for i in range(len(photos)):
        groups.setdefault(top(i), []).append(i)
    return tuple(tuple(group) for group in groups.values())


def split(
    tables: Mapping[str, str], sets: Mapping[str, str], share: float, seed: int = 0
) -> tuple[frozenset[str], frozenset[str]]:
    """Photos for training and for measuring, such that no table and no tile set is in both.

    Args:
        tables: table of each photo.
        sets: tile set of each table; a table that is missing has a set of its own.
        share: about this share of the photos is for measuring.
        seed: of the choice.

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
    """How many near-duplicates there are inside each folder and between them, as a Markdown
    table.
    """
    photos: list[LabelledPhoto] = []
    folder_of: list[int] = []
    for number, folder in enumerate(folders):
        here = read_folder(folder)
        photos += here
        folder_of += [number] * len(here)
    found = pairs(photos)
    groups = scenes(photos, found)
    lines = [
        "| folders | photos | pairs that look alike | of them the same scene | photos that repeat a scene |",
        "|---|---|---|---|---|",
    ]
    for a in range(len(folders)):
        for b in range(a, len(folders)):
            between = [
                pair
                for pair in found
                if sorted((folder_of[pair.first], folder_of[pair.second])) == [a, b]
            ]
            name, count = folders[a].name, folder_of.count(a)
            if a == b:
                repeated = sum(
                    max(0, sum(folder_of[i] == a for i in group) - 1) for group in groups
                )
            else:
                name, count = f"{name} and {folders[b].name}", count + folder_of.count(b)
                repeated = sum(len({folder_of[i] for i in group} & {a, b}) == 2 for group in groups)
            lines.append(
                f"| {name} | {count} | {len(between)} | {sum(p.same_scene for p in between)} | {repeated} |"
            )
    lines += ["", *(_line(pair, photos) for pair in found if pair.same_scene)]
    return "\n".join(lines)


def _line(pair: Pair, photos: Sequence[LabelledPhoto]) -> str:
    one, two = photos[pair.first].path, photos[pair.second].path
    return f"{one.stem} {two.stem}: {pair.distance:.3f} of the bits differ, {pair.common:.2f} of the labels in common"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command ``python -m hupai.datasets.real.near_duplicates``."""
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
