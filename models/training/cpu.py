"""Settings for training with PyTorch on a few CPU cores.

Import this before anything imports torchvision or Ultralytics.
"""

from __future__ import annotations

import math
import os
import sys
import time
from functools import cache
from typing import Any

import torch


def register_missing_ops() -> None:
    """Register the schemas of torchvision's operators if its build does not match PyTorch.

    Ultralytics imports torchvision for `nms`. Without the schema that import fails, although
    training never calls `nms`.
    """
    try:
        import torchvision.ops  # imported to see whether it fails

        torch.ops.torchvision.nms  # noqa: B018
    except (ImportError, RuntimeError, AttributeError):
        library = torch.library.Library("torchvision", "DEF")
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.impl("nms", _nms, "CPU")
        _KEEP.append(library)
        import torchvision.extension  # can be imported only now

        # This is torchvision's own check for its operators.
        torchvision.extension._has_ops = lambda: True  # noqa: SLF001


_KEEP: list[Any] = []
"""Keeps a reference to libraries that PyTorch would otherwise unload."""


def _nms(boxes: torch.Tensor, scores: torch.Tensor, threshold: float) -> torch.Tensor:
    """Greedy non-maximum suppression: fast enough for validation on a few pictures."""
    order = scores.argsort(descending=True)
    areas = (boxes[:, 2] - boxes[:, 0]).clamp(min=0) * (boxes[:, 3] - boxes[:, 1]).clamp(min=0)
    keep: list[int] = []
    while order.numel():
        first = int(order[0])
        keep.append(first)
        rest = order[1:]
        low = torch.maximum(boxes[rest, :2], boxes[first, :2])
        high = torch.minimum(boxes[rest, 2:], boxes[first, 2:])
        inter = (high - low).clamp(min=0).prod(1)
        order = rest[inter / (areas[rest] + areas[first] - inter + 1e-9) <= threshold]
    return torch.tensor(keep, dtype=torch.int64)


def threads(count: int | None = None) -> int:
    """Set how many threads PyTorch uses, and return it.

    Args:
        count: by default OMP_NUM_THREADS, or all cores if it is not set.
    """
    count = count or int(os.environ.get("OMP_NUM_THREADS") or 0) or os.cpu_count() or 1
    torch.set_num_threads(count)
    return count


def restart_with_allocator_settings() -> None:
    """Restart the program with glibc configured to keep large blocks.

    That cuts the time of a training step on CPUs by a third or more.
    """
    wanted = {
        "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": "100000000000",
        "MALLOC_TOP_PAD_": "268435456",
    }
    wanted["OMP_NUM_THREADS"] = os.environ.get("OMP_NUM_THREADS", str(os.cpu_count() or 1))
    if any(os.environ.get(k) != v for k, v in wanted.items()):
        spec = getattr(sys.modules["__main__"], "__spec__", None)
        command = (
            [sys.executable, "-m", spec.name, *sys.argv[1:]]
            if spec
            else [sys.executable, *sys.argv]
        )
        os.execvpe(command[0], command, {**os.environ, **wanted})


def autocast() -> torch.autocast:
    """Return a context of bfloat16 arithmetic, on GPUs and on CPUs where it saves time."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda" or _saves_time())


@cache
def _saves_time() -> bool:
    """Return whether a convolution and its gradients take less time in bfloat16 on this CPU.

    The instruction set does not decide it: with AVX-512 BF16 a training step took half the time on
    one machine, and 1.4 times as long on another.
    """
    with torch.inference_mode(False), torch.enable_grad():  # the caller may be measuring
        return _cpu_has_bf16() and _step_seconds(half=True) < _step_seconds(half=False)


def _step_seconds(half: bool) -> float:
    """Return the least time of some convolutions with their gradients."""
    layer = torch.nn.Conv2d(64, 64, 3, padding=1).to(memory_format=torch.channels_last)
    images = torch.rand(8, 64, 48, 48).to(memory_format=torch.channels_last).requires_grad_()
    least = math.inf
    for _ in range(4):
        start = time.perf_counter()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            found = layer(images)
        found.float().sum().backward()
        least = min(least, time.perf_counter() - start)
    return least


def _cpu_has_bf16() -> bool:
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="ignore") as info:
            text = info.read(20000)
    except OSError:
        return False
    return "avx512_bf16" in text or "amx_bf16" in text
