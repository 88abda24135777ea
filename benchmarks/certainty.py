"""Plots coverage against risk of certain readings, and counts those that are certain and wrong.

    python -m benchmarks.certainty CASES.npz ... [--unseen CASES.npz ...]
        [--out docs/certainty.md] [--plot docs/images/certainty.svg]

Cases are recorded tables (`python -m benchmarks.layout.record`). The first files are those that the
weights were fitted to: each family, and each table of photos, is evaluated by a fit on all others.
Those after ``--unseen`` were not used in the fit and are evaluated with the shipped weights. A
reading is right if its faces, groups and claims agree with the ground truth, as far as it is known.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from hupai.models.training.layout.cases import load, with_waiting_hands
from hupai.models.training.layout.certainty import (
    Assured,
    by_part,
    judge,
    left_out,
)
from hupai.vision.layout.weights import shipped_weights
from hupai.vision.reading.certainty.assurance import RISK, probability, risk_coverage

_COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#9467bd", "#a463f2", "#97bbf5")
"""Colours of the curves, used in turn."""
_MAX_RISK = 0.05
"""Greatest risk shown in the plot."""

Parts = dict[str, list[Assured]]


def parted(assured: Sequence[Assured], note: str = "") -> Parts:
    """Sort readings by family, or by the table of a photo."""
    parts: Parts = {}
    for one in assured:
        parts.setdefault(one.judged.part + note, []).append(one)
    return parts


def unseen(files: Sequence[Path]) -> Parts:
    """Evaluate cases that were not used in the fit, with the shipped weights."""
    weights = shipped_weights().certainty
    parts: Parts = {}
    for file in files:
        judged = [judge(case) for case in with_waiting_hands(load(file))]
        assured = [Assured(j, probability(j.values, weights) if j.values else 0.0) for j in judged]
        parts |= parted(assured, f" ({file.stem})")
    return parts


def table(parts: Parts, threshold: float) -> str:
    """Return a Markdown table: how many readings of each part are right, certain, and wrong."""
    lines = [
        "| tables | readings | right | certain | share of the right | certain and wrong |",
        "|---|---|---|---|---|---|",
    ]
    for name, some in parts.items():
        right = sum(one.judged.right for one in some)
        certain = [one for one in some if one.pair[0] >= threshold]
        wrong = sum(not one.judged.right for one in certain)
        share = f"{(len(certain) - wrong) / right:.0%}" if right else "-"
        lines.append(f"| {name} | {len(some)} | {right} | {len(certain)} | {share} | {wrong} |")
    return "\n".join(lines)


def plot(parts: Parts, threshold: float) -> str:
    """Plot coverage against risk as SVG: a step curve for each part, a dot at the threshold."""
    width, height, left, top = 560, 320, 56, 16
    across, down = width - left - 190, height - top - 40

    def at(coverage: float, risk: float) -> tuple[float, float]:
        return left + coverage * across, top + down * (1 - min(risk, _MAX_RISK) / _MAX_RISK)

    shapes = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for k in range(6):
        (x, _), (_, y) = at(k / 5, 0), at(0, k * _MAX_RISK / 5)
        shapes += [
            f'<path d="M{left} {y:.1f}h{across}" stroke="#ddd"/>',
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{k}%</text>',
            f'<text x="{x:.1f}" y="{top + down + 16}" text-anchor="middle">{20 * k}%</text>',
        ]
    _, promise = at(0, RISK)
    shapes.append(
        f'<path d="M{left} {promise:.1f}h{across}" stroke="#888" stroke-dasharray="4 3"/>'
        f'<text x="{left + across / 2}" y="{height - 6}" text-anchor="middle">'
        "readings called certain; dashed: the promise, 1 in 200 wrong</text>"
        f'<text x="14" y="{top + down / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {top + down / 2})">wrong among them</text>'
    )
    for k, (name, some) in enumerate(parts.items()):
        colour = _COLOURS[k % len(_COLOURS)]
        curve = [p for p in risk_coverage([one.pair for one in some]) if p.threshold > 0]
        points = " ".join(
            "{:.1f},{:.1f}".format(*at(coverage, p.risk))
            for before, p in zip([None, *curve], curve, strict=False)
            for coverage in (before.coverage if before else 0.0, p.coverage)
        )
        shapes.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
        used = [p for p in curve if p.threshold >= threshold]
        if used:
            x, y = at(used[-1].coverage, used[-1].risk)
            shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        y = top + 12 + 16 * k
        shapes.append(
            f'<path d="M{left + across + 16} {y - 4}h14" stroke="{colour}" stroke-width="3"/>'
            f'<text x="{left + across + 36}" y="{y}">{name}</text>'
        )
    return "\n".join([*shapes, "</svg>"]) + "\n"


def main() -> None:
    """Run the command line of this module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path, nargs="*")
    parser.add_argument("--unseen", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    threshold = shipped_weights().certainty["threshold"]
    judged = [judge(case) for file in args.cases for case in with_waiting_hands(load(file))]
    fitted = parted(left_out(judged, by_part(judged)))
    parts = fitted | unseen(args.unseen)
    everything = [one for some in parts.values() for one in some]
    certain = [one for one in everything if one.pair[0] >= threshold]
    text = _TEXT.format(
        threshold=threshold,
        risk=f"1 in {round(1 / RISK)}",
        table=table(parts, threshold),
        count=len(everything),
        certain=len(certain),
        wrong=sum(not one.judged.right for one in certain),
    )
    print(text)
    surest = sorted((a for a in everything if not a.judged.right), key=lambda a: -a.pair[0])
    print("surest wrong ones:")
    for one in surest[:8]:
        print(f"  {one.judged.part} {one.judged.source}: {one.pair[0]:.4f}")
    if args.out:
        args.out.write_text(text, "utf-8")
    if args.plot:
        args.plot.write_text(plot(parts, threshold), "utf-8")


_TEXT = """# When a reading is certain

`certain` is a promise: at most {risk} certain readings is wrong, on photos of tables that no
part of Hupai was fitted to.

The assurance of a reading is the probability that all of it is right: tiles, faces, groups and who
discarded each claimed tile. A logistic regression (`hupai.vision.reading.certainty`) computes it
from these features (`hupai.vision.reading.certainty.features`):

- the score margin of the selected tiles over the next-best selection, and nearby tiles that were
  left out;
- the geometry of the melds and of the winning tile;
- the probability of hands with other tiles, other melds or another winning tile;
- the probabilities of the faces, for single tiles and averaged over all copies of a face;
- faint flowers and other tiles of low confidence;
- whether the hand is complete.

More doubt never raises the assurance: the sign of each weight is constrained. The regression is
fitted only on readings that none of the rules below excludes. If a rule excludes a reading, its
assurance is capped at the probability of its weakest face, and at one minus the probability of
other hands.

A reading is certain if its assurance is at least {threshold} and no rule excludes it. The rules
exclude readings with

- **an open problem**: an error, several hands in the photo, tiles that may be no hand, a tile that
  the player is asked to check, a gap, a box that may contain part of a tile or two tiles;
- **other likely tiles**: hands with other tiles that together have more than 10 % of the
  probability of all legal hands;
- **other likely melds or winning tiles**: hands of the same tiles with other melds, or with another
  winning tile, that have more than a fifth of that probability; melds whose odds by geometry are
  less than two to one, or less than 150 to one if none of their tiles lies sideways;
- **a doubtful face**: a face that is another one with a probability of more than 4 %, averaged over
  its open copies (copies look alike, so they are misread alike, and one sure copy supports the
  others; if the hand is complete, only other faces with which it stays complete count); or a single
  tile whose face has a probability of less than 92 %;
- **a face that alone keeps the hand from winning**: a hand that has not won, but would have if one
  tile showed a face that it looks like (`almost_won`): one of the two likeliest other faces, or
  another of 一, 二 and 三 万, which differ by a bar;
- **doubtful sets**: a fourth tile that was left out beside a pung, or that was read as a winning
  tile but completes nothing; a tile of the same face left out beside a pair, if all other tiles are
  laid down; two sets that lie apart from the concealed tiles; a sideways tile among the concealed
  tiles, or a sideways open tile in a concealed kong; three or more concealed tiles that stand while
  three or more lie; an end tile that is not the winning one but stands off by more than 6 % of a
  step, perspective aside; a claimed tile of which it is unclear on which side the owner sits;
- **a doubtful winning tile**: one that makes a set with tiles left out beside it; an open tile that
  touches the hand and completes it as well as the winning one does; sets in one row while only the
  winning tile and one other tile lie apart from it, which may be four melds;
- **a doubtful flower**: a flower of the hand that is a flower with a probability of less than two
  thirds; one that is cut by the edge of the photo, as others may lie beyond it; a flower left out
  that is more than 0.6 times as far from any other tile left out as from the hand; an unclear face
  or a 1s left out near the hand counts as a flower, as such pictures are often misread;
- **a winning tile that may be missing**: a hand of 13 tiles whose winning tile may have been missed
  or left out. This is ruled out if two things hold. First, no open tile except flowers lies within
  three tile widths of the hand. Second, at both ends of each row, either the next tile would be in
  the photo and the classifier found none there, or the table is bare from the last tile to the edge
  of the photo (`hupai.vision.pipeline.row_ends`). A tile may also have been missed if one of the 13
  lies on top of their row, or if the likeliest winning tile among them lies beside it. A back that
  continues their row may be the winning tile, misread;
- **doubtful white dragons**: a kong that shows one, as its tiles may be backs without a pattern; a
  hand whose concealed tiles are all white dragons, which may be patches of the cloth;
- **loose tiles**: a hand that is neither won nor ready and that other tiles touch.

A reading may be certain although the hand is cut by the edge of the photo, has unmarked sets, or
lies near flowers of other players.

The promise does not cover what cannot be seen. For example, four open tiles without a sideways one
may be a concealed or a claimed kong; Hupai asks if the score depends on it.

The promise is not kept for rendered whole tables taken alone. Of 300 tables outside every fit
(family 3, seeds from 840000), 111 readings were certain and two of these wrong: a winning tile was
missed, and a kong was read as a pung and a winning tile. With a rule added because of the second,
109 are certain and one is wrong. Of 1,000 further tables on which rules were found (seeds from
800000 and 810000), 357 are certain, and five of these differ from the truth
([decision 92](decisions.md)).

A second regression, on features of the tiles, gives the probability that the right tiles were
selected. The probabilities of hands are multiplied by it, so that a hand that leaves out nearby
tiles is no longer offered at 0.999.

`python -m hupai.models.training.layout.certainty` fits both regressions on recorded tables and
writes them into `models/weights/layout.json`, with the threshold.

## Measured

Each family of rendered tables and each table of photos was left out in turn, and is evaluated below
by a fit on all the others. Rows with a file name in brackets were not used in any fit. *Real,
other* are the training photos (*train*), so this row is too optimistic.
The held-out designs are rendered hands in tile designs that no network was trained on. Some of the
rendered tables were detected by the shipped weights ([card](../models/layout.md)); the others have
their true tiles with typical detector errors added, among them 3 % doubtful faces.
All are first looks; readings after further looks at the hand are judged alike
([decisions 98 and 123](decisions.md) have their figures).

{table}

Of {count} readings {certain} are certain, {wrong} of them wrong.

![Share of readings called certain against the share of wrong ones among them](images/certainty.svg)

Each curve shows one row of the table over all thresholds; the dot marks the threshold in use.

`python -m benchmarks.certainty` generates this page.

## Repeat the fit

New networks or a new layout change the readings, so all tables have to be recorded again. Two
processes may share a cache of detections: on two cores, record photos and designs on one and
rendered tables on the other. If the detections are in the cache, recording only runs the layout.
The cache identifies weights by their hash but does not notice changes of the detection's code;
after such a change, start with an empty one.

    python -m hupai.datasets.synthetic.held_out_designs held --count 1060

    R="python -m benchmarks.layout.record --cache found"
    for n in dev tables train; do
        $R --family real --photos ../shared/photos/$n --count 10000 --out $n.npz
    done
    $R --family designs --photos held --count 170 --out designs.npz
    $R --family designs --photos held --seed 170 --count 180 --out rest.npz
    $R --family designs --photos held --seed 350 --count 140 --out more.npz
    $R --family designs --photos held --seed 490 --count 570 --out last.npz

    $R --family 1 --seed 400000 --count 300 --out f1-noise.npz
    $R --family 2 --seed 40000 --count 380 --out f2-a.npz
    $R --family 2 --seed 10000 --count 418 --out f2-b.npz
    $R --family 1 --detected --seed 920000 --count 120 --out f1-a.npz
    $R --family 1 --detected --seed 645000 --count 80 --out f1-b.npz
    $R --family 3 --detected --seed 920000 --count 120 --out f3-a.npz
    $R --family 3 --detected --seed 745000 --count 120 --out f3-b.npz
    $R --family 1 --detected --seed 930000 --count 60 --out f1-unseen.npz

    FIT="train.npz f1-noise.npz f1-a.npz f1-b.npz f2-a.npz f2-b.npz f3-a.npz f3-b.npz designs.npz"
    python -m hupai.models.training.layout.certainty $FIT
    UNSEEN="dev.npz tables.npz rest.npz more.npz last.npz f1-unseen.npz"
    OUT="--out docs/certainty.md --plot docs/images/certainty.svg"
    python -m benchmarks.certainty $FIT --unseen $UNSEEN $OUT

The shipped regression for the tiles is that of version 2026.11.41
([decision 113](decisions.md)): in the last fit a tile left out beside the row no longer lowered the
probability of the hand.

Then change the version in `layout.json`, and version and hash in `models/registry.toml`.
"""


if __name__ == "__main__":
    main()
