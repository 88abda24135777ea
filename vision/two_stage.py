"""The detector of the product: one network finds tiles, a second one names each of them from a crop of the full photo.

Two stages because a crop keeps the photo's full resolution however small the tile is on the detector's input, because a crop
classifier learns
a new tile set from few pictures, and because it gives a whole class distribution for each tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from scoring.tiles import Tile
from vision.boxes import Letterbox, suppress
from vision.crops import cut_square
from vision.types import Detections, FloatArray, Image, ModelInfo

FACES = 43
"""Classes that travel on: 42 faces and the back. The classifier's 44th output is "no tile"."""


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """Numbers that belong to a set of weights and travel in its registry entry.

    Attributes:
        size: longer side of the detector's input in pixels.
        crop: side of the classifier's input in pixels.
        threshold: least score of a tile.
        iou, inside: see `vision.boxes.suppress`.
        temperature: divides the classifier's logits, so that its probabilities mean what they say.
        small: where the median tile is narrower than this on the detector's input, the hand's region is looked at a second time,
            closer.
        turned: also ask the classifier for the crop turned by half and take the mean.
    """

    size: int = 640
    crop: int = 80
    threshold: float = 0.35
    iou: float = 0.5
    inside: float = 0.8
    temperature: float = 1.0
    small: float = 22.0
    turned: bool = True


