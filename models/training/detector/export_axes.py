"""Exports the detector with directions to ONNX, for any size of picture.

The file's output is (1, 12, n): centre, size, score of a face, score of a back, and the six numbers
of `hupai.models.training.detector.axes`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import onnx
import onnxslim
import torch

from hupai.models.training.detector.axes import from_state

_SIDE = 640
"""Side of the picture that the network is traced with, pixels."""


def export_axes(weights: Path, out: Path) -> None:
    """Write the ONNX file of a state of `hupai.models.training.stream.detector`.

    Args:
        weights: file of the state.
        out: ONNX file, in single precision.
    """
    network = from_state(torch.load(weights, map_location="cpu", weights_only=True))
    network = network.float().eval().fuse(verbose=False)
    head = network.model[-1]
    head.export, head.dynamic, head.format = True, True, "onnx"
    with tempfile.TemporaryDirectory() as folder:
        traced = Path(folder) / "traced.onnx"
        torch.onnx.export(
            network,
            (torch.zeros(1, 3, _SIDE, _SIDE),),
            str(traced),
            input_names=["images"],
            output_names=["output0"],
            dynamic_axes={
                "images": {0: "batch", 2: "height", 3: "width"},
                "output0": {0: "batch", 2: "places"},
            },
            opset_version=17,
            dynamo=False,
        )
        onnx.save(onnxslim.slim(onnx.load(traced)), out)
