"""Families of tables by the convention their hands are laid in, and a random hand for each.

A family changes one property of the base family, the last two change many. Lengths are in tile
widths, angles in radians; spaces, shares and ranges follow what players do, independently of those
in `hupai.datasets.synthetic` and `vision`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, TypeVar

import numpy as np

from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import FLOWERS, PLAYABLE, Tile

Melds = Literal["right", "left", "front", "two_rows", "corner", "across"]
Winning = Literal["inside", "apart", "far_right", "sideways_end", "sideways_top", "front"]
ConcealedKong = Literal["all_down", "outer_down", "inner_down", "one_up", "one_down"]
Flowers = Literal["right", "left", "front", "behind", "alone"]
Surrounding = Literal["pond", "players", "wall", "loose"]
Range = tuple[float, float]

SURROUNDINGS: tuple[Surrounding, ...] = ("pond", "players", "wall", "loose")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a hand is laid and seen.

    Attributes:
        height: length of a tile.
        gap: range of the space between two melds, and between the melds and the rest.
        jitter: maximum space between neighbours that belong together.
        turn: greatest angle of a tile to its row.
        drift: standard deviation of a tile's place across its row.
        bend: how far the ends of a row of 14 are further away than its middle; negative if they are
            nearer.
        slant: angle between the concealed row and the melds.
        suit_gap: range of the space between two suits of the concealed tiles; None without such
            spaces.
        in_order: whether concealed tiles are sorted.
        two_rows: whether concealed tiles lie in two rows.
        row_gap: space between two rows, and before the hand if something lies there.
        meld_count: how many melds; special hands have none.
        melds: where they lie.
        centred: whether a sideways tile lies level with the middle of its neighbours, not with
            their near edge.
        marked: share of the claimed melds with a sideways tile that shows the giver.
        kongs: share of the melds that are kongs.
        sure_kong: whether the first meld is always a kong.
        kong_kinds: what kinds of kong there are.
        concealed_kong: which tiles of a concealed kong lie face down.
        winning: where the winning tile lies.
        winning_gap: space before it if it lies apart.
        flower_count: how many flowers.
        flowers: where they lie.
        flower_gap: space before them.
        special: probability of seven pairs or thirteen orphans.
        surroundings: what else is on the table.
        elevation: elevation of the camera above the table.
        any_side: probability that the photo is taken from any side of the table, not from the
            owner's.
    """

    height: float
    gap: Range
    jitter: float
    turn: float
    drift: float
    bend: float = 0.0
    slant: float = 0.0
    suit_gap: Range | None = None
    in_order: bool
    two_rows: bool = False
    row_gap: float
    meld_count: int
    melds: Melds = "right"
    centred: bool = False
    marked: float = 1.0
    kongs: float = 0.15
    sure_kong: bool = False
    kong_kinds: tuple[MeldKind, ...] = (MeldKind.KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG)
    concealed_kong: ConcealedKong
    winning: Winning
    winning_gap: float
    flower_count: int
    flowers: Flowers = "right"
    flower_gap: float
    special: float = 0.06
    surroundings: tuple[Surrounding, ...]
    elevation: float
    any_side: float = 0.35


@dataclass(frozen=True, slots=True)
class Family:
    """A convention: what it is in words, and how it changes a style of the base."""

    meaning: str
    change: Callable[[Style, np.random.Generator], Style]


def random_style(family: str, rng: np.random.Generator) -> Style:
    """Draw a style of the family of this name."""
    return FAMILIES[family].change(_base(rng), rng)


def random_hand(style: Style, rng: np.random.Generator) -> Hand:
    """Draw a won hand that fits the style."""
    flowers = tuple(FLOWERS[i] for i in rng.choice(len(FLOWERS), style.flower_count, replace=False))
    special = rng.random() < style.special
    tiles, melds = (_special_hand(rng), ()) if special else _sets_and_pair(style, rng)
    won = tiles.pop(int(rng.integers(len(tiles))))
    return Hand(tuple(sorted(tiles)), melds, won, flowers)


def one_of(rng: np.random.Generator, *options: _T) -> _T:
    """Draw one of the options; repeated options are more likely."""
    return options[int(rng.integers(len(options)))]


