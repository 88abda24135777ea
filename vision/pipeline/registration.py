"""Registers two photos of a table by tiles that show the same faces in the same places.

Tiles lie on a plane, so two views of them differ by a homography. It is found similarly to RANSAC
(Fischler and Bolles 1981): each pair of tiles on one photo is matched with each pair of the same
faces on the other, which determines a similarity; the one with the most and closest inliers is
refined to a homography. OpenCV's RANSAC does not suit because a tile has several candidate matches
on the other photo.

The centres of a single row do not determine the scale across it. The least-squares fit of the
homography therefore has a prior that it is a similarity, which decides where the tiles do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import around, centres, distances, sizes
from hupai.vision.geometry.homography import depths, project
from hupai.vision.pipeline.one_hand import MIN_LIKENESS
from hupai.vision.quads import ordered
from hupai.vision.types import Detections

Array = NDArray[np.float64]

_MAX_DISTANCE = 0.45
"""Distance, in tile sides, up to which a mapped tile matches its candidate."""

_MIN_TILES = 4
"""Least number of matched tiles."""

_MIN_MATCHED = 0.3
"""Least share of the photo with fewer tiles that must match: of many, a few match by chance."""

_MIN_FACES = 3
"""Least number of different faces among the matched tiles."""

_MIN_SHARE = 0.6
"""Least share of matches among the tiles that should be on both photos."""

_MAX_HYPOTHESES = 4000
"""Maximum number of similarities to try; if there are more, a random sample is tried."""

_MAX_RANKED = 40
"""Maximum number of similarities whose one-to-one matches are counted."""

_MAX_REFINED = 8
"""Maximum number of similarities that are refined."""

_SCALES = (0.2, 5.0)
"""Least and greatest scale of a similarity."""

_REFINEMENTS = (4, 4, 6, *[8] * 15)
"""Degrees of freedom of the map in each round of refinement."""

_NOISE = 0.1
"""Standard error of the centre of a box, tile sides."""

_SHEAR = 0.25
"""Prior standard deviation of an affine map's terms beyond a similarity, relative to its scale."""

_PERSPECTIVE = 0.2
"""Prior standard deviation of the change of scale over the spread of the tiles."""

_MAX_TURN = 0.5
"""Greatest sine of the angle between the axes of matched tiles, a right angle being 1."""

_MAX_STRETCH = 1.3
"""Greatest ratio of the lengths of matched tiles in the direction of their row."""

_MIN_DEPTH = 0.2
"""Least depth of a tile, relative to the median of the matched ones, from which it can be placed.

A photo may show a part of the table that is behind the camera of the other.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """The registration of a photo with a base.

    Attributes:
        pairs: (base, other) ids of tiles that are the same.
        boxes: shape (n, 4), the other photo's boxes in pixels of the base.
        axes: shape (n,), the directions of their upright axes there.
        quads: shape (n, 4, 2), their corners there.
        placed: shape (n,), which of them are in front of the base's camera; the boxes, axes and
            quads of the others are meaningless.
    """

    pairs: tuple[tuple[int, int], ...]
    boxes: NDArray[np.float32]
    axes: NDArray[np.float32]
    quads: NDArray[np.float32]
    placed: NDArray[np.bool_]


def register(base: Detections, other: Detections) -> Registration | None:
    """Register another photo with the base; None if too few tiles match."""
    if min(len(base), len(other)) < _MIN_TILES:
        return None
    ours, theirs = _centres(base), _centres(other)
    side = _sides(base)
    like = np.argwhere(
        base.probabilities.astype(np.float64) @ other.probabilities.astype(np.float64).T
        > MIN_LIKENESS
    )
    refined = [
        _refined(matrix, ours, theirs, side, like)
        for matrix in _similarities(ours, theirs, side, like)
    ]
    if not refined:
        return None
    matrix, pairs = max(refined, key=lambda one: _agreement(one[0], one[1], ours, theirs, side))
    if not _agrees(matrix, pairs, base, theirs, side):
        return None
    boxes, axes, quads = _moved(matrix, other, theirs)
    same_way = _axes_agree(base.axes[pairs[:, 0]], axes[pairs[:, 1]])
    if not same_way or not _lengths_agree(
        base.quads[pairs[:, 0]], quads[pairs[:, 1]], ours[pairs[:, 0]]
    ):
        return None
    depth = depths(matrix, theirs)
    placed = depth > _MIN_DEPTH * np.median(depth[pairs[:, 1]])
    same = tuple((int(i), int(j)) for i, j in pairs)
    return Registration(same, boxes, axes, quads, placed)


def _refined(
    matrix: Array, ours: Array, theirs: Array, side: Array, like: NDArray[np.int_]
) -> tuple[Array, NDArray[np.int_]]:
    """Refine a map by its matches, with ever more degrees of freedom, until these stay the same.

    Returns:
        The map and its matches.
    """
    pairs = _pairs(matrix, ours, theirs, side, like)
    for degrees in _REFINEMENTS:
        if len(pairs) * 2 < degrees + 2:
            break
        i, j = pairs.T
        better = _fit(ours[i], theirs[j], degrees, _NOISE * float(np.median(side[i])))
        if better is None:
            break
        again = _pairs(better, ours, theirs, side, like)
        if len(again) < _MIN_SHARE * len(pairs):
            break
        matrix, pairs, before = better, again, pairs
        if degrees == 8 and np.array_equal(pairs, before):
            break
    return matrix, pairs


def _centres(found: Detections) -> Array:
    """Return the middles (n, 2) of the boxes."""
    return centres(found.boxes.astype(np.float64))


def _sides(found: Detections) -> Array:
    """Return the square root (n,) of each box's area."""
    sides: Array = np.sqrt(np.maximum(sizes(found.boxes.astype(np.float64)), 1.0).prod(1))
    return sides


