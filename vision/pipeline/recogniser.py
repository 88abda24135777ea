"""Reads photos from their files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.result import RuleSet
from hupai.vision.detection.suppression import with_low_confidence
from hupai.vision.geometry.boxes import centres, distances, sizes
from hupai.vision.geometry.placement import place
from hupai.vision.layout.arrange import find_hand
from hupai.vision.layout.types import Layout
from hupai.vision.layout.weights import LayoutWeights, weights_of
from hupai.vision.photo.decode import (
    DEFAULT_LIMITS,
    Limits,
    Photo,
    PointOutsidePhotoError,
    decode,
)
from hupai.vision.photo.source import PhotoSource, contents
from hupai.vision.pipeline.further_looks import (
    UPSIDE_DOWN,
    around_hand,
    enough,
    likelihood,
    look_again,
)
from hupai.vision.pipeline.row_ends import rows_end
from hupai.vision.pipeline.several_photos import merge
from hupai.vision.pipeline.warm_up import encoded
from hupai.vision.protocols import RegionClassifier, TileDetector
from hupai.vision.reading.read import read
from hupai.vision.types import (
    Detections,
    FloatArray,
    ModelInfo,
    PhotoInfo,
    PhotoReading,
    Timing,
)

ENOUGH = 1600
"""Sufficient longer side of a photo, pixels; larger JPEGs are decoded at a reduced size."""

MAX_RECOVERY_ROUNDS = 3
"""Maximum rounds of tile recovery; a recovered tile can expose a further gap beside it."""

SAME_PLACE_DISTANCE = 0.2
"""Distance between centres, shorter sides, below which a box counts as already classified."""

OnStage = Callable[[str], None]
"""Called with the name of each stage as it begins: decode, detect, layout, read.

With several photos the first three come for each; with each further look at the hand the last
three come again.
"""


class Recogniser:
    """Reads photos with one detector.

    It keeps no state between photos, so threads may share it if they may share the detector; that
    of `hupai.models.registry.load` may be shared.
    """

    def __init__(self, detector: TileDetector, *, limits: Limits = DEFAULT_LIMITS) -> None:
        """Read with this detector; `limits` says which files are accepted."""
        self._detector = detector
        self._limits = limits

    @property
    def detector(self) -> TileDetector:
        """The detector that finds and names the tiles."""
        return self._detector

    @property
    def model(self) -> ModelInfo:
        """The detector's weights."""
        return self._detector.info

    def using(self, detector: TileDetector) -> Recogniser:
        """Return a recogniser with another detector, such as one that knows a tile set."""
        return Recogniser(detector, limits=self._limits)

    def warm_up(self) -> None:
        """Read a made-up picture, so that the first photo is read as fast as later ones."""
        self.read_photo(encoded())

    def read_photo(
        self,
        data: PhotoSource,
        name: str = "",
        rules: RuleSet | None = None,
        point: tuple[float, float] | None = None,
        on_stage: OnStage | None = None,
    ) -> PhotoReading:
        """Read a photo; threads may call this at the same time.

        If the reading is not assured, further looks are taken at the hand, until there are `enough`
        (`hupai.vision.pipeline.further_looks`). The reading with the most probable hand is kept.

        Args:
            data: the photo: bytes of the whole file, its path, or the file opened in binary mode;
                JPEG, PNG, WebP or HEIC.
            name: path or upload name, for the answer and for messages; that of the file by default.
            rules: rules in play, if known: kinds they do not use become unlikely, and they
                determine how melds are laid.
            point: a place on the hand that is meant, pixels of the upright photo, if it shows
                several hands.
            on_stage: called as each stage begins.

        Raises:
            hupai.vision.photo.decode.PhotoError: when the content is not a photo, or `point` is not
                on it. Any photo gives a reading, whatever it shows.
            OSError: when the path is not that of a readable file.
            TypeError: when `data` is something else.
        """
        begin, clock = on_stage or _ignore, _Clock()
        photo, detections, layout = self._arrange(data, name, rules, point, begin, clock)
        begin("read")
        first = reading = read(layout, rules)
        clock.lap("read")
        readings = [first]
        part = around_hand(first, photo.image, photo.reduction)
        for upside_down in UPSIDE_DOWN:
            if enough(readings) or part is None:
                break
            begin("detect")
            again = look_again(self._detector, photo.image, part, upside_down, detections)
            clock.lap("detect")
            begin("layout")
            other = self._layout(photo, again, rules, point)
            clock.lap("layout")
            begin("read")
            readings.append(read(other, rules))
            clock.lap("read")
            if likelihood(readings[-1]) > likelihood(reading):
                layout, reading = other, readings[-1]
        seen = layout.detections
        model = replace(self.model, tile_set=seen.tile_set)
        return PhotoReading(_info(photo), model, reading, clock.timing(), seen)

    def read_photos(
        self,
        photos: Sequence[tuple[PhotoSource, str]],
        rules: RuleSet | None = None,
        on_stage: OnStage | None = None,
    ) -> PhotoReading:
        """Read several photos of one hand together, see `hupai.vision.pipeline.several_photos`.

        A single photo is read as by `read_photo`.

        Args:
            photos: photo and name of each, as for `read_photo`.
            rules, on_stage: as for `read_photo`.

        Raises:
            ValueError: when there is none.
            hupai.vision.photo.decode.PhotoError, OSError, TypeError: as in `read_photo`.
        """
        if not photos:
            raise ValueError("give at least one photo")
        if len(photos) == 1:
            return self.read_photo(*photos[0], rules, on_stage=on_stage)
        begin, clock = on_stage or _ignore, _Clock()
        each = [self._arrange(data, name, rules, None, begin, clock) for data, name in photos]
        begin("read")
        layouts = [layout for _, _, layout in each]
        infos = tuple(_info(photo) for photo, _, _ in each)
        extents = [(info.width, info.height) for info in infos]
        reading = merge(layouts, rules, weights_of(self._detector), extents).reading
        clock.lap("read")
        tile_sets = (layout.detections.tile_set for layout in layouts)
        model = replace(self.model, tile_set=next(filter(None, tile_sets), None))
        return PhotoReading(infos[0], model, reading, clock.timing(), photos=infos)

    def _arrange(
        self,
        data: PhotoSource,
        name: str,
        rules: RuleSet | None,
        point: tuple[float, float] | None,
        begin: OnStage,
        clock: _Clock,
    ) -> tuple[Photo, Detections, Layout]:
        """Decode a photo, detect its tiles (in pixels of the image) and arrange them."""
        begin("decode")
        photo = decode(*contents(data, name), self._limits, ENOUGH)
        _check_point(point, photo)
        clock.lap("decode")
        begin("detect")
        detections = self._detector.detect(photo.image)
        clock.lap("detect")
        begin("layout")
        layout = self._layout(photo, detections, rules, point)
        clock.lap("layout")
        return photo, detections, layout

    def _layout(
        self,
        photo: Photo,
        found: Detections,
        rules: RuleSet | None,
        point: tuple[float, float] | None,
    ) -> Layout:
        """Arrange the tiles found on a photo, in pixels of the image."""
        detections = found.scaled(photo.reduction)
        layout = layout_with_recovery(
            self._classify(photo, detections),
            detections,
            (photo.width, photo.height),
            None if rules is None else rules.id,
            point,
            weights_of(self._detector),
        )
        if layout.ends_in_view:
            return layout
        return replace(layout, ends_in_view=rows_end(photo.image, layout, photo.reduction))

    def _classify(
        self, photo: Photo, found: Detections
    ) -> Callable[[FloatArray], Detections] | None:
        """Return a function that classifies boxes (n, 4); None if the detector cannot."""
        detector, scale = self._detector, np.float32(photo.reduction)
        if not isinstance(detector, RegionClassifier):
            return None

        @cache
        def prepared() -> Callable[[FloatArray], Detections]:
            return detector.region_classifier(photo.image, found.quads / scale)

        return lambda boxes: prepared()(boxes / scale).scaled(photo.reduction)


