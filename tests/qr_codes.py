"""Reads QR codes as a phone does that is moved until it can."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_MARGIN = 32
"""White margin, pixels."""


def read_qr_code(modules: NDArray[np.uint8]) -> str:
    """Read the QR code whose modules (rows, columns) are 0 and 255, whichever of them is dark.

    OpenCV misses some clean codes at one size and reads them at another, so several are tried.
    """
    for side in (8, 5, 12, 6):
        seen = np.kron(modules, np.ones((side, side), np.uint8))
        for image in (seen, 255 - seen):
            framed = np.pad(image, _MARGIN, constant_values=255)
            for detector in (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco()):
                if text := detector.detectAndDecode(framed)[0]:
                    return str(text)
    raise AssertionError("no code can be read")
