"""A canonical zip archive: its entries determine every byte, so that every byte can be checked.

Entries are stored without compression, with a fixed date, in the order given; there are no comments
and no extra fields. The reader checks only what it needs to find the entries; `same` then compares
the archive with what writing them again gives.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from hupai.scoring.errors import HupaiError

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_DATE = 1 << 5 | 1
_VERSION = 20
_UNIX = 3 << 8
_MODE = 0o100644 << 16
_MOST_ENTRIES = 1000
MOST_BYTES = 2**31
"""Largest size of a bundle, bytes."""
BEGINS = b"PK\3\4"
"""The first bytes of an archive."""


class ContainerError(HupaiError, ValueError):
    """Bytes that are not a canonical archive; `at` is the offset where reading stopped."""

    def __init__(self, at: int, reason: str) -> None:
        self.at = at
        super().__init__(f"byte {at}: {reason}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the archive."""

    name: str
    data: bytes


def write(entries: Sequence[Entry]) -> bytes:
    """Write an archive.

    Raises:
        ContainerError: more than 1000 entries or 2 GiB.
    """
    if len(entries) > _MOST_ENTRIES or sum(len(entry.data) for entry in entries) > MOST_BYTES:
        raise ContainerError(0, "a bundle holds at most 1000 files and 2 GiB")
    body, directory = bytearray(), bytearray()
    for entry in entries:
        name = entry.name.encode("ascii")
        crc, size, at = zlib.crc32(entry.data), len(entry.data), len(body)
        body += (
            _LOCAL.pack(b"PK\3\4", _VERSION, 0, 0, 0, _DATE, crc, size, size, len(name), 0)
            + name
            + entry.data
        )
        directory += _CENTRAL.pack(
            b"PK\1\2",
            _UNIX | _VERSION,
            _VERSION,
            0,
            0,
            0,
            _DATE,
            crc,
            size,
            size,
            len(name),
            0,
            0,
            0,
            0,
            _MODE,
            at,
        )
        directory += name
    end = _END.pack(b"PK\5\6", 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    return bytes(body + directory + end)


def read(data: bytes) -> tuple[Entry, ...]:
    """Read the entries of an archive one after another from its start.

    Raises:
        ContainerError: it is none, is cut off, or does not store its entries plainly.
    """
    entries: list[Entry] = []
    at = 0
    while data[at : at + 4] == b"PK\3\4":
        if len(data) < at + _LOCAL.size:
            raise ContainerError(at, "the archive is cut off")
        fields = _LOCAL.unpack_from(data, at)
        packed, size, name_size, extra = fields[7], fields[8], fields[9], fields[10]
        start = at + _LOCAL.size + name_size + extra
        if fields[3] != 0 or packed != size:
            raise ContainerError(
                at, "an entry is compressed; bundles store their files as they are"
            )
        if start + size > len(data) or len(entries) >= _MOST_ENTRIES:
            raise ContainerError(at, "the archive is cut off")
        try:
            name = data[at + _LOCAL.size : at + _LOCAL.size + name_size].decode("ascii")
        except UnicodeDecodeError:
            raise ContainerError(at + _LOCAL.size, "a file name is not ASCII") from None
        entries.append(Entry(name, data[start : start + size]))
        at = start + size
    if not entries:
        raise ContainerError(0, "this is no zip archive")
    if data[at : at + 4] != b"PK\1\2":
        raise ContainerError(at, "the archive is cut off, or has something between its files")
    return tuple(entries)


def same(data: bytes, entries: Sequence[Entry]) -> int | None:
    """Return the first byte that differs from what writing the entries gives; None if the bytes are
    equal.
    """
    try:
        again = write(entries)
    except (ContainerError, UnicodeEncodeError):
        return 0
    if again == data:
        return None
    shorter = min(len(again), len(data))
    low, high = 0, shorter
    while low < high:  # the longest common beginning, by halves: photos are large
        middle = (low + high + 1) // 2
        if again[:middle] == data[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
