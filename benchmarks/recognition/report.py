"""Formats the results as the page docs/recognition.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

_HEAD = """# How well photos are read

These are the results of one run of `python -m benchmarks.recognition` with the weights {name}
{version} (SHA-256 {sha}…). `benchmarks/recognition/results.json` holds the values. The
[README](../README.md#measured) explains the headline figures and gives figures for photos of other
tables.

Test sets:

- **tables** are photos of whole tables. The hand is known for six of them, but not the boxes of its
  tiles.
- **dev** are 79 photos of two tables that training did not use. We corrected wrong labels, and
  chose settings on these photos.
- **held-out designs** are rendered hands in 20 drawn tile designs that training did not use, at
  hard angles and in bad light. Hands that are cut off or covered count for tiles only. Another
  machine renders different pictures, so compare figures within one run only.

Figures:

- *n* is the number of photos or pictures.
- *whole hands* are those into which exactly the right tiles were read.
- *recall* is the share of labelled tiles that were found.
- *precision* is the share of the tiles read into the hand that are labelled; in photos whose whole
  hand is not known, that of all faces found near labelled tiles. It is low on white-rail-blue
  because eight photos show discards without labels.
- *face right* is the share of found tiles whose face was read correctly.
- *certain* counts the readings that are called [certain](certainty.md), and *certain, wrong* the
  wrong ones among them.
"""

_FAILURES = """## Failure cases

The picture shows all mistakes among the first 100 rendered hands of held-out designs
(`python -m hupai.datasets.synthetic.held_out_designs OUT --count 100`, then
`hupai models evaluate OUT --contact-sheet FILE`). It shows no photos that other people took.

![Misread pictures: missing tiles and surplus ones](images/recognition-failures.jpg)
"""


_PICTURES = """The confusion matrix counts the labelled tiles that were found, by their true face
(rows) and the face they were read as (columns):

![Confusion matrix of faces](images/recognition-confusion.png)

The diagram shows the share of right faces against confidence, with the number of tiles. Calibrated
confidences lie on the diagonal:

![Reliability of faces](images/recognition-reliability.png)"""


def markdown(result: dict[str, Any]) -> str:
    """Write the page."""
    model = result["model"]
    parts = [_HEAD.format(name=model["name"], version=model["version"], sha=model["sha256"][:12])]
    if "note" in result:
        parts.append(f"{result['note']}\n")
    parts.append(_section("By table", _tables(result["folders"])))
    parts.append(_section("By size of a tile", _sizes(result["folders"])))
    if result.get("special"):
        title = "Backs, white dragons, red fives, black sets, non-tiles"
        parts.append(_section(title, _special(result["special"])))
    parts.append(_section("Look-alikes", f"{_lookalikes(result['folders'])}\n\n{_PICTURES}"))
    if result["changes"]:
        # Results combined from two runs say so: the changes take as long as everything else.
        note = f"\n\n{result['changes_note']}" if "changes_note" in result else ""
        parts.append(_section("Disturbances", _changes(result["changes"]) + note))
    parts.append(_FAILURES)
    return "\n".join(parts)


def _section(title: str, table: str) -> str:
    return f"## {title}\n\n{table}\n"


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _tables(folders: dict[str, Any]) -> str:
    headings = (
        "photos",
        "n",
        "whole hands",
        "recall",
        "precision",
        "face right",
        "certain",
        "certain, wrong",
        "mAP50",
    )
    rows: list[list[object]] = []
    for name, entry in folders.items():
        rows.append(
            [
                f"**{name}**",
                *_figures(entry["all"]),
                f"{entry['map50']:.3f}" if entry["all"]["labelled"] else "–",
            ]
        )
        if len(entry["tables"]) > 1:
            rows += [
                [f"{name}: {table}", *_figures(figures), ""]
                for table, figures in entry["tables"].items()
            ]
    return _table(headings, rows)


def _figures(f: dict[str, Any]) -> list[object]:
    rates = [f["tile_recall"], f["tile_precision"], f["class_accuracy"]]
    hands = f"{f['hands_exact']}/{f['hands']}" if f["hands"] else "–"
    return [
        f["photos"],
        hands,
        *("–" if rate is None else f"{rate:.4f}" for rate in rates),
        f["certain"],
        f["certain_wrong"],
    ]


def _sizes(folders: dict[str, Any]) -> str:
    rows = [
        (
            name,
            f"{row['low']}–{row['high'] - 1}" if row["high"] < 10_000 else f"{row['low']} and more",
            row["tiles"],
            *_of(row),
        )
        for name, entry in folders.items()
        for row in entry["sizes"]
    ]
    return _table(("photos", "shorter side, px", "tiles", "found", "found and named right"), rows)


def _of(row: dict[str, Any]) -> tuple[str, str]:
    if not row["tiles"]:
        return "–", "–"
    return f"{row['found'] / row['tiles']:.4f}", f"{row['right'] / row['tiles']:.4f}"


def _lookalikes(folders: dict[str, Any]) -> str:
    rows: list[tuple[str, ...]] = []
    for name, entry in folders.items():
        for row in entry["lookalikes"]:
            worst = ", ".join(f"{true} as {read} {n}×" for true, read, n in row["worst"])
            rows.append((row["family"], name, str(row["tiles"]), str(row["flips"]), worst or "–"))
    rows.sort(key=lambda row: row[0])
    return _table(("family", "photos", "tiles found", "misnamed", "most often"), rows)


def _special(rows: list[dict[str, Any]]) -> str:
    """Format the rows of `benchmarks.recognition.special`, with false positives."""
    note = (
        "These are rendered whole tables in drawn styles, with tiles of at least 14 pixels. A red"
        " five is named right if it is reported as red. *wrong* counts plain fives reported as red,"
        " and detections where there is no tile."
    )
    lines: list[list[object]] = []
    for row in rows:
        tiles = row["tiles"]
        rates = [f"{row[part] / tiles:.4f}" if tiles else "–" for part in ("found", "named")]
        wrong = row["wrong"]
        per = f"{wrong} on {row['pictures']} pictures" if row["pictures"] else str(wrong or "–")
        lines.append([row["kind"], tiles or "–", *rates, per])
    headings = ("kind", "tiles", "found", "found and named right", "wrong")
    return f"{note}\n\n{_table(headings, lines)}{_red_fives(rows)}"


def _red_fives(rows: list[dict[str, Any]]) -> str:
    """Format precision and recall of red fives."""
    for row in rows:
        reported = row["named"] + row["wrong"]
        if row["kind"] == "red fives" and row["tiles"] and reported:
            precision, recall = row["named"] / reported, row["named"] / row["tiles"]
            return (
                f"\n\nRed fives reported as red: precision {precision:.4f}"
                f" ({row['named']} of {reported}), recall {recall:.4f}"
                f" ({row['named']} of {row['tiles']})."
            )
    return ""


def _changes(changes: list[dict[str, Any]]) -> str:
    rows = [
        (
            f"{c['change']} {c['amount']:g}",
            f"{c['pixels']:.0f}" if c["tiles"] else "–",
            f"{c['exact']}/{c['hands']}",
            *_of(c),
            c["certain"],
            c["certain_wrong"],
        )
        for c in changes
    ]
    headings = (
        "change",
        "tile, px",
        "whole hands",
        "tiles found",
        "found and named right",
        "certain",
        "certain, wrong",
    )
    note = (
        "Each photo of dev is disturbed in one way, by the amount given:\n\n"
        "- turned: degrees\n"
        "- stretched: its width is multiplied by this factor\n"
        "- shrunk: its size is multiplied by this factor\n"
        "- blurred: sigma of the blur in thousandths of its longer side\n"
        "- darkened: its brightness is multiplied by this factor, and noise is added\n"
        "- tinted: ratio of blue to red\n"
        "- compressed: JPEG quality\n"
        "- backlit: brightness is multiplied by this factor, except in the upper tenth"
    )
    return f"{note}\n\n{_table(headings, rows)}"
