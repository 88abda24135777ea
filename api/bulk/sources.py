"""The photos of an archive, one after another, however many: folders, tar files, object stores.

Names are in a fixed order, and nothing but one folder's names is held in memory at a time.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from os import SEEK_END
from pathlib import PurePosixPath
from typing import Any

from hupai.api.storage.photos import remote_files
from hupai.scoring.errors import HupaiError

PHOTOS = frozenset({".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif"})
"""File extensions of photos; other files are skipped."""
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_COMPRESSED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
"""Magic bytes of compressed files, and what opens them."""
_END = bytes(2 * tarfile.BLOCKSIZE)
"""End-of-archive marker of a tar file (POSIX.1-2024, pax, ustar interchange format)."""
_KEPT = 2 * tarfile.RECORDSIZE + len(_END)
"""`tarfile` reads a stream by records, so that a header lies in the last two."""
_DAMAGE = (tarfile.TarError, OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
_FIRST_PARTS = 1


class SourceError(HupaiError):
    """The source does not exist or cannot be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A photo of an archive.

    Attributes:
        name: path or URL, in a tar file followed by ``!`` and the name there; passed to the reader
            of the table, and the same in every run.
        source: its source in the report: the first folder below the source, or the tar.
        path: path or URL of the file that holds the bytes.
        offset: where they begin there, bytes.
        size: how many there are; None for the whole file.
        data: the bytes themselves, where they cannot be fetched again by place (a compressed tar).
        modified: when the file was changed last, seconds since 1970; 0 if that is not known.
    """

    name: str
    source: str
    path: str
    offset: int = 0
    size: int | None = None
    data: bytes | None = None
    modified: float = 0.0


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file or folder whose remainder could not be read; the next run tries again."""

    name: str
    reason: str


def photos_of(source: str) -> Iterator[Entry | Unreadable]:
    """Yield the photos of a folder, a tar file, or what lies below a URL of fsspec.

    Raises:
        SourceError: if there is no such thing.
        hupai.api.storage.StorageUnavailableError: if fsspec has no such file system.
    """
    files, root = remote_files(source if "://" in source else f"file://{source}")
    root = root.rstrip("/") or "/"
    prefix = source.partition("://")[0] + "://" if "://" in source else ""
    try:
        if root.endswith(_TARS) and files.isfile(root):
            yield from _in_tar(files, root, prefix)
            return
        if files.isfile(root):
            yield _entry(files.info(root), root, PurePosixPath(root).parent.name, prefix)
            return
        if not files.isdir(root):
            raise SourceError(f"{source}: there is no such folder, tar file or prefix")
        yield from _below(files, root, root, prefix)
    except OSError as error:
        raise SourceError(f"{source}: {error.strerror or error}") from error


def fetch(entry: Entry) -> bytes:
    """Return the bytes of a photo.

    Raises:
        OSError, hupai.api.storage.StorageError: if they cannot be fetched.
    """
    if entry.data is not None:
        return entry.data
    files, path = remote_files(entry.path if "://" in entry.path else f"file://{entry.path}")
    if entry.size is None:
        return bytes(files.cat_file(path))
    return bytes(files.cat_file(path, start=entry.offset, end=entry.offset + entry.size))


def _below(files: Any, folder: str, root: str, prefix: str) -> Iterator[Entry | Unreadable]:
    """Yield the files of a folder and its subfolders, sorted by name."""
    try:
        entries = sorted(files.ls(folder, detail=True), key=lambda one: str(one["name"]))
    except OSError as error:
        yield Unreadable(prefix + folder, str(error.strerror or error))
        return
    for info in entries:
        path = str(info["name"]).rstrip("/")
        if path == folder:
            continue  # an object that stands for the folder
        if info["type"] == "directory":
            yield from _below(files, path, root, prefix)
        elif path.endswith(_TARS):
            yield from _in_tar(files, path, prefix)
        elif PurePosixPath(path).suffix.lower() in PHOTOS:
            below = PurePosixPath(path).relative_to(root).parts
            source = below[0] if len(below) > _FIRST_PARTS else PurePosixPath(root).name
            yield _entry(info, path, source, prefix)


def _entry(info: dict[str, Any], path: str, source: str, prefix: str) -> Entry:
    return Entry(prefix + path, source, prefix + path, modified=_modified(info))


def _modified(info: dict[str, Any]) -> float:
    """Return when a file was last modified, as reported by fsspec."""
    found = info.get("mtime", info.get("LastModified", info.get("created")))
    if isinstance(found, datetime):
        return found.astimezone(UTC).timestamp()
    return float(found) if isinstance(found, int | float) else 0.0


def _in_tar(files: Any, path: str, prefix: str) -> Iterator[Entry | Unreadable]:
    """Yield the photos of a tar file, and at its end an error if it is truncated or damaged.

    Those of a plain one are fetched later by their place; a compressed one is read through once.
    """
    name = prefix + path
    source = PurePosixPath(path).name
    plain = path.endswith(".tar")
    try:
        with files.open(path, "rb") as raw:
            members = _members(raw) if plain else _streamed(raw)
            for member, data in members:
                if PurePosixPath(member.name).suffix.lower() not in PHOTOS:
                    continue
                at = member.offset_data if plain else 0
                here = f"{name}!{member.name}"
                yield Entry(here, source, name, at, member.size, data, float(member.mtime))
    except _DAMAGE as error:
        yield Unreadable(name, f"the tar file cannot be read to its end: {error}")


def _members(raw: Any) -> Iterator[tuple[tarfile.TarInfo, None]]:
    """Yield the complete files of a plain tar file.

    Raises:
        tarfile.ReadError: if the rest is missing or damaged.
    """
    size = raw.seek(0, SEEK_END)
    raw.seek(0)
    with tarfile.open(fileobj=raw, mode="r:") as tar:
        for member in tar:
            if member.isfile():
                if member.offset_data + member.size > size:
                    raise tarfile.ReadError(f"{member.name} is cut off")
                yield member, None
        raw.seek(tar.offset)
        _check_end(raw.read(len(_END)))


def _streamed(raw: Any) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Yield the files of a compressed tar file with their bytes, then check that it is complete.

    Raises:
        tarfile.ReadError, OSError, EOFError, zlib.error, lzma.LZMAError: where the rest is missing
            or damaged.
    """
    begin = raw.read(max(map(len, _COMPRESSED)))
    raw.seek(0)
    opened = next((to for mark, to in _COMPRESSED.items() if begin.startswith(mark)), None)
    stream: Any = _Tail(opened(raw) if opened else raw)
    with tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            file = tar.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member, file.read()
        stream.read(len(_END))
        _check_end(stream.kept_from(tar.offset)[: len(_END)])
    while stream.read(tarfile.RECORDSIZE):  # up to the checksum of the compressed stream
        pass


def _check_end(end: bytes) -> None:
    """Refuse a tar file without an end-of-archive marker.

    `tarfile` takes a header that is cut off, or damaged, for the end of the archive.
    """
    if end != _END:
        raise tarfile.ReadError("the mark of its end is missing")


class _Tail:
    """A stream that remembers the bytes read last."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._at = 0
        self._kept = b""

    def read(self, size: int) -> bytes:
        """Read this many bytes, fewer at the end."""
        data = bytes(self._stream.read(size))
        self._at += len(data)
        self._kept = (self._kept + data)[-_KEPT:]
        return data

    def kept_from(self, offset: int) -> bytes:
        """Return what was read from here on; at most the last `_KEPT` bytes."""
        return self._kept[max(0, offset - self._at + len(self._kept)) :]
