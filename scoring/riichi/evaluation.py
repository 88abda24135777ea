"""The han, fu and points of a reading, and the order of readings: the one that pays most first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from mahjong.hand_calculating.scores import ScoresCalculator

from hupai.scoring.riichi.library import settings
from hupai.scoring.riichi.profiles import HumanWin, RiichiOptions
from hupai.scoring.riichi.reading import Reading, Win, readings
from hupai.scoring.riichi.yaku.table import (
    DOUBLE,
    FROM_CIRCUMSTANCES,
    FROM_TILES,
    HUMAN_WIN,
    YAKUMAN,
    Yaku,
)
from hupai.scoring.tiles import FIVES, Tile

YAKUMAN_HAN = 13


@dataclass(frozen=True, slots=True)
class Cost:
    """What a hand is worth without counters and deposits.

    Attributes:
        main: paid by the discarder, or by the dealer to a self-drawn win; each pays it to a dealer.
        additional: paid by each other player to a self-drawn win of one who is not the dealer.
        level: the library's name of the limit, empty below it.
        total: what the winner receives in all.
    """

    main: int
    additional: int
    level: str
    total: int


@dataclass(frozen=True, slots=True)
class DoraCount:
    """Dora of a hand by kind."""

    dora: int = 0
    red: int = 0
    ura: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.dora + self.red + self.ura


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A reading with its worth.

    Attributes:
        reading: the reading.
        found: every yaku that it has, an open hand or not, those that do not count included.
        counted: those that count, with their han.
        dora: dora that count beside them; none beside a yakuman or without a yaku.
        han: in all; 13 for each yakuman.
        cost: what it pays; None without a yaku.
    """

    reading: Reading
    found: tuple[Yaku, ...]
    counted: tuple[tuple[Yaku, int], ...]
    dora: DoraCount
    han: int
    cost: Cost | None

    @property
    def is_yakuman(self) -> bool:
        """True for a limit hand; 13 han of yaku and dora are not one."""
        return any(yaku.is_yakuman for yaku, _ in self.counted)

    @property
    def total(self) -> int:
        """Points that the winner receives without counters and deposits; 0 without a yaku."""
        return 0 if self.cost is None else self.cost.total

    @property
    def order(self) -> tuple[int, bool, int, int, int]:
        """Sort key of readings: points, a yakuman before counted han, han, fu, exact fu."""
        fu = self.reading.fu
        return self.total, self.is_yakuman, self.han, fu.total, fu.exact


def ranked(win: Win) -> list[Scored]:
    """Score every reading of a hand, the highest-scoring first."""
    dora = dora_of(win)
    scored = [choice for reading in readings(win) for choice in _choices(reading, dora)]
    return sorted(scored, key=lambda one: one.order, reverse=True)


@dataclass(frozen=True, slots=True)
class _Table:
    """The yaku with the han of a profile or a house, by kind."""

    ordinary: tuple[Yaku, ...]
    limit: tuple[Yaku, ...]
    human_win: Yaku


@lru_cache(maxsize=256)
def _table(options: RiichiOptions) -> _Table:
    changed = dict(options.han)

    def valued(yaku: Yaku) -> Yaku:
        return _with_han(yaku, changed.get(yaku.id), options)

    return _Table(
        tuple(map(valued, (*FROM_CIRCUMSTANCES, *FROM_TILES))),
        tuple(map(valued, YAKUMAN)),
        valued(HUMAN_WIN),
    )


def _with_han(yaku: Yaku, house: int | None, options: RiichiOptions) -> Yaku:
    closed, open_ = yaku.closed, yaku.open
    if yaku.id in DOUBLE:
        worth = 2 * YAKUMAN_HAN if options.double_yakuman else YAKUMAN_HAN
        closed, open_ = worth, worth if open_ else 0
    if yaku.id == "tanyao" and not options.open_tanyao:
        open_ = 0
    if yaku.id == "ippatsu" and not options.ippatsu:
        return replace(yaku, closed=0, open=0)
    if house is not None:
        open_ = max(0, open_ - closed + house) if open_ else 0
        closed = house
    return replace(yaku, closed=closed, open=open_)


def _choices(reading: Reading, dora: DoraCount) -> list[Scored]:
    """Return the ways to count a reading: renhou as a mangan by itself or the rest without it."""
    options = reading.win.options
    table = _table(options)
    found = tuple(y for y in (*table.limit, *table.ordinary) if y.find(reading))
    human = table.human_win
    if options.human_win is HumanWin.NOT_USED or not human.find(reading):
        return [_count(reading, found, dora)]
    if options.human_win is HumanWin.FIVE_HAN:
        return [_count(reading, (*found, human), dora)]
    alone = _count(reading, (human,), DoraCount())
    return [_count(reading, found, dora), replace(alone, found=(*found, human))]