class TwoStageDetector:
    """Runs both networks with ONNX Runtime; may be shared between threads."""

    def __init__(self, detector: Path, classifier: Path, info: ModelInfo, settings: DetectorSettings, threads: int = 0) -> None:
        """Open the networks.

        Args:
            detector: ONNX file; input (1, 3, h, w) RGB from 0 to 1, output (1, 6, n): centre, size, score of a face, score of a
                back.
            classifier: ONNX file; input (n, 3, crop, crop), outputs logits (n, 44) and axis (n, 2).
            info: what to say about the weights.
            settings: numbers that go with them.
            threads: of ONNX Runtime, 0 leaves the choice to it.

        Raises:
            onnxruntime.capi.onnxruntime_pybind11_state.Fail: when a file is no ONNX model; `models.registry` checks hashes first.
        """
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        providers = ["CPUExecutionProvider"]
        self._detector = ort.InferenceSession(str(detector), options, providers=providers)
        self._classifier = ort.InferenceSession(str(classifier), options, providers=providers)
        self._info, self._settings = info, settings

    @property
    def info(self) -> ModelInfo:
        """Which weights answer."""
        return self._info

    def detect(self, image: Image) -> Detections:
        """Find and name the tiles of an upright RGB photo."""
        boxes, scores, backs = self.find(image)
        return self.name(image, boxes, scores, backs)

    def find(self, image: Image) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Boxes (n, 4), scores (n,) and the share of the score that speaks for a back (n,); a second, closer look where tiles are
        small."""
        boxes, scores, backs = self._look(image)
        if len(boxes) == 0:
            return boxes, scores, backs
        scale = self._settings.size / max(image.shape[:2])
        side = float(np.median((boxes[:, 2:] - boxes[:, :2]).min(1)))
        if side * scale >= self._settings.small:
            return boxes, scores, backs
        margin = 2.0 * side
        low = np.maximum(np.floor(boxes[:, :2].min(0) - margin), 0).astype(int)
        high = np.minimum(np.ceil(boxes[:, 2:].max(0) + margin), (image.shape[1], image.shape[0])).astype(int)
        parts = _windows(low, high, int(self._settings.size * side / (1.6 * self._settings.small)))
        found = [(boxes, scores * np.float32(0.9), backs)]
        for x0, y0, x1, y1 in parts:
            b, s, k = self._look(image[y0:y1, x0:x1])
            if len(b):
                found.append((b + np.array([x0, y0, x0, y0], np.float32), s * _edge_weight(b, (x1 - x0, y1 - y0)), k))
        boxes, scores, backs = (np.concatenate(column) for column in zip(*found, strict=True))
        keep = suppress(boxes, scores, self._settings.iou, self._settings.inside)
        return boxes[keep], scores[keep], backs[keep]

    def name(self, image: Image, boxes: FloatArray, scores: FloatArray, backs: FloatArray) -> Detections:
        """Class distribution and axis of each box, from crops of the full photo; what the classifier takes for no tile loses its
        score."""
        if len(boxes) == 0:
            return Detections.empty()
        size = self._settings.crop
        crops = np.stack([cut_square(image, box, size) for box in boxes]).transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
        logits, axis = self._classify(crops)
        shares = _softmax(logits / self._settings.temperature)
        faces = shares[:, :FACES]
        # The detector sees backs too, with their surroundings: its opinion counts as a second witness.
        faces[:, Tile.BACK] = faces[:, Tile.BACK] * 0.5 + 0.5 * np.minimum(backs, 1.0) * faces.sum(1)
        tile = faces.sum(1)
        probabilities = faces / np.maximum(tile[:, None], 1e-6)
        axes = (np.arctan2(axis[:, 1], axis[:, 0]) / 2) % np.pi
        axes[np.hypot(axis[:, 0], axis[:, 1]) < 0.35] = np.nan
        both = (scores * np.minimum(1.0, tile * 1.25)).astype(np.float32)
        keep = both >= self._settings.threshold
        return Detections(
            boxes[keep].astype(np.float32), both[keep], probabilities[keep].astype(np.float32), axes[keep].astype(np.float32)
        )

    def _classify(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        logits, axis = self._classifier.run(None, {"crops": crops})
        if self._settings.turned:
            turned, axis2 = self._classifier.run(None, {"crops": np.ascontiguousarray(crops[:, :, ::-1, ::-1])})
            logits, axis = (logits + turned) / 2, (axis + axis2) / 2
        return logits, axis

    def _look(self, image: Image) -> tuple[FloatArray, FloatArray, FloatArray]:
        """One pass of the detector over a picture."""
        box = Letterbox.of(image, self._settings.size)
        (raw,) = self._detector.run(None, {"images": box.pixels})
        columns = raw[0]
        scores = columns[4:].max(0)
        keep = scores >= self._settings.threshold * 0.6
        columns, scores = columns[:, keep], scores[keep]
        centre, half = columns[:2].T, columns[2:4].T / 2
        boxes = (np.concatenate([centre - half, centre + half], 1) / box.scale).astype(np.float32)
        backs = (columns[5] / np.maximum(columns[4] + columns[5], 1e-6)).astype(np.float32)
        limit = np.array([image.shape[1], image.shape[0]] * 2, np.float32)
        boxes = np.clip(boxes, 0, limit)
        kept = suppress(boxes, scores, self._settings.iou, self._settings.inside)
        return boxes[kept], scores[kept].astype(np.float32), backs[kept]


def _windows(low: NDArray[np.int_], high: NDArray[np.int_], side: int) -> list[tuple[int, int, int, int]]:
    """Overlapping windows of about `side` pixels that cover a region, at most 12."""
    side = max(side, 64)
    size = high - low
    counts = np.minimum(np.maximum(np.ceil(size / (side * 0.8)), 1), 6).astype(int)
    while counts[0] * counts[1] > 12:
        counts[int(np.argmax(counts))] -= 1
    steps = size / counts
    pad = np.minimum(steps * 0.12, side * 0.12)
    windows = []
    for j in range(int(counts[1])):
        for i in range(int(counts[0])):
            a = np.maximum(np.floor(low + steps * (i, j) - pad), low).astype(int)
            b = np.minimum(np.ceil(low + steps * (i + 1, j + 1) + pad), high).astype(int)
            if (b - a).min() > 8:
                windows.append((int(a[0]), int(a[1]), int(b[0]), int(b[1])))
    return windows


def _edge_weight(boxes: FloatArray, size: tuple[int, int]) -> FloatArray:
    """Less trust in boxes that touch the edge of a window: the tile may go on beyond it."""
    touches = (boxes[:, 0] < 2) | (boxes[:, 1] < 2) | (boxes[:, 2] > size[0] - 2) | (boxes[:, 3] > size[1] - 2)
    return np.where(touches, 0.6, 1.0).astype(np.float32)


def _softmax(logits: FloatArray) -> FloatArray:
    shifted = logits - logits.max(1, keepdims=True)
    e = np.exp(shifted)
    out: FloatArray = e / e.sum(1, keepdims=True)
    return out
