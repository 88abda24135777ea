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

from hupai.models.training.detector.axes import BRANCH, AxesDetector, from_checkpoint, from_state
from hupai.models.training.onnx_weights import stored_weights

_SIDE = 640
"""Side of the picture that the network is traced with, pixels."""


def load(weights: Path) -> AxesDetector:
    """Load the network from a state file of `hupai.models.training.stream.detector`."""
    return from_state(torch.load(weights, map_location="cpu", weights_only=True))


def with_branch_of(checkpoint: Path, shipped: Path) -> AxesDetector:
    """Add the branch for directions of one detector to another that was fine-tuned from it.

    Args:
        checkpoint: checkpoint of a detector of boxes alone, in Ultralytics' format.
        shipped: ONNX file of the detector with the branch.

    Raises:
        ValueError: if the file has no such branch.
    """
    network = from_checkpoint(checkpoint)
    stored = stored_weights(onnx.load(shipped).graph)
    for name, module in network.named_modules():
        if BRANCH not in name or not isinstance(module, torch.nn.Conv2d):
            continue
        if f"{name}.weight" not in stored:
            raise ValueError(f"{shipped.name} does not give directions")
        kernel, shift = (torch.from_numpy(stored[f"{name}.{part}"]) for part in ("weight", "bias"))
        module.weight.data.copy_(kernel)
        if module.bias is not None:
            module.bias.data.copy_(shift)
            continue
        norm = network.get_submodule(f"{name.rpartition('.')[0]}.bn")
        norm.running_mean.zero_()
        norm.running_var.fill_(1.0 - norm.eps)
        norm.weight.data.fill_(1.0)
        norm.bias.data.copy_(shift)
    return network


def export_axes(network: AxesDetector, out: Path) -> None:
    """Write the ONNX file of a network, in single precision."""
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
