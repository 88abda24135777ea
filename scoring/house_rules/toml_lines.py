"""Finds the line of a key in a TOML text, for error messages."""

from __future__ import annotations

import re
from collections.abc import Sequence


def line_of(lines: Sequence[str], table: str, key: str, shown: str = "") -> int:
    """Find the line (from 1) of a key of a table.

    Args:
        lines: the lines of the file.
        table: name of the table; empty for keys before the first.
        key: the key, or the name of a table itself.
        shown: a word of its value; then the first line from there on that shows it, for lists over
            several lines.
    """
    current = ""
    start = 1
    for number, line in enumerate(lines, 1):
        head = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        if head:
            current = head[1].strip("\"' ")
            if current == (table or key):
                start = number
        elif current == table and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            start = number
            break
    if shown:
        return next((n for n in range(start, len(lines) + 1) if shown in lines[n - 1]), start)
    return start
