"""What was read from a photo, as JSON: the outside contract of the design."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BaseModel, Field

from hupai.api.contract.hand import Model
from hupai.api.contract.values import JSON, TileJson
from hupai.scoring.hand import Hand, Meld
from hupai.scoring.notation import format_hand
from hupai.vision.types import (
    Group,
    LikelyHand,
    ModelInfo,
    OtherHand,
    PhotoInfo,
    PhotoProblem,
    PhotoReading,
    Reading,
    ReadTile,
    Timing,
)

Photo = Annotated[PhotoInfo, JSON]


class LikelyHandOut(BaseModel):
    """A legal hand that the photo may show.

    Probabilities are rounded down, so that those of all hands still sum to at most 1.
    """

    notation: str
    probability: float
    concealed: tuple[TileJson, ...]
    melds: tuple[Annotated[Meld, JSON], ...]
    winning_tile: TileJson | None = None
    flowers: tuple[TileJson, ...] = ()
    red_fives: tuple[TileJson, ...] = Field(
        default=(),
        description="The red ones among the fives of `concealed` and `winning_tile`.",
        exclude_if=lambda fives: not fives,
    )

    @classmethod
    def of(cls, likely: LikelyHand) -> LikelyHandOut:
        """Write a likely hand."""
        hand = likely.hand
        return cls(
            notation=format_hand(hand),
            probability=math.floor(likely.probability * 1e4) / 1e4,
            concealed=hand.concealed,
            melds=hand.melds,
            winning_tile=hand.winning_tile,
            flowers=hand.flowers,
            red_fives=hand.red_fives,
        )

    def to_likely(self) -> LikelyHand:
        """Read the likely hand back."""
        hand = Hand(self.concealed, self.melds, self.winning_tile, self.flowers, self.red_fives)
        return LikelyHand(hand, self.probability)


class ReadingOut(BaseModel):
    """The whole answer for one photo, or for several of one hand."""

    photo: Photo
    photos: tuple[Photo, ...] = Field(
        default=(),
        description="All photos, where several of one hand were read as one; else left out.",
        exclude_if=lambda photos: not photos,
    )
    model: Annotated[ModelInfo, JSON]
    tiles: tuple[Annotated[ReadTile, JSON], ...]
    groups: tuple[Annotated[Group, JSON], ...]
    hands: tuple[LikelyHandOut, ...] = Field(
        description="The likeliest legal hands, best first; may be empty, then `problems` says why."
    )
    certain: bool = Field(
        description="A promise: at most 1 in 200 readings that carry it is wrong."
    )
    problems: tuple[Annotated[PhotoProblem, JSON], ...]
    other_hands: tuple[OtherHand, ...] = Field(
        default=(),
        description="What else on the photo may be a hand, likeliest first: ids of its tiles, and "
        "in `at` the middle of one of them, pixels; left out where there is none.",
        exclude_if=lambda others: not others,
    )
    timing_ms: Annotated[Timing, JSON] = Field(
        description="Milliseconds of each stage, of both looks where a second one was taken."
    )

    @classmethod
    def of(cls, reading: PhotoReading) -> ReadingOut:
        """Write what was read from a photo."""
        read = reading.reading
        return cls(
            photo=reading.photo,
            photos=reading.photos if len(reading.photos) > 1 else (),
            model=reading.model,
            tiles=read.tiles,
            groups=read.groups,
            hands=tuple(map(LikelyHandOut.of, read.hands)),
            certain=read.certain,
            problems=read.problems,
            other_hands=read.other_hands,
            timing_ms=reading.timing,
        )

    def to_reading(self) -> Reading:
        """Read the reading back, to draw it or to ask about it."""
        hands = tuple(likely.to_likely() for likely in self.hands)
        return Reading(
            self.tiles,
            self.groups,
            hands,
            self.certain,
            self.problems,
            other_hands=self.other_hands,
        )


def reading_of_json(document: dict[str, Any]) -> Reading:
    """Read back what ``hupai read --json`` or the API wrote, of whichever version.

    Raises:
        pydantic.ValidationError: if it is not such JSON.
    """
    return ReadingOut.model_validate(document).to_reading()


TileId = Annotated[int, Field(ge=0, le=10_000)] | None


class TileIds(Model):
    """Which tile of the reading each tile of `hand` is, by id, part for part; null for one that the
    photo does not show. Without `hand`, those of the hand as it stands.

    A part may be left out; otherwise it has an id or null for each tile. No id comes twice.
    """

    concealed: list[TileId] = Field(default=[], max_length=34)
    melds: list[Annotated[list[TileId], Field(max_length=4)]] = Field(default=[], max_length=8)
    winning_tile: TileId = None
    flowers: list[TileId] = Field(default=[], max_length=16)
