"""Tile sets shared by services on several machines: kept in the object store of the photos.

The folder of each process is then a copy. Before a set is used the store is listed; what is new or
changed there is fetched, what is gone is forgotten. Fits stay in the folder, they can be recreated.
While the object store does not answer, the sets known so far stay in use, and none is changed.
"""

from __future__ import annotations

import logging
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from hupai.api.storage.photos import called, remote_files
from hupai.vision.enrolment.discriminant import TileSet
from hupai.vision.enrolment.enrol import check_name
from hupai.vision.enrolment.store import TileSetExistsError, TileSetStore

log = logging.getLogger("hupai.storage")
_END = ".tiles.npz"


class MirroredTileSets(TileSetStore):
    """A folder that follows ``tile-sets/`` below a URL of fsspec.

    Args:
        folder: folder of this process, or of several on one machine.
        url: where the photos are, such as ``s3://bucket/photos``.

    Raises:
        hupai.api.storage.StorageUnavailableError: if fsspec has no such file system.
    """

    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(folder)
        self._files, root = remote_files(url)
        self._root = f"{root.rstrip('/')}/tile-sets"
        self._seen: dict[str, str] = {}
        self._following = Lock()

    def names(self) -> tuple[str, ...]:
        """List the names of all sets in the object store, sorted."""
        self._follow()
        return super().names()

    def put(self, tiles: TileSet, replace: bool = False) -> None:
        """Send a set to the object store, whole.

        Raises:
            TileSetNameError: the name cannot be one.
            TileSetExistsError: the name is taken, and `replace` is not set.
            hupai.api.storage.StorageError: the object store does not take it.
        """
        check_name(tiles.name)
        with tempfile.TemporaryDirectory(prefix="hupai-tile-set-") as folder:
            TileSetStore(Path(folder)).put(tiles)
            data = (Path(folder) / (tiles.name + _END)).read_bytes()
        path = f"{self._root}/{tiles.name}{_END}"
        mode = "overwrite" if replace else "create"
        try:
            called(self._files, "pipe_file", path, data, mode=mode)
        except FileExistsError:
            raise TileSetExistsError(tiles.name) from None
        self._follow()

    def remove(self, name: str) -> None:
        """Delete a set everywhere.

        Raises:
            UnknownTileSetError: no such set.
            hupai.api.storage.StorageError: the object store does not answer.
        """
        self._existing(name)
        with suppress(FileNotFoundError):
            called(self._files, "rm_file", f"{self._root}/{name}{_END}")
        self._follow()

    def _existing(self, name: str) -> Path:
        self._follow()
        return super()._existing(name)

    def _listed(self) -> dict[str, str]:
        """Name and version of each set in the object store."""
        self._files.invalidate_cache()
        try:
            entries = self._files.ls(self._root, detail=True)
        except FileNotFoundError:
            return {}
        return {
            entry["name"].rpartition("/")[2].removesuffix(_END): _version(entry)
            for entry in entries
            if entry["name"].endswith(_END)
        }

    def _follow(self) -> None:
        """Make the folder hold what the object store holds."""
        with self._following:
            try:
                listed = self._listed()
                for name, version in listed.items():
                    if self._seen.get(name) != version or not self._file(name).is_file():
                        self._write(name, self._files.cat_file(f"{self._root}/{name}{_END}"))
                        self._seen[name] = version
                for name in TileSetStore.names(self):
                    if name not in listed:
                        self._file(name).unlink(missing_ok=True)
                        self._forget(name)
                        self._seen.pop(name, None)
            except Exception as error:  # noqa: BLE001 - each file system raises its own errors
                log.warning("tile sets: the object store does not answer: %s", error)

    def _file(self, name: str) -> Path:
        return self._folder / (name + _END)

    def _write(self, name: str, data: bytes) -> None:
        """Replace a file in one step; one that already holds these bytes stays as it is."""
        path = self._file(name)
        self._folder.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.read_bytes() == data:
            return
        handle, unfinished = tempfile.mkstemp(dir=self._folder, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(unfinished, path)
        finally:
            Path(unfinished).unlink(missing_ok=True)


def _version(entry: dict[str, Any]) -> str:
    """Return what identifies this version of an object."""
    tag = entry.get("ETag") or entry.get("LastModified") or entry.get("created")
    return f"{tag} {entry['size']}"
