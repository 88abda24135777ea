"""Averages the weights of two checkpoints, one of which was fine-tuned from the other.

    python -m hupai.models.training.average_weights BEFORE.pt AFTER.pt OUT.pt [--share 0.5]

The average keeps most of what was known before, and gains most of what was learnt (Wortsman et al.,
Robust Fine-Tuning of Zero-Shot Models, 2022).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch

from hupai.models.training import cpu


def average(before: Path, after: Path, out: Path, share: float = 0.5) -> Path:
    """Write OUT: the checkpoint `after` with the mean of both weights.

    Integer tensors such as counters are taken from `after`.

    Args:
        before: checkpoint that the training started from.
        after: checkpoint that it ended with.
        out: checkpoint to write.
        share: share of `after` in the mean, 0 to 1.
    """
    cpu.register_missing_ops()

    def mean(known: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        return {
            k: known[k] * (1 - share) + v * share if v.is_floating_point() else v
            for k, v in new.items()
        }

    first, second = (torch.load(path, weights_only=False) for path in (before, after))
    if "model" not in second:  # the checkpoint of a classifier holds only its weights
        torch.save(mean(first, second), out)
        return out
    old, model = ((one.get("ema") or one["model"]).float() for one in (first, second))
    model.load_state_dict(mean(old.state_dict(), model.state_dict()))
    torch.save(second | {"model": model, "ema": None}, out)
    return out


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="share of AFTER in the mean")
    a = parser.parse_args()
    print(average(a.before, a.after, a.out, a.share))


if __name__ == "__main__":
    main()
