"""The detector of the product: one network finds tiles (`hupai.vision.detection.tile_detector`), a
second one names each of them from a crop of the full photo.

Two stages because a crop keeps the photo's full resolution however small the tile is on the
detector's input, because a crop classifier learns a new tile set from few pictures, and because it
gives a whole class distribution for each tile.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.boxes import halves, separate, with_low_confidence
from hupai.vision.detection.crops import cut_shaped, cut_square, stacked
from hupai.vision.detection.deskew import DeskewedView, skew, squeeze
from hupai.vision.detection.logit_bias import logit_bias, mean_logits_by_class, softmax
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.rectify import RectifiedView
from hupai.vision.detection.tile_detector import BoxDetections, DetectorNetwork, DetectorSettings
from hupai.vision.photo.exposure import well_lit
from hupai.vision.types import Detections, FloatArray, Image, ModelInfo

LEANING = float(np.radians(12))
"""Tiles further than this from the edges of a turned picture lie askew on it,"""
LOOSER = 1.2
"""but axes err: seen from above, where all tiles are of one size, only if its upright box is larger
than usual by this factor.
"""
MIN_TILE_PROBABILITY = 0.4
"""What the classifier takes for a tile with less probability is none,"""
MIN_CANDIDATE_PROBABILITY = 0.01
"""or with less than this not even one for which a row may have room."""
KEPT = (0.6, 1.0)
"""A table is looked at so often from above; a look counts that shows at least this share of what
was seen before it.
"""
TOO_LARGE = 1.6
"""A tile whose upright box is larger by this factor than the one that the photo as taken shows lies
askew on the table.
"""
LOST = 0.5
"""So much of its score keeps a tile that the photo as taken shows and the table as seen from above
does not.
"""
ALONE = 0.5
"""No two tiles lie nearer to each other than this, by the shorter side of one."""
ASKED, ASKED_FACE = 0.75, 5
"""How much a tile that only the classifier sees counts, by the probability it gives, and the power
of this for one that shows its face: of such backs seen with 0.4, 0.6, 0.8 and 0.95 and more 0.40,
0.55, 0.71, 0.75 were there, of faces 0.1, 0.1, 0.1, 0.7 (weights 2026.11.6; later ones are more
often right, decision 56).
"""
GLANCE = 0.1
"""A place where a first look sees a tile with less probability is empty."""
MOST_CROPS = 64
"""Crops that the classifier sees at once; more would take memory, not less time."""
FACES = 43
"""Classes that travel on: 42 faces and the back. The classifier's 44th output is "no tile"."""


class LogitCorrection(Protocol):
    """A correction of the classifier's logits, such as an enrolled tile set gives."""

    @property
    def name(self) -> str:
        """What the correction is called, for the answer."""
        ...

    def shared(self, logits: FloatArray, embeddings: FloatArray) -> FloatArray:
        """Estimate what the embeddings of one photo's tiles share beside their faces, shape (d,).

        Args:
            logits: calibrated, shape (n, 44).
            embeddings: shape (n, d).
        """
        ...

    def corrected(
        self, logits: FloatArray, embeddings: FloatArray, shared: FloatArray | None = None
    ) -> FloatArray:
        """Correct calibrated logits (n, 44) by the embeddings (n, d) of the same crops."""
        ...


Recognise = Callable[[FloatArray], LogitCorrection | None]
"""Chooses the correction for a photo by the embeddings (n, d) of its tiles; None for no match."""


