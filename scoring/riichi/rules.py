"""Scoring a finished hand under riichi rules: one rule set per profile.

The library says which yaku a reading has, its fu and its points; the adapter tries every reading,
takes the one that pays most, and explains it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from hupai.scoring.checks.catalogue import problem
from hupai.scoring.checks.hand import (
    errors_first,
    has_errors,
    shape_can_be_judged,
    without_open_winning_tile,
)
from hupai.scoring.hand import Circumstances, Hand
from hupai.scoring.result import Problem, Score, answered
from hupai.scoring.riichi.answer.explanation import reasons
from hupai.scoring.riichi.answer.payments import base_points, payments
from hupai.scoring.riichi.evaluation import Scored, ranked
from hupai.scoring.riichi.legality import (
    IN_PLAY,
    circumstances_read,
    find_problems,
    not_complete,
    not_seen,
)
from hupai.scoring.riichi.profiles import PROFILES, Profile, RiichiOptions
from hupai.scoring.riichi.reading import Win
from hupai.scoring.tiles import Tile


@dataclass(frozen=True, slots=True)
class RiichiRules:
    """A riichi rule set; see `hupai.scoring.result.RuleSet`.

    Attributes:
        profile: names, options and where they come from.
    """

    profile: Profile
    minimum: int = 0
    tiles: frozenset[Tile] = IN_PLAY

    @property
    def id(self) -> str:
        """Id of the profile."""
        return self.profile.id

    @property
    def name_en(self) -> str:
        """English name."""
        return self.profile.name_en

    @property
    def name_zh(self) -> str:
        """Chinese name."""
        return self.profile.name_zh

    @property
    def options(self) -> RiichiOptions:
        """The profile's options."""
        return self.profile.options

    @property
    def circumstances(self) -> tuple[str, ...]:
        """What these rules read."""
        return circumstances_read(self.options)

    def score(self, hand: Hand, circumstances: Circumstances) -> Score:
        """Score a hand: in `total` the points that the winner receives without counters and
        deposits; `details` has han and fu. Never raises.
        """
        win = Win(hand, circumstances, self.options)
        problems = find_problems(win, self.name_en, self.name_zh)
        scored = ranked(_with_some_winning_tile(win))
        if not scored:
            if shape_can_be_judged(problems):
                found = without_open_winning_tile(problems)
                problems = errors_first((*found, not_complete()))
            return Score(
                self.id, complete=False, legal=False, total=0, unit="points", problems=problems
            )
        best = scored[0]
        problems = (*problems, *not_seen(win))
        if best.cost is None:
            problems = errors_first(iter((*problems, _no_yaku(win, best))))
        legal = not has_errors(problems)
        return answered(
            self.id,
            legal,
            best.total,
            "points",
            payments(best) if legal else (),
            problems,
            _details(best),
            partial(reasons, best, scored[1:], self.profile),
        )


def _with_some_winning_tile(win: Win) -> Win:
    """Return the win with a winning tile: 14 tiles of which none is marked take the last.

    The answer says besides that it is not known.
    """
    hand = win.hand
    if hand.winning_tile is not None or hand.size != 14 or not hand.concealed:
        return win
    marked = replace(hand, concealed=hand.concealed[:-1], winning_tile=hand.concealed[-1])
    return replace(win, hand=marked)


def _details(best: Scored) -> tuple[tuple[str, int], ...]:
    circumstances = best.reading.win.circumstances
    return (
        ("han", best.han),
        ("fu", best.reading.fu.total),
        ("base_points", base_points(best)),
        ("dora", best.dora.total),
        *((("honba", circumstances.honba),) if circumstances.honba else ()),
        *((("riichi_sticks", circumstances.riichi_sticks),) if circumstances.riichi_sticks else ()),
    )


def _no_yaku(win: Win, best: Scored) -> Problem:
    """Say that a complete hand has no yaku, and what would have given it one."""
    near = tuple(_nearest(win, best))
    en = "; ".join(one for one, _ in near)
    zh = "；".join(one for _, one in near)
    return problem(
        "no_yaku",
        "The hand is complete but has no yaku, and dora do not count as yaku."
        + (f" What is nearest: {en}." if near else ""),
        "牌型已成，但无役，宝牌不算役。" + (f"最接近的：{zh}。" if near else ""),
    )


def _nearest(win: Win, best: Scored) -> Iterator[tuple[str, str]]:
    circumstances = win.circumstances
    if not win.is_open:
        if not win.has_riichi:
            yield "riichi, if it was declared", "立直（若已宣告）"
        if not circumstances.self_drawn:
            yield "menzen tsumo, if the tile was drawn", "门前清自摸和（若为自摸）"
    for yaku in best.found:
        if win.is_open and yaku.open == 0 and yaku.closed:
            yield f"{yaku.en}, but not with an open hand", f"{yaku.zh}（副露不计）"
    winds = {tile for tile in win.hand.all_tiles if tile.is_honour and tile < Tile.RED}
    pungs = [tile for tile in winds if win.hand.all_tiles.count(tile) >= 3]
    if pungs and None in (circumstances.seat_wind, circumstances.round_wind):
        yield "yakuhai, if a pung is of the seat or round wind", "役牌（若刻子为自风或场风）"


RULES: tuple[RiichiRules, ...] = tuple(RiichiRules(profile) for profile in PROFILES)
"""One rule set a profile."""
