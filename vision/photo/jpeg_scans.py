"""How many passes over its blocks a JPEG asks for.

A progressive JPEG brings its coefficients in several scans, about ten in practice. A scan may say
in a few bytes that it brings nothing new, and the decoder goes through every block all the same: a
file of 1 MB can keep it busy for many minutes.
"""

from __future__ import annotations

import re

_NEXT_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
"""What ends coded data: neither a stuffed byte nor a restart marker, nor padding."""
_START_OF_SCAN, _END_OF_IMAGE = 0xDA, 0xD9
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})


def scans(data: bytes, most: int) -> int:
    """Scans of the first picture of a JPEG file; counting stops past `most`, or where the file
    makes no sense.
    """
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
