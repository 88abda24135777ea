"""Counts the scans of a JPEG, to reject decompression bombs.

A progressive JPEG stores its coefficients in several scans, about ten in practice. A scan of a few
bytes may contain nothing new, yet the decoder visits every block for it: a file of 1 MB can keep it
busy for many minutes.
"""

from __future__ import annotations

import re

_NEXT_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""The end of coded data: neither a stuffed byte nor a restart marker, nor padding."""

_START_OF_SCAN = 0xDA
"""Code of the marker before a scan."""

_END_OF_IMAGE = 0xD9
"""Code of the marker after the last scan."""

_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
"""Codes of markers that no length follows."""


def scans(data: bytes, most: int) -> int:
    """Count the scans of the first picture of a JPEG file, up to one more than `most`."""
    found, at = 0, 2
    while found <= most:
        marker = _NEXT_MARKER.search(data, at)
        if marker is None:
            break
        code, at = data[marker.start() + 1], marker.end()
        if code == _END_OF_IMAGE:
            break
        if code in _WITHOUT_LENGTH:
            continue
        found += code == _START_OF_SCAN
        at += int.from_bytes(data[at : at + 2], "big")
    return found
