"""The features of segments and of their links, which are summed over a set of segments.

`LINK` features describe the link by which a segment joins a set, `OWN` features a segment of the
set by itself, and `LEFT_OUT` features a segment close to the set that is not in it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Array, Ground
from hupai.vision.layout.rows import GAP_ERROR, NEAR, OBLIQUE, SET_GAP, SURE, level_offsets
from hupai.vision.layout.segments import SegmentGraph

Mask = NDArray[np.bool_]

LINK = (
    "line",
    "line_gap",
    "line_offset",
    "beside_gap",
    "beside_apart",
    "askew_gap",
    "askew_apart",
    "flowers_line",
    "flowers_askew",
    "flowers_distance",
    "flowers_turned",
    "flowers_sideways",
    "flowers_weak",
    "size",
    "lone",
    "lone_back",
    "lone_oblique",
    "lone_far",
    "odd_tiles",
    "wall",
    "added",
)
"""Features of the link between two segments."""

OWN = (
    "touching",
    "weak",
    "weak_back",
    "unsure",
    "side_before",
    "side_behind",
    "uneven",
    "back_tiles",
)
"""Features of a segment by itself."""

LEFT_OUT = (
    "left_line_touching",
    "left_line_near",
    "left_beside_touching",
    "left_beside_near",
    "left_added",
    "left_flowers_near",
)
"""Features of a segment that is left out of a set, relative to the set's nearest segment."""

WEAK_SCORE = 0.5
"""Score below which a detection may be false."""
_SURE_BACK_ODDS = math.log(0.8 / 0.2)
"""Log-odds from which a low-confidence back is not doubted: tile recovery mistakes cloth for backs.
"""
SURE_FACE = 2.0
"""Log-odds of a face against the next likeliest from which it is sure."""
_SCORE_ERROR = 0.05
"""Difference of the scores of tiles that are equally well seen."""


def link_features(graph: SegmentGraph, flowers: Mask, sets: Mask) -> Array:
    """Compute the features (m, m, l) of the links between segments; 0 on the diagonal.

    Args:
        graph: the m segments.
        flowers: shape (m,), segments of flowers only.
        sets: shape (m,), segments that are a set.
    """
    frame, segments, ground = graph.frame, graph.segments, graph.frame.ground
    m = len(segments)
    i, j = np.triu_indices(m, 1)
    # The size of a tile cut by the edge of the photo is meaningless.
    sizes = np.where(ground.cut, np.median(frame.sizes), frame.sizes)
    size, turned, lying, score, backs = graph.tiles.means(
        sizes, frame.askew, np.sign(frame.sideways), ground.scores, ground.backs > 0.5
    )
    lying, back, count = lying > 0, backs == 1, graph.tiles.counts
    odd = (frame.oblique | frame.uncertain)[[s[0] for s in segments]]
    faces = ground.faces.tolist()
    kinds = [{faces[k] for k in segment} for segment in segments]
    lone, pair = count == 1, (count == 2) & [len(some) == 1 for some in kinds]
    # Backs, or two or three of a kind, may be a kong that lacks backs.
    alike = np.array([len(some - {Tile.BACK}) < 2 for some in kinds], bool)
    kong = alike & (count <= 3) & ((count > 1) | back)
    few = (count > 1) & (count <= 4) & ~sets & ~pair
    wall = (count > 4) & back
    # Segments are sorted longest first, so the later of two is the smaller one. Flowers always
    # count as the smaller; so does a single back beside a single face.
    swap = (flowers[i] & ~flowers[j]) | ((lone & back)[i] & (lone & ~back & ~flowers)[j])
    smaller, larger = np.where(swap, i, j), np.where(swap, j, i)
    is_flower = flowers[smaller]
    faces = ~is_flower
    spacing = graph.spacing
    line, offset, away = spacing.in_line[i, j], spacing.offset[i, j], spacing.distance[i, j]
    space = spacing.beside[i, j]
    beside, apart = np.maximum(space, 0), np.maximum(spacing.apart[i, j] - SET_GAP, 0)
    level = ~line & (space < NEAR)
    askew = ~line & ~level
    in_line, in_level, in_neither = line & faces, level & faces, askew & faces
    value = {
        "line": in_line,
        "line_gap": np.minimum(beside, 3.0) * in_line,
        "line_offset": offset**2 * in_line,
        "beside_gap": beside * in_level,
        "beside_apart": apart * in_level,
        "askew_gap": np.minimum(np.maximum(beside - NEAR, 0), 4.0) * in_neither,
        "askew_apart": apart * in_neither,
        "flowers_line": line & is_flower,
        "flowers_askew": askew & is_flower,
        "flowers_distance": np.maximum(away - NEAR, 0) * is_flower,
        "flowers_turned": np.maximum(np.maximum(turned, OBLIQUE * odd) - GAP_ERROR, 0)[smaller]
        * is_flower,
        "flowers_sideways": lying[smaller] & is_flower,
        "flowers_weak": np.maximum(score[larger] - _SCORE_ERROR - score[smaller], 0) * is_flower,
        "size": np.minimum(np.maximum(np.abs(size[larger] - size[smaller]) - GAP_ERROR, 0), 0.5),
        "lone": lone[smaller] & faces,
        "lone_back": (lone & back)[smaller] & ~(kong[larger] & (away < 0.5)),
        "lone_oblique": (lone & odd)[smaller],
        "lone_far": np.log1p(np.maximum(away - 1.0, 0)) * (lone[smaller] & faces),
        "odd_tiles": few[smaller] & faces,
        "wall": (wall[smaller] | wall[larger]) & faces,
        "added": np.zeros(len(i)),
    }
    link = np.zeros((m, m, len(LINK)))
    link[i, j] = link[j, i] = np.array([value[name] for name in LINK], float).T
    for tile, base in graph.added.items():
        # An added tile belongs to a hand only together with the tile it lies over.
        link[tile] = link[:, tile] = np.eye(len(LINK))[LINK.index("wall")]
        link[tile, base] = link[base, tile] = np.eye(len(LINK))[LINK.index("added")]
    return link


