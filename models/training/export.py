"""Exports trained weights to ONNX, stores them in half precision, checks them, and writes the
registry entry.

python -m hupai.models.training.export --detector RUN/weights/last.pt --classifier RUN/classifier.pt
--name default --version 2026.11
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from hupai.models.registry import FOLDER
from hupai.models.registry_writer import write_entry
from hupai.models.training import cpu
from hupai.models.training.classifier.network import INPUT, CropClassifier
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.tile_detector import DetectorSettings


def detector(weights: Path, out: Path, size: int = 640) -> None:
    """Ultralytics' own export, any picture size, without suppression of doubles."""
    cpu.register_missing_ops()
    from ultralytics import YOLO

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "detector.pt"
        shutil.copy(weights, copy)
        made = YOLO(str(copy)).export(
            format="onnx", imgsz=size, dynamic=True, simplify=True, opset=17, nms=False
        )
        _store_half(onnx.load(made), out)


def classifier(weights: Path, out: Path) -> None:
    """The crop classifier, any number of crops."""
    model = CropClassifier()
    model.load_state_dict(torch.load(weights, weights_only=True))
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "classifier.onnx"
        example = torch.rand(2, 3, INPUT, INPUT)
        torch.onnx.export(
            model, (example,), str(path), input_names=["crops"], output_names=["logits", "axis"],
            dynamic_axes={"crops": {0: "n"}, "logits": {0: "n"}, "axis": {0: "n"}}, opset_version=17, dynamo=False,
        )  # fmt: skip
        _store_half(with_embedding(onnx.load(path)), out)
    session = open_network(out)
    x = np.random.default_rng(0).random((5, 3, INPUT, INPUT), np.float32)
    with torch.inference_mode():
        wanted = model(torch.from_numpy(x))[0].numpy()
    gap = float(np.abs(session.run(None, {"crops": x})[0] - wanted).max())
    if gap > 0.1:
        raise RuntimeError(f"the exported classifier differs from the trained one by {gap:.3f}")


def with_embedding(model: Any) -> Any:
    """The classifier with one more output, ``embedding`` (n, d): what its last layer sees. Tile
    sets are learnt from it.
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
    """Keep large weights as float16 with a cast in front: half the file, and the runtime unfolds
    them once when it opens it.
    """
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


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--detector", type=Path, required=True)
    parser.add_argument("--classifier", type=Path, required=True)
    parser.add_argument("--name", default="default")
    parser.add_argument("--version", required=True)
    parser.add_argument(
        "--about", default="two stages: YOLOv8n tile detector and a residual crop classifier"
    )
    a = parser.parse_args()
    files = {
        "detector": FOLDER / "weights" / f"{a.name}-detector.onnx",
        "classifier": FOLDER / "weights" / f"{a.name}-classifier.onnx",
    }
    detector(a.detector, files["detector"])
    classifier(a.classifier, files["classifier"])
    write_entry(a.name, a.version, files, DetectorSettings(), a.about)
    for role, file in files.items():
        print(f"{role}: {file.name} {file.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