def _special_hand(rng: np.random.Generator) -> list[Tile]:
    if rng.random() < 0.7:
        return [PLAYABLE[i] for i in rng.choice(len(PLAYABLE), 7, replace=False) for _ in range(2)]
    orphans = [tile for tile in PLAYABLE if tile.is_honour or tile.rank in (1, 9)]
    return [*orphans, one_of(rng, *orphans)]


def _sets_and_pair(style: Style, rng: np.random.Generator) -> tuple[list[Tile], tuple[Meld, ...]]:
    """Draw concealed tiles with the winning one, and melds, with no tile more than four times."""
    while True:
        melds = tuple(
            _meld(style, style.sure_kong and i == 0, rng) for i in range(style.meld_count)
        )
        pair = one_of(rng, *PLAYABLE)
        concealed = [*chain.from_iterable(_set(rng) for _ in range(4 - len(melds))), pair, pair]
        if max(Counter(chain(concealed, *(meld.tiles for meld in melds))).values()) <= 4:
            return concealed, melds


def _set(rng: np.random.Generator) -> tuple[Tile, ...]:
    if rng.random() < 0.42:
        return (one_of(rng, *PLAYABLE),) * 3
    first = 9 * int(rng.integers(3)) + int(rng.integers(7))
    return PLAYABLE[first : first + 3]


def _meld(style: Style, sure_kong: bool, rng: np.random.Generator) -> Meld:
    giver = one_of(rng, *Source) if rng.random() < style.marked else None
    if sure_kong or rng.random() < style.kongs:
        kind = one_of(rng, *style.kong_kinds)
        return Meld(
            kind, (one_of(rng, *PLAYABLE),) * 4, None if kind is MeldKind.CONCEALED_KONG else giver
        )
    tiles = _set(rng)
    if tiles[0] is tiles[1]:
        return Meld(MeldKind.PUNG, tiles, giver)
    return Meld(MeldKind.CHOW, tiles, None if giver is None else Source.LEFT)


def _base(rng: np.random.Generator) -> Style:
    return Style(
        height=rng.uniform(1.29, 1.40),
        gap=(0.5, 1.3),
        jitter=rng.uniform(0.0, 0.03),
        turn=_angle(rng, 0, 1),
        drift=rng.uniform(0.0, 0.03),
        in_order=bool(rng.random() < 0.7),
        row_gap=rng.uniform(0.3, 0.8),
        meld_count=int(rng.choice(5, p=[0.25, 0.25, 0.25, 0.17, 0.08])),
        concealed_kong=one_of(rng, "all_down", "outer_down", "inner_down", "one_up", "one_down"),
        winning=one_of(rng, "inside", "inside", "apart"),
        winning_gap=rng.uniform(0.6, 1.3),
        flower_count=one_of(rng, 0, 0, 0, 1, 2),
        flower_gap=rng.uniform(0.6, 1.3),
        surroundings=("pond",) if rng.random() < 0.2 else (),
        elevation=_angle(rng, 30, 90),
    )


