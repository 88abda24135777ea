"""Hands and circumstances as they come in and go out as JSON. Field names and meaning are those of
`hupai.scoring.hand`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from hupai.api.contract import to_dict
from hupai.api.contract.refusal import refusal
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import CODES, Tile, UnknownTileError


def _known_tile(code: str) -> str:
    if code == "?":
        raise refusal(
            "'?' is a tile face down and cannot be scored: name its face, or leave the meld as "
            "a concealed kong of it",
            "“?”是扣着的牌，不能计分：请说明是什么牌，或保留为四张都扣着的暗杠",
        )
    try:
        return Tile.from_code(code).code
    except UnknownTileError:
        raise refusal(
            f"{code!r} is no tile: use 1m-9m, 1p-9p, 1s-9s, E S W N, C F P or 1h-8h",
            f"没有“{code}”这种牌：请用 1m-9m、1p-9p、1s-9s、E S W N、C F P 或 1h-8h",
        ) from None


TileCode = Annotated[
    str, AfterValidator(_known_tile), WithJsonSchema({"type": "string", "enum": list(CODES[:-1])})
]
"""A tile with a face: ``1m`` … ``9s``, ``E S W N C F P``, ``1h`` … ``8h``."""


def _blank_is_none(value: object) -> object:
    return None if value == "" else value


OptionalTile = Annotated[
    TileCode | None,
    BeforeValidator(_blank_is_none),
    WithJsonSchema({"type": "string", "enum": ["", *CODES[:-1]]}),
]
"""A tile or nothing; an empty form field is nothing."""

FiveCode = Literal["5m", "5p", "5s"]
"""A five, of which some may be red."""

WindCode = Literal["E", "S", "W", "N"]


def _is_empty(value: list[str]) -> bool:
    return not value


class Model(BaseModel):
    """Base of what comes in: unknown fields and text for numbers are errors, so that no misspelt
    flag is silently ignored.
    """

    model_config = ConfigDict(extra="forbid", strict=True)


def _known_or_hidden(code: str) -> str:
    return code if code == "?" else _known_tile(code)


MeldTile = Annotated[
    str, AfterValidator(_known_or_hidden), WithJsonSchema({"type": "string", "enum": list(CODES)})
]
"""A tile of a meld; ``?`` in a concealed kong that lies face down and shows no face."""


class MeldIn(Model):
    """A set laid down before the win. Where a concealed kong shows no face all its tiles are
    `?`.
    """

    kind: Literal["chow", "pung", "kong", "concealed_kong", "added_kong"]
    tiles: list[MeldTile] = Field(min_length=1, max_length=4)
    claimed_from: Literal["left", "across", "right"] | None = None
    red_fives: list[FiveCode] = Field(default=[], max_length=4, exclude_if=_is_empty)

    @model_validator(mode="after")
    def _hidden_as_a_whole(self) -> Self:
        if "?" in self.tiles and (self.kind != "concealed_kong" or set(self.tiles) != {"?"}):
            raise refusal(
                "'?' stands only for all tiles of a concealed kong that shows no face: name "
                "the face",
                "“?”只用于四张都扣着的暗杠：请说明是什么牌",
            )
        return self

    def to_meld(self) -> Meld:
        """The scoring value; a chow's tiles ascending."""
        source = None if self.claimed_from is None else Source(self.claimed_from)
        return Meld(
            MeldKind(self.kind),
            tuple(sorted(map(Tile.from_code, self.tiles))),
            source,
            tuple(sorted(map(Tile.from_code, self.red_fives))),
        )


class HandModel(Model):
    """A hand. `concealed` is without `winning_tile`; where the winning tile is not known it holds
    all of them.
    """

    concealed: list[TileCode] = Field(max_length=34)
    melds: list[MeldIn] = Field(default=[], max_length=8)
    winning_tile: TileCode | None = None
    flowers: list[TileCode] = Field(default=[], max_length=16)
    red_fives: list[FiveCode] = Field(
        default=[],
        max_length=12,
        exclude_if=_is_empty,
        description="The red ones among the fives of `concealed` and `winning_tile`.",
    )

    @classmethod
    def of(cls, hand: Hand) -> HandModel:
        """Write a hand."""
        return cls.model_validate(to_dict(hand))

    def to_hand(self) -> Hand:
        """The scoring value. A flower among the concealed tiles goes where flowers lie."""
        concealed = [Tile.from_code(code) for code in self.concealed]
        laid_aside = [Tile.from_code(code) for code in self.flowers]
        return Hand(
            concealed=tuple(tile for tile in concealed if not tile.is_flower),
            melds=tuple(meld.to_meld() for meld in self.melds),
            winning_tile=None if self.winning_tile is None else Tile.from_code(self.winning_tile),
            flowers=tuple(laid_aside + [tile for tile in concealed if tile.is_flower]),
            red_fives=tuple(sorted(map(Tile.from_code, self.red_fives))),
        )


