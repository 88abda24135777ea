"""Waits: which tiles complete a hand of 13, what each would score under each way of winning, and
how many of it are left. And of 14 tiles, which may have won, and whether that changes the score.

Works through `RuleSet.score` alone, so it serves every rule set alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from hupai.scoring.checks.catalogue import flower_problems, problem
from hupai.scoring.checks.hand import meld_problems, tile_problems
from hupai.scoring.hand import Circumstances, Hand, with_winning_tile
from hupai.scoring.result import Problem, RuleSet, Score, SetPart, Severity
from hupai.scoring.tiles import PLAYABLE, ZH_NAMES, Tile

HAND_SIZE = 13

_SUIT_BARS = frozenset({"three_suits", "void_suit_held"})
"""A hand that has one of these problems is not ready at the end of the wall (查叫; T/TFMJ 01-2024,
3.24, 11.2.10.2); one that only scores too little is.
"""

_BARS = _SUIT_BARS | {"chow_not_used"}
"""Problems of the tiles in the hand that no winning tile solves."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way of winning.

    Attributes:
        id: stable name.
        en, zh: what to call it.
        flags: the `Circumstances` fields that are true in it.
        needs_kong: only for a hand that shows a kong.
    """

    id: str
    en: str
    zh: str
    flags: tuple[str, ...] = ()
    needs_kong: bool = False


WAYS: tuple[Way, ...] = (
    Way("discard", "on a discard", "点和"),
    Way("self_drawn", "self-drawn", "自摸", ("self_drawn",)),
    Way("last_discard", "on the last discard", "和最后打出的牌", ("last_tile",)),
    Way("last_draw", "on the last tile of the wall", "自摸最后一张", ("self_drawn", "last_tile")),
    Way(
        "kong_replacement",
        "on the replacement for a kong",
        "和杠后补的牌",
        ("self_drawn", "kong_replacement"),
        needs_kong=True,
    ),
    Way("kong_discard", "on a discard after a kong", "和杠后打出的牌", ("kong_discard",)),
    Way("robbing_kong", "robbing a kong", "抢杠", ("robbing_kong",)),
)
"""Every way; a rule set is asked only for those whose flags it reads."""


@dataclass(frozen=True, slots=True)
class WayScore:
    """What a wait scores in one way of winning: the whole answer of the rule set."""

    way: Way
    score: Score


@dataclass(frozen=True, slots=True)
class Wait:
    """A tile that completes the hand.

    Attributes:
        tile: the tile.
        remaining: how many of it are neither in the hand nor in view.
        ways: the score in each way of winning.
    """

    tile: Tile
    remaining: int
    ways: tuple[WayScore, ...]

    @property
    def is_legal(self) -> bool:
        """True if some way of winning on it is allowed."""
        return any(way.score.legal for way in self.ways)

    def __str__(self) -> str:
        best = self.best
        total = f"{best.score.total} {best.score.unit} {best.way.en}"
        return f"{self.tile} ({total}, {self.remaining} left)"

    @property
    def best(self) -> WayScore:
        """The highest-scoring way; legal ones before others."""
        return max(self.ways, key=lambda way: (way.score.legal, way.score.total))


@dataclass(frozen=True, slots=True)
class Waits:
    """The waits of a hand under one rule set.

    Attributes:
        rules: id of the rule set.
        hand: the hand of 13.
        waits: one entry per tile, in the order of the tiles; empty if no tile completes the hand.
        problems: what keeps the hand from being looked at; no waits then.
        bars: why the hand is not ready although some tile completes it: it holds three suits, the
            suit declared void, or a claimed chow, and the rules allow no such win.
    """

    rules: str
    hand: Hand
    waits: tuple[Wait, ...]
    problems: tuple[Problem, ...] = ()
    bars: tuple[Problem, ...] = ()

    @property
    def is_ready(self) -> bool:
        """True if some tile completes the hand, even if no way of winning on it scores enough.

        False if the tiles held bar every win.
        """
        return bool(self.waits) and not self.bars

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tiles that complete it."""
        return tuple(wait.tile for wait in self.waits)

    @property
    def remaining(self) -> int:
        """How many winning tiles are left in all."""
        return sum(wait.remaining for wait in self.waits)

    def __str__(self) -> str:
        if self.problems:
            return "; ".join(map(str, self.problems))
        if not self.waits:
            return f"{self.hand} is not ready ({self.rules})"
        if self.bars:
            return f"{self.hand} is not ready ({self.rules}): {'; '.join(map(str, self.bars))}"
        return f"{self.hand} waits for {', '.join(map(str, self.waits))} ({self.rules})"


