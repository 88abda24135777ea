"""Ultralytics' networks in bfloat16: the body in half precision, the loss in full. Twice the speed
on CPUs that have it.

At the top of a module, so that checkpoints can be pickled and opened again.
"""

from __future__ import annotations

from typing import Any

from hupai.models.training import cpu

cpu.register_missing_ops()

from ultralytics.models.yolo.detect import DetectionTrainer  # noqa: E402
from ultralytics.models.yolo.obb import OBBTrainer  # noqa: E402
from ultralytics.models.yolo.pose import PoseTrainer  # noqa: E402
from ultralytics.nn.tasks import DetectionModel, OBBModel, PoseModel  # noqa: E402


def _full(value: Any) -> Any:
    """The same structure in float32."""
    if isinstance(value, dict):
        return {k: _full(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_full(v) for v in value]
    return value.float()


class _Mixed:
    """Runs in bfloat16 while it trains."""

    def loss(self, batch: Any, preds: Any = None) -> Any:
        """Ultralytics' loss on predictions that were made in half precision."""
        if preds is None and self.training:  # type: ignore[attr-defined]
            with cpu.autocast():
                preds = self.forward(batch["img"])  # type: ignore[attr-defined]
            preds = _full(preds)
        return super().loss(batch, preds)  # type: ignore[misc]


class MixedModel(_Mixed, DetectionModel):  # type: ignore[misc]
    """Upright boxes."""


class MixedOriented(_Mixed, OBBModel):  # type: ignore[misc]
    """Oriented boxes."""


class MixedCorners(_Mixed, PoseModel):  # type: ignore[misc]
    """Upright boxes with keypoints."""


class MixedTrainer(DetectionTrainer):  # type: ignore[misc]
    """Builds a MixedModel."""

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
        """The network of a configuration, with weights where given."""
        return _built(
            MixedModel(cfg, nc=self.data["nc"], ch=self.data.get("channels", 3), verbose=verbose),
            weights,
        )


class MixedOrientedTrainer(OBBTrainer):  # type: ignore[misc]
    """Builds a MixedOriented."""

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
        """The network of a configuration, with weights where given."""
        return _built(
            MixedOriented(
                cfg, nc=self.data["nc"], ch=self.data.get("channels", 3), verbose=verbose
            ),
            weights,
        )


class MixedCornersTrainer(PoseTrainer):  # type: ignore[misc]
    """Builds a MixedCorners."""

    def get_model(self, cfg: Any = None, weights: Any = None, verbose: bool = True) -> Any:
        """The network of a configuration, with weights where given."""
        model = MixedCorners(
            cfg,
            nc=self.data["nc"],
            ch=self.data.get("channels", 3),
            data_kpt_shape=self.data["kpt_shape"],
            verbose=verbose,
        )
        return _built(model, weights)


def _built(model: Any, weights: Any) -> Any:
    if weights:
        model.load(weights)
    return model
