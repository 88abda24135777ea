"""Trains the plain-tile network on the CPU, and exports it.

    python -m hupai.models.training.plain_tiles.train RUN PLACES.npz... [--check PLACES.npz]

The files come from `hupai.models.training.plain_tiles.places`. RUN gets last.pt (for
--resume), history.json and, at the end, plain.onnx.
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
from torch import nn

from hupai.models.training import cpu
from hupai.models.training.integers import export_in_8_bits
from hupai.models.training.plain_tiles.network import (
    KINDS,
    PlainTileNetwork,
    freeze_normalisations,
    from_onnx,
)
from hupai.models.training.plain_tiles.places import ROOM
from hupai.vision.detection.plain_tiles.classifier import SIDE

SEED = 21
"""Seed of all randomness in a training."""

SHARES = (0.22, 0.2, 0.32, 0.26)
"""Share of each kind in a batch: face, blank, back, no tile."""

_EXAMPLES = 768
"""Places from which the limits of the activations in 8 bits are taken."""

_SMOOTHING = 0.03
"""Label smoothing."""


def changed(x: torch.Tensor, rng: torch.Generator) -> torch.Tensor:
    """Turn, mirror, shift and scale views (n, 6, h, w), and change light and colours.

    Both views of a place change alike in light and colour.
    """
    n = len(x)
    quarter = torch.randint(0, 4, (n,), generator=rng) * (math.pi / 2)
    angle = quarter + torch.randn(n, generator=rng) * 0.1
    mirror = torch.randint(0, 2, (n,), generator=rng) * 2.0 - 1
    views = []
    for part in (x[:, :3], x[:, 3:]):
        zoom = torch.exp(torch.randn(n, 2, generator=rng) * 0.07) / ROOM
        shift = torch.randn(n, 2, generator=rng) * 0.05
        c, s = torch.cos(angle), torch.sin(angle)
        row0 = torch.stack([c * zoom[:, 0] * mirror, -s * zoom[:, 1], shift[:, 0]], 1)
        row1 = torch.stack([s * zoom[:, 0] * mirror, c * zoom[:, 1], shift[:, 1]], 1)
        grid = nn.functional.affine_grid(
            torch.stack([row0, row1], 1), [n, 3, SIDE, SIDE], align_corners=False
        )
        views.append(
            nn.functional.grid_sample(part, grid, align_corners=False, padding_mode="border")
        )
    order = torch.arange(3).repeat(n, 1)
    swapped = torch.rand(n, generator=rng) < 0.15
    order[swapped] = torch.rand(int(swapped.sum()), 3, generator=rng).argsort(1)
    both = torch.cat([v.gather(1, order[:, :, None, None].expand_as(v)) for v in views], 1)
    gain = (1 + torch.randn(n, 3, 1, 1, generator=rng) * 0.08).repeat(1, 2, 1, 1)
    level = torch.exp(torch.randn(n, 1, 1, 1, generator=rng) * 0.25)
    mean = both.mean((1, 2, 3), keepdim=True)
    contrast = torch.exp(torch.randn(n, 1, 1, 1, generator=rng) * 0.15)
    both = ((both - mean) * contrast + mean) * gain * level
    soft = nn.functional.avg_pool2d(nn.functional.pad(both, (1,) * 4, mode="replicate"), 3, 1)
    share = torch.rand(n, 1, 1, 1, generator=rng) * (torch.rand(n, 1, 1, 1, generator=rng) < 0.4)
    both = both + (soft - both) * share
    grain = torch.randn(both.shape, generator=rng) * (torch.rand(n, 1, 1, 1, generator=rng) * 0.04)
    return (both + grain).clamp(0, 1)


def tensor(views: NDArray[np.uint8]) -> torch.Tensor:
    """Return stored views (n, h, w, 6) as the network takes them."""
    return torch.from_numpy(views).permute(0, 3, 1, 2).float() / 255


def central(views: NDArray[np.uint8]) -> torch.Tensor:
    """Return the centre of stored views (n, h, w, 6), as seen at inference."""
    margin = (views.shape[1] - SIDE) // 2
    return tensor(views[:, margin : margin + SIDE, margin : margin + SIDE])


def recalls(model: nn.Module, views: NDArray[np.uint8], kinds: NDArray[np.int16]) -> list[float]:
    """Return the recall of each kind."""
    model.eval()
    with torch.inference_mode():
        found = torch.cat(
            [model(central(views[k : k + 256])).argmax(1) for k in range(0, len(views), 256)]
        ).numpy()
    return [float((found[kinds == k] == k).mean()) for k in range(KINDS) if (kinds == k).any()]


def train(
    run: Path,
    files: Sequence[Path],
    check: Path | None,
    epochs: int = 12,
    per_epoch: int = 40000,
    rate: float = 0.003,
    resume: bool = False,
    batch: int = 128,
    base: Path | None = None,
) -> Path:
    """Train and export; return the path of the ONNX file.

    Args:
        run: gets everything.
        files: places to train on; each file is weighted by its number of places.
        check: places to measure after each epoch.
        epochs: the learning rate falls along a cosine over all of them.
        per_epoch: places per epoch.
        rate: peak learning rate.
        resume: continue after the last complete epoch of `run`.
        batch: places per step.
        base: exported network to continue from, its normalisations frozen; None for random weights.
    """
    run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(SEED)
    generator, rng = torch.Generator().manual_seed(SEED), np.random.default_rng(SEED)
    parts = [np.load(file) for file in files]
    kinds = np.concatenate([part["kinds"] for part in parts])
    views = np.concatenate([part["views"] for part in parts])
    rows = [np.nonzero(kinds == kind)[0] for kind in range(KINDS)]
    model = PlainTileNetwork() if base is None else from_onnx(base)
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimiser = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.02)
    steps = per_epoch // batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=steps * epochs + 1, pct_start=0.1
    )
    state = {"model": model, "average": average, "optimiser": optimiser, "schedule": schedule}
    history: list[dict[str, object]] = []
    if resume and (run / "last.pt").exists():
        saved = torch.load(run / "last.pt", weights_only=False)
        for name, part in state.items():
            part.load_state_dict(saved[name])
        history = saved["history"]
    for epoch in range(len(history), epochs):
        model.train()
        if base is not None:
            freeze_normalisations(model)
        begun, total = time.perf_counter(), 0.0
        for _ in range(steps):
            drawn = rng.choice(KINDS, batch, p=SHARES)
            picked = np.array([rows[k][rng.integers(len(rows[k]))] for k in drawn])
            x = changed(tensor(views[picked]), generator)
            with cpu.autocast():
                logits = model(x.contiguous(memory_format=torch.channels_last))
            loss = nn.functional.cross_entropy(
                logits.float(), torch.from_numpy(drawn), label_smoothing=_SMOOTHING
            )
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            average.update_parameters(model)
            total += float(loss.detach())
        row: dict[str, object] = {
            "epoch": epoch, "loss": total / steps, "seconds": time.perf_counter() - begun,
        }  # fmt: skip
        if check is not None:
            kept = np.load(check)
            row["recalls"] = recalls(average.module, kept["views"], kept["kinds"])
        history.append(row)
        print(row, flush=True)
        torch.save({n: p.state_dict() for n, p in state.items()} | {"history": history},
                   run / "last.new")  # fmt: skip
        (run / "last.new").replace(run / "last.pt")
        (run / "history.json").write_text(json.dumps(history, indent=1))
    return export(average.module, views, run / "plain.onnx")


def export(model: nn.Module, views: NDArray[np.uint8], out: Path) -> Path:
    """Write the network as ONNX, in 8 bits, for any number of places.

    Args:
        model: the network.
        views: stored views of places, of which some give the limits of the activations.
        out: the file; one in single precision is written beside it.
    """
    some = np.random.default_rng(SEED).permutation(len(views))[:_EXAMPLES]
    examples = [central(views[np.sort(some[k : k + 64])]).numpy() for k in range(0, len(some), 64)]
    export_in_8_bits(model, "views", examples, out, ["Conv", "Relu"])
    return out


def main() -> None:
    """Command line of this module."""
    cpu.restart_with_allocator_settings()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("places", type=Path, nargs="+")
    parser.add_argument("--check", type=Path)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--per-epoch", type=int, default=40000)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--base", type=Path, help="exported network to continue from")
    a = parser.parse_args()
    cpu.threads(a.threads)
    settings = (a.check, a.epochs, a.per_epoch, a.rate, a.resume)
    print(train(a.run, a.places, *settings, base=a.base))


if __name__ == "__main__":
    main()
