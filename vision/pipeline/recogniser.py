"""A photo's bytes to a reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.result import RuleSet
from hupai.vision.detection.suppression import with_low_confidence
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Layout
from hupai.vision.photo.decode import DEFAULT_LIMITS, Limits, Photo, decode
from hupai.vision.pipeline.several_photos import merge
from hupai.vision.protocols import RegionClassifier, TileDetector
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, FloatArray, ModelInfo, PhotoInfo, PhotoReading, Timing

ENOUGH = 1600
"""Pixels of a photo's longer side that suffice to read it; larger JPEGs are decoded at a fraction
of their size, for speed.
"""
_ROUNDS = 3
"""So often it is asked at most what lies at places of a photo: beside a tile that was overlooked
another may lie.
"""
_SAME = 0.2
"""Places nearer to each other than this, in shorter sides, are asked about once."""


class Recogniser:
    """Reads photos with one detector. It keeps no state between photos: threads may share it if
    they may share the detector.
    """

    def __init__(self, detector: TileDetector, *, limits: Limits = DEFAULT_LIMITS) -> None:
        """Read with this detector; `limits` says which files are accepted."""
        self._detector = detector
        self._limits = limits

    @property
    def detector(self) -> TileDetector:
        """What finds and names the tiles."""
        return self._detector

    def using(self, detector: TileDetector) -> Recogniser:
        """The same with another detector, such as one that knows a tile set."""
        return Recogniser(detector, limits=self._limits)

    @property
    def model(self) -> ModelInfo:
        """Which weights read."""
        return self._detector.info

    def read_photo(
        self,
        data: bytes,
        name: str = "",
        rules: RuleSet | None = None,
        point: tuple[float, float] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        """Read a photo.

        Args:
            data: the whole file, JPEG, PNG, WebP or HEIC.
            name: path or upload name, for the answer and for messages.
            rules: rules in play, if known: kinds they do not use become unlikely, and melds are
                expected as they lay them.
            point: a place on the hand that is meant, pixels of the upright photo, where several
                hands are on it.
            on_stage: is told each stage as it begins: decode, detect, layout, read.

        Raises:
            hupai.vision.photo.decode.PhotoError: when the bytes are no photo. Whatever a photo
            shows, it gives a reading.
        """
        begin = on_stage or _unwatched
        clock = _Clock()
        photo, layout, spent = self._look(data, name, rules, point, begin, clock)
        begin("read")
        reading = read(layout, rules)
        timing = Timing(*spent, clock.lap(), clock.total())
        model = replace(self.model, tile_set=layout.detections.tile_set)
        return PhotoReading(photo, model, reading, timing, layout.detections)

    def read_photos(
        self,
        photos: Sequence[tuple[bytes, str]],
        rules: RuleSet | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        """Read several photos of one hand together (`hupai.vision.pipeline.several_photos`); one
        photo alone is read as `read_photo` does.

        Args:
            photos: bytes and name of each.
            rules, on_stage: as in `read_photo`.

        Raises:
            hupai.vision.photo.decode.PhotoError: when one of them is no photo.
            ValueError: when there is none.
        """
        if not photos:
            raise ValueError("give at least one photo")
        if len(photos) == 1:
            return self.read_photo(*photos[0], rules, on_stage=on_stage)
        begin = on_stage or _unwatched
        clock = _Clock()
        seen = [self._look(data, name, rules, None, begin, clock) for data, name in photos]
        begin("read")
        reading = merge([layout for _, layout, _ in seen], rules).reading
        decoded, detected, arranged = (
            sum(spent[stage] for _, _, spent in seen) for stage in range(3)
        )
        timing = Timing(decoded, detected, arranged, clock.lap(), clock.total())
        infos = tuple(info for info, _, _ in seen)
        tile_set = next(
            (layout.detections.tile_set for _, layout, _ in seen if layout.detections.tile_set),
            None,
        )
        return PhotoReading(
            infos[0], replace(self.model, tile_set=tile_set), reading, timing, photos=infos
        )

    def _look(
        self,
        data: bytes,
        name: str,
        rules: RuleSet | None,
        point: tuple[float, float] | None,
        begin: Callable[[str], None],
        clock: _Clock,
    ) -> tuple[PhotoInfo, Layout, tuple[float, float, float]]:
        """A photo up to its layout, with the milliseconds of decoding, detecting, arranging."""
        begin("decode")
        photo = decode(data, name, self._limits, ENOUGH)
        decoded = clock.lap()
        begin("detect")
        detections = self._detector.detect(photo.image).scaled(photo.reduction)
        detected = clock.lap()
        begin("layout")
        layout = layout_with_recovery(
            self._asked(photo),
            detections,
            (photo.width, photo.height),
            rules.id if rules else None,
            point,
        )
        return _info(photo), layout, (decoded, detected, clock.lap())

    def _asked(self, photo: Photo) -> Callable[[FloatArray], Detections] | None:
        """What is at places of a photo, boxes (n, 4) in its own pixels; None where the detector
        cannot tell.
        """
        detector = self._detector
        if not isinstance(detector, RegionClassifier):
            return None
        return lambda boxes: detector.classify_boxes(
            photo.image, boxes / np.float32(photo.reduction)
        ).scaled(photo.reduction)


def layout_with_recovery(
    asked: Callable[[FloatArray], Detections] | None,
    detections: Detections,
    size: tuple[int, int],
    rules: str | None = None,
    point: tuple[float, float] | None = None,
) -> Layout:
    """The layout of a photo; where the hand is not complete, with what is found on another look at
    the places where a tile may have been overlooked.

    Args:
        asked: what is at places of the photo, boxes (n, 4); None where nobody can tell.
        detections, size, rules, point: as for `hupai.vision.layout.arrange.arrange`.
    """
    layout = arrange(detections, size, rules, point)
    known = np.zeros((0, 4), np.float32)
    for _ in range(_ROUNDS if asked is not None else 0):
        places = layout.missing_tile_boxes[~_near(layout.missing_tile_boxes, known)]
        if asked is None or len(places) == 0 or len(more := asked(places)) == 0:
            break
        known = np.concatenate([known, places])
        detections = with_low_confidence(detections, more)
        layout = arrange(detections, size, rules, point)
    return layout


def _near(boxes: FloatArray, others: FloatArray) -> NDArray[np.bool_]:
    """Which boxes (n, 4) lie almost where one of some others (m, 4) does."""
    if len(others) == 0:
        return np.zeros(len(boxes), bool)
    middles, taken = ((b[:, :2] + b[:, 2:]) / 2 for b in (boxes, others))
    away = np.linalg.norm(middles[:, None] - taken[None], axis=2).min(1)
    return np.asarray(away < _SAME * (boxes[:, 2:] - boxes[:, :2]).min(1))


def _info(photo: Photo) -> PhotoInfo:
    return PhotoInfo(photo.name, photo.sha256, photo.width, photo.height)


def _unwatched(_stage: str) -> None:
    """For readings that nobody watches."""


class _Clock:
    """Milliseconds since the last lap and in all."""

    def __init__(self) -> None:
        self._start = self._last = perf_counter()

    def lap(self) -> float:
        now = perf_counter()
        passed, self._last = now - self._last, now
        return passed * 1000

    def total(self) -> float:
        return (self._last - self._start) * 1000
