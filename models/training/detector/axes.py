"""The detector with a branch for the directions of tiles, and its loss.

For each box the branch gives six numbers. In coordinates that map the box to a square from -1 to 1,
let u be half the tile's length, from its middle to its upper end, and v half its width. The numbers
are the entries of the matrices u uᵀ and v vᵀ: (u_x², u_y², u_x u_y) and the same of v. They do not
distinguish u from -u, and neither do backs and many faces. So they change continuously with the
tile's direction, while ordered corners would be averaged wherever their order jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from hupai.models.training.bfloat16 import YOLO  # registers operators before Ultralytics

__all__ = ["AXES", "BRANCH", "AxesDetector", "AxesLoss", "axes_of", "from_checkpoint", "from_state"]

from ultralytics.nn.modules.head import Pose
from ultralytics.nn.tasks import PoseModel
from ultralytics.utils import DEFAULT_CFG
from ultralytics.utils.loss import v8DetectionLoss

AXES = 6
"""Outputs for the directions of a tile."""

BASE = "yolov8n-pose.yaml"
"""Architecture: the shipped detector, and a branch of the same form for key points."""

BRANCH = ".cv4."
"""Part of the names of the branch's weights."""

WEIGHT = 3.0
"""Weight of the loss on directions."""

_BETA = 0.05
"""Error from which the loss on directions grows linearly."""


class AxesHead(Pose):
    """Returns the numbers of the branch as they are, where Ultralytics decodes key points."""

    def kpts_decode(self, kpts: torch.Tensor) -> torch.Tensor:
        """Return the directions (n, AXES, places)."""
        return kpts


class AxesDetector(PoseModel):
    """YOLOv8n for faces and backs, with directions."""

    def __init__(self, verbose: bool = False) -> None:
        """Make a network with random weights."""
        super().__init__(BASE, nc=2, data_kpt_shape=(2, AXES // 2), verbose=verbose)
        self.model[-1].__class__ = AxesHead
        self.args = DEFAULT_CFG
        self.names = {0: "tile", 1: "back"}


class AxesLoss(v8DetectionLoss):
    """Ultralytics' loss on boxes and scores, and one on directions where they are known."""

    def loss(
        self, preds: dict[str, torch.Tensor], batch: Mapping[str, torch.Tensor]
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the losses (4,) of a batch, per picture, and the same by name.

        Args:
            preds: predictions of the network in training.
            batch: see `hupai.models.training.stream.views.Views.targets`.
        """
        assigned, boxes, parts = self.get_assigned_targets_and_loss(preds, dict(batch))
        chosen, index = assigned[0], assigned[1]
        found = preds["kpts"].permute(0, 2, 1)[chosen]
        picture = chosen.nonzero(as_tuple=True)[0]
        tile = batch["starts"][picture] + index[chosen]
        wanted = batch["axes"][tile]
        known = torch.isfinite(wanted).all(1)
        error = nn.functional.smooth_l1_loss(
            found, wanted.nan_to_num(), beta=_BETA, reduction="none"
        ).sum(1)
        axes = WEIGHT * (error * known).sum() / known.sum().clamp(min=1)
        return torch.cat([boxes, axes[None]]), {**parts, "axes_loss": axes.detach()}


def axes_of(quads: torch.Tensor) -> torch.Tensor:
    """Return the directions (n, AXES) of tiles by their outlines (n, 4, 2)."""
    half = ((quads.amax(1) - quads.amin(1)) / 2).clamp(min=1e-3)
    q = quads / half[:, None]
    long = (q[:, 0] + q[:, 1] - q[:, 2] - q[:, 3]) / 4
    wide = (q[:, 1] + q[:, 2] - q[:, 0] - q[:, 3]) / 4
    return torch.cat([long**2, long.prod(1, keepdim=True), wide**2, wide.prod(1, keepdim=True)], 1)


def from_checkpoint(file: Path) -> AxesDetector:
    """Make a detector from the boxes-only checkpoint of Ultralytics' form, with a new branch."""
    return from_state(YOLO(str(file)).model.float().state_dict())


def from_state(state: Mapping[str, Any]) -> AxesDetector:
    """Make a detector with these weights; missing parts keep random ones.

    Raises:
        ValueError: if a part other than the new branch is missing.
    """
    network = AxesDetector()
    lacking = network.load_state_dict(state, strict=False)
    missing = [name for name in lacking.missing_keys if BRANCH not in name]
    if missing or lacking.unexpected_keys:
        raise ValueError(f"no detector of this form: {(missing or lacking.unexpected_keys)[:3]}")
    return network
