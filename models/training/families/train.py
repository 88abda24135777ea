"""Trains the network of a family of faces on the CPU, and exports it.

    python -m hupai.models.training.families.train FAMILY RUN --patches A.npz... --shares 0.5... \\
        [--others B.npz...] [--check C.npz...] [--base RUN/FAMILY.pt] [--resume]

FAMILY is ``flowers`` or ``characters``. The files come from
`hupai.models.training.families.patches`; of those after ``--patches`` only the family's faces are
used, of those after ``--others`` all other faces. ``--shares`` has one number for each file, first
for those after ``--patches``; half of each batch should show other faces. RUN gets last.pt (for
--resume), history.json, FAMILY.pt and, at the end, FAMILY.onnx.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import Progress
from torch import nn

from hupai.models.training import cpu
from hupai.models.training.classifier.augment import recolour, warp
from hupai.models.training.classifier.crops import NONE
from hupai.models.training.classifier.network import CropClassifier, Shape, from_file
from hupai.models.training.classifier.train import moving_average
from hupai.models.training.integers import export_in_8_bits
from hupai.vision.detection.families import FAMILIES, Family

SEED = 22
"""Seed of all randomness in a training."""

SHAPE = Shape((24, 48, 96, 192), (2, 2, 2))
"""Form of the network."""

_EXAMPLES = 768
"""Patches from which the limits of the activations in 8 bits are taken."""

_SMOOTHING = 0.05
"""Label smoothing."""


class FamilyNetwork(nn.Module):
    """Maps crops (n, 3, side, side), RGB from 0 to 1, to logits (n, k) of a family's faces.

    If the family has an output for all other faces, it is the last of k + 1.
    """

    def __init__(self, family: Family, classifier: CropClassifier | None = None) -> None:
        """Wrap a crop classifier, by default one with random weights."""
        super().__init__()
        self.family = family
        self.classifier = classifier or CropClassifier(SHAPE)
        # The output of the crop classifier for "no tile" serves for all other faces.
        others = [] if family.judged_from is None else [NONE]
        self._outputs = [*family.classes.tolist(), *others]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the logits."""
        logits: torch.Tensor = self.classifier(x)[0][:, self._outputs]
        return logits


class FamilyPatches:
    """The faces of a family among the patches of a file, or all other faces.

    Attributes:
        patches: shape (n, side, side, 3), RGB.
        classes: shape (n,), positions within the family; their number for other faces.
        axes: shape (n,), radians, NaN if unknown.
    """

    def __init__(self, file: Path, family: Family, others: bool = False) -> None:
        """Read a file of `hupai.models.training.classifier.crops.Patches`.

        Args:
            file: the file.
            family: the family.
            others: whether to take what is outside the family instead, backs included.
        """
        self._side = family.side
        stored = np.load(file)
        classes = stored["classes"]
        member = np.isin(classes, family.classes)
        which = ~member if others else member
        self.patches: NDArray[np.uint8] = stored["patches"][which]
        positions = np.searchsorted(family.classes, classes[which]).astype(np.int64)
        self.classes: NDArray[np.int64] = (
            np.full_like(positions, len(family.tiles)) if others else positions
        )
        self.axes: NDArray[np.float32] = stored["axes"][which]

    def views(self, rows: NDArray[np.intp], rng: torch.Generator, train: bool) -> torch.Tensor:
        """Return the network's views of some patches, changed at random in training."""
        pixels = torch.from_numpy(self.patches[rows]).permute(0, 3, 1, 2).float() / 255
        axes = torch.from_numpy(self.axes[rows])
        return warp(pixels, axes, rng, train, upright=True, side=self._side)[0]


def accuracy(model: nn.Module, faces: FamilyPatches) -> float:
    """Return the share of correctly classified patches, averaging over both ways up."""
    model.eval()
    rng, right = torch.Generator(), 0
    with torch.inference_mode():
        for start in range(0, len(faces.classes), 128):
            rows = np.arange(start, min(start + 128, len(faces.classes)))
            view = faces.views(rows, rng, train=False)
            with cpu.autocast():
                logits = model(view).float() + model(view.flip(2, 3)).float()
            right += int((logits.argmax(1).numpy() == faces.classes[rows]).sum())
    return right / max(1, len(faces.classes))


