"""Converts exported weights back to a checkpoint for further training.

    python -m hupai.models.training.onnx_checkpoint WEIGHTS.onnx OUT.pt --pictures DATA/images
    python -m hupai.models.training.onnx_checkpoint WEIGHTS.onnx OUT.pt --pictures DATA/images \\
        --directions
    python -m hupai.models.training.onnx_checkpoint WEIGHTS.onnx OUT.pt --crops CROPS.npz

The project keeps only the ONNX files of a training, such as default-detector.onnx (the first two
forms) and default-classifier.onnx or default-characters.onnx (the last) in models/weights. The
first form writes a checkpoint as Ultralytics does, without the branch for directions; the second
keeps the branch and writes what `hupai.models.training.stream.detector` trains further.

The export folded each batch normalisation into the convolution before it. Here it is unfolded: its
mean and variance are measured on pictures or crops, and its scale and shift are chosen to reproduce
the folded layer. So the network gives the same scores and can be trained further.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
import torch
from rich.progress import track

from hupai.models.training.bfloat16 import YOLO
from hupai.models.training.classifier.crops import central_crops
from hupai.models.training.classifier.network import INPUT, CropClassifier, Shape
from hupai.models.training.detector.axes import AxesDetector
from hupai.models.training.detector.train import Recipe
from hupai.models.training.integers import without_rounding
from hupai.models.training.onnx_weights import stored_weights
from hupai.vision.detection.families import FAMILIES
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import Letterbox

CLASSES = {0: "tile", 1: "back"}
"""Classes of the detector."""

_WITHIN = "classifier."
"""Beginning of the names of weights in the network of a family, which wraps a crop classifier."""

_COMPARED = 5
"""Highest scores of a class that are compared with the file's."""


def convert(
    weights: Path, out: Path, pictures: list[Path], size: int = Recipe.size, base: str = Recipe.base
) -> float:
    """Write a detector's checkpoint.

    Args:
        weights: a detector's ONNX file.
        out: the checkpoint, of Ultralytics' form.
        pictures: files on which the statistics are measured; a few dozen of those that will be
            trained on.
        size: longer side of the pictures as the network sees them, pixels.
        base: the architecture that was exported.

    Returns:
        The largest difference of one of the highest scores from the ONNX file's, on the last
        picture.

    Raises:
        ValueError: if the file is not of this architecture, or there is no picture.
    """
    network = _with_classes(YOLO(base).model)
    gap = _fill_detector(network, weights, pictures, size)
    out.parent.mkdir(parents=True, exist_ok=True)
    # In single precision: half, as Ultralytics saves it, moves scores enough to lose tiles.
    torch.save({"model": network, "train_args": {}}, out)
    return gap


def convert_with_directions(
    weights: Path, out: Path, pictures: list[Path], size: int = Recipe.size
) -> float:
    """Write the state of a detector with its branch for directions.

    `hupai.models.training.stream.detector` trains it further. Arguments, return value and errors
    are those of `convert`.
    """
    network = AxesDetector()
    gap = _fill_detector(network, weights, pictures, size)
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), out)
    return gap


def _fill_detector(network: Any, weights: Path, pictures: list[Path], size: int) -> float:
    """Give a detector the weights of an ONNX file; return the largest difference of its scores."""
    if not pictures:
        raise ValueError("it needs pictures to measure on; --pictures names a folder of JPEGs")
    _fill(network, stored_weights(onnx.load(weights).graph))
    network.eval()
    inputs = [
        torch.from_numpy(_input(path, size)) for path in track(pictures, description="pictures")
    ]
    _unfold(network, inputs)
    with torch.inference_mode():
        ours = network(inputs[-1])[0].numpy()
    (theirs,) = open_network(weights).run(None, {"images": inputs[-1].numpy()})
    # A file for inference may leave out most places, so only the best are in both.
    scores = slice(4, 4 + len(CLASSES))
    pairs = zip(ours[0, scores], theirs[0, scores], strict=True)
    return max(float(np.abs(_highest(a) - _highest(b)).max()) for a, b in pairs)


def _highest(scores: np.ndarray) -> np.ndarray:
    return np.sort(scores)[::-1][:_COMPARED]


def convert_classifier(weights: Path, out: Path, patches: np.ndarray) -> float:
    """Write the checkpoint of a crop classifier, or of the network of a family of faces.

    Args:
        weights: its ONNX file.
        out: the checkpoint.
        patches: shape (n, PATCH, PATCH, 3), see `hupai.models.training.classifier.crops`; some
            hundreds of those that will be trained on.

    Returns:
        The largest difference of a logit from the ONNX file's, computed without rounding its
        activations to 8 bits.

    Raises:
        ValueError: if the file is not of this architecture, or there is no patch.
    """
    if not len(patches):
        raise ValueError("it needs crops to measure on; --crops names a file of them")
    graph = onnx.load(weights).graph
    network = CropClassifier(_shape(graph))
    _fill_classifier(network, graph, weights.name)
    network.eval()
    side = open_network(weights).get_inputs()[0].shape[2]
    crops = central_crops(patches, side if isinstance(side, int) else INPUT)
    _unfold(network, [torch.from_numpy(crops[i : i + 64]) for i in range(0, len(crops), 64)])
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), out)
    with torch.inference_mode():
        ours = network(torch.from_numpy(crops[:64]))[0].numpy()
    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / "exact.onnx"
        without_rounding(weights, exact)
        (theirs,) = open_network(exact).run(["logits"], {"crops": crops[:64]})
    if theirs.shape[1] < ours.shape[1]:
        (family,) = (f for f in FAMILIES.values() if len(f.tiles) == theirs.shape[1])
        ours = ours[:, family.classes]
    return float(np.abs(ours - theirs).max())


