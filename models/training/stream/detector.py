"""Trains the detector with directions on pictures that arrive while it trains.

    python -m hupai.models.training.stream.detector ARRIVING RUN --base BASE.pt --seconds 400

ARRIVING is the folder of `hupai.models.training.stream.produce`. RUN gets detector.pt, the weights,
and last.pt, from which --resume continues. BASE is the state of such a detector, or a checkpoint of
the detector of boxes alone. Works on CPU too, for tests.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from hupai.models.training import cpu
from hupai.models.training.detector.axes import BRANCH, AxesLoss, from_checkpoint, from_state
from hupai.models.training.detector.folding import folded, unfolded
from hupai.models.training.stream.clock import Clock, Every
from hupai.models.training.stream.pool import Arrivals, Pool
from hupai.models.training.stream.views import Stored, training_views

from ultralytics.utils.torch_utils import ModelEMA  # isort: skip - after `cpu.register_missing_ops`

SEED = 20
"""Seed of all randomness except that of the arriving pictures."""

PARTS = {"all": "", "head": "model.22.", "directions": BRANCH}
"""What may be trained, by a text that the names of its weights contain; module 22 is the head."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Hyperparameters of a training.

    Attributes:
        seconds: its duration, from the time when there are enough pictures.
        batch: pictures a step.
        rate: peak learning rate.
        sizes: sides of the views, drawn for each step, pixels.
        real_share: share of photos.
        capacity: number of pictures that are kept; the oldest are dropped.
        enough: number of pictures from which it starts.
        part: what is trained, of `PARTS`. The head alone, or its branch for directions, adapts to a
            detector whose other weights were averaged or fine-tuned without it.
        frozen: number of first layers that are not trained.
        fold: whether batch normalisations are folded into convolutions, see
            `hupai.models.training.detector.folding`.
    """

    seconds: float
    batch: int = 64
    rate: float = 0.0012
    sizes: tuple[int, ...] = (448, 512, 512, 576, 640, 704)
    real_share: float = 0.27
    capacity: int = 20000
    enough: int = 1200
    part: str = "all"
    frozen: int = 0
    fold: bool = False


def train(arriving: Path, run: Path, base: Path, recipe: Recipe, resume: bool = False) -> Path:
    """Train for the recipe's time and return the path of the weights.

    Args:
        arriving: folder of files of `hupai.models.training.stream.chunks`.
        run: gets weights and history.
        base: weights to start from.
        recipe: the hyperparameters.
        resume: continue from last.pt in `run`, if there is one.
    """
    run.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.benchmark = True  # few sizes of input
    torch.manual_seed(SEED)
    rng = torch.Generator(device).manual_seed(SEED)
    state = torch.load(base, map_location="cpu", weights_only=False)
    network = from_checkpoint(base) if "train_args" in state else from_state(state)
    if recipe.fold:
        network = folded(network)
    network = network.to(device, memory_format=torch.channels_last).train()
    if recipe.part != "all":
        _freeze_but(network, PARTS[recipe.part])
    _freeze(network.model[: recipe.frozen])
    average = ModelEMA(network, decay=0.999, tau=400)
    optimiser = _optimiser(network, recipe.rate)
    parts: dict[str, Any] = {"model": network, "average": average.ema, "optimiser": optimiser}
    last, elapsed = run / "last.pt", 0.0
    if resume and last.exists():
        saved = torch.load(last, map_location=device, weights_only=False)
        for name, part in parts.items():
            part.load_state_dict(saved[name])
        elapsed, average.updates = saved["elapsed"], saved["updates"]
    criterion = AxesLoss(network)
    console, history = Console(), []
    pool = Pool(recipe.capacity, device)
    step, total = 0, torch.zeros(4, device=device)
    with Arrivals(arriving, "*pictures-*.npz") as arrivals:
        console.print(
            f"waiting for {recipe.enough} pictures in {arriving}, rendered ones among them"
        )
        _fill(pool, arrivals, recipe.enough)
        clock, report, keep = Clock(recipe.seconds, elapsed), Every(15), Every(60)
        for step in clock.steps():
            if step % 10 == 0:
                arrivals.put_into(pool)
            share = clock.rate()
            for group in optimiser.param_groups:
                group["lr"] = recipe.rate * share
            size = recipe.sizes[int(torch.randint(len(recipe.sizes), (1,)))]
            views = training_views(_stored(pool), recipe.batch, size, rng, recipe.real_share)
            loss, _ = criterion(_predicted(network, views.images), views.targets())
            optimiser.zero_grad(set_to_none=True)
            loss.sum().backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimiser.step()
            average.update(network)
            total = total * 0.98 + loss.detach() * 0.02
            if report.due():
                row = {
                    "elapsed": round(clock.elapsed),
                    "step": step,
                    "pictures": pool.count,
                    "loss": [round(v, 3) for v in (total / (1 - 0.98 ** (step + 1))).tolist()],
                }
                console.print(row)
                history.append(row)
            if keep.due():
                _save(run, parts, clock.elapsed, average.updates)
    _save(run, parts, clock.elapsed, average.updates)
    console.print(f"{step + 1} steps")
    (run / "history.json").write_text(json.dumps(history, indent=1))
    return run / "detector.pt"


def _predicted(network: torch.nn.Module, images: torch.Tensor) -> dict[str, Any]:
    """Run the network in half precision; its outputs are in single precision."""
    with cpu.autocast():
        found = network(images.contiguous(memory_format=torch.channels_last))
    return {
        name: [one.float() for one in value] if isinstance(value, list) else value.float()
        for name, value in found.items()
    }


def _freeze(layers: torch.nn.Module) -> None:
    """Keep the weights and batch statistics of these layers."""
    layers.requires_grad_(False).eval()


def _freeze_but(network: torch.nn.Module, part: str) -> None:
    """Train only weights whose names contain this text; batch statistics stay as they are."""
    for name, weight in network.named_parameters():
        weight.requires_grad = part in name
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.eval()


def _optimiser(network: torch.nn.Module, rate: float) -> torch.optim.Optimizer:
    """Return AdamW that does not decay biases and scales."""
    decayed = [p for p in network.parameters() if p.ndim > 1 and p.requires_grad]
    other = [p for p in network.parameters() if p.ndim <= 1 and p.requires_grad]
    return torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": other, "weight_decay": 0.0}],
        lr=rate,
    )


def _fill(pool: Pool, arrivals: Arrivals, enough: int) -> None:
    """Wait until there are enough pictures, and rendered ones among them."""
    while pool.count < enough or bool(pool.real[: pool.count].all()):
        if not arrivals.put_into(pool):
            time.sleep(0.1)  # or the thread that reads them gets no turn


def _stored(pool: Pool) -> Stored:
    return Stored(
        pool["images"],
        pool["sizes"],
        pool["quads"],
        pool["classes"],
        pool["directed"],
        pool.real[: pool.count],
    )


def _save(run: Path, parts: dict[str, Any], elapsed: float, updates: int) -> None:
    """Write the averaged weights, and everything that is needed to resume."""
    weights = unfolded({n: part.cpu() for n, part in parts["average"].state_dict().items()})
    state = {name: part.state_dict() for name, part in parts.items()}
    state |= {"elapsed": elapsed, "updates": updates}
    for name, content in (("detector", weights), ("last", state)):
        new = run / f"{name}.new"
        torch.save(content, new)
        new.replace(run / f"{name}.pt")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("arriving", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=0.0012)
    parser.add_argument("--real-share", type=float, default=0.27, help="share of photos")
    parser.add_argument("--capacity", type=int, default=20000)
    parser.add_argument("--enough", type=int, default=1200)
    parser.add_argument("--sizes", type=int, nargs="+", default=(448, 512, 512, 576, 640, 704))
    parser.add_argument("--part", choices=PARTS, default="all", help="what is trained")
    parser.add_argument("--frozen", type=int, default=0, help="first layers that are not trained")
    parser.add_argument(
        "--fold", action="store_true", help="fold batch normalisations: less time on a CPU"
    )
    parser.add_argument("--resume", action="store_true")
    a = parser.parse_args(arguments)
    recipe = Recipe(
        a.seconds,
        a.batch,
        a.rate,
        tuple(a.sizes),
        a.real_share,
        capacity=a.capacity,
        enough=a.enough,
        part=a.part,
        frozen=a.frozen,
        fold=a.fold,
    )
    print(train(a.arriving, a.run, a.base, recipe, a.resume))


if __name__ == "__main__":
    cpu.restart_with_allocator_settings()
    main()
