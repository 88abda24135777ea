"""Rendered scenes as labelled photos, with exact truth of melds, kongs and claimed tiles.

A folder of `hupai.datasets.synthetic.generate` holds ``images/`` and ``truth.jsonl``. In a scene
with a hand the hand alone is the truth, as in real photos of hands; in others every tile that shows
its face is. A hand of which a tile is hidden or cut off counts by its tiles, not as a whole.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from hupai.datasets.real.labels import LabelError
from hupai.models.evaluation.labelled_folder import (
    MELD_KINDS,
    LabelledPhoto,
    TrueGroup,
    known_faces,
)
from hupai.scoring.tiles import Tile

LEAST_VISIBLE = 0.5
"""Visible share from which a tile outside a whole hand is labelled."""

LEAST_OF_A_HAND = 0.6
"""Visible share that every tile of a whole hand has."""

_Row = tuple[str, str, list[float], float, bool, bool, int | None, str | None, str | None]
"""One tile of truth.jsonl.

Face, what the camera sees (``?`` for a back), outline, visible share, sideways, in the hand, group,
kind of the group, claimed from.
"""


def is_scene_folder(folder: Path) -> bool:
    """Return whether the folder holds rendered scenes."""
    return (folder / "truth.jsonl").is_file()


def read_scenes(folder: Path) -> tuple[LabelledPhoto, ...]:
    """Read the scenes of a folder as labelled photos; their table is the layout's name.

    Raises:
        LabelError: for a malformed line.
    """
    photos = []
    for number, line in enumerate((folder / "truth.jsonl").read_text("utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            size = np.asarray([record["width"], record["height"]] * 2, np.float32)
            rows: list[_Row] = [tuple(row) for row in record["tiles"]]
            photos.append(
                _photo(folder / "images" / record["image"], str(record["layout"]), rows, size)
            )
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise LabelError(
                f"{folder / 'truth.jsonl'}, line {number}: no scene ({error})"
            ) from None
    return tuple(photos)


def _photo(
    path: Path, layout: str, rows: list[_Row], size: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> LabelledPhoto:
    groups = [_known(group) for group in _by_group([row for row in rows if row[5]])]
    whole = bool(groups) and all(row[3] >= LEAST_OF_A_HAND for row in rows if row[5])
    if groups:
        labelled = [
            tile for group in groups for tile in group if whole or tile[1][3] >= LEAST_VISIBLE
        ]
    else:
        labelled = [(Tile.from_code(row[1]), row) for row in rows if row[3] >= LEAST_VISIBLE]
    faces = [(tile, row) for tile, row in labelled if tile is not Tile.BACK]
    known = tuple(sorted(map(_group, groups), key=lambda g: (*g[:2], g[2] or "")))
    return LabelledPhoto(
        path=path,
        table=layout,
        tiles=tuple(tile for tile, _ in faces),
        boxes=np.asarray([_box(row[2]) for _, row in faces], np.float32).reshape(-1, 4) / size,
        hand=tuple(sorted(tile for tile, _ in labelled)) if whole else None,
        groups=known if whole else None,
        melds=tuple(group for group in known if group[0] in MELD_KINDS) if whole else None,
    )


def _by_group(members: list[_Row]) -> list[list[_Row]]:
    return [
        [row for row in members if row[6] == group]
        for group in dict.fromkeys(row[6] for row in members)
    ]


def _known(group: list[_Row]) -> list[tuple[Tile, _Row]]:
    """Say what can be known of a group's tiles: those face down in a kong, by the face it shows."""
    return list(zip(known_faces(Tile.from_code(row[1]) for row in group), group, strict=True))


def _group(group: list[tuple[Tile, _Row]]) -> TrueGroup:
    first = group[0][1]
    return str(first[7]), tuple(sorted(tile for tile, _ in group)), first[8]


def _box(outline: list[float]) -> tuple[float, float, float, float]:
    return min(outline[0::2]), min(outline[1::2]), max(outline[0::2]), max(outline[1::2])
