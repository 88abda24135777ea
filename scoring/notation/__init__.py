"""Hands and tiles as text: the project's own notation and the dialects it understands."""

from hupai.scoring.notation.hands import (
    DIALECTS,
    Dialect,
    NotationError,
    UnknownDialectError,
    convert,
    detect,
    format_hand,
    format_tiles,
    parse_hand,
    parse_tiles,
)

__all__ = [
    "DIALECTS",
    "Dialect",
    "NotationError",
    "UnknownDialectError",
    "convert",
    "detect",
    "format_hand",
    "format_tiles",
    "parse_hand",
    "parse_tiles",
]
