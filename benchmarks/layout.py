"""How often layout and reading understand a table when every tile is found and named: rendered geometry, no pictures.

    python -m benchmarks.layout [--scenes 1000] [--seed 7] [--out benchmarks/layout.json]

Tables come from datasets.synthetic with random hands, styles, surroundings and cameras. Their tiles are projected to boxes, shaken
as a detector shakes them, and read. Counted are: the tiles taken for the hand, groups with their kinds, whom each meld was claimed
from, the winning tile, and the whole hand; by layout of the melds and by elevation of the camera.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.layout_scenes import Sample, sample
from benchmarks.layout_sheet import save, sheet
from scoring.hand import Hand, Meld, MeldKind
from scoring.notation import format_hand
from scoring.tiles import Tile
from vision.layout import arrange
from vision.reading import read
from vision.types import Detections, Reading

LEAST_OVERLAP = 0.4
"""Intersection over union from which a detection shows a tile."""

Truth = frozenset[tuple[str, frozenset[int], str | None]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What of a sample was understood."""

    tiles: bool
    groups: bool
    claims: bool
    winning: bool
    hand: bool
    certain: bool
    probability: float
    layout_ms: float
    reading_ms: float


def examine(table: Sample, found: Detections | None = None) -> tuple[Outcome, Reading]:
    """Read a table and compare.

    Args:
        table: the table.
        found: what a real detector saw of it; without it every tile is found and named.
    """
    seen = table.detections if found is None else found
    begun = time.perf_counter()
    layout = arrange(seen, table.size)
    arranged = time.perf_counter()
    reading = read(layout)
    spent = (arranged - begun) * 1000, (time.perf_counter() - arranged) * 1000
    names = {i: i for i in range(len(seen))} if found is None else matched(table, found)
    wanted = expected_groups(table)
    got = frozenset(
        (g.kind.value, frozenset(names[i] for i in g.tiles), g.claimed_from.value if g.claimed_from else None)
        for g in reading.groups
    )
    own = {i for i, t in enumerate(table.tiles) if t.in_hand}
    groups = _kinds(wanted) == _kinds(got)
    hand = reading.hands[0].hand if reading.hands else None
    outcome = Outcome(
        tiles=own == {names[t.id] for t in reading.tiles if t.in_hand},
        groups=groups,
        claims=groups and {(tiles, source) for _, tiles, source in wanted} == {(tiles, source) for _, tiles, source in got},
        winning={tiles for kind, tiles, _ in wanted if kind == "winning_tile"}
        == {tiles for kind, tiles, _ in got if kind == "winning_tile"},
        hand=hand is not None and _same(hand, shown_hand(table)),
        certain=reading.certain,
        probability=reading.hands[0].probability if reading.hands else 0.0,
        layout_ms=spent[0],
        reading_ms=spent[1],
    )
    return outcome, reading


def matched(table: Sample, found: Detections) -> dict[int, int]:
    """For each detection the tile it shows, by the greatest overlap first; a negative number of its own if it shows none."""
    truth = table.detections.boxes
    low = np.maximum(found.boxes[:, None, :2], truth[None, :, :2])
    high = np.minimum(found.boxes[:, None, 2:], truth[None, :, 2:])
    both = np.clip(high - low, 0, None).prod(2)
    area = [(boxes[:, 2:] - boxes[:, :2]).prod(1) for boxes in (found.boxes, truth)]
    overlap = both / np.maximum(area[0][:, None] + area[1][None] - both, 1e-6)
    names = {i: -1 - i for i in range(len(found))}
    taken: set[int] = set()
    for flat in np.argsort(-overlap, axis=None):
        i, j = divmod(int(flat), overlap.shape[1])
        if overlap[i, j] < LEAST_OVERLAP:
            break
        if names[i] < 0 and j not in taken:
            names[i] = j
            taken.add(j)
    return names


def expected_groups(table: Sample) -> Truth:
    """Groups as laid; a kong with four open faces and none sideways may be either kind, so it is compared as ``kong``."""
    groups: dict[int, list[int]] = {}
    for i, tile in enumerate(table.tiles):
        if tile.in_hand and tile.group is not None:
            groups.setdefault(tile.group, []).append(i)
    found = set()
    for ids in groups.values():
        first = table.tiles[ids[0]]
        sideways = any(table.tiles[i].sideways for i in ids)
        found.add((first.kind or "", frozenset(ids), first.claimed_from if sideways else None))
    return frozenset(found)


