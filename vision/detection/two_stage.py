"""The detector of the product: one network finds tiles, others name them.

Two stages because a crop keeps the photo's full resolution however small the tile is on the
detector's input, because a crop classifier learns a new tile set from few pictures, and because it
gives a whole class distribution for each tile.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.detection.families import CHARACTERS, FLOWERS, FamilyClassifier
from hupai.vision.detection.merging import shows_equal_faces, with_faces_of_negative
from hupai.vision.detection.naming import combined, low_confidence
from hupai.vision.detection.onnx_session import Network, open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.background import shows_background, without_background
from hupai.vision.detection.plain_tiles.classifier import PlainTileClassifier
from hupai.vision.detection.plain_tiles.fusion import settle, shares_where_nothing_was_found
from hupai.vision.detection.plain_tiles.sides import shows_side
from hupai.vision.detection.plain_tiles.surplus import without_surplus
from hupai.vision.detection.rectified.standing import searched, with_standing
from hupai.vision.detection.rectified.view import RectifiedView, on_photo
from hupai.vision.detection.red_fives import with_red_fives
from hupai.vision.detection.suppression import separate
from hupai.vision.detection.tile_classifier import (
    CLASSES,
    LogitCorrection,
    Recognise,
    TileClassifier,
    Wrap,
)
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork, DetectorSettings
from hupai.vision.detection.upright import UprightClassifier
from hupai.vision.geometry.boxes import areas, around, centres, clipped, sizes
from hupai.vision.layout.weights import LayoutWeights
from hupai.vision.numeric import softmax
from hupai.vision.photo.exposure import well_lit, without_shadows
from hupai.vision.photo.negative import MIN_FACES, negative, shows_black_set
from hupai.vision.types import (
    MIN_CLEAR,
    SURE_SCORE,
    Detections,
    FloatArray,
    Image,
    ModelInfo,
)

MIN_TILE_PROBABILITY = 0.4
"""Probability of being a tile, by the classifier, below which a box is dropped."""

RECTIFICATION_MIN_RETAINED = 0.6
"""Share of the previous total score that a rectified view must retain; below 1 because the first
pass finds each tile twice in a row along the viewing direction.
"""

QUERY_CONFIDENCE = 0.75
"""Score of a back that only the classifier finds, as a factor of its probability."""

QUERY_FACE_EXPONENT = 5
"""Power of that probability for a face: improbable faces found this way are mostly wrong."""

QUERY_MIN_VISIBLE = 0.5
"""Share of a place that must lie on the photo for it to be classified."""

MAX_BRIGHTENED = 2
"""Maximum number of times faces in shadow are brightened; in deep shadow few are found at first."""


class TwoStageDetector:
    """Finds tiles with one network and names them with others; threads may share it."""

    def __init__(
        self,
        detector: DetectorNetwork,
        classifier: TileClassifier,
        info: ModelInfo,
        settings: DetectorSettings,
        plain: PlainTileClassifier | None = None,
        layout: LayoutWeights | None = None,
    ) -> None:
        """Combine the networks of the weights that `info` identifies; see `open`.

        Layout weights are those that belong to these networks; None for the shipped ones.
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
        upright: Path | None = None,
        layout: Path | None = None,
        flowers: Path | None = None,
        characters: Path | None = None,
    ) -> TwoStageDetector:
        """Open the networks.

        See `DetectorNetwork`, `TileClassifier`, `PlainTileClassifier`, `UprightClassifier` and
        `FamilyClassifier` for the networks' files, and `LayoutWeights` for `layout`; all but the
        first two may be missing.

        Raises:
            hupai.vision.detection.onnx_session.ProviderError: when no provider is available.
            onnxruntime.capi.onnxruntime_pybind11_state.Fail: when a file is not an ONNX model;
            `hupai.models.registry` checks hashes first.
        """

        def network(file: Path) -> Network:
            return open_network(file, threads, providers)

        names = TileClassifier(network(classifier), settings)
        if upright is not None:
            names.upright = UprightClassifier(network(upright), settings.temperature)
        names.families = tuple(
            FamilyClassifier(family, network(file))
            for family, file in ((FLOWERS, flowers), (CHARACTERS, characters))
            if file is not None
        )
        return cls(
            DetectorNetwork(network(detector), settings),
            names,
            info,
            settings,
            None if plain is None else PlainTileClassifier(network(plain)),
            None if layout is None else LayoutWeights.load(layout),
        )

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
            recognise: chooses the correction photo by photo if `correction` is None.
        """
        return self._naming_by(self._classifier.with_correction(correction, recognise))

    def through(self, wrap: Wrap) -> TwoStageDetector:
        """Return a detector with its classifier's network wrapped by `wrap`."""
        return self._naming_by(self._classifier.through(wrap))

    def _naming_by(self, classifier: TileClassifier) -> TwoStageDetector:
        other = copy(self)
        other._classifier = classifier  # noqa: SLF001 - a copy of self
        return other

    def detect(self, image: Image) -> Detections:
        """Find and name the tiles of an upright RGB photo.

        Exposure is corrected first. If faces found by the coarse pass lie in shadow, they are
        brightened and the pass is repeated, once more if that shows further ones. An oblique view
        of the table gets a pass on a rectified view instead of a closer one on the photo. Faces of
        a black set are found on the negative of the photo.
        """
        photo = Picture.of(well_lit(image))
        coarse = self._detector.coarse(photo)
        faces = self._faces(coarse)
        # The coarse pass over the photo may miss all faces of a black set.
        may_be_black = len(faces) < MIN_FACES or shows_black_set(photo.photo, faces)
        on_negative = self._faces_on_negative(photo) if may_be_black else None
        bright = photo
        if on_negative is None:
            bright, coarse = self._without_shadows(photo, coarse)
        seen = without_background(bright, self._in_passes(bright, coarse))
        # Or it may find circles and sticks on black tiles instead of the tiles.
        if not may_be_black and shows_equal_faces(seen):
            on_negative = self._faces_on_negative(photo)
        if on_negative is not None:
            return with_faces_of_negative(seen, on_negative)
        return with_red_fives(bright, without_surplus(bright, seen))

    def _faces(self, found: BoxDetections) -> FloatArray:
        """Return the boxes (m, 4) that are tiles showing their faces, by their scores."""
        return found.boxes[(found.scores >= found.least(self._settings)) & (found.backs < 0.5)]

    def _faces_on_negative(self, photo: Picture) -> Detections | None:
        """Find and name the tiles on the negative of a photo; None if it shows no black set."""
        inverted = Picture.of(negative(photo.photo))
        found = self._detector.coarse(inverted)
        if not shows_black_set(photo.photo, self._faces(found)):
            return None
        named = self._in_passes(inverted, found)
        return None if shows_equal_faces(named) else with_red_fives(inverted, named)

    def _without_shadows(
        self, photo: Picture, coarse: BoxDetections
    ) -> tuple[Picture, BoxDetections]:
        """Brighten faces in shadow, found by the coarse pass, and repeat the pass."""
        bright, shown = photo, 0
        for _ in range(MAX_BRIGHTENED):
            faces = self._faces(coarse)
            brighter = without_shadows(photo.photo, faces) if len(faces) > shown else None
            if brighter is None:
                break
            bright, shown = Picture.of(brighter), len(faces)
            coarse = self._detector.coarse(bright)
        return bright, coarse

    def _in_passes(self, photo: Picture, coarse: BoxDetections) -> Detections:
        """Find and name the tiles of a photo, in as many passes after the coarse one as needed."""
        seen = Detections.empty()
        for found, last in self._detector.passes(photo, coarse):
            seen = self.name(photo, found, last)
            rectified = self._detect_rectified(photo, seen, last)
            if rectified is not None:
                return rectified
        return seen

    def _detect_rectified(self, photo: Picture, first: Detections, last: bool) -> Detections | None:
        """Detect the tiles of an oblique table on a rectified view, given the first detections.

        Returns:
            None if the table is seen from above, or the view loses tiles.
        """
        # The axes of backs are too uncertain to determine the plane.
        only_backs = (first.probabilities.argmax(1) == Tile.BACK).all()
        # Few clear faces must suffice if no closer pass over the photo follows.
        if only_backs or (not last and first.clear_faces().sum() < MIN_CLEAR):
            return None
        view = RectifiedView.of(photo, first.boxes, first.axes, first.shows_table_plane())
        return None if view is None else self._try_rectified(photo, first, view)

    def _try_rectified(
        self, photo: Picture, seen: Detections, view: RectifiedView
    ) -> Detections | None:
        """Find and name the tiles on a rectified view, keeping earlier detections outside of it.

        None if the view retains too little of the tiles' total score.
        """
        covered = view.covers(centres(seen.boxes))
        found = self._find_on(photo, view)
        # Naming raises only the scores of some backs, so a view that scores less is not worth it.
        needed = RECTIFICATION_MIN_RETAINED * seen.scores[covered].sum()
        if len(found.boxes) == 0 or found.scores.sum() < needed:
            return None
        named = on_photo(view, self.name(view.picture, found), photo.size)
        if named.scores.sum() < needed:
            return None
        if self._plain is not None:
            named = named.only(~shows_side(self._plain, photo, named))
        search = partial(searched, photo=photo, find=partial(self._on_view, photo))
        named = with_standing(named, seen, covered, view, search)
        return named.with_others(seen.only(~covered))

    def _on_view(self, photo: Picture, view: RectifiedView) -> Detections:
        """Find and name the tiles on a view; boxes in pixels of the photo."""
        found = self._find_on(photo, view)
        return on_photo(view, self.name(view.picture, found), photo.size)

    def _find_on(self, photo: Picture, view: RectifiedView) -> BoxDetections:
        """Find the tiles on a view whose middles are on the photo; boxes in pixels of the view."""
        found = self._detector.find(view.picture, view.tile_width)
        middle = centres(view.boxes_to_photo(found.boxes))
        return found.only(np.asarray(((middle >= 0) & (middle < photo.size)).all(1)))

    def name(self, picture: Picture, found: BoxDetections, last: bool = True) -> Detections:
        """Name boxes found on a picture from crops of it, and drop those that hold no tile.

        In the last pass, which no closer one follows, uncertain tiles are classified again.
        """
        if len(found.boxes) == 0:
            return Detections.empty()
        sure = found.scores >= SURE_SCORE
        answer = self._classifier.classify(picture, found.boxes, last, found.half_axes, sure)
        shares = softmax(answer.logits)
        settled = np.zeros(len(found.boxes), bool)
        if self._plain is not None:
            found, settled = settle(self._plain, picture, found, shares)
        named, tile = combined(found, answer, shares, ~settled)
        kept = (named.scores >= found.least(self._settings)) & (tile >= MIN_TILE_PROBABILITY)
        low = low_confidence(found, named, tile, ~kept)
        return replace(named.only(kept), tile_set=answer.correction, low_confidence=low)

    def region_classifier(
        self, image: Image, tiles: FloatArray
    ) -> Callable[[FloatArray], Detections]:
        """Return a function that names the tiles that the classifier recognises in boxes.

        It takes boxes (n, 4) in pixels; those that reach too far beyond the photo are dropped.

        Args:
            image: an upright RGB photo.
            tiles: outlines (m, 4, 2) of the tiles found on it, pixels.
        """
        photo = Picture.of(well_lit(image))
        black = shows_black_set(photo.photo, around(tiles))
        shown = Picture.of(negative(photo.photo)) if black else photo

        def classify(boxes: FloatArray) -> Detections:
            named = self._named_places(shown, boxes)
            return with_red_fives(shown, named.only(~shows_background(photo, named, tiles)))

        return classify

    def _named_places(self, photo: Picture, places: FloatArray) -> Detections:
        """Name the tiles in places (n, 4) of a photo, where the detector found none."""
        boxes = clipped(places, *photo.size)
        visible = (areas(boxes) > QUERY_MIN_VISIBLE * areas(places)) & (sizes(boxes).min(1) >= 1)
        boxes = boxes[visible]
        if len(boxes) == 0:
            return Detections.empty()
        answer = self._classifier.classify(photo, boxes)
        shares = softmax(answer.logits)
        if self._plain is not None:
            shares = shares_where_nothing_was_found(self._plain, photo, boxes, shares)
        tile = shares[:, :CLASSES].sum(1)
        back = shares[:, Tile.BACK] / np.maximum(tile, 1e-6)
        scores = QUERY_CONFIDENCE * np.where(back > 0.5, tile, tile**QUERY_FACE_EXPONENT)
        named = combined(BoxDetections(boxes, tile, back), answer, shares, back >= 0)[0]
        named = replace(named, scores=scores.astype(np.float32)).only(tile >= MIN_TILE_PROBABILITY)
        return named.only(separate(named.boxes, named.scores))
