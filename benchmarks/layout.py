"""Measures how often layout and reading understand a table, rendered or photographed.

    python -m benchmarks.layout [--scenes 1000] [--detected 300]
        [--photos ../shared/photos/dev …] [--out benchmarks/layout.json]

Tables come from hupai.datasets.synthetic with random hands, styles, surroundings and cameras from
15 to 90 degrees; their tiles are projected to boxes, shaken as a detector shakes them, and read.
Counted are: the tiles taken for the hand, groups with their kinds, whom each meld was claimed from,
the winning tile, and the whole hand; by layout of the melds and by elevation of the camera. No
table is left out of the count. What nobody can see is no part of the truth: the source of a meld of
which no tile lies sideways, the winning tile where it stands among the others, the tiles of a kong
that lies face down, and whether a kong of four open tiles of which none lies sideways was claimed.
`asked` counts wrong readings that name a doubt.

With detected tiles the same tables are rendered in drawn tile sets and the shipped weights find the
tiles; ``all named`` are those tables of which they found every tile of the hand and named it right.
The sets are drawn with the fonts at hand, so only figures with the same ``fonts`` are of the same
pictures. ``rules known`` reads the tables with true tiles again, each under a rule set it suits. Of
photos only the tiles of the hand are known. Times are of the processor.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.layout_detected import Finder, TimedClassifier, matched, named, photos_read
from benchmarks.layout_scenes import LaidTable, Sample, sample
from benchmarks.layout_sheet import save, sheet
from hupai.datasets.faces.drawing.variety import font_families
from hupai.scoring.hand import Hand, Meld, MeldKind
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.rule_sets import all_rules
from hupai.scoring.tiles import Tile
from hupai.vision.conventions import convention
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

Truth = frozenset[tuple[str, frozenset[int], str | None]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was read right of a table, and how long it took."""

    tiles: bool
    groups: bool
    claims: bool
    winning: bool
    hand: bool
    asked: bool
    certain: bool
    probability: float
    layout_ms: float
    reading_ms: float

    @property
    def right(self) -> bool:
        """Tell whether all was read right."""
        return self.tiles and self.groups and self.claims and self.winning and self.hand


def examine(
    table: LaidTable,
    found: Detections | None = None,
    rules: RuleSet | None = None,
    classify: TimedClassifier | None = None,
) -> tuple[Outcome, Reading]:
    """Read a table and compare.

    Args:
        table: the table.
        found: what a real detector saw of it; without it every tile is found and named.
        rules: rules in play, if they are to be known.
        classify: names what lies at places of the picture; without it none is recovered.
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
    names = (
        {i: i for i in range(len(seen))}
        if found is None
        else matched(table, layout.detections, layout.duplicates)
    )
    wanted = expected_groups(table)
    got = frozenset(
        (
            g.kind.value,
            frozenset(names[i] for i in g.tiles),
            g.claimed_from.value if g.claimed_from else None,
        )
        for g in reading.groups
    )
    own = {i for i, t in enumerate(table.tiles) if t.in_hand}
    groups = _kinds(wanted) == _kinds(got)
    hand = reading.hands[0].hand if reading.hands else None
    outcome = Outcome(
        tiles=own == {names[t.id] for t in reading.tiles if t.in_hand},
        groups=groups,
        claims=groups
        and {(tiles, source) for _, tiles, source in wanted}
        == {(tiles, source) for _, tiles, source in got},
        winning={tiles for kind, tiles, _ in wanted if kind == "winning_tile"}
        == {tiles for kind, tiles, _ in got if kind == "winning_tile"},
        hand=hand is not None and _same(hand, shown_hand(table)),
        asked=bool(DOUBTS & {p.code for p in reading.problems}),
        certain=reading.certain,
        probability=reading.hands[0].probability if reading.hands else 0.0,
        layout_ms=spent[0],
        reading_ms=spent[1],
    )
    return outcome, reading


def expected_groups(table: LaidTable) -> Truth:
    """Give the groups as laid; sources only where a tile lies sideways."""
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


def shown_hand(table: LaidTable) -> Hand:
    """Give the hand as far as the table shows it.

    A winning tile that is not set apart is one of the concealed; a kong that lies face down is
    unknown; one with four open faces and none sideways may be either kind and is taken for a
    concealed one.
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
        melds = Counter(
            (m.kind, m.claimed_from, m.tiles) for m in (_shown_meld(m, False) for m in hand.melds)
        )
        return sorted(hand.concealed), melds, hand.winning_tile, sorted(hand.flowers)

    return key(a) == key(b)


def suiting(table: Sample) -> RuleSet | None:
    """Choose a rule set that uses the tiles of the hand, and claims chows if it has one."""
    hand = table.hand
    chows = any(meld.kind is MeldKind.CHOW for meld in hand.melds)
    tiles = {*hand.all_tiles, *hand.flowers}
    fitting = [r for r in all_rules() if tiles <= r.tiles and (convention(r.id).chows or not chows)]
    return fitting[table.seed % len(fitting)] if fitting else None


