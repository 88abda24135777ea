"""What the logits of all tiles on a photo have in common beside their faces, taken off.

A tile set draws in its own way and a photo has its own light, so on a table that training never saw
the classifier leans the same way at every tile: it finds all of them a little more like a 7m, say.
How far it leans shows in the sum over the tiles, and each of them is named without it. The idea is
that of adapting a network to what it is tested on by its statistics (Schneider et al., Improving
robustness against common corruptions by covariate shift adaptation, 2020), here in the last layer,
where it costs nothing and needs no second run.
"""

from __future__ import annotations

import json

import numpy as np

from hupai.vision.types import FloatArray

NAME = "usual_logits"
"""Under which the table of usual logits lies in the metadata of a classifier's ONNX file, as
JSON.
"""
_ROUNDS = 3
"""The bias and the faces without it tell each other; one round names up to 0.002 of the tiles worse
than three.
"""


def mean_logits_by_class(metadata: dict[str, str]) -> FloatArray | None:
    """What the classifier usually says about tiles of each class, shape (43, 44): logits before the
    temperature.

    None for weights that do not tell.

    Raises:
        ValueError: when the table is of another shape.
    """
    if NAME not in metadata:
        return None
    table: FloatArray = np.asarray(json.loads(metadata[NAME]), np.float32)
    if table.ndim != 2 or table.shape[1] != len(table) + 1:
        raise ValueError(
            f"{NAME} must have a row for each class and a column more, got shape {table.shape}"
        )
    return table


def logit_bias(logits: FloatArray, usual: FloatArray, believed: float) -> FloatArray:
    """How far the other tiles of the photo say that the logits of each tile are off, shape (n, 44).

    For each tile it is told by the others alone, so that none confirms itself.

    Args:
        logits: shape (n, 44), of all crops of one photo; the last class is "no tile", and such
            crops tell nothing.
        usual: shape (43, 44), at the same temperature, see `mean_logits_by_class`.
        believed: number of tiles whose common bias is half believed.
    """
    off = np.zeros_like(logits)
    for _ in range(_ROUNDS):
        faces = softmax(logits - off)[:, : len(usual)]
        tile = faces.sum(1, keepdims=True)
        left = logits * tile - faces @ usual
        off = ((left.sum(0) - left) / (tile.sum() - tile + believed)).astype(logits.dtype)
    return off


def softmax(logits: FloatArray) -> FloatArray:
    """Distributions (n, classes) of logits of that shape."""
    e = np.exp(logits - logits.max(1, keepdims=True))
    out: FloatArray = e / e.sum(1, keepdims=True)
    return out