_OPEN = {"concealed_kong": "kong", "kong": "kong"}


def _kinds(groups: Truth) -> set[tuple[str, frozenset[int]]]:
    return {(_OPEN.get(kind, kind), tiles) for kind, tiles, _ in groups}


def shown_hand(table: Sample) -> Hand:
    """The hand as far as the table shows it.

    A winning tile that is not set apart is one of the concealed; a kong that lies face down is unknown; one with four open faces
    and none sideways may be either kind and is taken for a concealed one.
    """
    hand = table.hand
    down = table.style.concealed_kong == "all_down"
    melds = tuple(_shown_meld(meld, down) for meld in hand.melds)
    if table.style.winning == "inside" and hand.winning_tile is not None:
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
        melds = Counter((m.kind, m.claimed_from, m.tiles) for m in (_shown_meld(m, False) for m in hand.melds))
        return sorted(hand.concealed), melds, hand.winning_tile, sorted(hand.flowers)

    return key(a) == key(b)


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first scene")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--failures", type=int, default=0, help="print so many scenes that were misunderstood")
    parser.add_argument("--sheet", type=Path, help="draw them on a contact sheet")
    parser.add_argument("--plain", action="store_true", help="in outlines, which is quick")
    args = parser.parse_args()
    rows = []
    failed = []
    for seed in range(args.seed, args.seed + args.scenes):
        table = sample(seed)
        outcome, reading = examine(table)
        rows.append((table, outcome))
        if not (outcome.tiles and outcome.claims and outcome.winning):
            failed.append((table, _caption(table, outcome, reading), reading))
    for _, caption, _ in failed[: args.failures]:
        print(caption)
    if args.sheet:
        save(args.sheet, sheet(failed[: args.failures], args.plain))
    summary = summarise(rows)
    for name, values in summary.items():
        print(f"{name:<24}" + "  ".join(f"{key} {value}" for key, value in values.items()))
    if args.out:
        args.out.write_text(json.dumps(summary, indent=1) + "\n", "utf-8")


def _caption(table: Sample, outcome: Outcome, reading: Reading) -> str:
    wrong = [name for name in ("tiles", "groups", "claims", "winning", "hand") if not getattr(outcome, name)]
    got = format_hand(reading.hands[0].hand) if reading.hands else "none"
    style = table.style
    return (
        f"{table.seed}: {' '.join(wrong)}; melds {style.melds}, winning {style.winning}, rows {style.rows}, "
        f"flowers {style.flowers}, gap {style.gap:.2f}/{style.group_gap:.2f}, elevation {table.view.elevation:.0f}\n"
        f"{format_hand(shown_hand(table))} read {got} ({outcome.probability:.2f})\n"
        f"{' '.join(p.code for p in reading.problems)}"
    )


def summarise(rows: list[tuple[Sample, Outcome]]) -> dict[str, dict[str, float]]:
    """Shares of what was understood, over all scenes and by kind of scene."""
    parts: dict[str, list[Outcome]] = {"all": [outcome for _, outcome in rows]}
    for table, outcome in rows:
        melded = f"melds {table.style.melds}" if table.hand.melds else "no melds"
        seen_from = next(f"elevation < {limit}" for limit in (25, 40, 60, 91) if table.view.elevation < limit)
        for name in (melded, f"winning {table.style.winning}", seen_from):
            parts.setdefault(name, []).append(outcome)
    summary = {}
    for name, outcomes in sorted(parts.items()):
        n = len(outcomes)
        sure = [o for o in outcomes if o.certain]
        summary[name] = {
            "scenes": n,
            "tiles": round(sum(o.tiles for o in outcomes) / n, 4),
            "groups": round(sum(o.groups for o in outcomes) / n, 4),
            "claims": round(sum(o.claims for o in outcomes) / n, 4),
            "winning": round(sum(o.winning for o in outcomes) / n, 4),
            "hand": round(sum(o.hand for o in outcomes) / n, 4),
            "certain": round(len(sure) / n, 4),
            "certain_wrong": sum(not o.hand for o in sure),
            "layout_ms": round(float(np.median([o.layout_ms for o in outcomes])), 1),
            "reading_ms": round(float(np.median([o.reading_ms for o in outcomes])), 1),
        }
    return summary


if __name__ == "__main__":
    main()
