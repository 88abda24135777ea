"""Reads the weights of an exported network, in whatever precision they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import numpy_helper

_INTEGER = "_quantized"
"""Ending of the names of weights in 8 bits."""

_HALF = "_half"
"""Ending of the names of weights that `hupai.models.training.export` stores as float16."""


def stored_weights(graph: Any) -> dict[str, np.ndarray]:
    """Return the weights of a graph by name, in single precision.

    Weights in 8 bits are listed twice: by their own name, and by the output of the node that scales
    them.
    """
    raw = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    stored = {name.removesuffix(_HALF): array.astype(np.float32) for name, array in raw.items()}
    for node in graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in raw:
            integers, scale = raw[node.input[0]].astype(np.float32), raw[node.input[1]]
            zero = raw[node.input[2]].astype(np.float32) if len(node.input) > 2 else np.zeros(1)
            shape = (-1, *(1,) * (integers.ndim - 1))
            scaled = (integers - zero.reshape(shape)) * scale.reshape(shape)
            stored[node.output[0]] = scaled.astype(np.float32)
            stored[node.input[0].removesuffix(_INTEGER)] = stored[node.output[0]]
    return stored
