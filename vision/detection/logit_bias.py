"""The logit bias shared by all tiles of a photo, independent of their faces.

Under covariate shift (an unknown tile set, unusual light) the classifier's logits have the same
bias at every tile: all of them look a little more like a 7m, say. The bias is estimated from the
mean over the tiles and subtracted. This is test-time adaptation (Schneider et al., Improving
robustness against common corruptions by covariate shift adaptation, 2020) in the last layer, where
it needs no second run.
"""

from __future__ import annotations

import json

import numpy as np

from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

NAME = "mean_logits"
"""Key of the mean logits, as JSON, in the metadata of a classifier's ONNX file."""

FORMER_NAME = "usual_logits"
"""Their key in files of weights before 2026.11.14."""

_ROUNDS = 3
"""Rounds of alternately estimating faces and bias."""


def mean_logits_by_class(metadata: dict[str, str]) -> FloatArray | None:
    """Read the classifier's mean logits for tiles of each class, before the temperature.

    Returns:
        Shape (43, 44); None for weights without them.

    Raises:
        ValueError: when the table has another shape.
    """
    text = metadata.get(NAME, metadata.get(FORMER_NAME))
    if text is None:
        return None
    table: FloatArray = np.asarray(json.loads(text), np.float32)
    if table.ndim != 2 or table.shape[1] != len(table) + 1:
        raise ValueError(
            f"{NAME} must have a row for each class and a column more, got shape {table.shape}"
        )
    return table


def logit_bias(logits: FloatArray, means: FloatArray, prior_tiles: float) -> FloatArray:
    """Estimate the bias of each tile's logits from all other tiles of the photo.

    A tile's own logits are excluded from its bias, so that no tile confirms itself.

    Args:
        logits: shape (n, 44), of all crops of one photo; crops of "no tile", the last class, are
            ignored.
        means: shape (43, 44), at the same temperature, see `mean_logits_by_class`.
        prior_tiles: number of tiles at which the estimate is shrunk by half.

    Returns:
        Shape (n, 44), to be subtracted.
    """
    bias = np.zeros_like(logits)
    for _ in range(_ROUNDS):
        faces = softmax(logits - bias)[:, : len(means)]
        tile = faces.sum(1, keepdims=True)
        rest = logits * tile - faces @ means
        bias = ((rest.sum(0) - rest) / (tile.sum() - tile + prior_tiles)).astype(logits.dtype)
    return bias
