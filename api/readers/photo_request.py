"""Requests to a reader elsewhere and its answers: plain values, independent of the transport."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hupai.api.tracing.spans import carried
from hupai.scoring.result import RuleSet
from hupai.vision.photo.decode import PhotoError
from hupai.vision.types import PhotoReading


@dataclass(frozen=True, slots=True)
class PhotoRequest:
    """One hand to read.

    Attributes:
        photos: bytes and name of each.
        rules: id of the rule set in play; None if it is not known.
        tile_set: name of the set on the photo, ``auto`` or ``none``.
        point: a place on the hand that is meant, for a single photo; None if there is one hand.
        trace: the span of the request, if requests are traced.
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


class ReaderElsewhere(ABC):
    """A `hupai.api.hands.photo_work.readers.PhotoReader` whose photos are read in another process.

    Args:
        tile_set: name of the tile set in use.
    """

    def __init__(self, tile_set: str) -> None:
        self._tile_set = tile_set

    @abstractmethod
    def answer(self, request: PhotoRequest, on_stage: Callable[[str], None] | None) -> PhotoReading:
        """Have a request read; `on_stage` is told the stages that are known."""

    def read_photo(
        self,
        data: bytes,
        name: str = "",
        rules: RuleSet | None = None,
        *,
        point: tuple[float, float] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        """Read one photo; raises what `answer` does."""
        return self.answer(self.request([(data, name)], rules, point), on_stage)

    def read_photos(
        self,
        photos: Sequence[tuple[bytes, str]],
        rules: RuleSet | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        """Read several photos of one hand; raises what `answer` does."""
        return self.answer(self.request(photos, rules, None), on_stage)

    def request(
        self,
        photos: Sequence[tuple[bytes, str]],
        rules: RuleSet | None,
        point: tuple[float, float] | None,
    ) -> PhotoRequest:
        """Make the request for photos of one hand."""
        known = None if rules is None else rules.id
        return PhotoRequest(tuple(photos), known, self._tile_set, point, carried())
