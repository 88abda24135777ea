"""Quantiles of bytes are those of NumPy, one or several at a time."""

from __future__ import annotations

import numpy as np
import pytest

from hupai.vision.numeric import byte_quantiles


@pytest.mark.parametrize("shape", [(1,), (1000,), (5, 256), (2, 3, 7)])
@pytest.mark.parametrize("shares", [0.0, 0.5, 0.995, 1.0, (0.05, 0.5, 0.95)])
def test_quantiles_are_those_of_numpy(
    shape: tuple[int, ...], shares: float | tuple[float, ...]
) -> None:
    values = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    known = np.quantile(values, shares, axis=-1)
    if isinstance(shares, tuple):
        known = np.moveaxis(known, 0, -1)
    assert byte_quantiles(values, shares) == pytest.approx(known)
