"""Trains the crop classifier, on CPU or GPU.

    python -m hupai.models.training.classifier.train RUN --synthetic A.npz... --real B.npz \\
        --check C.npz [--epochs 10] [--new D.npz... --teacher OLD.pt] [--resume]

With a teacher the network learns new patches from their labels, and all others by distillation from
the teacher, averaged over orientations. The files come from
`hupai.models.training.classifier.crops`. RUN gets last.pt (everything needed to resume),
history.json and, at the end, classifier.pt.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import Progress
from torch import nn

from hupai.models.training import cpu
from hupai.models.training.classifier.augment import recolour, warp
from hupai.models.training.classifier.grow import grown
from hupai.models.training.classifier.network import CLASSES, CropClassifier, Shape, from_file
from hupai.scoring.tiles import Tile

CPU = torch.device("cpu")

SEED = 20
"""Seed of all randomness in a training."""

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Patches (n, PATCH, PATCH, 3), classes (n,), axes (n,), red fives (n,)."""

RED_WEIGHT = 0.5
"""Weight of the loss on red fives."""

AXIS_WEIGHT = 0.3
"""Weight of the loss on axes."""

LABEL_WEIGHT = 0.35
"""Weight of the labels of patches that are also distilled from the teacher."""


def accuracy(
    model: nn.Module,
    patches: np.ndarray,
    classes: np.ndarray,
    device: torch.device = CPU,
    axes: np.ndarray | None = None,
) -> tuple[float, np.ndarray]:
    """Return the accuracy on patches, including "no tile", and the predictions.

    With axes (n,) the patches are turned upright.
    """
    model.eval()
    rng = torch.Generator()
    found = []
    with torch.inference_mode():
        for start in range(0, len(patches), 256):
            x = torch.from_numpy(patches[start : start + 256]).permute(0, 3, 1, 2).float() / 255
            turn = torch.zeros(len(x))
            if axes is not None:
                turn = torch.from_numpy(axes[start : start + 256])
            view, _ = warp(x, turn, rng, train=False, upright=axes is not None)
            with cpu.autocast():
                logits = model(view.to(device))[0]
            found.append(logits.float().argmax(1).cpu().numpy())
    predictions = np.concatenate(found) if found else np.zeros(0, int)
    return float((predictions == classes).mean()) if len(classes) else 0.0, predictions


