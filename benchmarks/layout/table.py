"""A laid table for benchmarks: its ground truth, and the detections of a perfect detector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.datasets.synthetic.scene import PlacedTile
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections

Quad = NDArray[np.float64]
"""Corners of a tile's face on the photo, shape (4, 2), from its top left, clockwise."""

TrueGroup = tuple[str, frozenset[int], str | None]
"""Kind, tiles, and from whom it was claimed if a tile lies sideways."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LaidTable:
    """A table with its ground truth and detections.

    Attributes:
        seed: the seed it was generated from.
        hand: the hand as laid.
        tiles: the tiles that are sufficiently visible on the photo; their positions are the ids of
            `detections`.
        quads: their corners.
        size: width and height of the photo.
        detections: what a perfect detector would report.
        winning_inside: whether the winning tile lies among the concealed ones.
        kongs_down: whether all tiles of a concealed kong lie face down.
    """

    seed: int
    hand: Hand
    tiles: tuple[PlacedTile, ...]
    quads: tuple[Quad, ...]
    size: tuple[int, int]
    detections: Detections
    winning_inside: bool
    kongs_down: bool

    def groups(self) -> set[TrueGroup]:
        """Return the groups of the hand as laid."""
        members: dict[int, list[int]] = {}
        for i, tile in enumerate(self.tiles):
            if tile.in_hand and tile.group is not None:
                members.setdefault(tile.group, []).append(i)
        found = set()
        for ids in members.values():
            first = self.tiles[ids[0]]
            sideways = any(self.tiles[i].sideways for i in ids)
            found.add((first.kind or "", frozenset(ids), first.claimed_from if sideways else None))
        return found

    def other_hands(self) -> tuple[frozenset[int], ...]:
        """Return the face-up tiles of each other player's hand, as positions."""
        members: dict[int, set[int]] = {}
        for i, tile in enumerate(self.tiles):
            if tile.player is not None and not tile.face_down:
                members.setdefault(tile.player, set()).add(i)
        return tuple(frozenset(ids) for _, ids in sorted(members.items()))


def share_on_photo(quad: Quad, size: tuple[int, int]) -> float:
    """Return the share of a quad's box that is on a photo of this size."""
    low, high = quad.min(0), quad.max(0)
    inside = np.clip(high, 0, size) - np.clip(low, 0, size)
    return float(inside.prod() / (high - low).prod())


def perfect_detections(
    tiles: Sequence[PlacedTile],
    quads: Sequence[Quad],
    size: tuple[int, int],
    edges: NDArray[np.float64],
    turns: NDArray[np.float64],
) -> Detections:
    """Return boxes and axes with the given errors, and certain faces.

    Args:
        tiles, quads: the visible tiles, n of each.
        size: size of the photo.
        edges: errors of the boxes' edges, shape (n, 4), as shares of the box's shorter side.
        turns: errors of the axes, shape (n,), radians.
    """
    corners = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    boxes = np.concatenate([corners.min(1), corners.max(1)], axis=1)
    sides = np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    up = corners[:, :2].mean(1) - corners[:, 2:].mean(1)
    classes = np.full((len(tiles), len(Tile)), 1e-5)
    shown = [Tile.BACK if tile.face_down else tile.face for tile in tiles]
    classes[np.arange(len(tiles)), shown] = 1.0
    return Detections(
        np.clip(boxes + edges * sides[:, None], 0, (*size, *size)).astype(np.float32),
        np.full(len(tiles), 0.9, np.float32),
        (classes / classes.sum(axis=1, keepdims=True)).astype(np.float32),
        ((np.arctan2(up[:, 1], up[:, 0]) + turns) % np.pi).astype(np.float32),
    )
