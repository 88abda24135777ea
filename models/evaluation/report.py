"""An evaluation as a table for a terminal, as JSON, and its failures as one picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hupai.models.evaluation.evaluate import Evaluation, Figures, PhotoOutcome
from hupai.scoring.tiles import Tile
from hupai.vision.photo.decode import decode
from hupai.vision.pipeline.annotate import annotate
from hupai.vision.types import Image, ModelInfo, Timing

_MOST_CONFUSIONS = 12
_THUMBNAIL = (640, 480)
_CAPTION = 44


def evaluation_json(evaluation: Evaluation, model: ModelInfo) -> dict[str, Any]:
    """Everything measured, photo by photo; rates are fractions rounded to five places, times
    milliseconds.
    """
    return {
        "model": {"name": model.name, "version": model.version, "sha256": model.sha256},
        **figures_json(evaluation.figures),
        "labels_corrected": sum(outcome.truth.corrections for outcome in evaluation.outcomes),
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
    """Counts and rates."""
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
    """Milliseconds per stage, to a tenth."""
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
        "missing": [tile.code for tile in outcome.missing],
        "surplus": [tile.code for tile in outcome.surplus],
        "certain": outcome.reading.reading.certain,
        "problems": [problem.code for problem in outcome.reading.reading.problems],
        "ms": round(outcome.reading.timing.total, 1),
    }


def report(evaluation: Evaluation) -> RenderableType:
    """The figures as tables: over all and by table, confusions, times."""
    figures = Table(title="Readings against labels", title_justify="left")
    for heading in (
        "table",
        "photos",
        "whole hands",
        "legal hands",
        "groups",
        "tile recall",
        "tile precision",
        "class accuracy",
        "certain",
    ):
        figures.add_column(heading, justify="left" if heading == "table" else "right")
    figures.add_column("certain but wrong", justify="right")
    for name, row in evaluation.tables.items():
        figures.add_row(name, *_cells(row))
    figures.add_section()
    figures.add_row("all", *_cells(evaluation.figures), style="bold")
    return Group(figures, _confusions(evaluation), _times(evaluation))


def _cells(figures: Figures) -> list[str]:
    return [
        str(figures.photos),
        _of(figures.hands_exact, figures.hands),
        _of(figures.best_hands_exact, figures.hands),
        _of(figures.groups_exact, figures.grouped),
        _rate(figures.recall),
        _rate(figures.precision),
        _rate(figures.class_accuracy),
        str(figures.certain),
        _of(figures.certain_wrong, figures.certain),
    ]


def _of(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / whole:.1%})" if whole else "–"


def _rate(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.4f}"


def _confusions(evaluation: Evaluation) -> RenderableType:
    if not evaluation.confusions:
        return Text("No found tile is misread.")
    worst = evaluation.confusions[:_MOST_CONFUSIONS]
    rest = len(evaluation.confusions) - len(worst)
    listed = ", ".join(f"{true} as {seen} {count}×" for (true, seen), count in worst)
    return Text(f"Misread: {listed}" + (f", and {rest} more pairs" if rest else ""))


def _times(evaluation: Evaluation) -> RenderableType:
    t = evaluation.timing
    return Text(
        f"mAP50 {evaluation.map50:.4f}, mAP50-95 {evaluation.map50_95:.4f}\n"
        f"Median time per photo {t.total:.0f} ms: decode {t.decode:.0f}, detect {t.detect:.0f}, layout {t.layout:.1f}, "
        f"read {t.read:.1f}"
    )


def contact_sheet(
    outcomes: Sequence[PhotoOutcome], columns: int = 3, most: int = 60
) -> Image | None:
    """The photos that were not read right, annotated, with what is missing and what is too much, as
    one RGB picture.

    None where everything is right. At most `most` photos are shown, in the order given.
    """
    failed = [outcome for outcome in outcomes if outcome.failed][:most]
    if not failed:
        return None
    cells = [_cell(outcome) for outcome in failed]
    columns = min(columns, len(cells))
    blank = np.full_like(cells[0], 255)
    cells += [blank] * (math.ceil(len(cells) / columns) * columns - len(cells))
    rows = [np.hstack(cells[start : start + columns]) for start in range(0, len(cells), columns)]
    return np.vstack(rows)


def write_picture(picture: Image, path: Path) -> None:
    """Write an RGB picture as the format that the file's name says, ``.png`` or ``.jpg``.

    Raises:
        OSError: for another name, or when the file cannot be written.
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
    lost, made_up = (
        len(outcome.truth.tiles) - outcome.found,
        len(outcome.boxes.tiles) - outcome.right,
    )
    return f"not found: {lost}  made up: {made_up}  misread: {misread or '-'}"


def _names(tiles: Sequence[Tile]) -> str:
    return " ".join(tile.code for tile in tiles) or "-"