def doubts(ground: Ground, sides: tuple[Mask, Mask], low_confidence: Mask) -> Array:
    """Compute the features of n tiles that `OWN` sums over a segment, shape (5, n).

    They are the log-odds that it is a false detection, the doubt about a low-confidence back beyond
    those, the doubt about its face, and whether it may be the side or top of another tile.

    Args:
        ground: the tiles.
        sides: detections that may be sides and tops of other tiles, `segments.sides_and_tops`.
        low_confidence: shape (n,), the low-confidence detections.
    """
    score = ground.scores
    false = np.log((1 - np.minimum(score, WEAK_SCORE)) / np.clip(score, SURE, WEAK_SCORE))
    limited = np.clip(score, SURE, 1 - SURE)
    unlike = np.maximum(_SURE_BACK_ODDS - np.abs(np.log(limited / (1 - limited))), 0.0)
    back = np.where(low_confidence & (ground.backs > 0.5), unlike, 0.0)
    return np.array([false, back, 1 - np.minimum(ground.odds / SURE_FACE, 1.0), *sides])


def own_features(graph: SegmentGraph, of_tiles: Array) -> Array:
    """Compute the features (m, o) of m segments themselves, given the `doubts` about n tiles."""
    frame, places, owner = graph.frame, graph.tiles.places, graph.tiles.owner
    level = level_offsets(frame.across, frame.half, places[:-1], places[1:])
    uneven = np.maximum(-frame.gaps(places) - GAP_ERROR, 0) + np.maximum(level - GAP_ERROR, 0)
    within = owner[:-1] == owner[1:]
    uneven = np.bincount(owner[:-1][within], uneven[within], len(graph.segments))
    *sums, backs = graph.tiles.sums(*of_tiles, frame.ground.backs > 0.5)
    # A row of two or more backs is more often a wall than a kong.
    counts = graph.tiles.counts
    wall = np.where((counts > 1) & (backs == counts), backs, 0)
    return np.stack([counts - 1.0, *sums, uneven, wall], 1)


def left_out_features(graph: SegmentGraph, flowers: Mask, counts: Array) -> Array:
    """Compute the features of segments left out of a set, shape (m, m, p).

    Entry [i, j] is for segment j left out of a set whose nearest segment is i.

    Args:
        graph: the m segments.
        flowers: shape (m,), segments of flowers only.
        counts: shape (m, 43), tiles by face, without flowers.
    """
    spacing, m = graph.spacing, len(graph.segments)
    open_tiles = counts.sum(1) - counts[:, Tile.BACK]
    sure = graph.tiles.sums(graph.frame.ground.scores < WEAK_SCORE)[0] == 0
    weight = np.where(sure & ~flowers, np.minimum(open_tiles, 3) / 3, 0.0)
    is_flower = flowers & sure
    line = spacing.in_line
    level = ~line & (spacing.beside < 0.5)
    touching = spacing.distance < 0.5
    near = (spacing.distance < NEAR) & ~touching
    value = {
        "left_line_touching": weight * (line & touching),
        "left_line_near": weight * (line & near),
        "left_beside_touching": weight * (level & touching),
        "left_beside_near": weight * (level & near),
        "left_added": np.zeros((m, m)),
        "left_flowers_near": is_flower * (spacing.distance < NEAR),
    }
    left = np.stack([np.asarray(value[name], float) for name in LEFT_OUT], 2)
    for tile, base in graph.added.items():
        left[:, tile] = 0.0
        left[base, tile, LEFT_OUT.index("left_added")] = 1.0
    return left
