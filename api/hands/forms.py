"""A request to read a photo and score the hand on it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Annotated

from fastapi import Form
from fastapi.exceptions import RequestValidationError
from pydantic import BeforeValidator, StringConstraints

from hupai.api.contract.hand import CircumstancesModel
from hupai.api.contract.refusal import refusal
from hupai.api.hands.photo_work.hand_photos import HandPhotos
from hupai.api.hands.photo_work.scored_reading import ReadingScorer
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile

_POINT = r"^[0-9]{1,5}(\.[0-9]{1,3})?,[0-9]{1,5}(\.[0-9]{1,3})?$"


def _written(value: object) -> object:
    """Explain how a point is written, instead of naming a pattern."""
    if isinstance(value, str) and value and not re.match(_POINT, value):
        raise refusal(
            "write x,y in pixels of the upright photo: 512,640",
            "请写 x,y，以摆正后照片的像素为单位：512,640",
        )
    return value


AtField = Annotated[
    Annotated[str, StringConstraints(pattern=_POINT), BeforeValidator(_written)] | None,
    Form(
        description="A point `x,y` on the hand that is meant, pixels of the upright photo, where "
        "`other_hands` lists several.",
    ),
]
"""A point on the hand that is meant, as a form gives it."""
TileSetField = Annotated[
    str,
    Form(
        max_length=40,
        description="Tile set on the photo, a name of /v1/tile-sets; `auto`: any that is "
        "recognised; `none`.",
    ),
]
"""Name of the tile set on the photo, as a form gives it."""


@dataclass(frozen=True)
class HandForm:
    """A photo to read, `more` of the same hand, the rules and circumstances to score it under, and
    whether to keep it; `point` lies on the hand that is meant, pixels of the upright photo.
    """

    data: bytes
    name: str
    rules: RuleSet
    circumstances: CircumstancesModel
    winning_tile: Tile | None = None
    store: bool = True
    tile_set: str = "auto"
    more: tuple[tuple[bytes, str], ...] = ()
    point: tuple[float, float] | None = None

    @property
    def photos(self) -> tuple[tuple[bytes, str], ...]:
        """Bytes and name of every photo."""
        return ((self.data, self.name), *self.more)

    @cached_property
    def hand_photos(self) -> HandPhotos:
        """The photos to read, with what the form says about them."""
        return HandPhotos(self.photos, self.rules, self.tile_set, self.point)

    @property
    def scorer(self) -> ReadingScorer:
        """What scores the hand on the photos as the form says."""
        return ReadingScorer(self.rules.id, self.circumstances, self.winning_tile)

    @property
    def _stated_defaults(self) -> list[str]:
        """Names of the circumstances stated with their defaults, and so not asked for."""
        given, defaults = self.circumstances, CircumstancesModel()
        names = sorted(given.model_fields_set)
        return [name for name in names if getattr(given, name) == getattr(defaults, name)]

    @property
    def fingerprint(self) -> str:
        """SHA-256 over everything that decides the answer."""
        parts = {
            "photo": self.hand_photos.request_name,
            **({"more": [sha256(data).hexdigest() for data, _ in self.more]} if self.more else {}),
            "rules": self.rules.id,
            "circumstances": self.circumstances.model_dump(),
            "winning_tile": None if self.winning_tile is None else self.winning_tile.code,
            "tile_set": self.tile_set,
            **({"at": self.point} if self.point else {}),
            **({"stated": stated} if (stated := self._stated_defaults) else {}),
        }
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def point_of(at: str | None, photos: int) -> tuple[float, float] | None:
    """Read the form field `at`, which is ``x,y``; None if it is not given.

    Raises:
        RequestValidationError: if there are several photos.
    """
    if not at:
        return None
    if photos > 1:
        context = {"max_length": 1, "zh": "指定位置时只能有一张照片"}
        message = "one photo only, where a point is given"
        raise RequestValidationError(
            [{"loc": ("body", "photo"), "msg": message, "type": "too_long", "ctx": context}]
        )
    x, y = at.split(",")
    return float(x), float(y)
