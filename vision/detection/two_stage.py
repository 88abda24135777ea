"""The detector of the product: one network finds tiles, a second one names them.

Two stages because a crop keeps the photo's full resolution however small the tile is on the
detector's input, because a crop classifier learns a new tile set from few pictures, and because it
gives a whole class distribution for each tile.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.detection.naming import candidates, combined
from hupai.vision.detection.plain_tiles import PlainTileClassifier, plain
from hupai.vision.detection.rectify import (
    RectifiedView,
    distorted,
    on_photo,
    shrunk,
    within,
    without_those_at,
)
from hupai.vision.detection.red_fives import with_red_fives
from hupai.vision.detection.suppression import separate
from hupai.vision.detection.tile_classifier import (
    CLASSES,
    MAX_DOUBTFUL,
    Classified,
    LogitCorrection,
    Recognise,
    TileClassifier,
    Wrap,
)
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork, DetectorSettings
from hupai.vision.geometry.boxes import areas, centres, sizes
from hupai.vision.layout.weights import LayoutWeights
from hupai.vision.numeric import softmax
from hupai.vision.photo.exposure import well_lit
from hupai.vision.types import MIN_CLEAR, Detections, FloatArray, Image, ModelInfo

MIN_TILE_PROBABILITY = 0.4
"""Probability of being a tile, by the classifier, below which a box is dropped."""

RECTIFICATION_MIN_RETAINED = 0.6
"""Share of the previous total score that a rectified view must retain; below 1 because the first
pass finds each tile twice in a row along the viewing direction.
"""

QUERY_CONFIDENCE = 0.75
"""Score of a back that only the classifier finds, as a factor of its probability."""

QUERY_FACE_EXPONENT = 5
"""Power of that probability for a face: low-probability faces found this way are mostly wrong."""

QUERY_MIN_PROBABILITY = 0.1
"""Probability of being a tile, after a single run, below which a place is empty."""

QUERY_MIN_VISIBLE = 0.5
"""Share of a place that must lie on the photo for it to be classified."""

MIN_NON_TILE = 0.8
"""Probability of no tile, by all networks together, from which they overrule the classifier."""

MIN_BLANK = 0.8
"""Probability of a blank white dragon from which they do."""

MIN_BLANK_BY_CROP = 0.02
"""Probability of it by the classifier that they cannot do without."""

CLEAR_INK = 0.9
"""Probability of one inked face from which `CLEAR_INK_THRESHOLD` holds."""

CLEAR_INK_THRESHOLD = 0.25
"""Least score of a tile whose face is clear: the detector scores black sets low, but hardly
anything that is no tile carries the ink of one face.
"""

BACK_SCORE = 0.3
"""Score of a back that all networks together are sure of, however low the detector's alone."""


