"""Rendered scenes as labelled photos, with exact truth of melds, kongs and claimed tiles.

A folder of `hupai.datasets.synthetic.generate` holds ``images/`` and ``truth.jsonl``. In a scene
with a hand only the hand is labelled, as in real photos of hands; in others every face-up tile is.
A hand with a hidden or cut-off tile is evaluated by its tiles, not as a whole.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hupai.datasets.synthetic.truth import SceneTruth, TruthTile, read_truth
from hupai.models.evaluation.labelled_folder import (
    MELD_KINDS,
    LabelledPhoto,
    TrueGroup,
    known_faces,
)
from hupai.scoring.tiles import Tile

LEAST_VISIBLE = 0.5
"""Minimum visible share of a labelled tile outside a whole hand."""

LEAST_OF_A_HAND = 0.6
"""Minimum visible share of every tile of a whole hand."""


def read_scenes(folder: Path) -> tuple[LabelledPhoto, ...]:
    """Read the scenes of a folder as labelled photos; their table is the layout's name.

    Raises:
        TruthError: for a malformed line.
    """
    return tuple(_photo(scene) for scene in read_truth(folder))


def _photo(scene: SceneTruth) -> LabelledPhoto:
    own = [tile for tile in scene.tiles if tile.in_hand]
    groups = [_known(own, number) for number in dict.fromkeys(tile.group for tile in own)]
    whole = bool(own) and all(tile.visible >= LEAST_OF_A_HAND for tile in own)
    if own:
        everything = [pair for group in groups for pair in group]
    else:
        everything = [(Tile.from_code(tile.shown), tile) for tile in scene.tiles]
    labelled = [pair for pair in everything if whole or pair[1].visible >= LEAST_VISIBLE]
    faces = [(face, tile) for face, tile in labelled if face is not Tile.BACK]
    known = tuple(sorted(map(_group, groups), key=lambda g: (*g[:2], g[2] or "")))
    boxes = np.array([[*tile.quad.min(0), *tile.quad.max(0)] for _, tile in faces], np.float32)
    size = np.array([scene.width, scene.height] * 2, np.float32)
    return LabelledPhoto(
        path=scene.picture,
        table=scene.layout,
        tiles=tuple(face for face, _ in faces),
        boxes=boxes.reshape(-1, 4) / size,
        hand=tuple(sorted(face for face, _ in labelled)) if whole else None,
        groups=known if whole else None,
        melds=tuple(group for group in known if group[0] in MELD_KINDS) if whole else None,
    )


def _known(own: list[TruthTile], number: int | None) -> list[tuple[Tile, TruthTile]]:
    """Return the tiles of a group, as far as the picture shows them."""
    group = [tile for tile in own if tile.group == number]
    return list(zip(known_faces(Tile.from_code(tile.shown) for tile in group), group, strict=True))


def _group(group: list[tuple[Tile, TruthTile]]) -> TrueGroup:
    first = group[0][1]
    return str(first.kind), tuple(sorted(face for face, _ in group)), first.claimed_from
