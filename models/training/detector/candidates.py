"""Makes an exported detector decode boxes only where it may have found a tile.

    python -m hupai.models.training.detector.candidates [--model FOLDER]

Ultralytics' YOLOv8 decodes a box for each place of its grid, thousands of them, by a softmax over
16 distances per side. That takes a fifth of the time of a network in 8 bits, and nearly all boxes
are then dropped for their scores. Here the places are selected before decoding; the outputs for
these are bit-identical. `hupai.models.training.quantise` does this to what it writes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from hupai.models import registry
from hupai.models.registry_writer import write_entry

LEAST = 0.01
"""Score below which a place is dropped; below any `DetectorSettings.low_confidence`."""

_PREFIX = "candidates/"
"""Start of the names of all nodes that are added."""


def only_candidates(network: Path, out: Path, least: float = LEAST) -> None:
    """Write a detector whose output (1, 6 or 12, n) holds only places with at least this score.

    The best place is always among them, because the decoding needs at least one.

    Args:
        network: ONNX file, exported by Ultralytics with neither suppression nor angles.
        out: ONNX file; may be the same.
        least: minimum score.

    Raises:
        ValueError: the network has another form, or has been changed already.
    """
    model = onnx.load(network)
    graph = model.graph
    if any(node.name.startswith(_PREFIX) for node in graph.node):
        raise ValueError(f"{network.name} already decodes only candidates")
    per_place = _per_place(graph)
    scores = per_place[-1]
    for name, value in (("least", np.float32(least)), ("first", np.zeros(1, np.int64))):
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), _PREFIX + name))
    chosen = {name: f"{_PREFIX}{name}" for name in per_place}
    for node in graph.node:
        for k, name in enumerate(node.input):
            node.input[k] = chosen.get(name, name)
    added = [
        _node("ReduceMax", [scores], "score", axes=[0, 1], keepdims=0),
        _node("ReduceMax", [_PREFIX + "score"], "best", keepdims=0),
        _node("Min", [_PREFIX + "best", _PREFIX + "least"], "threshold"),
        _node("GreaterOrEqual", [_PREFIX + "score", _PREFIX + "threshold"], "is_candidate"),
        _node("NonZero", [_PREFIX + "is_candidate"], "rows"),
        _node("Squeeze", [_PREFIX + "rows", _PREFIX + "first"], "places"),
        *(_node("Gather", [name, _PREFIX + "places"], name, axis=-1) for name in per_place),
    ]
    _replace_nodes(graph, [*graph.node, *added])
    onnx.checker.check_model(model)
    onnx.save(model, out)


def _per_place(graph: onnx.GraphProto) -> tuple[str, ...]:
    """Return the names of the values, one column per place, from which decoding starts.

    Returns:
        Logits of distances, strides, centres, directions if there are any, scores.
    """
    maker = {name: node for node in graph.node for name in node.output}

    def inputs(node: onnx.NodeProto, kind: str) -> tuple[onnx.NodeProto, str]:
        """Return the input that an operator of this kind produces, and the other input's name."""
        made = [maker[name].op_type if name in maker else "" for name in node.input]
        if len(made) not in (2, 3) or kind not in made:
            raise ValueError(f"{node.name or node.op_type} has no input from {kind}: {made}")
        k = made.index(kind)
        return maker[node.input[k]], node.input[1 - k] if len(made) == 2 else ""

    last = maker[graph.output[0].name]
    scores = inputs(last, "Sigmoid")[0].output[0]
    directions = list(last.input)[2:]
    _, strides = inputs(inputs(last, "Mul")[0], "Concat")
    nodes = {kind: [n for n in graph.node if n.op_type == kind] for kind in ("Softmax", "Sub")}
    if len(nodes["Softmax"]) != 1:
        raise ValueError("a detector has one softmax, over the distances of the sides of boxes")
    reshape = maker[maker[nodes["Softmax"][0].input[0]].input[0]]
    for node in nodes["Sub"]:
        if any(maker[name].op_type == "Slice" for name in node.input if name in maker):
            return reshape.input[0], strides, inputs(node, "Slice")[1], *directions, scores
    raise ValueError("no distances are subtracted from centres")


def _node(kind: str, inputs: Sequence[str], output: str, **attributes: int | list[int]) -> object:
    name = _PREFIX + output
    return helper.make_node(kind, list(inputs), [name], name=name, **attributes)


def _replace_nodes(graph: onnx.GraphProto, nodes: Sequence[onnx.NodeProto]) -> None:
    """Store nodes in topological order."""
    known = {"", *(value.name for value in (*graph.input, *graph.initializer))}
    ordered: list[onnx.NodeProto] = []
    left = list(nodes)
    while left:
        ready = [node for node in left if known.issuperset(node.input)]
        if not ready:
            raise ValueError(f"{left[0].name} depends on a value that no node produces")
        ordered += ready
        known.update(name for node in ready for name in node.output)
        left = [node for node in left if not known.issuperset(node.output)]
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in ordered]
    del graph.node[:]
    graph.node.extend(copies)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default=registry.DEFAULT, help="name, or folder of a training")
    parser.add_argument("--version", help="of the weights that come out; as before without it")
    a = parser.parse_args(arguments)
    entry = registry.find(a.model)
    files = {role: entry.path(role) for role in entry.roles}
    only_candidates(files["detector"], files["detector"])
    version = a.version or entry.version
    write_entry(entry.folder, entry.name, version, files, entry.settings, entry.about)


if __name__ == "__main__":
    main()
