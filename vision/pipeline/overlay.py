"""Merges photos of a table that was not changed between them, by registering them."""

from __future__ import annotations

import numpy as np

from hupai.vision.geometry.boxes import areas, pairwise_overlap
from hupai.vision.pipeline.observations import Observation, as_detections
from hupai.vision.pipeline.registration import register
from hupai.vision.types import Detections

MIN_OVERLAP = 0.5
"""Overlap, as a share of the smaller box, from which two boxes are of one tile."""

WHOLE_AREA = 1.3
"""Least ratio of areas of a whole tile's box and of its box where it is cut or occluded."""


def overlay(observed: list[Observation], found: Detections, photo: int) -> bool:
    """Merge another photo's tiles into those observed, by position.

    Args:
        observed: the tiles so far, changed in place.
        found: what the other photo shows.
        photo: its number.

    Returns:
        False, with nothing changed, if the photos cannot be registered.
    """
    fit = register(as_detections(observed), found)
    if fit is None:
        return False
    same = {its: ours for ours, its in fit.pairs}
    places = np.asarray([one.box for one in observed], np.float64).reshape(-1, 4)
    old_area, new_area = areas(places), areas(fit.boxes)
    overlap = pairwise_overlap(fit.boxes.astype(np.float64), places)
    for its in range(len(found)):
        ours = same.get(its)
        if ours is None:
            nearest = int(overlap[its].argmax())
            ours = nearest if overlap[its, nearest] > MIN_OVERLAP else None
        placed = Observation.of(found, its, photo)
        placed.box, placed.axis = fit.boxes[its], float(fit.axes[its])
        if ours is None:
            observed.append(placed)
            continue
        before = observed[ours]
        if new_area[its] > WHOLE_AREA * old_area[ours]:
            # It was cut or occluded: the box of the photo that shows it whole is kept.
            placed.sources += before.sources
            placed.reds += before.reds
            observed[ours] = placed
        elif its in same:
            before.confirm(found, its, photo)
            before.score = max(before.score, placed.score)
        elif placed.score > before.score or placed.probabilities.max() > before.probabilities.max():
            before.confirm(found, its, photo)
    return True
