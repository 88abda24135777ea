"""What the service needs of readers of photos, in this process or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from hupai.api.hands.photo_work.scored_reading import ReadingScorer, ScoredReading
from hupai.scoring.result import RuleSet
from hupai.vision.types import PhotoReading


class PhotoReader(Protocol):
    """What the service needs of a recogniser. It is called from several threads at once."""

    def read_photo(
        self,
        data: bytes,
        name: str = "",
        rules: RuleSet | None = None,
        *,
        point: tuple[float, float] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        """Read one photo, with the rules in play where they are known; a bad hand is among the
        reading's problems.

        `point` lies on the hand that is meant, pixels; `on_stage` is called as each stage begins.

        Raises:
            PhotoError: if the bytes cannot be decoded.
        """
        ...

    def read_photos(
        self,
        photos: Sequence[tuple[bytes, str]],
        rules: RuleSet | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> PhotoReading:
        """Read several photos of one hand, bytes and name of each, as one.

        Raises:
            PhotoError: if the bytes of one cannot be decoded.
        """
        ...


@runtime_checkable
class ReadsTileSets(Protocol):
    """A reader elsewhere, which knows the tile sets by name."""

    def with_tile_set(self, choice: str) -> PhotoReader:
        """Return a reader with the set of this name in use; ``auto`` and ``none`` as elsewhere."""
        ...


@runtime_checkable
class OpensWeights(PhotoReader, ReadsTileSets, Protocol):
    """A reader elsewhere that takes the weights to use, and scores what it reads."""

    def read_and_score(
        self,
        photos: Sequence[tuple[bytes, str]],
        rules: RuleSet | None,
        point: tuple[float, float] | None,
        on_stage: Callable[[str], None] | None,
        scorer: ReadingScorer,
    ) -> tuple[PhotoReading, ScoredReading]:
        """Read photos of one hand and score it where it was read, stage ``score``.

        Raises:
            PhotoError: if the bytes of one cannot be decoded.
        """
        ...

    def open(self, weights: str) -> tuple[str, str]:
        """Read with the weights at this path from now on; return their name and version.

        Raises:
            hupai.models.registry.WeightsError: they do not open; the earlier ones stay in use.
        """
        ...

    def close(self) -> None:
        """End what reads."""
        ...
