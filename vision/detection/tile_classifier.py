"""The second network: it names tiles from crops of the full photo."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import both_ways_up, mean_of_both, squares, stacked
from hupai.vision.detection.families import MIN_FACE, FamilyClassifier, with_family
from hupai.vision.detection.onnx_session import Network
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_detector import DetectorSettings
from hupai.vision.detection.upright import UprightClassifier, upright_places, upright_squares
from hupai.vision.geometry.boxes import sizes
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

CLASSES = 43
"""Classes of the result: 42 faces and the back. The 44th output of the network is "no tile"."""

MAX_BATCH = 64
"""Maximum number of crops in one run of the network; more would take memory but save no time."""

MAX_DOUBTFUL = 32
"""Maximum number of crops of a picture that are classified again."""

MIN_AXIS_LENGTH = 0.35
"""Length of an axis vector below which the axis is not known."""


class LogitCorrection(Protocol):
    """A correction of the classifier's logits, such as that of an enrolled tile set."""

    @property
    def name(self) -> str:
        """Name of the correction, for the answer."""
        ...

    def shared(self, logits: FloatArray, embeddings: FloatArray) -> FloatArray:
        """Estimate what one photo's embeddings have in common besides faces, shape (d,).

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
"""Wraps a network in another, such as one that batches the crops of several photos."""

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
        embeddings: shape (n, d); d is 0 if nothing needs them.
    """

    logits: FloatArray
    axes: FloatArray
    embeddings: FloatArray


class TileClassifier:
    """The network that names crops, with its calibration; threads may share it.

    Attributes:
        upright: the network that also names uncertain tiles upright; None if there is none.
        families: networks that classify faces within a family.
    """

    upright: UprightClassifier | None = None
    families: tuple[FamilyClassifier, ...] = ()

    def __init__(self, network: Network, settings: DetectorSettings) -> None:
        """Name crops with this network.

        Args:
            network: input (n, 3, crop, crop), outputs logits (n, 44) and axis (n, 2); it may have
                embeddings as an output.
            settings: numbers that go with it.
        """
        self._network, self._settings = network, settings
        self.embeds = "embedding" in {output.name for output in network.get_outputs()}
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
        """Return the same classifier with its network wrapped by `wrap`."""
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
        sure_tiles: NDArray[np.bool_] | None = None,
    ) -> Classified:
        """Name the tiles of a picture.

        Crops that show a face that is uncertain after one run are classified again, turned upright
        and upside down, by this network and by the one for upright crops, and the outputs are
        averaged. If there are many such crops, only the largest are: small tiles are far away and
        not part of a hand. Faces in doubt within their family are also classified by its network.

        Args:
            picture: the picture that shows them.
            boxes: shape (n, 4), pixels.
            again: whether uncertain ones are classified again.
            half_axes: shape (n, 2, 2), see `hupai.vision.detection.directions`; None if this
                network must estimate the directions.
            sure_tiles: shape (n,), boxes that certainly hold a tile, see
                `hupai.vision.detection.families.with_family`; none by default.
        """
        crop = self._settings.crop
        seen = self.run(stacked(picture.cut(squares(boxes), (crop, crop))))
        logits, axes, shared = seen.logits, seen.axes, None
        correction = self._correction_of(seen)
        if correction is not None:
            shared = correction.shared(logits, seen.embeddings)
            logits = correction.corrected(logits, seen.embeddings, shared)
        name = None if correction is None else correction.name
        if not again:
            return Classified(logits, axes, name)
        given = (boxes, axes, half_axes, picture.size)
        sure = np.zeros(len(boxes), bool) if sure_tiles is None else sure_tiles
        doubt, places = _upright(self._uncertain(logits), *given)
        if len(doubt):
            crops = both_ways_up(picture, places, crop)
            turned = self.run(crops)
            more = turned.logits
            if correction is not None:
                more = correction.corrected(more, turned.embeddings, shared)
            logits[doubt] = (logits[doubt] + mean_of_both(more)) / 2
            # An enrolled tile set corrects the logits of this network only.
            if self.upright is not None and correction is None:
                logits[doubt] = (logits[doubt] + self.upright.logits(crops)) / 2
        for network in self.families if correction is None else ():
            family = network.family
            some, places = _upright(family.doubtful(softmax(logits), boxes, sure), *given)
            if len(some):
                by_family = network.logits(picture, places)
                logits[some] = with_family(logits[some], by_family, family, sure[some])
        return Classified(logits, axes, name)

    def _correction_of(self, seen: Outputs) -> LogitCorrection | None:
        """Return the correction for a photo, by the outputs for its tiles."""
        if self._correction is not None or self._recognise is None:
            return self._correction
        inked = seen.logits[:, : Tile.BACK].max(1) > seen.logits[:, Tile.BACK :].max(1)
        return self._recognise(seen.embeddings[inked])

    def _uncertain(self, logits: FloatArray) -> NDArray[np.bool_]:
        """Return which crops (n,) with these logits (n, 44) show a face that is uncertain."""
        faces = softmax(logits)[:, : Tile.BACK]
        return np.asarray((faces.sum(1) > MIN_FACE) & (faces.max(1) < self._settings.sure))

    def run(self, crops: FloatArray) -> Outputs:
        """Run the network over crops (n, 3, crop, crop), batch by batch."""
        names = ["logits", "axis"]
        if self._correction is not None or self._recognise is not None:
            names.append("embedding")
        batches = [crops[i : i + MAX_BATCH] for i in range(0, len(crops), MAX_BATCH)]
        runs = [self._network.run(names, {"crops": batch}) for batch in batches]
        logits, axes, *more = map(np.concatenate, zip(*runs, strict=True))
        embeddings = more[0] if more else np.zeros((len(crops), 0), np.float32)
        logits = (logits / self._settings.temperature).astype(np.float32)
        return Outputs(logits, axes, embeddings)


def _upright(
    doubtful: NDArray[np.bool_],
    boxes: FloatArray,
    axes: FloatArray,
    half_axes: FloatArray | None,
    size: tuple[int, int],
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Select the largest doubtful tiles, at most `MAX_DOUBTFUL`, whose direction is known.

    Returns:
        Their indices, and the places (m, 4, 2) that show them upright or upside down.
    """
    which = np.nonzero(doubtful)[0]
    which = which[np.argsort(-sizes(boxes[which]).max(1), kind="stable")[:MAX_DOUBTFUL]]
    if half_axes is not None:
        return which, upright_places(boxes[which], half_axes[which], size)
    angles = axis_angles(axes[which])
    known = np.isfinite(angles)
    return which[known], upright_squares(boxes[which[known]], angles[known])


def axis_angles(axes: FloatArray, least: float = MIN_AXIS_LENGTH) -> FloatArray:
    """Return the directions modulo pi of axis vectors (n, 2), shape (n,).

    Those of vectors shorter than `least` are not known: NaN.
    """
    angles = ((np.arctan2(axes[:, 1], axes[:, 0]) / 2) % np.pi).astype(np.float32)
    angles[np.hypot(axes[:, 0], axes[:, 1]) < least] = np.nan
    return angles
