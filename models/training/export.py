"""Exports trained weights to ONNX, checks them, and writes the registry entry.

    python -m hupai.models.training.export --detector RUN/weights/last.pt \\
        --classifier RUN/classifier.pt --out FOLDER --version 1

FOLDER gets weights/, registry.toml and a model card; its path opens the weights. Large weights are
stored in half precision. `--out models --name default` overwrites the shipped weights.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from hupai.models import registry
from hupai.models.registry_writer import write_entry
from hupai.models.training.bfloat16 import YOLO
from hupai.models.training.classifier.network import INPUT, from_file
from hupai.models.training.detector.export_axes import export_axes, load, with_branch_of
from hupai.vision.detection.families import FAMILIES
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.tile_detector import DetectorSettings

OUTPUTS = ("logits", "axis", "red")
"""Outputs of a classifier; the export adds ``embedding``."""


def detector(weights: Path, out: Path, size: int = 640, directions: Path | None = None) -> None:
    """Export a detector: any picture size, without suppression of duplicates.

    Args:
        weights: checkpoint of Ultralytics, or the state of a detector with directions.
        out: ONNX file.
        size: side of the picture that the network is traced with, pixels.
        directions: ONNX file of a detector with directions that a checkpoint was fine-tuned from;
            its branch for directions is added.
    """
    boxes_only = "train_args" in torch.load(weights, map_location="cpu", weights_only=False)
    with tempfile.TemporaryDirectory() as folder:
        if boxes_only and directions is None:
            copy = Path(folder) / "detector.pt"
            shutil.copy(weights, copy)
            made = YOLO(str(copy)).export(
                format="onnx", imgsz=size, dynamic=True, simplify=True, opset=17, nms=False
            )
        else:
            made = Path(folder) / "detector.onnx"
            network = (
                with_branch_of(weights, directions) if boxes_only and directions else load(weights)
            )
            export_axes(network, made)
        _store_half(onnx.load(made), out)


def classifier(weights: Path, out: Path) -> None:
    """Export the crop classifier for any number of crops.

    Raises:
        RuntimeError: if the logits of the exported network differ by more than 0.1.
    """
    model = from_file(weights)
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "classifier.onnx"
        example = torch.rand(2, 3, INPUT, INPUT)
        torch.onnx.export(
            model,
            (example,),
            str(path),
            input_names=["crops"],
            output_names=list(OUTPUTS),
            dynamic_axes={name: {0: "n"} for name in ("crops", *OUTPUTS)},
            opset_version=17,
            dynamo=False,
        )
        _store_half(with_embedding(onnx.load(path)), out)
    session = open_network(out)
    x = np.random.default_rng(0).random((5, 3, INPUT, INPUT), np.float32)
    with torch.inference_mode():
        wanted = model(torch.from_numpy(x))[0].numpy()
    gap = float(np.abs(session.run(None, {"crops": x})[0] - wanted).max())
    if gap > 0.1:
        raise RuntimeError(f"the exported classifier differs from the trained one by {gap:.3f}")


def with_embedding(model: Any) -> Any:
    """Add an output ``embedding`` (n, d) to the classifier: the input of its last layer.

    Tile sets are enrolled with it.
    """
    graph = model.graph
    if any(output.name == "embedding" for output in graph.output):
        return model
    last = next(node for node in reversed(graph.node) if node.op_type in ("Gemm", "MatMul"))
    graph.node.append(helper.make_node("Identity", [last.input[0]], ["embedding"]))
    graph.output.append(helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", None]))
    onnx.checker.check_model(model)
    return model


def _store_half(model: Any, out: Path) -> None:
    """Store large weights as float16 with a cast, which the runtime folds when loading."""
    graph = model.graph
    casts, kept = [], []
    for tensor in graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float32 and array.size > 512 and np.abs(array).max() < 6e4:
            half = numpy_helper.from_array(array.astype(np.float16), tensor.name + "_half")
            kept.append(half)
            casts.append(helper.make_node("Cast", [half.name], [tensor.name], to=TensorProto.FLOAT))
        else:
            kept.append(tensor)
    del graph.initializer[:]
    graph.initializer.extend(kept)
    nodes = list(graph.node)
    del graph.node[:]
    graph.node.extend([*casts, *nodes])
    onnx.checker.check_model(model)
    out.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, out)


def write_card(folder: Path, name: str, version: str, recipe: Path | None) -> None:
    """Write FOLDER/NAME.md unless there is one: a model card to fill in, with the recipe."""
    card = folder / f"{name}.md"
    if card.exists():
        return
    text = f"# Model card: {name}, version {version}\n\n"
    text += "Networks run by `hupai.vision.detection.two_stage.TwoStageDetector`.\n\n"
    text += "## Training data\nTo be written: photos, their source and licence.\n\n"
    text += "## Measured\nTo be written: `hupai models evaluate` on photos training never saw.\n"
    if recipe is not None:
        text += f"\n## How it was made\n```toml\n{recipe.read_text('utf-8')}```\n"
    card.write_text(text, "utf-8")


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shipped = registry.find(registry.DEFAULT)
    for role in ("detector", "classifier"):
        parser.add_argument(
            f"--{role}",
            type=Path,
            default=shipped.path(role),
            help="checkpoint or ONNX file; without it the shipped one",
        )
    parser.add_argument(
        "--plain",
        type=Path,
        default=shipped.path("plain") if "plain" in shipped.roles else None,
        help="ONNX file that classifies plain tiles; without it the shipped one",
    )
    parser.add_argument(
        "--upright",
        type=Path,
        default=shipped.path("upright") if "upright" in shipped.roles else None,
        help="checkpoint or ONNX file that names upright crops; without it the shipped one",
    )
    for family in FAMILIES:
        parser.add_argument(
            f"--{family}",
            type=Path,
            default=shipped.path(family) if family in shipped.roles else None,
            help=f"ONNX file that names {family}; without it the shipped one",
        )
    parser.add_argument(
        "--directions",
        type=Path,
        help="ONNX file of the detector that the checkpoint was fine-tuned from; its branch for "
        "directions is added",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for weights and entry")
    parser.add_argument("--name", help="of the entry; the folder's name unless given")
    parser.add_argument("--version", required=True)
    parser.add_argument("--recipe", type=Path, help="goes into the model card")
    parser.add_argument(
        "--about", default="two stages: YOLOv8n tile detector and a residual crop classifier"
    )
    a = parser.parse_args()
    name = a.name or a.out.resolve().name
    files = {}
    for role, source, convert in (
        ("detector", a.detector, detector),
        ("classifier", a.classifier, classifier),
        ("upright", a.upright, classifier),
    ):
        if source is None:
            continue
        files[role] = a.out / "weights" / f"{name}-{role}.onnx"
        files[role].parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".onnx":
            shutil.copy(source, files[role])
        else:
            more = {"directions": a.directions} if role == "detector" else {}
            convert(source, files[role], **more)
        print(f"{role}: {files[role].name} {files[role].stat().st_size / 1e6:.2f} MB")
    for role in ("plain", *FAMILIES):
        source = getattr(a, role)
        if source is not None:
            files[role] = a.out / "weights" / f"{name}-{role}.onnx"
            shutil.copy(source, files[role])
    side = open_network(files["classifier"]).get_inputs()[0].shape[2]
    # Settings were chosen for the shipped classifier; a new one begins at a temperature of 1.
    kept = a.classifier == shipped.path("classifier")
    settings = replace(shipped.settings if kept else DetectorSettings(), crop=side)
    write_entry(a.out, name, a.version, files, settings, a.about)
    write_card(a.out, name, a.version, a.recipe)


if __name__ == "__main__":
    main()
