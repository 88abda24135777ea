"""What the tests of the overlay's pages wait for."""

from __future__ import annotations

import socket

from playwright.sync_api import Page

from tests.api.service import wait_until


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def expect_accent(page: Page, colour: str) -> None:
    """The theme in use has this accent. (The page's policy forbids what Playwright's own waiting
    for a function does.)
    """
    accent = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"
    wait_until(lambda: page.evaluate(accent) == colour)


def expect_at_rest(page: Page) -> None:
    """Everything has come to its place, though the winning tile may still glow, and every picture
    is there.
    """
    moving = "document.getAnimations().filter((one) => one.playState === 'running' && one.animationName !== 'glow').length"
    missing = "[...document.querySelectorAll('.tile img')].filter((image) => !image.complete || !image.naturalWidth).length"
    wait_until(lambda: page.evaluate(f"{moving} + {missing}") == 0)