def _count(reading: Reading, found: tuple[Yaku, ...], dora: DoraCount) -> Scored:
    """Count yaku but those contained in others or excluded by the house; yakuman count alone."""
    win = reading.win
    is_open = win.is_open
    able = [y for y in found if y.id not in win.options.off and y.han(is_open) > 0]
    within = {name for yaku in able for name in yaku.contains}
    counted = [yaku for yaku in able if yaku.id not in within]
    limit = [yaku for yaku in counted if yaku.is_yakuman]
    if limit:
        if not win.options.yakuman_add_up:
            limit = [max(limit, key=lambda yaku: yaku.han(is_open))]
        counted, dora = limit, DoraCount()
    if not counted:
        dora = DoraCount()
    pairs = tuple((yaku, yaku.han(is_open)) for yaku in counted)
    han = sum(han for _, han in pairs) + dora.total
    cost = cost_of(win, han, reading.fu.total, bool(limit)) if counted else None
    return Scored(reading, found, pairs, dora, han, cost)


def cost_of(win: Win, han: int, fu: int, is_yakuman: bool) -> Cost:
    """Let the library compute the points of han and fu, without counters and deposits."""
    circumstances = win.circumstances
    result = ScoresCalculator.calculate_scores(
        han,
        fu,
        settings(win.options, circumstances.self_drawn, win.seat, circumstances.round_wind),
        is_yakuman,
    )
    return Cost(result["main"], result["additional"], result["yaku_level"], result["total"])


def least_han(fu: int, *, self_drawn: bool, options: RiichiOptions) -> int:
    """Return the least han of a win that is worth this many fu; 5 where none below five han is.

    Every han from there on is possible, as dora add to any hand. A yaku of one han leaves up to two
    concealed kongs of terminals (64 fu) and a third set of equal tiles that was claimed. A third
    kong is three kongs (2 han), a third concealed set three concealed pungs (2 han).

    Args:
        fu: rounded, as they are paid.
        self_drawn: the winner drew the tile.
        options: the profile's; what a pair of the double wind is worth decides the highest fu.
    """
    if fu == 20:  # pinfu, which only a drawn tile leaves at 20
        return 2 if self_drawn else 5
    if fu == 25:  # seven pairs, which are closed: a drawn tile adds a han
        return 3 if self_drawn else 2
    if fu <= 100:
        return 1
    if fu == 110:  # with one han: closed, the third set completed by the discard, and the pair
        return 1 if options.double_wind_pair_fu == 4 and not self_drawn else 2
    if fu <= 130:  # three concealed kongs
        return 4
    return 4 if options.double_wind_pair_fu == 4 and not self_drawn else 5


def dora_of(win: Win) -> DoraCount:
    """Count the dora of a hand: open indicators, red fives, and after a riichi those below."""
    options, circumstances = win.options, win.circumstances
    shown = circumstances.dora_indicators if options.kan_dora else circumstances.dora_indicators[:1]
    below = circumstances.ura_indicators if options.ura_dora and win.has_riichi else ()
    tiles = win.hand.all_tiles
    return DoraCount(
        sum(tiles.count(dora_after(one)) for one in shown if one.is_playable),
        red_fives_counted(win),
        sum(tiles.count(dora_after(one)) for one in below if one.is_playable),
    )


def red_fives_counted(win: Win) -> int:
    """Count the red fives that the options know: those of the hand, or as many as were given."""
    in_set = dict(zip(FIVES, win.options.red_fives, strict=True))
    if win.circumstances.red_fives is not None:
        return min(max(0, win.circumstances.red_fives), sum(in_set.values()))
    return sum(in_set.get(tile, 0) > 0 for tile in win.hand.all_red_fives)


_SUIT = 9


def dora_after(indicator: Tile) -> Tile:
    """Return the dora that an indicator shows: the next tile, the first after the last.

    Dragons run white, green, red.
    """
    if indicator.is_suited:
        return Tile(indicator - indicator % _SUIT + (indicator + 1) % _SUIT)
    if indicator in _WINDS_IN_ORDER:
        return _WINDS_IN_ORDER[(_WINDS_IN_ORDER.index(indicator) + 1) % 4]
    return _DRAGONS_IN_ORDER[(_DRAGONS_IN_ORDER.index(indicator) + 1) % 3]


_WINDS_IN_ORDER = (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH)
_DRAGONS_IN_ORDER = (Tile.WHITE, Tile.GREEN, Tile.RED)
