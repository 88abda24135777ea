"""The first of the two networks: it finds the boxes of tiles, in one pass or several.

What scores too low to be a tile by itself is kept apart where it lies beside one, to complete a
hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.crops import FILL
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.suppression import beside, suppress
from hupai.vision.geometry.boxes import around, clipped, sizes
from hupai.vision.types import FloatArray, Image

STRIDE = 32
"""The sides of the network's input are multiples of this, pixels."""

_FINER = 2
"""Factor of the input size of a second pass over a picture with few tiles."""

_FIRST_PASS_TRUST = 0.85
"""Factor of the scores of a pass that a finer one followed."""

_REGION_MARGIN = 2
"""Space around the tiles when their region is passed over again, median tile widths."""

_ROWS_WITH_ANGLE = 7
"""Rows of the output of a network that tells the angles of tiles."""

_EARLY_FACE, _EARLY_BACK = 0.6, 0.8
"""Shares of the score thresholds below which boxes are low-confidence from the start."""


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """Numbers that belong to a set of weights and travel in its registry entry.

    Attributes:
        size: longer side of the detector's input in the first pass, pixels.
        crop: side of the classifier's input, pixels.
        threshold: least score of a tile that shows its face.
        back: least score of a back; the detector scores backs low.
        iou, inside: see `hupai.vision.detection.suppression.suppress`.
        temperature: divides the classifier's logits to calibrate its probabilities.
        few: with fewer tiles than this a finer pass follows.
        small, large: narrower or wider tiles than this (median, pixels of the detector's input) get
            a second pass.
        ideal: width of tiles in the second pass, pixels of the detector's input.
        most: longest side of the input of a second pass, pixels.
        sure: a crop named with less probability than this is classified again, turned by quarters.
        common: tiles at which the common bias of a photo's logits is shrunk by half, see
            `hupai.vision.detection.logit_bias`.
        low_confidence: least score of a low-confidence box.
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
    common: float = 10.0
    low_confidence: float = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class Letterbox:
    """A picture at a network's input size, padded with grey at right and below.

    Attributes:
        pixels: float32 RGB from 0 to 1, shape (1, 3, height, width), sides multiples of `STRIDE`.
        scale: network pixels per picture pixel, the same both ways.
    """

    pixels: FloatArray
    scale: float

    @classmethod
    def of(cls, image: Image, longest: int) -> Letterbox:
        """Bring the longer side to `longest` pixels, up or down."""
        height, width = image.shape[:2]
        scale = longest / max(height, width)
        new_w, new_h = max(1, round(width * scale)), max(1, round(height * scale))
        method = cv2.INTER_AREA if new_w < image.shape[1] else cv2.INTER_LINEAR
        small = cv2.resize(image, (new_w, new_h), interpolation=method)
        padded = (-(-new_h // STRIDE) * STRIDE, -(-new_w // STRIDE) * STRIDE)
        pixels = np.full((1, 3, *padded), np.float32(FILL) / np.float32(255))
        np.divide(small.transpose(2, 0, 1), np.float32(255), out=pixels[0, :, :new_h, :new_w])
        return cls(pixels, scale)


@dataclass(frozen=True, slots=True, eq=False)
class BoxDetections:
    """Boxes of tiles that are not named yet.

    Attributes:
        boxes: shape (n, 4), pixels.
        scores: shape (n,).
        backs: shape (n,), the share of each score that speaks for a back.
        low_confidence: what scores too low to be a tile by itself; None where nothing was kept.
        quads: shape (n, 4, 2), corners in order round the tile, from any; None from a network that
            gives upright boxes.
    """

    boxes: FloatArray
    scores: FloatArray
    backs: FloatArray
    low_confidence: BoxDetections | None = None
    quads: FloatArray | None = None

    def only(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> BoxDetections:
        """Select by a mask (n,) or by indices; `low_confidence` stays."""
        return replace(
            self,
            boxes=self.boxes[which],
            scores=self.scores[which],
            backs=self.backs[which],
            quads=None if self.quads is None else self.quads[which],
        )

    def moved(self, by: NDArray[np.int_]) -> BoxDetections:
        """Move all boxes by (x, y), pixels."""
        low = None if self.low_confidence is None else self.low_confidence.moved(by)
        step = by.astype(np.float32)
        quads = None if self.quads is None else self.quads + step
        return replace(self, boxes=self.boxes + np.tile(step, 2), quads=quads, low_confidence=low)

    def trusted(self, share: float) -> BoxDetections:
        """Multiply all scores by `share`."""
        low = None if self.low_confidence is None else self.low_confidence.trusted(share)
        return replace(self, scores=self.scores * np.float32(share), low_confidence=low)

    def with_others(self, others: BoxDetections) -> BoxDetections:
        """Append others of the same picture, without `low_confidence` of either."""
        return BoxDetections(
            np.concatenate([self.boxes, others.boxes]),
            np.concatenate([self.scores, others.scores]),
            np.concatenate([self.backs, others.backs]),
            quads=None
            if self.quads is None or others.quads is None
            else np.concatenate([self.quads, others.quads]),
        )


class DetectorNetwork:
    """The network that finds the boxes of tiles; threads may share it."""

    tells_corners: bool = False
    """Whether it finds tiles at any angle, with `BoxDetections.quads`."""

    def __init__(
        self,
        network: Path,
        settings: DetectorSettings,
        threads: int = 0,
        providers: str | None = None,
    ) -> None:
        """Open the network.

        Args:
            network: ONNX file; input (1, 3, h, w) RGB from 0 to 1, output (1, 6, n): centre, size,
                score of a face, score of a back; or (1, 7, n): the angle of the first side too,
                radians clockwise from the x axis.
            settings: numbers that go with it.
            threads, providers: see `hupai.vision.detection.onnx_session.open_network`.
        """
        self._network = open_network(network, threads, providers)
        self.tells_corners = self._network.get_outputs()[0].shape[1] == _ROWS_WITH_ANGLE
        self._settings = settings

    def find(self, image: Image, width: float | None = None) -> BoxDetections:
        """Find the tiles of an RGB picture, in all `passes`.

        Args:
            image: the picture.
            width: of the tiles, pixels, if known: then one pass is enough.
        """
        if width is None:
            *_, (found, _) = self.passes(image)
            return found
        return _tidied(self._pass(image, self._ideal_size(max(image.shape[:2]), width)))

    def passes(self, image: Image) -> Iterator[tuple[BoxDetections, bool]]:
        """Yield what is found in each pass with those before it, and whether it is the last.

        The first pass is coarse. Where it finds next to nothing a finer one follows at once. Tiles
        larger than the network likes them fall into parts there, so one pass over their region at
        the size that suits it replaces the coarse one; for smaller tiles such a pass follows.
        """
        s = self._settings
        found = self._pass(image, s.size)
        if len(found.boxes) < s.few:
            found = self._merge(found, self._pass(image, _FINER * s.size))
        width = float(np.median(sizes(found.boxes).min(1))) if len(found.boxes) else np.nan
        on_input = width * s.size / max(image.shape[:2])
        if on_input > s.large:
            closer = self._pass_over_region(image, found.boxes, width)
            found = closer if len(closer.boxes) else self._merge(found, closer)
        yield _tidied(found), not on_input < s.small
        if on_input < s.small:
            closer = self._pass_over_region(image, found.boxes, width)
            yield _tidied(self._merge(found, closer)), True

    def _ideal_size(self, side: float, width: float) -> int:
        """Return the input size for a picture's longer side that shows such tiles well."""
        s = self._settings
        return int(np.clip(side * s.ideal / width, s.size // 2, s.most))

    def _pass_over_region(self, image: Image, boxes: FloatArray, width: float) -> BoxDetections:
        """Pass over the region of tiles with these boxes and median width at the ideal size."""
        limit = np.array([image.shape[1], image.shape[0]])
        margin = _REGION_MARGIN * width
        low = np.maximum(np.floor(boxes[:, :2].min(0) - margin), 0).astype(int)
        high = np.minimum(np.ceil(boxes[:, 2:].max(0) + margin), limit).astype(int)
        size = self._ideal_size(float((high - low).max()), width)
        return self._pass(image[low[1] : high[1], low[0] : high[0]], size).moved(low)

    def _merge(self, first: BoxDetections, second: BoxDetections) -> BoxDetections:
        """Merge two passes, the second trusted more."""
        s, first = self._settings, first.trusted(_FIRST_PASS_TRUST)
        both = first.with_others(second)
        both = both.only(suppress(both.boxes, both.scores, s.iou, s.inside))
        if first.low_confidence is None or second.low_confidence is None:
            return both
        return replace(both, low_confidence=first.low_confidence.with_others(second.low_confidence))

    def _pass(self, image: Image, size: int) -> BoxDetections:
        """Run the network over a picture whose longer side is brought to `size` pixels."""
        s = self._settings
        letterbox = Letterbox.of(image, size)
        (raw,) = self._network.run(None, {"images": letterbox.pixels})
        columns = raw[0]
        columns = columns[:, columns[4:6].max(0) >= s.low_confidence]
        face, back = columns[4], columns[5]
        scores = columns[4:6].max(0)
        angles = columns[6] if len(columns) > 6 else np.zeros(columns.shape[1], np.float32)
        quads = (_rectangles(columns, angles) / letterbox.scale).astype(np.float32)
        every = BoxDetections(
            clipped(around(quads), image.shape[1], image.shape[0]),
            scores.astype(np.float32),
            (back / np.maximum(face + back, 1e-6)).astype(np.float32),
            quads=quads if len(columns) > 6 else None,
        )
        firm = (scores >= s.threshold * _EARLY_FACE) | (back >= s.back * _EARLY_BACK)
        # What lies in the padding has no area on the picture, and no width to scale a region by.
        on_picture = sizes(every.boxes).min(1) > 0
        found = every.only(firm & on_picture)
        found = found.only(suppress(found.boxes, found.scores, s.iou, s.inside))
        return replace(found, low_confidence=every.only(~firm & on_picture))


def _tidied(found: BoxDetections) -> BoxDetections:
    """Keep of the low-confidence boxes those beside a tile."""
    low = found.low_confidence
    if low is None or len(found.boxes) == 0:
        return found
    return replace(found, low_confidence=low.only(beside(low.boxes, low.scores, found.boxes)))


def _rectangles(columns: FloatArray, angles: FloatArray) -> FloatArray:
    """Return the corners (n, 4, 2) of rectangles, from rows of centre and size and angles (n,)."""
    c, s = np.cos(angles), np.sin(angles)
    along, across = np.stack([c, s], 1) * columns[2, :, None], np.stack([-s, c], 1)
    across = across * columns[3, :, None]
    corners = [x * along + y * across for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return (columns[:2].T[:, None] + np.stack(corners, 1) / 2).astype(np.float32)
