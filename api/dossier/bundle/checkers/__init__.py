"""Two programs that check a bundle without Hupai; both are put in every bundle.

`check.html` needs a browser, `verify.py` Python and the package ``cryptography``.
"""

from __future__ import annotations

from pathlib import Path

CHECKERS: tuple[Path, ...] = tuple(
    Path(__file__).with_name(name) for name in ("check.html", "verify.py")
)
"""Where they lie."""