def _similarities(ours: Array, theirs: Array, side: Array, like: NDArray[np.int_]) -> list[Array]:
    """Find the similarities, determined by two pairs of like tiles, that match the most tiles.

    In an oblique view the best of them may match neighbours of one face to each other.
    """
    first, second = np.triu_indices(len(like), 1)
    a, b = like[first], like[second]
    fits = (a[:, 0] != b[:, 0]) & (a[:, 1] != b[:, 1])
    a, b = a[fits], b[fits]
    if len(a) > _MAX_HYPOTHESES:
        kept = np.random.default_rng(len(a)).choice(len(a), _MAX_HYPOTHESES, replace=False)
        a, b = a[kept], b[kept]
    if not len(a):
        return []
    z = ours[:, 0] + 1j * ours[:, 1]
    w = theirs[:, 0] + 1j * theirs[:, 1]
    span = w[b[:, 1]] - w[a[:, 1]]
    turn = (z[b[:, 0]] - z[a[:, 0]]) / np.where(span == 0, 1, span)
    shift = z[a[:, 0]] - turn * w[a[:, 1]]
    off = np.abs(turn[:, None] * w[like[:, 1]] + shift[:, None] - z[like[:, 0]])
    close = off / (_MAX_DISTANCE * side[like[:, 0]])
    hits = (close < 1).sum(axis=1).astype(float)
    hits[(np.abs(turn) < _SCALES[0]) | (np.abs(turn) > _SCALES[1])] = 0
    # One-to-one matches are counted, as a degenerate map may map many tiles to one like tile.
    # Ties are broken by closeness, as maps at a wrong scale may match as many tiles.
    ranked = np.lexsort((np.minimum(close, 1).sum(axis=1), -hits))[:_MAX_RANKED]
    maps = [_similarity(turn[k], shift[k]) for k in ranked]

    def agreement(matrix: Array) -> tuple[int, float]:
        pairs = _pairs(matrix, ours, theirs, side, like)
        return _agreement(matrix, pairs, ours, theirs, side)

    return sorted(maps, key=agreement, reverse=True)[:_MAX_REFINED]


def _agreement(
    matrix: Array, pairs: NDArray[np.int_], ours: Array, theirs: Array, side: Array
) -> tuple[int, float]:
    """Return the number of matches and how close they are; for both, greater is better."""
    i, j = pairs.T
    off = np.hypot(*(project(matrix, theirs[j]) - ours[i]).T) / side[i]
    return len(i), -float(off.sum())


def _similarity(turn: complex, shift: complex) -> Array:
    return np.array(
        [[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag], [0.0, 0.0, 1.0]]
    )


def _pairs(
    matrix: Array, ours: Array, theirs: Array, side: Array, like: NDArray[np.int_]
) -> NDArray[np.int_]:
    """Match like tiles one to one by their distance after mapping, nearest first."""
    off = np.hypot(*(project(matrix, theirs)[like[:, 1]] - ours[like[:, 0]]).T) / side[like[:, 0]]
    near = np.flatnonzero(off < _MAX_DISTANCE)
    mine: set[int] = set()
    its: set[int] = set()
    chosen: list[tuple[int, int]] = []
    for i, j in like[near[np.argsort(off[near], kind="stable")]].tolist():
        if i not in mine and j not in its:
            chosen.append((i, j))
            mine.add(i)
            its.add(j)
    return np.array(chosen, np.int_).reshape(-1, 2)


