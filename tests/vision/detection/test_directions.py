"""Directions of tiles, from the numbers that the detector gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.vision.detection.directions import directions, half_axes, outlines
from hupai.vision.detection.naming import agreed
from hupai.vision.geometry.boxes import around

Array = NDArray[np.float64]


def tiles(count: int = 40) -> tuple[Array, Array]:
    """Outlines (n, 4, 2) of tiles seen at any angle, some squeezed, and their half axes."""
    rng = np.random.default_rng(4)
    angle = rng.uniform(0, np.pi, count)
    along = np.stack([np.cos(angle), np.sin(angle)], 1) * 40
    across = np.stack([-np.sin(angle), np.cos(angle)], 1) * 30
    squeezed = rng.uniform(0.5, 1, (count, 1, 2))
    axes = np.stack([along, across], 1) * squeezed
    u, v = axes[:, 0], axes[:, 1]
    quads = np.stack([u + v, u - v, -u - v, v - u], 1) + rng.uniform(100, 900, (count, 1, 2))
    return quads, axes


def numbers_of(quads: Array, axes: Array) -> Array:
    """The numbers as a network without error gives them."""
    u, v = np.moveaxis(axes / (np.ptp(quads, 1) / 2)[:, None], 1, 0)
    return np.concatenate([u**2, u.prod(1)[:, None], v**2, v.prod(1)[:, None]], 1)


def test_half_axes_and_outlines_come_back_up_to_their_sign() -> None:
    quads, axes = tiles()
    boxes = around(quads)
    found = half_axes(numbers_of(quads, axes), boxes)
    off = np.minimum(np.abs(found - axes).max(2), np.abs(found + axes).max(2))
    assert off.max() < 1e-6
    np.testing.assert_allclose(around(outlines(boxes, found)), boxes, atol=1e-3)
    turn = directions(found) - np.arctan2(axes[:, 0, 1], axes[:, 0, 0])
    np.testing.assert_allclose(np.sin(turn), 0, atol=1e-5)


def test_numbers_with_errors_still_span_the_box() -> None:
    quads, axes = tiles()
    boxes = around(quads)
    noise = np.random.default_rng(5).normal(0, 0.15, (len(quads), 6))
    found = outlines(boxes, half_axes(numbers_of(quads, axes) + noise, boxes))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(around(found), boxes, atol=1e-3)


@pytest.mark.parametrize(
    ("by_shape", "by_face", "chosen"),
    [(1.5, 1.4, 1.5), (0.1, 1.6, 1.6), (0.05, 3.1, 0.05), (1.2, np.nan, 1.2)],
    ids=["alike", "across", "alike over the jump at pi", "the face tells nothing"],
)
def test_the_face_decides_only_which_side_is_the_longer_one(
    by_shape: float, by_face: float, chosen: float
) -> None:
    both = (np.array([value], np.float32) for value in (by_shape, by_face))
    assert agreed(*both) == pytest.approx([chosen])
