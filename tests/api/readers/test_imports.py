"""What a process that reads photos loads."""

from __future__ import annotations

import subprocess
import sys


def test_a_reader_starts_without_the_web_framework_and_the_database() -> None:
    unneeded = ("fastapi", "fsspec", "prometheus_client", "sqlalchemy", "uvicorn")
    code = (
        "import sys, hupai.api.readers.child; "
        f"print([name for name in {unneeded!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
