"""Checks the tiles that a log names against the tiles that exist.

There are four of each tile. A kong needs its tiles, a discard has to be held, and a hand laid open
has to show the kongs and pungs that were logged. Where the log gives no tile, nothing is concluded
from its absence. A player's concealed tiles are followed only from the tiles dealt; a draw that is
not logged then stands for any tile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.hand import Hand
from hupai.scoring.result import Problem, Severity
from hupai.scoring.sichuan.deal.log import (
    Deal,
    Discard,
    Draw,
    Event,
    Kong,
    KongKind,
    Pung,
    WallEnd,
    Win,
)
from hupai.scoring.sichuan.deal.player_tiles import (
    LoggedSet,
    PlayerTiles,
    codes,
    fits,
    names,
    tile_error,
    tile_warning,
)
from hupai.scoring.sichuan.legality import IN_PLAY
from hupai.scoring.tiles import ZH_NAMES, Suit, Tile

Found = Iterator[Problem]

_NEEDED = {KongKind.CONCEALED: 4, KongKind.FROM_DISCARD: 3}
"""Concealed tiles that a kong takes; one that is added takes one."""


class TileProof:
    """The tiles of a deal, as far as its log shows them; `after` returns those after an event."""

    def __init__(self, deal: Deal) -> None:
        self.players = {name: PlayerTiles() for name in deal.seating.players}
        self.void_suits: Mapping[str, str] = (
            {} if deal.seating.partner_play else dict(deal.void_suits)
        )
        self.pungs_logged = any(isinstance(event, Pung) for event in deal.events)
        self.pool: Counter[Tile] = Counter()
        self.from_wall: Counter[Tile] = Counter()
        self.last_discard: tuple[str, Tile] | None = None
        self.last_draw: tuple[str, Tile] | None = None
        for name, tiles in deal.dealt:
            self.from_wall.update(tiles)
            if name in self.players:
                self.players[name].known = Counter(tiles)
                self.players[name].followed = True

    def dealt_problems(self) -> tuple[Problem, ...]:
        """Find more than four of a tile among those dealt, and tiles that are not in play."""
        return (*_in_play(self.from_wall), *self._five_of_a_kind())

    def after(self, event: Event) -> tuple[TileProof, Event, tuple[Problem, ...]]:
        """Return the tiles after an event, the event as it is proved to be, and what is wrong.

        With an error in it the event did not happen as logged, and the tiles stay as they are.
        """
        trial = deepcopy(self)
        proved = trial.as_proved(event)
        problems = tuple(trial.apply(proved))
        if any(one.severity is Severity.ERROR for one in problems):
            self.dispute(event)
            return self, event, problems
        return trial, proved, (*problems, *_proved_notes(event, proved))

    def dispute(self, event: Event) -> None:
        """Note that an event of these players was left out."""
        for name in _actors(event):
            if name in self.players:
                self.players[name].disputed = True
                self.players[name].followed = False
                self.players[name].known = Counter()

    def as_proved(self, event: Event) -> Event:
        """Return an added kong as 即时雨 where its pung was called with three in hand (8.6.1 c)."""
        if not isinstance(event, Kong) or event.kind is not KongKind.ADDED:
            return event
        pungs = self._pungs_for(event)
        if pungs and all(one.held_triplet for one in pungs):
            return Kong(event.player, KongKind.TIMELY_RAIN, event.discarder, event.tile)
        return event

    def _pungs_for(self, kong: Kong) -> list[LoggedSet]:
        """Return the pungs that an added kong may be made of."""
        sets = self.players[kong.player].sets if kong.player in self.players else []
        return [
            one
            for one in sets
            if one.kong is None and (one.tile is None or kong.tile in (None, one.tile))
        ]

    def apply(self, event: Event) -> Found:
        """Move the tiles as an event says, and find what is wrong with that."""
        yield from _in_play(_tiles_of(event))
        match event:
            case Draw():
                self._draw(event)
            case Discard():
                yield from self._discard(event)
            case Pung():
                yield from self._pung(event)
            case Kong():
                yield from self._kong(event)
            case Win():
                yield from self._win(event)
            case WallEnd():
                for name, hand in event.hands:
                    if self.players[name].final is None:
                        yield from self._lay_open(name, hand, ())
        if isinstance(event, Pung | Kong | Win | WallEnd):
            self.last_discard = self.last_draw = None
        yield from self._five_of_a_kind()

    def _draw(self, event: Draw) -> None:
        player = self.players[event.player]
        if player.surplus > 0:
            # a discard that is not logged may have been any of the known tiles
            player.followed, player.known = False, Counter()
        elif event.tile is None:
            player.unknown += 1
        if event.tile is not None:
            self.from_wall[event.tile] += 1
            if player.followed:
                player.known[event.tile] += 1
        self.last_draw = None if event.tile is None else (event.player, event.tile)
        self.last_discard = None

    def _discard(self, event: Discard) -> Found:
        self.last_draw = self.last_discard = None
        if event.tile is None:
            player = self.players[event.player]
            player.followed, player.known = False, Counter()
            return
        yield from self._still_holding_void_suit(event.player, event.tile)
        yield from self._take(event.player, event.tile, 1, "the discard", "打出")
        self.pool[event.tile] += 1
        self.last_discard = (event.player, event.tile)

    def _pung(self, event: Pung) -> Found:
        yield from self._claim(event.player, event.discarder, event.tile, "pung", "碰")
        player = self.players[event.player]
        held = event.held_triplet
        if event.tile is not None and player.followed and player.unknown == 0:
            three = player.known[event.tile] >= 3
            if held is not None and held is not three:
                yield tile_error(
                    "deal_tiles",
                    f"{event.player} held {player.known[event.tile]} of {event.tile}, "
                    f"and held_triplet says {str(held).lower()}.",
                    f"{event.player} 手中有{player.known[event.tile]}张{ZH_NAMES[event.tile]}，"
                    "与 held_triplet 不符。",
                    event.tile,
                )
            held = three
        if event.tile is not None:
            yield from self._take(event.player, event.tile, 2, "the pung", "碰", drawn=False)
        player.sets.append(LoggedSet(event.tile, None, held))
        yield from self._too_many_sets(event.player)

    def _kong(self, event: Kong) -> Found:
        player, tile = self.players[event.player], event.tile
        if event.kind in _NEEDED:
            if event.kind is KongKind.FROM_DISCARD:
                yield from self._claim(event.player, event.discarder, tile, "kong", "杠")
            elif tile is not None:
                yield from self._of_void_suit(event.player, tile, "kong", "杠")
            if tile is not None:
                drawn = event.kind is KongKind.CONCEALED
                needed = _NEEDED[event.kind]
                yield from self._take(event.player, tile, needed, "the kong", "开杠", drawn=drawn)
            player.sets.append(LoggedSet(tile, event.kind))
            yield from self._too_many_sets(event.player)
            return
        pungs = self._pungs_for(event)
        if not pungs and not player.disputed and (self.pungs_logged or tile is not None):
            found = tile_error if self.pungs_logged or player.followed else tile_warning
            what = f" of {tile}" if tile is not None else ""
            yield found(
                "deal_no_pung",
                f"no pung{what} of {event.player} is logged to which the fourth tile could be "
                "added: log the pung.",
                f"记录中没有 {event.player} 的{'' if tile is None else ZH_NAMES[tile]}碰牌，"
                "无从加杠：请先记“碰”。",
                tile,
            )
        if len({one.held_triplet for one in pungs}) > 1 and len(pungs) > 1:
            yield tile_error(
                "deal_no_pung",
                "say which tile: one pung was called with three in hand, another was not (8.6.1 "
                "c).",
                "请写明牌张：有的碰是即时雨，有的不是（8.6.1 c）。",
            )
        if event.kind is KongKind.TIMELY_RAIN and pungs and pungs[0].held_triplet is False:
            yield tile_error(
                "deal_no_pung",
                "the pung was called with two in hand, so the kong is no 即时雨 (8.6.1 c): log it "
                "as added.",
                "碰牌时手中只有两张，不是即时雨（8.6.1 c），应记为绕杠。",
                tile,
            )
        if tile is not None:
            yield from self._take(event.player, tile, 1, "the kong", "加杠")
        if pungs:
            player.sets.remove(pungs[0])
        player.sets.append(LoggedSet(tile or (pungs[0].tile if pungs else None), event.kind))
        yield from self._too_many_sets(event.player)

    def _too_many_sets(self, name: str) -> Found:
        count = len(self.players[name].sets)
        if count > 4:
            yield tile_error(
                "deal_tiles",
                f"that makes {count} sets on the table of {name}, and a hand has four (9.2).",
                f"{name} 已有{count}副碰杠，而一手牌只有四副（9.2）。",
            )

    def _claim(
        self, name: str, discarder: str | None, tile: Tile | None, what: str, zh: str
    ) -> Found:
        """Take the claimed tile from the pool, or from the hand of a discard not logged."""
        if tile is None:
            return
        yield from self._of_void_suit(name, tile, what, zh)
        last = self.last_discard
        if last is not None and discarder in (None, last[0]):
            if last[1] is not tile:
                yield tile_error(
                    "deal_tiles",
                    f"the {what} takes {tile}, but {last[0]} discarded {last[1]}.",
                    f"{zh}的是{ZH_NAMES[tile]}，而 {last[0]} 打出的是{ZH_NAMES[last[1]]}。",
                    tile,
                )
            self.pool[last[1]] -= 1
        elif discarder is not None:
            yield from self._take(discarder, tile, 1, "the discard", "打出")

    def _win(self, event: Win) -> Found:
        tile = event.tile
        for winner in event.winners:
            won = None if winner.hand is None else winner.hand.winning_tile
            if tile is not None and won is not None and won is not tile:
                yield tile_error(
                    "deal_hand",
                    f"{winner.player}'s hand won on {won}, the log says {tile}.",
                    f"{winner.player} 的和牌张是{ZH_NAMES[won]}，记录为{ZH_NAMES[tile]}。",
                    won,
                )
            tile = tile or won
        if event.discarder is None:
            yield from self._self_drawn(event, tile)
        elif event.robbing_kong:
            yield from self._rob(event.discarder, tile)
        elif tile is not None:
            yield from self._claim_win(event.discarder, tile)
        for winner in event.winners:
            if winner.hand is not None:
                extra = () if tile is None or event.discarder is not None else (tile,)
                yield from self._lay_open(winner.player, winner.hand, extra)
            elif self.players[winner.player].followed and event.discarder is None:
                # the drawn tile stays among the concealed ones
                self.players[winner.player].unknown += 1
        if event.discarder is not None and tile is not None:
            # the tile itself lies at the first winner's, and is one tile for all of them
            self.pool[tile] += 1

    def _self_drawn(self, event: Win, tile: Tile | None) -> Found:
        last, name = self.last_draw, event.winners[0].player
        if tile is not None and last is not None and last[0] == name and last[1] is not tile:
            yield tile_error(
                "deal_tiles",
                f"{name} drew {last[1]} and cannot have won on {tile}.",
                f"{name} 摸到的是{ZH_NAMES[last[1]]}，不可能自摸{ZH_NAMES[tile]}。",
                tile,
            )

    def _claim_win(self, discarder: str, tile: Tile) -> Found:
        last = self.last_discard
        if last is None or last[0] != discarder:
            yield from self._take(discarder, tile, 1, "the discard", "打出")
            return
        if last[1] is not tile:
            yield tile_error(
                "deal_tiles",
                f"{discarder} discarded {last[1]}, and the win is on {tile}.",
                f"{discarder} 打出的是{ZH_NAMES[last[1]]}，和的却是{ZH_NAMES[tile]}。",
                tile,
            )
        self.pool[last[1]] -= 1

    def _rob(self, name: str, tile: Tile | None) -> Found:
        """Undo the kong that is robbed, or find the pung that the tile was to be added to."""
        player = self.players[name]
        last = player.sets[-1] if player.sets else None
        if last is not None and last.kong in (KongKind.ADDED, KongKind.TIMELY_RAIN):
            if tile in (None, last.tile) or last.tile is None:
                last.tile, last.kong = last.tile or tile, None
                return
            yield tile_error(
                "deal_tiles",
                f"{name} added {last.tile}, and the win is on {tile}.",
                f"{name} 加杠的是{ZH_NAMES[last.tile]}，和的却是{ZH_NAMES[tile or last.tile]}。",
                tile,
            )
            return
        pungs = [one for one in player.sets if one.kong is None and one.tile in (None, tile)]
        if tile is not None and self.pungs_logged and not pungs and not player.disputed:
            yield tile_error(
                "deal_no_pung",
                f"no pung of {tile} of {name} is logged, so none could be made a kong and robbed.",
                f"记录中没有 {name} 的{ZH_NAMES[tile]}碰牌，无从加杠被抢。",
                tile,
            )
        if tile is not None:
            yield from self._take(name, tile, 1, "the kong", "加杠")

    def _lay_open(self, name: str, hand: Hand, extra: tuple[Tile, ...]) -> Found:
        """Check a hand laid open against what is known of its player; its tiles are then known."""
        player = self.players[name]
        concealed = Counter((*hand.concealed, *extra))
        if not player.disputed:
            yield from fits(name, hand.melds, player, pungs=self.pungs_logged)
        missing = player.known - concealed
        if player.followed and player.surplus <= len(extra) and missing:
            tiles = tuple(missing.elements())
            yield tile_error(
                "deal_hand",
                f"by the log {name} still holds {codes(tiles)}, which the hand does not show.",
                f"按记录 {name} 手中应有{names(tiles)}，所亮手牌中没有。",
                *tiles,
            )
        player.sets = [
            LoggedSet(meld.tiles[0], KongKind.CONCEALED if meld.is_kong else None)
            for meld in hand.melds
            if meld.tiles
        ]
        player.final, player.followed = concealed, False

    def _take(
        self, name: str, tile: Tile, count: int, what: str, zh: str, *, drawn: bool = True
    ) -> Found:
        """Take tiles from the concealed ones of a player whose tiles are followed.

        `drawn`: the player has the turn; a draw that is not logged is any tile.
        """
        player = self.players.get(name)
        if player is None or not player.followed:
            return
        if drawn and player.surplus < 1:
            player.unknown += 1
        known = min(count, player.known[tile])
        if known + player.unknown < count:
            yield tile_error(
                "deal_tiles",
                f"{name} holds {known} of {tile}, and {what} needs {count}.",
                f"{name} 手中有{known}张{ZH_NAMES[tile]}，{zh}需要{count}张。",
                tile,
            )
            return
        player.known -= Counter({tile: known})
        player.unknown -= count - known

    def _of_void_suit(self, name: str, tile: Tile, what: str, zh: str) -> Found:
        void = self.void_suits.get(name)
        if void is not None and tile.suit is Suit(void):
            yield tile_error(
                "deal_void_suit",
                f"{name} gave up this suit and cannot make a {what} of {tile} (3.23).",
                f"{name} 定缺此门，不能{zh}{ZH_NAMES[tile]}（3.23）。",
                tile,
            )

    def _still_holding_void_suit(self, name: str, tile: Tile) -> Found:
        void, player = self.void_suits.get(name), self.players[name]
        if void is None or not player.followed or tile.suit is Suit(void):
            return
        held = tuple(one for one in player.known if one.suit is Suit(void) and player.known[one])
        if held:
            yield problem(
                "deal_void_suit_kept",
                f"{name} discards {tile} while holding {codes(held)} of the suit given up (3.23).",
                f"{name} 手中仍有定缺的{names(held)}，却先打出{ZH_NAMES[tile]}（3.23）。",
                held,
            )

    def _five_of_a_kind(self) -> Found:
        total = Counter(self.pool)
        for player in self.players.values():
            total.update(player.lies())
        for counts in (total, self.from_wall):
            for tile, count in counts.items():
                if count > 4:
                    yield tile_error(
                        "deal_tiles",
                        f"that makes {count} of {tile}, and there are four: "
                        f"{self._places(tile, 'en')}.",
                        f"{ZH_NAMES[tile]}已有{count}张，而全副只有四张："
                        f"{self._places(tile, 'zh')}。",
                        tile,
                    )
                    return

    def _places(self, tile: Tile, language: str) -> str:
        """Say where the tiles of a kind lie."""
        en = language == "en"
        held = [(name, player.lies()[tile]) for name, player in self.players.items()]
        parts = [f"{name} {count}" for name, count in held if count]
        if self.pool[tile]:
            parts.append(f"{'discards' if en else '牌池'} {self.pool[tile]}")
        if self.from_wall[tile] > 4:
            parts.append(f"{'dealt and drawn' if en else '配牌与摸牌'} {self.from_wall[tile]}")
        return (", " if en else "、").join(parts)


def _actors(event: Event) -> tuple[str, ...]:
    if isinstance(event, Win):
        return tuple(winner.player for winner in event.winners)
    return () if isinstance(event, WallEnd) else (event.player,)


def _tiles_of(event: Event) -> tuple[Tile, ...]:
    tile = getattr(event, "tile", None)
    return () if tile is None else (tile,)


def _in_play(tiles: Iterable[Tile]) -> Found:
    for tile in tiles:
        if tile not in IN_PLAY:
            yield tile_error(
                "deal_tiles",
                f"{tile} is not in play: Sichuan has characters, dots and bamboo only (5.1.1).",
                f"{ZH_NAMES[tile]}不在本规则的牌中：只有万、饼、条（5.1.1）。",
                tile,
            )


def _proved_notes(event: Event, proved: Event) -> Found:
    if event is not proved and isinstance(event, Kong):
        yield problem(
            "deal_timely_rain",
            f"{event.player} called the pung with three in hand: 即时雨, no points for this kong "
            "(8.6.1 c).",
            f"{event.player} 碰牌时手中有三张：即时雨，此杠无杠分（8.6.1 c）。",
        )
