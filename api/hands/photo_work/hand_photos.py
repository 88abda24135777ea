"""The photos of one hand to read, with what is already known about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from hupai.scoring.result import RuleSet


@dataclass(frozen=True)
class HandPhotos:
    """Photos of one hand.

    Attributes:
        photos: bytes and name of each; at least one.
        rules: the rules in play, if they are known.
        tile_set: name of the tile set on the photos; ``auto`` is any that is recognised, ``none``
            no set.
        point: a place on the hand that is meant, pixels of the upright photo; only for one photo.
    """

    photos: Sequence[tuple[bytes, str]]
    rules: RuleSet | None = None
    tile_set: str = "auto"
    point: tuple[float, float] | None = None

    @cached_property
    def request_name(self) -> str:
        """Name of the request in the queue: the SHA-256 of its first photo, so that the request is
        recognised when it comes again. The first call takes some milliseconds.
        """
        return sha256(self.photos[0][0]).hexdigest()
