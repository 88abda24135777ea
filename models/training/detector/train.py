"""Trains the tile detector with Ultralytics, from scratch, on CPU or GPU.

    python -m hupai.models.training.detector.train DATA RUN [--epochs 6] [--size 448] [--resume]

DATA is a folder made by `hupai.models.training.detector.prepare`. RUN gets the weights, curves and
arguments; with --resume training continues from RUN/weights/last.pt after an interruption.
"""

from __future__ import annotations

import argparse
import math
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from hupai.models.training import cpu
from hupai.models.training.bfloat16 import YOLO, MixedTrainer

SEED = 20
"""Seed of Ultralytics' augmentation."""


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters of a training.

    Attributes:
        size: longer side of the pictures in pixels.
        epochs: number of epochs.
        batch: pictures per step.
        rate: peak learning rate; it falls along a cosine.
        base: architecture to train from scratch (.yaml), or weights to start from (.pt).
        mosaic: probability of mosaic augmentation, which combines four pictures.
        sizes: greatest deviation of a batch's size from `size`, as a share of it.
        frozen: number of first layers not trained; the first five take half of a step's time.
        keep_statistics: whether batch normalisation keeps its current means and variances
            instead of those of the training's pictures.
    """

    size: int = 448
    epochs: int = 6
    batch: int = 16
    rate: float = 0.002
    base: str = "yolov8n.yaml"
    mosaic: float = 0.5
    sizes: float = 0.0
    frozen: int = 0
    keep_statistics: bool = False


def arguments(recipe: Recipe) -> dict[str, Any]:
    """Return the arguments of a training, the same on CPU and GPU."""
    continued = recipe.base.endswith(".pt")
    return {
        "imgsz": recipe.size,
        "epochs": recipe.epochs,
        "batch": recipe.batch,
        "nbs": recipe.batch,  # no accumulation of batches: a short run has too few steps for that
        "pretrained": continued,
        "optimizer": "AdamW",
        "lr0": recipe.rate,
        "lrf": 0.02,
        "cos_lr": True,
        "warmup_epochs": 0.15 if continued else 0.5,
        # Fine-tuned weights do not need large initial steps of their biases.
        "warmup_bias_lr": 0.0 if continued else 0.1,
        "weight_decay": 0.01,
        "mosaic": recipe.mosaic,
        "multi_scale": recipe.sizes,
        "freeze": recipe.frozen or None,
        "close_mosaic": max(1, recipe.epochs // 5),
        "scale": 0.6,  # close-ups and far rows: a wide range of tile sizes
        "translate": 0.1,
        # A turned upright box is loose, and the scenes have every rotation.
        "degrees": 0.0,
        "fliplr": 0.5,
        "flipud": 0.5,
        "hsv_h": 0.02,
        "hsv_s": 0.6,
        "hsv_v": 0.4,
        "erasing": 0.0,
        "seed": SEED,
        "deterministic": False,
        "plots": False,
        "save": True,
        "save_period": -1,
        "val": False,
        "amp": False,  # `cpu.autocast` does it, on CPU too
    }


class RateByStep:
    """Updates the cosine learning rate at each step, not each epoch.

    A short training has few epochs. Called by Ultralytics before each batch.
    """

    def __init__(self) -> None:
        self._epoch, self._batch = -1, 0

    def __call__(self, trainer: Any) -> None:
        """Set the learning rate of the next step."""
        self._batch = self._batch + 1 if trainer.epoch == self._epoch else 0
        self._epoch = trainer.epoch
        done = (trainer.epoch + self._batch / len(trainer.train_loader)) / trainer.epochs
        share = trainer.args.lrf + (1 - trainer.args.lrf) * (1 + math.cos(math.pi * done)) / 2
        for group in trainer.optimizer.param_groups:
            group["lr"] = group["initial_lr"] * share


def keep_statistics(trainer: Any) -> None:
    """Stop measuring means and variances. Called by Ultralytics before each batch."""
    for module in trainer.model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.eval()


def train(
    data: Path,
    run: Path,
    recipe: Recipe,
    resume: bool = False,
    workers: int = 1,
    cache: bool = True,
    device: str = "cpu",
) -> Path:
    """Train and return the path of the last weights.

    Args:
        data: folder made by `hupai.models.training.detector.prepare`.
        run: gets weights and results.
        recipe: the hyperparameters.
        resume: continue from the last checkpoint in `run`, if there is one; a finished training is
            left as it is.
        workers: processes that load pictures; 0 loads them in this one.
        cache: keep all pictures in memory.
        device: ``cpu`` or the number of a GPU.
    """
    count = cpu.threads()
    last = run / "weights" / "last.pt"
    interrupted = _checkpoint(last) if resume else None
    if interrupted is not None and not 0 <= interrupted.ckpt["epoch"] < recipe.epochs - 1:
        return last  # Ultralytics refuses to resume a finished training, which it marks by epoch -1
    model = interrupted or YOLO(recipe.base)
    model.add_callback("on_train_start", lambda _: cpu.threads(count))
    model.add_callback("on_train_batch_start", RateByStep())
    if recipe.keep_statistics:
        model.add_callback("on_train_batch_start", keep_statistics)
    if interrupted is not None:
        model.train(trainer=MixedTrainer, resume=True)
    else:
        model.train(
            trainer=MixedTrainer,
            data=str(data / "data.yaml"),
            project=str(run.parent.resolve()),
            name=run.name,
            exist_ok=True,
            workers=workers,
            cache="ram" if cache else False,
            device=device,
            **arguments(recipe),
        )
    return last


def _checkpoint(file: Path) -> Any:
    """Open the checkpoint of an earlier training.

    None if there is none, or if a kill or a full disk cut it off: Ultralytics writes it in place.
    """
    return YOLO(str(file)) if zipfile.is_zipfile(file) else None


def main() -> None:
    """Command line of this module."""
    cpu.restart_with_allocator_settings()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--size", type=int, default=Recipe.size)
    parser.add_argument("--epochs", type=int, default=Recipe.epochs)
    parser.add_argument("--batch", type=int, default=Recipe.batch)
    parser.add_argument("--rate", type=float, default=Recipe.rate)
    parser.add_argument(
        "--base", default=Recipe.base, help="architecture, or weights to go on from"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--mosaic", type=float, default=Recipe.mosaic)
    parser.add_argument("--sizes", type=float, default=0.0, help="share by which the size varies")
    parser.add_argument("--frozen", type=int, default=0, help="first layers that are not trained")
    parser.add_argument("--no-cache", action="store_true")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--resume", action="store_true")
    a = parser.parse_args()
    recipe = Recipe(a.size, a.epochs, a.batch, a.rate, a.base, a.mosaic, a.sizes, a.frozen)
    print(train(a.data, a.run, recipe, a.resume, a.workers, not a.no_cache, a.device))


if __name__ == "__main__":
    main()
