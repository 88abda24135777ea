"""Detections to a layout: rows, the hand among them, its blocks.

The way of it: drop second boxes of one tile, chain tiles into rows (`layout_rows`), pick the pieces that are the hand
(`layout_hand`), put them in the owner's frame (`layout_frame`), cut them into blocks (`layout_groups`). Only relative geometry
counts: turning or scaling the photo plane changes nothing but which side the owner is taken to sit on where the tiles do not tell.
"""

from __future__ import annotations

import math

from vision.conventions import convention
from vision.layout_frame import frame
from vision.layout_geometry import Spot, spots
from vision.layout_groups import arrangements
from vision.layout_hand import Selection, count_worth, lay_out, selections
from vision.layout_rows import rows
from vision.layout_types import Arrangement, Block, BlockKind, Layout, Refusal
from vision.types import Detections

ACCEPT = -1.0
"""Least score of a selection that is taken for a hand, log-odds."""

SHARPNESS = 1.3
"""By how much scores are stretched to log-odds, so that they come true as often as they say on rendered tables."""

_ALTERNATIVES = 3
_WITHIN = 4.0
_DUPLICATE_IOU = 0.55
_LEAST_TILES = 7


def arrange(
    detections: Detections,
    size: tuple[int, int] | None = None,
    rules: str | None = None,
    point: tuple[float, float] | None = None,
) -> Layout:
    """Find the hand among the tiles on the table and the ways to group it.

    Args:
        detections: what the detector saw.
        size: width and height of the photo in pixels; without it, tiles cut by its edge are not told.
        rules: id of a rule set, whose habits of laying melds are then expected.
        point: a place on the hand that is meant, pixels, where several are on the photo.
    """
    found, duplicates = _without_duplicates(spots(detections, size))
    table = lay_out(rows(found))
    ranked = [s for s in selections(table) if s.score > ACCEPT and _large_enough(s)]
    if point is not None:
        ranked = _pointed(ranked, found, point)
    if not ranked:
        return Layout(detections, duplicates=duplicates, refusal=_refusal(found))
    chosen = ranked[0]
    margin = chosen.score - (ranked[1].score if len(ranked) > 1 else ACCEPT - 2.0)
    ways, sideways = _ways(ranked, detections, rules)
    return Layout(
        detections,
        arrangements=ways,
        sideways=sideways,
        duplicates=duplicates,
        cut=tuple(sorted(spot.id for spot in found if spot.cut and spot.id in chosen.ids)),
        others=() if point is not None else _others(ranked),
        margin=margin,
    )


def _ways(ranked: list[Selection], detections: Detections, rules: str | None) -> tuple[tuple[Arrangement, ...], frozenset[int]]:
    """Groupings of the best selections, weighted by both, normalised; and the sideways tiles."""
    habits = convention(rules)
    near = [s for s in ranked[:_ALTERNATIVES] if ranked[0].score - s.score < _WITHIN]
    total = math.log(sum(math.exp(SHARPNESS * (s.score - near[0].score)) for s in near))
    ways: list[Arrangement] = []
    sideways: set[int] = set()
    for selection in near:
        framed = frame(selection)
        share = SHARPNESS * (selection.score - near[0].score) - total
        ways += [Arrangement(way.blocks, way.log_weight + share) for way in arrangements(framed, detections.probabilities, habits)]
        for line in framed.lines:
            sideways.update(token.spot.id for token in line if token.sideways > 0)
            sideways.update(token.added.id for token in line if token.added is not None)
    return tuple(sorted(ways, key=lambda way: -way.log_weight)), frozenset(sideways)


def _without_duplicates(found: tuple[Spot, ...]) -> tuple[tuple[Spot, ...], frozenset[int]]:
    """Of boxes that cover one tile the surest stays."""
    kept: list[Spot] = []
    dropped = set()
    for spot in sorted(found, key=lambda s: (-s.score, s.id)):
        if any(_iou(spot, other) > _DUPLICATE_IOU and _same_place(spot, other) for other in kept):
            dropped.add(spot.id)
        else:
            kept.append(spot)
    return tuple(sorted(kept, key=lambda s: s.id)), frozenset(dropped)


def _iou(a: Spot, b: Spot) -> float:
    width = min(a.x + a.width / 2, b.x + b.width / 2) - max(a.x - a.width / 2, b.x - b.width / 2)
    height = min(a.y + a.height / 2, b.y + b.height / 2) - max(a.y - a.height / 2, b.y - b.height / 2)
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / (a.width * a.height + b.width * b.height - width * height)


def _same_place(a: Spot, b: Spot) -> bool:
    """Boxes of turned neighbours overlap much, but their centres are half a tile apart."""
    return math.hypot(a.x - b.x, a.y - b.y) < 0.15 * min(a.girth, b.girth)


def _large_enough(selection: Selection) -> bool:
    """At least half a hand; tiles in three rows or more have to be a whole one, or they are just tiles laid out."""
    homes = {piece.home for piece in selection.pieces if len(piece.tiles) > 1}
    return len(selection.ids) >= (13 if len(homes) > 2 else _LEAST_TILES)


def _pointed(ranked: list[Selection], found: tuple[Spot, ...], point: tuple[float, float]) -> list[Selection]:
    """The selections that hold the tile nearest to the point."""
    if not found:
        return []
    nearest = min(found, key=lambda s: math.hypot(s.x - point[0], s.y - point[1]))
    return [s for s in ranked if nearest.id in s.ids]


def _others(ranked: list[Selection]) -> tuple[tuple[int, ...], ...]:
    """Further hands: selections of a hand's size that share no tile with those before."""
    taken = set(ranked[0].ids)
    others = []
    for selection in ranked[1:]:
        tiles = [t for piece in selection.pieces for t in piece.tiles]
        if taken.isdisjoint(selection.ids) and count_worth(tiles) > 0 and selection.score > -0.5:
            others.append(tuple(sorted(selection.ids)))
            taken |= selection.ids
    return tuple(others)


def _refusal(found: tuple[Spot, ...]) -> Refusal:
    if not found:
        return Refusal.NO_TILES
    if all(spot.back > 0.5 for spot in found):
        return Refusal.FACE_DOWN
    return Refusal.TOO_MANY if len(found) > 20 else Refusal.NO_ROW


__all__ = ["ACCEPT", "Arrangement", "Block", "BlockKind", "Layout", "Refusal", "arrange"]
