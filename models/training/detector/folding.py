"""Trains a detector without batch normalisation, which is folded into the convolutions before it.

A step on a CPU then takes two thirds of the time. The statistics of the batches stay those of the
weights that training starts from, so this is for fine-tuning only.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from hupai.models.training.detector.axes import AxesDetector  # isort: skip - registers operators

from ultralytics.nn.modules import Conv
from ultralytics.utils.torch_utils import fuse_conv_and_bn


def folded(network: AxesDetector) -> AxesDetector:
    """Fold each normalisation into its convolution, in place; return the network."""
    for module in network.modules():
        if isinstance(module, Conv) and hasattr(module, "bn"):
            module.conv = fuse_conv_and_bn(module.conv, module.bn).requires_grad_(True)
            del module.bn
            module.forward = module.forward_fuse
    return network


def unfolded(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the state of a network with normalisations that change nothing but add the biases.

    Args:
        state: of a network by `folded`, or of one that still has its normalisations.

    Returns:
        A state that `hupai.models.training.detector.axes.from_state` loads, in single precision.
    """
    plain = AxesDetector()
    found = {name: state.get(name, value).float() for name, value in plain.state_dict().items()}
    for name, module in plain.named_modules():
        shift = state.get(f"{name}.conv.bias")
        if not isinstance(module, Conv) or shift is None:
            continue
        shift = shift.float()
        found[f"{name}.bn.weight"] = torch.ones_like(shift)
        found[f"{name}.bn.bias"] = shift
        found[f"{name}.bn.running_mean"] = torch.zeros_like(shift)
        found[f"{name}.bn.running_var"] = torch.full_like(shift, 1 - module.bn.eps)
    return found
