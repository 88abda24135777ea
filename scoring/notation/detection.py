"""Which dialect a hand is written in."""

from __future__ import annotations

import re


def detect(text: str) -> str:
    """Name the dialect that a text is most likely written in.

    It is ``hupai`` if nothing indicates another one.

    ``mcr`` is never guessed: its ``[1111p]`` is a concealed kong, which in the project's form is an
    exposed one.
    """
    if any("\U0001f000" <= char <= "\U0001f02f" for char in text):
        return "unicode"
    if re.search(r"\b(CHI|PENG|GANG):|^\s*\+?(?:[WBTJFH][1-9])+(?!\S)", text):
        return "mahjonggb"
    if re.search(r"\b(chow|pung|c?kong):", text):
        return "cases"
    return "riichi" if re.search(r"\dz", text) else "hupai"
