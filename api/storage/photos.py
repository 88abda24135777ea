"""Photos by the SHA-256 of their bytes: in a folder, or in an object store by an fsspec URL.

A photo is written under its final name in one step, so a name that exists holds the whole photo.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from abc import ABC, abstractmethod
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

import fsspec

from hupai.api.storage.errors import StorageUnavailableError, of_os_error
from hupai.api.storage.privacy import make_private_folder
from hupai.api.tracing.spans import span

CONNECT_SECONDS = 3.0
"""Connection timeout of an S3-compatible store, seconds."""
ANSWER_SECONDS = 10.0
"""Seconds without a response after which a request is abandoned."""


class PhotoMissingError(StorageUnavailableError):
    """A photo that the database knows is not in the store."""


class PhotoStore(ABC):
    """Photos, each under the SHA-256 of its bytes (64 lower-case hex digits).

    Safe for threads and processes.

    All methods raise `StorageUnavailableError` when the store cannot be reached, `put` also
    `StorageFullError`.
    """

    @abstractmethod
    def put(self, data: bytes) -> str:
        """Store a photo and return its SHA-256; it is on disk when this returns.

        A photo that is there already is not written again.
        """

    @abstractmethod
    def get(self, sha256: str) -> bytes:
        """Return the photo's bytes, checked against its name.

        Raises:
            PhotoMissingError: if there is none, or its bytes have changed.
        """

    @abstractmethod
    def exists(self, sha256: str) -> bool:
        """Whether the photo is there."""

    @abstractmethod
    def delete(self, sha256: str) -> None:
        """Delete the photo if it is there."""

    def open(self) -> None:  # noqa: B027
        """Prepare, and remove what a process that was killed left unfinished."""

    def close(self) -> None:  # noqa: B027
        """Release the resources that `open` acquired."""


class FolderStore(PhotoStore):
    """Photos as files ``ab/cd/abcd….``; written to ``unfinished/`` first, synced, then renamed.

    Each open store has its own folder in ``unfinished/`` and holds a lock on it. So the next one to
    open can distinguish folders of live processes from those of killed ones, and removes the
    latter.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unfinished: Path | None = None
        self._lock: int | None = None
        self._opening = Lock()

    def open(self) -> None:
        """Make the folders, remove what killed processes left."""
        try:
            make_private_folder(self._folder)
            with suppress(PermissionError):  # another user's folder
                self._folder.chmod(0o700)
            waiting = self._folder / "unfinished"
            waiting.mkdir(exist_ok=True)
            for left in waiting.iterdir():
                _remove_if_dead(left)
            while self._unfinished is None:
                self._take(waiting / uuid4().hex)
        except OSError as error:
            raise of_os_error(error, "the folder of the photos cannot be used") from error

    def _take(self, folder: Path) -> None:
        """Make the folder and lock it.

        It is not taken if another process that is just opening mistook it for that of a dead one.
        """
        folder.mkdir()
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return
        if not folder.exists():
            os.close(lock)
            return
        self._unfinished, self._lock = folder, lock

    def close(self) -> None:
        """Remove the folder of unfinished files."""
        if self._lock is not None and self._unfinished is not None:
            shutil.rmtree(self._unfinished, ignore_errors=True)
            os.close(self._lock)
        self._lock = self._unfinished = None

    def put(self, data: bytes) -> str:
        """Write, sync, rename, sync the folder."""
        with self._opening:
            if self._unfinished is None:
                self.open()
        assert self._unfinished is not None
        name = sha256(data).hexdigest()
        path = self._path(name)
        if path.exists():
            return name
        unfinished = self._unfinished / uuid4().hex
        try:
            with unfinished.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            # The folders' own names must last too: each is synced into the one above, and renaming
            # into the last.
            for folder in (path.parent.parent, path.parent):
                if not folder.exists():
                    folder.mkdir(parents=True, exist_ok=True)
                    _sync(folder.parent)
            unfinished.rename(path)
            _sync(path.parent)
        except OSError as error:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise of_os_error(error, "the photo cannot be written") from error
        return name

    def get(self, sha256: str) -> bytes:
        """Read the file."""
        try:
            return _checked(sha256, self._path(sha256).read_bytes())
        except FileNotFoundError:
            raise PhotoMissingError(f"photo {sha256} is gone from the store") from None
        except OSError as error:
            raise of_os_error(error, "the photo cannot be read") from error

    def exists(self, sha256: str) -> bool:
        """Whether the file is there."""
        return self._path(sha256).is_file()

    def delete(self, sha256: str) -> None:
        """Delete the file."""
        try:
            self._path(sha256).unlink(missing_ok=True)
        except OSError as error:
            raise of_os_error(error, "the photo cannot be deleted") from error

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name[2:4] / _plain(name)


