"""Photos are written to storage while they are read: neither waits for the other."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor, Future, wait
from threading import Lock

from hupai.api.storage import Storage
from hupai.api.web.work_queue import Watch


class Keeping:
    """Writes the photos of one request as soon as the first is decoded, so that a request without a
    photo never writes anything.

    All of them are written then; if another cannot be decoded, `undo` deletes them.

    Args:
        storage: where they are stored.
        threads: the threads that write.
        photos: bytes and name of each.
        watch: called with everything that `watch` of this object is called with.
    """

    def __init__(
        self,
        storage: Storage,
        threads: Executor,
        photos: tuple[tuple[bytes, str], ...],
        watch: Watch | None,
    ) -> None:
        self._storage = storage
        self._threads = threads
        self._photos = [data for data, _ in photos]
        self._told = watch
        self._lock = Lock()
        self._written: Future[None] | None = None
        self._undone = False

    def watch(self, stage: str, position: int) -> None:
        """Receive the progress of the reading; called from the thread that reads."""
        if stage == "detect":
            self._begin()
        if self._told is not None:
            self._told(stage, position)

    def _begin(self) -> None:
        with self._lock:
            if self._written is None and not self._undone:
                self._written = self._threads.submit(self._write)

    def _write(self) -> None:
        for data in self._photos:
            self._storage.keep_photo(data)

    async def done(self) -> bool:
        """Wait until the photos are written; False if the reader reported no stages.

        Raises:
            StorageError: if they could not be.
        """
        if self._written is not None:
            await asyncio.wrap_future(self._written)
        return self._written is not None

    def undo(self) -> None:
        """Delete the photos, once they are written, unless something refers to them: the hand was
        not stored.

        A reading that was given up goes on in its thread; photos not written by then never are.
        """
        with self._lock:
            self._undone = True
            written = self._written
        if written is not None:
            self._threads.submit(self._sweep, written)

    def _sweep(self, written: Future[None]) -> None:
        wait([written])
        self._storage.forget_photos(self._photos)
