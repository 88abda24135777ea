"""Formats an evaluation as a terminal table and as JSON, and its failures as one picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hupai.datasets.real.patches import BoxPatch
from hupai.datasets.synthetic.contact_sheet import tiled
from hupai.models.evaluation.evaluate import Evaluation, Figures, PhotoOutcome
from hupai.models.evaluation.labelled_folder import LabelledPhoto
from hupai.scoring.tiles import Tile
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.annotate import annotate
from hupai.vision.types import Image, ModelInfo, Timing

_MOST_CONFUSIONS = 12
_THUMBNAIL = (640, 480)
"""Width and height of a photo on the sheet of failures, pixels."""
_CAPTION = 44
"""Height of the caption below it, pixels."""
_NOTHING = "–"
"""The cell of a figure that counts nothing."""


def evaluation_json(
    evaluation: Evaluation, model: ModelInfo, published: Figures | None = None
) -> dict[str, Any]:
    """Return everything measured, photo by photo, as plain JSON values.

    Rates are fractions rounded to five places, times milliseconds. `published` are the figures by
    the labels as published, where these were corrected.
    """
    return {
        "model": {"name": model.name, "version": model.version, "sha256": model.sha256},
        **figures_json(evaluation.figures),
        "labels_corrected": sum(outcome.truth.corrections for outcome in evaluation.outcomes),
        "by_published_labels": None if published is None else figures_json(published),
        "map50": round(evaluation.map50, 5),
        "map50_95": round(evaluation.map50_95, 5),
        "median_ms": timing_json(evaluation.timing),
        "tables": {name: figures_json(figures) for name, figures in evaluation.tables.items()},
        "confusions": [
            [true.code, seen.code, count] for (true, seen), count in evaluation.confusions
        ],
        "photos": [_outcome_json(outcome) for outcome in evaluation.outcomes],
    }


def figures_json(figures: Figures) -> dict[str, Any]:
    """Return counts and rates."""
    rates = {
        "hands_exact_rate": figures.exact_rate,
        "tile_recall": figures.recall,
        "tile_precision": figures.precision,
        "class_accuracy": figures.class_accuracy,
        "certain_wrong_rate": figures.certain_wrong_rate,
    }
    return {
        **asdict(figures),
        **{name: None if rate is None else round(rate, 5) for name, rate in rates.items()},
    }


def timing_json(timing: Timing) -> dict[str, float]:
    """Return milliseconds per stage, to a tenth."""
    return {stage: round(milliseconds, 1) for stage, milliseconds in asdict(timing).items()}


def _outcome_json(outcome: PhotoOutcome) -> dict[str, Any]:
    return {
        "photo": outcome.truth.path.stem,
        "table": outcome.truth.table,
        "labelled": len(outcome.truth.tiles),
        "predicted": len(outcome.boxes.tiles),
        "found": outcome.found,
        "right": outcome.right,
        "misread": [[true.code, seen.code] for true, seen in outcome.faces if true != seen],
        "exact": outcome.exact,
        "best_hand_exact": outcome.best_hand_exact,
        "groups_exact": outcome.groups_exact,
        "melds_exact": outcome.melds_exact,
        "melds_right": outcome.melds_right,
        "claims_right": outcome.claims_right,
        "winning_tile_right": outcome.winning_tile_right,
        "missing": [tile.code for tile in outcome.missing],
        "surplus": [tile.code for tile in outcome.surplus],
        "certain": outcome.reading.reading.certain,
        "problems": [problem.code for problem in outcome.reading.reading.problems],
        "ms": round(outcome.reading.timing.total, 1),
    }


COLUMNS: tuple[tuple[str, Callable[[Figures], str], str], ...] = (
    ("photos", lambda f: str(f.photos), ""),
    (
        "whole hands",
        lambda f: _of(f.hands_exact, f.hands),
        "hands of which exactly the right tiles are read",
    ),
    (
        "legal hands",
        lambda f: _of(f.best_hands_exact, f.hands),
        "hands whose likeliest legal hand has exactly the right tiles",
    ),
    (
        "groups",
        lambda f: _of(f.groups_exact, f.grouped),
        "rendered hands whose groups are all right: tiles, kind, from whom claimed",
    ),
    (
        "all melds",
        lambda f: _of(f.melds_exact, f.melded),
        "hands whose melds, if any, are all right: tiles, kind, from whom claimed",
    ),
    ("melds", lambda f: _of(f.melds_right, f.melds), "melds read with their tiles and kind"),
    (
        "claims",
        lambda f: _of(f.claims_right, f.claims),
        "claimed melds read with tiles, kind, and whose discard it was",
    ),
    (
        "winning tile",
        lambda f: _of(f.winning_right, f.winning_known),
        "hands whose likeliest legal hand names the winning tile",
    ),
    ("tile recall", lambda f: _rate(f.recall), "share of labelled tiles that are found"),
    (
        "tile precision",
        lambda f: _rate(f.precision),
        "share of the tiles read that carry a label; many tiles around a hand carry none",
    ),
    ("class accuracy", lambda f: _rate(f.class_accuracy), "share of tiles found named right"),
    ("certain", lambda f: str(f.certain), "hands that the reader called certain"),
    ("certain but wrong", lambda f: _of(f.certain_wrong, f.certain), ""),
)
"""Columns of the table: heading, cell, and an explanation if the heading needs one."""


def report(evaluation: Evaluation, published: Figures | None = None) -> RenderableType:
    """Return the figures as tables: over all and by table, confusions, times.

    Args:
        evaluation: what was measured.
        published: the figures by the labels as published, where these were corrected.
    """
    rows = {**evaluation.tables, "all": evaluation.figures}
    if published is not None:
        rows["all, by the labels as published"] = published
    shown = [c for c in COLUMNS if any(c[1](figures) != _NOTHING for figures in rows.values())]
    figures = Table(title="Readings against labels", title_justify="left")
    figures.add_column("table")
    for heading, _, _ in shown:
        figures.add_column(heading, justify="right")
    for name, row in rows.items():
        cells = [cell(row) for _, cell, _ in shown]
        if name == "all":
            figures.add_section()
        figures.add_row(name, *cells, style="bold" if name == "all" else None)
    legend = "\n".join(f"{heading}: {meaning}" for heading, _, meaning in shown if meaning)
    return Group(figures, Text(legend), _confusions(evaluation), _times(evaluation))


def corrections(photos: Iterable[LabelledPhoto]) -> list[str]:
    """List the corrected labels, one line per photo."""
    lines = []
    for photo in photos:
        for why in dict.fromkeys(patch.why for patch in photo.patches):
            changes = ", ".join(
                f"{patch.was} is {_corrected(patch)}"
                for patch in photo.patches
                if patch.why == why
            )
            lines.append(f"{photo.path.stem}: {changes} ({why})")
    return lines


def _corrected(patch: BoxPatch) -> str:
    if patch.now is None:
        return "unreadable" if patch.unreadable else "no tile"
    return patch.now.code


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / whole:.1%})" if whole else _NOTHING


def _rate(rate: float | None) -> str:
    return _NOTHING if rate is None else f"{rate:.4f}"


def _confusions(evaluation: Evaluation) -> RenderableType:
    if not evaluation.confusions:
        return Text("No tile that was found is misread." if evaluation.figures.found else "")
    worst = evaluation.confusions[:_MOST_CONFUSIONS]
    rest = len(evaluation.confusions) - len(worst)
    listed = ", ".join(f"{true} as {seen} {count}×" for (true, seen), count in worst)
    return Text(f"Misread: {listed}" + (f", and {rest} more pairs" if rest else ""))


def _times(evaluation: Evaluation) -> RenderableType:
    t = evaluation.timing
    lines = [
        f"Median time per photo {t.total:.0f} ms: decode {t.decode:.0f}, detect {t.detect:.0f}, "
        f"layout {t.layout:.1f}, read {t.read:.1f}"
    ]
    if evaluation.figures.labelled:
        lines = [f"mAP50 {evaluation.map50:.4f}, mAP50-95 {evaluation.map50_95:.4f}", *lines]
    return Text("\n".join(lines))


def contact_sheet(
    outcomes: Sequence[PhotoOutcome], columns: int = 3, most: int = 60
) -> Image | None:
    """Draw the misread photos, annotated, as one RGB picture.

    The caption names missing and surplus tiles. At most `most` photos are shown, in the
    order given; None if everything is right.
    """
    cells = [_cell(outcome) for outcome in outcomes if outcome.failed][:most]
    return tiled(cells, columns, 255) if cells else None


def write_picture(picture: Image, path: Path) -> None:
    """Write an RGB picture in the format of the file's extension, ``.png`` or ``.jpg``.

    Raises:
        OSError: for another extension, or if the file cannot be written.
    """
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise OSError(f"{path}: name the picture .png or .jpg")
    done, encoded = cv2.imencode(path.suffix.lower(), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    if not done:
        raise OSError(f"{path}: OpenCV could not encode the picture")
    path.write_bytes(encoded.tobytes())


def _cell(outcome: PhotoOutcome) -> Image:
    width, height = _THUMBNAIL
    cell = np.full((height + _CAPTION, width, 3), 255, np.uint8)
    name = str(outcome.truth.path)
    picture = annotate(decode(outcome.truth.path.read_bytes(), name).image, outcome.reading.reading)
    scale = min(width / picture.shape[1], height / picture.shape[0])
    size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    cell[: size[1], : size[0]] = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    certain = " CERTAIN" if outcome.reading.reading.certain else ""
    lines = (f"{outcome.truth.path.stem}{certain}", _what_went_wrong(outcome))
    for index, line in enumerate(lines):
        cv2.putText(
            cell,
            line[:80],
            (4, height + 17 + 20 * index),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.5,
            (160, 0, 0),
            1,
            cv2.LINE_AA,
        )
    return cell


def _what_went_wrong(outcome: PhotoOutcome) -> str:
    if outcome.truth.hand is not None:
        return f"missing: {_names(outcome.missing)}  too much: {_names(outcome.surplus)}"
    misread = " ".join(f"{true}>{seen}" for true, seen in outcome.faces if true != seen)
    lost = len(outcome.truth.tiles) - outcome.found
    return f"not found: {lost}  misread: {misread or '-'}  not labelled: {outcome.unlabelled}"


def _names(tiles: Sequence[Tile]) -> str:
    return " ".join(tile.code for tile in tiles) or "-"
