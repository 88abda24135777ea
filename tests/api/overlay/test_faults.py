"""Faults of one part of the overlay do not reach the others."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from hupai.api.overlay.preview import Previews
from hupai.api.storage import Storage, StorageUnavailableError
from tests.api.overlay.service import make_table, overlay_app, serving


def test_the_service_ends_although_a_task_of_the_overlay_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_previews: Previews) -> None:
        raise RuntimeError("no such colour")

    closed: list[Storage] = []
    close = Storage.close

    def noted(storage: Storage) -> None:
        closed.append(storage)
        close(storage)

    monkeypatch.setattr(Previews, "send_for_ever", fails)
    monkeypatch.setattr(Storage, "close", noted)
    app = overlay_app(tmp_path)
    with serving(app) as address:
        assert httpx.get(f"{address}/healthz").status_code == 200
    assert closed == [app.state.storage]


def test_a_table_that_was_stored_is_answered_while_leases_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_arguments: object) -> None:
        raise StorageUnavailableError("the database is away")

    app = overlay_app(tmp_path)
    with serving(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        monkeypatch.setattr(app.state.overlay.store, "lease", away)
        make_table(client)
        answer = client.patch("/v1/tables/final", json={"theme": "night"})
        assert answer.json()["theme"] == "night"
        assert client.delete("/v1/tables/final").status_code == 204
