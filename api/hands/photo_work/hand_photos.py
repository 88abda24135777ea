"""What is given to read: photos of one hand, and what is known of them before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from hupai.scoring.result import RuleSet


@dataclass(frozen=True, slots=True)
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

    @property
    def request_name(self) -> str:
        """Name of the request in the queue: the SHA-256 of its first photo, so that the request is
        recognised when it comes again.
        """
        return sha256(self.photos[0][0]).hexdigest()
