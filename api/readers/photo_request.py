"""Messages between the app and a reader replica: plain values, independent of the transport."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hupai.vision.photo.decode import PhotoError
from hupai.vision.types import PhotoReading


@dataclass(frozen=True, slots=True)
class PhotoRequest:
    """One hand to read.

    Attributes:
        photos: bytes and name of each.
        rules: id of the rule set in play; None where it is not known.
        tile_set: name of the set on the photo, ``auto`` or ``none``.
        point: a place on the hand that is meant, for a single photo; None where there is one hand.
        trace: the span that asks, where requests are traced.
    """

    photos: Sequence[tuple[bytes, str]]
    rules: str | None = None
    tile_set: str = "auto"
    point: tuple[float, float] | None = None
    trace: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefusedPhoto:
    """A serialised `PhotoError`: why the bytes are not a photo."""

    kind: str
    name: str
    message: str
    message_zh: str

    @classmethod
    def of(cls, error: PhotoError) -> RefusedPhoto:
        """Serialise an error."""
        return cls(type(error).__name__, error.name, str(error), error.message_zh)

    def error(self) -> PhotoError:
        """Recreate the error."""
        kind = next((one for one in _kinds(PhotoError) if one.__name__ == self.kind), PhotoError)
        error = kind.__new__(kind)
        PhotoError.__init__(error, "", self.message, self.message_zh)
        error.name = self.name
        return error


def _kinds(kind: type[PhotoError]) -> Iterator[type[PhotoError]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from _kinds(narrower)


Answer = PhotoReading | RefusedPhoto
"""The answer of a replica."""