def waits(
    hand: Hand,
    rules: RuleSet,
    circumstances: Circumstances | None = None,
    visible: Iterable[Tile] = (),
) -> Waits:
    """Find the tiles that complete a hand of 13 and what each scores.

    Args:
        hand: 13 tiles (a kong counts as three), no winning tile; other hands are answered with a
            problem.
        rules: the rule set.
        circumstances: winds, dealer and the like; how the hand is won is not read but tried in
            every way.
        visible: tiles in view that are not the hand's own: discards, other players' melds. From
            them and the hand's own claimed sets it follows whether a tile is the last of its kind
            (和绝张). More than four of a kind, the hand's included, are answered with a problem.

    Kinds of which the hand itself holds all four are no waits: they cannot be won.
    """
    seen = list(visible)
    problems = (*_problems(hand, rules), *_visible_problems(hand, seen))
    if problems:
        return Waits(rules.id, hand, (), problems)
    given = circumstances or Circumstances()
    claimed = [tile for meld in hand.melds if not meld.is_concealed for tile in meld.tiles]
    own = hand.all_tiles
    found = []
    for tile in PLAYABLE:
        if tile not in rules.tiles or own.count(tile) >= 4:
            continue
        shown = seen.count(tile)
        last = (shown + claimed.count(tile) == 3) and tile not in hand.concealed
        ways = _ways(replace(hand, winning_tile=tile), rules, replace(given, last_of_kind=last))
        if ways:
            found.append(Wait(tile, max(0, 4 - own.count(tile) - shown), ways))
    return Waits(rules.id, hand, tuple(found), bars=_bars(hand, rules, given) if found else ())


def _bars(hand: Hand, rules: RuleSet, given: Circumstances) -> tuple[Problem, ...]:
    """Find what bars every win, and say what follows at the end of the wall."""
    bars = [one for one in rules.score(hand, given).problems if one.code in _BARS]
    last = max((at for at, bar in enumerate(bars) if bar.code in _SUIT_BARS), default=None)
    if last is not None:
        bars[last] = replace(
            bars[last],
            message=f"{bars[last].message} When the wall ends (查叫), the hand is not ready.",
            message_zh=f"{bars[last].message_zh}查叫时按无叫计。",
        )
    return tuple(bars)


def _ways(hand: Hand, rules: RuleSet, given: Circumstances) -> tuple[WayScore, ...]:
    """Score each way of winning that these rules know and that the hand allows.

    There is none if the hand is not complete.
    """
    plain = replace(
        given,
        self_drawn=False,
        last_tile=False,
        kong_replacement=False,
        kong_discard=False,
        robbing_kong=False,
        heavenly_win=False,
    )
    found = []
    for way in WAYS:
        if not set(way.flags) <= set(rules.circumstances) or (
            way.needs_kong and not any(meld.is_kong for meld in hand.melds)
        ):
            continue
        changed = replace(
            plain,
            self_drawn="self_drawn" in way.flags,
            last_tile="last_tile" in way.flags,
            kong_replacement="kong_replacement" in way.flags,
            kong_discard="kong_discard" in way.flags,
            robbing_kong="robbing_kong" in way.flags,
            discarder_is_dealer=given.discarder_is_dealer and "self_drawn" not in way.flags,
        )
        score = rules.score(hand, changed)
        if not score.complete:
            return ()
        if not any(problem.code == "contradictory_flags" for problem in score.problems):
            found.append(WayScore(way, score))
    return tuple(found)


