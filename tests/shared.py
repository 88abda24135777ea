"""Where the tests find the shared photos, scoring cases and rule texts, which are no part of the
project.

They lie in the folder that ``HUPAI_SHARED`` names, or in ``../shared`` beside the checkout. Tests
that need them skip where they are missing::

    @needs_shared
    def test_every_published_case() -> None:
        path = require_shared("cases", "mcr-published.jsonl")
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""


def shared_dir() -> Path | None:
    """The folder of shared material; None where there is none."""
    configured = os.environ.get("HUPAI_SHARED")
    folder = Path(configured) if configured else ROOT.parent / "shared"
    return folder if folder.is_dir() else None


def require_shared(*parts: str) -> Path:
    """A file or folder of the shared material; skips the running test where it is missing."""
    folder = shared_dir()
    if folder is None:
        pytest.skip(MISSING)
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(('../shared', *parts))} is missing")
    return path


MISSING = "needs ../shared: set HUPAI_SHARED to a folder that holds it"

needs_shared = pytest.mark.skipif(shared_dir() is None, reason=MISSING)
"""Mark for a test that reads shared material; `require_shared` alone does as well."""
