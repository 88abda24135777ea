"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tests.shared import MISSING, ROOT, shared_dir


def pytest_configure(config: pytest.Config) -> None:
    """Quiet surroundings, set up before any test module is imported.

    Settings of the developer's own shell do not change what is tested. Small arrays gain nothing
    from threads and a busy machine loses by them, so the numeric libraries get one each. Each
    service keeps what it stores in a temporary folder of its own.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    for name in [
        name
        for name in os.environ
        if name.startswith("HUPAI_") and name not in ("HUPAI_SHARED", "HUPAI_CHROMIUM")
    ]:
        del os.environ[name]
    os.environ["HUPAI_DATA_DIR"] = ":temporary:"
    # How long an example takes says how busy the machine is. The same examples each time: a failure
    # can be repeated.
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile(
        "hupai", deadline=None, derandomize=True, suppress_health_check=slow
    )
    hypothesis.settings.load_profile("hupai")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared; the test is skipped where it is missing."""
    folder = shared_dir()
    if folder is None:
        pytest.skip(MISSING)
    return folder
