"""Ultralytics' detector in bfloat16: predictions in half precision, the loss in full.

On some CPUs a training step takes half the time in bfloat16 (`hupai.models.training.cpu.autocast`),
and another fifth less with channels-last memory format. The classes are at module level so that
checkpoints can be pickled.
"""

from __future__ import annotations

from typing import Any

import torch

from hupai.models.training import cpu

cpu.register_missing_ops()

# After the operators are registered, because it imports torchvision.
from ultralytics import YOLO  # noqa: E402
from ultralytics.models.yolo.detect import DetectionTrainer  # noqa: E402
from ultralytics.nn.tasks import DetectionModel  # noqa: E402

__all__ = ["YOLO", "MixedModel", "MixedTrainer"]


class MixedModel(DetectionModel):
    """Runs in bfloat16 while it trains."""

    def loss(self, batch: Any, preds: Any = None) -> Any:
        """Compute Ultralytics' loss on predictions that were made in half precision."""
        return super().loss(batch, _predicted(self, batch, preds))


class MixedTrainer(DetectionTrainer):
    """Builds a `MixedModel`."""

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
        """Build the network of a configuration, with weights if given."""
        channels = self.data.get("channels", 3)
        model = MixedModel(cfg, nc=self.data["nc"], ch=channels, verbose=verbose)
        if weights:
            model.load(weights)
        return model.to(memory_format=torch.channels_last)


def _predicted(model: Any, batch: Any, preds: Any) -> Any:
    """Return the given predictions or, in training, those computed in bfloat16."""
    if preds is not None or not model.training:
        return preds
    pictures = batch["img"].contiguous(memory_format=torch.channels_last)
    with cpu.autocast():
        preds = model.forward(pictures)
    return _full(preds)


def _full(value: Any) -> Any:
    """Turn the tensors of a nested structure into float32."""
    if isinstance(value, dict):
        return {k: _full(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_full(v) for v in value]
    return value.float()
