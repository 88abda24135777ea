"""Cuts the square view of a tile that the crop classifier looks at. Training cuts with the same function."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

VIEW = 1.06
"""Side of the view in longer box sides: the whole tile at any angle, and a sliver of its neighbours."""
FILL = 114
"""Grey level outside the photo, as detectors are trained with."""


def cut_square(image: NDArray[np.uint8], box: NDArray[np.floating], size: int, context: float = VIEW) -> NDArray[np.uint8]:
    """The square around the middle of a box, resampled to `size` pixels.

    Args:
        image: uint8, shape (height, width, 3).
        box: [x0, y0, x1, y1] in pixels; may reach over the edge.
        size: pixels of the result's side.
        context: side of the square in longer sides of the box.

    Returns:
        uint8, shape (size, size, 3); grey where the photo ends.
    """
    centre = (box[:2] + box[2:]) / 2
    side = max(float((box[2:] - box[:2]).max()) * context, 4.0)
    low = np.floor(centre - side / 2).astype(int)
    high = np.ceil(centre + side / 2).astype(int)
    x0, y0 = np.maximum(low, 0)
    x1, y1 = np.minimum(high, (image.shape[1], image.shape[0]))
    out = np.full((high[1] - low[1], high[0] - low[0], 3), FILL, np.uint8)
    if x1 > x0 and y1 > y0:
        out[y0 - low[1] : y1 - low[1], x0 - low[0] : x1 - low[0]] = image[y0:y1, x0:x1]
    method = cv2.INTER_AREA if out.shape[0] > size else cv2.INTER_LINEAR
    return cv2.resize(out, (size, size), interpolation=method).astype(np.uint8)
