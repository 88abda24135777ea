"""Finds the tiles of a picture with the first of the two networks, in one look or two.

What scores too low to be a tile by itself is kept apart where it lies beside one: a row may have
room for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.boxes import Letterbox, beside, several, suppress
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.types import FloatArray, Image


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """Numbers that belong to a set of weights and travel in its registry entry.

    Attributes:
        size: longer side of the detector's input in the first look, pixels.
        crop: side of the classifier's input in pixels.
        threshold: least score of a tile that shows its face.
        back: least score of a back; the detector is shy of backs.
        iou, inside: see `hupai.vision.detection.boxes.suppress`.
        temperature: divides the classifier's logits, so that its probabilities mean what they say.
        few: with fewer tiles than this a finer look follows.
        small, large: narrower or wider tiles than this (median, pixels on the detector's input) get
            a second look.
        ideal: width at which the second look shows them.
        most: longest side of the input of a second look.
        sure: a crop named with less than this probability is looked at again, turned by quarters.
        askew: rows that run at a larger angle than this to the picture's edges, radians, are turned
            upright and looked at again.
        common: tiles after which what the logits of a photo have in common is half believed, see
            `hupai.vision.detection.logit_bias`.
        low_confidence: least score of what is no tile by itself but may be one where a row has room for it.
    """

    size: int = 448
    crop: int = 80
    threshold: float = 0.35
    back: float = 0.15
    iou: float = 0.5
    inside: float = 0.8
    temperature: float = 1.0
    few: int = 5
    small: float = 24.0
    large: float = 80.0
    ideal: float = 30.0
    most: int = 1280
    sure: float = 0.98
    askew: float = 0.14
    common: float = 10.0
    low_confidence: float = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class BoxDetections:
    """What was found on a picture: boxes (n, 4), scores (n,) and the share of each score that
    speaks for a back (n,).

    Attributes:
        low_confidence: what scores too low to be a tile by itself; None where nothing was kept.
    """

    boxes: FloatArray
    scores: FloatArray
    backs: FloatArray
    low_confidence: BoxDetections | None = None

    def only(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> BoxDetections:
        """Those marked, shape (n,), or of these indices; `low_confidence` stays."""
        return replace(
            self, boxes=self.boxes[which], scores=self.scores[which], backs=self.backs[which]
        )

    def moved(self, by: NDArray[np.int_]) -> BoxDetections:
        """The same in the coordinates of the picture from which a part was cut at `by` (x, y)."""
        low_confidence = None if self.low_confidence is None else self.low_confidence.moved(by)
        return replace(
            self,
            boxes=self.boxes + np.tile(by, 2).astype(np.float32),
            low_confidence=low_confidence,
        )

    def trusted(self, share: float) -> BoxDetections:
        """The same with lower scores."""
        low_confidence = None if self.low_confidence is None else self.low_confidence.trusted(share)
        return replace(self, scores=self.scores * np.float32(share), low_confidence=low_confidence)

    def with_others(self, others: BoxDetections) -> BoxDetections:
        """These, and after them others of the same picture, without `low_confidence`."""
        return BoxDetections(
            np.concatenate([self.boxes, others.boxes]),
            np.concatenate([self.scores, others.scores]),
            np.concatenate([self.backs, others.backs]),
        )


class DetectorNetwork:
    """The network that finds tiles; may be shared between threads."""

    def __init__(self, network: Path, settings: DetectorSettings, threads: int = 0) -> None:
        """Open the network, see `hupai.vision.detection.two_stage.TwoStageDetector`."""
        self._network = open_network(network, threads)
        self._settings = settings

    def find(self, image: Image) -> BoxDetections:
        """The tiles of an RGB picture.

        The first look is coarse. Where it finds next to nothing a finer one follows; where the
        tiles it finds are smaller or larger than the detector likes them, their region is looked at
        once more at the size that suits it.
        """
        s = self._settings
        found = self._look(image, s.size)
        if len(found.boxes) < s.few:
            found = self._merge(found, self._look(image, 2 * s.size))
        if len(found.boxes) == 0:
            return found
        side = float(np.median((found.boxes[:, 2:] - found.boxes[:, :2]).min(1)))
        seen = side * s.size / max(image.shape[:2])
        if not s.small <= seen <= s.large:
            limit = np.array([image.shape[1], image.shape[0]])
            low = np.maximum(np.floor(found.boxes[:, :2].min(0) - 2 * side), 0).astype(int)
            high = np.minimum(np.ceil(found.boxes[:, 2:].max(0) + 2 * side), limit).astype(int)
            size = int(np.clip((high - low).max() * s.ideal / side, s.size // 2, s.most))
            closer = self._look(image[low[1] : high[1], low[0] : high[0]], size).moved(low)
            # Large tiles fall into parts in the coarse look: there the second look replaces the
            # first.
            found = closer if seen > s.large and len(closer.boxes) else self._merge(found, closer)
        low_confidence = found.low_confidence
        return (
            found
            if low_confidence is None
            else replace(
                found,
                low_confidence=low_confidence.only(
                    beside(low_confidence.boxes, low_confidence.scores, found.boxes)
                ),
            )
        )

    def _merge(self, first: BoxDetections, second: BoxDetections) -> BoxDetections:
        """Both looks in one, the second trusted more."""
        first = first.trusted(0.85)
        both = self._single(first.with_others(second))
        kept = [look.low_confidence for look in (first, second) if look.low_confidence is not None]
        return both if len(kept) < 2 else replace(both, low_confidence=kept[0].with_others(kept[1]))

    def _look(self, image: Image, size: int) -> BoxDetections:
        """One pass of the detector over a picture whose longer side is brought to `size` pixels."""
        s = self._settings
        box = Letterbox.of(image, size)
        (raw,) = self._network.run(None, {"images": box.pixels})
        columns = raw[0]
        columns = columns[:, columns[4:].max(0) >= s.low_confidence]
        scores = columns[4:].max(0)
        centre, half = columns[:2].T, columns[2:4].T / 2
        boxes = (np.concatenate([centre - half, centre + half], 1) / box.scale).astype(np.float32)
        backs = (columns[5] / np.maximum(columns[4] + columns[5], 1e-6)).astype(np.float32)
        boxes = np.clip(boxes, 0, np.array([image.shape[1], image.shape[0]] * 2, np.float32))
        every = BoxDetections(boxes, scores.astype(np.float32), backs)
        firm = (scores >= s.threshold * 0.6) | (columns[5] >= s.back * 0.8)
        found = every.only(firm)
        found = found.only(~several(found.boxes, found.scores, s.iou, s.inside))
        return replace(self._single(found), low_confidence=every.only(~firm))

    def _single(self, found: BoxDetections) -> BoxDetections:
        """One box a tile."""
        return found.only(
            suppress(found.boxes, found.scores, self._settings.iou, self._settings.inside)
        )