def _angle(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw an angle in radians from a range in degrees."""
    return math.radians(rng.uniform(low, high))


def _some(rng: np.random.Generator) -> int:
    """Draw a number of melds, at least one."""
    return int(rng.choice([1, 2, 3, 4], p=[0.35, 0.35, 0.22, 0.08]))


def _several(rng: np.random.Generator) -> int:
    """Draw a number of melds, at least two."""
    return int(rng.choice([2, 3, 4], p=[0.5, 0.35, 0.15]))


def _perhaps(rng: np.random.Generator, share: float) -> int:
    """Draw a number of melds, at least one with this probability."""
    return _some(rng) if rng.random() < share else 0


def _surroundings(rng: np.random.Generator, share: float) -> tuple[Surrounding, ...]:
    return tuple(kind for kind in SURROUNDINGS if rng.random() < share)


def _mix(style: Style, rng: np.random.Generator) -> Style:
    return replace(
        style,
        height=rng.uniform(1.25, 1.45),
        gap=(0.15, 3.0) if rng.random() < 0.3 else (0.3, 1.2),
        jitter=rng.uniform(0.0, 0.08),
        turn=_angle(rng, 0, 3),
        drift=rng.uniform(0.0, 0.05),
        melds=one_of(rng, "right", "right", "left", "front", "two_rows", "corner"),
        centred=one_of(rng, False, False, True),
        winning=one_of(rng, "inside", "inside", "apart", "sideways_end"),
        winning_gap=rng.uniform(0.5, 2.0),
        flower_count=one_of(rng, 0, 0, 1, 2, 3, 4),
        flowers=one_of(rng, "left", "right", "front", "behind", "alone"),
        flower_gap=rng.uniform(0.4, 2.0),
        surroundings=_surroundings(rng, 0.4),
    )


def _mix_hard(style: Style, rng: np.random.Generator) -> Style:
    return replace(
        _mix(style, rng),
        gap=one_of(rng, (0.15, 0.6), (0.4, 2.5)),
        jitter=rng.uniform(0.03, 0.12),
        turn=_angle(rng, 1, 4),
        drift=rng.uniform(0.02, 0.06),
        bend=rng.uniform(-0.6, 0.6) if rng.random() < 0.4 else 0.0,
        meld_count=_perhaps(rng, 0.8),
        centred=one_of(rng, False, False, False, True),
        marked=one_of(rng, 1.0, 1.0, 0.8, 0.0),
        kongs=0.35,
        winning=one_of(
            rng, "inside", "apart", "sideways_end", "sideways_top", "front", "far_right"
        ),
        surroundings=_surroundings(rng, 0.55),
        elevation=_angle(rng, 25, 80),
    )


def _kong(style: Style, kind: MeldKind, meld_count: int, kongs: float = 0.7) -> Style:
    return replace(style, kongs=kongs, sure_kong=True, kong_kinds=(kind,), meld_count=meld_count)


FAMILIES: dict[str, Family] = {
    "base": Family(
        "melds to the right at clear spaces, each with a sideways tile that tells its giver",
        lambda s, _r: s,
    ),
    "gap_tight": Family(
        "melds 0.15 to 0.4 apart", lambda s, r: replace(s, gap=(0.15, 0.4), meld_count=_some(r))
    ),
    "gap_wide": Family(
        "melds 1.5 to 3 apart", lambda s, r: replace(s, gap=(1.5, 3.0), meld_count=_some(r))
    ),
    "jitter_gap": Family(
        "up to 0.12 between neighbours",
        lambda s, r: replace(s, jitter=r.uniform(0.05, 0.12), meld_count=_perhaps(r, 0.8)),
    ),
    "jitter_rot": Family(
        "tiles turned by up to four degrees",
        lambda s, r: replace(
            s,
            turn=_angle(r, 2, 4),
            drift=0.07,
            jitter=r.uniform(0.0, 0.08),
            meld_count=_perhaps(r, 0.8),
        ),
    ),
    "curved": Family(
        "the concealed row is bent",
        lambda s, r: replace(s, bend=r.uniform(0.3, 1.1) * one_of(r, 1, -1)),
    ),
    "slanted": Family(
        "the concealed row lies slanted to the melds",
        lambda s, r: replace(s, slant=_angle(r, 3, 9) * one_of(r, 1, -1), meld_count=_some(r)),
    ),
    "aspect": Family(
        "short or long tiles",
        lambda s, r: replace(
            s, height=r.uniform(*one_of(r, (1.25, 1.28), (1.42, 1.45))), meld_count=_some(r)
        ),
    ),
    "melds_left": Family(
        "melds to the left",
        lambda s, r: replace(
            s, melds="left", meld_count=_some(r), flowers=one_of(r, "right", "left")
        ),
    ),
    "melds_front": Family(
        "melds in a row before the hand",
        lambda s, r: replace(s, melds="front", meld_count=_some(r), row_gap=r.uniform(0.2, 1.5)),
    ),
    "melds_two_rows": Family(
        "melds in two rows to the right",
        lambda s, r: replace(
            s, melds="two_rows", meld_count=_several(r), row_gap=r.uniform(0.05, 0.5)
        ),
    ),
    "melds_corner": Family(
        "melds at the corner of the table",
        lambda s, r: replace(s, melds="corner", meld_count=_some(r)),
    ),
    "melds_across": Family(
        "melds in a row across the concealed one",
        lambda s, r: replace(s, melds="across", meld_count=_some(r), flowers="front"),
    ),
    "concealed_two_rows": Family(
        "concealed tiles in two rows",
        lambda s, r: replace(
            s, two_rows=True, meld_count=int(r.integers(3)), row_gap=r.uniform(0.02, 0.4)
        ),
    ),
    "win_apart": Family(
        "the winning tile beside the concealed ones",
        lambda s, r: replace(s, winning="apart", winning_gap=r.uniform(0.5, 2.0)),
    ),
    "win_side_end": Family(
        "the winning tile sideways at the end of the row",
        lambda s, _r: replace(s, winning="sideways_end"),
    ),
    "win_side_top": Family(
        "the winning tile sideways above the last one",
        lambda s, _r: replace(s, winning="sideways_top"),
    ),
    "win_front": Family(
        "the winning tile before the row", lambda s, _r: replace(s, winning="front")
    ),
    "win_far_right": Family(
        "the winning tile beyond the melds",
        lambda s, r: replace(s, winning="far_right", meld_count=_some(r)),
    ),
    "claim_centre": Family(
        "sideways tiles level with the middle of others",
        lambda s, r: replace(s, centred=True, meld_count=_some(r)),
    ),
    "kong_exposed": Family("exposed kongs", lambda s, r: _kong(s, MeldKind.KONG, _some(r))),
    "kong_added": Family("added kongs", lambda s, r: _kong(s, MeldKind.ADDED_KONG, _some(r))),
    "kong_concealed": Family(
        "concealed kongs", lambda s, r: _kong(s, MeldKind.CONCEALED_KONG, _some(r))
    ),
    "added_tight": Family(
        "added kongs close together",
        lambda s, r: replace(_kong(s, MeldKind.ADDED_KONG, _several(r), 0.8), gap=(0.15, 0.5)),
    ),
    "backs_tight": Family(
        "concealed kongs face down, close together",
        lambda s, r: replace(
            _kong(s, MeldKind.CONCEALED_KONG, _several(r), 0.8),
            concealed_kong="all_down",
            gap=(0.15, 0.6),
        ),
    ),
    "split_suits": Family(
        "concealed tiles parted by suit",
        lambda s, r: replace(s, suit_gap=(0.15, 0.5), in_order=True, meld_count=_perhaps(r, 0.6)),
    ),
    "unmarked": Family(
        "no tile lies sideways",
        lambda s, r: replace(s, marked=0.0, meld_count=int(r.integers(1, 4))),
    ),
    "unmarked_tight": Family(
        "no tile lies sideways, melds close together",
        lambda s, r: replace(s, marked=0.0, meld_count=int(r.integers(1, 4)), gap=(0.15, 0.4)),
    ),
    "half_marked": Family(
        "half the melds have a sideways tile",
        lambda s, r: replace(s, marked=0.5, meld_count=_several(r)),
    ),
    "flowers": Family(
        "up to six flowers, anywhere around the hand",
        lambda s, r: replace(
            s,
            flower_count=int(r.integers(1, 7)),
            flowers=one_of(r, "left", "right", "front", "behind", "alone"),
            flower_gap=r.uniform(0.4, 2.0),
        ),
    ),
    "pond": Family("discards in rows of six", lambda s, _r: replace(s, surroundings=("pond",))),
    "other_players": Family(
        "melds and backs of other players", lambda s, _r: replace(s, surroundings=("players",))
    ),
    "wall": Family("a piece of the wall", lambda s, _r: replace(s, surroundings=("wall",))),
    "loose": Family("loose tiles at any angle", lambda s, _r: replace(s, surroundings=("loose",))),
    "melds_pond": Family(
        "three or four melds, and discards",
        lambda s, r: replace(
            s,
            meld_count=int(r.integers(3, 5)),
            gap=(0.8, 2.5),
            surroundings=one_of(r, ("pond",), ("pond", "players")),
            winning=one_of(r, "apart", "far_right", "inside"),
        ),
    ),
    "special": Family("seven pairs or thirteen orphans", lambda s, _r: replace(s, special=1.0)),
    "mix": Family("many of these at once", _mix),
    "mix_hard": Family("many at once, and each further", _mix_hard),
}
"""The families by name."""
