"""What tests of tile sets share: a detector that finds coloured squares, and photos of them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from scoring.tiles import Tile
from vision.two_stage import TwoStageDetector
from vision.types import Detections, FloatArray, Image, ModelInfo

SIDE, GAP = 40, 20


class Squares(TwoStageDetector):
    """Takes every bright square for a tile; the red in its middle, divided by four, is its face.

    Attributes:
        blind: faces that it takes for 1m.
        hint: whether it sees a little of what they are.
        learns: whether it tells embeddings.
        calls: how often it looked at a photo.
    """

    def __init__(self, blind: Sequence[Tile] = (), learns: bool = True, hint: bool = True) -> None:
        self.blind, self.learns, self.hint, self.calls = frozenset(blind), learns, hint, 0
        self._asked = None
        self._known = ()

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("squares", "1", "5" * 64)

    @property
    def crop(self) -> int:
        return 16

    @property
    def embeds(self) -> bool:
        return self.learns

    def embed(self, crops: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Embeddings are how close the middle's red is to each face's."""
        red = crops[:, 0, 6:10, 6:10].mean((1, 2)) * 255 / 4
        near = np.exp(-((red[:, None] - np.arange(64)) ** 2) / 2).astype(np.float32)
        return self._logits(np.rint(red).astype(int)), near

    def detect(self, image: Image) -> Detections:
        self.calls += 1
        count, _, stats, centres = cv2.connectedComponentsWithStats((image[..., 2] > 200).astype(np.uint8))
        boxes = np.asarray([[x, y, x + w, y + h] for x, y, w, h, _ in stats[1:count]], np.float32).reshape(-1, 4)
        faces = np.asarray([round(image[int(y), int(x), 0] / 4) for x, y in centres[1:count]], int)
        logits = self._logits(faces)
        name = None
        if self._asked is not None:
            embeddings = np.exp(-((faces[:, None] - np.arange(64)) ** 2) / 2).astype(np.float32)
            logits, name = self._asked.corrected(logits, embeddings), self._asked.name
        shares = np.exp(logits[:, :43])
        shares /= shares.sum(1, keepdims=True)
        n = len(boxes)
        return Detections(boxes, np.ones(n, np.float32), shares.astype(np.float32), np.full(n, np.pi / 2, np.float32), name)

    def _logits(self, faces: np.ndarray) -> FloatArray:
        logits = np.zeros((len(faces), 44), np.float32)
        for row, face in zip(logits, faces, strict=True):
            known = 0 <= face < 42 and Tile(int(face)) not in self.blind
            if known:
                row[int(face)] = 9
            else:
                row[int(Tile.M1)] = 6
                row[int(face) if 0 <= face < 42 else int(Tile.M1)] += 3 * self.hint
        return logits


def photo(faces: Sequence[Tile], columns: int = 9) -> bytes:
    """Squares in rows, as PNG."""
    rows = -(-len(faces) // columns)
    picture = np.zeros((rows * (SIDE + GAP) + GAP, columns * (SIDE + GAP) + GAP, 3), np.uint8)
    for k, face in enumerate(faces):
        y, x = GAP + (k // columns) * (SIDE + GAP), GAP + (k % columns) * (SIDE + GAP)
        picture[y : y + SIDE, x : x + SIDE] = (255, 255, int(face) * 4)  # BGR
    return cv2.imencode(".png", picture)[1].tobytes()
