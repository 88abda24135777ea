"""Canonical serialisation of values as bytes, so that a hash over them is meaningful: JSON
Canonicalization Scheme, RFC 8785.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import rfc8785

from hupai.scoring.errors import HupaiError

Value = Any
"""What JSON holds: null, booleans, numbers, text, lists and objects."""


class NotCanonicalError(HupaiError, ValueError):
    """Bytes that are not JSON, or not canonical JSON."""


def canonical(value: Value) -> bytes:
    """Return the canonical bytes of a JSON value: members sorted by name, no white space, numbers
    as ECMAScript writes them.

    Raises:
        ValueError: for what JSON cannot hold, such as an infinite number or an integer beyond
            2**53.
    """
    return rfc8785.dumps(value)


def parse_canonical(data: bytes) -> Value:
    """Parse canonical bytes.

    Raises:
        NotCanonicalError: if writing the value again gives other bytes.
    """
    try:
        value = json.loads(data, parse_int=_number)
        again = canonical(value)
    except (ValueError, RecursionError) as error:
        raise NotCanonicalError(f"no JSON: {error}") from None
    if again != data:
        at = next(
            (i for i, (a, b) in enumerate(zip(again, data, strict=False)) if a != b),
            min(len(again), len(data)),
        )
        raise NotCanonicalError(f"not in canonical form from byte {at} on")
    return value


def _number(text: str) -> int | float:
    """Convert a whole number as the standard requires: beyond 2**53 every number is a float."""
    number = int(text)
    return number if abs(number) < 2**53 else float(text)


def digest(data: bytes) -> str:
    """SHA-256, hexadecimal."""
    return sha256(data).hexdigest()
