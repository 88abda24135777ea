"""SVG to pixels."""

from __future__ import annotations

import cv2
import numpy as np
import resvg_py
from numpy.typing import NDArray

FACE_HEIGHT = 192
"""Rows of a face picture; its width follows from the design's proportions."""


def rasterise(svg: str, height: int) -> NDArray[np.uint8]:
    """Rasterise a drawing as RGBA, uint8, shape (height, w, 4), alpha not premultiplied.

    Raises:
        ValueError: if the text is not well-formed SVG.
    """
    png = resvg_py.svg_to_bytes(svg_string=svg, height=height)
    raw = cv2.imdecode(np.frombuffer(bytes(png), np.uint8), cv2.IMREAD_UNCHANGED)
    if raw is None:
        raise ValueError("the SVG could not be drawn: is it well-formed?")
    out: NDArray[np.uint8] = cv2.cvtColor(raw, cv2.COLOR_BGRA2RGBA).astype(np.uint8)
    return out