Rows = list[tuple[Sample, Outcome]]
Failures = list[tuple[Sample, str, Reading]]


def main() -> None:
    """Run the command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first scene")
    parser.add_argument(
        "--detected",
        type=int,
        default=0,
        help="how many of the scenes are rendered and given to the detector",
    )
    parser.add_argument(
        "--photos",
        type=Path,
        nargs="*",
        default=[],
        help="labelled folders; those that are missing are skipped",
    )
    parser.add_argument("--cache", type=Path, help="keep detections in this folder")
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--failures", type=int, default=0, help="print so many scenes that were read wrong"
    )
    parser.add_argument("--sheet", type=Path, help="draw them on a contact sheet")
    parser.add_argument("--plain", action="store_true", help="in outlines, which is quick")
    args = parser.parse_args()
    rows: Rows = []
    ruled: Rows = []
    detected: Rows = []
    clear: Rows = []
    failed: Failures = []
    finder = Finder(args.cache) if args.detected or args.photos else None
    for seed in range(args.seed, args.seed + args.scenes):
        table = sample(seed)
        outcome, reading = examine(table)
        rows.append((table, outcome))
        if not outcome.right:
            failed.append((table, _caption(table, outcome, reading), reading))
        rules = suiting(table)
        if rules is not None:
            ruled.append((table, examine(table, rules=rules)[0]))
        if finder is not None and len(detected) < args.detected:
            found = finder.scene(table)
            detected.append(
                (table, examine(table, found, classify=finder.scene_classifier(table))[0])
            )
            if named(table, found):
                clear.append(detected[-1])
    for _, caption, _ in failed[: args.failures]:
        print(caption)
    if args.sheet:
        save(args.sheet, sheet(failed[: args.failures], args.plain))
    summary = {"true tiles": summarise(rows), "rules known": summarise(ruled, parts=False)}
    if detected:
        summary["detected tiles"] = summarise(detected)
        summary["detected tiles, all named"] = summarise(clear)
    for folder in args.photos:
        if finder is not None and folder.is_dir():
            summary[f"photos {folder.name}"] = {"all": photos_read(finder, folder)}
    for part, names in summary.items():
        print(part)
        for name, values in names.items():
            print(f"  {name:<22}" + "  ".join(f"{key} {value}" for key, value in values.items()))
    if args.out:
        drawn_with = {"fonts": sorted(font_families())} if detected else {}
        args.out.write_text(json.dumps(drawn_with | summary, indent=1) + "\n", "utf-8")


def _caption(table: Sample, outcome: Outcome, reading: Reading) -> str:
    wrong = [
        name
        for name in ("tiles", "groups", "claims", "winning", "hand")
        if not getattr(outcome, name)
    ]
    got = format_hand(reading.hands[0].hand) if reading.hands else "none"
    style = table.style
    return (
        f"{table.seed}: {' '.join(wrong)}; melds {style.melds}, winning {style.winning}, "
        f"rows {style.rows}, flowers {style.flowers}, gap {style.gap:.2f}/{style.group_gap:.2f}, "
        f"elevation {table.view.elevation:.0f}\n"
        f"{format_hand(shown_hand(table))} read {got} ({outcome.probability:.2f})\n"
        f"{' '.join(p.code for p in reading.problems)}"
    )


def summarise(rows: Rows, parts: bool = True) -> dict[str, dict[str, float]]:
    """Give the shares read right, over all scenes and, with `parts`, by kind of scene."""
    kinds: dict[str, list[Outcome]] = {"all": [outcome for _, outcome in rows]}
    for table, outcome in rows if parts else []:
        melded = f"melds {table.style.melds}" if table.hand.melds else "no melds"
        seen_from = next(
            f"elevation < {limit}" for limit in (25, 40, 60, 91) if table.view.elevation < limit
        )
        for name in (melded, f"winning {table.style.winning}", seen_from):
            kinds.setdefault(name, []).append(outcome)
    summary = {}
    for name, outcomes in sorted(kinds.items()):
        n = len(outcomes)
        sure = [o for o in outcomes if o.certain]
        summary[name] = {
            "scenes": n,
            "tiles": round(sum(o.tiles for o in outcomes) / n, 4),
            "groups": round(sum(o.groups for o in outcomes) / n, 4),
            "claims": round(sum(o.claims for o in outcomes) / n, 4),
            "winning": round(sum(o.winning for o in outcomes) / n, 4),
            "hand": round(sum(o.hand for o in outcomes) / n, 4),
            "wrong": sum(not o.right for o in outcomes),
            "asked": sum(o.asked and not o.right for o in outcomes),
            "certain": round(len(sure) / n, 4),
            "certain_wrong": sum(not o.hand for o in sure),
            "layout_ms": round(float(np.median([o.layout_ms for o in outcomes])), 1),
            "reading_ms": round(float(np.median([o.reading_ms for o in outcomes])), 1),
        }
    return summary


if __name__ == "__main__":
    main()
