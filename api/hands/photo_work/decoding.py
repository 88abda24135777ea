"""Few photos are decoded at a time, in whichever threads: the largest takes 350 MB meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from hupai.api.web.uploads import photo_problem
from hupai.vision.photo.decode import Limits, PhotoError, decode
from hupai.vision.types import Image


class Decoding:
    """Lets one thread decode at a time, or `at_once`. `limits` are those of decoding."""

    def __init__(self, limits: Limits, at_once: int = 1) -> None:
        self.limits = limits
        self._turn = BoundedSemaphore(at_once)

    def decoded(self, data: bytes, name: str, side: int | None = None) -> Image:
        """Decode a photo, reduced as far as a picture of `side` pixels that is made of it allows.

        Raises:
            ApiProblem: if it cannot be decoded within the limits.
        """
        try:
            with self.turn():
                return decode(data, name, self.limits, side and 2 * side).image
        except PhotoError as error:
            raise photo_problem(error) from error

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, in which the block decodes."""
        with self._turn:
            yield

    @contextmanager
    def one_at_a_time(self, on_stage: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
        """Wait for a turn as each stage ``decode`` begins and end it with the stage after it.

        The value receives the stages of a reader, in the reader's thread, and passes them on.
        """
        held = False

        def release() -> None:
            nonlocal held
            if held:
                self._turn.release()
            held = False

        def on_stage_in_turn(stage: str) -> None:
            nonlocal held
            release()
            on_stage(stage)
            if stage == "decode":
                held = self._turn.acquire()

        try:
            yield on_stage_in_turn
        finally:
            release()