def _shape(graph: Any) -> Shape:
    """Read the shape of a classifier off its convolutions of more than one pixel.

    A graph that is not a classifier gives some shape that its weights do not fit.
    """
    stored = stored_weights(graph)
    stem, *blocks = (n for n in graph.node if n.op_type == "Conv" and _kernel(stored, n) > 1)
    widths, depths = [len(stored[stem.input[1]])], [0]
    for first in blocks[::2]:
        strides = next(a.ints for a in first.attribute if a.name == "strides")
        if strides[0] == 2:
            widths.append(len(stored[first.input[1]]))
            depths.append(0)
        depths[-1] += 1
    return Shape(tuple(widths), tuple(depths[1:]))


def _fill_classifier(network: CropClassifier, graph: Any, file: str) -> None:
    """Copy the folded weights of a classifier's graph into the network."""
    stored = stored_weights(graph)
    stored |= {name.removeprefix(_WITHIN): values for name, values in stored.items()}
    convolutions = [m for m in network.modules() if isinstance(m, torch.nn.Conv2d)]
    norms = iter([m for m in network.modules() if isinstance(m, torch.nn.BatchNorm2d)])
    nodes = [node for node in graph.node if node.op_type == "Conv"]
    if len(nodes) != len(convolutions):
        raise ValueError(
            f"{file} has {len(nodes)} convolutions where this architecture has {len(convolutions)}"
        )
    parts = [
        (head.data[: len(stored[name])] if name in stored else head.data, name)
        for head, name in ((network.head.weight, "head.weight"), (network.head.bias, "head.bias"))
    ]  # an older network has fewer outputs
    # In execution order, with the shortcuts separate, because they run in parallel.
    ordered = sorted(convolutions, key=_is_shortcut)
    nodes.sort(key=lambda node: _kernel(stored, node) == 1)
    for convolution, node in zip(ordered, nodes, strict=True):
        parts.append((convolution.weight.data, node.input[1]))
        if len(node.input) == 3:  # the others, on the shortcuts, have no normalisation
            parts.append((next(norms).bias.data, node.input[2]))
    for values, name in parts:
        if name not in stored or stored[name].shape != tuple(values.shape):
            raise ValueError(f"{file} has no weights {name} of shape {tuple(values.shape)}")
        values.copy_(torch.from_numpy(stored[name]))


def _is_shortcut(convolution: torch.nn.Conv2d) -> bool:
    return convolution.kernel_size == (1, 1)


def _kernel(stored: dict[str, np.ndarray], node: Any) -> int:
    """Return the side of a convolution's kernel, 0 if its weights are not stored."""
    weights = stored.get(node.input[1])
    return 0 if weights is None else int(weights.shape[-1])


def _with_classes(network: Any) -> Any:
    """Build the same architecture for the two classes of the project."""
    made = type(network)(network.yaml, nc=len(CLASSES), verbose=False)
    made.names = dict(CLASSES)
    return made


def _input(path: Path, size: int) -> np.ndarray:
    picture = cv2.imread(str(path))
    if picture is None:
        raise ValueError(f"{path} is not a picture")
    image = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.uint8)
    return Letterbox.of(Picture.of(image), size).pixels


def _fill(network: Any, folded: dict[str, np.ndarray]) -> None:
    """Copy folded weights into the convolutions, and their shifts into the normalisations."""
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


def _unfold(network: Any, batches: list[torch.Tensor]) -> None:
    """Give each normalisation the statistics of its input, and a scale and shift that undo them."""
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
        for batch in batches:
            network(batch)
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--pictures", type=Path, help="of a detector: a folder of JPEGs")
    source.add_argument(
        "--crops",
        type=Path,
        help="of a classifier: a file of hupai.models.training.classifier.crops",
    )
    parser.add_argument("--count", type=int, help="of pictures (64) or crops (1024) to measure on")
    parser.add_argument(
        "--directions", action="store_true", help="keep the detector's branch for directions"
    )
    a = parser.parse_args()
    if a.crops is not None and a.directions:
        parser.error("--directions is for a detector: give --pictures instead of --crops")
    if a.crops is not None:
        patches = np.load(a.crops)["patches"]
        gap = convert_classifier(
            a.weights, a.out, patches[:: max(1, len(patches) // (a.count or 1024))]
        )
    else:
        files, count = sorted(a.pictures.glob("*.jpg")), a.count or 64
        some = files[:: max(1, len(files) // count)][:count]
        gap = (convert_with_directions if a.directions else convert)(a.weights, a.out, some)
    print(f"{a.out}: scores differ from {a.weights} by at most {gap:.4f}")


if __name__ == "__main__":
    main()