AnyTile = Annotated[str, WithJsonSchema({"type": "string", "enum": list(CODES)})]
"""A tile of an answer; ``?`` lies face down."""


class MeldOut(BaseModel):
    """A set laid down before the win, as it was given: not every one is a set."""

    kind: Literal["chow", "pung", "kong", "concealed_kong", "added_kong"]
    tiles: list[AnyTile]
    claimed_from: Literal["left", "across", "right"] | None = None
    red_fives: list[FiveCode] = Field(default=[], exclude_if=_is_empty)


class HandOut(BaseModel):
    """A hand as it was given, with any number of tiles; its problems stand beside it."""

    concealed: list[AnyTile]
    melds: list[MeldOut] = []
    winning_tile: AnyTile | None = None
    flowers: list[AnyTile] = []
    red_fives: list[FiveCode] = Field(default=[], exclude_if=_is_empty)

    @classmethod
    def of(cls, hand: Hand) -> HandOut:
        """Write any hand."""
        return cls.model_validate(to_dict(hand))

    def to_hand(self) -> Hand:
        """The scoring value."""
        return Hand(
            concealed=tuple(map(Tile.from_code, self.concealed)),
            melds=tuple(
                Meld(
                    MeldKind(meld.kind),
                    tuple(map(Tile.from_code, meld.tiles)),
                    None if meld.claimed_from is None else Source(meld.claimed_from),
                    tuple(map(Tile.from_code, meld.red_fives)),
                )
                for meld in self.melds
            ),
            winning_tile=None if self.winning_tile is None else Tile.from_code(self.winning_tile),
            flowers=tuple(map(Tile.from_code, self.flowers)),
            red_fives=tuple(map(Tile.from_code, self.red_fives)),
        )


def _written(value: object) -> object:
    if isinstance(value, Tile):
        return value.code
    return [tile.code for tile in value] if isinstance(value, tuple) else value


class CircumstancesModel(Model):
    """How the hand was won; what is left out has its default. GET /v1/rules tells which of them a
    rule set reads.
    """

    self_drawn: bool = False
    last_tile: bool = False
    last_of_kind: bool = False
    kong_replacement: bool = False
    kong_discard: bool = False
    robbing_kong: bool = False
    seat_wind: WindCode | None = None
    round_wind: WindCode | None = None
    flowers: int | None = Field(
        default=None, ge=0, le=8, description="A mere count; null: the hand's own flowers count."
    )
    dealer: bool = False
    dealer_streak: int = Field(default=0, ge=0, le=100)
    ready_declared: bool = False
    heavenly_ready: bool = False
    heavenly_win: bool = False
    opponents: int = Field(
        default=3, ge=1, le=3, description="Players who still pay a self-drawn win."
    )
    partner_play: bool = False
    void_suit: Literal["m", "p", "s"] | None = None
    discarder_is_dealer: bool = False
    riichi: bool = False
    double_riichi: bool = False
    ippatsu: bool = False
    earthly_win: bool = False
    human_win: bool = False
    honba: int = Field(default=0, ge=0, le=99)
    riichi_sticks: int = Field(default=0, ge=0, le=99)
    dora_indicators: list[TileCode] = Field(default=[], max_length=5)
    ura_indicators: list[TileCode] = Field(default=[], max_length=5)
    red_fives: int | None = Field(
        default=None, ge=0, le=12, description="A mere count; null: those of the hand count."
    )

    @classmethod
    def of(cls, circumstances: Circumstances) -> CircumstancesModel:
        """Write circumstances."""
        values = {one.name: getattr(circumstances, one.name) for one in fields(circumstances)}
        return cls.of_fields(values)

    @classmethod
    def of_fields(cls, given: Mapping[str, object]) -> CircumstancesModel:
        """Write the circumstances that are given, by field, and keep which ones those are."""
        return cls.model_validate({name: _written(value) for name, value in given.items()})

    def to_circumstances(self) -> Circumstances:
        """The scoring value."""
        values = self.model_dump()
        for name in ("seat_wind", "round_wind"):
            values[name] = None if values[name] is None else Tile.from_code(values[name])
        for name in ("dora_indicators", "ura_indicators"):
            values[name] = tuple(map(Tile.from_code, values[name]))
        return Circumstances(**values)
