"""Who is ready when the wall ends (查叫), and what the best hand still possible is worth (3.27,
10.4.1 b).

The value is that of a win on a plain discard: no 杠上花, 杠上炮, 抢杠, 海底 and no self-draw point.
A tile of which the player holds all four is no wait; that all four lie open elsewhere does not
matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import FanLine, Problem
from hupai.scoring.sichuan.legality import IN_PLAY, tile_and_meld_problems
from hupai.scoring.sichuan.rules import SICHUAN_2024, SichuanRules
from hupai.scoring.tiles import Suit, Tile, suit_named


@dataclass(frozen=True, slots=True)
class Wait:
    """A tile that would complete the hand, with its points on a discard and the fan."""

    tile: Tile
    points: int
    fans: tuple[FanLine, ...]


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether 13 tiles are ready.

    Attributes:
        waits: the tiles that complete the hand, highest-scoring first; empty if not ready.
        natural_pig: tiles of the void suit are still held (天然花猪, 11.2.10.2), so the hand cannot
            be ready.
        problems: what is wrong with the hand as given.
    """

    waits: tuple[Wait, ...]
    natural_pig: bool = False
    problems: tuple[Problem, ...] = ()

    @property
    def ready(self) -> bool:
        """True if a tile completes the hand."""
        return bool(self.waits)

    @property
    def points(self) -> int:
        """What a player who is not ready pays this one: the highest wait; 0 if not ready."""
        return self.waits[0].points if self.waits else 0


def readiness(
    hand: Hand,
    void_suit: str | None = None,
    *,
    partner_play: bool = False,
    rules: SichuanRules = SICHUAN_2024,
) -> Readiness:
    """Check a hand of 13 tiles (a kong counts as three), without a winning tile.

    Args:
        hand: the hand at the end of the wall.
        void_suit: the suit declared void, as m, p or s; None if unknown.
        partner_play: two against two, where no suit is void.
        rules: the rules themselves or a house's variant of them.
    """
    circumstances = Circumstances(void_suit=void_suit, partner_play=partner_play)
    waits: list[Wait] = []
    problems = tuple(tile_and_meld_problems(hand))
    if hand.size != 13 or hand.winning_tile is not None:
        problems = (
            *problems,
            problem(
                "wrong_count",
                "A hand to be checked for readiness has 13 tiles and no winning tile; this one "
                f"counts {hand.size}.",
                f"查叫时手牌应为 13 张且无和牌张，现为 {hand.size} 张。",
            ),
        )
    if not problems:
        for tile in sorted(IN_PLAY):
            if hand.all_tiles.count(tile) >= 4:
                continue
            score = rules.score(replace(hand, winning_tile=tile), circumstances)
            if score.legal:
                waits.append(Wait(tile, score.total, score.fans))
    void = None if void_suit is None or partner_play else suit_named(void_suit)
    pig = void is not None and any(t.suit is Suit(void) for t in hand.all_tiles)
    return Readiness(tuple(sorted(waits, key=lambda w: -w.points)), pig, problems)
