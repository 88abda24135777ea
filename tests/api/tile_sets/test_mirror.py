"""Tile sets in the object store of the photos, and a folder a process."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from uuid import uuid4

import fsspec
import numpy as np
import pytest

from hupai.api.storage import StorageUnavailableError
from hupai.api.tile_sets.mirror import MirroredTileSets
from hupai.api.tile_sets.store import store_in
from hupai.vision.enrolment.discriminant import TileSet
from hupai.vision.enrolment.store import TileSetExistsError, TileSetStore, UnknownTileSetError
from tests.api.s3_server import S3


def tiles(name: str, shade: int = 0) -> TileSet:
    """A set of 34 plain faces."""
    views = np.full((34, 112, 112, 3), shade, np.uint8)
    return TileSet(name, "2026-11-23", np.arange(34, dtype=np.int16), views, np.zeros(34, np.int16))


@pytest.fixture(params=["memory", pytest.param("s3", marks=pytest.mark.nightly)])
def url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "memory":
        return f"memory://{uuid4().hex}/photos"
    server: S3 = request.getfixturevalue("s3")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return f"{server.bucket()}/photos"


def test_a_tile_set_taught_to_one_process_is_known_to_the_other(url: str, tmp_path: Path) -> None:
    one, two = store_in(tmp_path / "one", url), store_in(tmp_path / "two", url)
    assert two.names() == ()
    one.put(tiles("club"))
    assert (two.names(), two.get("club").faces.tolist()) == (("club",), list(range(34)))
    with pytest.raises(TileSetExistsError):
        two.put(tiles("club", 9))
    two.put(tiles("club", 9), replace=True)
    assert int(one.get("club").views.max()) == 9
    one.remove("club")
    assert two.names() == ()
    with pytest.raises(UnknownTileSetError):
        two.get("club")


def test_a_fit_is_forgotten_when_the_set_changes_elsewhere(url: str, tmp_path: Path) -> None:
    one, two = store_in(tmp_path / "one", url), store_in(tmp_path / "two", url)
    one.put(tiles("club"))
    assert two.names() == ("club",)
    before = two._existing("club").stat().st_mtime_ns
    assert two._existing("club").stat().st_mtime_ns == before, "unchanged sets stay as they are"
    one.put(tiles("club", 9), replace=True)
    assert two._existing("club").stat().st_mtime_ns != before, "fits are kept by this time"


def test_known_sets_stay_usable_while_the_object_store_is_unreachable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MirroredTileSets(tmp_path / "one", f"memory://{uuid4().hex}/photos")
    store.put(tiles("club"))

    def away(*_args: object, **_options: object) -> None:
        raise PermissionError("refused")

    files = fsspec.filesystem("memory")
    monkeypatch.setattr(type(files), "ls", away)
    monkeypatch.setattr(type(files), "pipe_file", away)
    assert store.names() == ("club",)
    assert store.get("club").name == "club"
    with pytest.raises(StorageUnavailableError):
        store.put(tiles("other"))


def test_without_an_object_store_a_folder_is_enough(tmp_path: Path) -> None:
    assert type(store_in(tmp_path)) is TileSetStore
    assert type(store_in(tmp_path, str(tmp_path / "photos"))) is TileSetStore


def test_a_copy_that_cannot_be_written_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"memory://{uuid4().hex}/photos"
    MirroredTileSets(tmp_path / "one", url).put(tiles("club"))

    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "replace", full)
    assert MirroredTileSets(tmp_path / "two", url).names() == ()
    assert list((tmp_path / "two").iterdir()) == []
