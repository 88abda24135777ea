"""The second network: it names tiles from crops of the full photo."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import squares, stacked
from hupai.vision.detection.families import FamilyClassifier, combined_logits
from hupai.vision.detection.onnx_session import Network, open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import DetectorSettings
from hupai.vision.detection.upright import UprightClassifier, upright_places, upright_squares
from hupai.vision.geometry.boxes import sizes
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

CLASSES = 43
"""Classes of the result: 42 faces and the back. The 44th output of the network is "no tile"."""

MAX_BATCH = 64
"""Most crops in one run of the network; more would take memory but save no time."""

MAX_DOUBTFUL = 32
"""Most crops of a picture that are classified again."""

MIN_FACE = 0.5
"""Least probability that an uncertain crop shows a face for it to be classified again."""

MIN_AXIS_LENGTH = 0.35
"""Length of an axis vector below which the axis is not known."""


class LogitCorrection(Protocol):
    """A correction of the classifier's logits, such as an enrolled tile set gives."""

    @property
    def name(self) -> str:
        """Name of the correction, for the answer."""
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


Wrap = Callable[[Network], Network]
"""Wraps a network in another, such as one whose runs several photos share."""

Recognise = Callable[[FloatArray], LogitCorrection | None]
"""Chooses the correction for a photo by the embeddings (n, d) of its tiles; None for no match."""


@dataclass(frozen=True, slots=True, eq=False)
class Classified:
    """The classifier's answer for crops.

    Attributes:
        logits: shape (n, 44), calibrated.
        axes: shape (n, 2), cosine and sine of twice the direction of the upright axis, short where
            it is not known.
        correction: name of the correction applied, None without one.
    """

    logits: FloatArray
    axes: FloatArray
    correction: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """Outputs of the network for crops.

    Attributes:
        logits: shape (n, 44), calibrated.
        axes: shape (n, 2), on the crops.
        embeddings: shape (n, d), d = 0 where nothing needs them.
    """

    logits: FloatArray
    axes: FloatArray
    embeddings: FloatArray


