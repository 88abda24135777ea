"""Reads QR codes as a phone does."""

from __future__ import annotations

import numpy as np
import zxingcpp
from numpy.typing import NDArray

_MODULE_SIDE = 8
_MARGIN = 4 * _MODULE_SIDE
"""Side of a module and the white margin, pixels."""


def qr_codes_of(image: NDArray[np.uint8]) -> list[str]:
    """The texts of all QR codes in a grey image (rows, columns), in reading order."""
    return [code.text for code in zxingcpp.read_barcodes(image)]


def read_qr_code(modules: NDArray[np.uint8]) -> str:
    """Read the QR code whose modules (rows, columns) are 0 and 255, whichever of them is dark."""
    seen = np.kron(modules, np.ones((_MODULE_SIDE, _MODULE_SIDE), np.uint8))
    for image in (seen, 255 - seen):
        for text in qr_codes_of(np.pad(image, _MARGIN, constant_values=255)):
            return text
    raise AssertionError("no code can be read")
