"""Registers two photos of a table by tiles that show the same faces in the same places.

Tiles lie on a plane, so two views of them differ by a homography. It is found similarly to RANSAC
(Fischler and Bolles 1981): each pair of tiles on one photo is matched with each pair of the same
faces on the other, which determines a similarity; the one with the most inliers is refined to an
affine map and a homography. OpenCV's RANSAC does not suit because a tile has several candidate
matches on the other photo.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import centres, sizes
from hupai.vision.types import Detections

Array = NDArray[np.float64]

_MIN_LIKENESS = 0.3
"""Probability of showing the same face from which two tiles are a candidate match."""

_MAX_DISTANCE = 0.45
"""Distance, in tile sides, up to which a mapped tile matches its candidate."""

_MIN_TILES = 4
"""Least number of matched tiles."""

_MIN_FACES = 3
"""Least number of different faces among the matched tiles."""

_MIN_SHARE = 0.6
"""Least share of matches among the tiles that should be on both photos."""

_MAX_HYPOTHESES = 4000
"""Most similarities to try; if there are more, a random sample is tried."""

_MAX_RANKED = 40
"""Most similarities whose one-to-one matches are counted."""

_SCALES = (0.2, 5.0)
"""Least and greatest scale of a similarity."""

_REFINEMENTS = (4, 4, 6, *[8] * 15)
"""Degrees of freedom of the map in each round of refinement."""


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """The registration of a photo with a base.

    Attributes:
        matrix: shape (3, 3), maps homogeneous pixels of the other photo to those of the base.
        pairs: (base, other) ids of tiles that are the same.
        boxes: shape (n, 4), the other photo's boxes in pixels of the base.
        axes: shape (n,), the directions of their upright axes there.
    """

    matrix: Array
    pairs: tuple[tuple[int, int], ...]
    boxes: NDArray[np.float32]
    axes: NDArray[np.float32]


def register(base: Detections, other: Detections) -> Registration | None:
    """Register another photo with the base; None if too few tiles match."""
    if min(len(base), len(other)) < _MIN_TILES:
        return None
    ours, theirs = _centres(base), _centres(other)
    side = _sides(base)
    like = np.argwhere(
        base.probabilities.astype(np.float64) @ other.probabilities.astype(np.float64).T
        > _MIN_LIKENESS
    )
    matrix = _best_similarity(ours, theirs, side, like)
    if matrix is None:
        return None
    matrix, pairs = _refined(matrix, ours, theirs, side, like)
    if not _agrees(matrix, pairs, base, theirs, side):
        return None
    boxes, axes = _moved(matrix, other, theirs)
    return Registration(matrix, tuple((int(i), int(j)) for i, j in pairs), boxes, axes)


def _refined(
    matrix: Array, ours: Array, theirs: Array, side: Array, like: NDArray[np.int_]
) -> tuple[Array, NDArray[np.int_]]:
    """Refine a map by its matches, degree by degree, until these stay the same.

    Returns:
        The map and its matches.
    """
    pairs = _pairs(matrix, ours, theirs, side, like)
    for degrees in _REFINEMENTS:
        if len(pairs) * 2 < degrees + 2:
            break
        better = _fit(ours[pairs[:, 0]], theirs[pairs[:, 1]], degrees)
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


def _best_similarity(
    ours: Array, theirs: Array, side: Array, like: NDArray[np.int_]
) -> Array | None:
    """Find the similarity, determined by two pairs of like tiles, that matches the most tiles."""
    first, second = np.triu_indices(len(like), 1)
    a, b = like[first], like[second]
    fits = (a[:, 0] != b[:, 0]) & (a[:, 1] != b[:, 1])
    a, b = a[fits], b[fits]
    if len(a) > _MAX_HYPOTHESES:
        kept = np.random.default_rng(len(a)).choice(len(a), _MAX_HYPOTHESES, replace=False)
        a, b = a[kept], b[kept]
    if not len(a):
        return None
    z = ours[:, 0] + 1j * ours[:, 1]
    w = theirs[:, 0] + 1j * theirs[:, 1]
    span = w[b[:, 1]] - w[a[:, 1]]
    turn = (z[b[:, 0]] - z[a[:, 0]]) / np.where(span == 0, 1, span)
    shift = z[a[:, 0]] - turn * w[a[:, 1]]
    off = np.abs(turn[:, None] * w[like[:, 1]] + shift[:, None] - z[like[:, 0]])
    hits = (off < _MAX_DISTANCE * side[like[:, 0]]).sum(axis=1)
    hits[(np.abs(turn) < _SCALES[0]) | (np.abs(turn) > _SCALES[1])] = 0
    # One-to-one matches are counted, as a degenerate map may bring many tiles to one like tile.
    ranked = np.argsort(-hits, kind="stable")[:_MAX_RANKED]
    maps = [_similarity(turn[k], shift[k]) for k in ranked]
    return max(maps, key=lambda matrix: len(_pairs(matrix, ours, theirs, side, like)))


def _similarity(turn: complex, shift: complex) -> Array:
    return np.array(
        [[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag], [0.0, 0.0, 1.0]]
    )


def _apply(matrix: Array, points: Array) -> Array:
    moved = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    placed: Array = moved[:, :2] / moved[:, 2:]
    return placed


def _pairs(
    matrix: Array, ours: Array, theirs: Array, side: Array, like: NDArray[np.int_]
) -> NDArray[np.int_]:
    """Match like tiles one to one by their distance after mapping, nearest first."""
    off = np.hypot(*(_apply(matrix, theirs)[like[:, 1]] - ours[like[:, 0]]).T) / side[like[:, 0]]
    chosen: list[tuple[int, int]] = []
    for k in np.argsort(off, kind="stable"):
        i, j = int(like[k, 0]), int(like[k, 1])
        if off[k] < _MAX_DISTANCE and all(i != one and j != two for one, two in chosen):
            chosen.append((i, j))
    return np.array(chosen, np.int_).reshape(-1, 2)


def _fit(ours: Array, theirs: Array, degrees: int) -> Array | None:
    """Fit a similarity (4 degrees of freedom), affine map (6) or homography (8) by least squares.

    Both point sets are normalised first, without which the equations of a homography are
    ill-conditioned (Hartley 1997).

    Returns:
        Shape (3, 3); None if the tiles do not determine it.
    """
    if degrees == 4:
        z, w = ours @ [1, 1j], theirs @ [1, 1j]
        turn = complex(
            np.vdot(w - w.mean(), z - z.mean())
            / max(float(np.vdot(w - w.mean(), w - w.mean()).real), 1e-9)
        )
        return _similarity(turn, complex(z.mean() - turn * w.mean()))
    to_ours, to_theirs = _normalising(ours), _normalising(theirs)
    ours, theirs = _apply(to_ours, ours), _apply(to_theirs, theirs)
    x, y = theirs.T
    ones, none = np.ones(len(x)), np.zeros(len(x))
    u, v = ours.T
    left = [
        [x, y, ones, none, none, none, -u * x, -u * y],
        [none, none, none, x, y, ones, -v * x, -v * y],
    ]
    rows = np.concatenate([np.stack(row, axis=1) for row in left])[:, :degrees]
    scale = np.abs(rows).max(axis=0)
    if (scale == 0).any():
        return None
    solution, _, rank, singular = np.linalg.lstsq(rows / scale, np.concatenate([u, v]), rcond=None)
    if rank < degrees or singular[-1] < 1e-3 * singular[0]:
        return None
    matrix = np.append(np.pad(solution / scale, (0, 8 - degrees)), 1.0).reshape(3, 3)
    whole = np.linalg.inv(to_ours) @ matrix @ to_theirs
    found: Array = whole / whole[2, 2]
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
    if len(pairs) < _MIN_TILES or kinds < _MIN_FACES:
        return False
    placed = _apply(matrix, theirs)
    ours = _centres(base)
    near = np.hypot(*np.moveaxis(placed[:, None] - ours[None], -1, 0)).min(axis=1) < np.median(side)
    return len(pairs) >= _MIN_SHARE * max(int(near.sum()), 1)


def _moved(
    matrix: Array, other: Detections, middles: Array
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Map the other photo's boxes and axes to the base.

    A box keeps its shape, rotated and scaled by the map at its centre.
    """
    placed = _apply(matrix, middles)
    step_x = _apply(matrix, middles + np.array([1.0, 0.0])) - placed
    step_y = _apply(matrix, middles + np.array([0.0, 1.0])) - placed
    extent = sizes(other.boxes).astype(np.float64) / 2
    half = np.abs(step_x) * extent[:, :1] + np.abs(step_y) * extent[:, 1:]
    # The box around a rotated box is too large, so it is scaled to the area of the mapped box.
    wanted = np.prod(extent, axis=1) * np.abs(
        step_x[:, 0] * step_y[:, 1] - step_x[:, 1] * step_y[:, 0]
    )
    half *= np.sqrt(wanted / np.maximum(np.prod(half, axis=1), 1e-9))[:, None]
    boxes = np.concatenate([placed - half, placed + half], axis=1).astype(np.float32)
    direction = step_x * np.cos(other.axes)[:, None] + step_y * np.sin(other.axes)[:, None]
    axes = np.mod(np.arctan2(direction[:, 1], direction[:, 0]), np.pi).astype(np.float32)
    return boxes, axes
