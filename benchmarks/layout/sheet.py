"""A contact sheet of misread tables: on the left as laid, on the right as read.

Each group has a colour: concealed part, melds, flowers, winning tile; tiles outside the hand have
none. A claimed tile's meld names whom it was claimed from. The pictures are rendered with the
project's own faces.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.layout.families import picture_of
from benchmarks.layout.scenes import Sample
from benchmarks.layout.table import LaidTable
from benchmarks.layout.whole import WholeSample
from hupai.vision.types import Image, Reading

PANEL = 560
"""Longer side of a picture on the sheet, pixels."""

Named = tuple[str, tuple[int, ...]]
"""A group by its kind and source, and the ids of its tiles."""

_COLOURS = {"concealed": (40, 200, 60), "flowers": (240, 90, 200), "winning_tile": (250, 210, 30)}
_MELDS = ((70, 130, 255), (255, 120, 40), (40, 220, 230), (180, 110, 255))


def sheet(
    failures: Sequence[tuple[LaidTable, str, Reading]],
    plain: bool = False,
    before: Sequence[Image] = (),
) -> Image:
    """Draw the sheet, uint8 RGB, two failures per row.

    Args:
        failures: tables with a caption and what was read.
        plain: draw outlines and names of tiles on grey in place of photos, which is quick; tables
            without a picture are always drawn in this way.
        before: cells that come first, such as photos.
    """
    drawn = [
        _cell(table, caption, reading, plain or not isinstance(table, Sample | WholeSample))
        for table, caption, reading in failures
    ]
    wide = max((cell.shape[1] for cell in [*before, *drawn]), default=1)
    cells = [np.pad(c, ((0, 0), (0, wide - c.shape[1]), (0, 0))) for c in [*before, *drawn]]
    height = max((cell.shape[0] for cell in cells), default=1)
    padded = [np.pad(cell, ((0, height - cell.shape[0] + 6), (0, 6), (0, 0))) for cell in cells]
    blank = np.zeros_like(padded[0]) if padded else np.zeros((8, 8, 3), np.uint8)
    lines = [
        np.hstack([padded[i], padded[i + 1] if i + 1 < len(padded) else blank])
        for i in range(0, len(padded), 2)
    ]
    out: Image = np.vstack(lines) if lines else blank
    return out


def save(path: Path, image: Image) -> None:
    """Write a sheet as JPEG."""
    cv2.imwrite(str(path), cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 80])


def true_groups(table: LaidTable) -> list[Named]:
    """Return the groups as laid, in the order of their tiles."""
    groups = sorted((sorted(ids), kind, source) for kind, ids, source in table.groups())
    return [(f"{kind} {source}" if source else kind, tuple(ids)) for ids, kind, source in groups]


def _cell(table: LaidTable, caption: str, reading: Reading, plain: bool) -> NDArray[np.uint8]:
    low, high, scale = _window(table)
    base = (
        np.full((table.size[1], table.size[0], 3), 70, np.uint8)
        if plain
        else picture_of(table, 0.3, own_set=True)
    )
    read = [
        (g.kind.value + (f" {g.claimed_from.value}" if g.claimed_from else ""), g.tiles)
        for g in reading.groups
    ]
    panels = []
    for groups in (true_groups(table), read):
        part = base[low[1] : high[1], low[0] : high[0]]
        cut = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(
            np.uint8
        )
        _draw(cut, table, groups, low, scale, plain)
        panels.append(cut)
    both = np.hstack(panels)
    header = np.zeros((20 * (1 + caption.count("\n")), both.shape[1], 3), np.uint8)
    for i, line in enumerate(caption.split("\n")):
        cv2.putText(
            header,
            line,
            (3, 15 + 20 * i),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.45,
            (255, 255, 255),
            1,
            cv2.LINE_AA,
        )
    out = np.vstack([header, both])
    return np.pad(out, ((0, 0), (0, max(2 * PANEL - out.shape[1], 0)), (0, 0))).astype(np.uint8)


def _window(table: LaidTable) -> tuple[NDArray[np.int_], NDArray[np.int_], float]:
    """Return low and high corner of the hand with space around it, and the scale of a panel."""
    own = np.vstack(
        [quad for tile, quad in zip(table.tiles, table.quads, strict=True) if tile.in_hand]
    )
    pad = 0.25 * float(np.ptp(own, axis=0).max())
    low = np.maximum(np.floor(own.min(0) - pad), 0).astype(int)
    high = np.minimum(np.ceil(own.max(0) + pad), table.size).astype(int)
    return low, high, PANEL / float((high - low).max())


def _draw(
    image: NDArray[np.uint8],
    table: LaidTable,
    groups: Sequence[Named],
    low: NDArray[np.int_],
    scale: float,
    plain: bool,
) -> None:
    colour: dict[int, tuple[int, int, int]] = {}
    names: dict[int, str] = {}
    melds = 0
    for name, ids in groups:
        kind = name.split()[0]
        shade = _COLOURS.get(kind) or _MELDS[melds % len(_MELDS)]
        melds += kind not in _COLOURS
        colour.update(dict.fromkeys(ids, shade))
        if kind not in _COLOURS:
            names[ids[0]] = name
    for i, quad in enumerate(table.quads):
        points = np.round((quad - low) * scale).astype(np.int32)
        cv2.polylines(
            image,
            [points],
            True,
            colour.get(i, (150, 150, 150)),
            2 if i in colour else 1,
            cv2.LINE_AA,
        )
        middle = points.mean(0).astype(int)
        if plain:
            tile = table.tiles[i]
            text = "?" if tile.face_down else tile.face.code
            cv2.putText(
                image,
                text,
                (middle[0] - 9, middle[1] + 4),
                cv2.FONT_HERSHEY_SIMPLEX,
                0.4,
                (255, 255, 255),
                1,
                cv2.LINE_AA,
            )
        if i in names:
            at = (int(points[:, 0].min()), int(points[:, 1].min()) - 3)
            cv2.putText(
                image, names[i], at, cv2.FONT_HERSHEY_SIMPLEX, 0.36, colour[i], 1, cv2.LINE_AA
            )
