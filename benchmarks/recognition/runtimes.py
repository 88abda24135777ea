"""The same weights run in other ways: single precision, 8 bits, OpenVINO. What is gained in time
and lost in reading?

    python -m benchmarks.recognition.runtimes ../shared/photos/dev --scenes DIR [--public PYTHON] [--json FILE]

Needs ``onnx`` (the train extra), and ``openvino`` for its rows; a row whose package is missing is
left out. 8 bits: static quantisation by ONNX Runtime, a scale a channel, ranges from `--scenes`
(pictures rendered by this project), the detector's last layers left in single precision. `--public`
is the Python of an environment with the package mahjong-detector, whose time is measured beside
(`benchmarks.public_detector`). All readers take the photos in turn.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.public_detector import measure, public_reader
from hupai.models import registry
from hupai.models.evaluation.evaluate import Evaluation, PhotoReader
from hupai.models.evaluation.labelled_folder import read_folder
from hupai.models.evaluation.report import figures_json, timing_json
from hupai.vision.detection.boxes import Letterbox
from hupai.vision.detection.crops import cut_square
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.pipeline.recogniser import Recogniser

HEAD = "/model.22/"
"""Prefix of the nodes of YOLOv8's last layers, whose outputs are pixels and too wide for 8 bits."""
SAMPLES = 48


class OpenVino:
    """A network run by OpenVINO behind ONNX Runtime's call."""

    def __init__(self, path: Path) -> None:
        import openvino

        self._model = openvino.Core().compile_model(
            str(path), "CPU", {"PERFORMANCE_HINT": "LATENCY"}
        )

    def run(self, wanted: list[str] | None, inputs: dict[str, Any]) -> list[Any]:
        """Outputs by name; all of them for None."""
        found = self._model(inputs)
        return (
            [found[output] for output in self._model.outputs]
            if wanted is None
            else [found[name] for name in wanted]
        )


def whole(path: Path) -> Any:
    """A network as its file has it, its half-precision weights unfolded to single precision."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    halves = {tensor.name: tensor for tensor in model.graph.initializer}
    casts = [
        node for node in model.graph.node if node.op_type == "Cast" and node.input[0] in halves
    ]
    for node in casts:
        array = numpy_helper.to_array(halves[node.input[0]]).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, node.output[0]))
        model.graph.initializer.remove(halves[node.input[0]])
        model.graph.node.remove(node)
    return model


class _Samples:
    """Feeds pictures to the quantiser."""

    def __init__(self, name: str, inputs: Iterator[Any]) -> None:
        self._name, self._inputs = name, inputs

    def get_next(self) -> dict[str, Any] | None:
        """One more, or None at the end."""
        found = next(self._inputs, None)
        return None if found is None else {self._name: found}


def quantised(source: Path, target: Path, name: str, inputs: Iterator[Any]) -> Path:
    """Write an 8-bit copy of a network."""
    import onnx
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

    CalibrationDataReader.register(_Samples)
    model = whole(source)
    plain = target.with_suffix(".plain.onnx")
    onnx.save(model, plain)
    kept = [node.name for node in model.graph.node if node.name.startswith(HEAD)]
    types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    quantize_static(
        str(plain),
        str(target),
        _Samples(name, inputs),
        per_channel=True,
        nodes_to_exclude=kept,
        **types,
    )
    return target


def pictures(folder: Path) -> list[Any]:
    """Rendered pictures, RGB."""
    files = sorted((folder / "images").glob("*.jpg"))[:SAMPLES]
    return [
        cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
        for f in files
        if (picture := cv2.imread(str(f))) is not None
    ]


def variants(scenes: Path, work: Path) -> dict[str, TwoStageDetector]:
    """The shipped weights in every way that can be run here."""
    plain = registry.load()
    assert isinstance(plain, TwoStageDetector)
    entry = next(e for e in registry.available() if e.name == registry.DEFAULT)
    shown = pictures(scenes)
    looks = (Letterbox.of(picture, entry.settings.size).pixels for picture in shown)
    boxes = [(picture, box) for picture in shown for box in plain.find(picture).boxes[:4]]
    cuts = (cut_square(picture, box, entry.settings.crop) for picture, box in boxes)
    crops = (cut.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255) for cut in cuts)
    files = {
        "detector": quantised(entry.path("detector"), work / "detector.onnx", "images", looks),
        "classifier": quantised(entry.path("classifier"), work / "classifier.onnx", "crops", crops),
    }
    found = {"ONNX Runtime, single": plain}

    def opened(detector: Path, classifier: Path) -> TwoStageDetector:
        return TwoStageDetector(detector, classifier, entry.info, entry.settings)

    found["ONNX Runtime, detector in 8 bits"] = opened(files["detector"], entry.path("classifier"))
    found["ONNX Runtime, both in 8 bits"] = opened(files["detector"], files["classifier"])
    try:
        import openvino
    except ModuleNotFoundError:
        return found
    del openvino
    for name, detector in (
        ("single", entry.path("detector")),
        ("detector in 8 bits", files["detector"]),
    ):
        other = opened(detector, entry.path("classifier"))
        other._finder._network, other._classifier = (
            OpenVino(detector),
            OpenVino(entry.path("classifier")),
        )
        found[f"OpenVINO, {name}"] = other
    return found


def table(evaluations: dict[str, Evaluation]) -> Table:
    """One row a way of running."""
    result = Table(title="Same weights, same photos, same run")
    for heading in (
        "run by",
        "whole hands",
        "tile recall",
        "face right",
        "median ms",
        "detect ms",
        "time against the first",
    ):
        result.add_column(heading, justify="left" if heading == "run by" else "right")
    first = next(iter(evaluations.values()))
    for name, found in evaluations.items():
        f = found.figures
        ratio = median(
            a.reading.timing.total / b.reading.timing.total
            for a, b in zip(found.outcomes, first.outcomes, strict=True)
        )
        rates = (
            f"{rate:.4f}" if rate is not None else "–" for rate in (f.recall, f.class_accuracy)
        )
        times = (f"{found.timing.total:.0f}", f"{found.timing.detect:.0f}", f"{ratio:.2f}")
        result.add_row(name, f"{f.hands_exact}/{f.hands}", *rates, *times)
    return result


def main() -> None:
    """Command line of this program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="labelled folder")
    parser.add_argument(
        "--scenes", type=Path, required=True, help="rendered scenes, for the ranges of 8-bit values"
    )
    parser.add_argument(
        "--public", type=Path, help="Python of the environment that has mahjong-detector"
    )
    parser.add_argument("--hands", action="store_true", help="only photos with whole-hand truth")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    photos = tuple(
        p for p in read_folder(options.folder) if p.hand is not None or not options.hands
    )
    with tempfile.TemporaryDirectory() as work, ExitStack() as stack:
        readers: dict[str, PhotoReader] = {
            name: Recogniser(detector)
            for name, detector in variants(options.scenes, Path(work)).items()
        }
        for reader in readers.values():
            reader.read_photo(photos[0].path.read_bytes(), "")
        if options.public is not None:
            readers["mahjong-detector (public)"] = stack.enter_context(
                public_reader(options.public)
            )
        evaluations = measure(readers, photos)
    Console(width=150).print(table(evaluations))
    if options.json is not None:
        found = {
            name: {**figures_json(e.figures), "median_ms": timing_json(e.timing)}
            for name, e in evaluations.items()
        }
        options.json.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
