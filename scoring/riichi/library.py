"""The ``mahjong`` library behind the riichi family: tiles, melds and settings in its terms.

The library decides which yaku a reading of the hand has, its fu, and the points of han and fu.
Nothing of that is decided a second time here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from mahjong.hand_calculating.hand_config import HandConfig, HandConstants, OptionalRules
from mahjong.hand_calculating.yaku_config import YakuConfig
from mahjong.meld import Meld as LibraryMeld

from hupai.scoring.hand import Meld, MeldKind
from hupai.scoring.riichi.profiles import RiichiOptions
from hupai.scoring.tiles import Tile

YAKU = YakuConfig()
"""The library's yaku, which are asked whether a reading has them."""

_SWAPPED = {Tile.RED: 33, Tile.WHITE: 31}
_KINDS = {
    MeldKind.CHOW: LibraryMeld.CHI,
    MeldKind.PUNG: LibraryMeld.PON,
    MeldKind.KONG: LibraryMeld.KAN,
    MeldKind.CONCEALED_KONG: LibraryMeld.KAN,
    MeldKind.ADDED_KONG: LibraryMeld.SHOUMINKAN,
}


def kind_of(tile: Tile) -> int:
    """Return the library's number of a kind of tile, 0 to 33: its dragons run white, green, red."""
    return _SWAPPED.get(tile, int(tile))


def kinds_of(tiles: Iterable[Tile]) -> list[int]:
    """Return the library's numbers of tiles, ascending."""
    return sorted(map(kind_of, tiles))


@lru_cache(maxsize=4096)
def meld_of(meld: Meld) -> LibraryMeld:
    """Return a meld in the library's terms."""
    tiles = [4 * kind + copy for copy, kind in enumerate(kinds_of(meld.tiles))]
    return LibraryMeld(_KINDS[meld.kind], tiles, opened=not meld.is_concealed)


@lru_cache(maxsize=512)
def settings(
    options: RiichiOptions, self_drawn: bool, seat: Tile | None, round_wind: Tile | None
) -> HandConfig:
    """Return the library's settings for fu and points."""
    return HandConfig(
        is_tsumo=self_drawn,
        player_wind=None if seat is None else kind_of(seat),
        round_wind=None if round_wind is None else kind_of(round_wind),
        options=OptionalRules(
            has_open_tanyao=options.open_tanyao,
            kiriage=options.rounded_mangan,
            kazoe_limit=HandConstants.KAZOE_LIMITED
            if options.counted_yakuman
            else HandConstants.KAZOE_SANBAIMAN,
        ),
    )
