"""Chinese tile names as the project's codes: 东东东 一二三万 四饼四饼, 1万, 红中, mixed with codes.

Full-width letters, digits and brackets, which Chinese input methods write, are read like plain
ones.

The text is rewritten in codes before it is read, and each character remembers where it came from,
so that an error names the place in what the person wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_PLAIN = {0xFF01 + i: 0x21 + i for i in range(94)}
"""Full-width characters as plain ones."""

_DIGITS = dict(zip("一二三四五六七八九", "123456789", strict=True))
_SUITS = dict(zip("万萬饼餅筒条條索", "mmpppsss", strict=True))
_HONOURS = dict(zip("东東南西北中发發白", "EESWNCFFP", strict=True))
_FLOWERS = {name: f"{i}h" for i, name in enumerate("春夏秋冬梅兰竹菊", 1)} | {"蘭": "6h"}
_MARKS = dict(zip("【】〔〕和胡", "[][]++", strict=True))

_LONG = (
    *(("红中", "C"), ("紅中", "C"), ("发财", "F"), ("發財", "F"), ("白板", "P"), ("幺鸡", "1s")),
    *((f"{wind}风", code) for wind, code in _HONOURS.items() if code in "ESWN"),
)
"""Names of two characters."""

CHINESE = frozenset({*_DIGITS, *_SUITS, *_HONOURS, *_FLOWERS, *_MARKS})
"""Characters that a text in Chinese has and the codes do not."""

_GLYPH = re.compile("[\U0001f000-\U0001f02b]")
_Z = re.compile(r"(\d+)z")


def in_codes(text: str, glyph_code: Callable[[str], str | None]) -> tuple[str, list[int]]:
    """Rewrite a text in the project's codes where it has Chinese names, or mixes forms.

    Args:
        text: what the person wrote.
        glyph_code: the code of a Unicode tile character.

    Returns:
        The text in codes, and for each of its characters (and its end) the place in `text`.
    """
    text = text.translate(_PLAIN)
    chinese = any(char in CHINESE for char in text)
    glyphs = _GLYPH.search(text) is not None
    codes = re.search(r"[0-9]+[mpshz]|(?<![A-Za-z])[ESWNCFP]+(?![A-Za-z:])", text) is not None
    letters = re.search(r"(?<![A-Za-z])[ESWNCFP]+(?=[1-7]+z|[^A-Za-z0-9:]|$)", text) is not None
    if not (chinese or (glyphs and codes) or (letters and _Z.search(text))):
        return text, list(range(len(text) + 1))
    written: list[str] = []
    places: list[int] = []
    for place, code in _pieces(text, glyph_code):
        written.append(code)
        places += [place] * len(code)
    return "".join(written), [*places, len(text)]


def _pieces(text: str, glyph_code: Callable[[str], str | None]) -> Iterator[tuple[int, str]]:
    """Yield each piece with its place."""
    at = 0
    while at < len(text):
        long = next(((word, code) for word, code in _LONG if text.startswith(word, at)), None)
        honours = _Z.match(text, at)
        if long is not None:
            yield at, long[1]
            at += len(long[0])
        elif honours is not None and all(digit in "1234567" for digit in honours[1]):
            yield at, "".join("ESWNPFC"[int(digit) - 1] for digit in honours[1])
            at = honours.end()
        else:
            yield at, _one(text[at], glyph_code)
            at += 1


def _one(char: str, glyph_code: Callable[[str], str | None]) -> str:
    for table in (_DIGITS, _SUITS, _HONOURS, _FLOWERS, _MARKS):
        if char in table:
            return table[char]
    return glyph_code(char) or char
