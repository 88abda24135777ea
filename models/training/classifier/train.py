"""Trains the crop classifier, on CPU or GPU.

    python -m hupai.models.training.classifier.train RUN --synthetic A.npz... --real B.npz --check C.npz [--epochs 10] [--resume]

The files come from `hupai.models.training.classifier.crops`. RUN gets last.pt (everything needed to
go on), history.json and, at the end, classifier.pt.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import Progress
from torch import nn

from hupai.models.training import cpu
from hupai.models.training.classifier.crops import CONTEXT
from hupai.models.training.classifier.network import CLASSES, INPUT, CropClassifier
from hupai.vision.detection.crops import VIEW

SEED = 20


def warp(
    patches: torch.Tensor, axes: torch.Tensor, rng: torch.Generator, train: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cut the view out of patches (n, 3, PATCH, PATCH), in training turned, scaled and shifted at
    random; axes turn along.
    """
    n = len(patches)
    zoom = VIEW / CONTEXT
    if not train:
        theta = torch.tensor([[zoom, 0, 0], [0, zoom, 0]]).expand(n, 2, 3)
        grid = nn.functional.affine_grid(theta, [n, 3, INPUT, INPUT], align_corners=False)
        return nn.functional.grid_sample(patches, grid, align_corners=False), axes
    quarter = torch.randint(0, 4, (n,), generator=rng) * (math.pi / 2)
    small = torch.randn(n, generator=rng) * 0.12
    anything = (
        (torch.rand(n, generator=rng) < 0.2) * (torch.rand(n, generator=rng) - 0.5) * (math.pi / 2)
    )
    angle = quarter + small + anything
    sx = zoom * torch.exp(torch.randn(n, generator=rng) * 0.08)
    sy = sx * torch.exp(torch.randn(n, generator=rng) * 0.06)
    # Stretched photos: the face squeezed one way, more of its neighbours on both sides.
    squeezed = (torch.rand(n, 2, generator=rng) < 0.07) * torch.rand(n, 2, generator=rng) * 0.4 + 1
    sx, sy = sx * squeezed[:, 0], sy * squeezed[:, 1]
    c, s = torch.cos(angle), torch.sin(angle)
    shift = torch.randn(n, 2, generator=rng) * 0.045
    row0 = torch.stack([c * sx, -s * sy, shift[:, 0]], 1)
    row1 = torch.stack([s * sx, c * sy, shift[:, 1]], 1)
    theta = torch.stack([row0, row1], 1)
    grid = nn.functional.affine_grid(theta, [n, 3, INPUT, INPUT], align_corners=False)
    out = nn.functional.grid_sample(patches, grid, align_corners=False, padding_mode="border")
    return out, axes - angle


def reink(x: torch.Tensor, rng: torch.Generator) -> torch.Tensor:
    """Other inks: colours swapped, or all ink of one colour, as on red fives and plain sets. Shape
    has to tell, not colour.
    """
    n = len(x)
    order = torch.arange(3).repeat(n, 1)
    swapped = torch.rand(n, generator=rng) < 0.12
    order[swapped] = torch.rand(int(swapped.sum()), 3, generator=rng).argsort(1)
    x = torch.gather(x, 1, order[:, :, None, None].expand_as(x))
    grey = x.mean(1, keepdim=True)
    bright = grey.amax((2, 3), keepdim=True).clamp(min=1e-3)
    density = ((bright - grey) / bright).clamp(0, 1)
    ink = torch.rand(n, 3, 1, 1, generator=rng) * 0.35
    ink[torch.arange(n), torch.randint(0, 3, (n,), generator=rng)] += 0.45
    single = (torch.rand(n, 1, 1, 1, generator=rng) < 0.12).float()
    return x + (bright * (1 - density * (1 - ink)) - x) * single


