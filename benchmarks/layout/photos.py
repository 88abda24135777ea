"""Evaluates photos of real tables, and draws those misread for the contact sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import cv2
import numpy as np

from benchmarks.layout.detected import Finder, HandRead, hands_read, image_of
from hupai.models.evaluation.evaluate import PhotoOutcome, compare
from hupai.vision.pipeline.annotate import annotate
from hupai.vision.types import Image, ModelInfo, PhotoInfo, PhotoReading

SIDE = 560
"""Longer side of a photo on the sheet, pixels."""


def photos_judged(finder: Finder, folder: Path) -> list[tuple[HandRead, PhotoOutcome]]:
    """Read the photos of a labelled folder with known hands; compare each with its labels."""
    return [(row, outcome_of(row, finder.info)) for row in hands_read(finder, folder)]


def outcome_of(row: HandRead, model: ModelInfo) -> PhotoOutcome:
    """Compare the reading of a photo by these weights with its labels."""
    height, width = image_of(row.photo).shape[:2]
    info = PhotoInfo(row.photo.path.name, "", width, height)
    return compare(row.photo, PhotoReading(photo=info, reading=row.reading, model=model))


def photo_figures(rows: Sequence[tuple[HandRead, PhotoOutcome]]) -> dict[str, float]:
    """Return the shares of photos with hand, melds, claims and winning tile read correctly.

    A share without any labels is left out: most labels give only the tiles of the hand.
    """
    n = max(len(rows), 1)
    certain = [row for row, _ in rows if row.reading.certain]
    melded = [o for _, o in rows if o.truth.melds is not None]
    won = [o for _, o in rows if o.truth.winning_tile is not None]
    figures: dict[str, float] = {
        "photos": len(rows),
        "exact": round(sum(row.exact for row, _ in rows) / n, 4),
    }
    if melded:
        groups = sum(bool(o.melds_grouped) for o in melded)
        figures["groups"] = round(groups / len(melded), 4)
        figures["claims"] = round(sum(bool(o.melds_exact) for o in melded) / len(melded), 4)
    if won:
        figures["winning"] = round(sum(bool(o.winning_tile_right) for o in won) / len(won), 4)
    figures["certain"] = round(len(certain) / n, 4)
    figures["certain_wrong"] = sum(not row.exact for row in certain)
    figures["layout_ms"] = round(median([row.layout_ms for row, _ in rows] or [0.0]), 1)
    return figures


def wrong_photos(rows: Sequence[tuple[HandRead, PhotoOutcome]]) -> list[tuple[HandRead, str]]:
    """Return the misread photos, each with its missing and surplus tiles."""
    found = []
    for row, outcome in rows:
        parts = {
            "hand": outcome.exact,
            "melds": outcome.melds_exact,
            "winning tile": outcome.winning_tile_right,
        }
        wrong = [name for name, right in parts.items() if right is False]
        if wrong:
            lost = " ".join(tile.code for tile in outcome.missing) or "-"
            more = " ".join(tile.code for tile in outcome.surplus) or "-"
            name = f"{row.photo.path.stem}: {', '.join(wrong)}"
            certain = " CERTAIN" if row.reading.certain else ""
            codes = " ".join(problem.code for problem in row.reading.problems)
            found.append((row, f"{name}{certain}\nmissing {lost}, surplus {more}\n{codes}"))
    return found


def photo_cell(row: HandRead, caption: str) -> Image:
    """Draw a photo with its reading and a caption, uint8 RGB, 2 * SIDE wide."""
    image = image_of(row.photo)
    scale = SIDE / max(image.shape[:2])
    drawn = annotate(image, row.reading)
    panels = []
    for picture in (image, drawn):
        size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        panels.append(np.pad(small, ((0, 0), (0, SIDE - size[0]), (0, 0))))
    lines = caption.split("\n")
    header = np.zeros((20 * len(lines), 2 * SIDE, 3), np.uint8)
    for i, line in enumerate(lines):
        at = (3, 15 + 20 * i)
        white = (255, 255, 255)
        cv2.putText(header, line, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, white, 1, cv2.LINE_AA)
    return np.vstack([header, np.hstack(panels)]).astype(np.uint8)