class RemoteStore(PhotoStore):
    """Photos as objects ``ab/abcd…`` of a file system of fsspec, e.g. ``s3://bucket/photos``.

    The file system has to write an object whole or not at all, as S3 does.
    """

    def __init__(self, url: str) -> None:
        """Raise `StorageUnavailableError` if fsspec has no such file system."""
        self._files, self._root = remote_files(url)

    def put(self, data: bytes) -> str:
        """Send the object."""
        name = sha256(data).hexdigest()
        path = self._path(name)
        if not self.exists(name):
            try:
                called(self._files, "pipe_file", path, data)
            except FileNotFoundError as error:
                raise StorageUnavailableError(
                    f"the photo store has no such place: {error}"
                ) from error
        return name

    def get(self, sha256: str) -> bytes:
        """Fetch the object."""
        try:
            data = called(self._files, "cat_file", self._path(sha256))
        except FileNotFoundError:
            raise PhotoMissingError(f"photo {sha256} is gone from the store") from None
        return _checked(sha256, bytes(data))

    def exists(self, sha256: str) -> bool:
        """Whether the object is there, past any cached listing."""
        self._files.invalidate_cache()
        return bool(called(self._files, "exists", self._path(sha256)))

    def delete(self, sha256: str) -> None:
        """Delete the object."""
        with suppress(FileNotFoundError):
            called(self._files, "rm_file", self._path(sha256))

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name[:2]}/{_plain(name)}"


def called(files: Any, method: str, *arguments: Any, **options: Any) -> Any:
    """Call a method of a file system of fsspec.

    Raises:
        FileNotFoundError, FileExistsError: as the file system does.
        StorageError: for whatever else it raises.
    """
    try:
        with span("photo store", call=method):
            return getattr(files, method)(*arguments, **options)
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        raise of_os_error(error, "the photo store does not answer") from error
    except Exception as error:  # each file system of fsspec raises its own library's errors
        raise StorageUnavailableError(
            f"the photo store does not answer: {type(error).__name__}"
        ) from error


def is_remote(url: str) -> bool:
    """Whether photos at this place are objects of fsspec, not files of a folder."""
    scheme, separator, _ = url.partition("://")
    return bool(separator) and scheme != "file"


def remote_files(url: str) -> tuple[Any, str]:
    """Open the file system of fsspec for a URL; returns it and the path within it.

    An S3-compatible store is given up after `CONNECT_SECONDS` and `ANSWER_SECONDS`, twice. Its
    address, region and keys come from the usual places of the AWS tools, such as
    ``AWS_ENDPOINT_URL``, ``AWS_ACCESS_KEY_ID`` and ``AWS_SECRET_ACCESS_KEY``.

    Raises:
        StorageUnavailableError: if fsspec has no such file system.
    """
    options: dict[str, Any] = {}
    if url.startswith(("s3://", "s3a://")):
        options["config_kwargs"] = {
            "connect_timeout": CONNECT_SECONDS,
            "read_timeout": ANSWER_SECONDS,
            "retries": {"total_max_attempts": 2, "mode": "standard"},
        }
    try:
        files, root = fsspec.core.url_to_fs(url, **options)
    except ImportError as error:
        advice = "; S3 needs the extra 's3': pip install 'hupai[s3]'" if options else ""
        raise StorageUnavailableError(f"HUPAI_PHOTOS_URL: {error}{advice}") from error
    except (ValueError, OSError) as error:
        raise StorageUnavailableError(f"HUPAI_PHOTOS_URL: {error}") from error
    if options:
        # s3fs would repeat five times what botocore has tried twice: 100 s of a silent store.
        files.retries = 1
    return files, root


def open_store(url: str) -> PhotoStore:
    """Return the store for a path, a ``file://`` URL or any other URL of fsspec, not opened yet."""
    return RemoteStore(url) if is_remote(url) else FolderStore(Path(url.removeprefix("file://")))


def _plain(name: str) -> str:
    """Check a photo's name, which becomes part of a path."""
    if len(name) != 64 or not set(name) <= set("0123456789abcdef"):
        raise ValueError(f"{name!r} is no SHA-256")
    return name


def _checked(name: str, data: bytes) -> bytes:
    if sha256(data).hexdigest() != name:
        raise PhotoMissingError(f"photo {name} has other bytes in the store than it had")
    return data


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_if_dead(folder: Path) -> None:
    """Remove a folder of unfinished files whose process holds no lock on it any more."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # another process was faster
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return
    finally:
        os.close(descriptor)


def media_type(data: bytes) -> str:
    """Return the media type of a photo, judging by its first bytes.

    It is ``application/octet-stream`` for anything that Hupai does not read.
    """
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return "image/heic" if data[4:8] == b"ftyp" else "application/octet-stream"