class TwoStageDetector:
    """Runs both networks with ONNX Runtime; may be shared between threads."""

    def __init__(
        self,
        detector: Path,
        classifier: Path,
        info: ModelInfo,
        settings: DetectorSettings,
        threads: int = 0,
    ) -> None:
        """Open the networks.

        Args:
            detector: ONNX file; input (1, 3, h, w) RGB from 0 to 1, output (1, 6, n): centre, size,
                score of a face, score of a back.
            classifier: ONNX file; input (n, 3, crop, crop), outputs logits (n, 44) and axis (n, 2);
                may hold usual logits.
            info: what to say about the weights.
            settings: numbers that go with them.
            threads: of ONNX Runtime, 0 leaves the choice to it.

        Raises:
            onnxruntime.capi.onnxruntime_pybind11_state.Fail: when a file is no ONNX model;
            `hupai.models.registry` checks hashes first.
        """
        self._finder, self._classifier = (
            DetectorNetwork(detector, settings, threads),
            open_network(classifier, threads),
        )
        self._info, self._settings = info, settings
        usual = mean_logits_by_class(self._classifier.get_modelmeta().custom_metadata_map)
        self._usual = None if usual is None else usual / np.float32(settings.temperature)
        self._embeds = "embedding" in {output.name for output in self._classifier.get_outputs()}
        self._correction: LogitCorrection | None = None
        self._recognise: Recognise | None = None

    @property
    def crop(self) -> int:
        """Side of the classifier's crops, pixels."""
        return self._settings.crop

    @property
    def embeds(self) -> bool:
        """Whether the classifier tells embeddings, without which no tile set can be learnt."""
        return self._embeds

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Calibrated logits (n, 44) and embeddings (n, d) of crops (n, 3, crop, crop), RGB from 0
        to 1; see `embeds`.
        """
        logits, embeddings = self._classifier.run(["logits", "embedding"], {"crops": crops})
        return logits / self._settings.temperature, embeddings

    def with_correction(
        self, correction: LogitCorrection | None = None, recognise: Recognise | None = None
    ) -> TwoStageDetector:
        """Return a detector with the same networks that corrects its logits.

        Args:
            correction: applied to every photo.
            recognise: chooses the correction photo by photo where `correction` is None.
        """
        other = copy(self)
        other._correction, other._recognise = correction, recognise  # noqa: SLF001 - a copy of self
        return other

    @property
    def info(self) -> ModelInfo:
        """Which weights answer."""
        return self._info

    def detect(self, image: Image) -> Detections:
        """Find and name the tiles of an upright RGB photo, its light mended if bad; of a table seen
        from the side once more as seen from above, and again where the tiles found then tell that
        it lies otherwise (decision 58).
        """
        image = well_lit(image)
        first = seen = self._as_taken(image)
        view: RectifiedView | None = None
        for share in KEPT:
            better = RectifiedView.of(image, seen.boxes, seen.axes)
            if better is None or (view is not None and better.is_similar(view)):
                break
            found = self._from_above(image, seen, better, share)
            if found is None:
                break
            seen, view = found, better
        return seen if view is None else replace(seen, boxes=_preferred(seen.boxes, first.boxes))

    def _as_taken(self, image: Image) -> Detections:
        """What the photo shows, turned and widened where that helps."""
        first = self.find(image)
        view, found = None, first
        angle = skew(first.boxes) or 0.0
        if abs(angle) < self._settings.askew:
            angle = 0.0
        else:
            view, found = self._another(image, first, found, angle, 1.0)
            angle = angle if view is not None else 0.0
        wider = squeeze(found.boxes)
        if wider != 1.0:
            other, better = self._another(image, first, found, angle, wider)
            view, found = (other, better) if other is not None else (view, found)
        if view is None:
            return self.name(image, found)
        return _on_photo(view, self.name(view.image, found), first.boxes, image)

    def _from_above(
        self, image: Image, seen: Detections, view: RectifiedView, share: float
    ) -> Detections | None:
        """What the table shows from above, what lies outside of that picture as `seen`; None where
        it shows less than this share of the tiles seen before, by their scores: of a row that runs
        away from a low camera the first look sees each tile twice.

        A tile is named by both pictures alike: one shows it in its shape, the other in all its
        pixels.
        """
        there = view.to_view(_centres(seen.boxes))
        known = view.covers(_centres(seen.boxes))
        found = _with_large_boxes_cut(self.find(view.image), view, seen.boxes)
        middle = _centres(view.boxes_to_photo(found.boxes))
        on = ((middle >= 0) & (middle < np.array(image.shape[1::-1]))).all(1)
        found = found.only(np.asarray(on))
        if len(found.boxes) == 0:
            return None
        back = _within(view.boxes_to_photo(found.boxes), image)
        flat = _on_photo(view, self.name(view.image, found, (image, back)), seen.boxes, image)
        if flat.scores.sum() < share * seen.scores[known].sum():
            return None
        lost = seen.only(known & _alone(there, found))
        halved = replace(
            lost, scores=(lost.scores * np.float32(LOST)).astype(np.float32), low_confidence=None
        )
        return with_low_confidence(flat.with_others(seen.only(~known)), halved)

    def _another(
        self, image: Image, first: BoxDetections, found: BoxDetections, angle: float, wider: float
    ) -> tuple[DeskewedView | None, BoxDetections]:
        """The photo turned and widened, and what is found there; None and what was found before
        where that loses tiles or fits them worse. `first` is what the photo shows as it is.
        """
        view = DeskewedView.by(image, angle, wider)
        seen = _with_large_boxes_cut(self.find(view.image), view, first.boxes)
        # Upright boxes around tiles that lie askew are larger than the tiles: turning rightly makes
        # them smaller.
        looser = wider == 1.0 and len(seen.boxes) > 0 and _area(seen.boxes) > _area(found.boxes)
        return (None, found) if looser or len(seen.boxes) < 0.9 * len(found.boxes) else (view, seen)

    def find(self, image: Image) -> BoxDetections:
        """What the first network finds, see `hupai.vision.detection.tile_detector`."""
        return self._finder.find(image)

    def name(
        self, image: Image, found: BoxDetections, again: tuple[Image, FloatArray] | None = None
    ) -> Detections:
        """Class distribution and axis of each box, from crops of the full photo; what the
        classifier takes for no tile loses its score. `again` is another picture of the same tiles
        with their boxes there, which then counts as much for the faces.
        """
        if len(found.boxes) == 0:
            return Detections.empty()
        logits, axis, tile_set = self._classify(image, found.boxes)
        if again is not None:
            logits = ((logits + self._classify(*again)[0]) / 2).astype(np.float32)
        s, named, tile = self._settings, *_named(found, logits, axis)
        # The low threshold of backs is for tiles that the detector is shy of, not for dark corners.
        firm = (named.scores >= np.where(found.backs > 0.5, s.back, s.threshold)) & (
            tile >= MIN_TILE_PROBABILITY
        )
        low_confidence = _doubted(found, named, tile).only(
            ~firm & (tile >= MIN_CANDIDATE_PROBABILITY)
        )
        if found.low_confidence is not None and len(found.low_confidence.boxes):
            faint, tile = _named(
                found.low_confidence, *self._classify(image, found.low_confidence.boxes)[:2]
            )
            low_confidence = low_confidence.with_others(
                _doubted(found.low_confidence, faint, tile).only(tile >= MIN_CANDIDATE_PROBABILITY)
            )
        return replace(
            named.only(firm),
            tile_set=tile_set,
            low_confidence=low_confidence if len(low_confidence) else None,
        )

    def classify_boxes(self, image: Image, boxes: FloatArray) -> Detections:
        """What the classifier takes for a tile at given places of an upright RGB photo, boxes (n,
        4), as `detect` names it.
        """
        if len(boxes) == 0:
            return Detections.empty()
        image = well_lit(image)
        whole = (boxes[:, 2:] - boxes[:, :2]).prod(1)
        boxes = _within(boxes, image)
        seen = boxes[:, 2:] - boxes[:, :2]
        boxes = boxes[(seen.prod(1) > 0.5 * whole) & (seen.min(1) >= 1)]
        # Most places are empty, which one look tells.
        glance = (
            self._run(stacked([cut_square(image, box, self._settings.crop) for box in boxes]))[0]
            if len(boxes)
            else None
        )
        if glance is None or not (likely := softmax(glance)[:, :FACES].sum(1) >= GLANCE).any():
            return Detections.empty()
        boxes = boxes[likely]
        logits, axis, _ = self._classify(image, boxes, alike=False)
        shares = softmax(logits)
        tile = shares[:, :FACES].sum(1)
        back = shares[:, Tile.BACK] / np.maximum(tile, 1e-6)
        scores = ASKED * np.where(back > 0.5, tile, tile**ASKED_FACE)
        named = _named(BoxDetections(boxes, tile, back), logits, axis)[0]
        named = replace(named, scores=scores.astype(np.float32)).only(tile >= MIN_TILE_PROBABILITY)
        return named.only(separate(named.boxes, named.scores))

    def _classify(
        self, image: Image, boxes: FloatArray, alike: bool = True
    ) -> tuple[FloatArray, FloatArray, str | None]:
        """Calibrated logits, axis, and the tile set they rest on. What one look leaves in doubt is
        looked at in four directions, in the shape of a tile, and these looks are averaged. What all
        tiles have in common is taken off, unless most of the boxes may hold none (not `alike`).
        """
        size = self._settings.crop
        logits, axis, embeddings = self._run(
            stacked([cut_square(image, box, size) for box in boxes])
        )
        chosen = self._correction
        if chosen is None and self._recognise is not None:
            likely = logits[:, : Tile.BACK].max(1) > logits[:, Tile.BACK :].max(1)
            chosen = self._recognise(embeddings[likely])
        shared = None
        if chosen is not None:
            shared = chosen.shared(logits, embeddings)
            logits = chosen.corrected(logits, embeddings, shared)
        doubt = softmax(logits).max(1) < self._settings.sure
        if doubt.any():
            crops = stacked([cut_shaped(image, box, size) for box in boxes[doubt]])
            turned = [np.rot90(crops, quarters, (2, 3)) for quarters in range(4)]
            seen, lies, embeddings = self._run(np.ascontiguousarray(np.concatenate(turned)))
            if chosen is not None:
                seen = chosen.corrected(seen, embeddings, shared)
            lies *= np.repeat([1, -1, 1, -1], len(crops))[
                :, None
            ]  # twice the angle: a quarter turn is half a turn there
            logits[doubt], axis[doubt] = (
                seen.reshape(4, len(crops), -1).mean(0),
                lies.reshape(4, len(crops), -1).mean(0),
            )
        if (
            chosen is None and alike and self._usual is not None
        ):  # a tile set takes off what its photos have in common by itself
            logits -= logit_bias(logits, self._usual, self._settings.common)
        return logits, axis, None if chosen is None else chosen.name

    def _run(self, crops: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Calibrated logits, axis and, where tile sets are in use, embeddings (n, d), else (n,
        0).
        """
        wanted = ["logits", "axis"]
        if self._correction is not None or self._recognise is not None:
            wanted.append("embedding")
        runs = [
            self._classifier.run(wanted, {"crops": crops[i : i + MOST_CROPS]})
            for i in range(0, len(crops), MOST_CROPS)
        ]
        outputs: list[FloatArray] = [np.concatenate(parts) for parts in zip(*runs, strict=True)]
        embeddings = outputs[2] if len(wanted) > 2 else np.zeros((len(crops), 0), np.float32)
        return outputs[0] / np.float32(self._settings.temperature), outputs[1], embeddings


