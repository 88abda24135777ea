"""The table as Parquet files, each written whole or not at all, in a folder or below a URL.

A part holds the rows of the photos that one worker read in one go. The parts themselves record
which photos are done; no other record could disagree with them.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from hupai.api.storage.photos import called, is_remote, remote_files
from hupai.scoring.errors import HupaiError

ABOUT = "bulk.json"
"""The file that records what the table was begun with."""
ERRORS = "errors.jsonl"
"""Photos that could not be read, one JSON object per line."""
_ID_BYTES = 16


class BulkError(HupaiError):
    """A table cannot be written or continued; the message says why."""


def arrow() -> Any:
    """Import pyarrow with its Parquet and dataset parts.

    Raises:
        BulkError: if it is not installed.
    """
    try:
        import pyarrow  # noqa: PLC0415 - the extra `bulk` is optional
        import pyarrow.dataset  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise BulkError("`hupai bulk` needs the extra 'bulk': pip install 'hupai[bulk]'") from error
    return pyarrow


def schema() -> Any:
    """Describe the columns."""
    pa = arrow()
    score = pa.struct(
        [
            ("rules", pa.string()),
            ("total", pa.int32()),
            ("unit", pa.string()),
            ("complete", pa.bool_()),
            ("legal", pa.bool_()),
        ]
    )
    moment = pa.timestamp("ms", tz="UTC")
    return pa.schema(
        [
            ("photo", pa.string()),
            ("source", pa.string()),
            ("sha256", pa.string()),
            ("taken_at", moment),
            ("read_at", moment),
            ("error", pa.string()),
            ("model", pa.string()),
            ("width", pa.int32()),
            ("height", pa.int32()),
            ("reading", pa.string()),
            ("certain", pa.bool_()),
            ("hand", pa.string()),
            ("probability", pa.float64()),
            ("scores", pa.list_(score)),
            ("problems", pa.list_(pa.string())),
            *((f"{stage}_ms", pa.float32()) for stage in ("decode", "detect", "layout", "read")),
            ("total_ms", pa.float32()),
        ]
    )


class Table:
    """A folder, or what lies below a URL of fsspec, with the parts of one table."""

    def __init__(self, where: str) -> None:
        """Name the place; nothing is touched yet."""
        self.where = where.rstrip("/")
        self.is_remote = is_remote(where)
        self.files, root = remote_files(
            where if "://" in where else f"file://{Path(where).absolute()}"
        )
        self.root = root.rstrip("/")

    @contextmanager
    def opened(self, about: dict[str, Any]) -> Iterator[None]:
        """Start the table, or continue it.

        Raises:
            BulkError: if it was begun with something else, or another process writes it.
        """
        lock = self._lock()
        try:
            begun = self.about()
            if begun is None:
                self.write(ABOUT, json.dumps(about, ensure_ascii=False, indent=1).encode())
            elif begun != about:
                differing = sorted(k for k in {*begun, *about} if begun.get(k) != about.get(k))
                raise BulkError(
                    f"{self.where} was begun with another {', '.join(differing)}; "
                    "take another --out"
                )
            yield
        finally:
            os.close(lock)

    def about(self) -> dict[str, Any] | None:
        """Read what the table was begun with; None if there is no table yet."""
        try:
            found: dict[str, Any] = json.loads(called(self.files, "cat_file", self._path(ABOUT)))
        except FileNotFoundError:
            return None
        return found

    def write_part(self, rows: Sequence[dict[str, Any]]) -> None:
        """Add rows; when this returns they are on disk.

        A part is named by its photos, so that one written twice is there once.
        """
        names = sorted(str(row["photo"]) for row in rows)
        name = blake2b("\0".join(names).encode(), digest_size=_ID_BYTES).hexdigest()
        pa = arrow()
        buffer = io.BytesIO()
        pa.parquet.write_table(
            pa.Table.from_pylist(list(rows), schema=schema()), buffer, compression="zstd"
        )
        self.write(f"part-{name}.parquet", buffer.getvalue())

    def write(self, name: str, data: bytes) -> None:
        """Write a file in one step.

        Raises:
            hupai.api.storage.StorageError: if the store has no room or does not answer.
            BulkError: if the folder has no room or cannot be written.
        """
        if self.is_remote:
            called(self.files, "pipe_file", self._path(name), data)
            return
        try:
            self._write_in_folder(name, data)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise BulkError(
                f"{self.where} cannot be written: {reason}; what is in the table stays, and the "
                "same command goes on with the rest"
            ) from error

    def _write_in_folder(self, name: str, data: bytes) -> None:
        path = Path(self.root, name)
        unfinished = Path(self.root, f".unfinished-{uuid4().hex}")
        try:
            with unfinished.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            unfinished.rename(path)
        finally:
            unfinished.unlink(missing_ok=True)
        folder = os.open(self.root, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def parts(self) -> list[str]:
        """List the paths of all parts."""
        self.files.invalidate_cache()
        try:
            found = called(self.files, "ls", self.root, detail=False)
        except FileNotFoundError:
            return []
        return sorted(str(path) for path in found if str(path).endswith(".parquet"))

    def batches(self, *columns: str) -> Iterator[list[dict[str, Any]]]:
        """Yield all rows, many at a time, with these columns."""
        parts = self.parts()
        if not parts:
            return
        pa = arrow()
        dataset = pa.dataset.dataset(
            parts, schema=schema(), format="parquet", filesystem=self.files
        )
        for batch in dataset.to_batches(columns=list(columns)):
            yield batch.to_pylist()

    def done(self) -> Done:
        """Find the photos that have a row."""
        names = (row["photo"] for rows in self.batches("photo") for row in rows)
        return Done(names)

    def write_errors(self, others: Iterable[tuple[str, str]] = ()) -> int:
        """Rewrite the error file from the table; return how many photos it lists.

        Args:
            others: name and reason of what has no row, because it could not be fetched.
        """
        lines = [
            {"photo": row["photo"], "error": row["error"]}
            for rows in self.batches("photo", "error")
            for row in rows
            if row["error"] is not None
        ]
        lines += [{"photo": name, "error": reason, "again": True} for name, reason in others]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        self.write(ERRORS, text.encode())
        return len(lines)

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def join(self) -> int:
        """Take part in writing, until the process ends; the value is the descriptor of a lock.

        The next run waits for all that joined.
        """
        joined = os.open(self._beside("workers"), os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(joined, fcntl.LOCK_SH)
        return joined

    def _lock(self) -> int:
        """Lock out other runs, and wait for what a killed run is still writing."""
        try:
            if not self.is_remote:
                Path(self.root).mkdir(parents=True, exist_ok=True)
            lock = os.open(self._beside("lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise BulkError(
                f"{self.where} cannot be written: {reason}; take another --out"
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise BulkError(f"{self.where} is being written by another process") from None
        workers = os.open(self._beside("workers"), os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(workers, fcntl.LOCK_EX)
        os.close(workers)
        if not self.is_remote:
            for left in Path(self.root).glob(".unfinished-*"):
                left.unlink(missing_ok=True)
        return lock

    def _beside(self, name: str) -> Path:
        """Name a file of locks: in the folder, or for a URL in this machine's temporary folder."""
        if not self.is_remote:
            return Path(self.root, f".{name}")
        known = photo_id(self.where).hex()
        return Path(tempfile.gettempdir(), f"hupai-bulk-{os.getuid()}-{known}.{name}")


class Done:
    """The photos that need not be read again, 16 bytes each."""

    def __init__(self, names: Iterable[str]) -> None:
        """Remember these names."""
        ids = np.fromiter((photo_id(name) for name in names), dtype=f"S{_ID_BYTES}")
        self._ids: NDArray[np.bytes_] = np.sort(ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, name: str) -> bool:
        # NumPy drops trailing NULs, from the stored ids too.
        wanted = np.array([photo_id(name)], self._ids.dtype)
        at = int(np.searchsorted(self._ids, wanted)[0])
        return at < len(self._ids) and bool(self._ids[at] == wanted[0])


def photo_id(name: str) -> bytes:
    """Shorten a photo's name to 16 bytes."""
    return blake2b(name.encode("utf-8", "surrogateescape"), digest_size=_ID_BYTES).digest()
