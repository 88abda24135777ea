"""A checkpoint to go on training from, made of shipped weights: their ONNX file is all that the project keeps of a training.

    python -m models.training.from_onnx models/weights/default-detector.onnx OUT.pt --pictures DATA/images

The export folded each batch normalisation into the convolution before it. It is taken out again: its mean and variance are measured
on pictures, its scale and shift are what gives back the folded layer. So the network says what it said, and can be trained.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from rich.progress import track

from models.training import cpu
from models.training.train_detector import Recipe
from vision.boxes import Letterbox
from vision.networks import open_network

CLASSES = {0: "tile", 1: "back"}
_HALF = "_half"
"""Ending of the names of weights that `models.training.export` stores as float16."""


def convert(weights: Path, out: Path, pictures: list[Path], size: int = Recipe.size, base: str = Recipe.base) -> float:
    """Write the checkpoint; returns the largest difference of a score from the ONNX file's, on the last picture.

    Args:
        weights: a detector's ONNX file.
        out: the checkpoint, of Ultralytics' form.
        pictures: files on which the statistics are measured; a few dozen of those that will be trained on.
        size: longer side of the pictures as the network sees them, pixels.
        base: the architecture that was exported.

    Raises:
        ValueError: where the file is not of this architecture, or there is no picture.
    """
    cpu.register_missing_ops()
    from ultralytics import YOLO

    if not pictures:
        raise ValueError("from_onnx needs pictures to measure on; --pictures names a folder of JPEGs")
    wrapped = YOLO(base)
    network = _with_classes(wrapped.model)
    folded = {t.name.removesuffix(_HALF): numpy_helper.to_array(t).astype(np.float32) for t in onnx.load(weights).graph.initializer}
    _fill(network, folded)
    network.eval()
    looks = [torch.from_numpy(_look(path, size)) for path in track(pictures, description="pictures")]
    _unfold(network, looks)
    wrapped.model = network
    wrapped.ckpt = {"model": network, "train_args": {}}
    out.parent.mkdir(parents=True, exist_ok=True)
    wrapped.save(str(out))
    with torch.inference_mode():
        ours = network(looks[-1])[0].numpy()
    (theirs,) = open_network(weights).run(None, {"images": looks[-1].numpy()})
    return float(np.abs(ours[:, 4:] - theirs[:, 4:]).max())


def _with_classes(network: Any) -> Any:
    """The same architecture for the two classes of the project."""
    made = type(network)(network.yaml, nc=len(CLASSES), verbose=False)
    made.names = dict(CLASSES)
    return made


def _look(path: Path, size: int) -> np.ndarray:
    picture = cv2.imread(str(path))
    if picture is None:
        raise ValueError(f"{path} is no picture")
    return Letterbox.of(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8), size).pixels


def _fill(network: Any, folded: dict[str, np.ndarray]) -> None:
    """Put folded weights into the convolutions, and their shifts where a normalisation will take them over."""
    state = network.state_dict()
    for name, module in network.named_modules():
        if not isinstance(module, torch.nn.Conv2d):
            continue
        kernel, shift = folded.get(f"{name}.weight"), folded.get(f"{name}.bias")
        if kernel is None or tuple(kernel.shape) != tuple(module.weight.shape):
            raise ValueError(f"the file has no weights for {name} of this architecture")
        state[f"{name}.weight"] = torch.from_numpy(kernel.copy())
        norm = f"{name.rpartition('.')[0]}.bn"
        if module.bias is not None:
            state[f"{name}.bias"] = torch.from_numpy(np.array(shift))
        elif f"{norm}.bias" in state:
            state[f"{norm}.bias"] = torch.from_numpy(np.array(shift))
    network.load_state_dict(state)


def _unfold(network: Any, looks: list[torch.Tensor]) -> None:
    """Give each normalisation the statistics of its input over some pictures, and a scale and shift that undo them."""
    norms = [m for m in network.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    sums = {norm: torch.zeros(3, norm.num_features, dtype=torch.float64) for norm in norms}

    def measure(norm: torch.nn.BatchNorm2d, inputs: tuple[torch.Tensor]) -> None:
        x = inputs[0].double()
        ones = torch.full_like(norm.bias, x.shape[0] * x.shape[2] * x.shape[3], dtype=torch.float64)
        sums[norm] += torch.stack([ones, x.sum((0, 2, 3)), (x * x).sum((0, 2, 3))])

    for norm in norms:  # as folded: a normalisation that only adds its shift
        norm.running_mean.zero_()
        norm.running_var.fill_(1.0 - norm.eps)
        norm.weight.data.fill_(1.0)
    hooks = [norm.register_forward_pre_hook(measure) for norm in norms]
    with torch.inference_mode():
        for look in looks:
            network(look)
    for hook in hooks:
        hook.remove()
    for norm in norms:
        count, total, squares = sums[norm]
        mean = total / count
        variance = squares / count - mean**2
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.data.copy_((variance + norm.eps).sqrt())
        norm.bias.data.add_(mean.float())


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--count", type=int, default=64)
    a = parser.parse_args()
    files = sorted(a.pictures.glob("*.jpg"))
    gap = convert(a.weights, a.out, files[:: max(1, len(files) // a.count)][: a.count])
    print(f"{a.out}: scores differ from {a.weights} by at most {gap:.4f}")


if __name__ == "__main__":
    main()
