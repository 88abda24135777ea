"""Fixtures for the tests of the command line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hupai.api.cli.typer_app import LANGUAGE


@pytest.fixture(autouse=True)
def language_of_its_own() -> Iterator[None]:
    """Let no command that was run in this process decide the language of the next test."""
    token = LANGUAGE.set("")
    yield
    LANGUAGE.reset(token)
