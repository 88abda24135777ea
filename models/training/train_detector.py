"""Trains the tile detector with Ultralytics, from nothing, on CPU or GPU.

    python -m models.training.train_detector DATA RUN [--epochs 10] [--size 512] [--resume]

DATA is a folder made by `models.training.prepare`. RUN gets the weights, curves and arguments; with --resume training goes on from
RUN/weights/last.pt after a stop.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from models.training import cpu

SEED = 20


def arguments(size: int, epochs: int, batch: int) -> dict[str, Any]:
    """Training arguments, the same on CPU and GPU; every value that differs from Ultralytics' default has its reason."""
    return {
        "imgsz": size,
        "epochs": epochs,
        "batch": batch,
        "nbs": batch,  # no accumulation of batches: a short run has too few steps for that
        "pretrained": False,
        "optimizer": "AdamW",
        "lr0": 0.002,
        "lrf": 0.02,
        "cos_lr": True,
        "warmup_epochs": 0.5,
        "weight_decay": 0.01,
        "mosaic": 0.5,
        "close_mosaic": max(1, epochs // 5),
        "scale": 0.6,  # close-ups and far rows: a wide range of tile sizes
        "translate": 0.1,
        "degrees": 0.0,  # turning an upright box makes it loose; the scenes have every rotation already
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


def train(
    data: Path, run: Path, size: int, epochs: int, batch: int, base: str, resume: bool, workers: int, cache: bool, device: str
) -> Path:
    """Train and return the path of the last weights."""
    cpu.register_missing_ops()
    from ultralytics import YOLO

    from models.training.mixed import MixedTrainer

    count = cpu.threads(int(os.environ.get("OMP_NUM_THREADS", "0")) or None)
    last = run / "weights" / "last.pt"
    model = YOLO(str(last) if resume and last.exists() else base)
    model.add_callback("on_train_start", lambda _: cpu.threads(count))
    if resume and last.exists():
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
            **arguments(size, epochs, batch),
        )
    return last


def main() -> None:
    """Command line of this module."""
    cpu.restart_with_allocator_settings()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--base", default="yolov8n.yaml", help="architecture, or weights to start from")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--no-cache", action="store_true")
    parser.add_argument("--device", default="")
    parser.add_argument("--resume", action="store_true")
    a = parser.parse_args()
    print(train(a.data, a.run, a.size, a.epochs, a.batch, a.base, a.resume, a.workers, not a.no_cache, a.device or "cpu"))


if __name__ == "__main__":
    main()