class TileClassifier:
    """The network that names crops, with its calibration; threads may share it.

    Attributes:
        upright: names uncertain tiles upright as well; None where there is no such network.
        families: networks that classify faces within a family.
    """

    upright: UprightClassifier | None = None
    families: tuple[FamilyClassifier, ...] = ()

    def __init__(
        self,
        network: Path,
        settings: DetectorSettings,
        threads: int = 0,
        providers: str | None = None,
    ) -> None:
        """Open the network.

        Args:
            network: ONNX file; input (n, 3, crop, crop), outputs logits (n, 44) and axis (n, 2);
                it may have embeddings as an output.
            settings: numbers that go with it.
            threads, providers: see `hupai.vision.detection.onnx_session.open_network`.
        """
        self._network = open_network(network, threads, providers)
        self._settings = settings
        outputs = {output.name for output in self._network.get_outputs()}
        self.embeds = "embedding" in outputs
        """Whether the network has embeddings, without which no tile set can be learnt."""
        self._correction: LogitCorrection | None = None
        self._recognise: Recognise | None = None

    def with_correction(
        self, correction: LogitCorrection | None, recognise: Recognise | None
    ) -> TileClassifier:
        """Return the same network with a correction, see `TwoStageDetector.with_correction`."""
        other = copy(self)
        other._correction, other._recognise = correction, recognise  # noqa: SLF001 - a copy of self
        return other

    def through(self, wrap: Wrap) -> TileClassifier:
        """Return the same classifier whose network is what `wrap` makes of it."""
        other = copy(self)
        other._network = wrap(self._network)  # noqa: SLF001 - a copy of self
        return other

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return calibrated logits (n, 44) and embeddings (n, d), see `embeds`.

        Args:
            crops: shape (n, 3, crop, crop), RGB from 0 to 1.
        """
        logits, embeddings = self._network.run(["logits", "embedding"], {"crops": crops})
        return logits / self._settings.temperature, embeddings

    def classify(
        self,
        picture: Picture,
        boxes: FloatArray,
        again: bool = True,
        half_axes: FloatArray | None = None,
    ) -> Classified:
        """Name the tiles of a picture.

        Crops that show a face that is uncertain after one run are classified again, turned upright
        and upside down, by this network and by the one for upright crops, and the outputs are
        averaged. Of many such crops only the largest are: small tiles are far away and not part of
        a hand. Faces in doubt within their family are classified by its network as well.

        Args:
            picture: that shows them.
            boxes: shape (n, 4), pixels.
            again: whether uncertain ones are classified again.
            half_axes: shape (n, 2, 2), see `hupai.vision.detection.directions`; None where
                this network must estimate the directions.
        """
        seen = self._look(picture, squares(boxes))
        logits, axes = seen.logits, seen.axes
        correction = self._correction
        if correction is None and self._recognise is not None:
            inked = logits[:, : Tile.BACK].max(1) > logits[:, Tile.BACK :].max(1)
            correction = self._recognise(seen.embeddings[inked])
        shared = None
        if correction is not None:
            shared = correction.shared(logits, seen.embeddings)
            logits = correction.corrected(logits, seen.embeddings, shared)
        if not again:
            return Classified(logits, axes, None if correction is None else correction.name)
        given = (boxes, axes, half_axes, picture.size)
        doubt, places = _upright(self._uncertain(logits, boxes), *given)
        if len(doubt):
            crops = self._both_ways_up(picture, places)
            turned = self.run(crops)
            more = turned.logits
            if correction is not None:
                more = correction.corrected(more, turned.embeddings, shared)
            logits[doubt] = (logits[doubt] + more.reshape(2, len(doubt), -1).mean(0)) / 2
            # An enrolled tile set corrects the logits of this network only.
            if self.upright is not None and correction is None:
                logits[doubt] = (logits[doubt] + self.upright.logits(crops)) / 2
        for network in self.families if correction is None else ():
            classes = network.family.classes
            shares = softmax(logits)[:, classes]
            total = shares.sum(1)
            doubtful = (total > MIN_FACE) & (shares.max(1) < network.family.sure * total)
            some, places = _upright(_largest(np.nonzero(doubtful)[0], boxes), *given)
            if len(some):
                at = np.ix_(some, classes)
                logits[at] = combined_logits(logits[at], network.logits(picture, places))
        return Classified(logits, axes, None if correction is None else correction.name)

    def _uncertain(self, logits: FloatArray, boxes: FloatArray) -> NDArray[np.intp]:
        """Return the largest of the crops whose face is uncertain, at most `MAX_DOUBTFUL`.

        Args:
            logits: shape (n, 44).
            boxes: shape (n, 4), pixels.
        """
        faces = softmax(logits)[:, : Tile.BACK]
        doubt = np.nonzero((faces.sum(1) > MIN_FACE) & (faces.max(1) < self._settings.sure))[0]
        return _largest(doubt, boxes)

    def _both_ways_up(self, picture: Picture, places: NDArray[np.float64]) -> FloatArray:
        """Return crops (2 n, 3, crop, crop) of places (n, 4, 2), and then the same upside down."""
        crops = picture.straightened(places, (self._settings.crop, self._settings.crop))
        return stacked(np.concatenate([crops, np.rot90(crops, 2, (1, 2))]))

    def run(self, crops: FloatArray) -> Outputs:
        """Run the network over crops (n, 3, crop, crop), batch by batch."""
        names = ["logits", "axis"]
        if self._correction is not None or self._recognise is not None:
            names.append("embedding")
        batches = [crops[i : i + MAX_BATCH] for i in range(0, len(crops), MAX_BATCH)]
        runs = [self._network.run(names, {"crops": batch}) for batch in batches]
        parts: dict[str, FloatArray] = {
            name: np.concatenate(part)
            for name, part in zip(names, zip(*runs, strict=True), strict=True)
        }
        none = np.zeros((len(crops), 0), np.float32)
        return Outputs(
            parts["logits"] / np.float32(self._settings.temperature),
            parts["axis"],
            parts.get("embedding", none),
        )

    def _look(self, picture: Picture, places: NDArray[np.float64]) -> Outputs:
        """Run the network over the crops at places (n, 4)."""
        crops = picture.cut(places, (self._settings.crop, self._settings.crop))
        return self.run(stacked(crops))


def _upright(
    which: NDArray[np.intp],
    boxes: FloatArray,
    axes: FloatArray,
    half_axes: FloatArray | None,
    size: tuple[int, int],
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return those of some tiles whose direction is known, and the places (m, 4, 2) that show them
    upright or upside down.
    """
    if half_axes is not None:
        return which, upright_places(boxes[which], half_axes[which], size)
    angles = axis_angles(axes[which])
    which, angles = which[np.isfinite(angles)], angles[np.isfinite(angles)]
    return which, upright_squares(boxes[which], angles)


def _largest(which: NDArray[np.intp], boxes: FloatArray) -> NDArray[np.intp]:
    """Return those of some boxes (n, 4) that are largest, at most `MAX_DOUBTFUL`."""
    largest = np.argsort(-sizes(boxes[which]).max(1), kind="stable")
    return which[largest[:MAX_DOUBTFUL]]


def axis_angles(axes: FloatArray, least: float = MIN_AXIS_LENGTH) -> FloatArray:
    """Return the directions modulo pi of axis vectors (n, 2), shape (n,).

    Those of vectors shorter than `least` are not known: NaN.
    """
    angles = ((np.arctan2(axes[:, 1], axes[:, 0]) / 2) % np.pi).astype(np.float32)
    angles[np.hypot(axes[:, 0], axes[:, 1]) < least] = np.nan
    return angles