@dataclass(frozen=True, slots=True)
class Recipe:
    """Hyperparameters of a training.

    Attributes:
        epochs: number of epochs; the learning rate falls along a cosine over all of them.
        per_epoch: patches per epoch.
        batch: patches per step.
        real_share: share of patches from photos.
        rate: peak learning rate.
        base: weights to start from; None trains from scratch.
        blank_weight: sampling weight of white dragons.
        teacher: weights for distillation on all but new patches; None without.
        new_share: share of new patches.
        focus: how much more often faces with a high loss are drawn, see `class_factors`; 0: not.
        upright: turn tiles upright, for the network of `hupai.vision.detection.upright`.
        shape: form of the network, to which that of `base` grows; None keeps that of `base`.
    """

    epochs: int = 10
    per_epoch: int = 60000
    batch: int = 128
    real_share: float = 0.3
    rate: float = 0.002
    base: Path | None = None
    blank_weight: int = 1
    teacher: Path | None = None
    new_share: float = 0.4
    focus: float = 0.0
    upright: bool = False
    shape: Shape | None = None

    @property
    def steps(self) -> int:
        """Steps per epoch."""
        return max(1, self.per_epoch // self.batch)


MAX_FACTOR = 3.0
"""Greatest factor by which a face is drawn more or less often than its share of the patches."""


def class_factors(losses: np.ndarray, focus: float) -> np.ndarray:
    """Return how much more often each class (CLASSES,) is drawn, given its mean loss.

    A face whose loss is above the mean over all faces is drawn more often, by the power `focus` of
    the ratio. Backs and "no tile" keep their share, so that what counts as a tile does not shift.

    Args:
        losses: mean loss of each class (CLASSES,); NaN where it was not drawn.
        focus: 0 draws all classes by their share of the patches, 1 in proportion to their loss.
    """
    factors = np.ones(CLASSES)
    faces = slice(0, int(Tile.BACK))
    known = np.isfinite(losses[faces])
    if known.any():
        ratio = np.where(known, losses[faces] / losses[faces][known].mean(), 1.0)
        factors[faces] = np.clip(ratio**focus, 1 / MAX_FACTOR, MAX_FACTOR)
    return factors


def train(
    run: Path,
    synthetic: Sequence[Path],
    real: Sequence[Path],
    check: Sequence[Path],
    recipe: Recipe,
    resume: bool = False,
    device: torch.device = CPU,
    new: Sequence[Path] = (),
) -> Path:
    """Train and return the path of the final weights.

    Args:
        run: gets weights and history.
        synthetic, real: files of patches to train on.
        check: files of patches to measure after each epoch.
        recipe: the hyperparameters.
        resume: continue after the last complete epoch of `run`.
        device: where the network runs; patches are augmented on the CPU.
        new: files of patches that the teacher does not know.
    """
    run.mkdir(parents=True, exist_ok=True)
    training = _Training(recipe, device)
    last = run / "last.pt"
    if resume and last.exists():
        training.load(last)
    batches = _Batches(_load(synthetic), _load(real), _load(new), recipe)
    if training.history and "class_losses" in training.history[-1]:
        batches.focus(np.array(training.history[-1]["class_losses"], float))
    checks = {path.stem: _load([path]) for path in check}
    with Progress() as bar:
        for epoch in range(len(training.history), recipe.epochs):
            task = bar.add_task(f"epoch {epoch + 1}/{recipe.epochs}", total=recipe.steps)
            begun, total = time.perf_counter(), 0.0
            sums, counts = np.zeros(CLASSES), np.zeros(CLASSES)
            training.model.train()
            for _ in range(recipe.steps):
                batch = batches.draw()
                loss, each = training.step(*batch)
                total += loss
                sums += np.bincount(batch[1], each, CLASSES)
                counts += np.bincount(batch[1], minlength=CLASSES)
                bar.advance(task)
            seconds = time.perf_counter() - begun
            losses = np.divide(sums, counts, out=np.full(CLASSES, np.nan), where=counts > 0)
            batches.focus(losses)
            row: dict[str, Any] = {"epoch": epoch, "loss": total / recipe.steps, "seconds": seconds}
            for name, (patches, classes, axes, _) in checks.items():
                turns = axes if recipe.upright else None
                row[name] = accuracy(training.average.module, patches, classes, device, turns)[0]
            bar.console.print(row)
            row["class_losses"] = [None if math.isnan(one) else one for one in losses.tolist()]
            training.history.append(row)
            training.save(run)
    return run / "classifier.pt"


class _Training:
    """The network, its moving average, the optimiser and the schedule of the learning rate."""

    def __init__(self, recipe: Recipe, device: torch.device) -> None:
        torch.manual_seed(SEED)
        self._rng = torch.Generator().manual_seed(SEED)
        self._device, self._upright = device, recipe.upright
        self.history: list[dict[str, Any]] = []
        model = CropClassifier(recipe.shape) if recipe.base is None else from_file(recipe.base)
        if recipe.base is not None and recipe.shape is not None:
            model = grown(model, recipe.shape)
        self.model = model.to(device)
        self._teacher: CropClassifier | None = None
        if recipe.teacher is not None:
            self._teacher = from_file(recipe.teacher).eval().to(device)
        self.average = torch.optim.swa_utils.AveragedModel(
            self.model, avg_fn=moving_average, use_buffers=True
        )
        self._optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=0.02)
        warm, steps = min(200, recipe.steps), recipe.steps * recipe.epochs

        def share(step: int) -> float:
            cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps)))
            return min((step + 1) / warm, cosine + 0.004)

        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimiser, share)
        self._parts: dict[str, Any] = {
            "model": self.model,
            "average": self.average,
            "optimiser": self._optimiser,
            "schedule": self._schedule,
        }

    def load(self, file: Path) -> None:
        """Resume from a checkpoint of `save`."""
        state = torch.load(file, weights_only=False)
        for name, part in self._parts.items():
            part.load_state_dict(state[name])
        self.history = state["history"]

    def save(self, run: Path) -> None:
        """Write history.json, classifier.pt and, to mark the epoch as done, last.pt at the end."""
        (run / "history.json").write_text(json.dumps(self.history, indent=1))
        weights = {name: part.cpu() for name, part in self.average.module.state_dict().items()}
        state = {name: part.state_dict() for name, part in self._parts.items()}
        for name, content in (("classifier", weights), ("last", state | {"history": self.history})):
            new = run / f"{name}.new"
            torch.save(content, new)
            new.replace(run / f"{name}.pt")

    def step(
        self,
        patches: np.ndarray,
        classes: np.ndarray,
        axes: np.ndarray,
        red: np.ndarray,
        old: int | None = None,
    ) -> tuple[float, np.ndarray]:
        """Train on one batch; return its loss, and the loss (n,) of each patch's class alone.

        Args:
            patches, classes, axes, red: see `Arrays`.
            old: number of leading patches that the teacher knows; None for all.
        """
        pixels = torch.from_numpy(patches).permute(0, 3, 1, 2).float() / 255
        turns = torch.from_numpy(axes)
        view, turned = warp(pixels, turns, self._rng, train=True, upright=self._upright)
        fives = torch.from_numpy(red)
        view = recolour(view, self._rng, torch.isnan(fives))
        view = view.contiguous(memory_format=torch.channels_last)
        y = torch.from_numpy(classes).long().to(self._device)
        with cpu.autocast():
            logits, axis, redness = self.model(view.to(self._device))
        each = nn.functional.cross_entropy(
            logits.float(), y, label_smoothing=0.03, reduction="none"
        )
        loss = each.mean()
        if self._teacher is not None:
            targets, student = (
                self._teacher_output(view[:old].to(self._device)),
                logits[:old].float(),
            )
            gap = nn.functional.kl_div(student.log_softmax(1), targets, reduction="sum") / len(y)
            loss = gap + (LABEL_WEIGHT * each[:old].sum() + each[len(targets) :].sum()) / len(y)
        known = ~torch.isnan(turned)
        if bool(known.any()):
            wanted = torch.stack([torch.cos(2 * turned[known]), torch.sin(2 * turned[known])], 1)
            found = axis.float()[known.to(self._device)]
            loss = loss + AXIS_WEIGHT * nn.functional.mse_loss(found, wanted.to(self._device))
        fit = ~torch.isnan(fives)
        if bool(fit.any()):
            odds, wanted = redness.float()[fit.to(self._device)], fives[fit].to(self._device)
            loss = loss + RED_WEIGHT * nn.functional.binary_cross_entropy_with_logits(odds, wanted)
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self._optimiser.step()
        self._schedule.step()
        self.average.update_parameters(self.model)
        return float(loss.detach()), each.detach().cpu().numpy()

    def _teacher_output(self, view: torch.Tensor) -> torch.Tensor:
        """Return the teacher's probabilities for crops (n, 3, h, w), shape (n, 44).

        They are averaged over rotations, so that orientation does not matter (Li and Hoiem,
        Learning without Forgetting, 2016, without the rotations). The network for upright crops
        knows only half turns.
        """
        assert self._teacher is not None
        quarters = 2 if self._upright else int(torch.randint(1, 4, (1,), generator=self._rng))
        with torch.no_grad(), cpu.autocast():
            one = self._teacher(view)[0].float()
            other = self._teacher(torch.rot90(view, quarters, (2, 3)))[0].float()
        return ((one + other) / 2).softmax(1)