def _fit(ours: Array, theirs: Array, degrees: int, noise: float) -> Array | None:
    """Fit a similarity (4 degrees of freedom), affine map (6) or homography (8) by least squares.

    Both point sets are normalised first, without which the equations of a homography are
    ill-conditioned (Hartley 1997). The prior is a similarity: it adds the equations that the terms
    of an affine map and of a homography beyond it are 0, each with its standard deviation.

    Args:
        ours, theirs: shape (n, 2), centres of matched tiles, pixels.
        degrees: degrees of freedom.
        noise: standard error of `ours`, pixels.

    Returns:
        Shape (3, 3); None if it would place a tile behind the camera.
    """
    if degrees == 4:
        z, w = ours @ [1, 1j], theirs @ [1, 1j]
        turn = complex(
            np.vdot(w - w.mean(), z - z.mean())
            / max(float(np.vdot(w - w.mean(), w - w.mean()).real), 1e-9)
        )
        return _similarity(turn, complex(z.mean() - turn * w.mean()))
    to_ours, to_theirs = _normalising(ours), _normalising(theirs)
    ours, theirs = project(to_ours, ours), project(to_theirs, theirs)
    noise *= float(to_ours[0, 0])
    x, y = theirs.T
    ones, none = np.ones(len(x)), np.zeros(len(x))
    u, v = ours.T
    seen = [
        [x, y, ones, none, none, none, -u * x, -u * y],
        [none, none, none, x, y, ones, -v * x, -v * y],
    ]
    prior = np.zeros((4, 8))
    prior[0, [0, 4]] = 1 / _SHEAR, -1 / _SHEAR
    prior[1, [1, 3]] = 1 / _SHEAR, 1 / _SHEAR
    prior[[2, 3], [6, 7]] = 1 / _PERSPECTIVE
    rows = np.concatenate([*(np.stack(row, axis=1) / noise for row in seen), prior])[:, :degrees]
    wanted = np.concatenate([u / noise, v / noise, np.zeros(len(prior))])
    solution = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    matrix = np.append(np.pad(solution, (0, 8 - degrees)), 1.0).reshape(3, 3)
    if (depths(matrix, theirs) <= 0).any():
        return None
    found: Array = np.linalg.inv(to_ours) @ matrix @ to_theirs
    return found


def _normalising(points: Array) -> Array:
    """Return the map that normalises points to zero mean and unit spread."""
    (x, y), spread = points.mean(axis=0), max(float(points.std()), 1e-6)
    return np.array(
        [[1 / spread, 0.0, -x / spread], [0.0, 1 / spread, -y / spread], [0.0, 0.0, 1.0]]
    )


def _agrees(
    matrix: Array, pairs: NDArray[np.int_], base: Detections, theirs: Array, side: Array
) -> bool:
    """Return whether enough tiles and faces match, and enough of the tiles near one of the base."""
    kinds = len(set(base.probabilities[pairs[:, 0]].argmax(axis=1).tolist()))
    least = max(_MIN_TILES, _MIN_MATCHED * min(len(base), len(theirs)))
    if len(pairs) < least or kinds < _MIN_FACES:
        return False
    near = distances(project(matrix, theirs), _centres(base)).min(axis=1) < np.median(side)
    return len(pairs) >= _MIN_SHARE * max(int(near.sum()), 1)


def _axes_agree(base: NDArray[np.float32], placed: NDArray[np.float32]) -> bool:
    """Return whether the axes of matched tiles have about the same direction after mapping."""
    apart = np.abs(np.sin(base - placed))
    apart = apart[np.isfinite(apart)]
    return len(apart) == 0 or float(np.median(apart)) < _MAX_TURN


def _lengths_agree(base: NDArray[np.float32], placed: NDArray[np.float32], middles: Array) -> bool:
    """Return whether matched tiles are about equally long in row direction after mapping.

    Tiles laid farther apart may match by their centres at another scale. Across a single row the
    scale is hardly determined.

    Args:
        base, placed: shape (n, 4, 2), quads on the base and those mapped to it.
        middles: shape (n, 2), the centres on the base.
    """
    along = np.linalg.svd(middles - middles.mean(axis=0), full_matrices=False)[2][0]
    ratio = float(np.median(np.ptp(placed @ along, axis=1) / np.ptp(base @ along, axis=1)))
    return 1 / _MAX_STRETCH < ratio < _MAX_STRETCH


def _moved(
    matrix: Array, other: Detections, middles: Array
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Map the other photo's boxes, axes and quads to the base.

    A box becomes the one around the mapped quad. Where the axis is not known, the quad is the box,
    and the box around its image would be too large: there the box keeps its shape, rotated and
    scaled by the map at its centre.
    """
    quads = project(matrix, other.quads.astype(np.float64).reshape(-1, 2)).reshape(-1, 4, 2)
    placed = project(matrix, middles)
    step_x = project(matrix, middles + np.array([1.0, 0.0])) - placed
    step_y = project(matrix, middles + np.array([0.0, 1.0])) - placed
    extent = sizes(other.boxes).astype(np.float64) / 2
    half = np.abs(step_x) * extent[:, :1] + np.abs(step_y) * extent[:, 1:]
    wanted = np.prod(extent, axis=1) * np.abs(
        step_x[:, 0] * step_y[:, 1] - step_x[:, 1] * step_y[:, 0]
    )
    half *= np.sqrt(wanted / np.maximum(np.prod(half, axis=1), 1e-9))[:, None]
    known = np.isfinite(other.axes)[:, None]
    boxes = np.where(known, around(quads), np.concatenate([placed - half, placed + half], axis=1))
    direction = step_x * np.cos(other.axes)[:, None] + step_y * np.sin(other.axes)[:, None]
    axes = np.mod(np.arctan2(direction[:, 1], direction[:, 0]), np.pi).astype(np.float32)
    return boxes.astype(np.float32), axes, ordered(quads.astype(np.float32), axes)
