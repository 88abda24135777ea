"""Stores an exported classifier in 8 bits, which takes a third of the time on CPUs with VNNI.

    python -m hupai.models.training.classifier.quantise --crops CROPS.npz... [--model FOLDER]

Static quantisation (Jacob et al., Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference, 2018): weights by output channel in 8 signed bits, activations in
8 unsigned bits between limits that some hundred crops give. Weights use 7 of their bits: processors
with AVX2 or AVX-512 but without VNNI would otherwise overflow in between. The last layer, and the
pooled values before it that tile sets are enrolled with, stay in single precision.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from hupai.models import registry
from hupai.models.registry_writer import write_entry
from hupai.models.training.classifier.mean_logits import central_crops, sample
from hupai.models.training.classifier.network import INPUT
from hupai.vision.detection.onnx_session import open_network

quantization: Any = import_module("onnxruntime.quantization")
# `onnx_session`, imported above, has told ONNX Runtime by now to report nothing.

COUNT = 1024
"""Crops that the limits of the activations are taken from."""

_TYPES = ["Conv", "Add", "Relu"]
"""Operators that are computed in 8 bits."""


class _Crops(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Hands crops (n, 3, INPUT, INPUT) to the calibration, 64 at a time."""

    def __init__(self, crops: NDArray[np.float32]) -> None:
        self._rest = iter([crops[i : i + 64] for i in range(0, len(crops), 64)])

    def get_next(self) -> dict[str, Any] | None:
        """Return the next batch, None after the last."""
        batch = next(self._rest, None)
        return None if batch is None else {"crops": batch}


def quantise(classifier: Path, out: Path, patches: NDArray[np.uint8]) -> float:
    """Write a classifier in 8 bits; its metadata stay.

    Args:
        classifier: ONNX file in half or single precision.
        out: ONNX file.
        patches: shape (n, PATCH, PATCH, 3), of all classes.

    Returns:
        Share of the patches that both name alike.
    """
    before = onnx.load(classifier)
    side = before.graph.input[0].type.tensor_type.shape.dim[2].dim_value
    crops = central_crops(patches, side or INPUT)
    with tempfile.TemporaryDirectory() as folder:
        plain, prepared = Path(folder) / "plain.onnx", Path(folder) / "prepared.onnx"
        onnx.save(_unfolded(before), plain)
        prepare: Any = import_module("onnxruntime.quantization.shape_inference")
        prepare.quant_pre_process(str(plain), str(prepared))
        out.parent.mkdir(parents=True, exist_ok=True)
        quantization.quantize_static(
            str(prepared),
            str(out),
            _Crops(crops),
            quant_format=quantization.QuantFormat.QDQ,
            op_types_to_quantize=_TYPES,
            per_channel=True,
            reduce_range=True,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
            calibrate_method=quantization.CalibrationMethod.MinMax,
        )
    after = onnx.load(out)
    onnx.helper.set_model_props(after, {p.key: p.value for p in before.metadata_props})
    onnx.save(after, out)
    names = [
        np.concatenate(
            [
                open_network(file).run(["logits"], {"crops": crops[i : i + 64]})[0].argmax(1)
                for i in range(0, len(crops), 64)
            ]
        )
        for file in (classifier, out)
    ]
    return float((names[0] == names[1]).mean())


def _unfolded(model: Any) -> Any:
    """Return the model with weights in single precision in place of casts of half precision."""
    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    casts = [n for n in graph.node if n.op_type == "Cast" and n.input[0] in stored]
    for cast in casts:
        half = stored[cast.input[0]]
        array = onnx.numpy_helper.to_array(half).astype(np.float32)
        graph.initializer.remove(half)
        graph.initializer.append(onnx.numpy_helper.from_array(array, cast.output[0]))
        graph.node.remove(cast)
    return model


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--crops", type=Path, nargs="+", required=True)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--model", default=registry.DEFAULT, help="name, or folder of a training")
    parser.add_argument("--version", help="of the weights that come out; as before without it")
    a = parser.parse_args(arguments)
    entry = registry.find(a.model)
    files = {role: entry.path(role) for role in ("detector", "classifier")}
    if any(node.op_type == "QuantizeLinear" for node in onnx.load(files["classifier"]).graph.node):
        raise SystemExit(f"{files['classifier'].name} is in 8 bits already")
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "before.onnx"
        shutil.copy(files["classifier"], before)
        alike = quantise(before, files["classifier"], sample(a.crops, a.count)[0])
    version = a.version or entry.version
    write_entry(entry.folder, entry.name, version, files, entry.settings, entry.about)
    size = files["classifier"].stat().st_size / 1e6
    print(f"{files['classifier'].name}: {size:.2f} MB, {alike:.4f} named as before")


if __name__ == "__main__":
    main()
