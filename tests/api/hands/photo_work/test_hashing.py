"""Name and fingerprint of a request take one hash of its photo, and not on the event loop."""

from __future__ import annotations

import asyncio
import hashlib

import httpx
import pytest

from hupai.api.hands import forms
from hupai.api.hands.photo_work import hand_photos
from tests.api.service import MCR, WON_HOW, photo_file, picture


def on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, bool]]:
    """What is hashed, and whether that holds up the event loop."""
    found: list[tuple[bytes, bool]] = []

    def noted(data: bytes) -> object:
        found.append((data, on_event_loop()))
        return hashlib.sha256(data)

    for module in (forms, hand_photos):
        monkeypatch.setattr(module, "sha256", noted)
    return found


@pytest.mark.parametrize("path", ["/v1/hands", "/v1/recognitions"])
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_photo_is_hashed_once_and_not_on_the_event_loop(
    client: httpx.Client, hashed: list[tuple[bytes, bool]], path: str, accept: str
) -> None:
    photo = picture(form="PNG") + f"{path} {accept}".encode()
    answer = client.post(
        path,
        files=photo_file(photo),
        data={"rules": MCR} | ({"circumstances": WON_HOW} if path == "/v1/hands" else {}),
        headers={"accept": accept},
    )
    assert answer.is_success, answer.text
    assert [on_loop for data, on_loop in hashed if data == photo] == [False]