class TwoStageDetector:
    """Finds and names tiles with two networks; threads may share it."""

    def __init__(
        self,
        detector: DetectorNetwork,
        classifier: TileClassifier,
        info: ModelInfo,
        settings: DetectorSettings,
        plain: PlainTileClassifier | None = None,
        layout: LayoutWeights | None = None,
    ) -> None:
        """Combine the networks; see `open`.

        Args:
            detector: finds boxes.
            classifier: names them.
            info: identifies the weights.
            settings: numbers that go with them.
            plain: distinguishes backs, blank tiles and non-tiles.
            layout: layout weights that belong to these networks; None for the shipped ones.
        """
        self.layout = layout
        self._detector, self._classifier, self._plain = detector, classifier, plain
        self._info, self._settings = info, settings

    @classmethod
    def open(
        cls,
        detector: Path,
        classifier: Path,
        info: ModelInfo,
        settings: DetectorSettings,
        threads: int = 0,
        providers: str | None = None,
        plain: Path | None = None,
        layout: Path | None = None,
    ) -> TwoStageDetector:
        """Open the networks.

        See `DetectorNetwork`, `TileClassifier` and `PlainTileClassifier` for the networks' files,
        and `LayoutWeights` for the last one; `plain` and `layout` may be missing.

        Raises:
            hupai.vision.detection.onnx_session.ProviderError: when no provider can be had.
            onnxruntime.capi.onnxruntime_pybind11_state.Fail: when a file is no ONNX model;
            `hupai.models.registry` checks hashes first.
        """
        boxes = DetectorNetwork(detector, settings, threads, providers)
        names = TileClassifier(classifier, settings, threads, providers)
        third = None if plain is None else PlainTileClassifier(plain, threads, providers)
        weights = None if layout is None else LayoutWeights.load(layout)
        return cls(boxes, names, info, settings, third, weights)

    @property
    def info(self) -> ModelInfo:
        """The weights."""
        return self._info

    @property
    def crop(self) -> int:
        """Side of the classifier's crops, pixels."""
        return self._settings.crop

    @property
    def embeds(self) -> bool:
        """Whether the classifier has embeddings, without which no tile set can be learnt."""
        return self._classifier.embeds

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return calibrated logits (n, 44) and embeddings (n, d) of crops, see `embeds`.

        Args:
            crops: shape (n, 3, crop, crop), RGB from 0 to 1.
        """
        return self._classifier.embed(crops)

    def with_correction(
        self, correction: LogitCorrection | None = None, recognise: Recognise | None = None
    ) -> TwoStageDetector:
        """Return a detector with the same networks that corrects its logits.

        Args:
            correction: applied to every photo.
            recognise: chooses the correction photo by photo where `correction` is None.
        """
        other = copy(self)
        other._classifier = self._classifier.with_correction(  # noqa: SLF001 - a copy of self
            correction, recognise
        )
        return other

    def through(self, wrap: Wrap) -> TwoStageDetector:
        """Return a detector whose classifier's network is what `wrap` makes of it."""
        other = copy(self)
        other._classifier = self._classifier.through(wrap)  # noqa: SLF001 - a copy of self
        return other

    def detect(self, image: Image) -> Detections:
        """Find and name the tiles of an upright RGB photo.

        Exposure is corrected first. An oblique view of the table gets a pass on a rectified view,
        which a network that predicts corners does not need, instead of a closer one on the photo.
        """
        image = well_lit(image)
        seen = Detections.empty()
        for found, last in self._detector.passes(image):
            seen = self.name(image, found, most_doubtful=MAX_DOUBTFUL if last else 0)
            rectified = self._detect_rectified(image, seen, last)
            if rectified is not None:
                return with_red_fives(image, rectified)
        return with_red_fives(image, seen)

    def _detect_rectified(self, image: Image, first: Detections, last: bool) -> Detections | None:
        """Detect an oblique table on a rectified view.

        Args:
            image: the photo.
            first: its tiles.
            last: no closer pass over the photo follows, so that few clear faces must do.

        Returns:
            None where the table is seen from above, or the view loses tiles.
        """
        # The axes of backs are too uncertain to determine the plane.
        if self._detector.tells_corners or (first.probabilities.argmax(1) == Tile.BACK).all():
            return None
        if not last and first.clear_faces().sum() < MIN_CLEAR:
            return None
        view = RectifiedView.of(image, first.boxes, first.axes, first.shows_table_plane())
        seen = None if view is None else self._try_rectified(image, first, view)
        return None if seen is None else shrunk(seen, first.boxes)

    def _try_rectified(
        self, image: Image, seen: Detections, view: RectifiedView
    ) -> Detections | None:
        """Find and name the tiles on a rectified view; detections outside of it are kept.

        A tile that stands is distorted by the view, and stays as the photo shows it.

        Returns:
            None if the view retains too little of the tiles' total score.
        """
        covered = view.covers(centres(seen.boxes))
        found = self._detector.find(view.image, view.tile_width)
        middle = centres(view.boxes_to_photo(found.boxes))
        inside = ((middle >= 0) & (middle < np.array(image.shape[1::-1]))).all(1)
        found = found.only(np.asarray(inside))
        # Naming only lowers scores.
        needed = RECTIFICATION_MIN_RETAINED * seen.scores[covered].sum()
        if len(found.boxes) == 0 or found.scores.sum() < needed:
            return None
        named = on_photo(view, self.name(view.image, found), image)
        if named.scores.sum() < needed:
            return None
        standing = covered & distorted(seen, named)
        named = without_those_at(named, seen.boxes[standing])
        return named.with_others(seen.only(~covered | standing))

    def name(
        self, image: Image, found: BoxDetections, most_doubtful: int = MAX_DOUBTFUL
    ) -> Detections:
        """Name boxes by crops of the full photo, and drop those that hold no tile.

        Args:
            image: the picture that the boxes were found on.
            found: the boxes.
            most_doubtful: see `TileClassifier.classify`.
        """
        if len(found.boxes) == 0:
            return Detections.empty()
        answer = self._classifier.classify(
            image, found.boxes, quads=found.quads, most_doubtful=most_doubtful
        )
        s, named, tile = self._settings, *self._named(image, found, answer)
        # The low threshold of backs is for tiles that score low, not for dark corners.
        threshold = np.where(found.backs > 0.5, s.back, s.threshold)
        inked = np.delete(named.probabilities[:, : Tile.BACK], Tile.WHITE, 1).max(1)
        clear = (inked >= CLEAR_INK) & (tile >= CLEAR_INK)
        threshold = np.where(clear, np.minimum(threshold, CLEAR_INK_THRESHOLD), threshold)
        firm = (named.scores >= threshold) & (tile >= MIN_TILE_PROBABILITY)
        low = candidates(found, named, tile, ~firm)
        firmly = named.only(firm)
        if found.low_confidence is not None and len(found.low_confidence.boxes):
            faint = found.low_confidence
            seen = self._classifier.classify(image, faint.boxes, quads=faint.quads, most_doubtful=0)
            named_faint, tile = self._named(image, faint, seen)
            backs = (named_faint.probabilities[:, Tile.BACK] > 0.5) & (named_faint.scores >= s.back)
            low = low.with_others(candidates(faint, named_faint, tile, ~backs))
            firmly = named.only(firm).with_others(named_faint.only(backs))
        return replace(
            firmly,
            tile_set=answer.correction,
            low_confidence=low if len(low) else None,
        )

    def _named(
        self, image: Image, found: BoxDetections, answer: Classified
    ) -> tuple[Detections, FloatArray]:
        """Combine boxes (n, 4) of a picture with the classifiers' outputs.

        Returns:
            The detections, and the probability (n,) that each is a tile.
        """
        shares = softmax(answer.logits)
        look = np.zeros(len(found.boxes), bool)
        if self._plain is not None:
            look = plain(shares, found.backs)
        if self._plain is not None and look.any():
            mixed = self._plain.combine(
                image, found.boxes[look], shares[look], found.backs[look], found.scores[look]
            )
            # Where they decide for none of these, the classifier's answer stands.
            decided = (mixed[:, Tile.BACK] > 0.5) | (mixed[:, CLASSES] > MIN_NON_TILE)
            # A blank dragon that one of the others takes for a back.
            white, back = shares[look, Tile.WHITE], shares[look, Tile.BACK]
            torn = (white > MIN_BLANK_BY_CROP) & ((back > white) | (found.backs[look] > 0.5))
            decided |= torn & (mixed[:, Tile.WHITE] > MIN_BLANK)
            look[look] = decided
            shares[look] = mixed[decided]
            scores = found.scores.copy()
            scores[look] = np.maximum(scores[look], BACK_SCORE * shares[look, Tile.BACK])
            found = replace(found, scores=scores)
        return combined(found, answer, shares, ~look)

    def classify_boxes(self, image: Image, boxes: FloatArray) -> Detections:
        """Name the tiles that the classifier recognises in given boxes.

        Args:
            image: an upright RGB photo.
            boxes: shape (n, 4), pixels; those that reach too far beyond the photo are dropped.
        """
        if len(boxes) == 0:
            return Detections.empty()
        image = well_lit(image)
        whole = areas(boxes)
        boxes = within(boxes, image)
        visible = (areas(boxes) > QUERY_MIN_VISIBLE * whole) & (sizes(boxes).min(1) >= 1)
        boxes = boxes[visible]
        if len(boxes):  # most places are empty, which a single run shows
            glance = softmax(self._classifier.glance(image, boxes))
            boxes = boxes[glance[:, :CLASSES].sum(1) >= QUERY_MIN_PROBABILITY]
        if len(boxes) == 0:
            return Detections.empty()
        answer = self._classifier.classify(image, boxes, debias=False)
        shares = softmax(answer.logits)
        tile = shares[:, :CLASSES].sum(1)
        back = shares[:, Tile.BACK] / np.maximum(tile, 1e-6)
        scores = QUERY_CONFIDENCE * np.where(back > 0.5, tile, tile**QUERY_FACE_EXPONENT)
        named = combined(BoxDetections(boxes, tile, back), answer, shares, back >= 0)[0]
        named = replace(named, scores=scores.astype(np.float32)).only(tile >= MIN_TILE_PROBABILITY)
        return named.only(separate(named.boxes, named.scores))