def _named(
    found: BoxDetections, logits: FloatArray, axis: FloatArray
) -> tuple[Detections, FloatArray]:
    """What was found with its faces by calibrated logits (n, 44) and directions (n, 2), and the
    probability (n,) by which the classifier takes each for a tile.
    """
    shares = softmax(logits)
    faces = shares[:, :FACES]
    # The detector sees backs too, with their surroundings: its opinion counts as a second witness.
    faces[:, Tile.BACK] = faces[:, Tile.BACK] * 0.5 + 0.5 * np.minimum(
        found.backs, 1.0
    ) * faces.sum(1)
    tile = faces.sum(1)
    axes = (np.arctan2(axis[:, 1], axis[:, 0]) / 2) % np.pi
    axes[np.hypot(axis[:, 0], axis[:, 1]) < 0.35] = np.nan
    named = Detections(
        found.boxes.astype(np.float32),
        (found.scores * np.minimum(1.0, tile * 1.25)).astype(np.float32),
        (faces / np.maximum(tile[:, None], 1e-6)).astype(np.float32),
        axes.astype(np.float32),
    )
    return named, tile


def _doubted(found: BoxDetections, named: Detections, tile: FloatArray) -> Detections:
    """The same with scores for low-confidence boxes: both networks are shy of what a light or a cloth hides,
    so neither rules one out.
    """
    scores = found.scores * np.sqrt(np.minimum(1.0, tile * 1.25))
    return replace(named, scores=scores.astype(np.float32))


