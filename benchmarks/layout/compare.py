"""Reads a laid table and compares the reading with the truth.

The ground truth excludes what cannot be seen: the source of a meld without a sideways tile, the
winning tile if it stands among the others, the faces of a face-down kong, and whether a kong of
four open tiles without a sideways one was claimed.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

from benchmarks.layout.detected import TimedClassifier, matched
from benchmarks.layout.table import LaidTable, TrueGroup
from hupai.scoring.hand import Hand, Meld, MeldKind
from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.pipeline.recogniser import layout_with_recovery
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, Reading

DOUBTS = frozenset(
    {
        "cut_by_edge",
        "faint_tile",
        "flowers_apart",
        "gap_in_hand",
        "grouping_unclear",
        "hand_unclear",
        "kong_tile_unseen",
        "low_confidence",
        "no_hand",
        "no_legal_hand",
        "odd_size",
        "selection_unclear",
        "several_hands",
        "tile_inferred",
        "too_few_tiles",
        "too_many_tiles",
        "too_many_tiles_on_photo",
    }
)
"""Codes of problems that warn of wrong tiles or groups."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was right in the reading of a table, the number of its tiles, and the times."""

    tiles: bool
    groups: bool
    claims: bool
    winning: bool
    hand: bool
    flagged: bool
    certain: bool
    probability: float
    layout_ms: float
    reading_ms: float
    seen: int = 0

    @property
    def right(self) -> bool:
        """Whether everything is right."""
        return self.tiles and self.groups and self.claims and self.winning and self.hand


def examine(
    table: LaidTable,
    found: Detections | None = None,
    rules: RuleSet | None = None,
    classify: TimedClassifier | None = None,
) -> tuple[Outcome, Reading]:
    """Read a table and compare the reading with the truth.

    Args:
        table: the table.
        found: detections of a real detector; None for perfect detections.
        rules: rules in play; None if unknown.
        classify: classifies boxes of the picture; without it no missing tile is recovered.
    """
    seen = table.detections if found is None else found
    begun = time.process_time()
    layout = layout_with_recovery(classify, seen, table.size, rules.id if rules else None)
    arranged = time.process_time()
    reading = read(layout, rules)
    spent = (
        (arranged - begun - (classify.seconds if classify else 0.0)) * 1000,
        (time.process_time() - arranged) * 1000,
    )
    names = dict(enumerate(range(len(seen))))
    if found is not None:
        names = matched(table, layout.detections, layout.duplicates)
    wanted = table.groups()
    got = {
        (
            group.kind.value,
            frozenset(names[i] for i in group.tiles),
            group.claimed_from.value if group.claimed_from else None,
        )
        for group in reading.groups
    }
    own = {i for i, t in enumerate(table.tiles) if t.in_hand}
    groups = _kinds(wanted) == _kinds(got)
    hand = reading.hands[0].hand if reading.hands else None
    outcome = Outcome(
        tiles=own == {names[t.id] for t in reading.tiles if t.in_hand},
        groups=groups,
        claims=groups and {group[1:] for group in wanted} == {group[1:] for group in got},
        winning=_winning(wanted) == _winning(got),
        hand=hand is not None and _same(hand, shown_hand(table)),
        flagged=bool(DOUBTS & {p.code for p in reading.problems}),
        certain=reading.certain,
        probability=reading.hands[0].probability if reading.hands else 0.0,
        layout_ms=spent[0],
        reading_ms=spent[1],
        seen=len(seen),
    )
    return outcome, reading


_OPEN = {"concealed_kong": "kong"}
"""Kinds that cannot be distinguished if all four faces are open and none lies sideways."""


def _kinds(groups: set[TrueGroup]) -> set[tuple[str, frozenset[int]]]:
    return {(_OPEN.get(kind, kind), tiles) for kind, tiles, _ in groups}


def _winning(groups: set[TrueGroup]) -> set[frozenset[int]]:
    return {tiles for kind, tiles, _ in groups if kind == "winning_tile"}


def shown_hand(table: LaidTable) -> Hand:
    """Return the hand as far as the table shows it.

    A winning tile that is not set apart is one of the concealed; a kong that lies face down is
    unknown; one with four open faces and none sideways may be either kind and is taken for a
    concealed one.
    """
    hand = table.hand
    melds = tuple(_shown_meld(meld, table.kongs_down) for meld in hand.melds)
    if table.winning_inside and hand.winning_tile is not None:
        return Hand((*hand.concealed, hand.winning_tile), melds, None, hand.flowers)
    return Hand(hand.concealed, melds, hand.winning_tile, hand.flowers)


def _shown_meld(meld: Meld, down: bool) -> Meld:
    if meld.kind is MeldKind.CONCEALED_KONG and down:
        return Meld(MeldKind.CONCEALED_KONG, (Tile.BACK,) * 4)
    if meld.kind is MeldKind.KONG and meld.claimed_from is None:
        return Meld(MeldKind.CONCEALED_KONG, meld.tiles)
    return meld


def _same(a: Hand, b: Hand) -> bool:
    def key(hand: Hand) -> tuple[object, ...]:
        melds = Counter(
            (m.kind, m.claimed_from, m.tiles) for m in (_shown_meld(m, False) for m in hand.melds)
        )
        return sorted(hand.concealed), melds, hand.winning_tile, sorted(hand.flowers)

    return key(a) == key(b)
