"""Many hands as arrays, and back to single hands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.errors import HupaiError
from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.tiles import Tile

KINDS = 34
"""Number of kinds of tiles, without flowers."""

NO_WIND = -1

MAKES: tuple[MeldKind, ...] = (
    MeldKind.CHOW,
    MeldKind.PUNG,
    MeldKind.KONG,
    MeldKind.CONCEALED_KONG,
)
"""The kinds of meld by their number in a meld code; an added kong is an exposed one."""

CHOW, PUNG, KONG, CONCEALED_KONG = range(4)

_MAKE_OF = {make: number for number, make in enumerate(MAKES)} | {MeldKind.ADDED_KONG: KONG}


class BatchError(HupaiError, ValueError):
    """Hands or rules that cannot be scored as arrays; the message says which and why."""


@dataclass(frozen=True, slots=True, eq=False)
class HandArrays:
    """A batch of won hands of 14 tiles, with how each was won.

    Attributes:
        concealed: (hands, 34) uint8, how many of each kind are concealed, the winning tile apart.
        winning_tile: (hands,) uint8, its kind, 0 to 33 as in `hupai.scoring.tiles.Tile`.
        melds: (hands, 4) uint8, 0 for none, else `meld_code` of each.
        self_drawn, last_tile, last_of_kind, kong_replacement, robbing_kong: (hands,) bool, as in
            `hupai.scoring.hand.Circumstances`.
        seat_wind, round_wind: (hands,) int8, kind of the wind (27 to 30), -1 where not known.
        flowers: (hands,) uint8.

    Raises:
        BatchError: for arrays of other shapes, codes that name nothing, and hands that do not have
            14 tiles (a kong counted as three) or have five of a kind; it names the first such hand.
    """

    concealed: NDArray[np.uint8]
    winning_tile: NDArray[np.uint8]
    melds: NDArray[np.uint8]
    self_drawn: NDArray[np.bool_]
    last_tile: NDArray[np.bool_]
    last_of_kind: NDArray[np.bool_]
    kong_replacement: NDArray[np.bool_]
    robbing_kong: NDArray[np.bool_]
    seat_wind: NDArray[np.int8]
    round_wind: NDArray[np.int8]
    flowers: NDArray[np.uint8]

    def __post_init__(self) -> None:
        number = len(self.winning_tile) if np.ndim(self.winning_tile) else 0
        for field in fields(self):
            dtype, *shape = _FORMS[field.name]
            value = getattr(self, field.name)
            wanted = (number, *shape)
            if not isinstance(value, np.ndarray) or value.dtype != dtype or value.shape != wanted:
                has = (
                    f"{value.dtype} {value.shape}"
                    if isinstance(value, np.ndarray)
                    else type(value).__name__
                )
                raise BatchError(f"{field.name} must be {np.dtype(dtype)} {wanted}, not {has}")
        self._refuse(self.winning_tile >= KINDS, "its winning tile is no kind from 0 to 33")
        self._refuse(
            np.any(self.melds >= len(MELD_TILES), axis=1), "it has a meld of no known code"
        )
        self._refuse(np.any(~_IS_MELD[self.melds], axis=1), "it has a chow that no suit has")
        for name in ("seat_wind", "round_wind"):
            wind = getattr(self, name)
            known = (wind == NO_WIND) | ((wind >= Tile.EAST) & (wind <= Tile.NORTH))
            self._refuse(~known, f"its {name} is neither 27 to 30 nor -1")
        melds = np.count_nonzero(self.melds, axis=1)
        tiles = self.concealed.sum(axis=1, dtype=np.int64) + 1 + 3 * melds
        self._refuse(tiles != 14, "it does not have 14 tiles, a kong counted as three")
        self._refuse(np.any(self.all_tiles() > 4, axis=1), "it has five of a kind")

    def __len__(self) -> int:
        return len(self.winning_tile)

    def __getitem__(self, chosen: slice | NDArray[np.int64] | NDArray[np.bool_]) -> HandArrays:
        """Return some of the hands."""
        part = object.__new__(HandArrays)  # what is part of sound arrays is sound
        for field in fields(self):
            object.__setattr__(part, field.name, getattr(self, field.name)[chosen])
        return part

    def all_tiles(self) -> NDArray[np.uint8]:
        """Count each kind in each hand, all four tiles of a kong: (hands, 34)."""
        counts = self.concealed.copy()
        counts[np.arange(len(self)), self.winning_tile] += 1
        rows = np.flatnonzero(self.melds.any(axis=1))
        for place in range(4):
            counts[rows] += MELD_TILES[self.melds[rows, place]]
        return counts

    def hand(self, index: int) -> tuple[Hand, Circumstances]:
        """Return one hand with its circumstances, as the rule sets take them.

        Where its sets were claimed from is not kept.
        """
        return (
            Hand(
                tuple(
                    Tile(kind)
                    for kind, number in enumerate(self.concealed[index].tolist())
                    for _ in range(number)
                ),
                tuple(meld_of_code(code) for code in self.melds[index].tolist() if code),
                Tile(int(self.winning_tile[index])),
            ),
            Circumstances(
                self_drawn=bool(self.self_drawn[index]),
                last_tile=bool(self.last_tile[index]),
                last_of_kind=bool(self.last_of_kind[index]),
                kong_replacement=bool(self.kong_replacement[index]),
                robbing_kong=bool(self.robbing_kong[index]),
                seat_wind=_wind(int(self.seat_wind[index])),
                round_wind=_wind(int(self.round_wind[index])),
                flowers=int(self.flowers[index]),
            ),
        )

    @classmethod
    def from_hands(cls, hands: Iterable[tuple[Hand, Circumstances]]) -> HandArrays:
        """Write hands and circumstances as arrays.

        Raises:
            BatchError: for a hand without a winning tile, with face-down tiles, more than four
                melds or a malformed one, besides what the arrays themselves refuse.
        """
        tiles: list[int] = []
        winning: list[int] = []
        melds: list[int] = []
        others: list[int] = []
        for index, (hand, won) in enumerate(hands):
            first = KINDS * index
            if hand.winning_tile is None:
                raise BatchError(f"hand {index} has no winning tile")
            if max(hand.concealed, default=0) >= KINDS or hand.winning_tile >= KINDS:
                raise BatchError(f"hand {index} has a flower or a face-down tile among its tiles")
            tiles += [first + tile for tile in hand.concealed]
            winning.append(hand.winning_tile)
            melds += _meld_codes(index, hand.melds)
            flowers = len(hand.flowers) if won.flowers is None else won.flowers
            if not 0 <= flowers <= 8:
                raise BatchError(f"hand {index} has {flowers} flowers; there are eight")
            others += [
                won.self_drawn,
                won.last_tile,
                won.last_of_kind,
                won.kong_replacement,
                won.robbing_kong,
                NO_WIND if won.seat_wind is None else won.seat_wind,
                NO_WIND if won.round_wind is None else won.round_wind,
                flowers,
            ]
        number = len(winning)
        rest = np.array(others, np.int8).reshape(number, -1 if number else 8)
        flags = [rest[:, place].astype(np.bool_) for place in range(5)]
        return cls(
            np.bincount(tiles, minlength=KINDS * number).astype(np.uint8).reshape(number, KINDS)
            if tiles
            else np.zeros((number, KINDS), np.uint8),
            np.array(winning, np.uint8),
            np.array(melds, np.uint8).reshape(number, 4),
            flags[0],
            flags[1],
            flags[2],
            flags[3],
            flags[4],
            np.ascontiguousarray(rest[:, 5]),
            np.ascontiguousarray(rest[:, 6]),
            rest[:, 7].astype(np.uint8),
        )

    def _refuse(self, wrong: NDArray[np.bool_] | np.bool_, why: str) -> None:
        if np.any(wrong):
            number = int(np.count_nonzero(wrong))
            more = f" ({number} hands like it)" if number > 1 else ""
            raise BatchError(f"hand {int(np.argmax(wrong))} cannot be scored: {why}{more}")


_FLAGS = ("self_drawn", "last_tile", "last_of_kind", "kong_replacement", "robbing_kong")

_FORMS: dict[str, tuple[type, *tuple[int, ...]]] = {
    "concealed": (np.uint8, KINDS),
    "winning_tile": (np.uint8,),
    "melds": (np.uint8, 4),
    **dict.fromkeys(_FLAGS, (np.bool_,)),
    "seat_wind": (np.int8,),
    "round_wind": (np.int8,),
    "flowers": (np.uint8,),
}
"""Type and further dimensions of each array."""


def meld_code(kind: MeldKind, tile: Tile) -> int:
    """Return the code of a meld: 1 + its lowest tile + 34 for a pung, 68 a kong, 102 a concealed
    kong.
    """
    return 1 + KINDS * _MAKE_OF[kind] + int(tile)


def meld_of_code(code: int) -> Meld:
    """Return the meld of a code other than 0."""
    make, tile = divmod(code - 1, KINDS)
    if make == CHOW:
        return Meld(MeldKind.CHOW, (Tile(tile), Tile(tile + 1), Tile(tile + 2)))
    return Meld(MAKES[make], (Tile(tile),) * (3 if make == PUNG else 4))


def _meld_codes(index: int, melds: Sequence[Meld]) -> tuple[int, ...]:
    if not melds:
        return _NO_MELDS
    if len(melds) > 4 or not all(meld.is_well_formed for meld in melds):
        raise BatchError(f"hand {index} has a meld that is none, or more than four of them")
    codes = [meld_code(meld.kind, min(meld.tiles)) for meld in melds]
    return (*codes, *[0] * (4 - len(codes)))


_NO_MELDS = (0, 0, 0, 0)


def _wind(kind: int) -> Tile | None:
    return None if kind == NO_WIND else Tile(kind)


def _meld_tiles() -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    tiles = np.zeros((1 + KINDS * len(MAKES), KINDS), np.uint8)
    is_meld = np.zeros(256, np.bool_)
    is_meld[0] = True
    for make in range(len(MAKES)):
        for kind in range(KINDS):
            code = 1 + KINDS * make + kind
            if make == CHOW:
                if kind < 27 and kind % 9 < 7:
                    tiles[code, kind : kind + 3] = 1
                    is_meld[code] = True
            else:
                tiles[code, kind] = 3 if make == PUNG else 4
                is_meld[code] = True
    return tiles, is_meld


MELD_TILES, _IS_MELD = _meld_tiles()
"""The tiles of each meld code: (codes, 34)."""