def _alone(points: FloatArray, found: BoxDetections) -> NDArray[np.bool_]:
    """Which points (n, 2) of a picture lie in the middle of no tile found there."""
    sides = (found.boxes[:, 2:] - found.boxes[:, :2]).min(1)
    away = np.hypot(*np.moveaxis(points[:, None] - _centres(found.boxes)[None], 2, 0))
    return np.asarray((away > ALONE * sides[None]).all(1))


def _with_large_boxes_cut(
    found: BoxDetections, view: DeskewedView | RectifiedView, boxes: FloatArray
) -> BoxDetections:
    """What was found on another view of a photo, with boxes cut in two where the photo shows two
    tiles with these boxes (m, 4).
    """
    cut, home = halves(found.boxes, view.to_view(_centres(boxes)))
    return found if len(home) == len(found.boxes) else replace(found.only(home), boxes=cut)


def _on_photo(
    view: DeskewedView | RectifiedView, seen: Detections, first: FloatArray, image: Image
) -> Detections:
    """What another view of a photo shows, on the photo; boxes of the first look (m, 4) where theirs
    would be too large.
    """
    back = _within(view.boxes_to_photo(seen.boxes), image)
    axes = view.axes_to_photo(seen.axes, seen.boxes)
    low_confidence = (
        None if seen.low_confidence is None else _on_photo(view, seen.low_confidence, first, image)
    )
    return replace(
        seen,
        boxes=_preferred(back, first, _leaning(seen, isinstance(view, RectifiedView))),
        axes=axes,
        low_confidence=low_confidence,
    )


