"""Ultralytics' detector in bfloat16: predictions in half precision, the loss in full.

A training step takes half the time on CPUs that have bfloat16. The classes stand at the top of a
module so that checkpoints can be pickled.
"""

from __future__ import annotations

from typing import Any

from hupai.models.training import cpu

cpu.register_missing_ops()

# After the operators are there, for it imports torchvision.
from ultralytics import YOLO  # noqa: E402
from ultralytics.models.yolo.detect import DetectionTrainer  # noqa: E402
from ultralytics.nn.tasks import DetectionModel  # noqa: E402

__all__ = ["YOLO", "MixedModel", "MixedTrainer"]


class MixedModel(DetectionModel):
    """Runs in bfloat16 while it trains."""

    def loss(self, batch: Any, preds: Any = None) -> Any:
        """Compute Ultralytics' loss on predictions that were made in half precision."""
        if preds is None and self.training:
            with cpu.autocast():
                preds = self.forward(batch["img"])
            preds = _full(preds)
        return super().loss(batch, preds)


class MixedTrainer(DetectionTrainer):
    """Builds a `MixedModel`."""

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
        """Build the network of a configuration, with weights where given."""
        channels = self.data.get("channels", 3)
        model = MixedModel(cfg, nc=self.data["nc"], ch=channels, verbose=verbose)
        if weights:
            model.load(weights)
        return model


def _full(value: Any) -> Any:
    """Turn the tensors of a nested structure into float32."""
    if isinstance(value, dict):
        return {k: _full(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_full(v) for v in value]
    return value.float()
