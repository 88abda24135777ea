"""What every test may use."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx._transports.default as httpx_transport
import hypothesis
import pytest

from tests.profile import NIGHTLY, PROFILE
from tests.shared import MISSING, ROOT, shared_dir


def pytest_configure(config: pytest.Config) -> None:
    """Quiet surroundings, set up before any test module is imported.

    Settings of the developer's own shell do not change what is tested. Small arrays gain nothing
    from threads and a busy machine loses by them, so the numeric libraries and OpenCV get one
    each. Each service keeps what it stores in a temporary folder of its own, and reads photos in
    its own process, as starting others takes longer than most tests.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
        os.environ.setdefault(name, "1")
    for name in [
        name
        for name in os.environ
        if name.startswith("HUPAI_")
        and not name.startswith(("HUPAI_SHARED", "HUPAI_CHROMIUM", "HUPAI_TEST_"))
    ]:
        del os.environ[name]
    os.environ["HUPAI_DATA_DIR"] = ":temporary:"
    os.environ["HUPAI_SEPARATE_READERS"] = "false"
    # Every client of httpx reads the certificates anew, for 0.03 s; the tests' services speak HTTP.
    original = httpx_transport.create_ssl_context  # type: ignore[attr-defined]
    httpx_transport.create_ssl_context = cache(original)  # type: ignore[attr-defined]
    load_hypothesis_profile(PROFILE)


def load_hypothesis_profile(name: str) -> None:
    """Load a Hypothesis profile: ``ci``, or ``nightly`` with new and many more examples.

    ``ci`` draws the same examples each time, so that a failure can be repeated. Neither has a
    deadline: how long an example takes only says how busy the machine is.
    """
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile(
        "ci", deadline=None, derandomize=True, max_examples=30, suppress_health_check=slow
    )
    hypothesis.settings.register_profile(
        "nightly", deadline=None, max_examples=300, print_blob=True, suppress_health_check=slow
    )
    hypothesis.settings.load_profile(name)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import and collect without the garbage collector, which then leaves alone what is there.

    Nearly all of it stays to the end: looking through it again and again costs a third of
    collecting, and more in every test.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


SLOW_FIRST = (
    "tests/e2e/",
    "tests/test_packaging",
    "tests/api/app/",
    "tests/api/storage/",
    "tests/api/test_schemathesis",
)
"""The slow files, which start first in a parallel run, so that none runs alone at the end."""

LEFT_OUT = pytest.StashKey[int]()
"""How many tests this run leaves to the nightly profile."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the nightly tests and put the slow files first; the order within a file stays.

    Tests that the command line names run in any case: with ``::``, or with ``-m nightly``.
    """
    named = any("::" in arg for arg in config.args) or "nightly" in config.option.markexpr
    if not NIGHTLY and not named:
        left_out = [item for item in items if item.get_closest_marker("nightly")]
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
        config.stash[LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=left_out)
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW_FIRST))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker process tells the one that reports how many tests it left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker process told; each of them collects all tests."""
    stash, told = node.config.stash, getattr(node, "workeroutput", {}).get("left_out", 0)
    stash[LEFT_OUT] = max(told, stash.get(LEFT_OUT, 0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how many tests were left out, and how to run them."""
    if count := config.stash.get(LEFT_OUT, 0):
        tests = "1 nightly test" if count == 1 else f"{count:,} nightly tests"
        terminalreporter.write_line(f"{tests} left out; make test-nightly runs all")


@pytest.fixture(scope="session", autouse=True)
def _made_once(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Networks and schema, see `tests.made_once`, which is imported after the settings are made."""
    with import_module("tests.made_once").made_once(tmp_path_factory.mktemp("once")):
        yield


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
