"""Networks in 8 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hupai.models import registry
from hupai.vision.detection.onnx_session import open_network

onnx = pytest.importorskip("onnx", reason="the train extra is not installed: pip install .[train]")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from hupai.models.training.integers import in_8_bits, is_in_8_bits, without_rounding  # noqa: E402


def _network(path: Path) -> None:
    """Write two convolutions, each followed by SiLU, with a line of metadata."""
    rng = np.random.default_rng(1)
    nodes, weights, last = [], [], "pixels"
    for k, (inside, outside) in enumerate(((3, 8), (8, 4))):
        array = rng.normal(0, 0.3, (outside, inside, 3, 3)).astype(np.float32)
        weights.append(numpy_helper.from_array(array, f"w{k}"))
        nodes += [
            helper.make_node("Conv", [last, f"w{k}"], [f"c{k}"], f"/layer.{k}/Conv"),
            helper.make_node("Sigmoid", [f"c{k}"], [f"s{k}"], f"/layer.{k}/Sigmoid"),
            helper.make_node("Mul", [f"c{k}", f"s{k}"], [f"y{k}"], f"/layer.{k}/Mul"),
        ]
        last = f"y{k}"
    shape = ["n", 3, 16, 16]
    graph = helper.make_graph(
        nodes,
        "two",
        [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT, ["n", 4, 12, 12])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"kept": "yes"})
    onnx.save(model, path)


@pytest.mark.parametrize("least", [None, -6.0])
def test_a_network_in_8_bits_gives_nearly_the_same_outputs(
    tmp_path: Path, least: float | None
) -> None:
    plain, small = tmp_path / "plain.onnx", tmp_path / "small.onnx"
    _network(plain)
    examples = list(np.random.default_rng(2).random((8, 2, 3, 16, 16), np.float32))
    in_8_bits(plain, small, examples, ["Conv"], ["/layer.0/"], least)
    assert is_in_8_bits(small)
    assert not is_in_8_bits(plain)
    network = open_network(small, 1)
    assert network.get_modelmeta().custom_metadata_map["kept"] == "yes"
    wanted = open_network(plain, 1).run(None, {"pixels": examples[0]})[0]
    found = network.run(None, {"pixels": examples[0]})[0]
    rounded = np.abs(found - wanted).max()
    assert 0 < rounded < 0.03 * np.abs(wanted).max()
    without_rounding(small, tmp_path / "exact.onnx")
    exact = open_network(tmp_path / "exact.onnx", 1).run(None, {"pixels": examples[0]})[0]
    assert np.abs(exact - wanted).max() < rounded, "only the weights are rounded"
    nodes = onnx.load(small).graph.node
    into = [n.input[0] for n in nodes if n.op_type == "Conv" and n.name == "/layer.0/Conv"]
    assert into == ["pixels"], "the spared layer takes what it took"
    assert not list(tmp_path.glob("augmented*")), "nothing is left lying about"


def test_limits_of_another_network_in_8_bits_are_kept(tmp_path: Path) -> None:
    plain, small, again = (tmp_path / f"{name}.onnx" for name in ("plain", "small", "again"))
    _network(plain)
    rng = np.random.default_rng(2)
    examples = list(rng.random((8, 2, 3, 16, 16), np.float32))
    in_8_bits(plain, small, examples, ["Conv"], ["/layer.0/"], -6.0)
    brighter = [3 * example for example in examples]
    in_8_bits(plain, again, brighter, ["Conv"], ["/layer.0/"], -6.0)
    read = [open_network(file, 1).run(None, {"pixels": brighter[0]})[0] for file in (small, again)]
    assert np.abs(read[0] - read[1]).max() > 0, "the limits matter"
    in_8_bits(plain, again, brighter, ["Conv"], ["/layer.0/"], -6.0, like=small)
    same = open_network(again, 1).run(None, {"pixels": brighter[0]})[0]
    assert np.array_equal(same, read[0])


def test_both_shipped_networks_are_in_8_bits() -> None:
    entry = registry.find(registry.DEFAULT)
    assert all(is_in_8_bits(entry.path(role)) for role in ("detector", "classifier"))