def _problems(hand: Hand, rules: RuleSet) -> tuple[Problem, ...]:
    problems = [
        *tile_problems(hand, rules.tiles, rules.name_en, rules.name_zh),
        *flower_problems(hand, Circumstances()),
        *meld_problems(hand),
    ]
    if hand.size == HAND_SIZE + 1:
        problems.append(
            problem(
                "not_13_tiles",
                "The hand has 14 tiles: waits are those of the 13 before the win, so take the "
                "winning tile, or a discard, out.",
                "手牌有十四张：听牌按和牌前的十三张计，请去掉和牌张或要打出的一张。",
            )
        )
    elif hand.size != HAND_SIZE:
        problems.append(
            problem(
                "not_13_tiles",
                f"The hand counts {hand.size} {'tile' if hand.size == 1 else 'tiles'} (a kong as "
                "three), and waits need 13.",
                f"手牌共 {hand.size} 张（杠按三张计），听牌须为十三张。",
            )
        )
    elif hand.winning_tile is not None:
        problems.append(
            problem(
                "not_13_tiles",
                f"One of the 13 tiles, {hand.winning_tile.code}, is marked as the winning one, and "
                "a hand that waits has none: take the mark away.",
                f"十三张中{ZH_NAMES[hand.winning_tile]}标为和牌张，而未和牌的手牌没有和牌张："
                "请去掉标记。",
            )
        )
    return tuple(problem for problem in problems if problem.severity is Severity.ERROR)


def _visible_problems(hand: Hand, visible: Sequence[Tile]) -> Iterator[Problem]:
    """Find kinds of which hand and view together show more than four."""
    for tile in sorted(set(visible) & set(PLAYABLE)):
        own, shown = hand.all_tiles.count(tile), visible.count(tile)
        if own <= 4 < own + shown:
            yield problem(
                "five_of_a_kind",
                f"{tile.code} occurs {own + shown} times in hand and view, but a set holds only "
                "four of it: check the tiles.",
                f"{ZH_NAMES[tile]}在手牌与可见的牌中共有 {own + shown} 张，而一副牌只有四张："
                "请核对。",
                (tile,),
            )


ScoredHands = tuple[tuple[Hand, Score], ...]
"""Hands with a winning tile, each with its score."""


def leaves_winning_tile_open(hand: Hand) -> bool:
    """Return whether a hand has 14 tiles, a kong counted as three, none marked as winning."""
    return hand.winning_tile is None and hand.size == HAND_SIZE + 1


def scores_by_winning_tile(rules: RuleSet, hand: Hand, circumstances: Circumstances) -> ScoredHands:
    """Score a hand with each tile that may have won.

    Returns:
        The hand with each winning tile that makes it complete, and its score; nothing if the
        hand says which tile won, is not of 14 tiles, or is complete with none of them.
    """
    if not leaves_winning_tile_open(hand):
        return ()
    hands = [with_winning_tile(hand, tile) for tile in sorted(set(hand.concealed))]
    scored = [(won, rules.score(won, circumstances)) for won in hands]
    return tuple((won, score) for won, score in scored if score.complete)


def common_score(scored: ScoredHands) -> Score | None:
    """Return the score that hands have in common whichever tile won.

    Total, payments and fans must be equal; the parts of its split do not say which holds the
    winning tile. A tile that contradicts the circumstances is passed over, unless all do.

    Returns:
        The score; None if the winning tile changes it, or there is no hand.
    """
    possible = [score for _, score in scored if not _is_contradicted(score)]
    scores = possible or [score for _, score in scored]
    if not scores or any(_worth(score) != _worth(scores[0]) for score in scores):
        return None
    if any(_fans(score) != _fans(scores[0]) for score in scores):
        return None
    first = scores[0]
    other = first.runner_up and replace(first.runner_up, split=_unmarked(first.runner_up.split))
    return replace(first, split=_unmarked(first.split), runner_up=other)


def score_known(rules: RuleSet, hand: Hand, circumstances: Circumstances) -> Score | None:
    """Score a hand, also one whose winning tile is open where every tile gives the same score.

    Returns:
        The score; None if it depends on which tile won.
    """
    scored = scores_by_winning_tile(rules, hand, circumstances)
    return common_score(scored) if scored else rules.score(hand, circumstances)


def _unmarked(split: tuple[SetPart, ...]) -> tuple[SetPart, ...]:
    return tuple(replace(part, has_winning_tile=False) for part in split)


def _is_contradicted(score: Score) -> bool:
    return any(problem.code == "contradictory_flags" for problem in score.problems)


def _worth(score: Score) -> tuple[object, ...]:
    return score.total, score.legal, score.payments


def _fans(score: Score) -> set[tuple[str, int, int]]:
    return {(fan.id, fan.points, fan.count) for fan in score.fans}
