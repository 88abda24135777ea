"""Measures how often layout and reading understand a table, rendered or photographed.

    python -m benchmarks.layout [--scenes 1000] [--detected 300]
        [--photos ../shared/photos/dev …] [--out benchmarks/layout.json]

Tables come from hupai.datasets.synthetic with random hands, styles, surroundings and cameras from
15 to 90 degrees; their tiles are projected to boxes, shaken as a detector shakes them, and read.
Counted are: the tiles taken for the hand, groups with their kinds, whom each meld was claimed from,
the winning tile, and the whole hand; by layout of the melds and by elevation of the camera. Every
table counts; `benchmarks.layout.compare` says what is the truth of it. ``flagged`` counts wrong
readings that name a doubt.

With detected tiles the same tables are rendered in drawn tile sets and the shipped weights find the
tiles; ``all named`` are those tables of which they found every tile of the hand and named it right.
The sets are drawn with the fonts at hand, so only figures with the same ``fonts`` are of the same
pictures. ``rules known`` reads the tables with true tiles again, each under a rule set it suits. Of
photos only the tiles of the hand are known. Times are of the processor.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.layout.compare import Outcome, examine, shown_hand
from benchmarks.layout.detected import Finder, named, photos_read
from benchmarks.layout.scenes import Sample, sample
from benchmarks.layout.sheet import save, sheet
from hupai.datasets.faces.drawing.variety import font_families
from hupai.scoring.hand import MeldKind
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.rule_sets import all_rules
from hupai.vision.conventions import convention
from hupai.vision.types import Reading


def suiting(table: Sample) -> RuleSet | None:
    """Choose a rule set that uses the tiles of the hand, and claims chows if it has one."""
    hand = table.hand
    chows = any(meld.kind is MeldKind.CHOW for meld in hand.melds)
    tiles = {*hand.all_tiles, *hand.flowers}
    fitting = [r for r in all_rules() if tiles <= r.tiles and (convention(r.id).chows or not chows)]
    return fitting[table.seed % len(fitting)] if fitting else None


Rows = list[tuple[Sample, Outcome]]


@dataclass
class Results:
    """Outcomes by how the tables were read, and what was misread.

    Attributes:
        true, ruled: with true tiles, without and with known rules.
        detected: with detected tiles.
        clear: those of them whose hand was detected and named without a fault.
        failed: tables misread with true tiles, with a caption.
    """

    true: Rows = field(default_factory=list)
    ruled: Rows = field(default_factory=list)
    detected: Rows = field(default_factory=list)
    clear: Rows = field(default_factory=list)
    failed: list[tuple[Sample, str, Reading]] = field(default_factory=list)

    def add(self, table: Sample, finder: Finder | None) -> None:
        """Read a table with true tiles and, given a detector, with what it finds."""
        outcome, reading = examine(table)
        self.true.append((table, outcome))
        if not outcome.right:
            self.failed.append((table, _caption(table, outcome, reading), reading))
        rules = suiting(table)
        if rules is not None:
            self.ruled.append((table, examine(table, rules=rules)[0]))
        if finder is not None:
            found, classify = finder.scene(table), finder.scene_classifier(table)
            self.detected.append((table, examine(table, found, classify=classify)[0]))
            if named(table, found):
                self.clear.append(self.detected[-1])

    def summary(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the shares by part of the benchmark and by kind of table."""
        parts = {"true tiles": summarise(self.true)}
        parts["rules known"] = summarise(self.ruled, parts=False)
        if self.detected:
            parts["detected tiles"] = summarise(self.detected)
            parts["detected tiles, all named"] = summarise(self.clear)
        return parts


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--scenes", type=int, default=1000)
    add("--seed", type=int, default=0, help="number of the first scene")
    add("--detected", type=int, default=0, help="render and detect so many of the scenes")
    add("--photos", type=Path, nargs="*", default=[], help="labelled folders; missing ones skipped")
    add("--cache", type=Path, help="keep detections in this folder")
    add("--out", type=Path)
    add("--failures", type=int, default=0, help="print so many scenes that were misread")
    add("--sheet", type=Path, help="draw them on a contact sheet")
    add("--plain", action="store_true", help="in outlines, which is quick")
    args = parser.parse_args()
    finder = Finder(args.cache) if args.detected or args.photos else None
    results = Results()
    for number in range(args.scenes):
        table = sample(args.seed + number)
        results.add(table, finder if number < args.detected else None)
    failed = results.failed[: args.failures]
    for _, caption, _ in failed:
        print(caption)
    if args.sheet:
        save(args.sheet, sheet(failed, args.plain))
    summary = results.summary()
    for folder in args.photos:
        if finder is not None and folder.is_dir():
            summary[f"photos {folder.name}"] = {"all": photos_read(finder, folder)}
    for part, names in summary.items():
        print(part)
        for name, values in names.items():
            print(f"  {name:<22}" + "  ".join(f"{key} {value}" for key, value in values.items()))
    if args.out:
        drawn_with = {"fonts": sorted(font_families())} if results.detected else {}
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
        shares = {
            key: round(sum(getattr(o, key) for o in outcomes) / n, 4)
            for key in ("tiles", "groups", "claims", "winning", "hand")
        }
        summary[name] = {
            "scenes": n,
            **shares,
            "wrong": sum(not o.right for o in outcomes),
            "flagged": sum(o.flagged and not o.right for o in outcomes),
            "certain": round(len(sure) / n, 4),
            "certain_wrong": sum(not o.hand for o in sure),
            "layout_ms": round(float(np.median([o.layout_ms for o in outcomes])), 1),
            "reading_ms": round(float(np.median([o.reading_ms for o in outcomes])), 1),
        }
    return summary


if __name__ == "__main__":
    main()