def _info(photo: Photo) -> PhotoInfo:
    """Return what an answer says about a photo's file."""
    return PhotoInfo(photo.name, photo.sha256, photo.width, photo.height)


def _check_point(point: tuple[float, float] | None, photo: Photo) -> None:
    """Reject a point outside the photo: the hand nearest to it is hardly the one meant."""
    if point is None or (0 <= point[0] <= photo.width and 0 <= point[1] <= photo.height):
        return
    place = f"{point[0]:g},{point[1]:g}"
    raise PointOutsidePhotoError(
        photo.name,
        f"the point {place} is outside the photo, which has {photo.width} x {photo.height} pixels; "
        "give one on the hand that is meant, in pixels of the upright photo",
        f"点 {place} 在照片之外，照片为 {photo.width} x {photo.height} 像素；"
        "请给出所指手牌上的一点，以摆正后照片的像素为单位",
    )


def layout_with_recovery(
    classify: Callable[[FloatArray], Detections] | None,
    detections: Detections,
    size: tuple[int, int],
    rules: str | None = None,
    point: tuple[float, float] | None = None,
    weights: LayoutWeights | None = None,
) -> Layout:
    """Arrange the detections; while the hand is incomplete, classify its gaps and try again.

    Args:
        classify: names the tiles in boxes (n, 4) of the photo; None if the detector cannot.
        detections, size, rules, point, weights: as for `hupai.vision.layout.arrange.arrange`.
    """
    table = place(detections, size)
    found = find_hand(table, rules, point, weights)
    if classify is None:
        return found.layout()
    classified = np.zeros((0, 4), np.float32)
    examined = False
    for _ in range(MAX_RECOVERY_ROUNDS):
        gaps = found.missing_tile_boxes
        gaps = gaps[~_close_to(gaps, classified)]
        more = classify(gaps) if len(gaps) else Detections.empty()
        examined = len(more) == 0
        if examined:
            break
        classified = np.concatenate([classified, gaps])
        detections = with_low_confidence(detections, more)
        found = find_hand(place(detections, size, before=table), rules, point, weights)
    return replace(found.layout(), examined=examined)


def _close_to(boxes: FloatArray, others: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes (n, 4) almost coincide with one of some others (m, 4)."""
    if len(others) == 0:
        return np.zeros(len(boxes), bool)
    away = distances(centres(boxes), centres(others)).min(1)
    return np.asarray(away < SAME_PLACE_DISTANCE * sizes(boxes).min(1))


def _ignore(_stage: str) -> None:
    """Ignore the start of a stage."""


class _Clock:
    """Milliseconds spent in each stage, and in all."""

    def __init__(self) -> None:
        self._start = self._last = perf_counter()
        self._spent = defaultdict[str, float](float)

    def lap(self, stage: str) -> None:
        """Count the time since the last lap as spent in a stage."""
        now = perf_counter()
        self._spent[stage] += (now - self._last) * 1000
        self._last = now

    def timing(self) -> Timing:
        """Return the time spent so far."""
        return Timing(**self._spent, total=(self._last - self._start) * 1000)
