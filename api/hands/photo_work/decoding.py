"""One photo is decoded at a time, in whichever thread: the largest takes 350 MB meanwhile."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from PIL import Image as Pillow

from hupai.api.web.problem_types import BAD_SIZE
from hupai.api.web.problems import ApiProblem
from hupai.api.web.uploads import photo_problem
from hupai.vision.photo.decode import Limits, PhotoError, decode
from hupai.vision.types import Image

LONGEST = 30
"""How many times its shorter side the longer side of a photo may be."""

_UNREADABLE = (
    OSError,
    ValueError,
    SyntaxError,
    RuntimeError,
    Pillow.DecompressionBombError,
    Warning,
)


class Decoding:
    """Whose turn it is to decode. `limits` are those of decoding."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._turn = Lock()

    def decoded(self, data: bytes, name: str, side: int | None = None) -> Image:
        """Decode a photo, reduced as far as a picture of `side` pixels that is made of it allows.

        Raises:
            ApiProblem: when it cannot be decoded within the limits.
        """
        try:
            with self._turn:
                return decode(data, name, self.limits, side and 2 * side).image
        except PhotoError as error:
            raise photo_problem(error) from error

    @staticmethod
    def check_shape(data: bytes) -> None:
        """Check by the header that a picture is no strip, of which nothing is left when it is
        scaled down. What has no header that can be read is left to the decoder.

        Raises:
            ApiProblem: ``bad-picture-size``.
        """
        try:
            with Pillow.open(io.BytesIO(data)) as picture:
                short, long = sorted(picture.size)
        except (
            OSError,
            ValueError,
            SyntaxError,
            RuntimeError,
            Warning,
            Pillow.DecompressionBombError,
        ):
            return
        if long > LONGEST * short:
            raise ApiProblem(
                BAD_SIZE,
                f"One side is more than {LONGEST} times the other; send a whole photo.",
                f"一边超过另一边的 {LONGEST} 倍；请发送完整的照片。",
            )

    @contextmanager
    def one_at_a_time(self, on_stage: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
        """Wait for a turn as each stage ``decode`` begins and end it with the stage after it.

        The value is what a reader is to tell its stages to, in its own thread; it passes them on.
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
