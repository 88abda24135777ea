"""Homographies: maps between views of a plane, as matrices (3, 3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LEAST_DEPTH = 1e-9
"""Depth of points on the horizon, which have no image, so that they are mapped to distant ones."""


def depths(homography: NDArray[np.floating], points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the homogeneous coordinates (n,) of mapped points; negative beyond the horizon."""
    out: NDArray[np.float64] = points @ homography[2, :2] + homography[2, 2]
    return out


def project(homography: NDArray[np.floating], points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Map points (n, 2); those on the horizon to very distant ones."""
    depth = depths(homography, points)[:, None]
    placed: NDArray[np.float64] = points @ homography[:2, :2].T + homography[:2, 2]
    return placed / np.where(np.abs(depth) < _LEAST_DEPTH, _LEAST_DEPTH, depth)
