"""Hands for fitting the layout weights: what a reader detects, and the groups that people gave."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from hupai.datasets.synthetic.truth import SceneTruth, read_truth
from hupai.models.training.layout.cases import Case, TrueGroup
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import pairwise_iou
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import FloatArray

MIN_IOU = 0.4
"""Minimum intersection over union of a detection and the tile that it shows."""

OWN, RENDERED = "own", "rendered"
"""Families of the cases: photos of the user, and rendered ones."""


@dataclass(frozen=True, slots=True)
class TrueTile:
    """A tile of the hand on a photo.

    Attributes:
        box: pixels.
        shown: its face, or `Tile.BACK`.
        group: number, kind and source of its group.
    """

    box: tuple[float, float, float, float]
    shown: Tile
    group: tuple[int, str, str | None]


def own_cases(data: Path, names: Iterable[str], reader: Recogniser) -> Iterator[Case]:
    """Read the photos of a set of `hupai datasets from-hands` whose groups are all known.

    Args:
        data: the set.
        names: names of the photos.
        reader: detects the tiles.
    """
    document: dict[str, Any] = json.loads((data / "coco.json").read_text("utf-8"))
    tiles: dict[int, list[dict[str, Any]]] = {}
    for row in document["annotations"]:
        if row["in_hand"]:
            tiles.setdefault(row["image_id"], []).append(row)
    wanted = frozenset(names)
    for image in document["images"]:
        mine, path = tiles.get(image["id"], []), data / "images" / image["file_name"]
        known = mine and all(row["checked"] and row.get("group") for row in mine)
        if known and path.stem in wanted:
            yield _case(path, [_labelled(row) for row in mine], OWN, reader)


def scene_cases(folder: Path, reader: Recogniser) -> Iterator[Case]:
    """Read the rendered hands of a folder of `hupai.datasets.synthetic.generate`."""
    for scene in read_truth(folder):
        tiles = list(_rendered(scene))
        if tiles:
            yield _case(scene.picture, tiles, RENDERED, reader)


def _labelled(row: dict[str, Any]) -> TrueTile:
    x, y, width, height = row["bbox"]
    group = row["group"]
    key = (int(group["number"]), str(group["kind"]), group["claimed_from"])
    return TrueTile((x, y, x + width, y + height), Tile(row["category_id"]), key)


def _rendered(scene: SceneTruth) -> Iterator[TrueTile]:
    for tile in scene.tiles:
        if tile.in_hand and tile.group is not None:
            x0, y0, x1, y1 = (float(v) for v in (*tile.quad.min(0), *tile.quad.max(0)))
            group = (tile.group, str(tile.kind), tile.claimed_from)
            yield TrueTile((x0, y0, x1, y1), Tile.from_code(tile.shown), group)


def _case(path: Path, tiles: Sequence[TrueTile], family: str, reader: Recogniser) -> Case:
    """Read a photo and match what was found with the true tiles."""
    answer = reader.read_photo(path.read_bytes(), path.name)
    found = answer.detections
    assert found is not None
    of_tile = _matched(np.array([tile.box for tile in tiles], np.float32), found.boxes)
    members: dict[tuple[int, str, str | None], list[int]] = {}
    for at, tile in enumerate(tiles):
        members.setdefault(tile.group, []).extend([of_tile[at]] if at in of_tile else [])
    groups: list[TrueGroup] = [
        (kind, tuple(sorted(ids)), source)
        for (_, kind, source), ids in sorted(members.items(), key=lambda item: item[0][0])
        if ids
    ]
    winning = [ids[0] for kind, ids, _ in groups if kind == "winning_tile"]
    return Case(
        detections=found,
        size=(answer.photo.width, answer.photo.height),
        family=family,
        source=path.stem,
        tiles=frozenset(of_tile.values()),
        missing=len(tiles) - len(of_tile),
        groups=tuple(groups),
        winning_tile=winning[0] if winning else None,
        faces=tuple(sorted(tile.shown for tile in tiles)),
    )


def _matched(true: FloatArray, found: FloatArray) -> dict[int, int]:
    """Match true boxes (n, 4) and found ones (m, 4) one to one; return the indices of the pairs."""
    if not len(true) or not len(found):
        return {}
    shared = pairwise_iou(true, found)
    rows, columns = linear_sum_assignment(-shared)
    return {int(i): int(j) for i, j in zip(rows, columns, strict=True) if shared[i, j] >= MIN_IOU}
