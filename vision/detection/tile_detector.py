"""The first network: it finds the boxes of tiles, in one pass or several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.directions import half_axes
from hupai.vision.detection.onnx_session import Network
from hupai.vision.detection.picture import FILL, Picture, Region
from hupai.vision.detection.suppression import suppress
from hupai.vision.geometry.boxes import clipped, sizes
from hupai.vision.geometry.row_edges import completed
from hupai.vision.types import FloatArray

STRIDE = 32
"""The sides of the network's input are multiples of this, pixels."""

_FINER = 2
"""Factor of the input size of a second pass over a picture with few tiles."""

_REGION_MARGIN = 2
"""Space around the tiles in a second pass over their region, median tile widths."""

_COARSE_TRUST = 0.85
"""Factor by which the scores of a pass are lowered when it is merged with a closer one."""

_PRINT = 2.0
"""Ratio of the weighted to the plain median width above which most boxes show print, not tiles."""

_HALF = 1.3
"""Factor from which a box is extended so much that only its neighbours show the direction."""

_EARLY = 0.6
"""Share of the least score of a tile from which a box is named, as naming may raise its score."""


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """Numbers that belong to a set of weights and are stored in its registry entry.

    Attributes:
        size: longer side of the detector's input in the first pass, pixels.
        crop: side of the classifier's input, pixels.
        threshold: least score of a tile that shows its face.
        back: least score of a back; the detector scores backs low.
        iou, inside: see `hupai.vision.detection.suppression.suppress`.
        temperature: divides the classifier's logits to calibrate its probabilities.
        few: with fewer tiles than this a finer pass follows.
        small: narrower tiles than this (median, pixels of the detector's input) get a second pass.
        ideal: width of tiles in the second pass, pixels of the detector's input.
        most: longest side of the input of a second pass, pixels.
        sure: a crop whose face is less probable than this is classified again, upright and upside
            down.
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
    ideal: float = 30.0
    most: int = 1280
    sure: float = 0.98


@dataclass(frozen=True, slots=True, eq=False)
class Letterbox:
    """A picture at a network's input size, padded with grey on the right and at the bottom.

    Attributes:
        pixels: float32 RGB from 0 to 1, shape (1, 3, height, width), sides multiples of `STRIDE`.
        scale: network pixels per picture pixel, the same both ways.
    """

    pixels: FloatArray
    scale: float

    @classmethod
    def of(cls, picture: Picture, longest: int, region: Region | None = None) -> Letterbox:
        """Scale the longer side of a region, or of the whole picture, to `longest` pixels."""
        x0, y0, x1, y1 = region or (0, 0, *picture.size)
        scale = longest / max(x1 - x0, y1 - y0)
        width, height = max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale))
        part = picture.cut(np.array([(x0, y0, x1, y1)]), (width, height))[0]
        padded = (-(-height // STRIDE) * STRIDE, -(-width // STRIDE) * STRIDE)
        pixels = np.full((1, 3, *padded), np.float32(FILL) / np.float32(255))
        for plane, colour in zip(pixels[0], cv2.split(part), strict=True):
            np.divide(colour, np.float32(255), out=plane[:height, :width])
        return cls(pixels, scale)


@dataclass(frozen=True, slots=True, eq=False)
class BoxDetections:
    """Boxes of tiles that are not named yet.

    Attributes:
        boxes: shape (n, 4), pixels.
        scores: shape (n,).
        backs: shape (n,), the share of each score that speaks for a back.
        half_axes: shape (n, 2, 2), see `hupai.vision.detection.directions`; None from a network
            that does not estimate directions.
    """

    boxes: FloatArray
    scores: FloatArray
    backs: FloatArray
    half_axes: FloatArray | None = None

    def only(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> BoxDetections:
        """Select by a mask (n,) or by indices."""
        axes = None if self.half_axes is None else self.half_axes[which]
        return BoxDetections(self.boxes[which], self.scores[which], self.backs[which], axes)

    def with_others(self, others: BoxDetections) -> BoxDetections:
        """Append others of the same network."""
        axes = None
        if self.half_axes is not None and others.half_axes is not None:
            axes = np.concatenate([self.half_axes, others.half_axes])
        return BoxDetections(
            np.concatenate([self.boxes, others.boxes]),
            np.concatenate([self.scores, others.scores]),
            np.concatenate([self.backs, others.backs]),
            axes,
        )

    def completed(self) -> BoxDetections:
        """Extend boxes that are shorter than their rows; the same object if there are none."""
        boxes, neighbours = completed(self.boxes, self.backs < 0.5)
        (extended,) = np.nonzero(neighbours >= 0)
        if not len(extended):
            return self
        if self.half_axes is None:
            return replace(self, boxes=boxes)
        # Half a tile has another direction than the whole one.
        axes, grown = self.half_axes.copy(), sizes(boxes[extended]) / sizes(self.boxes[extended])
        source = np.where(grown.max(1) > _HALF, neighbours[extended], extended)
        size = sizes(boxes[extended]) / sizes(self.boxes[source])
        axes[extended] = self.half_axes[source] * size[:, None]
        return replace(self, boxes=boxes, half_axes=axes)

    def least(self, settings: DetectorSettings) -> FloatArray:
        """Return the score (n,) from which each counts as a tile."""
        return _least(self.backs, settings)


class DetectorNetwork:
    """The network that finds the boxes of tiles; threads may share it."""

    def __init__(self, network: Network, settings: DetectorSettings) -> None:
        """Find tiles with this network and the numbers that go with it.

        Args:
            network: input (1, 3, h, w), RGB from 0 to 1; output (1, 12, n): centre, size, score of
                a face, score of a back, and six numbers of `hupai.vision.detection.directions`,
                which may be missing.
            settings: numbers that go with it.
        """
        self._network, self._settings = network, settings

    def find(self, picture: Picture, width: float | None = None) -> BoxDetections:
        """Find the tiles of a picture, in as many `passes` as it needs.

        One pass is enough if the width of the tiles, pixels, is known.
        """
        if width is None:
            *_, (found, _) = self.passes(picture, self.coarse(picture))
            return found
        return self._pass(picture, self._ideal_size(max(picture.size), width))

    def coarse(self, picture: Picture) -> BoxDetections:
        """Find the larger tiles of a picture, in a pass at the network's basic input size.

        If it finds next to nothing, it is merged with a finer pass.
        """
        s = self._settings
        found = self._pass(picture, s.size)
        if len(found.boxes) < s.few:
            found = self._merged(found, self._pass(picture, _FINER * s.size))
        return found

    def passes(
        self, picture: Picture, coarse: BoxDetections
    ) -> Iterator[tuple[BoxDetections, bool]]:
        """Yield what is found up to and including each pass, and whether it is the last.

        After the coarse pass, if the tiles are small, a pass over their region follows, at the size
        that suits the network.
        """
        s, found = self._settings, coarse
        width = _tile_width(found) if len(found.boxes) else np.nan
        small = width * s.size / max(picture.size) < s.small
        yield found, not small
        if small:
            yield self._merged(found, self._pass_over_region(picture, found.boxes, width)), True

    def _ideal_size(self, side: float, width: float) -> int:
        """Return the input size for a picture's longer side that shows such tiles well."""
        s = self._settings
        return int(np.clip(side * s.ideal / width, s.size // 2, s.most))

    def _pass_over_region(self, picture: Picture, boxes: FloatArray, width: float) -> BoxDetections:
        """Run a pass over the region of tiles with these boxes and median width, at ideal size."""
        margin = _REGION_MARGIN * width
        low = np.maximum(np.floor(boxes[:, :2].min(0) - margin), 0).astype(int)
        high = np.minimum(np.ceil(boxes[:, 2:].max(0) + margin), picture.size).astype(int)
        size = self._ideal_size(float((high - low).max()), width)
        return self._pass(picture, size, (*low.tolist(), *high.tolist()))

    def _pass(self, picture: Picture, size: int, region: Region | None = None) -> BoxDetections:
        """Run the network over a region whose longer side is scaled to `size` pixels."""
        s, letterbox = self._settings, Letterbox.of(picture, size, region)
        (raw,) = self._network.run(None, {"images": letterbox.pixels})
        face, back = raw[0, 4:6]
        scores, backs = np.maximum(face, back), back / np.maximum(face + back, 1e-6)
        early = np.nonzero(scores >= _EARLY * _least(backs, s))[0]
        x, y, wide, high, _, _, *numbers = raw[0][:, early]
        half = np.stack([wide, high], 1) / 2
        middle = np.stack([x, y], 1)
        boxes = np.concatenate([middle - half, middle + half], 1) / np.float32(letterbox.scale)
        x0, y0, x1, y1 = region or (0, 0, *picture.size)
        boxes = clipped(boxes, x1 - x0, y1 - y0) + np.array([x0, y0, x0, y0])
        boxes = boxes.astype(np.float32)
        axes = half_axes(np.stack(numbers, 1), boxes).astype(np.float32) if numbers else None
        found = BoxDetections(boxes, scores[early], backs[early], axes)
        # What lies in the padding has no area on the picture, and no width to scale a region by.
        distinct = self._distinct(found.only(sizes(boxes).min(1) > 0))
        whole = distinct.completed()
        if whole is distinct:
            return distinct
        within = clipped(whole.boxes, *picture.size).astype(np.float32)
        return self._distinct(replace(whole, boxes=within))

    def _merged(self, coarse: BoxDetections, closer: BoxDetections) -> BoxDetections:
        """Merge two passes, trusting the closer one more."""
        trusted = replace(coarse, scores=coarse.scores * np.float32(_COARSE_TRUST))
        return self._distinct(trusted.with_others(closer))

    def _distinct(self, found: BoxDetections) -> BoxDetections:
        """Keep one box of each tile."""
        s = self._settings
        return found.only(suppress(found.boxes, found.scores, s.iou, s.inside))


def _least(backs: FloatArray, settings: DetectorSettings) -> FloatArray:
    """Return the score (n,) from which a box with such a share of a back counts as a tile."""
    return np.where(backs > 0.5, settings.back, settings.threshold).astype(np.float32)


def _tile_width(found: BoxDetections) -> float:
    """Return the median width of the tiles with these boxes.

    The network may find more characters of a newspaper than tiles, but their boxes are smaller and
    score lower. If the median weighted by score and area is much greater, it is returned instead.
    """
    side = sizes(found.boxes)
    width, weight = side.min(1), found.scores * side.prod(1)
    order = np.argsort(width)
    total = np.cumsum(weight[order])
    median = float(np.median(width))
    weighted = float(width[order][np.searchsorted(total, total[-1] / 2)])
    return weighted if weighted > _PRINT * median else median
