"""Measures layout and reading on photographed and rendered tables.

    python -m benchmarks.layout [--photos ../shared/photos/tables ../shared/photos/dev …]
        [--scenes 300] [--families 1 2 3] [--detected 100] [--out benchmarks/layout.json]
        [--failures 20 --sheet FILE]

Photos come first: those of labelled folders whose hand is known, with the shipped weights. For them
``exact`` counts the hands with exactly the right tiles; melds (``groups``), their sources
(``claims``) and the winning tile are evaluated if hands.jsonl gives them. Then the three families
of tables (`benchmarks.layout.families`): their tiles are projected to boxes, with the noise of a
detector, and read. Counted by kind of table are: the tiles selected as the hand (``exact``), groups
with their kinds, the source of each meld, the winning tile, and the whole hand. Every table counts;
`benchmarks.layout.compare` defines its ground truth. ``flagged`` counts wrong readings that report
a doubt.

With detected tiles the same tables are rendered in drawn tile sets and the shipped weights detect
the tiles; ``all named`` are the tables on which every tile of the hand was found and classified
correctly. The sets are drawn with the available fonts, so figures are comparable only if ``fonts``
are the same. ``rules known`` reads the tables with true tiles again, each under a rule set that
suits it. Times are processor times; ``by tiles`` shows how they grow with the number of tiles. The
sheet shows what was misread, photos first.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks.layout.compare import Outcome, examine, shown_hand
from benchmarks.layout.detected import Finder, all_tiles_named
from benchmarks.layout.families import FAMILIES, kinds, style_of
from benchmarks.layout.photos import photo_cell, photo_figures, photos_judged, wrong_photos
from benchmarks.layout.sheet import save, sheet
from benchmarks.layout.table import LaidTable
from hupai.datasets.faces.drawing.variety import font_families
from hupai.scoring.hand import MeldKind
from hupai.scoring.notation import format_hand
from hupai.scoring.result import RuleSet
from hupai.scoring.rule_sets import all_rules
from hupai.vision.conventions import convention
from hupai.vision.types import Reading


def suiting(table: LaidTable) -> RuleSet | None:
    """Choose a rule set that uses the tiles of the hand, and claims chows if it has one."""
    hand = table.hand
    chows = any(meld.kind is MeldKind.CHOW for meld in hand.melds)
    tiles = {*hand.all_tiles, *hand.flowers}
    fitting = [r for r in all_rules() if tiles <= r.tiles and (convention(r.id).chows or not chows)]
    return fitting[table.seed % len(fitting)] if fitting else None


Rows = list[tuple[LaidTable, Outcome]]

SHARES = (
    ("exact", "tiles"),
    ("groups", "groups"),
    ("claims", "claims"),
    ("winning", "winning"),
    ("hand", "hand"),
)
"""Attributes of an outcome, and their names in the report."""


TILES = (0, 14, 20, 41, 81, 121, 161, 241)
"""Limits of the bins by number of tiles, each from one limit to below the next."""


@dataclass
class Results:
    """Outcomes by input, and the tables that were misread.

    Attributes:
        true, ruled: with true tiles, without and with known rules.
        detected: with detected tiles.
        clear: those of them whose hand was detected and classified without a mistake.
        failed: tables misread with true tiles, with a caption.
    """

    true: Rows = field(default_factory=list)
    ruled: Rows = field(default_factory=list)
    detected: Rows = field(default_factory=list)
    clear: Rows = field(default_factory=list)
    failed: list[tuple[LaidTable, str, Reading]] = field(default_factory=list)

    def add(self, table: LaidTable, finder: Finder | None) -> None:
        """Read a table with true tiles and, if a detector is given, with its detections."""
        outcome, reading = examine(table)
        self.true.append((table, outcome))
        if not outcome.right:
            self.failed.append((table, _caption(table, outcome, reading), reading))
        rules = suiting(table)
        if rules is not None:
            self.ruled.append((table, examine(table, rules=rules)[0]))
        if finder is not None:
            found = finder.scene(table)
            classify = finder.scene_classifier(table, found)
            self.detected.append((table, examine(table, found, classify=classify)[0]))
            if all_tiles_named(table, found):
                self.clear.append(self.detected[-1])

    def summary(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the shares by part of the benchmark and by kind of table."""
        parts = {"true tiles": summarise(self.true), "true tiles, by tiles": times(self.true)}
        if self.ruled:
            parts["rules known"] = summarise(self.ruled, parts=False)
        if self.detected:
            parts["detected tiles"] = summarise(self.detected)
        if self.clear:
            parts["detected tiles, all named"] = summarise(self.clear)
        return parts


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--scenes", type=int, default=300, help="tables of each family")
    add("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES), help="only these")
    add("--seed", type=int, default=0, help="number of the first scene")
    add("--detected", type=int, default=0, help="number of scenes to render and detect")
    add("--photos", type=Path, nargs="*", default=[], help="labelled folders; missing ones skipped")
    add("--cache", type=Path, help="keep detections in this folder")
    add("--out", type=Path)
    add("--failures", type=int, default=0, help="number of each family to print and draw")
    add("--sheet", type=Path, help="draw them on a contact sheet, photos first")
    add("--plain", action="store_true", help="in outlines, which is quick")
    args = parser.parse_args()
    finder = Finder(args.cache) if args.detected or args.photos else None
    summary: dict[str, dict[str, dict[str, float]]] = {}
    photos = []
    for folder in args.photos:
        if finder is not None and folder.is_dir():
            judged = photos_judged(finder, folder)
            summary[f"photos {folder.name}"] = {"all": photo_figures(judged)}
            photos += wrong_photos(judged)
    failed: list[tuple[LaidTable, str, Reading]] = []
    for number in args.families:
        family, results = FAMILIES[number], Results()
        for seed in range(args.seed, args.seed + args.scenes):
            rendered = family.pictured and seed - args.seed < args.detected
            results.add(family.table(seed), finder if rendered else None)
        parts = results.summary() if args.scenes else {}
        summary |= {f"{family.name}, {part}": rows for part, rows in parts.items()}
        failed += results.failed[: args.failures]
    for caption in [*(text for _, text in photos), *(text for _, text, _ in failed)]:
        if args.failures:
            print(caption)
    if args.sheet:
        save(args.sheet, sheet(failed, args.plain, [photo_cell(*one) for one in photos]))
    _print(summary)
    if args.out:
        drawn_with = {"fonts": sorted(font_families())} if args.detected else {}
        args.out.write_text(json.dumps(drawn_with | summary, indent=1) + "\n", "utf-8")


def _print(summary: dict[str, dict[str, dict[str, float]]]) -> None:
    for part, names in summary.items():
        print(part)
        for name, values in names.items():
            print(f"  {name:<22}" + "  ".join(f"{key} {value}" for key, value in values.items()))


def _caption(table: LaidTable, outcome: Outcome, reading: Reading) -> str:
    wrong = [
        name
        for name in ("tiles", "groups", "claims", "winning", "hand")
        if not getattr(outcome, name)
    ]
    got = format_hand(reading.hands[0].hand) if reading.hands else "none"
    return (
        f"{table.seed}: {' '.join(wrong)}; {style_of(table)}\n"
        f"{format_hand(shown_hand(table))} read {got} ({outcome.probability:.2f})\n"
        f"{' '.join(p.code for p in reading.problems)}"
    )


def times(rows: Rows) -> dict[str, dict[str, float]]:
    """Return the median times of layout and reading, milliseconds, by the number of tiles."""
    found = {}
    for low, high in pairwise(TILES):
        outcomes = [o for _, o in rows if low <= o.seen < high]
        if outcomes:
            found[f"{low} to {high - 1}"] = {
                "scenes": len(outcomes),
                "layout_ms": round(median(o.layout_ms for o in outcomes), 1),
                "reading_ms": round(median(o.reading_ms for o in outcomes), 1),
            }
    return found


def summarise(rows: Rows, parts: bool = True) -> dict[str, dict[str, float]]:
    """Return the shares read correctly, over all scenes and, with `parts`, by kind of scene."""
    split: dict[str, list[Outcome]] = {"all": [outcome for _, outcome in rows]}
    for table, outcome in rows if parts else []:
        for name in kinds(table):
            split.setdefault(name, []).append(outcome)
    summary = {}
    for name, outcomes in sorted(split.items()):
        n = len(outcomes)
        sure = [o for o in outcomes if o.certain]
        shares = {
            key: round(sum(getattr(o, part) for o in outcomes) / n, 4) for key, part in SHARES
        }
        summary[name] = {
            "scenes": n,
            **shares,
            "wrong": sum(not o.right for o in outcomes),
            "flagged": sum(o.flagged and not o.right for o in outcomes),
            "certain": round(len(sure) / n, 4),
            "certain_wrong": sum(not o.hand for o in sure),
            "layout_ms": round(median(o.layout_ms for o in outcomes), 1),
            "reading_ms": round(median(o.reading_ms for o in outcomes), 1),
        }
    return summary


if __name__ == "__main__":
    main()
