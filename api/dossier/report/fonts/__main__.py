"""Reduces the installed Noto Sans CJK SC to what reports need. Needs fontTools, which the PDF
library brings.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection

from hupai.api.dossier.report.fonts import PATH

_INSTALLED = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
_FAMILY = "Noto Sans CJK SC"
_EXTRA = "–—‘’“”…•′″←↑→↓−×÷≤≥≠■□●○✓✗"
_DROPPED = ("BASE", "DSIG", "GDEF", "GPOS", "GSUB", "VORG", "vhea", "vmtx")
_NAMES = [0, 1, 2, 3, 4, 5, 6, 13, 14]


def wanted() -> set[str]:
    """GB 2312, Latin letters with accents, and every character of the project's own sources."""
    pairs = (bytes((high, low)) for high in range(0xA1, 0xF8) for low in range(0xA1, 0xFF))
    found = {chr(code) for code in (*range(0x20, 0x7F), *range(0xA0, 0x180))} | set(_EXTRA)
    found |= {char for pair in pairs for char in pair.decode("gb2312", "ignore")}
    root = Path(__file__).resolve().parents[4]
    for room in ("scoring", "vision", "api"):
        for path in (root / room).rglob("*.py"):
            found |= set(path.read_text(encoding="utf-8"))
    return found


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "font",
        type=Path,
        nargs="?",
        default=_INSTALLED,
        help="the collection NotoSansCJK-Regular.ttc",
    )
    collection = TTCollection(str(parser.parse_args().font))
    font = next(font for font in collection.fonts if font["name"].getDebugName(1) == _FAMILY)
    options = subset.Options()
    options.layout_features = []
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = _NAMES
    options.drop_tables += _DROPPED
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[ord(char) for char in wanted()])
    subsetter.subset(font)
    font.save(str(PATH))
    print(f"{PATH.name}: {PATH.stat().st_size // 1024} KiB, {len(font.getGlyphOrder())} glyphs")


if __name__ == "__main__":
    main()
