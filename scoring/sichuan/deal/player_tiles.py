"""What a log proves of one player's tiles, and whether a hand laid open fits it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.hand import Meld, MeldKind
from hupai.scoring.result import Problem, Severity
from hupai.scoring.sichuan.deal.log import KongKind
from hupai.scoring.tiles import ZH_NAMES, Tile

_MELDS_OF = {
    MeldKind.CONCEALED_KONG: {KongKind.CONCEALED},
    MeldKind.KONG: {KongKind.FROM_DISCARD, KongKind.ADDED, KongKind.TIMELY_RAIN},
    MeldKind.ADDED_KONG: {KongKind.ADDED, KongKind.TIMELY_RAIN},
}
"""Which logged kongs a kong of a hand may be."""


@dataclass(slots=True)
class LoggedSet:
    """A logged pung or kong; `tile` None if the log does not say of which tile."""

    tile: Tile | None
    kong: KongKind | None = None
    held_triplet: bool | None = None


@dataclass(slots=True)
class PlayerTiles:
    """What the log proves of one player's tiles.

    Attributes:
        sets: the pungs and kongs made.
        known: concealed tiles whose faces are known, of a player whose tiles are followed.
        unknown: concealed tiles of any face.
        followed: the tiles dealt are logged, and nothing since left them uncertain.
        final: the concealed tiles as laid open.
        disputed: an event of the player was left out, so that the hand may differ from the log.
    """

    sets: list[LoggedSet] = field(default_factory=list)
    known: Counter[Tile] = field(default_factory=Counter)
    unknown: int = 0
    followed: bool = False
    final: Counter[Tile] | None = None
    disputed: bool = False

    @property
    def surplus(self) -> int:
        """Concealed tiles beyond those of a player who waits for a turn: 1 after a draw."""
        return self.known.total() + self.unknown - (13 - 3 * len(self.sets))

    def lies(self) -> Counter[Tile]:
        """Return the tiles that certainly are this player's."""
        concealed = self.final if self.final is not None else self.known
        held = Counter(concealed)
        for one in self.sets:
            if one.tile is not None:
                held[one.tile] += 3 if one.kong is None else 4
        return held


def fits(
    name: str, melds: Iterable[Meld], player: PlayerTiles, *, pungs: bool
) -> Iterator[Problem]:
    """Find logged sets that a hand lacks, and sets of it that were never logged.

    `pungs`: the log has the pungs, too.
    """
    shown = [meld for meld in melds if meld.tiles]
    for one in sorted(player.sets, key=lambda made: made.tile is None):
        found = next((meld for meld in shown if _may_be(meld, one)), None)
        if found is not None:
            shown.remove(found)
        elif one.kong is not None or pungs:
            what, zh = ("pung", "碰") if one.kong is None else ("kong", "杠")
            of = "" if one.tile is None else f" of {one.tile}"
            yield tile_error(
                "deal_hand",
                f"the log has a {_kind(one)}{what}{of} of {name}, which the hand does not show.",
                f"记录中 {name} 有{'' if one.tile is None else ZH_NAMES[one.tile]}{zh}"
                f"{_kind_zh(one)}，所亮手牌中没有。",
                *(() if one.tile is None else (one.tile,)),
            )
    for meld in shown:
        if meld.is_kong or (pungs and meld.kind is MeldKind.PUNG):
            what, zh = ("kong", "杠") if meld.is_kong else ("pung", "碰")
            yield tile_error(
                "deal_hand",
                f"{name}'s hand shows a {what} of {meld.tiles[0]} that the log does not have.",
                f"{name} 的手牌有{ZH_NAMES[meld.tiles[0]]}{zh}，记录中没有。",
                meld.tiles[0],
            )


def _may_be(meld: Meld, made: LoggedSet) -> bool:
    if made.tile not in (None, meld.tiles[0]):
        return False
    if made.kong is None:
        return meld.kind is MeldKind.PUNG
    return made.kong in _MELDS_OF.get(meld.kind, set())


def _kind(made: LoggedSet) -> str:
    return "" if made.kong is None else f"{made.kong.value.replace('_', ' ')} "


def _kind_zh(made: LoggedSet) -> str:
    names = {
        KongKind.CONCEALED: "（暗杠）",
        KongKind.FROM_DISCARD: "（引杠）",
        KongKind.ADDED: "（绕杠）",
        KongKind.TIMELY_RAIN: "（即时雨）",
    }
    return "" if made.kong is None else names[made.kong]


def tile_error(code: str, en: str, zh: str, *tiles: Tile | None) -> Problem:
    """Make a problem that leaves an event out."""
    return problem(code, en, zh, tuple(tile for tile in tiles if tile is not None))


def tile_warning(code: str, en: str, zh: str, *tiles: Tile | None) -> Problem:
    """Make a problem that leaves the event as it is."""
    return Problem(
        code, Severity.WARNING, en, zh, tuple(tile for tile in tiles if tile is not None)
    )


def codes(tiles: Iterable[Tile]) -> str:
    """Join the codes of tiles."""
    return " ".join(tile.code for tile in tiles)


def names(tiles: Iterable[Tile]) -> str:
    """Join the Chinese names of tiles."""
    return "、".join(ZH_NAMES[tile] for tile in tiles)
