"""Pictures made of stored photos, in separate threads, and kept for repeated requests."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from hupai.api.hands.photo_work.decoding import Decoding
from hupai.api.hands.recognition import encode
from hupai.vision.pipeline.annotate import annotate
from hupai.vision.types import Reading

_MOST_BYTES = 32 * 1024 * 1024


class PictureCache:
    """Pictures made before, at most `most` bytes of them; the least recently used one is dropped
    first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._pictures: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, name: str) -> bytes | None:
        """The picture of this name."""
        with self._lock:
            if name in self._pictures:
                self._pictures.move_to_end(name)
            return self._pictures.get(name)

    def put(self, name: str, picture: bytes) -> None:
        """Keep a picture, unless it alone would take an eighth of the room."""
        with self._lock:
            if len(picture) > self._most // 8 or name in self._pictures:
                return
            self._pictures[name] = picture
            self._held += len(picture)
            while self._held > self._most:
                _, dropped = self._pictures.popitem(last=False)
                self._held -= len(dropped)


class Pictures:
    """Makes pictures of photos, which `decoding` decodes."""

    def __init__(self, decoding: Decoding) -> None:
        self._decoding = decoding
        self._cache = PictureCache(_MOST_BYTES)
        # Not the reader's threads: a page of thumbnails must neither fill the queue of photos nor
        # wait for it.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="drawer")

    async def make(
        self,
        tag: str,
        load: Callable[[], bytes],
        name: str,
        extension: str,
        side: int,
        drawn: Reading | None,
    ) -> bytes:
        """The photo upright, at most `side` pixels long, with a reading drawn on it if there is
        one.

        Args:
            tag: name of the picture; pictures with the same name are the same.
            load: gives the photo's bytes, in a thread.
            name: the photo's name, for messages.
            extension: .jpg or .png.
            side: pixels.
            drawn: what to draw.

        Raises:
            ApiProblem: if the photo cannot be decoded within today's limits.
        """
        known = self._cache.get(tag)
        if known is not None:
            return known

        def work() -> bytes:
            # A reading has places on the whole photo.
            image = self._decoding.decoded(load(), name, side if drawn is None else None)
            picture = encode(image if drawn is None else annotate(image, drawn), extension, side)
            self._cache.put(tag, picture)
            return picture

        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """End the threads, letting what runs finish."""
        self._threads.shutdown(wait=True, cancel_futures=True)