def train(
    family: Family,
    run: Path,
    sources: Sequence[FamilyPatches],
    shares: Sequence[float],
    checks: dict[str, FamilyPatches],
    epochs: int = 16,
    per_epoch: int = 24000,
    rate: float = 0.002,
    batch: int = 128,
    base: Path | None = None,
    resume: bool = False,
) -> Path:
    """Train and export; return the path of the ONNX file.

    Args:
        family: the faces that the network classifies.
        run: gets everything.
        sources: patches to train on.
        shares: share of each source in a batch.
        checks: patches to measure after each epoch, by name.
        epochs: the learning rate falls along a cosine over all of them.
        per_epoch: patches per epoch.
        rate: peak learning rate.
        batch: patches per step.
        base: weights to start from; None for random ones.
        resume: continue after the last complete epoch of `run`.
    """
    run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(SEED)
    rng, picks = torch.Generator().manual_seed(SEED), np.random.default_rng(SEED)
    model = FamilyNetwork(family, None if base is None else from_file(base))
    average = torch.optim.swa_utils.AveragedModel(model, avg_fn=moving_average, use_buffers=True)
    optimiser = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.02)
    steps = max(1, per_epoch // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=steps * epochs + 1, pct_start=0.1
    )
    parts = {"model": model, "average": average, "optimiser": optimiser, "schedule": schedule}
    history: list[dict[str, float]] = []
    if resume and (run / "last.pt").exists():
        saved = torch.load(run / "last.pt", weights_only=False)
        for name, part in parts.items():
            part.load_state_dict(saved[name])
        history = saved["history"]
    chances = np.array(shares) / sum(shares)
    with Progress() as bar:
        for epoch in range(len(history), epochs):
            task = bar.add_task(f"epoch {epoch + 1}/{epochs}", total=steps)
            begun, total = time.perf_counter(), 0.0
            model.train()
            for _ in range(steps):
                views, classes = [], []
                for source, count in zip(sources, picks.multinomial(batch, chances), strict=True):
                    if count == 0:
                        continue
                    rows = picks.integers(len(source.classes), size=count)
                    views.append(source.views(rows, rng, train=True))
                    classes.append(source.classes[rows])
                view = torch.cat(views)
                view = recolour(view, rng, torch.ones(len(view), dtype=torch.bool))
                with cpu.autocast():
                    logits = model(view.contiguous(memory_format=torch.channels_last))
                loss = nn.functional.cross_entropy(
                    logits.float(),
                    torch.from_numpy(np.concatenate(classes)),
                    label_smoothing=_SMOOTHING,
                )
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimiser.step()
                schedule.step()
                average.update_parameters(model)
                total += float(loss.detach())
                bar.advance(task)
            row = {"epoch": epoch, "loss": total / steps, "seconds": time.perf_counter() - begun}
            row |= {name: accuracy(average.module, check) for name, check in checks.items()}
            history.append(row)
            bar.console.print(row)
            _save(run, parts, history, average.module)
    return export(average.module, sources, run / f"{family.name}.onnx")


def _save(
    run: Path, parts: dict[str, nn.Module], history: list[dict[str, float]], model: FamilyNetwork
) -> None:
    """Write history.json, the weights and, to mark the epoch as done, last.pt at the end."""
    (run / "history.json").write_text(json.dumps(history, indent=1))
    torch.save(model.classifier.state_dict(), run / f"{model.family.name}.pt")
    state = {name: part.state_dict() for name, part in parts.items()}
    torch.save(state | {"history": history}, run / "last.new")
    (run / "last.new").replace(run / "last.pt")


def export(model: nn.Module, sources: Sequence[FamilyPatches], out: Path) -> Path:
    """Write the network as ONNX, in 8 bits, for any number of crops.

    Args:
        model: the network.
        sources: patches, of which some give the limits of the activations.
        out: the file; one in single precision is written beside it.
    """
    rng, picks = torch.Generator(), np.random.default_rng(SEED)
    examples = []
    for source in sources:
        count = min(len(source.classes), math.ceil(_EXAMPLES / len(sources)))
        rows = np.sort(picks.choice(len(source.classes), count, replace=False))
        views = source.views(rows, rng, train=False).numpy()
        examples += [views[k : k + 64] for k in range(0, len(views), 64)]
    export_in_8_bits(model, "crops", examples, out, ["Conv", "Add", "Relu"])
    return out


def main() -> None:
    """Command line of this module."""
    cpu.restart_with_allocator_settings()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("family", choices=list(FAMILIES))
    parser.add_argument("run", type=Path)
    parser.add_argument("--patches", type=Path, nargs="+", required=True)
    parser.add_argument("--shares", type=float, nargs="+", required=True, help="one a file")
    parser.add_argument("--others", type=Path, nargs="*", default=[], help="for other faces")
    parser.add_argument("--check", type=Path, nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--per-epoch", type=int, default=24000)
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--base", type=Path, help="weights to continue from")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--resume", action="store_true")
    a = parser.parse_args()
    if len(a.patches) + len(a.others) != len(a.shares):
        parser.error("--shares needs one number for each file after --patches and --others")
    cpu.threads(a.threads)
    family = FAMILIES[a.family]
    if (family.judged_from is not None) != bool(a.others):
        parser.error("--others is for families whose network has an output for other faces")
    checks = {file.stem: FamilyPatches(file, family) for file in a.check}
    if a.others:
        checks |= {f"{f.stem}, others": FamilyPatches(f, family, True) for f in a.check}
    settings = {"epochs": a.epochs, "per_epoch": a.per_epoch, "rate": a.rate}
    sources = [FamilyPatches(file, family) for file in a.patches]
    sources += [FamilyPatches(file, family, others=True) for file in a.others]
    print(train(family, a.run, sources, a.shares, checks, base=a.base, resume=a.resume, **settings))


if __name__ == "__main__":
    main()