def moving_average(
    old: torch.Tensor, new: torch.Tensor, count: torch.Tensor | int
) -> torch.Tensor:
    """Average the weights exponentially, fast at first and slowly later."""
    n = float(count)
    decay = min(0.998, (1 + n) / (10 + n))
    return old * decay + new * (1 - decay) if old.is_floating_point() else new


class _Batches:
    """Draws batches of rendered, real and new patches."""

    def __init__(self, synthetic: Arrays, real: Arrays, new: Arrays, recipe: Recipe) -> None:
        of_new = round(recipe.batch * recipe.new_share) if len(new[1]) else 0
        self._old = recipe.batch - of_new
        from_real = round(self._old * recipe.real_share) if len(real[1]) else 0
        self._sources = (synthetic, real, new)
        self._counts = (self._old - from_real, from_real, of_new)
        self._blank_weight, self._exponent = recipe.blank_weight, recipe.focus
        self._rng = np.random.default_rng(SEED)
        self.focus(np.ones(CLASSES))

    def focus(self, losses: np.ndarray) -> None:
        """Set how often each class is drawn, given the mean losses (CLASSES,): `class_factors`."""
        factors = class_factors(losses, self._exponent)
        factors[Tile.WHITE] *= self._blank_weight
        self._sums = [np.cumsum(factors[part[1]]) for part in self._sources]

    def draw(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
        """Return patches, classes, axes and red fives of one batch, and how many are not new."""
        parts = []
        for source, sums, count in zip(self._sources, self._sums, self._counts, strict=True):
            if count:
                picked = np.searchsorted(sums, self._rng.random(count) * sums[-1], side="right")
                parts.append([array[picked] for array in source])
        patches, classes, axes, red = (np.concatenate(part) for part in zip(*parts, strict=True))
        return patches, classes, axes, red, self._old


def _load(files: Sequence[Path]) -> Arrays:
    """Concatenate several files; at most one of them is in memory twice at a time.

    Red fives are unknown in a file that does not mark them.
    """
    nothing = np.zeros(0, np.float32)
    if not files:
        return np.zeros((0, 1, 1, 3), np.uint8), np.zeros(0, np.int16), nothing, nothing
    classes, axes = (
        np.concatenate([np.load(f)[name] for f in files]) for name in ("classes", "axes")
    )
    if int(classes.max(initial=0)) >= CLASSES:
        raise ValueError(f"class {int(classes.max())} is not below {CLASSES}")
    red = np.full(len(classes), np.nan, np.float32)
    patches, filled = np.zeros((0, 1, 1, 3), np.uint8), 0
    for path in files:
        file = np.load(path)
        part = file["patches"]
        if not len(patches):
            patches = np.empty((len(classes), *part.shape[1:]), np.uint8)
        rows = slice(filled, filled + len(part))
        patches[rows] = part
        if "red" in file:
            red[rows] = file["red"]
        filled += len(part)
    return patches, classes, axes, red


def main() -> None:
    """Command line of this module."""
    cpu.restart_with_allocator_settings()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--synthetic", type=Path, nargs="+", required=True)
    parser.add_argument("--real", type=Path, nargs="*", default=[])
    parser.add_argument("--check", type=Path, nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--per-epoch", type=int, default=60000, help="patches drawn per epoch")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--real-share", type=float, default=0.3)
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--base", type=Path, help="weights to go on from")
    parser.add_argument("--blank-weight", type=int, default=1, help="of white dragons")
    parser.add_argument("--new", type=Path, nargs="*", default=[], help="unknown to the teacher")
    parser.add_argument("--new-share", type=float, default=0.4, help="of these in a batch")
    parser.add_argument("--teacher", type=Path, help="weights whose answers are learnt too")
    parser.add_argument("--focus", type=float, default=0.0, help="on faces with a high loss")
    parser.add_argument("--upright", action="store_true", help="turn tiles upright")
    parser.add_argument("--widths", type=int, nargs=4, help="channels of the stem and the stages")
    parser.add_argument("--depths", type=int, nargs=3, help="blocks in each stage")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--device", default="cpu", help="cpu, or the number of a GPU")
    parser.add_argument("--resume", action="store_true")
    a = parser.parse_args()
    if (a.widths is None) != (a.depths is None):
        parser.error("--widths and --depths belong together")
    shape = None if a.widths is None else Shape(tuple(a.widths), tuple(a.depths))
    cpu.threads(a.threads)
    recipe = Recipe(
        a.epochs, a.per_epoch, a.batch, a.real_share, a.rate, a.base, a.blank_weight, a.teacher,
        a.new_share, a.focus, a.upright, shape,
    )  # fmt: skip
    device = torch.device("cpu" if a.device == "cpu" else f"cuda:{a.device}")
    print(train(a.run, a.synthetic, a.real, a.check, recipe, a.resume, device, a.new))


if __name__ == "__main__":
    main()
