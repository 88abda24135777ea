"""Pictures of an enrolled tile set."""

from __future__ import annotations

import cv2
import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import VIEW
from hupai.vision.enrolment.discriminant import MARGIN, SIDE, TileSet
from hupai.vision.types import Image

_COLUMNS = 9


def face_picture(tiles: TileSet, face: Tile) -> Image | None:
    """The first view of a face as the classifier sees it, RGB; None if the set has none."""
    places = np.nonzero(tiles.faces == int(face))[0]
    if not len(places):
        return None
    cut = round(SIDE * (1 - VIEW / MARGIN) / 2)
    return np.ascontiguousarray(tiles.views[places[0]][cut : SIDE - cut, cut : SIDE - cut])


def faces_picture(tiles: TileSet) -> Image:
    """All faces in rows of nine with their codes, RGB."""
    pictures = []
    for face in tiles.known:
        picture = face_picture(tiles, face)
        assert picture is not None
        framed = cv2.copyMakeBorder(picture, 18, 4, 4, 4, cv2.BORDER_CONSTANT, value=(40, 40, 40))
        cv2.putText(framed, face.code, (6, 13), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (255, 255, 0), 1)
        pictures.append(framed)
    pictures += [np.full_like(pictures[0], 40)] * (-len(pictures) % _COLUMNS)
    rows = [
        np.concatenate(pictures[i : i + _COLUMNS], 1) for i in range(0, len(pictures), _COLUMNS)
    ]
    return np.asarray(np.concatenate(rows), np.uint8)