def shake(x: torch.Tensor, rng: torch.Generator, share: float = 0.2, most: int = 9) -> torch.Tensor:
    """A share of the crops smeared as a hand that shook leaves them, along lines of up to `most`
    pixels; eight share a line.
    """
    n = len(x)
    smeared = x.clone()
    for some in (torch.rand(n, generator=rng) < share).nonzero()[:, 0].split(8):
        angle, length = torch.rand(2, generator=rng).tolist()
        angle, length = angle * math.pi, 2 + length * (most - 2)
        steps = torch.arange(most) - most // 2
        along = (length / 2 + 0.5 - steps.abs()).clamp(0, 1)
        row = (steps * math.sin(angle)).round().long() + most // 2
        column = (steps * math.cos(angle)).round().long() + most // 2
        kernel = torch.zeros(most, most).index_put((row, column), along, accumulate=True)
        padded = nn.functional.pad(x[some], (most // 2,) * 4, mode="replicate")
        smeared[some] = nn.functional.conv2d(
            padded, (kernel / kernel.sum()).expand(3, 1, most, most), groups=3
        )
    return smeared


def recolour(x: torch.Tensor, rng: torch.Generator) -> torch.Tensor:
    """Other inks, other light, other white balance, other sharpness."""
    x = reink(x, rng)
    n = len(x)
    gain = 1 + torch.randn(n, 3, 1, 1, generator=rng) * 0.07
    level = torch.exp(torch.randn(n, 1, 1, 1, generator=rng) * 0.22)
    mean = x.mean((1, 2, 3), keepdim=True)
    contrast = torch.exp(torch.randn(n, 1, 1, 1, generator=rng) * 0.2)
    x = ((x - mean) * contrast + mean) * gain * level
    grey = x.mean(1, keepdim=True)
    colour = (torch.rand(n, 1, 1, 1, generator=rng) * 1.1 + 0.15).clamp(max=1.2)
    colour[torch.rand(n, generator=rng) < 0.5] = 1.0
    x = grey + (x - grey) * colour
    blurred = nn.functional.avg_pool2d(nn.functional.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    share = torch.rand(n, 1, 1, 1, generator=rng) * (torch.rand(n, 1, 1, 1, generator=rng) < 0.4)
    x = x + (blurred - x) * share
    half = nn.functional.interpolate(
        nn.functional.avg_pool2d(x, 2), scale_factor=2, mode="bilinear"
    )
    coarse = (torch.rand(n, 1, 1, 1, generator=rng) < 0.2).float()
    x = shake(x + (half - x) * coarse, rng)
    noise = torch.randn(x.shape, generator=rng) * (torch.rand(n, 1, 1, 1, generator=rng) * 0.04)
    return (x + noise).clamp(0, 1)


def accuracy(
    model: nn.Module, patches: np.ndarray, classes: np.ndarray
) -> tuple[float, np.ndarray]:
    """Share of patches named right, and the predictions; patches of "no tile" count too."""
    model.eval()
    rng = torch.Generator()
    found = []
    with torch.inference_mode():
        for start in range(0, len(patches), 256):
            x = torch.from_numpy(patches[start : start + 256]).permute(0, 3, 1, 2).float() / 255
            view, _ = warp(x, torch.zeros(len(x)), rng, train=False)
            with cpu.autocast():
                logits, _ = model(view)
            found.append(logits.float().argmax(1).numpy())
    predictions = np.concatenate(found) if found else np.zeros(0, int)
    return float((predictions == classes).mean()) if len(classes) else 0.0, predictions


def _moving_average(
    old: torch.Tensor, new: torch.Tensor, count: torch.Tensor | int
) -> torch.Tensor:
    """Exponential average that follows quickly at first and slowly later."""
    n = float(count)
    decay = min(0.998, (1 + n) / (10 + n))
    return old * decay + new * (1 - decay) if old.is_floating_point() else new


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train.

    Attributes:
        epochs: passes; the learning rate falls along a cosine over all of them.
        per_epoch: patches drawn in a pass.
        batch: patches a step.
        real_share: share of patches from photos.
        rate: highest learning rate.
        base: weights to go on from; None trains from nothing.
    """

    epochs: int = 10
    per_epoch: int = 60000
    batch: int = 128
    real_share: float = 0.3
    rate: float = 0.002
    base: Path | None = None


def train(
    run: Path,
    synthetic: list[Path],
    real: list[Path],
    check: list[Path],
    recipe: Recipe,
    resume: bool = False,
) -> Path:
    """Train and return the path of the final weights; with `resume`, go on after the last whole
    epoch of RUN.
    """
    run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(SEED)
    rng = torch.Generator().manual_seed(SEED)
    pick = np.random.default_rng(SEED)
    fake, true = _load(synthetic), _load(real)
    checks = {path.stem: _load([path]) for path in check}
    model = CropClassifier()
    if recipe.base is not None:
        model.load_state_dict(torch.load(recipe.base, weights_only=True))
    average = torch.optim.swa_utils.AveragedModel(model, avg_fn=_moving_average, use_buffers=True)
    steps = max(1, recipe.per_epoch // recipe.batch)
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=0.02)
    warm = min(200, steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda s: min(
            (s + 1) / warm,
            0.5 * (1 + math.cos(math.pi * min(1.0, s / (steps * recipe.epochs)))) + 0.004,
        ),
    )
    history: list[dict[str, Any]] = []
    last = run / "last.pt"
    first = 0
    if resume and last.exists():
        state = torch.load(last, weights_only=False)
        model.load_state_dict(state["model"])
        average.load_state_dict(state["average"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        history, first = state["history"], state["epoch"] + 1
    with Progress() as bar:
        for epoch in range(first, recipe.epochs):
            task = bar.add_task(f"epoch {epoch + 1}/{recipe.epochs}", total=steps)
            begun, total = time.perf_counter(), 0.0
            model.train()
            for _ in range(steps):
                from_real = round(recipe.batch * recipe.real_share) if len(true[1]) else 0
                i, j = (
                    pick.integers(0, len(fake[1]), recipe.batch - from_real),
                    pick.integers(0, max(len(true[1]), 1), from_real),
                )
                x = np.concatenate([fake[0][i], true[0][j]]) if from_real else fake[0][i]
                y = torch.from_numpy(
                    np.concatenate([fake[1][i], true[1][j]]) if from_real else fake[1][i]
                ).long()
                axes = torch.from_numpy(
                    np.concatenate([fake[2][i], true[2][j]]) if from_real else fake[2][i]
                )
                total += _step(model, optimiser, x, y, axes, rng)
                schedule.step()
                average.update_parameters(model)
                bar.advance(task)
            row: dict[str, Any] = {
                "epoch": epoch,
                "loss": total / steps,
                "seconds": time.perf_counter() - begun,
            }
            for name, (patches, classes, _) in checks.items():
                row[name] = accuracy(average.module, patches, classes)[0]
            history.append(row)
            (run / "history.json").write_text(json.dumps(history, indent=1))
            bar.console.print(row)
            state = {
                "model": model,
                "average": average,
                "optimiser": optimiser,
                "schedule": schedule,
            }
            saved = {name: part.state_dict() for name, part in state.items()} | {
                "history": history,
                "epoch": epoch,
            }
            torch.save(saved, last.with_suffix(".new"))
            last.with_suffix(".new").replace(last)
            torch.save(average.module.state_dict(), run / "classifier.pt")
    return run / "classifier.pt"


def _step(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    x: np.ndarray,
    y: torch.Tensor,
    axes: torch.Tensor,
    rng: torch.Generator,
) -> float:
    pixels = torch.from_numpy(x).permute(0, 3, 1, 2).float() / 255
    view, axes = warp(pixels, axes, rng, train=True)
    view = recolour(view, rng).contiguous(memory_format=torch.channels_last)
    with cpu.autocast():
        logits, axis = model(view)
    known = ~torch.isnan(axes)
    loss = nn.functional.cross_entropy(logits.float(), y, label_smoothing=0.03)
    if bool(known.any()):
        wanted = torch.stack([torch.cos(2 * axes[known]), torch.sin(2 * axes[known])], 1)
        loss = loss + 0.3 * nn.functional.mse_loss(axis.float()[known], wanted)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimiser.step()
    return float(loss.detach())


def _load(files: list[Path]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Patches, classes and axes of several files in one; never more than one file is in memory
    twice.
    """
    if not files:
        return np.zeros((0, 1, 1, 3), np.uint8), np.zeros(0, np.int16), np.zeros(0, np.float32)
    classes, axes = (
        np.concatenate([np.load(f)[name] for f in files]) for name in ("classes", "axes")
    )
    if int(classes.max(initial=0)) >= CLASSES:
        raise ValueError(f"class {int(classes.max())} is not below {CLASSES}")
    patches, filled = np.zeros((0, 1, 1, 3), np.uint8), 0
    for file in files:
        part = np.load(file)["patches"]
        if not len(patches):
            patches = np.empty((len(classes), *part.shape[1:]), np.uint8)
        patches[filled : filled + len(part)] = part
        filled += len(part)
    return patches, classes, axes


def main() -> None:
    """Command line of this module."""
    cpu.restart_with_allocator_settings()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--synthetic", type=Path, nargs="+", required=True)
    parser.add_argument("--real", type=Path, nargs="*", default=[])
    parser.add_argument("--check", type=Path, nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--per-epoch", type=int, default=60000, help="patches drawn per epoch")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--real-share", type=float, default=0.3)
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--base", type=Path, help="weights to go on from")
    parser.add_argument("--resume", action="store_true")
    a = parser.parse_args()
    cpu.threads(a.threads)
    recipe = Recipe(a.epochs, a.per_epoch, a.batch, a.real_share, a.rate, a.base)
    print(train(a.run, a.synthetic, a.real, a.check, recipe, a.resume))


if __name__ == "__main__":
    main()
