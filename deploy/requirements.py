"""Prints the libraries of the base install and of the extras named, one a line.

python deploy/requirements.py postgres > requirements.txt
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(text: str, extras: list[str]) -> list[str]:
    """List the libraries, given the text of pyproject.toml.

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
