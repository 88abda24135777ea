"""Stores networks in 8 bits, in which they run two to three times as fast on CPUs with VNNI.

Static quantisation (Jacob et al., Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference, 2018): weights by output channel in 8 signed bits, activations in
8 unsigned bits between limits taken from example inputs. Weights use 7 of their bits: processors
with AVX2 or AVX-512 but without VNNI would otherwise overflow in intermediate sums.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from numpy.typing import NDArray

from hupai.vision.detection import onnx_session  # noqa: F401 - keeps ONNX Runtime quiet

if TYPE_CHECKING:
    import torch

quantization: Any = import_module("onnxruntime.quantization")


class _Examples(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Passes inputs to the calibration one by one."""

    def __init__(self, name: str, inputs: Iterator[NDArray[np.float32]]) -> None:
        self._name, self._rest = name, inputs

    def get_next(self) -> dict[str, Any] | None:
        """Return the next input, None after the last."""
        batch = next(self._rest, None)
        return None if batch is None else {self._name: batch}


def is_in_8_bits(network: Path) -> bool:
    """Return whether some layers of an ONNX file are computed in 8 bits."""
    return any(node.op_type == "QuantizeLinear" for node in onnx.load(network).graph.node)


def without_rounding(network: Path, out: Path) -> None:
    """Write a network in 8 bits with its activations in single precision; weights stay as rounded.

    Limits that start at 0 act as a ReLU, for which the network in 8 bits has no node.
    """
    model = onnx.load(network)
    graph = model.graph
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "QuantizeLinear":
            node.op_type = "Relu" if stored[node.input[2]] == 0 else "Identity"
        elif node.op_type == "DequantizeLinear" and node.input[0] not in stored:
            node.op_type = "Identity"
        else:
            continue
        del node.input[1:], node.attribute[:]
    del graph.value_info[:]
    onnx.save(model, out)


def export_in_8_bits(
    model: torch.nn.Module,
    name: str,
    examples: Sequence[NDArray[np.float32]],
    out: Path,
    operators: Sequence[str],
) -> None:
    """Write a trained network as ONNX in 8 bits, for any number of inputs, with output ``logits``.

    Args:
        model: the network.
        name: name of the input.
        examples: batches of inputs, from which the limits of the activations are taken.
        out: ONNX file; one in single precision is written beside it.
        operators: types of the operators that are computed in 8 bits.
    """
    import torch  # the rest of this module does not need it

    model.eval()
    whole = out.with_name(f"{out.stem}-float.onnx")
    torch.onnx.export(
        model,
        (torch.from_numpy(examples[0][:2]),),
        str(whole),
        input_names=[name],
        output_names=["logits"],
        dynamic_axes={name: {0: "n"}, "logits": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    in_8_bits(whole, out, examples, operators)


def in_8_bits(
    network: Path,
    out: Path,
    inputs: Iterable[NDArray[np.float32]],
    operators: Sequence[str],
    spared: Sequence[str] = (),
    least_before_sigmoid: float | None = None,
    like: Path | None = None,
) -> None:
    """Write a network in 8 bits; its metadata are kept.

    Args:
        network: ONNX file with one input, in half or single precision.
        out: ONNX file.
        inputs: examples of the input, from which the limits of the activations are taken.
        operators: types of the operators that are computed in 8 bits.
        spared: substrings of the names of nodes that stay in single precision.
        least_before_sigmoid: lower clipping limit of activations before a sigmoid. SiLU, x times
            its sigmoid, is almost 0 below it, and the steps above become finer. None: the examples
            give all limits.
        like: file in 8 bits of the same architecture whose limits are kept. Clipping at these
            limits is part of what that network computes, so weights close to its own need the same
            limits.
    """
    before = onnx.load(network)
    kept = {p.key: p.value for p in before.metadata_props}
    with tempfile.TemporaryDirectory() as folder:
        plain, prepared = Path(folder) / "plain.onnx", Path(folder) / "prepared.onnx"
        onnx.save(_unfolded(before), plain)
        prepare: Any = import_module("onnxruntime.quantization.shape_inference")
        prepare.quant_pre_process(str(plain), str(prepared), skip_symbolic_shape=True)
        graph = onnx.load(prepared).graph
        examples = list(inputs)
        name = before.graph.input[0].name
        limits: dict[str, list[dict[str, Any]]] = {}
        if least_before_sigmoid is not None:
            found = _limits(prepared, _Examples(name, iter(examples)), operators)
            into = {n.input[0] for n in graph.node if n.op_type == "Sigmoid"} & set(found)
            limits |= {
                tensor: [{"rmin": max(found[tensor][0], np.float32(least_before_sigmoid)),
                          "rmax": found[tensor][1]}]
                for tensor in into
            }  # fmt: skip
        if like is not None:
            limits |= _scales(onnx.load(like).graph)
        out.parent.mkdir(parents=True, exist_ok=True)
        quantization.quantize_static(
            str(prepared),
            str(out),
            _Examples(name, iter(examples)),
            quant_format=quantization.QuantFormat.QDQ,
            op_types_to_quantize=list(operators),
            nodes_to_exclude=[n.name for n in graph.node if any(p in n.name for p in spared)],
            per_channel=True,
            reduce_range=True,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
            calibrate_method=quantization.CalibrationMethod.MinMax,
            extra_options={"TensorQuantOverrides": limits},
        )
    after = onnx.load(out)
    onnx.helper.set_model_props(after, kept)
    onnx.save(after, out)


def _scales(graph: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the scales and zero points of a network in 8 bits by activation tensor."""
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    return {
        node.input[0]: [{"scale": stored[node.input[1]], "zero_point": stored[node.input[2]]}]
        for node in graph.node
        if node.op_type == "QuantizeLinear"
    }


def _limits(
    network: Path, examples: _Examples, operators: Sequence[str]
) -> dict[str, tuple[np.float32, np.float32]]:
    """Return the least and greatest values of activations by the names of their tensors."""
    calibrate: Any = import_module("onnxruntime.quantization.calibrate")
    beside = str(network.with_name("augmented.onnx"))
    calibrator = calibrate.create_calibrator(network, list(operators), beside)
    calibrator.set_execution_providers(["CPUExecutionProvider"])
    calibrator.collect_data(examples)
    found = calibrator.compute_data().data
    ranges = {name: data.range_value for name, data in found.items()}
    return {name: (np.float32(least), np.float32(most)) for name, (least, most) in ranges.items()}


def _unfolded(model: Any) -> Any:
    """Return the model with single-precision weights instead of casts from half precision."""
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
