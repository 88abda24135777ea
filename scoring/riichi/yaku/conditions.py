"""When a reading has a yaku, which the library says, and which of its parts the yaku uses."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from hupai.scoring.decomposition.shapes import Shape
from hupai.scoring.result import SetKind
from hupai.scoring.riichi.library import YAKU, kind_of
from hupai.scoring.riichi.reading import Reading, is_all_simples
from hupai.scoring.tiles import Tile

Find = Callable[[Reading], bool]
Parts = Callable[[Reading], tuple[int, ...]]
Wind = Callable[[Reading], Tile | None]


def no_parts(_: Reading) -> tuple[int, ...]:
    """Return no part: the yaku is about the hand or the win."""
    return ()


def shown(name: str) -> Find:
    """Return the library's condition of a yaku that the sets alone show."""
    condition = getattr(YAKU, name).is_condition_met

    def found(reading: Reading) -> bool:
        return reading.shape is not Shape.THIRTEEN_ORPHANS and bool(condition(reading.blocks))

    return found


def with_chow(name: str) -> Find:
    """Return the same for a yaku of hands with a chow that is no all simples."""
    sets = shown(name)
    return lambda r: bool(r.of_kind(SetKind.CHOW)) and not is_all_simples(r) and sets(r)


def with_pung(name: str) -> Find:
    """Return the same for a yaku of hands with a pung or kong."""
    sets = shown(name)
    return lambda r: bool(r.of_kind(SetKind.PUNG, SetKind.KONG)) and sets(r)


def circumstance(name: str) -> Find:
    """Return a test for the circumstance of this name."""
    return lambda reading: bool(getattr(reading.win.circumstances, name))


def wind(place: str, parts_of: Callable[[Reading], Tile | None]) -> Find:
    """Return the library's condition of a pung of the seat or round wind."""

    def found(reading: Reading) -> bool:
        wind = parts_of(reading)
        if wind is None or wind not in _WIND_NAMES or reading.shape is not Shape.STANDARD:
            return False
        yaku = getattr(YAKU, f"{place}_wind_{_WIND_NAMES[wind]}")
        return bool(yaku.is_condition_met(reading.blocks, kind_of(wind)))

    return found


_WIND_NAMES = {Tile.EAST: "east", Tile.SOUTH: "south", Tile.WEST: "west", Tile.NORTH: "north"}


def seat(reading: Reading) -> Tile | None:
    """Return the winner's wind."""
    return reading.win.seat


def round_(reading: Reading) -> Tile | None:
    """Return the wind of the round."""
    return reading.win.circumstances.round_wind


def is_pinfu(reading: Reading) -> bool:
    """Return whether nothing but the base earns fu: four chows, no value pair, an open wait."""
    return reading.shape is Shape.STANDARD and len(reading.fu.items) == 1


def three_concealed(reading: Reading) -> bool:
    """Return whether three pungs or kongs are concealed."""
    return reading.shape is Shape.STANDARD and bool(
        YAKU.sanankou.is_condition_met(
            reading.blocks,
            reading.winning_tile,
            reading.library_melds,
            reading.win.circumstances.self_drawn,
        )
    )


def four_concealed(reading: Reading) -> bool:
    """Return whether four pungs or kongs are concealed."""
    closed = reading.shape is Shape.STANDARD and not reading.win.is_open
    return closed and bool(
        YAKU.suuankou.is_condition_met(
            reading.blocks, reading.winning_tile, reading.win.circumstances.self_drawn
        )
    )


def kongs(name: str) -> Find:
    """Return the condition of three or four kongs."""

    def found(reading: Reading) -> bool:
        condition = getattr(YAKU, name).is_condition_met
        return reading.shape is Shape.STANDARD and bool(
            condition(reading.blocks, reading.library_melds)
        )

    return found


def nine_gates(reading: Reading) -> bool:
    """Ask the library only without melds, as it does itself: a kong breaks nine gates."""
    bare = reading.shape is Shape.STANDARD and not reading.win.hand.melds
    return bare and bool(YAKU.chuuren_poutou.is_condition_met(reading.blocks))


def nine_waits(reading: Reading) -> bool:
    """Return whether nine gates were ready for each tile of the suit."""
    tile = reading.win.hand.winning_tile
    held = 0 if tile is None else reading.win.hand.all_tiles.count(tile)
    return held in (2, 4)


def orphans(reading: Reading) -> bool:
    """Return whether the reading is thirteen orphans."""
    return reading.shape is Shape.THIRTEEN_ORPHANS


def last(self_drawn: bool) -> Find:
    """Return the condition of the last draw, or of the discard after it."""

    def found(reading: Reading) -> bool:
        circumstances = reading.win.circumstances
        return circumstances.last_tile and circumstances.self_drawn is self_drawn

    return found


def pungs_where(test: Callable[[Tile], bool]) -> Parts:
    """Return the pungs and kongs of tiles that pass a test."""

    def parts(reading: Reading) -> tuple[int, ...]:
        pungs = reading.of_kind(SetKind.PUNG, SetKind.KONG)
        return tuple(i for i in pungs if test(reading.parts[i].tiles[0]))

    return parts


def concealed_pungs(reading: Reading) -> tuple[int, ...]:
    """Return the concealed pungs and kongs."""
    pungs = reading.of_kind(SetKind.PUNG, SetKind.KONG)
    return tuple(i for i in pungs if reading.parts[i].concealed)


def all_kongs(reading: Reading) -> tuple[int, ...]:
    """Return the kongs."""
    return reading.of_kind(SetKind.KONG)


def all_pungs(reading: Reading) -> tuple[int, ...]:
    """Return the pungs and kongs."""
    return reading.of_kind(SetKind.PUNG, SetKind.KONG)


def equal_chows(reading: Reading) -> tuple[int, ...]:
    """Return the chows that occur more than once."""
    chows = reading.of_kind(SetKind.CHOW)
    tiles = [reading.parts[i].tiles for i in chows]
    return tuple(i for i in chows if tiles.count(reading.parts[i].tiles) > 1)


def three(kinds: tuple[SetKind, ...], same_rank: bool) -> Parts:
    """Return the three sets of one rank in three suits, or 123, 456, 789 of one suit."""

    def fits(tiles: list[Tile]) -> bool:
        if not all(tile.is_suited for tile in tiles):
            return False
        suits, ranks = {tile.suit for tile in tiles}, {tile.rank for tile in tiles}
        if same_rank:
            return len(suits) == 3 and len(ranks) == 1
        return len(suits) == 1 and ranks == {1, 4, 7}

    def parts(reading: Reading) -> tuple[int, ...]:
        threes = combinations(reading.of_kind(*kinds), 3)
        return next((t for t in threes if fits([reading.parts[i].tiles[0] for i in t])), ())

    return parts
