"""The mean of two detectors' weights, one of which was trained on from the other (docs/decisions.md, 35).

    python -m models.training.average BEFORE.pt AFTER.pt OUT.pt
"""

from __future__ import annotations

import argparse
from pathlib import Path

from models.training import cpu


def average(before: Path, after: Path, out: Path) -> Path:
    """Write OUT: the checkpoint `after` with the mean of both weights; whole numbers, as counts, are those of `after`."""
    cpu.register_missing_ops()
    import torch

    first, second = (torch.load(path, weights_only=False) for path in (before, after))
    old, model = ((one.get("ema") or one["model"]).float() for one in (first, second))
    known, new = old.state_dict(), model.state_dict()
    model.load_state_dict({k: (known[k] + v) / 2 if v.is_floating_point() else v for k, v in new.items()})
    torch.save(second | {"model": model.half(), "ema": None}, out)
    return out


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("out", type=Path)
    a = parser.parse_args()
    print(average(a.before, a.after, a.out))


if __name__ == "__main__":
    main()
