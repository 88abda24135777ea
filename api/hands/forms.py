"""A request to read a photo and score the hand on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256

from hupai.api.contract.hand import CircumstancesModel
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile


@dataclass(frozen=True, slots=True)
class HandForm:
    """A photo to read, `more` of the same hand, the rules and circumstances to score it under, and
    whether to keep it.
    """

    data: bytes
    name: str
    rules: RuleSet
    circumstances: CircumstancesModel
    winning_tile: Tile | None = None
    store: bool = True
    tile_set: str = "auto"
    more: tuple[tuple[bytes, str], ...] = ()

    @property
    def photos(self) -> tuple[tuple[bytes, str], ...]:
        """Bytes and name of every photo."""
        return ((self.data, self.name), *self.more)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all that decides the answer."""
        parts = {
            "photo": sha256(self.data).hexdigest(),
            **({"more": [sha256(data).hexdigest() for data, _ in self.more]} if self.more else {}),
            "rules": self.rules.id,
            "circumstances": self.circumstances.model_dump(),
            "winning_tile": None if self.winning_tile is None else self.winning_tile.code,
            "tile_set": self.tile_set,
        }
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
