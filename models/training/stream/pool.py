"""What has arrived so far, in the memory of the device that trains."""

from __future__ import annotations

import queue
import threading
from pathlib import Path
from typing import Self

import numpy as np
import torch

from hupai.models.training.stream.chunks import Arrays, arrived

_WAITING = 4
"""Files that are read in advance."""


class Pool:
    """Rows of several tensors; when it is full, new rows replace the oldest.

    Rows marked as real are never replaced.
    """

    def __init__(self, capacity: int, device: torch.device) -> None:
        """Make an empty pool with room for `capacity` rows."""
        self._capacity, self._device = capacity, device
        self._kept: dict[str, torch.Tensor] = {}
        self._next = 0
        self.count = 0
        """Rows that it holds."""
        self.real = torch.zeros(capacity, dtype=torch.bool, device=device)
        """Which rows (capacity,) are real."""

    def __getitem__(self, name: str) -> torch.Tensor:
        """Return the rows of one tensor."""
        return self._kept[name][: self.count]

    def add(self, arrays: Arrays, real: bool) -> None:
        """Add the rows of arrays, all of one length.

        Raises:
            ValueError: if all rows are real, so that none can be replaced.
        """
        length = len(next(iter(arrays.values())))
        at = torch.from_numpy(self._places(length, real)).to(self._device)
        for name, array in arrays.items():
            rows = torch.from_numpy(np.ascontiguousarray(array)).to(self._device)
            if name not in self._kept:
                shape = (self._capacity, *rows.shape[1:])
                self._kept[name] = torch.zeros(shape, dtype=rows.dtype, device=self._device)
            self._kept[name][at] = rows[: len(at)]
        self.real[at] = real

    def _places(self, length: int, real: bool) -> np.ndarray:
        """Choose rows for `length` new ones."""
        length = min(length, self._capacity)
        free = min(length, self._capacity - self.count)
        places = np.arange(self.count, self.count + free)
        self.count += free
        if free < length:
            replaceable = np.nonzero(~self.real[: self._capacity].cpu().numpy())[0]
            if not len(replaceable) or real:
                raise ValueError("the pool is full; give it a larger capacity")
            turn = (self._next + np.arange(length - free)) % len(replaceable)
            self._next = int(turn[-1]) + 1
            places = np.concatenate([places, replaceable[turn]])
        return places


class Arrivals:
    """Reads arriving files in a separate thread, as long as its context lasts."""

    def __init__(self, folder: Path, pattern: str) -> None:
        """Take files of this pattern, whose names begin with `real` for photos."""
        self._queue: queue.Queue[tuple[str, Arrays]] = queue.Queue()
        self._folder, self._pattern = folder, pattern
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()

    def _read(self) -> None:
        while not self._closed.wait(0.1):
            if self._queue.qsize() < _WAITING:
                for found in arrived(self._folder, self._pattern, _WAITING):
                    self._queue.put(found)

    def put_into(self, pool: Pool, most: int = 4) -> int:
        """Add at most `most` of the arrived files; return how many."""
        added = 0
        while added < most and not self._queue.empty():
            name, arrays = self._queue.get()
            pool.add(arrays, name.startswith("real"))
            added += 1
        return added
