"""Faces for renderers: each shows its code in red on a white plate."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from hupai.scoring.tiles import CODES


def draw_plates(folder: Path) -> Path:
    """Make the folder and draw a face of each tile into it; return the folder."""
    folder.mkdir()
    for code in CODES[:42]:
        face = np.full((96, 72, 3), 255, np.uint8)
        cv2.putText(face, code, (10, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 200), 2)
        cv2.imwrite(str(folder / f"{code}.png"), face)
    return folder
