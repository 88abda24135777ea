"""Every benchmark that needs nothing but this project: ``make bench``."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

PROGRAMS = ("benchmarks.scoring", "benchmarks.pipeline")


def main() -> None:
    """Run them one after another, each with its defaults."""
    for name in PROGRAMS:
        folder = Path(__file__).parent / name.partition(".")[2]
        if not (folder / "__main__.py").is_file() and not folder.with_suffix(".py").is_file():
            print(f"{name}: not in this checkout")
            continue
        print(f"\n== {name}", flush=True)
        sys.argv = [name]
        runpy.run_module(name, run_name="__main__")


if __name__ == "__main__":
    main()
