"""A detector that decodes boxes of candidates only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hupai.models import registry
from hupai.vision.detection.onnx_session import open_network

onnx = pytest.importorskip("onnx", reason="the train extra is not installed: pip install .[train]")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from hupai.models.training.detector.candidates import only_candidates  # noqa: E402

SIZE = 64


def _detector(path: Path, directions: int = 0) -> None:
    """Write the head of a detector as Ultralytics exports it, over a single convolution.

    With `directions`, so many further outputs of a place follow its scores.
    """
    rng = np.random.default_rng(2)
    places = (SIZE // 8) ** 2
    rows, columns = np.divmod(np.arange(places), SIZE // 8)
    values: dict[str, Any] = {
        "weight": rng.normal(0, 0.25, (66 + directions, 3, 8, 8)).astype(np.float32),
        "columns": np.array([1, 66 + directions, places]),
        "sides": np.array([1, 4, 16, places]),
        "flat": np.array([1, 4, places]),
        "bins": np.arange(16, dtype=np.float32).reshape(1, 16, 1, 1),
        "centres": np.stack([columns, rows])[None].astype(np.float32) + np.float32(0.5),
        "strides": np.full((1, places), 8, np.float32),
        "split": np.array([64, 2, directions][: 3 if directions else 2]),
        "two": np.float32(2),
        **{name: np.array([value]) for name, value in (("zero", 0), ("mid", 2), ("end", 4))},
        "axis": np.array([1]),
    }
    more = ["directions"] if directions else []
    nodes: list[tuple[str, list[str], list[str], dict[str, Any]]] = [
        ("Conv", ["images", "weight"], ["grid"], {"strides": [8, 8]}),
        ("Reshape", ["grid", "columns"], ["all"], {}),
        ("Split", ["all", "split"], ["distances", "classes", *more], {"axis": 1}),
        ("Reshape", ["distances", "sides"], ["shaped"], {}),
        ("Transpose", ["shaped"], ["turned"], {"perm": [0, 2, 1, 3]}),
        ("Softmax", ["turned"], ["shares"], {"axis": 1}),
        ("Mul", ["shares", "bins"], ["weighed"], {}),
        ("ReduceSum", ["weighed", "axis"], ["expected"], {"keepdims": 0}),
        ("Slice", ["expected", "zero", "mid", "axis"], ["before"], {}),
        ("Slice", ["expected", "mid", "end", "axis"], ["after"], {}),
        ("Identity", ["centres"], ["middles"], {}),
        ("Identity", ["strides"], ["steps"], {}),
        ("Sub", ["middles", "before"], ["low"], {}),
        ("Add", ["middles", "after"], ["high"], {}),
        ("Add", ["low", "high"], ["sum"], {}),
        ("Sub", ["high", "low"], ["size"], {}),
        ("Div", ["sum", "two"], ["middle"], {}),
        ("Concat", ["middle", "size"], ["boxes"], {"axis": 1}),
        ("Mul", ["boxes", "steps"], ["pixels"], {}),
        ("Sigmoid", ["classes"], ["scores"], {}),
        ("Concat", ["pixels", "scores", *more], ["output0"], {"axis": 1}),
    ]
    # As in an export, where they follow from the number of places at hand.
    values["columns"][2] = values["sides"][3] = -1
    graph = helper.make_graph(
        [
            helper.make_node(kind, inputs, outputs, f"/head/{k}", **attributes)
            for k, (kind, inputs, outputs, attributes) in enumerate(nodes)
        ],
        "detector",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, SIZE, SIZE])],
        [helper.make_tensor_value_info("output0", TensorProto.FLOAT, [1, 6 + directions, "n"])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)


def _run(path: Path, pixels: np.ndarray) -> np.ndarray:
    return np.asarray(open_network(path).run(None, {"images": pixels})[0])


@pytest.mark.parametrize("directions", [0, 6])
@pytest.mark.parametrize("least", [0.3, 0.6])
def test_candidates_are_decoded_as_before(tmp_path: Path, least: float, directions: int) -> None:
    whole, cut = tmp_path / "whole.onnx", tmp_path / "cut.onnx"
    _detector(whole, directions)
    only_candidates(whole, cut, least)
    pixels = np.random.default_rng(3).random((1, 3, SIZE, SIZE), np.float32)
    before, after = _run(whole, pixels), _run(cut, pixels)
    kept = before[0, 4:6].max(0) >= least
    assert 0 < kept.sum() < len(kept)
    np.testing.assert_array_equal(after, before[:, :, kept])


def test_the_best_place_is_decoded_where_none_is_good_enough(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.onnx", tmp_path / "cut.onnx"
    _detector(whole)
    only_candidates(whole, cut, 0.9999)
    pixels = np.full((1, 3, SIZE, SIZE), 0.5, np.float32)
    before, after = _run(whole, pixels), _run(cut, pixels)
    scores = before[0, 4:].max(0)
    np.testing.assert_array_equal(after, before[:, :, scores == scores.max()])


def test_a_network_is_changed_once_only(tmp_path: Path) -> None:
    path = tmp_path / "detector.onnx"
    _detector(path)
    only_candidates(path, path)
    with pytest.raises(ValueError, match="already"):
        only_candidates(path, path)


def test_a_network_without_boxes_is_refused() -> None:
    classifier = registry.find(registry.DEFAULT).path("classifier")
    with pytest.raises(ValueError):
        only_candidates(classifier, classifier)
