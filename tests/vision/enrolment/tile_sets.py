"""What tests of tile sets share: a detector that reads rings, and photos of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

import cv2
import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.detection.tile_classifier import LogitCorrection, Recognise
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.types import Detections, FloatArray, Image, ModelInfo

SIDE, GAP, RINGS, WIDE = 56, 28, 6, 4
_radius = np.hypot(*(np.indices((SIDE, SIDE)) - (SIDE - 1) / 2))
"""A tile is a bright square with six rings, which are the binary digits of its face: however it
lies, it looks the same.
"""


class Rings(TwoStageDetector):
    """Takes every whole bright square for a tile and reads its rings.

    Attributes:
        blind: faces that it takes for 1m.
        hint: whether it sees a little of what they are.
        learns: whether it provides embeddings.
    """

    def __init__(self, blind: Sequence[Tile] = (), learns: bool = True, hint: bool = True) -> None:
        self.blind, self.learns, self.hint = frozenset(blind), learns, hint
        self.correction: LogitCorrection | None = None

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("rings", "1", "5" * 64)

    @property
    def crop(self) -> int:
        return SIDE

    @property
    def embeds(self) -> bool:
        return self.learns

    def with_correction(
        self, correction: LogitCorrection | None = None, recognise: Recognise | None = None
    ) -> Rings:
        other = copy(self)
        other.correction = correction
        return other

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Embeddings are how red each ring is."""
        rings = np.stack([crops[:, 0, _ring(i)].mean(1) for i in range(RINGS)], 1)
        return self._logits(rings), np.tile(rings, 64).astype(np.float32)

    def detect(self, image: Image) -> Detections:
        count, _, stats, _ = cv2.connectedComponentsWithStats(
            (image[..., 2] > 200).astype(np.uint8)
        )
        boxes = np.asarray(
            [[x, y, x + w, y + h] for x, y, w, h, _ in stats[1:count] if w == h == SIDE], np.float32
        ).reshape(-1, 4)
        if not len(boxes):
            return Detections.empty()
        cut = [image[int(y) : int(y) + SIDE, int(x) : int(x) + SIDE] for x, y, *_ in boxes]
        logits, embeddings = self.embed(
            (np.stack(cut).transpose(0, 3, 1, 2) / 255).astype(np.float32)
        )
        name = None
        if self.correction is not None:
            logits, name = self.correction.corrected(logits, embeddings), self.correction.name
        shares = np.exp(logits[:, :43])
        shares /= shares.sum(1, keepdims=True)
        n = len(boxes)
        return Detections(
            boxes,
            np.ones(n, np.float32),
            shares.astype(np.float32),
            np.full(n, np.pi / 2, np.float32),
            name,
        )

    def region_classifier(
        self, image: Image, tiles: FloatArray
    ) -> Callable[[FloatArray], Detections]:
        """Every tile is a bright square, and no bright square is overlooked."""
        return lambda _: Detections.empty()

    def _logits(self, rings: FloatArray) -> FloatArray:
        bits = rings > (rings.min(1, keepdims=True) + rings.max(1, keepdims=True)) / 2
        faces = (bits * 2 ** np.arange(RINGS)).sum(1) - 1
        logits = np.zeros((len(rings), 44), np.float32)
        for row, face in zip(logits, faces, strict=True):
            known = 0 <= face < 42 and Tile(int(face)) not in self.blind
            row[int(face) if known else int(Tile.M1)] = 9 if known else 6
            if not known and self.hint and 0 <= face < 42:
                row[int(face)] = 3
        return logits


def _ring(number: int) -> np.ndarray:
    return np.asarray(_radius // WIDE == number)


def photo(faces: Sequence[Tile], columns: int = 9) -> bytes:
    """Tiles in rows, as PNG."""
    rows = -(-len(faces) // columns)
    picture = np.zeros((rows * (SIDE + GAP) + GAP, columns * (SIDE + GAP) + GAP, 3), np.uint8)
    for k, face in enumerate(faces):
        tile = np.full((SIDE, SIDE, 3), (255, 255, 0), np.uint8)  # BGR
        for ring in range(RINGS):
            if (int(face) + 1) >> ring & 1:
                tile[_ring(ring), 2] = 255
        y, x = GAP + (k // columns) * (SIDE + GAP), GAP + (k % columns) * (SIDE + GAP)
        picture[y : y + SIDE, x : x + SIDE] = tile
    return cv2.imencode(".png", picture)[1].tobytes()
