"""Runs every benchmark that needs only this project and its development tools: ``make bench``."""

from __future__ import annotations

import runpy
import sys

PROGRAMS = (
    ("benchmarks.scoring.speed",),
    ("benchmarks.scoring.agreement", "--hands", "2000"),
    ("benchmarks.layout", "--scenes", "300"),
    ("benchmarks.pipeline",),
    ("benchmarks.overlay", "--passes", "1"),
)


def main() -> None:
    """Run them one after another."""
    for name, *arguments in PROGRAMS:
        print(f"\n== python -m {' '.join((name, *arguments))}", flush=True)
        sys.argv = [name, *arguments]
        try:
            runpy.run_module(name, run_name="__main__")
        except SystemExit as end:
            if end.code:
                print(f"{name} ended with {end.code}")


if __name__ == "__main__":
    main()
