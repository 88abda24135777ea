"""Random winning hands for the benchmarks, reproducible by seed.

Uniformly random sets seldom form high-scoring fan, so most hands are drawn from a few kinds of tile
(one suit, terminals, honours, a span of ranks) or around sets required by a high-scoring fan, and
irregular shapes have a fixed share. Circumstances are drawn too and never contradict the hand.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hupai.scoring.hand import Circumstances, Hand, Meld, MeldKind
from hupai.scoring.tiles import WINDS, Tile

_HONOURS = tuple(range(27, 34))
_ENDS = (0, 8, 9, 17, 18, 26, *_HONOURS)
_GREEN = (19, 20, 21, 23, 25, 32)
_REVERSIBLE = (9, 10, 11, 12, 13, 16, 17, 19, 21, 22, 23, 25, 26, 33)


@dataclass(frozen=True, slots=True)
class Deal:
    """A won hand and how it was won."""

    hand: Hand
    circumstances: Circumstances


def deals(seed: int, number: int, irregular: float = 0.12) -> Iterator[Deal]:
    """Yield winning hands.

    Args:
        seed: the same seed gives the same hands.
        number: number of hands.
        irregular: share of seven pairs, thirteen orphans, knitted hands and nine gates.
    """
    rng = random.Random(seed)
    made = 0
    while made < number:
        drawn = rng.random()
        make = (
            _irregular_hand
            if drawn < irregular
            else _patterned_hand
            if drawn > 0.8
            else _standard_hand
        )
        hand = make(rng)
        if hand is not None:
            made += 1
            yield Deal(hand, _circumstances(rng, hand))


def _pool(rng: random.Random) -> Sequence[int]:
    """Choose the kinds a hand is drawn from."""
    suit = rng.randrange(3) * 9
    low = rng.randrange(7)
    span = range(low, low + rng.choice((3, 4, 5)))
    return rng.choice(
        (
            range(34),
            range(34),
            range(27),
            range(27),
            _ENDS[:6],
            range(suit, suit + 9),
            (*range(suit, suit + 9), *_HONOURS),
            [kind for kind in range(27) if kind // 9 != suit // 9],
            [9 * s + rank for s in range(3) for rank in span if rank < 9],
            [suit + rank for rank in span if rank < 9],
            _ENDS,
            _HONOURS,
            (*_HONOURS, *range(suit, suit + 3)),
            _GREEN,
            _REVERSIBLE,
            [9 * s + rank for s in range(3) for rank in (0, 1, 2, 6, 7, 8)],
            [9 * s + rank for s in range(3) for rank in (1, 3, 5, 7)],
        )
    )


_PATTERNS = (
    ((0, 0), (0, 3), (0, 6)),
    ((0, 0), (1, 3), (2, 6)),
    ((0, 0), (0, 1), (0, 2), (0, 3)),
    ((0, 0), (0, 2), (0, 4), (0, 6)),
    ((0, 0), (0, 0), (0, 0), (0, 0)),
    ((0, 0), (1, 0), (2, 0)),
    ((0, 0), (1, 1), (2, 2)),
    ((0, 0), (0, 1), (0, 2)),
    ((0, 0), (0, 6), (0, 0), (0, 6)),
    ((0, 0), (0, 6), (1, 0), (1, 6)),
)
"""Sets as required by a high-scoring fan: (suit, steps above the lowest)."""


def _patterned_hand(rng: random.Random) -> Hand | None:
    """Draw a hand around one of the patterns, with further sets and a pair."""
    pattern = rng.choice(_PATTERNS)
    pungs = rng.random() < 0.3
    suits = rng.sample((0, 9, 18), 3)
    low = rng.randrange((9 if pungs else 7) - max(step for _, step in pattern))
    firsts = [(suits[suit] + low + step, pungs) for suit, step in pattern]
    while len(firsts) < 4:
        pung = rng.random() < 0.4
        firsts.append(
            (rng.randrange(34) if pung else rng.randrange(3) * 9 + rng.randrange(7), pung)
        )
    pair = suits[rng.choice((0, 2))] + 4 if rng.random() < 0.5 else rng.randrange(34)
    return _dealt(rng, firsts, pair, rng.choice((0.0, 0.3, 0.6)))


def _standard_hand(rng: random.Random) -> Hand | None:
    pool = set(_pool(rng))
    chow_starts = [
        kind for kind in pool if kind < 27 and kind % 9 < 7 and {kind + 1, kind + 2} <= pool
    ]
    pung_share = rng.choice((0.1, 0.3, 0.5, 0.9, 1.0))
    meld_share = rng.choice((0.0, 0.0, 0.3, 0.6, 1.0))
    kinds = sorted(pool)
    firsts = []
    for _ in range(4):
        is_pung = not chow_starts or rng.random() < pung_share
        firsts.append((rng.choice(kinds if is_pung else chow_starts), is_pung))
    return _dealt(rng, firsts, rng.choice(kinds), meld_share)


def _dealt(
    rng: random.Random, sets: Sequence[tuple[int, bool]], pair: int, meld_share: float
) -> Hand | None:
    """Build the hand of sets (lowest tile, whether a pung), some of them melded."""
    concealed: list[Tile] = [Tile(pair)] * 2
    melds: list[Meld] = []
    for first, is_pung in sets:
        tiles = tuple(Tile(first + (0 if is_pung else step)) for step in range(3))
        if rng.random() >= meld_share:
            concealed += tiles
        elif not is_pung:
            melds.append(Meld(MeldKind.CHOW, tiles))
        else:
            kind = rng.choice(
                (
                    MeldKind.PUNG,
                    MeldKind.PUNG,
                    MeldKind.KONG,
                    MeldKind.CONCEALED_KONG,
                    MeldKind.ADDED_KONG,
                )
            )
            melds.append(Meld(kind, tiles if kind is MeldKind.PUNG else tiles + tiles[:1]))
    return _finish(rng, concealed, melds)


def _irregular_hand(rng: random.Random) -> Hand | None:
    suits = [0, 9, 18]
    rng.shuffle(suits)
    knitted = [suit + row + step for row, suit in enumerate(suits) for step in (0, 3, 6)]
    shape = rng.randrange(6)
    melds: list[Meld] = []
    if shape == 0:
        kinds = sorted(_pool(rng))
        tiles = [kind for kind in (rng.choice(kinds) for _ in range(7)) for _ in range(2)]
    elif shape == 1:
        first = suits[0] + rng.randrange(3)
        tiles = [kind for kind in range(first, first + 7) for _ in range(2)]
    elif shape == 2:
        tiles = [*_ENDS, rng.choice(_ENDS)]
    elif shape == 3:
        tiles = rng.sample([*knitted, *_HONOURS], 14)
    elif shape == 4:
        first = rng.choice([kind for kind in range(27) if kind % 9 < 7])
        rest = [first, first + 1, first + 2] if rng.random() < 0.7 else [rng.randrange(34)] * 3
        tiles = [*knitted, *[rng.randrange(34)] * 2]
        if rng.random() < 0.4:
            melds = [
                Meld(MeldKind.PUNG if rest[0] == rest[1] else MeldKind.CHOW, tuple(map(Tile, rest)))
            ]
        else:
            tiles += rest
    else:
        suit = suits[0]
        before = [suit, suit, *range(suit, suit + 9), suit + 8, suit + 8]
        winning = suit + rng.randrange(9)
        return (
            Hand(tuple(map(Tile, before)), (), Tile(winning)) if before.count(winning) < 4 else None
        )
    return _finish(rng, [Tile(kind) for kind in tiles], melds)


def _finish(rng: random.Random, concealed: list[Tile], melds: list[Meld]) -> Hand | None:
    """Choose a winning tile among the concealed ones; None if a tile occurs five times."""
    everything = Counter([*concealed, *(tile for meld in melds for tile in meld.tiles)])
    if max(everything.values()) > 4:
        return None
    rng.shuffle(concealed)
    return Hand(tuple(concealed[1:]), tuple(melds), concealed[0])


def _circumstances(rng: random.Random, hand: Hand) -> Circumstances:
    held = hand.winning_tile in hand.concealed
    self_drawn = rng.random() < 0.4
    last_tile = rng.random() < 0.06
    copies = hand.all_tiles.count(hand.winning_tile) if hand.winning_tile is not None else 0
    return Circumstances(
        self_drawn=self_drawn,
        last_tile=last_tile,
        last_of_kind=not held and rng.random() < 0.05,
        kong_replacement=self_drawn
        and any(meld.is_kong for meld in hand.melds)
        and rng.random() < 0.15,
        robbing_kong=not self_drawn and not last_tile and copies == 1 and rng.random() < 0.05,
        seat_wind=rng.choice(WINDS),
        round_wind=rng.choice(WINDS),
    )
