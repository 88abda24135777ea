"""Prints the libraries that the program needs, one a line: those of the base install and of the
extras named.

python deploy/requirements.py postgres > requirements.txt
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(text: str, extras: list[str]) -> list[str]:
    """The lines, for the text of pyproject.toml.

    Raises:
        KeyError: for an extra that does not exist.
    """
    project = tomllib.loads(text)["project"]
    return [
        *project["dependencies"],
        *(line for extra in extras for line in project["optional-dependencies"][extra]),
    ]


if __name__ == "__main__":
    print("\n".join(requirements(Path("pyproject.toml").read_text(encoding="utf-8"), sys.argv[1:])))
