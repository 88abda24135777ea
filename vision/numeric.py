"""Softmax and its relatives over the rows of an array, the sigmoid, angles, and quantiles of bytes.

`scipy.special` has them too, at about 0.2 s of import time, half of what a whole reader needs.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", bound=np.floating)


def softmax(logits: NDArray[Float]) -> NDArray[Float]:
    """Return the distributions (n, classes) of logits of that shape."""
    powers = np.exp(logits - logits.max(1, keepdims=True))
    out: NDArray[Float] = powers / powers.sum(1, keepdims=True)
    return out


def log_sum_exp(values: NDArray[Float]) -> NDArray[Float]:
    """Return the logarithm of each row's sum of exponentials, shape (n, 1) for values (n, k)."""
    top = values.max(1, keepdims=True)
    out: NDArray[Float] = np.log(np.exp(values - top).sum(1, keepdims=True)) + top
    return out


def log_softmax(logits: NDArray[Float]) -> NDArray[Float]:
    """Return the logarithms of `softmax`, shape (n, classes)."""
    return logits - log_sum_exp(logits)


def sigmoid(log_odds: NDArray[Float]) -> NDArray[Float]:
    """Return probabilities of the same shape."""
    out: NDArray[Float] = 1 / (1 + np.exp(-np.clip(log_odds, -60, 60)))
    return out


def logistic(log_odds: float) -> float:
    """Return the probability with these log-odds."""
    return 1.0 / (1.0 + math.exp(-log_odds))


def folded(angles: NDArray[Float], period: float = math.pi) -> NDArray[Float]:
    """Return angles modulo a period, radians, from minus half of it to half of it."""
    return np.asarray((angles + period / 2) % period - period / 2, angles.dtype)


def byte_quantiles(
    values: NDArray[np.uint8], shares: float | tuple[float, ...]
) -> NDArray[np.float32]:
    """Return quantiles along the last axis, interpolated linearly as `numpy.quantile` does.

    Bytes are radix-sorted, which takes a tenth of the time of selecting among them.

    Args:
        values: shape (..., n).
        shares: one from 0 to 1, or k of them.

    Returns:
        Shape (...), or (..., k).
    """
    last = values.shape[-1] - 1
    at = np.asarray(shares) * last
    low = at.astype(int)
    rest = (at - low).astype(np.float32)
    ordered = np.sort(values, axis=-1, kind="stable")
    out: NDArray[np.float32] = (
        ordered[..., low] * (1 - rest) + ordered[..., np.minimum(low + 1, last)] * rest
    )
    return out