def _centres(boxes: FloatArray) -> FloatArray:
    """Middles (n, 2) of boxes (n, 4)."""
    out: FloatArray = ((boxes[:, :2] + boxes[:, 2:]) / 2).astype(np.float32)
    return out


def _within(boxes: FloatArray, image: Image) -> FloatArray:
    """Boxes (n, 4) cut off at the picture's edges."""
    limit = np.array([image.shape[1], image.shape[0]] * 2, np.float32)
    return np.clip(boxes, 0, limit).astype(np.float32)


def _leaning(seen: Detections, alike: bool) -> NDArray[np.bool_]:
    """Which tiles lie so far from the edges of another view that they come back with too large a
    box: there the first look's is better. With `alike` all tiles are of one size on the view.
    """
    leaning = np.abs(np.sin(2 * seen.axes)) > np.sin(2 * LEANING)
    if alike and len(seen):
        areas = (seen.boxes[:, 2:] - seen.boxes[:, :2]).prod(1)
        leaning &= areas > LOOSER * np.quantile(areas, 0.25)
    return np.asarray(leaning)


def _area(boxes: FloatArray) -> float:
    """Median area of boxes (n, 4), n > 0."""
    return float(np.median((boxes[:, 2:] - boxes[:, :2]).prod(1)))


def _preferred(
    boxes: FloatArray, others: FloatArray, where: NDArray[np.bool_] | None = None
) -> FloatArray:
    """Boxes (n, 4), those marked, or unless told those larger by `TOO_LARGE`, replaced by the other
    box around the same middle, where there is one.
    """
    out = boxes.copy()
    if len(others) == 0:
        return out
    centres, others_at = _centres(boxes), _centres(others)
    sides = others[:, 2:] - others[:, :2]
    for i, box in enumerate(boxes):
        distance = np.hypot(*(others_at - centres[i]).T)
        nearest = int(distance.argmin())
        larger = float((box[2:] - box[:2]).prod()) > TOO_LARGE * float(sides[nearest].prod())
        if (larger if where is None else where[i]) and distance[nearest] < 0.25 * float(
            sides[nearest].min()
        ):
            out[i] = others[nearest]
    return out
